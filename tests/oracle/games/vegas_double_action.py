"""Vegas Double Action, 47.1-1017.20."""

from collections.abc import Mapping

from tests.oracle import hands
from tests.oracle.deal import Layout, Player
from tests.oracle.settling import KINDS, PUSH, Deal, Line, Seat, Settle, Table, printed


def play(player: Player) -> None:
    player.bet("hand")
    player.bet("stud", chance=0.6)
    player.tips("hand", "stud")
    count = player.rng.choice((0, 1, 2, 3, 4, 5))
    player.choose("holds", f"discard-{count}")
    player.discards = [player.cards.pop(player.rng.randrange(len(player.cards))) for _ in range(count)]


LAYOUT = Layout("vegas-double-action.co", own=5, community=5, play=play)

TABLES: Mapping[str, Mapping[str, Table]] = {
    "hand": {"VDA-HAND": printed((*KINDS[:8], "jacks"), 200, 50, 25, 7, 4, 3, 2, 1, PUSH)},
    "stud": {"VDA-STUD": printed((*KINDS[:8], "sixes"), 1000, 500, 100, 20, 15, 10, 3, 2, 1)},
}


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(6) to (11): the cards held and as many of the board's as are missing, the first ones by number."""

    def paid(bet: str, rank: hands.Rank, least: int, name: str, stake: int) -> Line:
        row = hands.name(rank)
        return deal.pay(bet, (name if rank[1] >= least else "") if row == "pair" else row, stake)

    def hand(stake: int) -> Line:
        rank = hands.poker(seat.cards + deal.community[: 5 - len(seat.cards)])
        return paid("hand", rank, 11, "jacks", stake)

    return {"hand": hand, "stud": lambda stake: paid("stud", hands.poker(deal.community), 6, "sixes", stake)}
