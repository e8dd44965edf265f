"""Player's Choice Poker, 47.1-1017.36, hands of three cards."""

from collections.abc import Mapping

from tests.oracle import hands
from tests.oracle.deal import Layout, Player
from tests.oracle.settling import THREE, Deal, Line, Seat, Settle, Table, printed

NAMES = tuple(f"hand-{number}" for number in range(1, 7))


def play(player: Player) -> None:
    for name in player.rng.sample(NAMES, player.rng.randint(1, 6)):
        player.bet(f"on-{name}")
        player.tips(f"on-{name}")


LAYOUT = Layout("players-choice.co", own=0, hands=dict.fromkeys(NAMES, 3), play=play, shoe=True)

TABLES: Mapping[str, Mapping[str, Table]] = {"on-hand-1": {"PC-3": printed(THREE, 40, 30, 6, 4, 1)}}


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(6)(a): by the hand made, for all who bet on it."""

    def on(name: str, stake: int) -> Line:
        row = hands.THREE[hands.three_card(deal.named(name)["cards"])[0]]
        return deal.pay("on-hand-1", row, stake)

    return {f"on-{name}": lambda stake, name=name: on(name, stake) for name in NAMES}  # type: ignore[misc]
