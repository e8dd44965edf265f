"""Rounds that readers of the regulation worked out on paper: every bet of every seat ends as the text says."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from rules import game_ids
from rules.settlement import SettlementLine
from tests.support.reading.each import of_each
from tests.support.reading.paper import Paper, PaperCase, expected, outcomes, paper_cases, paper_games


def worked() -> Iterator[tuple[str, PaperCase]]:
    return ((game, case) for game in paper_games() if game in game_ids() for case in paper_cases(game))


# ------------------------------------------------------------------ the sentences

_RANKS = ["deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"]
_OTHERS = """
royal straight flush full house of a kind two pair pairs high low card natural connected and over in with or better
suited unsuited connectors cards identical wild match mini community first joker on the deal dealer's ace-king
king-queen ace-king-queen [2-9]-card [2-9]s 10s to 10-10 [2-9TJQKA]-[2-9TJQKA] [0-9]+
"""
_WORDS = (*_RANKS, *(f"{word}es" if word == "six" else f"{word}s" for word in _RANKS), *_OTHERS.split())
CARD = r"(?:[2-9TJQKA][CDHS]|X[123])"
CARDS = rf"{CARD}(?: {CARD})*"
SHOWN = rf"\((?:{CARDS}|[2-9TJQKA ]+)\)"
HAND = rf"(?:(?:{'|'.join(_WORDS)})(?:, | |(?=[ ,:(]|$)))+(?: ?{SHOWN})?"
"""A hand in words, and its cards or ranks if given."""
MONEY = r"\$[\d,]+(?:\.\d\d)?"
SHARE = r"\d+ % of [\w-]+(?: and [\d,]+ for 1)?"
PAY = rf"(?:[\d,]+ (?:to|for) \d+|{MONEY}(?: and the stake)?|{SHARE}|[\d,]+ for 1 from meter)"
PART = "(?:high|low) (?:won|lost|pushed), (?:high|low) (?:won|lost|pushed)"
OWN = rf"own (?:(?:two|three|five|seven) cards|and [\w -]+ cards) make (?:a )?{HAND}"
DEALERS = rf"{HAND} ?(?:beats|ties|loses to) dealer's {HAND}(?: ?on the kickers)?"
HALF = rf"{HAND} ?(?:beats the dealer's|loses to the dealer's|is a copy of the dealer's)(?: {HAND}| {SHOWN})?"
POINTS = r"\d+ points (?:beat|lose to|tie) the (?:gold|silver) hand's \d+ points"
QUALIFIES = rf"the dealer does not qualify with (?:a )?{HAND}"
ON = rf"on (?:[a-z-]+|over-7|under-7|(?:card|rank|suit):\w+), (?:{HAND}|{CARD})"
BOTH = rf"{DEALERS}|low {HALF}, high {HALF}|{POINTS}|{PART}|{ON}|{OWN}"
WON = rf"{BOTH}|{HAND}, regardless of the dealer's hand|{HAND} ?in {CARDS}|{QUALIFIES}"
LOST = (
    rf"{BOTH}|(?:the dealer's )?{HAND} ?has no row in [A-Z\d-]+|folded|the hand was not declared|the fee is collected"
    rf"|{HAND}: the pot of {MONEY} goes to seat \d(?: and seat \d)*"
    rf"|{HAND} ?in the (?:low|high) hand above {HAND}, a foul hand"
)
TIED = rf"{BOTH}|{DEALERS},? ?all (?:red|black)|{HAND} ?in {CARDS}|{QUALIFIES}"
AFTER = (
    rf"(?:, less [\d.]+ % commission: {MONEY} \([\w(), .-]+\)|, the stake is lost| on its half|, which shows {MONEY})?"
)
OPEN = "or the reverse: the regulation does not say how these hands rank"
SENTENCES = {
    result: re.compile("|".join(each))
    for result, each in {
        "win": (
            rf"(?:{WON}): BET pays {PAY}{AFTER}",
            rf"envy for the {HAND} ?of seat \d+: {MONEY}(?: for each {MONEY} of the wager)?",
            rf"{HAND}: {MONEY} of the pot of {MONEY}",
        ),
        "lose": (rf"(?:{LOST}): BET loses(?: its half)?",),
        "push": (rf"(?:{TIED}): BET pushes", rf"{HAND}: an equal share of the pot of {MONEY}: BET comes back"),
        "returned": ("no card was dealt for it: BET is pushed back", r"\d of at least 2 made the bet: BET comes back"),
        "held": (
            "the regulation does not say what wins it",
            rf"{OWN}: BET pays {PAY}, but the seed to which it was reset was not given",
            rf"the dealer has less than (?:a )?{HAND}, and whether {HAND} ?is then paid double is undecided",
            rf"{DEALERS}, {OPEN}",
        ),
    }.items()
}
"""Sentences that a line may have: its facts, and then the result of the bet, by result."""
ENDS = re.compile(r": (\S+)(?= (?:pays|pushes|loses|is pushed|comes back))")


def reads_well(line: SettlementLine) -> bool:
    """Return True if the line's sentence is one of these, about its own bet."""
    named = ENDS.search(line.why or "")
    if named is not None and named[1] != line.bet:
        return False
    return SENTENCES[line.result].fullmatch(ENDS.sub(": BET", line.why or "")) is not None


@of_each("game, case", worked, ids=lambda case: f"{case[0]}: {case[1]['name']}", shares=6)
def test_every_bet_ends_as_the_text_has_it(game: str, case: dict[str, Any]) -> None:
    settlement = Paper(game, case).settle()
    for seat in case["seat"]:
        assert outcomes(settlement, seat["seat"]) == expected(seat), f"seat {seat['seat']}: {seat.get('note', '')}"
    for line in settlement.lines:
        assert reads_well(line), f"{line.result} {line.bet}: {line.why}"
    assert settlement.totals.players + settlement.totals.house + settlement.totals.meters == 0


@pytest.mark.parametrize("game", [game for game in paper_games() if game in game_ids()])
def test_at_least_twelve_settlements_of_each_game(game: str) -> None:
    cases = paper_cases(game)
    assert len({case["name"] for case in cases}) == len(cases) >= 12
    assert all(case["clause"] for case in cases)
