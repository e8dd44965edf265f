"""Every generated file is printed by `make docs`, and is in the tree as it would be printed now."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest

from docs._print import DOCS, odds, procedure_count
from docs._print.__main__ import PARTS, main
from docs._print.everything import PRINTED
from rules.game.load import load_game
from rules.odds import Question
from rules.odds.kept import KeptOdds

ROOT = DOCS.parent
MARKED = re.compile(
    r"<!-- printed by make docs -->|^(?:[/#*-]+|\.\\.) [Pp]rinted (by|from) |<!-- generated", re.MULTILINE
)
"""Mark of a file that is printed, in part or whole; JSON has room for none."""
LOOKED_AT = ("docs/**/*.md", "docs/**/*.svg", "docs/**/*.ksy", "dealwire/**/*.lua", "firmware/**/*.h", "share/*/*/*")


@cache
def printed() -> dict[str, str]:
    """Return every printed file and its text, except the counted odds in `docs/odds`, whose own tests count some."""
    found: dict[str, str] = {}
    for page in PRINTED:
        found |= page.pages() if page is not odds else {}
    return {(DOCS / path).resolve().relative_to(ROOT).as_posix(): text for path, text in found.items()}


def generated() -> Iterator[Path]:
    """Yield the files that say that they are printed, and all JSON in the documentation."""
    yield from DOCS.rglob("*.json")
    for pattern in LOOKED_AT:
        yield from (path for path in ROOT.glob(pattern) if MARKED.search(path.read_text(encoding="utf-8")))


def test_make_docs_prints_what_is_generated_and_nothing_else() -> None:
    counted = {
        (DOCS / path).resolve().relative_to(ROOT).as_posix() for path in procedure_count.pages()
    }  # a number in an essay
    odds_of = {path.relative_to(ROOT).as_posix() for path in (DOCS / odds.FOLDER).iterdir()}
    assert {path.relative_to(ROOT).as_posix() for path in generated()} | counted == {*printed()} | odds_of
    assert "firmware/include/tdp_numbers.h" in printed()


def test_each_is_as_it_would_be_printed_now() -> None:
    stale = [path for path, text in printed().items() if (ROOT / path).read_text(encoding="utf-8") != text]
    assert not stale, "run `make docs`"


def test_the_odds_of_a_game_are_printed_as_they_were_kept(tmp_path: Path) -> None:
    question = Question(load_game("race-to-the-flush"), kept=KeptOdds(tmp_path))
    first = odds.part(question)
    (kept,) = (tmp_path / "page").iterdir()
    kept.write_bytes(kept.read_bytes().replace(b"race-to-the-flush", b"kept"))
    again = odds.part(question)
    assert again != first
    assert again.findings == first.findings
    assert {row[0] for row in again.times} == {"kept"}
    kept.write_bytes(b"torn")
    assert odds.part(question) == first
    assert "red" in {row[0] for row in first.tables[0].rows}
    assert msgspec.json.decode(odds.as_json(first), type=odds.Part) == first
    assert first == msgspec.structs.replace(odds.kept_part("race-to-the-flush"), times=first.times)
    assert len(first.times) == len(question.game.bets)


def test_a_game_of_which_nothing_is_counted_says_why_unless_players_bet_against_each_other(tmp_path: Path) -> None:
    kept = KeptOdds(tmp_path)
    pai_gow, longhorn, holdem = (
        odds.part(Question(load_game(game), kept=kept)) for game in ("pai-gow.co", "longhorn.co", "holdem.co")
    )
    wager = pai_gow.tables[-1].rows[0]
    assert wager[:2] == ("wager", "126,899,790,580,189,719,892,800")
    assert wager[2].startswith("a hand of seven may be set in up to 21 ways")
    assert "bonus" in {row[0] for each in longhorn.tables for row in each.rows}
    assert holdem.tables == ()
    assert pai_gow.times == longhorn.times == holdem.times == ()


def test_help_says_what_there_is_and_prints_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["--help"], tmp_path)
    said = capsys.readouterr().out
    assert [name for name in PARTS if f"\n  {name} " not in said] == []
    assert [*tmp_path.iterdir()] == []


def test_the_parts_that_are_named_are_printed_and_no_other(tmp_path: Path) -> None:
    main(["clauses", "registry"], tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"clauses.md", "protocol-governance.md"}
    assert all((DOCS / path.name).read_bytes() == path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["clauses", "oddss"], "no part 'oddss' (did you mean odds?)"),
        (["xyzzy"], "no part 'xyzzy'; parts: protocol, protocol_data, "),
        (["--all"], "unrecognized arguments: --all"),
    ],
)
def test_what_is_no_part_is_one_line_and_nothing_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: list[str], said: str
) -> None:
    with pytest.raises(SystemExit, match=r"^2$"):
        main(given, tmp_path)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"python -m docs._print: {said}")
    assert line.endswith("; see python -m docs._print --help")
    assert [*tmp_path.iterdir()] == []
