"""What is asked of most bets, and what makes most hands, read off a game's file once: it is asked of every seat."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rules.spec import DISCARDS, OWN, Bet, HandSpec


class PlainRule(NamedTuple):
    """What is asked of a bet: not to be there when its hand folded, to be as many `times` another, alone where another
    may make a part of it (`without`), to be beside one."""

    bet: str
    absent: bool
    equals: str
    times: int
    without: str
    beside: str


class PlainHand(NamedTuple):
    """A hand of so many of the seat's own cards, none where it is the same for all, as they lie in the end, and of the
    `others`: places and how many."""

    own: int
    others: tuple[tuple[str, int], ...]


def plain_rules(bets: Iterable[Bet]) -> tuple[PlainRule, ...]:
    """The rules of those bets of which anything is asked."""
    return tuple(
        PlainRule(
            bet.name,
            bet.fold == "absent",
            bet.equals.bet if bet.equals else "",
            bet.equals.times if bet.equals else 0,
            bet.equals.with_ if bet.equals else "",
            bet.beside.bet if bet.beside else "",
        )
        for bet in bets
        if bet.fold == "absent" or bet.equals or bet.beside
    )


def plain_hands(hands: Mapping[str, HandSpec]) -> dict[str, PlainHand]:
    """Those of these hands, ranked without jokers, of which no more is said than where their cards lie."""
    found = {}
    for name, hand in hands.items():
        places = [*hand.of.items()]
        own, others = (places[0][1], places[1:]) if places[0][0] == OWN else (0, places)
        whole = all(isinstance(cards, int) for cards in hand.of.values())
        asks_more = hand.model_fields_set - {"ranking", "of", "clause"} or not {OWN, DISCARDS}.isdisjoint(dict(others))
        if whole and not asks_more:
            found[name] = PlainHand(own, tuple(others))
    return found
