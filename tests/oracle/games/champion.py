"""Champion Poker, 47.1-1017.40, with the five card bonus."""

import random
from collections.abc import Mapping

from tests.oracle import hands
from tests.oracle.deal import Layout, Player, Round
from tests.oracle.hands import UNREAD
from tests.oracle.settling import KINDS, LOSE, Deal, Line, Seat, Settle, Table, printed, versus


def play(player: Player) -> None:
    bonus = player.bet("holdem-bonus")
    player.tips("holdem-bonus")
    if not player.bet("ante-blind", bonus, chance=0.8):
        return
    player.tips("ante-blind")
    if player.folds("first-choice", "fold"):
        return
    player.choose("first-choice", "play")
    player.bet("play", bonus)
    if player.choose("second-choice", "check", "raise") == "raise":
        player.bet("raise", bonus)


def stages(data: Round, rng: random.Random) -> list[tuple[str, str, list[str]]]:
    return [("flop", "community", [*data["community"][:3], UNREAD, UNREAD])]


LAYOUT = Layout(
    "champion.co", own=2, dealer=2, community=5, play=play, stages=stages, options={"holdem-bonus": "five-card"},
)  # fmt: skip

TABLES: Mapping[str, Mapping[str, Table]] = {  # (7)
    "holdem-bonus": {
        "CHAMP-A": printed((*KINDS[:8], "eights"), 200, 50, 20, 10, 8, 5, 3, 2, 1),
        "CHAMP-B": printed((*KINDS[:8], "eights"), 100, 40, 20, 10, 7, 4, 3, 2, 1),
    },
    "ante-bonus": {"CHAMP-ANTE": printed(KINDS, 25, 10, 4, 1)},
}
PAID_ON = {"ante-bonus": "ante-blind", "tip-ante-bonus": "tip-ante-blind"}


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    def bonus(stake: int) -> Line:
        rank = hands.poker(seat.cards + deal.community[:3])
        name = hands.name(rank)
        return deal.pay("holdem-bonus", ("eights" if rank[1] >= 8 else "") if name == "pair" else name, stake)

    return {**main(seat, deal), "holdem-bonus": bonus}


def main(seat: Seat, deal: Deal) -> dict[str, Settle]:
    """(6): even money against the dealer, ties push; a fold loses the ante blind and with it its bonus."""

    def mine() -> hands.Rank:
        return hands.poker(seat.cards + deal.community)

    def against(stake: int) -> Line:
        return LOSE if seat.folded else versus(deal, mine(), hands.poker(deal.dealer + deal.community), stake)

    def ante_bonus(stake: int) -> Line:
        return LOSE if seat.folded else deal.pay("ante-bonus", hands.name(mine()), stake)

    return {**dict.fromkeys(("ante-blind", "play", "raise"), against), "ante-bonus": ante_bonus}
