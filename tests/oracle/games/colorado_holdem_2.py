"""Colorado Hold'em Poker, 47.1-1017.16, play variation 2: no player folds; the second bet is optional."""

from collections.abc import Mapping

from tests.oracle.deal import Layout, Player
from tests.oracle.games import colorado_holdem as first
from tests.oracle.settling import PUSH, Deal, Seat, Settle, Table, printed


def play(player: Player) -> None:
    first._play(player, fold=False)


LAYOUT = Layout("colorado-holdem.co", own=3, community=3, play=play)

_MAIN = (*first._KINDS, "jacks", "nines")
TABLES: Mapping[str, Mapping[str, Table]] = {
    "ante": {"CH-5": printed(_MAIN, 500, 100, 25, 10, 8, 5, 5, 5, 3, 2, 1, PUSH)},  # (7)(e)
    "bonus": first.TABLES["bonus"],
}


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    return first.settled(seat, deal, (("jacks", 11), ("nines", 9)))
