"""Places where cards can be: one byte and one text form each, shared by the wire, the events and the results."""

from typing import Final

SEATS_MAX: Final = 32
PILES_MAX: Final = 8
"""Maximum number of hands in front of the tray before they are handed out."""


class Place(int):
    """One place code. 1-32 are the seats, clockwise from the dealer's left; the named places follow."""

    __slots__ = ()

    @property
    def text(self) -> str:
        """`seat 3`, `community`, `dealer` ...; `0xNN` for an unknown code."""
        return _TEXT[self]

    @property
    def seat(self) -> int | None:
        """Seat number, 1 at the dealer's left; None if the place is not a seat."""
        return int(self) if 1 <= self <= SEATS_MAX else None

    def __str__(self) -> str:
        return _TEXT[self]

    def __repr__(self) -> str:
        return f"Place({_TEXT[self]!r})"


_NAMED: Final = {
    0x00: "nowhere",
    0x40: "community",
    0x41: "dealer",
    0x42: "burn",
    0x43: "remainder",
    0x44: "muck",
    0x45: "reject tray",
    0x46: "shuffler",
    0x47: "shoe",
    **{0x50 + number: f"hand {number + 1}" for number in range(8)},
    **{0x58 + number: f"pile {number + 1}" for number in range(PILES_MAX)},
}
_TEXT: Final = tuple(
    f"seat {code}" if 1 <= code <= SEATS_MAX else _NAMED.get(code, f"0x{code:02X}") for code in range(256)
)

PLACES: Final = tuple(Place(code) for code in range(256))
"""All 256 codes as shared Place objects."""

NOWHERE: Final = PLACES[0x00]
COMMUNITY: Final = PLACES[0x40]
DEALER: Final = PLACES[0x41]
BURN: Final = PLACES[0x42]
REMAINDER: Final = PLACES[0x43]
MUCK: Final = PLACES[0x44]
REJECT_TRAY: Final = PLACES[0x45]
SHUFFLER: Final = PLACES[0x46]
SHOE: Final = PLACES[0x47]

PILES: Final = frozenset(PLACES[0x58 : 0x58 + PILES_MAX])
"""Hands in front of the tray that are not assigned to a seat yet."""

_BY_TEXT: Final = {text: PLACES[code] for code, text in enumerate(_TEXT)}


def seat(number: int) -> Place:
    """Return the place of seat `number`, 1-32. Raise ValueError for other numbers."""
    if not 1 <= number <= SEATS_MAX:
        raise ValueError(f"not a seat: {number}; seats are 1 to {SEATS_MAX}")
    return PLACES[number]


def pile(number: int) -> Place:
    """Return the place of the `number`-th hand in front of the tray, from 1 to `PILES_MAX`."""
    return PLACES[0x57 + number]


def parse_place(text: str) -> Place:
    """Return the place spelled `text`. ValueError names the text and the allowed forms."""
    try:
        return _BY_TEXT[text]
    except KeyError:
        allowed = ", ".join(_NAMED.values())
        raise ValueError(f"not a place: {text!r}; allowed: 'seat 1' to 'seat {SEATS_MAX}', {allowed}") from None
