"""Boston 7 Stud Poker, 47.1-1017.34."""

from collections.abc import Mapping

from tests.oracle import hands
from tests.oracle.deal import Layout
from tests.oracle.games.boston_5 import OPTIONAL, play, settled
from tests.oracle.settling import KINDS, Deal, Dollars, Seat, Settle, Table, printed

LAYOUT = Layout("boston-7.co", own=7, dealer=7, seats=6, play=play, shoe=True)

_ROWS = ("seven card royal", "six card royal", *KINDS)
_SEVEN, _SIX = Dollars(25_000, stake_back=True), Dollars(5_000, stake_back=True)
TABLES: Mapping[str, Mapping[str, Table]] = {
    "ante-bonus": {  # (13)(b)
        "B7-01": printed(_ROWS, _SEVEN, _SIX, 500, 100, 20, 4, 3, 2, 1),
        "B7-02": printed(_ROWS, _SEVEN, _SIX, 250, 100, 20, 4, 3, 2, 1),
        "B7-03": printed(_ROWS, _SEVEN, _SIX, 250, 100, 25, 4, 3, 2, 1),
        "B7-04": printed(_ROWS, _SEVEN, _SIX, 200, 50, 20, 4, 3, 2, 1),
        "B7-05": printed(_ROWS, 0, 0, 250, 50, 20, 4, 3, 2, 1),
    },
    "optional-bonus": OPTIONAL,
}


def listed(cards: list[str]) -> str:
    """A royal flush that continues below the ten has six or seven cards."""
    name = hands.name(hands.poker(cards))
    if name != "royal flush":
        return name
    long = max((sum(f"{rank}{suit}" in cards for rank in "9TJQKA") == 6, suit) for suit in hands.SUITS)
    if not long[0]:
        return name
    return "seven card royal" if f"8{long[1]}" in cards else "six card royal"


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    def row(cards: list[str]) -> str:
        name = listed(cards)
        return name if name in deal.table("ante-bonus") else hands.name(hands.poker(cards))

    return settled(seat, deal, row)
