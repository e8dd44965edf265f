"""Cards: one byte on the wire and one text form each.

The high nibble is the suit (1 clubs, 2 diamonds, 3 hearts, 4 spades), the low nibble the rank (1 ace ... 13 king).
Jokers are 51h-54h, special codes (no playing card) are 60h-65h, and 00h is "none".

Published sources use at least five suit orders, so no code here compares cards by suit: only the table below gives a
byte its meaning.
"""

from collections.abc import Iterable
from typing import Final

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
RANKS_UP: Final = f"{RANKS[1:]}{RANKS[0]}"
"""Ranks in ascending order, deuce (2) first, ace last."""
ACE_HIGH: Final = len(RANKS) + 1
"""Rank of an ace that counts above the king."""


class Card(int):
    """One card code, 0-255. It equals its byte; `text` is its only written form."""

    __slots__ = ()

    @property
    def text(self) -> str:
        """Rank then suit (`AS`, `TD`), `X1` for a joker, `??` for an unread card, `0xNN` for an unknown code."""
        return _TEXT[self]

    @property
    def suit(self) -> str | None:
        """`C`, `D`, `H` or `S`; None if the code is not one of the 52 playing cards."""
        return SUITS[(self >> 4) - 1] if self.is_playing else None

    @property
    def rank(self) -> int | None:
        """Rank from 1 (ace) to 13 (king); None if the code is not one of the 52 playing cards."""
        return self & 0x0F if self.is_playing else None

    @property
    def is_playing(self) -> bool:
        """True for the 52 playing cards; False for jokers and special codes."""
        return 1 <= self >> 4 <= 4 and 1 <= self & 0x0F <= 13

    @property
    def is_joker(self) -> bool:
        """True for 51h-54h."""
        return 0x51 <= self <= 0x54

    @property
    def is_face(self) -> bool:
        """True if the code names one physical card, which can therefore appear only once in a deck."""
        return self.is_playing or self.is_joker

    def __str__(self) -> str:
        return _TEXT[self]

    def __repr__(self) -> str:
        return f"Card({_TEXT[self]!r})"


def high_rank(card: Card) -> int:
    """Return the rank of `card` with the ace above the king; 0 if it is not one of the 52 playing cards."""
    return ACE_HIGH if card.rank == 1 else card.rank or 0


def _spell(code: int) -> str:
    suit, rank = code >> 4, code & 0x0F
    if 1 <= suit <= 4 and 1 <= rank <= 13:
        return RANKS[rank - 1] + SUITS[suit - 1]
    if 0x51 <= code <= 0x54:
        return f"X{rank}"
    return _SPECIAL_TEXT.get(code, f"0x{code:02X}")


_SPECIAL_TEXT: Final = {
    0x00: "--",  # no card
    0x60: "??",  # a card whose face was not read
    0x61: "?^",  # face up in the deck
    0x62: "?#",  # back of another deck
    0x63: "||",  # the cut card
    0x64: "__",  # blank stock
    0x65: "==",  # a face that was already seen
}
_TEXT: Final = tuple(_spell(code) for code in range(256))

CARDS: Final = tuple(Card(code) for code in range(256))
"""All 256 codes as shared Card objects. Index this on a hot path instead of building cards."""

NONE: Final = CARDS[0x00]
UNREAD: Final = CARDS[0x60]
FACE_UP: Final = CARDS[0x61]
FOREIGN_BACK: Final = CARDS[0x62]
CUT_CARD: Final = CARDS[0x63]
BLANK: Final = CARDS[0x64]
DUPLICATE: Final = CARDS[0x65]

DECK: Final = tuple(CARDS[suit << 4 | rank] for suit in range(1, 5) for rank in range(1, 14))
"""The 52 playing cards, clubs to spades, ace to king. The order has no meaning."""

_BY_TEXT: Final = {text: CARDS[code] for code, text in enumerate(_TEXT)}


def parse_card(text: str) -> Card:
    """Return the card spelled `text`. ValueError names the text and the allowed forms."""
    try:
        return _BY_TEXT[text]
    except KeyError:
        raise ValueError(
            f"not a card: {text!r}; a card is a rank ({RANKS}) then a suit ({SUITS}), such as 'AS' or 'TD', "
            f"or '??' for a card whose face was not read"
        ) from None


def parse_cards(texts: str | Iterable[str]) -> tuple[Card, ...]:
    """Return the cards of `"AS TD 2C"` or of a list of texts."""
    return tuple(parse_card(text) for text in (texts.split() if isinstance(texts, str) else texts))


def spell_cards(cards: Iterable[int]) -> list[str]:
    """Return the text forms in the given order, as JSON has them."""
    return [_TEXT[card] for card in cards]


def spelled(cards: Iterable[int]) -> tuple[str, ...]:
    """Return the same as `spell_cards`, as a tuple."""
    return tuple([_TEXT[card] for card in cards])
