"""Let It Ride, with bonus, 3 card bonus and progressive, 47.1-1017.14."""

import random
from collections.abc import Mapping

from tests.oracle import hands
from tests.oracle.deal import Layout, Player, Round
from tests.oracle.hands import UNREAD
from tests.oracle.settling import (
    KINDS,
    THREE,
    Deal,
    For,
    Line,
    Progressive,
    Seat,
    Settle,
    Share,
    Table,
    printed,
)


def play(player: Player) -> None:
    bonus = player.bet("bonus", 100, chance=0.5)
    each = player.amount(10_000 - bonus)
    player.bet("three-card-bonus", chance=0.4)
    player.bet("progressive", chance=0.5)
    for step, bet in (("first-choice", "bet-1"), ("second-choice", "bet-2")):
        if player.choose(step, f"let-it-ride-{bet[-1]}", f"take-back-{bet[-1]}").startswith("let"):
            player.bet(bet, each)
    player.bet("bet-dollar", each)
    tipped = [bet for bet in ("bet-1", "bet-2", "bet-dollar", "three-card-bonus") if bet in player.wagers]
    player.tips(*tipped, alike=player.amount(min(player.wagers[bet] for bet in tipped)))


def stages(data: Round, rng: random.Random) -> list[tuple[str, str, list[str]]]:
    return [("first-card", "community", [data["community"][0], UNREAD])]


LAYOUT = Layout("let-it-ride.co", own=3, community=2, burns=(("community", 3),), play=play, stages=stages)

_BASE: Mapping[str, Table] = {  # (11)(a)
    "LIR-1": printed((*KINDS[:8], "tens"), 500, 100, 25, 15, 10, 5, 3, 2, 1),
    "LIR-2": printed((*KINDS[:8], "tens"), 100, 50, 30, 15, 9, 6, 3, 2, 1),
    "LIR-3": printed((*KINDS[:8], "tens"), 500, 200, 50, 11, 8, 5, 3, 2, 1),
    "LIR-4": printed((*KINDS[:8], "tens"), 200, 100, 40, 15, 9, 5, 3, 2, 1),
}
THREE_CARD_BONUS = ((40, 30, 6, 4, 1), (40, 30, 5, 4, 1), (40, 30, 6, 3, 1))
NEXUS = printed(KINDS, Share(100), Share(10), For(300), For(50), For(40), For(30), For(9))
"""(13), the same in every game that has it."""
NEXUS_ENVY = {"royal flush": 1_000, "straight flush": 300}
NEXUS_5_ENVY = {"royal flush": 5_000, "straight flush": 1_500}

TABLES: Mapping[str, Mapping[str, Table]] = {
    "bet-dollar": _BASE,
    "bonus": {  # (11)(b)
        "LIR-BONUS-1": printed(KINDS, 10_000, 2_000, 100, 75, 50, 25, 8, 4),
        "LIR-BONUS-2": printed(KINDS, 5_000, 2_000, 100, 75, 50, 25, 8, 4),
    },
    "three-card-bonus": {  # (12)
        f"LIR-3CB-{number}": printed(THREE, *pays) for number, pays in enumerate(THREE_CARD_BONUS, 1)
    },
    "progressive": {"LIR-PROG-1": NEXUS, "LIR-PMG-01": NEXUS, "LIR-PMG-02": NEXUS},
}

PROGRESSIVE = Progressive(
    row=lambda seat, deal: hands.name(hands.poker(seat.cards + deal.community)),
    envy={"LIR-PROG-1": (1, NEXUS_ENVY), "LIR-PMG-01": (1, NEXUS_ENVY), "LIR-PMG-02": (5, NEXUS_5_ENVY)},
)
"""The table that prints five times the envy at the same pays prints it for 5 dollars."""


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    def base(stake: int) -> Line:
        rank = hands.poker(seat.cards + deal.community)
        row = hands.name(rank)
        return deal.pay("bet-dollar", "tens" if row == "pair" and rank[1] >= 10 else row, stake)

    def bonus(stake: int) -> Line:
        return deal.pay("bonus", hands.name(hands.poker(seat.cards + deal.community)), stake)

    def three(stake: int) -> Line:
        return deal.pay("three-card-bonus", hands.THREE[hands.three_card(seat.cards)[0]], stake)

    games = dict.fromkeys(("bet-1", "bet-2", "bet-dollar"), base)
    return {**games, "bonus": bonus, "three-card-bonus": three}
