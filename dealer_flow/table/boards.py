"""Comparison of open cards, which decides who acts first in stud."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from protocol.cards import Card

_ACE: Final = 14
_SUITS: Final = "CDHS"
"""Suits from the lowest to the highest, in a house that breaks a tie by suit."""

Board = tuple[tuple[int, ...], tuple[int, ...]]


def strength(cards: Iterable[Card], *, ace_high: bool = True) -> Board:
    """Return up to four open cards as a value that compares: how often ranks are held, then which.

    Fewer than five cards form neither a straight nor a flush, and suits do not count (47.1-1006).
    """
    ranks = [_rank(card, ace_high=ace_high) for card in cards]
    held = sorted(Counter(ranks).items(), key=lambda each: (each[1], each[0]), reverse=True)
    return tuple(times for _, times in held), tuple(rank for rank, _ in held)


def _suits(cards: Iterable[Card], *, ace_high: bool) -> tuple[int, ...]:
    """Return the suits of the cards from the highest rank down."""
    ranked = sorted(cards, key=lambda card: (_rank(card, ace_high=ace_high), _SUITS.find(card.text[-1])), reverse=True)
    return tuple(_SUITS.find(card.text[-1]) for card in ranked)


def _rank(card: Card, *, ace_high: bool) -> int:
    return _ACE if card.rank == 1 and ace_high else card.rank or 0


def first_on_board(
    boards: Mapping[int, tuple[Card, ...]], *, low: bool, ace_high: bool, by_suit: bool = False
) -> int | None:
    """Return the seat whose open cards are the highest, or the lowest; among equals the first in the order of the
    turns, or if `by_suit`, the one whose highest card has the higher, or the lower, suit: clubs are lowest, then
    diamonds, hearts, spades.

    None if a seat has no open card.
    """
    if not boards or not all(boards.values()):
        return None
    ranked = {
        seat: (strength(cards, ace_high=ace_high), _suits(cards, ace_high=ace_high) if by_suit else ())
        for seat, cards in boards.items()
    }
    wanted = min(ranked.values()) if low else max(ranked.values())
    return next(seat for seat, each in ranked.items() if each == wanted)
