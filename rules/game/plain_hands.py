"""What makes most hands, read off a game's file once: it is asked of every seat."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from protocol.places import DEALER
from rules.game.hand_spec import DISCARDS, OWN, HandSpec


class PlainHand(NamedTuple):
    """A hand of so many of the seat's own cards, none where it is the same for all, as they lie in the end, and of the
    `others`: places and how many. `part`: it is the `low` part or the `rest` of one that is set in two, the seat's or
    else the dealer's, and has no others."""

    own: int
    others: tuple[tuple[str, int], ...]
    part: str = ""


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
