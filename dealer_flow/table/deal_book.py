"""One deal of a shuffler, card by card, by every statement of the device: its events, its STATUS, its misdeal record.

Pure, and the same for a table that is played at and for a bench: the caller enters what was said, and asks whether the
next statement can be true beside it. An answer is the first contradiction, as a value; who asks has the words for it.
`docs/protocol.md`, *What is held against what*, lists the statements.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, Protocol

Way = Literal["", "goes back", "stays a packet"]
"""What becomes of the packet that nobody lifted; nothing where both are the same."""

RUN: Final = 8
"""So many cards in the same sequence as in an earlier deal were not shuffled in between: of ten
billion pairs of shuffled deals one to four have such a run, forwards or backwards, by their length."""
DEALS_KEPT: Final = 64
"""Deals whose order is remembered."""
_BORDER: Final = b"\0"
_UNREAD_FROM: Final = 0x60
"""Codes from here on, and 00h, name no face."""


class Contradiction(NamedTuple):
    """A statement that cannot be true beside what was said before: which, what it says, and what it should."""

    what: str
    stated: int
    known: int


class BookShown(Protocol):
    """A STATUS of the round, while the remainder lies in the tray: cards but for `packets`."""

    @property
    def deck(self) -> int: ...  # noqa: D102 - as the protocol's page has it
    @property
    def loaded(self) -> int: ...  # noqa: D102
    @property
    def packets(self) -> int: ...  # noqa: D102
    @property
    def dispensed(self) -> int: ...  # noqa: D102
    @property
    def in_tray(self) -> int: ...  # noqa: D102
    @property
    def remainder(self) -> int: ...  # noqa: D102
    @property
    def rejected(self) -> int: ...  # noqa: D102


class MisdealRecord(NamedTuple):
    """The device's record of a misdeal; `remainder` is None while it is not counted."""

    loaded: int
    packets: tuple[tuple[int, int], ...]
    remainder: int | None
    rejected: int


