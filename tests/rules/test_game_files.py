"""Game and pay table files: they match the printed rule, and an invalid file is reported in one line."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from dealer_flow.games import files_of
from rules import TomlFileError, game_ids, load_game
from rules.game.load import game_id_of, load_game_of
from rules.game.readings import READINGS
from rules.paytables.paytable import Pay, flatten, parse_pay
from tests.support.reading.game_files import flat_games

GAME = load_game("flushes-gone-wild.co")


def pays(table: str) -> list[tuple[str, str]]:
    return [(row.when, row.pays.text) for row in GAME.paytables[table].rows]


def test_the_blind_table_as_printed() -> None:
    assert pays("FGW-BLIND") == [
        ("5 or more", "200 to 1"),
        ("4", "25 to 1"),
        ("3", "5 to 1"),
        ("2", "3 to 1"),
        ("0 or 1", "push"),
    ]


@pytest.mark.parametrize(("table", "royal", "straight_flush"), [("FGWP-01", 1000, 300), ("FGWP-02", 5000, 1500)])
def test_the_progressive_tables_as_printed(table: str, royal: int, straight_flush: int) -> None:
    assert pays(table) == [
        ("royal flush", "100 % of meter"),
        ("straight flush", "10 % of meter"),
        ("four of a kind", "300 for 1"),
        ("full house", "50 for 1"),
        ("flush", "40 for 1"),
        ("straight", "30 for 1"),
        ("three of a kind", "9 for 1"),
    ]
    envy = [row.envy_cents for row in GAME.paytables[table].rows]
    assert envy == [100 * royal, 100 * straight_flush, 0, 0, 0, 0, 0]


def test_every_row_and_every_bet_cites_its_clause() -> None:
    clause = re.compile(r"47\.1-10\d\d(\.60( progressive )?\(\d+\))?")
    for table in GAME.paytables.values():
        assert all(clause.match(row.clause) for row in table.rows)
    for bet in GAME.spec.bets:
        assert all(clause.match(text) for text in (bet.clauses.win, bet.clauses.lose, bet.clauses.fold))


def test_the_hash_follows_the_content_and_not_the_layout(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    assert load_game(copy).sha256 == GAME.sha256
    copy.write_text(copy.read_text() + "\n# a remark\n")
    assert load_game(copy).sha256 == GAME.sha256
    table = tmp_path / "paytables" / "FGW-01.toml"
    table.write_text(table.read_text().replace("pays = 250", "pays = 251"))
    assert load_game(copy).sha256 != GAME.sha256


@pytest.mark.parametrize(
    ("written", "pay"),
    [
        (6, Pay("bare", Fraction(6))),
        ("3 to 2", Pay("to", Fraction(3, 2))),
        ("1,000 to 1", Pay("to", Fraction(1000))),
        ("30 for 1", Pay("for", Fraction(30))),
        ("10 % of meter", Pay("percent", Fraction(1, 10), "meter")),
        ("push", Pay("push", Fraction(0))),
    ],
)
def test_pays(written: object, pay: Pay) -> None:
    assert parse_pay(written) == pay


@pytest.mark.parametrize("written", [0, -1, True, 1.5, "6", "6 to 0", "0 % of meter", "101 % of meter", "30 per 1", ""])
def test_what_is_no_pay(written: object) -> None:
    with pytest.raises(ValueError, match="not a pay; allowed: an integer"):
        parse_pay(written)


@pytest.mark.parametrize("table", ["FGW-01", "FGW-02", "FGW-03", "FGW-04", "FGWP-01", "FGWP-02"])
def test_the_best_row_is_found_in_whatever_order_a_table_is_printed(table: str) -> None:
    printed = GAME.paytables[table]
    reversed_rows = flatten(printed.model_copy(update={"rows": printed.rows[::-1]}))
    assert reversed_rows == flatten(printed)


def copied(folder: Path) -> Path:
    flat_games(folder)
    return folder / "flushes-gone-wild.co.toml"


def fault_of(path: Path) -> str:
    with pytest.raises(TomlFileError) as caught:
        load_game(path)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence.removeprefix(f"{path.parent}/").removeprefix("paytables/")


def line_with(path: Path, text: str) -> int:
    return next(number for number, line in enumerate(path.read_text().splitlines(), 1) if text in line)


NOT_CARDS = "hands.player.of.own: not a number of cards; allowed: 1 to 9, or [least, most]"
FAULTS = [
    (
        "[hands.player]",
        "[hands.player]\nwild = 2",
        "wild = 2",
        "hands.player.wild: unknown key; allowed: ranking, of, at, part, whole, keeps, fill, takes, any-card, pick, "
        "draw, ranking-when, clause",
    ),
    ("own = 5", 'own = "5"', 'own = "5"', NOT_CARDS),
    ("own = 5", "own = -1", "own = -1", NOT_CARDS),
    ("of = { own = 5, community = 2 }\n", "", "[hands.player]", "hands.player.of: missing"),
    ("own = 5", "own = 8", "own = 8", "hands.player.of: 10 cards; allowed for longest-flush: 1 to 9"),
    (
        'ranking = "longest-flush"',
        'ranking = "highest-card"',
        "highest-card",
        "hands.player.ranking: unknown ranking 'highest-card'; allowed: ",
    ),
    (
        'kind = "table"',
        'kind = "side"',
        'kind = "side"',
        "bets[4].kind: no such kind: 'side'; allowed: against, fee, margin, pot, progressive, proposition, race",
    ),
    (
        "[readings.natural]",
        "[readings.nature]",
        "[readings.nature]",
        f"readings.nature: unknown reading; allowed: {', '.join(READINGS)}",
    ),
    (
        'default = "own-suit"',
        'default = "any"',
        'default = "any"',
        "readings.natural.default: unknown option 'any'; allowed: own-suit, no-deuce",
    ),
    (
        'fold = "47.1-1017.60(7)"',
        'fold = "47.1-1017.60(7)"\npush = ""',
        'push = ""',
        "bets[3].clauses.push: unknown key; allowed: win, lose, fold, tie, unqualified, envy, below",
    ),
    ('name = "play"', 'name = "ante"', None, "bets[3].name: bet 'ante' appears twice"),
    (
        'paytables = ["FGWP-01", "FGWP-02"]',
        'paytables = ["FGW-01"]',
        '["FGW-01"]',
        "bets[5].paytables: FGW-01 is a longest-flush table; a progressive bet on own needs a five-card table",
    ),
    (
        'paytables = ["FGW-BLIND"]',
        'paytables = ["FGW-09"]',
        "FGW-09",
        "bets[2].paytables: no pay table 'FGW-09' in this file, in paytables/ or in the package; they have FGW-0",
    ),
    ('paytables = ["FGW-BLIND"]\n', "", None, "bets[2]: bet 'blind' of kind margin needs paytables and no pays"),
    ('pays = "1 to 1"\n', "", "[[bets]]", "bets[1]: bet 'ante' against a hand needs either pays"),
]


@pytest.mark.parametrize(("before", "after", "marker", "sentence"), FAULTS)
def test_a_wrong_game_file_names_line_key_and_what_is_allowed(
    tmp_path: Path, before: str, after: str, marker: str | None, sentence: str
) -> None:
    path = copied(tmp_path)
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    found = fault_of(path)
    assert sentence in found
    assert found.startswith(f"flushes-gone-wild.co.toml:{line_with(path, marker) if marker else ''}")


@pytest.mark.parametrize(
    ("game", "before", "after", "sentence"),
    [
        (
            "flushes-gone-wild.co",
            'kind = "table"',
            'kind = "race"\nrows = ["5 cards"]',
            "a bet of kind race needs a [race]",
        ),
        (
            "race-to-the-flush",
            'kind = "race"\npaytables = ["RTF-INSIDE"]\nrows = ["5 cards"]',
            'kind = "margin"\npaytables = ["RTF-INSIDE"]',
            "a bet of kind margin needs a [hands.NAME]",
        ),
    ],
)
def test_a_bet_of_another_kind_of_game(tmp_path: Path, game: str, before: str, after: str, sentence: str) -> None:
    path = copied(tmp_path).with_name(f"{game}.toml")
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after, 1))
    assert fault_of(path).endswith(f".kind: {sentence}")


BY_TABLE = "'win' is paid by no row of a table, and the bet has no pays; allowed: "
CS, B5, HIGH = "caribbean-stud.co", "boston-5.co", "high-five.co"
BET, BONUS, PLAY = 'paytables = ["CS-BET"]', 'paytables = ["B5-ANTE"]', 'name = "play"\nkind = "against"'
UNQUALIFIED = 'unqualified = { then = "push" }'
AT_SETTLEMENT = [
    (CS, BET, f'{BET}\ntie = "win"', "tie: " + BY_TABLE + "push, lose"),
    (CS, UNQUALIFIED, 'unqualified = { then = "win" }', "unqualified.then: " + BY_TABLE + "push, acts"),
    (
        CS,
        UNQUALIFIED,
        'unqualified = { then = "push", unless = [{ at-least = "AS KS", then = "win", clause = "c" }] }',
        "unqualified.unless[1].then: " + BY_TABLE,
    ),
    (
        B5,
        BONUS,
        BONUS
        + '\nties = [{ row = "pair", then = "push", clause = "c" }, { row = "flush", then = "win", clause = "c" }]',
        "ties[2].then: " + BY_TABLE + "push, lose",
    ),
    (B5, BONUS, f'{BONUS}\none-colour = {{ then = "win", clause = "c" }}', "one-colour.then: " + BY_TABLE),
    (HIGH, PLAY, f'{PLAY}\nties = [{{ row = "six pair", then = "push", clause = "c" }}]', "ties[1].row: 'six pair' is"),
    (
        HIGH,
        'at-least = "AS 2D 3C 4H 5S"',
        'at-least = "AS 2D 3C 4H ZZ"',
        "unqualified.unless[1].at-least: not a card: 'ZZ'",
    ),
    (
        "crazy-4.co",
        'above = "ante", at-least = "AS AH 3D 2C"',
        'above = "ante", at-least = "AS AS 3D 2C"',
        "raised.at-least: a card appears twice",
    ),
    (
        "pai-gow.co",
        'kind = "split"\npays = "1 to 1"\n',
        'kind = "split"\n',
        "set in two needs pays = 'A to B' and no paytables",
    ),
    (
        "pai-gow.co",
        'pays = "1 to 1"\nhand = "high"',
        'pays = "3 for 1"\nhand = "high"',
        "set in two needs pays = 'A to B'",
    ),
    (
        "texas-shootout.co",
        "of = { dealer = 4, community = 5 }\nkeeps",
        "of = { dealer = 3, community = 5 }\nkeeps",
        "hands.dealer.of.dealer: 3 cards, and texas-shootout keeps some of 4; allowed: 4",
    ),
]


@pytest.mark.parametrize(("game", "before", "after", "sentence"), AT_SETTLEMENT)
def test_what_no_round_could_be_settled_by_is_found_when_the_file_is_read(
    tmp_path: Path, game: str, before: str, after: str, sentence: str
) -> None:
    path = copied(tmp_path).with_name(f"{game}.toml")
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after, 1))
    assert sentence in fault_of(path)


def test_a_game_of_neither_hand_nor_race(tmp_path: Path) -> None:
    path = copied(tmp_path)
    before, _, rest = path.read_text().partition("[hands.player]\n")
    path.write_text(before + rest[rest.index("\n[[order") :])
    last = len(path.read_text().splitlines())
    assert fault_of(path) == f"flushes-gone-wild.co.toml:{last}: hands: give either [hands.NAME] or [race]"


def test_a_race_longer_than_any_row_can_speak_of(tmp_path: Path) -> None:
    path = copied(tmp_path).with_name("race-to-the-flush.toml")
    path.write_text(path.read_text().replace('procedures = ["race-to-the-flush"]', 'procedures = ["mine"]'))
    deal = files_of("deal")["race-to-the-flush"].read_text().replace('id = "race-to-the-flush"', 'id = "mine"')
    path.with_name("mine.toml").write_text(
        deal.replace("cards = 16", "cards = 33").replace("cards = 5\n", "cards = 10\n")
    )
    where = f"race-to-the-flush.toml:{line_with(path, '[race]')}"
    assert fault_of(path) == f"{where}: race.most: must be less than or equal to 32, not 33"


TABLE_FAULTS = [
    (
        "pays = 100,",
        "pays = 0,",
        "rows[2].pays: not a pay; allowed: an integer, 'A to B', 'A for B', 'A for B from METER'",
    ),
    (
        "7-card wild",
        "7 wild",
        "rows[2].when: '7 wild flush' is not for a longest-flush table; allowed: 'N-card natural",
    ),
    ("7-card wild", "5-card natural", "rows[5].when: '5-card natural flush' appears twice"),
    ('bare = "to"', "", "rows[1].pays: a bare number needs a unit: bare = 'to' or 'for'"),
    ("pays = 100,", "pays = 100, payz = 1,", "rows[2].payz: unknown key; allowed: when, pays, clause, envy-cents"),
    ('id = "FGW-01"', 'id = "FGW-11"', "id: is 'FGW-11'; the file's name requires 'FGW-01'"),
]


@pytest.mark.parametrize(("before", "after", "sentence"), TABLE_FAULTS)
def test_a_wrong_pay_table_is_named(tmp_path: Path, before: str, after: str, sentence: str) -> None:
    path = copied(tmp_path)
    table = tmp_path / "paytables" / "FGW-01.toml"
    assert before in table.read_text()
    table.write_text(table.read_text().replace(before, after, 1))
    found = fault_of(path)
    row = re.match(r"rows\[(\d)\]", sentence)
    line = line_with(table, "rows = [") + int(row[1]) if row else 2
    assert found.startswith(f"FGW-01.toml:{line}: {sentence}")


def test_a_margin_table_with_a_hole(tmp_path: Path) -> None:
    path = copied(tmp_path)
    table = tmp_path / "paytables" / "FGW-BLIND.toml"
    table.write_text(table.read_text().replace('when = "3"', 'when = "2 or 9"'))
    assert "rows: no row for a win by 3; a margin table needs a row for every win" in fault_of(path)


def test_what_is_no_toml_or_no_text_or_not_there(tmp_path: Path) -> None:
    path = copied(tmp_path)
    path.write_text('schema = "dealwire.game/1"\nid = \n')
    assert fault_of(path).startswith("flushes-gone-wild.co.toml:2: not TOML: Invalid value")
    path.write_bytes(b"\xff\xfe")
    assert fault_of(path) == "flushes-gone-wild.co.toml: not UTF-8 text at byte 0"
    assert fault_of(tmp_path / "none.toml") == "none.toml: cannot be read: No such file or directory"


def test_an_unknown_id_lists_the_games() -> None:
    assert "flushes-gone-wild.co" in game_ids()
    with pytest.raises(TomlFileError, match=r"no such game; allowed: 208\.co, .* and \d+ more"):
        load_game("go-fish")


def test_a_procedure_finds_the_game_that_settles_it() -> None:
    """The game with the procedure's own id if there is one, and never one that does not list it."""
    for game in game_ids():
        for procedure in load_game(game).spec.procedures:
            found = game_id_of(procedure)
            assert found == procedure or (found is not None and procedure not in game_ids())
            assert procedure in load_game_of(procedure).spec.procedures
    assert game_id_of("flushes-gone-wild.co-single") == "flushes-gone-wild.co"
    assert game_id_of("flushes-gone-wild.wa") == "flushes-gone-wild.wa"  # not the link's, which lists it too
    assert game_id_of("go-fish.co") is None
    with pytest.raises(
        TomlFileError, match=r"^go-fish\.co: no such game, and no game that settles it; allowed: .*-single"
    ):
        load_game_of("go-fish.co")
