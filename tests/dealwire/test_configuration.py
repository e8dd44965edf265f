"""A `table.toml`: what is taken, and the one line that says what is wrong, where, and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealwire.config.build import Banks, build_table
from dealwire.config.load import _meters, examined, load_configuration
from dealwire.table.table import Table
from devices import events as e
from protocol.cards import parse_card
from protocol.tomlfile import TomlFileError

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "table.toml"
PROGRESSIVE = EXAMPLE.parent / "progressive-ml03.toml"
SECOND = """
[[table]]
name = "{name}"
procedure = "race-to-the-flush"
[[table.device]]
name = "shoe"
kind = "shoe"
dialect = "angel-eye"
address = "tcp://10.0.0.7:4001"
[[table.device]]
name = "controller"
kind = "table-controller"
address = "{address}"
"""


EDITION = 'edition = "colorado-2021-05-01"'


def written(folder: Path, before: str = "", after: str = "", more: str = "") -> Path:
    """The example's table, by the law as it is printed: another game can take its place."""
    text = EXAMPLE.read_text().replace(EDITION, "# " + EDITION)
    assert before in text
    file = folder / "mine.toml"
    file.write_text((text.replace(before, after, 1) if before else text) + more)
    return file


def refusal(file: Path) -> str:
    with pytest.raises(TomlFileError) as caught:
        load_configuration(file)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_example_is_a_table() -> None:
    found = load_configuration(EXAMPLE)
    assert [part.name for part in found.table] == ["pit-1"]
    assert found.journal.path == EXAMPLE.parent / "journal.sqlite", "paths are taken from the file's own folder"
    table = build_table(found.table[0], Banks(), Table)
    assert (table.flow.procedure.id, table.meters) == ("flushes-gone-wild.co", {"meter": 1_000_000})
    assert found.table[0].seats == 6


CONSOLE = 'tokens-file = "tokens.toml"\nnames = ["pit.example"]\nsecure = true\nproxies = ["10.0.0.7", "fd00::/64"]\n'


def test_a_console_behind_a_proxy_with_tls(tmp_path: Path) -> None:
    found = load_configuration(written(tmp_path, "[console]\n", f"[console]\n{CONSOLE}")).console
    assert found is not None
    assert (found.names, found.secure, found.proxies) == (("pit.example",), True, ("10.0.0.7", "fd00::/64"))


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('names = ["pit.example"]\n', "", "secure needs names: the host name under which browsers reach the console"),
        ('"pit.example"', '"https://pit.example"', "console.names"),
        ('"pit.example"', '"pit.example:443"', "console.names"),
        ('"10.0.0.7"', '"proxy.example"', "console.proxies"),
        ('"10.0.0.7"', '"10.0.0.7/8"', "an address such as 10.0.0.7 or a network such as 10.0.0.0/24"),
        ("secure = true", 'secure = "yes"', "console.secure"),
    ],
)
def test_what_is_wrong_with_a_consoles_proxy_is_one_line(tmp_path: Path, before: str, after: str, why: str) -> None:
    assert before in CONSOLE
    line = refusal(written(tmp_path, "[console]\n", f"[console]\n{CONSOLE.replace(before, after)}"))
    assert why in line
    assert "console" in line


@pytest.mark.parametrize(("setting", "doubted"), [("", 1), ("least-confidence = 70", 0), ("least-confidence = 71", 1)])
def test_a_table_says_how_sure_its_shoe_must_be(tmp_path: Path, setting: str, doubted: int) -> None:
    file = written(
        tmp_path, more=SECOND.format(name="pit-2", address="/dev/x").replace('"pit-2"', f'"pit-2"\n{setting}')
    )
    table = build_table(load_configuration(file).table[1], Banks(), Table)
    for number, body in enumerate((e.GameStarted(1), e.CardDrawn(1, parse_card("AS"), None, 70)), 1):
        table.handle(e.Seen("line", 1, number, 1, body))
    assert table.incidents["card-doubtful"] == doubted


def test_a_table_that_is_dealt_by_hand_needs_a_controller_alone(tmp_path: Path) -> None:
    shoe = '[[table.device]]\nname = "shoe"\nkind = "shoe"\ndialect = "angel-eye"\naddress = "tcp://10.0.0.7:4001"\n'
    by_hand = SECOND.format(name="pit-2", address="/dev/x").replace("race-to-the-flush", "pai-gow.co-hand")
    by_hand = by_hand.replace('"pit-2"', '"pit-2"\nsettle = false')
    assert "'shoe'; pai-gow.co-hand is dealt with table-controller" in refusal(written(tmp_path, more=by_hand))
    assert shoe in by_hand
    found = load_configuration(written(tmp_path, more=by_hand.replace(shoe, "")))
    assert [device.kind for device in found.table[1].device] == ["table-controller"]


