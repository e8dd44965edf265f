"""Which of several hands lies open as the highest or the lowest: what says who acts first in stud."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from protocol.cards import Card

_ACE: Final = 14

Board = tuple[tuple[int, ...], tuple[int, ...]]


def strength(cards: Iterable[Card], *, ace_high: bool = True) -> Board:
    """Up to four open cards as they compare: how often ranks are held, then which. Fewer than five cards are neither
    straight nor flush, and suits rank nothing (47.1-1006)."""
    ranks = [_ACE if card.rank == 1 and ace_high else card.rank or 0 for card in cards]
    held = sorted(Counter(ranks).items(), key=lambda each: (each[1], each[0]), reverse=True)
    return tuple(times for _, times in held), tuple(rank for rank, _ in held)


def first_on_board(boards: Mapping[int, tuple[Card, ...]], *, low: bool, ace_high: bool) -> int | None:
    """Of seats, given in the order of their turns, the one whose open cards are the highest, or the lowest; the first
    of those that are equal. None where a seat has no open card."""
    if not boards or not all(boards.values()):
        return None
    ranked = {seat: strength(cards, ace_high=ace_high) for seat, cards in boards.items()}
    wanted = min(ranked.values()) if low else max(ranked.values())
    return next(seat for seat, each in ranked.items() if each == wanted)
