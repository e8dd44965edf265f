"""What is asked of most bets, and what makes most hands, read off a game's file once: it is asked of every seat."""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from protocol.places import DEALER
from rules.bets.bet import Bet
from rules.game.hand_spec import DISCARDS, OWN, HandSpec


class PlainRules(NamedTuple):
    """What is asked of bets beside each other: those that are not there when their hand folded, those that are as many
    times another, alone where a third may make a part of it, and those that are beside another."""

    absent: tuple[str, ...]
    equal: tuple[tuple[str, str, int, str], ...]
    """The bet, the other, how many times, the third."""
    equal_folded: tuple[tuple[str, str, int, str], ...]
    """Those of them that are asked of a hand that folded."""
    beside: tuple[tuple[str, str], ...]


class PlainHand(NamedTuple):
    """A hand of so many of the seat's own cards, none where it is the same for all, as they lie in the end, and of the
    `others`: places and how many. `part`: it is the `low` part or the `rest` of one that is set in two, the seat's or
    else the dealer's, and has no others."""

    own: int
    others: tuple[tuple[str, int], ...]
    part: str = ""


def plain_rules(bets: Collection[Bet]) -> PlainRules:
    """The rules of those bets of which anything is asked."""
    absent = tuple(bet.name for bet in bets if bet.fold == "absent")
    equal = tuple((bet.name, bet.equals.bet, bet.equals.times, bet.equals.with_) for bet in bets if bet.equals)
    return PlainRules(
        absent,
        equal,
        tuple(rule for rule in equal if rule[0] not in absent),
        tuple((bet.name, bet.beside.bet) for bet in bets if bet.beside),
    )


def plain_hands(hands: Mapping[str, HandSpec]) -> dict[str, PlainHand]:
    """Those of these hands of which no more is said than where their cards lie."""
    found = {}
    for name, hand in hands.items():
        places = [*hand.of.items()]
        own, others = (places[0][1], places[1:]) if places[0][0] == OWN else (0, places)
        whole = all(isinstance(cards, int) for cards in hand.of.values())
        asks_more = hand.model_fields_set - _PLAIN or not {OWN, DISCARDS}.isdisjoint(dict(others))
        if not whole or asks_more:
            continue
        if not hand.part:
            found[name] = PlainHand(own, tuple(others))
        elif hand.part in ("low", "rest") and len(places) == 1 and places[0][0] in (OWN, DEALER.text):
            found[name] = PlainHand(own, tuple(others), hand.part)
    return found


_PLAIN: Final = frozenset({"ranking", "of", "clause", "part"})
"""Keys of a hand's table in a game file that say no more than where its cards lie."""