def test_a_shuffler_may_hand_the_dealer_whole_decks(tmp_path: Path) -> None:
    by_hand = SECOND.format(name="pit-2", address="/dev/x").replace("race-to-the-flush", "holdem.co-hand")
    by_hand = by_hand.replace('"pit-2"', '"pit-2"\nsettle = false')
    shoe = 'name = "shoe"\nkind = "shoe"\ndialect = "angel-eye"\naddress = "tcp://10.0.0.7:4001"\n'
    shuffler = 'name = "shuffler"\nkind = "shuffler"\naddress = "tcp://10.0.0.7:4001"\n'
    assert shoe in by_hand
    found = load_configuration(written(tmp_path, more=by_hand.replace(shoe, shuffler)))
    assert {device.kind for device in found.table[1].device} == {"shuffler", "table-controller"}
    two = (
        shuffler + "[[table.device]]\n" + shuffler.replace('"shuffler"\nkind', '"other"\nkind').replace("4001", "4002")
    )
    assert "2 of kind 'shuffler'; at most one" in refusal(written(tmp_path, more=by_hand.replace(shoe, two)))


def test_several_tables_stand_in_one_file(tmp_path: Path) -> None:
    found = load_configuration(written(tmp_path, more=SECOND.format(name="pit-2", address="/dev/ttyUSB3")))
    assert [(part.name, len(part.device)) for part in found.table] == [("pit-1", 2), ("pit-2", 2)]


@pytest.mark.parametrize(
    ("before", "after", "line", "said"),
    [
        ("seats = 6", "seats = 9", 17, "table[1].seats: 9 seats; flushes-gone-wild.co is dealt to at most 8"),
        ("seats = 6", "seets = 6", 17, "table[1].seets: unknown key; allowed: name, procedure"),
        ("limit-cents = 10000", "limit-cents = 10001", 18, "table[1].limit-cents: limit of each bet 10001; allowed: 1"),
        (f"# {EDITION}", 'edition = "colorado-2021"', 20, "table[1].edition: no such edition"),
        (
            f"# {EDITION}",
            'edition = "south-dakota-2015"',
            20,
            "edition: south-dakota-2015 is for South Dakota; ",
        ),
        (f"# {EDITION}", "edition = 2021", 20, "table[1].edition: must be a text, not 2021"),
        ('"left"', '"up"', 23, "table[1].options.community-top-card: 'up' is not allowed; allowed: left, right"),
        ("meter = 1000000", "jackpot = 1", 29, "table[1].meters.jackpot: meter 'jackpot'; allowed: meter"),
        ('kind = "shuffler"', 'kind = "shoe"', 31, "table[1].device: 0 of kind 'shuffler'"),
        ("flushes-gone-wild.co", "flush", 16, "table[1].procedure: no such procedure; known: 208.co, "),
        (
            "[table.paytables]",
            '[table.paytables]\nplay = "x"',
            25,
            "paytables: pay table for bet 'play'; allowed: blind",
        ),
        ("[table.paytables]", '[table.readings]\nante = "x"', 26, "readings.ante: reading 'ante'; allowed: natural"),
        ("token-cents = 25", 'progressive = "no.toml"', 28, "meters: progressive and meters both set"),
        ('"pit-1"', '"pit 1"', 15, "table[1].name: must be a name of letters and digits, with"),
        ("token-cents = 25", "token-cents = 0", 19, "table[1].token-cents: must be greater than or equal to 1"),
        (
            "token-cents = 25",
            "least-confidence = 101",
            19,
            "least-confidence: must be less than or equal to",
        ),
        ("token-cents = 25", "awards = true", 19, "table[1].awards: awards need progressive"),
        ('role = "control"', 'dialect = "bee"', 35, "device[1].dialect: unknown dialect 'bee'"),
        ('role = "control"', 'role = "operate"', 35, "device[1].role: must be 'observe' or 'control'"),
        ('path = "journal.sqlite"', "path = 3", 6, "journal.path: the path of a file must be a string"),
    ],
)
def test_what_is_wrong_is_said_with_file_line_and_key(
    tmp_path: Path, before: str, after: str, line: int, said: str
) -> None:
    told = refusal(written(tmp_path, before, after))
    assert told.startswith(f"{tmp_path}/mine.toml:{line}: ")
    assert said in told


def test_a_single_table_is_written_as_one_of_several(tmp_path: Path) -> None:
    assert "[table] must be [[table]]" in refusal(written(tmp_path, "[[table]]", "[table]"))


