"""Caribbean Draw Poker, 47.1-1017.12."""

import random
from collections.abc import Mapping
from itertools import combinations

from tests.oracle import hands
from tests.oracle.deal import Layout, Player, Round
from tests.oracle.hands import Unseen
from tests.oracle.settling import (
    KINDS,
    LOSE,
    Deal,
    Dollars,
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
    """Play five cards, of which at most two are replaced by the last of seven; the hand may be declared before."""
    ante = player.bet("ante", player.amount(5_000))
    player.bet("progressive", chance=0.5)
    player.tips("ante")
    first, spare = player.cards[:5], player.cards[5:]
    player.cards = first
    if player.folds("choice", "fold"):
        return
    player.choose("choice", "call")
    player.bet("bet", 2 * ante)
    count = player.rng.choice((0, 0, 1, 2))
    player.choose("draw-choice", "stand" if count == 0 else f"draw-{count}")
    if "progressive" in player.wagers and player.rng.random() < 0.8:
        player.declares(first)
    player.cards = [*player.rng.sample(first, 5 - count), *spare[:count]]


def thrown(cards: list[str]) -> list[str]:
    """Return the cards that the dealer must throw of five, (12)."""
    rank = hands.poker(cards)
    _, ranks = hands.grouped([hands.value(card) for card in cards])
    if rank[0] in (hands.STRAIGHT, hands.FLUSH, hands.FULL_HOUSE, hands.QUADS, hands.STRAIGHT_FLUSH):
        return []
    by_rank = sorted((card for card in cards if hands.value(card) not in ranks[:1]), key=hands.value)
    if rank[0] == hands.TWO_PAIR:
        return [card for card in cards if hands.value(card) == ranks[2]]
    if rank[0] in (hands.PAIR, hands.TRIPS):
        return by_rank[:2]
    for held in combinations(cards, 4):
        if len({card[1] for card in held}) == 1:
            return [card for card in cards if card not in held]
    runs = [held for held in combinations(cards, 4) if _four_run(held)]
    if runs:
        held = max(runs, key=_four_run)
        return [card for card in cards if card not in held]
    return sorted(cards, key=hands.value)[:2]


def _four_run(cards: tuple[str, ...]) -> tuple[int, int]:
    """Return the ranks that make a straight of four cards, and its height; zeros if none do."""
    values = {hands.value(card) for card in cards}
    ends = [rank for rank in range(2, 15) if rank not in values and hands.run_top([*values, rank])]
    return (len(ends), max(values)) if ends else ()  # type: ignore[return-value]


def stages(data: Round, rng: random.Random) -> list[tuple[str, str, list[str]]]:
    """Return the dealer's first five cards; two of the seven are for his draw."""
    cards = data["dealer"]["cards"]
    first, spare = cards[:5], cards[5:]
    gone = thrown(first)
    data["dealer"]["cards"] = [card for card in first if card not in gone] + spare[: len(gone)]
    data["dealer"] |= {"counted": 5, "expected": 5}
    return [("hands", "dealer", first)]


LAYOUT = Layout("caribbean-draw.co", own=7, dealer=7, seats=6, play=play, stages=stages, shoe=True)

_FLAT = (Dollars(500), Dollars(100), Dollars(50))
TABLES: Mapping[str, Mapping[str, Table]] = {
    "bet": {"CD-BET": printed((*KINDS, "high card"), 100, 50, 20, 7, 5, 3, 2, 1, 1, 1)},  # (14)(b)
    "progressive": {  # (9)(c)
        "CD-PROG": printed(KINDS, Share(100), Share(10), *_FLAT),
        "CD-PROG-5000": printed(KINDS, Share(100), Dollars(5_000), *_FLAT),
    },
}


def progressive_row(seat: Seat, deal: Deal) -> str:
    """Return the row of the first five cards, declared before the draw, (9); if the dealer's hand is void they must
    have been seen."""
    if deal.data["outcome"] == "complete" and "declared" not in seat.data.get("choices", {}):
        return ""
    return hands.name(hands.poker(deal.stage("declared", f"seat {seat.number}")))


PROGRESSIVE = Progressive(progressive_row, left_first=True, shared=True)


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(13), (14): below a pair of eights the dealer pays the ante; the text is silent about the bet, which pushes."""

    def dealers() -> hands.Rank:
        first = hands.known(deal.stage("hands", "dealer"))
        if not set(first) - set(thrown(list(first))) <= set(hands.known(deal.dealer)):
            raise Unseen
        return hands.poker(deal.dealer)

    def against(stake: int, bet: str) -> Line:
        if seat.folded:
            return LOSE
        dealer = dealers()
        if dealer < (hands.PAIR, 8):
            return deal.win(stake) if bet == "ante" else push(stake)
        mine = hands.poker(seat.cards)
        if bet == "ante" or mine <= dealer:
            return versus(deal, mine, dealer, stake)
        return deal.pay("bet", hands.name(mine), stake)

    return {"ante": lambda stake: against(stake, "ante"), "bet": lambda stake: against(stake, "bet")}