@dataclass(slots=True)
class DealBook:
    """One deal. `packets` are (expected, counted) in the order they came; those that were not lifted lie in the tray or
    went with the remainder. `loaded` is 0 while nobody knows how many cards the deck has; `verified` says that the
    device counted them before the deal."""

    deck: int = 0
    loaded: int = 0
    verified: bool = False
    packets: list[tuple[int, int]] = field(default_factory=list)
    lifted: int = 0
    """How many of them were lifted, from the first."""
    rejected: int = 0
    whole_tray: bool = False
    """`rejected` has the cards from before the deal, too."""
    remainder: tuple[int, int] | None = None
    """Expected and counted."""

    @property
    def dealt(self) -> int:
        """Cards in lifted packets, as counted."""
        return sum([counted for _, counted in self.packets[: self.lifted]])

    @property
    def waiting(self) -> int:
        """Cards in packets that nobody lifted."""
        return sum([counted for _, counted in self.packets[self.lifted :]])

    @property
    def right(self) -> tuple[int, int]:
        """What may be expected of the remainder: a packet that nobody lifted goes back and is counted with it, or stays
        a packet."""
        back = self.loaded - self.rejected - self.dealt
        return back, back - self.waiting

    @property
    def way(self) -> Way:
        """What became of the packet that nobody lifted, by `expected` of the remainder."""
        back, apart = self.right
        if self.remainder is None or back == apart:
            return ""
        return "stays a packet" if self.remainder[0] == apart else "goes back"

    @property
    def apart(self) -> int:
        """Cards of the packet that nobody lifted, where it stayed one by `expected` of the remainder."""
        back, apart = self.right
        return back - apart if self.remainder is not None and self.remainder[0] == apart else 0

    def contradicted(self, shown: BookShown, way: Way | None = None) -> Contradiction | None:
        """What a STATUS says of the round otherwise than the events before it; `way` is what became of the packet that
        nobody lifted once the remainder is there, by `expected` unless it is given."""
        counts, counted = [cards for _, cards in self.packets], self.remainder[1] if self.remainder is not None else 0
        packets, dealt, apart = self.lifted, sum(counts[: self.lifted]), 0
        if packets < len(counts):
            waiting = sum(counts) - dealt
            if way is None:
                stays = self.remainder is None or self.remainder[0] == self.loaded - self.rejected - dealt - waiting
            else:
                stays = way == "stays a packet"
            if stays:
                packets, apart = len(counts), waiting
        if (
            (shown.packets, shown.dispensed, shown.remainder) == (packets, dealt + apart, counted)
            and (shown.in_tray == counted + apart or self.remainder is None)
            and (shown.deck == self.deck or not self.deck)
            and (shown.loaded == self.loaded or not self.verified)
            and self._tray_fits(shown.rejected)
        ):
            return None
        pairs = (
            ("deck", shown.deck, self.deck or shown.deck),
            ("packets", shown.packets, packets),
            ("dispensed", shown.dispensed, dealt + apart),
            ("remainder", shown.remainder, counted),
            ("in-tray", shown.in_tray, counted + apart if self.remainder is not None else shown.in_tray),
            ("loaded", shown.loaded, self.loaded if self.verified else shown.loaded),
            ("rejected", shown.rejected, self.rejected),
        )
        return next(Contradiction(*pair) for pair in pairs if pair[1] != pair[2])

    def _tray_fits(self, rejected: int) -> bool:
        return rejected == self.rejected or (rejected > self.rejected and not self.whole_tray)

    def way_by(self, shown: BookShown) -> Way:
        """What became of the packet that nobody lifted by a STATUS that says so in each of its numbers; as `expected`
        has it where the STATUS says neither."""
        if not self.way:
            return ""
        other: Way = "goes back" if self.way == "stays a packet" else "stays a packet"
        return other if self.contradicted(shown) and not self.contradicted(shown, other) else self.way

    def record_contradicted(self, record: MisdealRecord, missing: int | None = None) -> Contradiction | None:
        """What a record of a misdeal says otherwise than the events before it; and, where it is known how many cards
        are `missing`, what does not add up in the record itself."""
        apart = self.remainder is None or self.way in ("", "stays a packet")
        known = self.packets if apart else self.packets[: self.lifted]
        left, counted = record.remainder, self.remainder[1] if self.remainder is not None else None
        held = sum([cards for _, cards in record.packets]) + record.rejected + (left or 0)
        adds_up = missing is None or left is None or held == record.loaded - missing
        pairs = [
            ("record-packets", len(record.packets), len(known), [*record.packets] == known),
            ("record-rejected", record.rejected, self.rejected, self._tray_fits(record.rejected)),
            ("record-loaded", record.loaded, self.loaded, not self.verified or record.loaded == self.loaded),
            ("record-remainder", left or 0, counted or 0, left == counted),
            ("record-sum", held, record.loaded, adds_up),
        ]
        return next((Contradiction(what, says, due) for what, says, due, fits in pairs if not fits), None)


def order_of(packets: Iterable[Sequence[int]]) -> str:
    """The order in which cards came, by their codes, as it is remembered: with each packet as it was said, and turned
    round, for nobody knows which end of a packet came out of the deck first."""
    codes = [bytes(cards) for cards in packets]
    return (b"".join(codes) + _BORDER + b"".join([cards[::-1] for cards in codes])).hex()


def dealt_again(order: str, before: Sequence[tuple[int, str]]) -> int | None:
    """The newest earlier deal, of those in `before` with their numbers, of which a run of cards came again in the same
    sequence, forwards or backwards; None when there is none. What was not read is in no run."""
    if not before:
        return None
    codes = bytes.fromhex(order)
    forwards = [codes[at : at + RUN] for at in range(len(codes) - RUN + 1)]
    read = b"".join([run + run[::-1] for run in forwards if max(run) < _UNREAD_FROM and 0 not in run]).hex()
    runs = [read[at : at + 2 * RUN] for at in range(0, len(read), 2 * RUN)]
    known = "|".join([other for _, other in before])
    found = [known.rindex(run) for run in runs if run in known]
    return before[known.count("|", 0, max(found))][0] if found else None


def remember(before: tuple[tuple[int, str], ...], number: int, order: str) -> tuple[tuple[int, str], ...]:
    """The deals remembered, with this one; one too short to say anything is not."""
    return before if len(order) < 4 * RUN else (*before, (number, order))[-DEALS_KEPT:]
