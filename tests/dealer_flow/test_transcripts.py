"""Whole tables: every incident by its code and facts, the table in each state, and the end of the round.

The transcripts are in `transcripts/`, checked by hand against the clauses and `docs/`. `python -m
tests.dealer_flow.test_transcripts` prints them again after an intended change, to be read line by line.
"""

from pathlib import Path

from tests.dealer_flow.test_decks import AGED
from tests.dealer_flow.test_declared_hands import EXPOSED, TURNS
from tests.dealer_flow.test_step_games import CHOICES, DRAW, HOLDEM, LET_IT_RIDE, NAMED, PAI_GOW, STUD
from tests.support.dealing.number_games import DICE, SET
from tests.support.dealing.transcript_games import (
    BURN_THEN_DEAL,
    BY_HAND,
    DRAW_THEN_BURN,
    DRAW_THEN_CHOOSE,
    EXACT,
    PROPOSITIONS,
    RETURNS,
    SEATS_FIRST,
    SHOE_RETURNS,
    SHOW_THEN_BURN,
    SHOWS,
    TWO_BURNS,
)
from tests.support.reading.each import of_each
from tests.support.reading.transcripts import Transcript, played, reprint, transcripts

FOLDER = Path(__file__).parent / "transcripts"
GAMES = {
    "turns": TURNS,
    "exposed": EXPOSED,
    "aged": AGED,
    "burn-then-deal": BURN_THEN_DEAL,
    "by-hand": BY_HAND,
    "choices": CHOICES,
    "dice": DICE,
    "draw": DRAW,
    "draw-then-burn": DRAW_THEN_BURN,
    "draw-then-choose": DRAW_THEN_CHOOSE,
    "exact": EXACT,
    "holdem": HOLDEM,
    "let-it-ride": LET_IT_RIDE,
    "named": NAMED,
    "pai-gow": PAI_GOW,
    "propositions": PROPOSITIONS,
    "returns": RETURNS,
    "seats-first": SEATS_FIRST,
    "set": SET,
    "shoe-returns": SHOE_RETURNS,
    "show-then-burn": SHOW_THEN_BURN,
    "shows": SHOWS,
    "stud": STUD,
    "two-burns": TWO_BURNS,
}
"""The small games of the other tests, and those of `transcript_games`."""


@of_each("transcript", [each for path in sorted(FOLDER.glob("*.txt")) for each in transcripts(path)], ids=str, shares=8)
def test_what_comes_of_it(transcript: Transcript) -> None:
    assert played(transcript, GAMES) == list(transcript.lines)


if __name__ == "__main__":
    for each in sorted(FOLDER.glob("*.txt")):
        reprint(each, GAMES)
