"""Ultimate Texas Hold 'Em, 47.1-1017.47."""

import random
from collections.abc import Mapping
from fractions import Fraction

from tests.oracle import hands
from tests.oracle.deal import Layout, Player, Round
from tests.oracle.games.let_it_ride import NEXUS, NEXUS_5_ENVY, NEXUS_ENVY
from tests.oracle.hands import UNREAD
from tests.oracle.settling import (
    KINDS,
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


def play(player: Player) -> None:
    ante = player.bet("ante", player.amount(2_500))
    player.bet("blind", ante)
    player.bet("trips", chance=0.5)
    player.bet("progressive", chance=0.5)
    player.tips("ante", "blind", "trips")
    for step, *choices in (
        ("first-choice", "check-1", "play-4x", "play-3x"),
        ("second-choice", "check-2", "play-2x"),
        ("third-choice", "fold", "play-1x"),
    ):
        choice = player.choose(step, *choices)
        if choice.startswith("play"):
            player.bet("play", int(choice[5]) * ante)
            player.tips("play")
            return
    player.status = "folded"


def stages(data: Round, rng: random.Random) -> list[tuple[str, str, list[str]]]:
    flop = data["community"][:3]
    return [("flop-shown", "community", flop), ("turn-and-river", "community", [*flop, UNREAD, UNREAD])]


LAYOUT = Layout("ultimate-texas-holdem.co", own=2, dealer=2, community=5, play=play, stages=stages)

_BLIND = printed(KINDS, 500, 50, 10, 3, Fraction(3, 2), 1)
_TRIPS = (
    *((50, 40, 30, 9, 7, 4, 3), (50, 40, 30, 8, 7, 5, 3)),
    *((50, 40, 30, 8, 7, 4, 3), (50, 40, 20, 7, 6, 5, 3)),
)
_PROGRESSIVE = ("royal in five", "royal in seven", "community royal", *KINDS[1:4])
PRINTED_IN_PAIRS = (("blind", "trips"),)

TABLES: Mapping[str, Mapping[str, Table]] = {
    "trips": {f"UTH-TRIPS-{number}": printed(KINDS, *pays) for number, pays in enumerate(_TRIPS, 1)},
    "blind": {f"UTH-BLIND-{number}": _BLIND for number in range(1, 5)},
    "progressive": {
        "UTH-PROG-1": printed(_PROGRESSIVE, Share(100), Share(5), For(3_000), For(250), For(100), For(10)),
        "UTH-PROG-2": printed(_PROGRESSIVE, Share(100), 0, For(1_000), For(250), For(75), For(10)),
        "UTH-PMG-1": NEXUS,
        "UTH-PMG-2": NEXUS,
    },
}


def progressive_row(seat: Seat, deal: Deal) -> str:
    """Return the row by all seven cards if the table names the board's royal flush, else by the player's two and the
    flop."""
    first = seat.cards + deal.community[:3]
    if "community royal" not in deal.table("progressive"):
        return hands.name(hands.poker(first))
    row = hands.name(hands.poker(seat.cards + deal.community))
    if row != "royal flush":
        return row
    if hands.name(hands.poker(deal.community)) == row:
        return "community royal"
    in_five = "royal in seven" not in deal.table("progressive") or hands.name(hands.poker(first)) == row
    return "royal in five" if in_five else "royal in seven"


PROGRESSIVE = Progressive(progressive_row, envy={"UTH-PMG-1": (1, NEXUS_ENVY), "UTH-PMG-2": (5, NEXUS_5_ENVY)})


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(11): without a pair the dealer returns the antes, and the rest is played out; the blind needs a win."""

    def mine() -> hands.Rank:
        return hands.poker(seat.cards + deal.community)

    def dealers() -> hands.Rank:
        return hands.poker(deal.dealer + deal.community)

    def ante(stake: int) -> Line:
        if seat.folded:
            return LOSE
        if dealers() < (hands.PAIR,):
            return push(stake)
        return versus(deal, mine(), dealers(), stake)

    def blind(stake: int) -> Line:
        if seat.folded:
            return LOSE
        line = versus(deal, mine(), dealers(), stake)
        if line[0] != "win":
            return line
        paid = deal.pay("blind", hands.name(mine()), stake)
        return push(stake) if paid == LOSE else paid

    return {
        "ante": ante,
        "blind": blind,
        "play": lambda stake: versus(deal, mine(), dealers(), stake),
        "trips": lambda stake: deal.pay("trips", hands.name(mine()), stake),
    }
