"""Colorado Hold'em Poker, 47.1-1017.16, play variation 1."""

from collections.abc import Mapping
from typing import Any

from tests.oracle import hands
from tests.oracle.deal import Layout, Player
from tests.oracle.settling import KINDS, LOSE, PUSH, Deal, Line, Seat, Settle, Table, printed


def declarable(cards: list[str]) -> bool:
    return hands.THREE[hands.three_card(cards)[0]] in ("three of a kind", "straight flush")


def play(player: Player) -> None:
    _play(player, fold=True)


def _play(player: Player, fold: bool) -> None:
    """Discard one card of three, unless the hand is folded or declared."""
    ante = player.bet("ante")
    player.bet("bonus", 100, chance=0.5)
    step = "choice-1" if fold else "choice-2"
    if fold and player.folds(step, "fold", 0.2):
        return
    if declarable(player.cards) and player.rng.random() < 0.8:
        player.choose(step, "declare")
        player.declares(player.cards)
        return
    if player.choose(step, *(("bet",) if fold else ("bet", "stay"))) == "bet":
        player.bet("bet", ante)
    player.discards = [player.cards.pop(player.rng.randrange(3))]


LAYOUT = Layout("colorado-holdem.co", own=3, community=3, play=play)

_KINDS = (*KINDS[:6], "three on the deal", "straight flush on the deal", *KINDS[6:8])
_MAIN = (*_KINDS, "tens", "sevens")
TABLES: Mapping[str, Mapping[str, Table]] = {
    "ante": {  # (6)(e)
        "CH-4": printed(_MAIN, 1000, 200, 40, 11, 8, 5, 5, 5, 3, 2, 1, PUSH),
        "CH-4A": printed(_MAIN, 500, 200, 40, 11, 8, 5, 5, 5, 3, 2, 1, PUSH),
        "CH-4B": printed(_MAIN, 500, 100, 40, 11, 8, 5, 5, 5, 3, 2, 1, PUSH),
    },
    "bonus": {  # (8)(d)
        "CH-B1": printed((*_KINDS, "jacks"), 10_000, 1_000, 100, 50, 30, 20, 5, 5, 3, 1, PUSH),
        "CH-B1C": printed((*_KINDS, "jacks"), 2_000, 500, 100, 50, 30, 20, 5, 5, 3, 1, PUSH),
    },
}

PAIRS = (("tens", 10), ("sevens", 7))


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    return settled(seat, deal, PAIRS)


def settled(seat: Seat, deal: Deal, pairs: Any) -> Mapping[str, Settle]:
    """(6)(a) to (e), (8): a declared hand is paid only on the ante and is over; the others have five cards."""

    def row(least: Any) -> str:
        if "declared" in seat.data.get("choices", {}):
            kind = hands.THREE[hands.three_card(deal.stage("declared", f"seat {seat.number}"))[0]]
            return {"three of a kind": "three on the deal", "straight flush": "straight flush on the deal"}.get(
                kind, ""
            )
        rank = hands.poker(seat.cards + deal.community)
        name = hands.name(rank)
        return next((each for each, value in least if rank[1] >= value), "") if name == "pair" else name

    def main(stake: int) -> Line:
        return LOSE if seat.folded else deal.pay("ante", row(pairs), stake)

    def bonus(stake: int) -> Line:
        return LOSE if seat.folded else deal.pay("bonus", row((("jacks", 11),)), stake)

    return {"ante": main, "bet": main, "bonus": bonus}
