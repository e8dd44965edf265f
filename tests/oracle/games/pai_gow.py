"""Pai Gow Poker, 47.1-1017.43, with one joker: an ace, or a card that completes a straight or a flush, 47.1-1005(1)."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

from tests.oracle import hands
from tests.oracle.deal import Layout, Player, Round
from tests.oracle.hands import Unseen
from tests.oracle.settling import LOSE, Deal, Line, Seat, Settle, Table, push

Ranking = Callable[[tuple[str, ...]], hands.Rank]


@lru_cache(maxsize=400_000)
def semi_wild(cards: tuple[str, ...]) -> hands.Rank:
    """Rank five cards of which one may be the joker."""
    plain = tuple(card for card in cards if card[0] != "X")
    if len(plain) == len(cards):
        return hands.five(cards)
    suits = {card[1] for card in plain}
    stands = [rank + "*" for rank in hands.RANKS]
    stands += [card for card in hands.DECK if suits == {card[1]} and card not in plain]
    made = [(card, hands.five((*plain, card))) for card in stands]
    complete = (hands.STRAIGHT, hands.FLUSH, hands.STRAIGHT_FLUSH)
    return max(rank for card, rank in made if card == "A*" or rank[0] in complete)


def two(cards: Sequence[str]) -> hands.Rank:
    """Rank the two-card hand: a pair or its high cards; the joker is an ace."""
    ranks = sorted((14 if card[0] == "X" else hands.value(card) for card in hands.known(cards)), reverse=True)
    return (hands.PAIR, ranks[0]) if ranks[0] == ranks[1] else (hands.HIGH, *ranks)


def back(cards: Sequence[str], ranking: Ranking = semi_wild) -> hands.Rank:
    return ranking(tuple(sorted(hands.known(cards))))


Parts = tuple[hands.Rank, hands.Rank]


def parts(hand: Mapping[str, Any], ranking: Ranking = semi_wild) -> Parts:
    """Return the ranks of the low part and the rest; raise Unseen if a card or the split is unknown."""
    split = hand.get("split", {"low": [], "rest": []})
    if not split["low"] or not split["rest"]:
        raise Unseen
    return two(split["low"]), back(split["rest"], ranking)


def is_foul(each: Parts) -> bool:
    """Return True if the two cards outrank the five, (1)."""
    return each[0] > each[1]


def even(deal: Deal, mine: Parts, stake: int, ranking: Ranking = semi_wild) -> Line:
    """(2), (9): two higher parts win, two lower or equal parts lose, otherwise a push; a foul hand loses."""
    if is_foul(mine):
        return LOSE
    dealers = parts(deal.data["dealer"], ranking)
    if is_foul(dealers):
        raise Unseen
    higher = sum(own > other for own, other in zip(mine, dealers, strict=True))
    return (LOSE, push(stake), deal.win(stake))[higher]


def set_hand(rng: random.Random, cards: list[str], by: str, low: int = 2, foul: float = 0.03) -> dict[str, Any]:
    """Set the hand: usually not foul, rarely at random, more rarely without a report."""
    ways = [list(each) for each in combinations(cards, low)]
    rng.shuffle(ways)
    split: dict[str, Any] = {"low": [], "rest": [], "by": by, "foul": False}
    if rng.random() < 0.01:
        return split
    anyhow = rng.random() < foul
    for way in ways:
        rest = [card for card in cards if card not in way]
        split |= {"low": way, "rest": rest}
        if anyhow or not is_foul(parts({"split": split})):
            break
    return split


def finish(data: Round, rng: random.Random) -> None:
    data["dealer"]["split"] = set_hand(rng, data["dealer"]["cards"], "dealer", foul=0.01)


def _with_dragon(data: Round, rng: random.Random) -> None:
    """Let one player play the dragon hand, or all bet on it, (11)."""
    finish(data, rng)
    takers = [seat for seat in data["seats"] if "dragon" in seat["wagers"]]
    common = len(takers) > 1
    for dragon in data["hands"]:
        dragon["split"] = set_hand(rng, dragon["cards"], "dealer" if common else "player")


def play(player: Player) -> None:
    player.bet("wager")
    player.tips("wager", chance=0.3)
    player.split = set_hand(player.rng, player.cards, "player")
    if player.rng.random() < 0.3:
        player.bet("dragon")
        player.choices["dragon-wagers"] = "dragon"


LAYOUT = Layout("pai-gow.co", own=7, dealer=7, jokers=1, hands={"dragon": 7}, seats=5, play=play, finish=_with_dragon)
TABLES: Mapping[str, Mapping[str, Table]] = {}
COMMISSION = (("wager", "dragon"), ("0", "5", "5", "2.5", "3"))  # (10)


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """Pay even money."""

    def dragon(stake: int) -> Line:
        hand = deal.named("dragon")
        mine = parts(hand)
        if is_foul(mine) and hand["split"]["by"] == "dealer":
            raise Unseen
        return even(deal, mine, stake)

    return {
        "wager": lambda stake: even(deal, parts(seat.data), stake),
        "dragon": dragon,
    }
