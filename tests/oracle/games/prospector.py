"""Prospector Poker, 47.1-1017.22: eight decks, points against two boxes, six cards for poker."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from tests.oracle import hands
from tests.oracle.deal import Layout, Player
from tests.oracle.settling import LOSE, PUSH, Deal, Line, Seat, Settle, Table, push


def play(player: Player) -> None:
    player.bet("poker")
    for box in ("gold", "silver"):
        player.bet(f"{box}-{player.rng.choice(('high', 'low'))}", chance=0.7)


LAYOUT = Layout(
    "prospector.co", own=3, hands={"silver": 3, "gold": 3}, decks=8, play=play, shoe=True,
)  # fmt: skip

TABLES: Mapping[str, Mapping[str, Table]] = {
    "poker": {
        "PP-POKER": {  # (8)
            "six of a kind": 1_000,
            "royal flush": 500,
            "straight flush": 100,
            "five of a kind": 25,
            "six card flush": 10,
            "four of a kind": 7,
            "full house": 7,
            "six card straight": 6,
            "flush": 5,
            "three pairs": 4,
            "straight": 3,
            "three of a kind": Fraction(3, 2),
            "two pair": 1,
            "aces or kings": PUSH,
        }
    }
}


def points(cards: Sequence[str]) -> int:
    """Return the points: an ace is one, a ten or a face ten, (1)."""
    return sum(1 if card[0] == "A" else min(hands.value(card), 10) for card in hands.known(cards))


def six(cards: Sequence[str]) -> str:
    """Return the best paid row that six cards satisfy; empty if none."""
    values = [hands.value(card) for card in hands.known(cards)]
    counts = sorted(Counter(values).values(), reverse=True)
    fives = [(hands.run_top(sorted(map(hands.value, five))), len({card[1] for card in five}) == 1)
             for five in combinations(cards, 5)]  # fmt: skip
    paired = max((value for value, count in Counter(values).items() if count >= 2), default=0)
    holds = {
        "six of a kind": counts[0] == 6,
        "royal flush": (14, True) in fives,
        "straight flush": any(top and suited for top, suited in fives),
        "five of a kind": counts[0] >= 5,
        "six card flush": len({card[1] for card in cards}) == 1,
        "four of a kind": counts[0] >= 4,
        "full house": counts[0] >= 3 and len(counts) > 1 and counts[1] >= 2,
        "six card straight": hands.run_top(values) > 0,
        "flush": any(suited for _, suited in fives),
        "three pairs": counts == [2, 2, 2],
        "straight": any(top for top, _ in fives),
        "three of a kind": counts[0] >= 3,
        "two pair": counts[0] >= 2 and len(counts) > 1 and counts[1] >= 2,
        "aces or kings": paired >= 13,
    }
    return next((row for row, there in holds.items() if there), "")


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(4)(b) to (e): equal points are never won, and lost from 20 up for high, up to 20 for low."""

    def against(box: str, high: bool, stake: int) -> Line:
        mine, boxed = points(seat.cards), points(deal.named(box)["cards"])
        if mine == boxed:
            return LOSE if (mine >= 20 if high else mine <= 20) else push(stake)
        return deal.win(stake) if (mine > boxed) == high else LOSE

    return {
        "poker": lambda stake: deal.pay("poker", six(seat.cards + list(deal.named("gold")["cards"])), stake),
        "gold-high": lambda stake: against("gold", True, stake),
        "gold-low": lambda stake: against("gold", False, stake),
        "silver-high": lambda stake: against("silver", True, stake),
        "silver-low": lambda stake: against("silver", False, stake),
    }
