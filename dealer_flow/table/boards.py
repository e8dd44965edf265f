"""Comparison of open cards, which decides who acts first in stud."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from protocol.cards import Card

_ACE: Final = 14

Board = tuple[tuple[int, ...], tuple[int, ...]]


def strength(cards: Iterable[Card], *, ace_high: bool = True) -> Board:
    """Return up to four open cards as a value that compares: how often ranks are held, then which.

    Fewer than five cards form neither a straight nor a flush, and suits do not count (47.1-1006).
    """
    ranks = [_ACE if card.rank == 1 and ace_high else card.rank or 0 for card in cards]
    held = sorted(Counter(ranks).items(), key=lambda each: (each[1], each[0]), reverse=True)
    return tuple(times for _, times in held), tuple(rank for rank, _ in held)


def first_on_board(boards: Mapping[int, tuple[Card, ...]], *, low: bool, ace_high: bool) -> int | None:
    """Return the seat whose open cards are the highest, or the lowest; among equals the first in the order of the
    turns.

    None if a seat has no open card.
    """
    if not boards or not all(boards.values()):
        return None
    ranked = {seat: strength(cards, ace_high=ace_high) for seat, cards in boards.items()}
    wanted = min(ranked.values()) if low else max(ranked.values())
    return next(seat for seat, each in ranked.items() if each == wanted)
