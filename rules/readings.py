"""Where a game's text is silent or contradicts itself, each way to read it has a name.

A game file declares which of these it leaves open and which option it takes by default. Every reading used is
written into the settlement, default or not.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

READINGS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "natural": {
            "own-suit": "a deuce that stands in its own suit counts as natural",
            "no-deuce": "any deuce in it makes a flush wild",
        },
        "wild-kicker": {
            "highest-absent": "each deuce ranks as the highest rank not already in that flush",
            "ace": "each deuce ranks as an ace, beside an ace that is already there",
            "lowest": "each deuce ranks as a deuce, below every other card",
        },
        "folded-envy": {
            "collects": "a bettor who folded still collects envy for another seat's hand",
            "none": "folding gives up the envy too",
        },
        "folded-progressive": {
            "dies": "folding gives up the progressive bet",
            "stands": "a folded hand is still paid by the progressive, if its cards were shown",
        },
        "progressive-hand": {
            "own-five": "the progressive looks at the player's own five cards",
            "best-of-seven": "it looks at the best five of the player's five and the two community cards",
        },
        "jackpot-hand": {
            "any-row": "any hand in the progressive's pay table keeps a progressive-only round alive",
            "meter-row": "only a hand that is paid from the meter keeps it alive",
        },
        "meter-order": {
            "dealers-right-first": "two meter pays in one round: from the dealer's right, counter-clockwise",
            "dealers-left-first": "two meter pays in one round: from the dealer's left, clockwise",
        },
        "ace-high": {
            "holds-ace": "a flush is ace high when an ace is among its cards",
            "not-five-high": "likewise, but not ace, deuce, three, four and five, where the ace is low",
        },
        "royal-as-straight": {
            "counts": "a royal flush wins the straight flush bet, too: each bet is judged by itself",
            "apart": "a royal flush wins the royal flush bet only",
        },
    }
)
"""Reading -> option -> what it means."""


def right_first(readings: Mapping[str, str]) -> bool:
    """Whether a meter pays from the dealer's right."""
    return readings.get("meter-order", "dealers-right-first") == "dealers-right-first"
