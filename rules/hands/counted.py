"""Cards counted by rank and by suit, which is all that a poker hand depends on."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from protocol.cards import Card

ACE: Final = 14
_BOTH_ACES: Final = 1 << 1 | 1 << ACE
_DOWN: Final = range(ACE, 1, -1)
_LAST_CARD: Final = 0x4D
"""The king of spades; all higher values are jokers."""


class CardCount:
    """Playing cards counted by rank (ace 14) and by suit (0 to 3), and the jokers with them.

    - `times[rank]`: the number of cards of a rank.
    - `ranks`: the ranks held, highest first.
    - `suits[suit]`: the ranks held in a suit, one per card, in no order.
    - `masks[suit]`: a bit for each rank held in a suit; the ace is at 1 and at 14.
    - `most` and `longest`: the largest number of cards of one rank and of one suit, all jokers included.
    """

    __slots__ = ("cards", "jokers", "longest", "masks", "most", "ranks", "suits", "times")

    def __init__(self, cards: Iterable[Card]) -> None:
        self.cards = tuple(cards)
        self.jokers = 0
        self.times = times = [0] * (ACE + 1)
        self.suits: tuple[list[int], ...] = ([], [], [], [])
        masks = [0, 0, 0, 0]
        for card in self.cards:
            if card > _LAST_CARD:
                self.jokers += 1
                continue
            suit, rank = (card >> 4) - 1, card & 0x0F
            if rank == 1:
                rank = ACE
                masks[suit] |= _BOTH_ACES
            else:
                masks[suit] |= 1 << rank
            times[rank] += 1
            self.suits[suit].append(rank)
        self.masks = masks
        self.ranks = [rank for rank in _DOWN if times[rank]]
        self.most = max(times) + self.jokers
        self.longest = max(map(len, self.suits)) + self.jokers

    @property
    def natural(self) -> "CardCount":
        """The same cards without the jokers."""
        return CardCount(card for card in self.cards if not card.is_joker) if self.jokers else self

    def same(self) -> tuple[int, ...]:
        """Return the number of copies of each card held more than once, most first; only mixed decks have any."""
        if len(set(self.cards)) == len(self.cards):
            return ()
        return tuple(sorted((n for card, n in Counter(self.cards).items() if n > 1 and card.is_playing), reverse=True))

    def pick(self, wanted: Sequence[tuple[int, int]]) -> tuple[Card, ...]:
        """Return a card for each (rank, suit) wanted, with suit -1 for any; a joker if there is none left."""
        left = list(self.cards)
        picked = []
        for rank, suit in wanted:
            found = next((card for card in left if _fits(card, rank, suit)), None)
            found = found or next((card for card in left if card.is_joker), None)
            if found is not None:
                left.remove(found)
                picked.append(found)
        return tuple(picked)


def _fits(card: Card, rank: int, suit: int) -> bool:
    low = card & 0x0F
    return card.is_playing and (ACE if low == 1 else low) == rank and suit in (-1, (card >> 4) - 1)
