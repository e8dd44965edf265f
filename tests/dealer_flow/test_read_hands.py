"""Hands that a second reader dealt from the texts alone, played by the program.

`tests/support/reading/read_hands.py` reads them.
"""

from typing import Final

import pytest

from dealer_flow.procedure.load import known_procedures
from tests.support.reading.read_hands import FOLDER, ReadRound, outcome, played, read_rounds

ROUNDS: Final = read_rounds()


@pytest.mark.parametrize(
    "round_",
    [
        pytest.param(each, marks=pytest.mark.xfail(reason=each.differs, strict=True) if each.differs else ())
        for each in ROUNDS
    ],
    ids=str,
)
def test_a_hand_ends_as_it_was_read(round_: ReadRound) -> None:
    table, result = played(round_)
    assert outcome(table, result, round_.expect) == round_.expect


def test_every_file_is_of_a_game() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} <= set(known_procedures())


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_a_hand_stands_once(path: object) -> None:
    titles = [each.title for each in ROUNDS if each.game == getattr(path, "stem", "")]
    assert len(titles) == len(set(titles))
