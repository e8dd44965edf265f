"""Bonus 6, 47.1-1017.28."""

from collections.abc import Mapping

from tests.oracle import hands
from tests.oracle.deal import Layout, Player
from tests.oracle.settling import KINDS, LOSE, Deal, Line, Seat, Settle, Table, printed


def winning(cards: list[str]) -> bool:
    """Return True for a pair of sixes or better."""
    return hands.poker(cards) >= (hands.PAIR, 6)


def play(player: Player) -> None:
    """Play five cards dealt to the seat; cards that were not reached go back from the end."""
    ante = player.bet("ante")
    if ante % 2 == 0:
        player.bet("insurance", ante // 2, chance=0.5)
    player.tips("ante")
    dealt, player.cards = player.cards, player.cards[:2]
    player.stages["hands"] = dealt[:2]
    for count, step, fold, bet in ((2, "first-choice", "fold-1", "second"), (3, "second-choice", "fold-2", "third")):
        player.cards = dealt[:count]
        if player.folds(step, fold, 0.1):
            return
        player.choose(step, f"bet-{2 if bet == 'second' else 3}")
        player.bet(bet, ante)
        if "tip-ante" in player.wagers and player.rng.random() < 0.5:
            player.bet(f"tip-{bet}", player.wagers["tip-ante"])
    player.stages["third-card"] = dealt[:3]
    player.cards = dealt[:4]
    _last(player, dealt)


def _last(player: Player, dealt: list[str]) -> None:
    won = winning([*player.cards, *player.community])
    if "insurance" in player.wagers and (not won or player.rng.random() < 0.2):
        player.choose("third-choice", "bonus-card")
        player.bet("bonus-card", player.wagers["ante"])
        player.cards = player.cards if won else dealt
    elif not player.folds("third-choice", "fold-3", 0.1 if won else 0.9):
        player.choose("third-choice", "winning-hand")


LAYOUT = Layout("bonus-6.co", own=5, community=1, seats=7, play=play, shoe=True)

_WITH_ACES = ("royal flush", "straight flush", "four aces", "four low", *KINDS[2:8], "sixes")
_A = (*KINDS[:8], "sixes")
TABLES: Mapping[str, Mapping[str, Table]] = {
    "ante": {  # (11)
        "B6-A": printed(_A, 1000, 100, 50, 20, 6, 4, 3, 2, 1),
        "B6-B": printed(_A, 500, 100, 30, 15, 7, 4, 3, 2, 1),
        "B6-C": printed(_WITH_ACES, 500, 100, 100, 75, 50, 20, 6, 4, 3, 2, 1),
        "B6-D": printed(_A, 200, 50, 20, 10, 6, 3, 3, 2, 1),
        "B6-E": printed(_A, 100, 50, 20, 10, 6, 3, 3, 2, 1),
    }
}


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(7) to (11): a fold loses everything; fees are collected, and the fee for a card that was not dealt comes
    back."""

    def row() -> str:
        rank = hands.poker(seat.cards + deal.community)
        name = hands.name(rank)
        if name == "four of a kind" and "four aces" in deal.table("ante") and rank[1] in (14, 4, 3, 2):
            return "four aces" if rank[1] == 14 else "four low"
        return ("sixes" if rank[1] >= 6 else "") if name == "pair" else name

    def main(stake: int) -> Line:
        return LOSE if seat.folded else deal.pay("ante", row(), stake)

    def card_fee(stake: int) -> Line:
        return ("returned", 0, stake) if len(seat.cards) == 4 else LOSE

    games = dict.fromkeys(("ante", "second", "third"), main)
    return {**games, "insurance": lambda stake: LOSE, "bonus-card": card_fee}