def test_names_and_lines_stand_once(tmp_path: Path) -> None:
    assert "table 'pit-1' is defined twice" in refusal(
        written(tmp_path, more=SECOND.format(name="pit-1", address="/dev/x"))
    )
    taken = SECOND.format(name="pit-2", address="serial-id:A10KZW3X")
    assert "is already used by shuffler at pit-1" in refusal(written(tmp_path, more=taken))
    twice = refusal(written(tmp_path, 'name = "controller"', 'name = "shuffler"'))
    assert "device 'shuffler' is defined twice at table 'pit-1'" in twice


def test_nothing_is_asked_of_a_shoe_that_cannot_be_asked(tmp_path: Path) -> None:
    more = SECOND.format(name="pit-2", address="/dev/x").replace('"angel-eye"', '"angel-eye"\nrole = "control"')
    assert "a device that uses angel-eye takes no commands" in refusal(written(tmp_path, more=more))


def test_a_fault_in_a_file_that_is_named_names_that_file(tmp_path: Path) -> None:
    file = written(tmp_path, "[table.meters]\nmeter = 1000000", "XX")
    setup = tmp_path / "link.toml"
    setup.write_text(PROGRESSIVE.read_text().replace("seed-cents", "seed", 1))
    file.write_text(file.read_text().replace("XX", "").replace("seats = 6", 'seats = 6\nprogressive = "link.toml"'))
    told = refusal(file)
    assert told.startswith(f"{file}:18: table[1].progressive: {setup}:")


def test_one_setup_that_two_tables_name_by_two_spellings_is_one(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.toml").write_text(PROGRESSIVE.read_text())
    (tmp_path / "other.toml").write_text(PROGRESSIVE.read_text())
    found = load_configuration(EXAMPLE)

    def faults(*names: str) -> list[str]:
        tables = tuple(found.table[0].model_copy(update={"progressive": tmp_path / name}) for name in names)
        return [why for _, why in _meters(found.model_copy(update={"table": tables}), Banks())]

    assert faults("link.toml", "sub/../link.toml") == []
    assert f"is also defined in {tmp_path}/link.toml" in faults("link.toml", "other.toml")[0]


def test_a_setup_without_the_meter_of_the_pay_table_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, "[table.meters]\nmeter = 1000000", "")
    (tmp_path / "link.toml").write_text(PROGRESSIVE.read_text())
    file.write_text(file.read_text().replace("seats = 6", 'seats = 6\nprogressive = "link.toml"'))
    assert "table[1].progressive: meter that pay table" in refusal(file)


def test_tables_that_name_the_same_setup_share_its_meters(tmp_path: Path) -> None:
    text = EXAMPLE.read_text().replace("[table.meters]\nmeter = 1000000", "").replace(EDITION, "")
    text = text.replace("flushes-gone-wild.co", "flushes-gone-wild.wa").replace("limit-cents = 10000", "")
    text = text.replace('[table.options]\ncommunity-top-card = "left"', "")
    setup = f'progressive = "{PROGRESSIVE.as_posix()}"\ngame = "flushes-gone-wild.wa-link"\n'
    text = text.replace("seats = 6", setup).replace("[table.paytables]", '[table.paytables]\nprogressive = "WA-ML03"')
    second = text[text.index("[[table]]") :].replace("pit-1", "pit-2").replace("A10KZW3X", "B1").replace("0042", "43")
    file = tmp_path / "mine.toml"
    file.write_text(text + second)
    banks = Banks()
    parts = load_configuration(file).table
    assert banks.of(parts[0].progressive) is banks.of(parts[1].progressive)
    assert build_table(parts[0], banks, Table).meters


def test_a_misspelt_key_is_one_fault_with_what_was_meant(tmp_path: Path) -> None:
    file = written(tmp_path, 'address = "serial-id', 'adress = "serial-id')
    found, faults = examined(file)
    assert found is None
    (fault,) = faults
    assert "device[1].adress: unknown key; allowed: name, kind, address" in str(fault)
    _, faults = examined(written(tmp_path, "limit-cents", "zebra"))
    assert [fault.why.partition(";")[0] for fault in faults] == ["unknown key"]


def test_all_that_the_rules_refuse_is_found(tmp_path: Path) -> None:
    file = written(tmp_path, "limit-cents = 10000", "limit-cents = 10001")
    file.write_text(file.read_text().replace("meter = 1000000", "jackpot = 1").replace('"left"', '"up"'))
    _, faults = examined(file)
    assert [fault.key for fault in faults] == [
        "table[1].options.community-top-card",
        "table[1].limit-cents",
        "table[1].meters.jackpot",
    ]
