"""Mississippi Stud, 47.1-1017.46."""

import random
from collections.abc import Mapping

from tests.oracle import hands
from tests.oracle.deal import Layout, Player, Round
from tests.oracle.games.let_it_ride import NEXUS, NEXUS_5_ENVY, NEXUS_ENVY, THREE_CARD_BONUS
from tests.oracle.hands import UNREAD
from tests.oracle.settling import KINDS, LOSE, PUSH, THREE, Deal, Line, Progressive, Seat, Settle, Share, Table, printed

STREETS = ("third", "fourth", "fifth")


def play(player: Player) -> None:
    """Play streets of one to three times the ante; later ones may be bet early and are lost with a fold."""
    ante = player.bet("ante", player.amount(3_333))
    player.bet("three-card-bonus", chance=0.5)
    player.bet("progressive", chance=0.5)
    player.tips("ante", "three-card-bonus")
    for index, street in enumerate(STREETS):
        if player.folds(f"{street}-choice", f"fold-{index + 1}", 0.15):
            for later in STREETS[max(index, 1) :]:
                if player.rng.random() < 0.1:
                    player.bet(f"{later}-street", player.rng.randint(1, 3) * ante)
                    player.blind.append(f"{later}-street")
            return
        player.choose(f"{street}-choice", f"{street}-street")
        player.bet(f"{street}-street", player.rng.choice((1, 2, 3)) * ante)
    player.tips(*(f"{street}-street" for street in STREETS))


def stages(data: Round, rng: random.Random) -> list[tuple[str, str, list[str]]]:
    first, second, _ = data["community"]
    return [
        ("first-card", "community", [first, UNREAD, UNREAD]),
        ("second-card", "community", [first, second, UNREAD]),
    ]


LAYOUT = Layout("mississippi-stud.co", own=2, community=3, play=play, stages=stages)

TABLES: Mapping[str, Mapping[str, Table]] = {
    "ante": {"MS-01": printed((*KINDS[:8], "jacks", "6s to 10s"), 500, 100, 40, 10, 6, 4, 3, 2, 1, PUSH)},
    "three-card-bonus": {
        **{f"MS-3CB-{number}": printed(THREE, *pays) for number, pays in enumerate(THREE_CARD_BONUS, 1)},
        **{
            f"MS-3CB-{number}": printed(("mini royal", *THREE), 50, *pays)
            for number, pays in enumerate(THREE_CARD_BONUS, 4)
        },
    },
    "progressive": {
        "MS-PROG-1": printed(KINDS, Share(100), Share(10), 300, 50, 40, 30, 9),
        "MS-PMG-1": NEXUS,
        "MS-PMG-2": NEXUS,
    },
}

PROGRESSIVE = Progressive(
    row=lambda seat, deal: hands.name(hands.poker(seat.cards + deal.community)),
    envy={"MS-PROG-1": (1, NEXUS_ENVY), "MS-PMG-1": (1, NEXUS_ENVY), "MS-PMG-2": (5, NEXUS_5_ENVY)},
    folded_lives=True,
)
"""(6) to (8) keep a folded hand's cards for it."""


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(6) to (10): every street is paid the same; the bonus uses the three community cards and survives a fold."""

    def street(stake: int) -> Line:
        if seat.folded:
            return LOSE
        rank = hands.poker(seat.cards + deal.community)
        row = hands.name(rank)
        if row == "pair":
            row = "jacks" if rank[1] >= 11 else "6s to 10s" if rank[1] >= 6 else ""
        return deal.pay("ante", row, stake)

    def bonus(stake: int) -> Line:
        return deal.pay("three-card-bonus", hands.three_name(hands.three_card(deal.community)), stake)

    streets = dict.fromkeys(("ante", *(f"{street}-street" for street in STREETS)), street)
    return {**streets, "three-card-bonus": bonus}
