"""Counts of every showdown on a board: for each hole, the number of dealer's hands it beats, ties and loses to.

The dealer's hand is any two cards that neither board nor hole use. All holes of a board are ranked at once, and those
that share a card with the hole are then subtracted, card by card. With N(s) the number of holes below a strength and
n(c, s) the number of such holes with a card c, a hole a-b of strength s has

     N(s) - n(a, s) - n(b, s)

rivals below it, since no hole but a-b itself holds both cards, and it is not below itself. N and n are running sums
along the strengths that occur on the board.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from rules.odds.holdem.deck import FoldedSets, HoldemDeck, Ints, Places, board_cards
from rules.odds.holdem.strength import NO_HOLE, Small, ladder, strengths

OUTCOMES: Final = ("win", "tie", "lose")
_LOW: Final = (1 << 32) - 1
"""Mask of the lower half of a number with two counts: lower hands in the upper half, equal ones in the lower half."""


@dataclass(frozen=True, slots=True)
class Boards:
    """Some boards: their cards, one row per board; the number of boards each represents; and the strength of each
    hole."""

    cards: Places
    weights: Ints
    strength: Small


@dataclass(frozen=True, slots=True)
class RivalCounts:
    """Numbers of dealer's hands that each hole (column) beats, ties and loses to on each board (row): first for hands
    that qualify, then for the others. A hole that uses a card of the board has none."""

    qualified: tuple[Ints, Ints, Ints]
    others: tuple[Ints, Ints, Ints]

    def every(self) -> "list[tuple[bool, str, Ints]]":
        """Return the qualification of the dealer, the outcome for the player, and the count, for each combination."""
        found = [(True, outcome, count) for outcome, count in zip(OUTCOMES, self.qualified, strict=True)]
        return found + [(False, outcome, count) for outcome, count in zip(OUTCOMES, self.others, strict=True)]


def some_boards(deck: HoldemDeck, boards: FoldedSets, part: slice) -> Boards:
    """Return the boards of a part of the list."""
    cards = board_cards(deck, boards.masks[part])
    return Boards(cards, boards.weights[part], strengths(deck, cards))


def rivals(deck: HoldemDeck, boards: Boards, qualifier: str) -> RivalCounts:
    """Return the showdowns of some boards; the dealer qualifies with a hand of the category `qualifier` or above."""
    below, equal, unqualified = _ranked(deck, boards, ladder().least(qualifier))
    total = np.where(boards.strength == NO_HOLE, 0, deck.rivals)
    win_others = np.minimum(below, unqualified)
    tie_others = np.minimum(below + equal, unqualified) - win_others
    lose_others = unqualified - win_others - tie_others
    win, tie = below - win_others, equal - tie_others
    return RivalCounts((win, tie, total - unqualified - win - tie), (win_others, tie_others, lose_others))


def _ranked(deck: HoldemDeck, boards: Boards, least: int) -> tuple[Ints, Ints, Ints]:
    """Return for each hole the number of rivals below it, equal to it, and below the strength `least`."""
    strength = boards.strength
    count, rows = len(strength), np.arange(len(strength), dtype=np.intp)[:, None]
    there = np.zeros((count, NO_HOLE + 1), dtype=np.bool_)
    flat = rows * (NO_HOLE + 1) + strength
    there.reshape(-1)[flat] = True
    order = np.cumsum(there, axis=1, dtype=np.intp) - 1
    dense = order.reshape(-1).take(flat)
    steps = int(order[:, -1].max()) + 1
    low, high = deck.holes
    with_low, with_high = ((rows * deck.size + cards) * steps + dense for cards in (low, high))
    held = np.bincount(np.concatenate([with_low, with_high], axis=None), minlength=count * deck.size * steps)
    held = held.reshape(count, deck.size, steps)
    every = held.sum(axis=1) // 2
    held_below, every_below = np.cumsum(held, axis=2) - held, np.cumsum(every, axis=1) - every
    both, both_every = held_below << 32 | held, every_below << 32 | every
    found = both_every.reshape(-1).take(rows * steps + dense) + 1
    found -= both.reshape(-1).take(with_low)
    found -= both.reshape(-1).take(with_high)
    dead = strength == NO_HOLE
    found[dead] = 0
    if least <= 1:
        return found >> 32, found & _LOW, np.zeros_like(found)
    # Running sums at the board's first strength not below `least`; NO_HOLE, above all, guarantees that one exists.
    first = there[:, :least].sum(axis=1)
    cards = np.take_along_axis(held_below, first[:, None, None], axis=2)[:, :, 0]
    unqualified = every_below[rows[:, 0], first][:, None] - cards[:, low] - cards[:, high] + (strength < least)
    unqualified[dead] = 0
    return found >> 32, found & _LOW, unqualified
