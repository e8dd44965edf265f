"""Champion Poker, 47.1-1017.40, with the seven card bonus and no ante bonus."""

from collections.abc import Mapping
from dataclasses import replace

from tests.oracle import hands
from tests.oracle.deal import Layout
from tests.oracle.games import champion as five
from tests.oracle.settling import KINDS, Deal, Line, Seat, Settle, Table, printed

LAYOUT: Layout = replace(five.LAYOUT, options={"holdem-bonus": "seven-card"})

TABLES: Mapping[str, Mapping[str, Table]] = {  # (7)
    "holdem-bonus": {
        "CHAMP-E": printed(KINDS, 100, 25, 15, 6, 5, 4, 2),
        "CHAMP-F": printed(KINDS, 50, 25, 15, 6, 5, 4, 2),
        "CHAMP-G": printed(KINDS, 50, 20, 10, 7),
    }
}


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    def bonus(stake: int) -> Line:
        return deal.pay("holdem-bonus", hands.name(hands.poker(seat.cards + deal.community)), stake)

    return {**five.main(seat, deal), "holdem-bonus": bonus}
