"""Poker hands by trying everything: each subset of the cards, each card for which a joker may stand, each category by
its own definition. Slow, and independent of `rules/hands`, which counts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import Any

from protocol.cards import DECK, Card

ACE = 14
_GROUPS = {
    "six of a kind": [6],
    "five of a kind": [5],
    "four of a kind": [4],
    "full house": [3, 2],
    "three of a kind": [3],
    "three pairs": [2, 2, 2],
    "two pair": [2, 2],
    "pair": [2],
    "high card": [],
}
_WITH_A_BUG = ("royal flush", "straight flush", "flush", "straight")


def tried_rank(card: Card) -> int:
    return ACE if card.rank == 1 else card.rank or 0


def run_value(ranks: Sequence[int], ace_low: str) -> float | None:
    """Return the rank of a sequence, which grows with its strength; None if the ranks are no sequence."""
    ranks = sorted(ranks)
    if not ranks or len(set(ranks)) < len(ranks):
        return None
    if ranks == list(range(ranks[0], ranks[0] + len(ranks))):
        return ranks[-1]
    if ace_low != "none" and ranks[-1] == ACE and ranks[:-1] == list(range(2, len(ranks) + 1)):
        return 13.5 if ace_low == "second" else len(ranks)
    return None


def value(kind: str, cards: Sequence[Card], ace_low: str) -> tuple[Any, ...] | None:
    """Return a key that compares these cards, none of them a joker, within a category; None if they are not of that
    category."""
    ranks, suits = [tried_rank(card) for card in cards], {card.suit for card in cards}
    run, one_suit = run_value(ranks, ace_low), len(suits) == 1
    if kind == "royal flush":
        return (0,) if one_suit and run == ACE else None
    if kind == "straight flush":
        return (run,) if one_suit and run is not None else None
    if kind == "straight":
        return (run,) if run is not None else None
    if kind == "flush":
        return tuple(sorted(ranks, reverse=True)) if one_suit else None
    if kind == "five aces":
        return (0,) if ranks == [ACE] * 5 else None
    if kind.endswith(" suited"):
        return (ranks[0],) if len(set(cards)) == 1 else None
    counted = Counter(ranks)
    if sorted(counted.values(), reverse=True) != _GROUPS[kind]:
        return None
    return tuple(each for each, _ in sorted(counted.items(), key=lambda item: (item[1], item[0]), reverse=True))


def tried_cards(kind: str, size: int) -> int:
    """Return the number of cards that decide the category."""
    if kind in _GROUPS:
        return sum(_GROUPS[kind])
    return {"five aces": 5, "five of a kind suited": 5, "four of a kind suited": 4}.get(kind, size)


def stand_ins(cards: Sequence[Card], kind: str, jokers: str) -> Iterator[tuple[Card, ...]]:
    """Yield the cards with every joker replaced by each card that it may be for such a category."""
    natural = [card for card in cards if not card.is_joker]
    number = len(cards) - len(natural)
    if not number:
        yield tuple(cards)
        return
    choice: Iterable[Card] = DECK
    if jokers == "bug" and kind not in _WITH_A_BUG:
        choice = [card for card in DECK if card.rank == 1]
    for chosen in product(choice, repeat=number):
        hand = (*natural, *chosen)
        if kind not in ("flush", "straight flush", "royal flush") or len(set(hand)) == len(hand):
            yield hand


def best_of(
    cards: Sequence[Card], kind: str, size: int, uses: int, jokers: str, ace_low: str
) -> tuple[Any, ...] | None:
    """Return the best of one category among these cards, side cards included; None if they hold none."""
    found = []
    for chosen in combinations(range(len(cards)), tried_cards(kind, size)):
        taken = [cards[index] for index in chosen]
        left = [cards[index] for index in range(len(cards)) if index not in chosen]
        worth = [v for hand in stand_ins(taken, kind, jokers) if (v := value(kind, hand, ace_low)) is not None]
        if worth:
            sides: tuple[int, ...] = ()
            if kind in _GROUPS or kind.endswith(" suited"):
                ranks = [ACE if card.is_joker else tried_rank(card) for card in left]
                sides = tuple(sorted(ranks, reverse=True)[: max(0, uses - len(taken))])
            found.append((*max(worth), *sides))
    return max(found, default=None)
