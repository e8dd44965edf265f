"""Hands that a second reader dealt from the texts alone, played by the program.

`tests/support/reading/read_hands.py` reads them.
"""

from pathlib import Path
from typing import Final

import pytest

from dealer_flow.procedure.load import known_procedures
from tests.support.reading.each import of_each
from tests.support.reading.read_hands import FOLDER, ReadRound, outcome, played_hand, read_rounds

ROUNDS: Final = read_rounds()


@pytest.mark.every(3)
@of_each("round_", [each for each in ROUNDS if not each.differs], ids=str, shares=12)
def test_a_hand_ends_as_it_was_read(round_: ReadRound) -> None:
    table, result = played_hand(round_)
    assert outcome(table, result, round_.expect) == round_.expect


@of_each("round_", [each for each in ROUNDS if each.differs], ids=str)
def test_a_hand_of_which_we_know_that_it_differs_still_does(round_: ReadRound) -> None:
    """Its `differs` says why."""
    table, result = played_hand(round_)
    assert outcome(table, result, round_.expect) != round_.expect


def test_the_page_of_known_limits_names_each_of_them() -> None:
    page = (Path(__file__).parents[2] / "docs" / "known-limits.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    told = {(row.split("`")[1], row.split("|")[2].split(":")[0].strip()) for row in rows}
    assert told == {(each.game, each.title.split(".")[0]) for each in ROUNDS if each.differs}


def test_every_file_is_of_a_game() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} <= set(known_procedures())


@of_each("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_a_hand_stands_once(path: object) -> None:
    titles = [each.title for each in ROUNDS if each.game == getattr(path, "stem", "")]
    assert len(titles) == len(set(titles))
