"""Player's Choice Poker, 47.1-1017.36, hands of five cards."""

from collections.abc import Mapping

from tests.oracle import hands
from tests.oracle.deal import Layout
from tests.oracle.games.players_choice import NAMES, play
from tests.oracle.settling import KINDS, Deal, Dollars, Line, Seat, Settle, Table, printed

LAYOUT = Layout("players-choice.co", own=0, hands=dict.fromkeys(NAMES, 5), play=play, shoe=True)

_PAYS = (Dollars(5_000, stake_back=True), Dollars(1_000, stake_back=True), 150, 50, 30, 15, 5, 2, 1)
TABLES: Mapping[str, Mapping[str, Table]] = {"on-hand-1": {"PC-5": printed(KINDS, *_PAYS)}}


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(6)(b): by the hand made, for all who bet on it."""

    def on(name: str, stake: int) -> Line:
        return deal.pay("on-hand-1", hands.name(hands.poker(deal.named(name)["cards"])), stake)

    return {f"on-{name}": lambda stake, name=name: on(name, stake) for name in NAMES}  # type: ignore[misc]
