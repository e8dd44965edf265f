"""Caribbean Stud Poker, 47.1-1017.10."""

import random
from collections.abc import Mapping

from tests.oracle import hands
from tests.oracle.deal import Layout, Player, Round
from tests.oracle.hands import UNREAD
from tests.oracle.settling import (
    KINDS,
    LOSE,
    Deal,
    Dollars,
    Line,
    Progressive,
    Seat,
    Settle,
    Share,
    Table,
    printed,
    push,
)


def play(player: Player) -> None:
    ante = player.bet("ante", player.amount(5_000))
    player.bet("progressive", chance=0.5)
    player.tips("ante")
    if not player.folds("choice", "fold"):
        player.choose("choice", "bet")
        player.bet("bet", 2 * ante)


def stages(data: Round, rng: random.Random) -> list[tuple[str, str, list[str]]]:
    return [("up-card", "dealer", [data["dealer"]["cards"][0], *[UNREAD] * 4])]


LAYOUT = Layout("caribbean-stud.co", own=5, dealer=5, play=play, stages=stages)

_FLAT = (Dollars(500), Dollars(100), Dollars(50))
TABLES: Mapping[str, Mapping[str, Table]] = {
    "bet": {"CS-BET": printed((*KINDS, "high card"), 100, 50, 20, 7, 5, 4, 3, 2, 1, 1)},  # (10)(c)
    "progressive": {  # (10)(i)
        "CS-PROG": printed(KINDS, Share(100), Share(10), *_FLAT),
        "CS-PROG-5000": printed(KINDS, Share(100), Dollars(5_000), *_FLAT),
    },
}

PROGRESSIVE = Progressive(row=lambda seat, deal: hands.name(hands.poker(seat.cards)))
"""A fold gives it up: the cards are taken with the ante, (7)(a)."""


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """A dealer without ace and king pays the ante; the text is silent about the bet, which pushes; (8), (9)."""

    def against(stake: int, bet: str) -> Line:
        if seat.folded:
            return LOSE
        dealer = hands.poker(deal.dealer)
        if dealer < (hands.HIGH, 14, 13):
            return deal.win(stake) if bet == "ante" else push(stake)
        mine = hands.poker(seat.cards)
        if mine <= dealer:
            return push(stake) if mine == dealer else LOSE
        return deal.win(stake) if bet == "ante" else deal.pay("bet", hands.name(mine), stake)

    return {"ante": lambda stake: against(stake, "ante"), "bet": lambda stake: against(stake, "bet")}
