"""Rounds in which it is uncertain whether a hand folded: it is recorded as played, and the bet for playing is missing.

The bets that a fold gives up are held, with the tips on them. Any other bet has the same result whether the hand was
played or folded. Amounts that the hand may earn others are held with it.
"""

import copy
import random
from collections.abc import Iterator
from typing import Any, Final

from tests.oracle import settling
from tests.oracle.deal import Round
from tests.oracle.settling import HELD, Lines

BY_PLAYING: Final = {"three-card.co": "play", "caribbean-stud.co": "bet", "crazy-4.co": "play"}
"""The bet that a hand makes instead of folding, by game."""
GIVEN_UP: Final = {
    "three-card.co": {"ante", "pair-plus"},  # 47.1-1017.24(8)
    "caribbean-stud.co": {"ante"},  # 47.1-1017.10(7)(a)
    "crazy-4.co": {"ante", "super-bonus", "queens-up"},  # 47.1-1017.44(8)
}
"""The bets that a fold loses, by game."""
OVER: Final = 10_100
"""Cents above the limit."""


def doubtful_rounds(game: str, rounds: Iterator[Round], rng: random.Random) -> Iterator[tuple[Round, Round, int]]:
    """Yield the rounds in which a hand was played to the end: the record with a doubt, the true round, and the seat.
    Half the time its ante is also above the limit."""
    play = BY_PLAYING[game]
    for true in rounds:
        playing = [seat for seat in true["seats"] if seat["status"] == "live" and play in seat["wagers"]]
        if true["outcome"] != "complete" or not playing or any(seat.get("held") for seat in true["seats"]):
            continue
        number = rng.choice(playing)["seat"]
        said = copy.deepcopy(true)
        seat = next(each for each in said["seats"] if each["seat"] == number)
        seat["wagers"] = {bet: cents for bet, cents in seat["wagers"].items() if bet.removeprefix("tip-") != play}
        if rng.random() < 0.5:
            seat["wagers"]["ante"] = OVER
        yield said, true, number


def settle(said: Round, true: Round, number: int, terms: settling.Terms, module: Any, game: str) -> Lines:
    """Return the amounts that may be paid, however the doubt is resolved."""
    played, folded = copy.deepcopy(true), copy.deepcopy(true)
    for seat in (*played["seats"], *folded["seats"]):
        if seat["seat"] == number:
            seat["fold_in_doubt"] = True
    for seat in folded["seats"]:
        if seat["seat"] == number:
            seat |= {"status": "folded", "decision": "fold"}
            play = BY_PLAYING[game]
            seat["wagers"] = {bet: cents for bet, cents in seat["wagers"].items() if bet.removeprefix("tip-") != play}
    one, other = settling.settle(played, terms, module), settling.settle(folded, terms, module)
    wagers = next(seat["wagers"] for seat in said["seats"] if seat["seat"] == number)
    paid_on = getattr(module, "PAID_ON", {})
    lines: Lines = {key: line for key, line in one.items() if key[0] != number or key[1] in ("envy", "progressive")}
    for bet in {*wagers, *(bonus for bonus, on in paid_on.items() if on in wagers)} - {"progressive"}:
        ways = one.get((number, bet)), other.get((number, bet))
        given_up = bet.removeprefix("tip-") in GIVEN_UP[game] or bet in paid_on
        if ways != (None, None):
            assert given_up or ways[0] == ways[1], f"{bet} hangs on the fold"
            lines[number, bet] = HELD if given_up else ways[0] or HELD
    return lines
