"""Crazy 4 Poker, 47.1-1017.44."""

from collections.abc import Mapping
from fractions import Fraction

from tests.oracle import hands
from tests.oracle.deal import Layout, Player
from tests.oracle.games.let_it_ride import NEXUS, NEXUS_5_ENVY, NEXUS_ENVY
from tests.oracle.hands import Unseen
from tests.oracle.settling import (
    LOSE,
    Deal,
    For,
    Line,
    Progressive,
    Seat,
    Settle,
    Share,
    Table,
    printed,
    push,
    versus,
)

ACES = (1, 14)
KING_HIGH = (0, 13)


def play(player: Player) -> None:
    """Up to three antes on the play with a pair of aces or better, (9)."""
    ante = player.bet("ante")
    player.bet("super-bonus")
    player.bet("queens-up", chance=0.5)
    player.bet("progressive", chance=0.5)
    player.tips("ante", "super-bonus", "queens-up")
    if not player.folds("choice", "fold"):
        player.choose("choice", "play")
        allowed = hands.best_four(player.cards) >= ACES or player.rng.random() < 0.03
        times = player.rng.choice((1, 2, 3)) if allowed else 1
        player.bet("play", ante * times if ante * times <= 10_000 else ante)
        player.tips("play")


LAYOUT = Layout("crazy-4.co", own=5, dealer=5, play=play)

_KINDS = ("four aces", "four of a kind", "straight flush", "three of a kind", "flush", "straight", "two pair", "queens")
_SUPER = printed(_KINDS, 200, 30, 15, 2, Fraction(3, 2), 1)
_QUEENS = ((50, 30, 9, 4, 3, 2, 1), (50, 40, 8, 4, 3, 2, 1), (50, 30, 8, 4, 3, 2, 1), (50, 40, 7, 4, 3, 2, 1))
PRINTED_IN_PAIRS = (("super-bonus", "queens-up"),)

TABLES: Mapping[str, Mapping[str, Table]] = {
    "super-bonus": {f"C4-SB-{number:02}": _SUPER for number in range(9, 13)},
    "queens-up": {f"C4-QU-{number:02}": printed(_KINDS[1:], *pays) for number, pays in enumerate(_QUEENS, 9)},
    "progressive": {
        "C4-PROG-1": printed(_KINDS, Share(100), For(300), For(100)),
        "C4-PROG-2": printed(_KINDS, Share(100), For(300), For(100)),
        "C4-PMG-1": NEXUS,
        "C4-PMG-2": NEXUS,
    },
}


def four_name(rank: hands.Rank) -> str:
    if rank[:2] == (7, 14):
        return "four aces"
    return "queens" if (1, 12) <= rank < (2,) else hands.FOUR[rank[0]]


def progressive_row(seat: Seat, deal: Deal) -> str:
    """Return the row of the progressive by the names of five-card hands, as in the tables that other games share."""
    if "royal flush" in deal.table("progressive"):
        return hands.name(hands.poker(seat.cards))
    return four_name(hands.best_four(seat.cards))


PROGRESSIVE = Progressive(
    progressive_row,
    envy={
        "C4-PROG-1": (1, {"four aces": 100, "four of a kind": 10, "straight flush": 5}),
        "C4-PROG-2": (1, {"four aces": 100, "four of a kind": 25}),
        "C4-PMG-1": (1, NEXUS_ENVY),
        "C4-PMG-2": (5, NEXUS_5_ENVY),
    },
)


def broken(seat: Seat, deal: Deal) -> set[str]:
    """A play bet above the ante requires a pair of aces; without it, the bet is held."""
    if seat.folded or seat.wagers.get("play", 0) <= seat.wagers["ante"]:
        return set()
    try:
        return set() if hands.best_four(seat.cards) >= ACES else {"play"}
    except Unseen:
        return {"play"}


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(7) to (13): below king high the dealer pays every play bet and no ante."""

    def qualified() -> bool:
        return hands.best_four(deal.dealer) >= KING_HIGH

    def against(stake: int, bet: str) -> Line:
        if seat.folded:
            return LOSE
        if not qualified():
            return deal.win(stake) if bet == "play" else push(stake)
        return versus(deal, hands.best_four(seat.cards), hands.best_four(deal.dealer), stake)

    def super_bonus(stake: int) -> Line:
        if seat.folded:
            return LOSE
        mine = hands.best_four(seat.cards)
        if mine >= (3,):
            return deal.pay("super-bonus", four_name(mine), stake)
        return LOSE if qualified() and hands.best_four(deal.dealer) > mine else push(stake)

    def queens(stake: int) -> Line:
        return LOSE if seat.folded else deal.pay("queens-up", four_name(hands.best_four(seat.cards)), stake)

    return {
        "ante": lambda stake: against(stake, "ante"),
        "play": lambda stake: against(stake, "play"),
        "super-bonus": super_bonus,
        "queens-up": queens,
    }
