"""`dealwire check` and `dealwire games`: what a technician sees of a file, and what a program gets of all of them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealer_flow.games import files_of, paytable_files
from dealer_flow.procedure.load import known_procedures, load_procedure
from dealwire.cli import main
from rules.hands.poker import RANKINGS

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
TEXT = files_of("deal")["flushes-gone-wild.co"].read_text(encoding="utf-8")


def run(*arguments: str) -> tuple[int, list[str], list[str]]:
    done = CliRunner().invoke(main, arguments)
    return done.exit_code, done.stdout.splitlines(), done.stderr.splitlines()


def test_everything_that_comes_with_the_program_is_in_order() -> None:
    code, out, err = run("check", *known_procedures())
    assert (code, err) == (0, [])
    assert "flushes-gone-wild.co: a procedure, valid" in out
    assert "flushes-gone-wild.co: a game, valid" in out


def test_one_line_per_fault(tmp_path: Path) -> None:
    bad = tmp_path / "mine.toml"
    bad.write_text(TEXT.replace("most = 8", "most = 9").replace("[1, 2, 5]", "[1, 2, 6]"), encoding="utf-8")
    code, out, err = run("check", str(bad))
    assert (code, out) == (2, [])
    lines = [line.partition(" ")[0] for line in TEXT.splitlines()]
    step, seats = lines.index("positions") + 1, lines.index("[seats]") + 2
    assert err == [
        f"{bad}:{step}: step[3].positions: position 6 of a packet of 5; allowed: 1 to 5",
        f"{bad}:{seats}: seats.most: 9 seats need 55 cards and the deck has 52; at most 8",
    ]


def test_an_option_that_nothing_goes_by(tmp_path: Path) -> None:
    """One misspelt: the table would choose it, and nothing would change. Of a file below it is left out."""
    mine = tmp_path / "mine.toml"
    option = '[[option]]\nname = "dealer-cuont"\ndefault = "misdeal"\nallowed = ["misdeal"]\nreason = "r"\n'
    mine.write_text(
        'schema = "dealwire.procedure/2"\nbase = ["three-card.co"]\nid = "mine"\ntitle = "Mine"\n' + option,
        encoding="utf-8",
    )
    code, out, err = run("check", str(mine))
    assert (code, out) == (0, [f"{mine}: a procedure, valid"])
    assert err == [f"{mine}: warning: nothing in it uses its option 'dealer-cuont'"]


def test_as_json(tmp_path: Path) -> None:
    bad = tmp_path / "mine.toml"
    bad.write_text(TEXT.replace("cards = 52", "card = 52"), encoding="utf-8")
    code, out, err = run("check", "--json", str(bad), "race-to-the-flush")
    items = [json.loads(line) for line in out]
    assert (code, err) == (2, [])
    assert [(item["kind"], len(item["faults"])) for item in items] == [("procedure", 1), ("procedure", 0), ("game", 0)]
    assert "(did you mean 'cards'?)" in items[0]["faults"][0]


@pytest.mark.parametrize(
    ("content", "why"), [(b"a = = 1", "not TOML"), (b'a = "\xff"', "not UTF-8 text"), (b"", "schema: missing")]
)
def test_what_is_no_procedure_at_all(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "mine.toml").write_bytes(content)
    code, _, err = run("check", str(tmp_path / "mine.toml"))
    assert code == 2
    assert why in "\n".join(err)
    assert run("check", str(tmp_path / "absent.toml"))[0] == 2


def test_a_game_is_told_by_its_schema(tmp_path: Path) -> None:
    text = files_of("pays")["race-to-the-flush"].read_text(encoding="utf-8")
    (tmp_path / "mine.toml").write_text(text.replace("bets]]", "bet]]", 1), encoding="utf-8")
    code, out, err = run("check", "--json", str(tmp_path / "mine.toml"))
    assert (code, err) == (2, [])
    assert json.loads(out[0])["kind"] == "game"


def test_every_procedure_as_data() -> None:
    code, out, _ = run("games", "--json")
    items = {item["id"]: item for item in map(json.loads, out)}
    assert (code, set(items)) == (0, set(known_procedures()))
    colorado = items["flushes-gone-wild.co"]
    assert colorado["cards"] == {"loaded": 52, "dealt": 50, "by_hand": 0, "remainder": 2, "exact": None}
    assert [(packet["to"], packet["cards"]) for packet in colorado["packets"]] == [
        ("community", 5),
        ("seats", 5),
        ("dealer", 5),
    ]
    assert {"47.1-1036", "47.1-1017.60(6)"} <= set(colorado["clauses"])
    for name, item in items.items():
        assert item["sha256"] == load_procedure(name).ref().sha256
        assert item["cards"]["dealt"] <= item["cards"]["loaded"]
        assert item["clauses"]
    assert items["race-to-the-flush"]["device"] == "card-shoe"


def test_a_table_of_games_and_one_file() -> None:
    code, out, _ = run("games", "flushes-gone-wild.co")
    assert (code, len(out)) == (0, 2)
    assert "5 to the community, 5 to each seat, 5 to the dealer" in out[1]
    assert run("games", "--verbose")[1][: len(out)] != run("games")[1][: len(out)]
    assert any(line.split() == ["flushes-gone-wild.co", "Flushes", "Gone", "Wild"] for line in run("games")[1])
    assert run("games", "no-such-game")[0] == 2


DATA = RANKINGS.parent
PARTS = {
    "pay table": sorted(paytable_files().values()),
    "ranking": sorted((DATA / "rankings").glob("*.toml")),
    "house way": sorted((DATA / "houseways").glob("*.toml")),
    "keep": sorted((DATA / "keeps").glob("*.toml")),
    "progressive": [EXAMPLES / "progressive-ml03.toml"],
    "strategy": [EXAMPLES / f"{name}.toml" for name in ("caribbean", "let-it-ride", "q-6-4", "ultimate")],
}


@pytest.mark.parametrize("kind", PARTS)
def test_what_a_game_stands_on_is_in_order(kind: str) -> None:
    code, out, err = run("check", *map(str, PARTS[kind]))
    assert (code, err) == (0, [])
    assert out == [f"{path}: a {kind}, valid" for path in PARTS[kind]]


@pytest.mark.parametrize(
    ("kind", "was", "becomes", "line"),
    [
        ("pay table", 'schema = "dealwire.paytable/1"', 'schema = "dealwire.paytable/2"', "schema: must be "),
        ("ranking", "uses = 3", "uses = 8", "uses: 8 cards make a hand, and it takes at most 3"),
        ("house way", "clause = ", "clauses = ", "(did you mean 'clause'?)"),
        ("keep", "kept = ", "keeps = ", "(did you mean 'kept'?)"),
        ("progressive", 'contribution = "8 %"', 'contribution = "8"', "contribution: "),
        ("strategy", 'choose = "play"', 'choose = "paly"', "choose: no choice 'paly'; allowed: fold, play"),
        ("strategy", '"three-card.co"', '"three-card"', "game: 'three-card' is not a known game; "),
    ],
)
def test_what_is_wrong_with_it_is_a_line_of_the_file(
    tmp_path: Path, kind: str, was: str, becomes: str, line: str
) -> None:
    (path,) = [each for each in PARTS[kind] if was in each.read_text(encoding="utf-8")][:1]
    bad = tmp_path / path.name
    bad.write_text(path.read_text(encoding="utf-8").replace(was, becomes, 1), encoding="utf-8")
    code, out, err = run("check", str(bad))
    assert (code, out) == (2, [])
    assert err[0].startswith(f"{bad}:")
    assert line in err[0]


def test_the_tables_of_a_service_are_checked_without_what_serving_them_needs() -> None:
    path = EXAMPLES / "table.toml"
    assert run("check", str(path)) == (0, [f"{path}: a table, valid"], [])
