"""Three Card Split, 47.1-1017.48: one card and two cards against the dealer's, and all three."""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from tests.oracle import hands
from tests.oracle.deal import Layout, Player, Round
from tests.oracle.hands import Unseen
from tests.oracle.settling import LOSE, Deal, Line, Seat, Settle, Table, printed, push


def pair_rank(cards: Sequence[str]) -> hands.Rank:
    """Rank by 11: suited connectors, pair, connectors, suited cards, high card; ace and deuce are the lowest
    connectors."""
    values = sorted((hands.value(card) for card in hands.known(cards)), reverse=True)
    suited = cards[0][1] == cards[1][1]
    top = hands.run_top(values)
    if top:
        return (4 if suited else 2), top
    if values[0] == values[1]:
        return 3, values[0]
    return (1 if suited else 0), *values


def three_kinds(cards: Sequence[str]) -> hands.Rank:
    """Rank the whole hand; the text does not say whether a straight or a flush is better."""
    return hands.three_card(cards)


def four_row(cards: Sequence[str]) -> str:
    """Return the best row of four cards, 15."""
    four = hands.known(cards)
    shape, ranks = hands.grouped([hands.value(card) for card in four])
    suits = {card[1] for card in four}
    top = hands.run_top([hands.value(card) for card in four])
    threes = [hands.three(tuple(sorted(each))) for each in combinations(four, 3)]
    if shape == (4,):
        return "four aces" if ranks[0] == 14 else "four of a kind"
    if len(suits) == 1 and top:
        return "four straight flush"
    if any(each[0] == 5 for each in threes):
        return "three straight flush"
    if shape[0] == 3:
        return "three of a kind"
    if len(suits) == 1 or top:
        return "four straight or flush"
    if shape == (2, 2):
        return "two pair"
    return "three straight or flush" if any(each[0] in (2, 3) for each in threes) else ""


def is_foul(split: Mapping[str, Any]) -> bool:
    """Return True if the one card is of a higher rank than the two, 7."""
    rest = pair_rank(split["rest"])
    return bool((0, hands.value(hands.known(split["low"])[0])) > rest)


def house_way(cards: Sequence[str]) -> str:
    """Return the card that the dealer plays low, 14."""
    by_rank = sorted(hands.known(cards), key=hands.value, reverse=True)
    kind = hands.three(tuple(sorted(cards)))[0]
    if kind == 4:  # the pair of one color is high
        red = [card for card in cards if card[1] in "DH"]
        return red[0] if len(red) == 1 else next(card for card in cards if card not in red)
    if kind in (2, 3, 5):
        return by_rank[0]
    made = [card for card in by_rank if _rest(cards, card)[0]]
    if not made:
        return by_rank[1]
    ways = [card for card in made if hands.value(card) >= 10] or made
    best = max(_rest(cards, card) for card in ways)
    return min((card for card in ways if _rest(cards, card) == best), key=lambda card: card[1])


def _rest(cards: Sequence[str], low: str) -> hands.Rank:
    return pair_rank([card for card in cards if card != low])


def set_hand(rng: random.Random, cards: list[str], by: str, foul: float) -> dict[str, Any]:
    ways = [[card] for card in cards]
    rng.shuffle(ways)
    split: dict[str, Any] = {"low": [], "rest": [], "by": by, "foul": False}
    if rng.random() < 0.01:
        return split
    anyhow = rng.random() < foul
    for low in ways:
        split |= {"low": low, "rest": [card for card in cards if card not in low]}
        if anyhow or not is_foul(split):
            break
    return split


def play(player: Player) -> None:
    bet = player.bet("low")
    player.bet("high", bet)
    player.bet("three-card", bet)
    player.bet("four-card-bonus", chance=0.6)
    player.split = set_hand(player.rng, player.cards, "player", 0.05)


def finish(data: Round, rng: random.Random) -> None:
    cards = data["dealer"]["cards"]
    data["dealer"]["split"] = set_hand(rng, cards, "dealer", 0.02)
    if data["dealer"]["split"]["low"] and rng.random() < 0.95:
        low = house_way(cards)
        data["dealer"]["split"] |= {"low": [low], "rest": [card for card in cards if card != low]}


LAYOUT = Layout("three-card-split.co", own=3, dealer=3, community=1, seats=6, play=play, finish=finish)

_ROWS = (
    *("four aces", "four of a kind", "four straight flush", "three straight flush", "three of a kind"),
    *("four straight or flush", "two pair", "three straight or flush"),
)
TABLES: Mapping[str, Mapping[str, Table]] = {
    "four-card-bonus": {
        f"TCS-{number}{letter}": printed(_ROWS, aces, 200, 100, straight_flush, 10, straight, pairs, 1)
        for letter, aces in (("A", 500), ("B", 1000))
        for number, straight_flush, straight, pairs in ((1, 20, 5, 3), (2, 20, 4, 2), (3, 15, 4, 2))
    }
}


def parts(hand: Mapping[str, Any]) -> Mapping[str, Any]:
    split = hand.get("split")
    if not split or not split["low"] or not split["rest"]:
        raise Unseen
    return dict(split)


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """2, 7, 10: settle the bets on both parts and the whole hand."""

    def known_foul() -> bool:
        """Return True if the hand is foul by the cards that were read and the split reported."""
        try:
            return is_foul(parts(seat.data))
        except Unseen:
            return False

    def against(stake: int, part: str, rank: Callable[[Sequence[str]], hands.Rank]) -> Line:
        if known_foul():
            return LOSE
        mine, dealers = parts(seat.data), parts(deal.data["dealer"])
        if hands.UNREAD not in deal.dealer and [house_way(deal.dealer)] != dealers["low"]:
            raise Unseen
        own, other = rank(mine[part]), rank(dealers[part])
        if own != other:
            return deal.win(stake) if own > other else LOSE
        colors = {card[1] in "DH" for card in (*mine[part], *dealers[part])}
        return push(stake) if len(colors) == 1 else LOSE

    def three(stake: int) -> Line:
        if known_foul():
            return LOSE
        own, other = three_kinds(seat.cards), three_kinds(deal.dealer)
        if {own[0], other[0]} == {2, 3}:
            raise Unseen
        return deal.win(stake) if own > other else LOSE

    return {
        "low": lambda stake: against(stake, "low", lambda cards: (hands.value(hands.known(cards)[0]),)),
        "high": lambda stake: against(stake, "rest", pair_rank),
        "three-card": three,
        "four-card-bonus": lambda stake: deal.pay("four-card-bonus", four_row([*seat.cards, *deal.community]), stake),
    }
