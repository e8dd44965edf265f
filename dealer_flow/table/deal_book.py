"""One deal of a shuffler, card by card, by every statement of the device: its events, its STATUS, its misdeal record.

Pure, and shared by the table and the bench: the caller enters each statement, and checks whether the next one is
consistent with it. The answer is the first contradiction, as a value; the caller has the sentence for it.
`docs/protocol.md`, *What is held against what*, lists the statements.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, Protocol

Way = Literal["", "goes back", "stays a packet"]
"""Fate of the packet that was not lifted; empty if there is no difference."""

RUN: Final = 8
"""Length of a run of cards that shows, if it is in the same sequence as in an earlier deal, that they were not
shuffled.

Of ten billion pairs of shuffled deals one to four have such a run, forwards or backwards, depending on their length.
"""
DEALS_KEPT: Final = 64
"""Number of deals whose order is remembered."""
_BORDER: Final = b"\0"
_UNREAD_FROM: Final = 0x60
"""First of the codes that, like 00h, name no face."""


class Contradiction(NamedTuple):
    """A statement that contradicts earlier ones: what it is about, the value stated, and the value known."""

    what: str
    stated: int
    known: int


class BookShown(Protocol):
    """A STATUS of the round, while the remainder lies in the tray; numbers of cards, except for `packets`."""

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
    """One deal.

    `packets` are (expected, counted) in the order they came; those that were not lifted are in the tray or went with
    the remainder. `loaded` is 0 while the number of cards in the deck is unknown; `verified` says that the device
    counted them before the deal.
    """

    deck: int = 0
    loaded: int = 0
    verified: bool = False
    packets: list[tuple[int, int]] = field(default_factory=list)
    lifted: int = 0
    """Number of packets that were lifted, from the first."""
    rejected: int = 0
    whole_tray: bool = False
    """True if `rejected` includes the cards from before the deal."""
    remainder: tuple[int, int] | None = None
    """Expected and counted cards; None before the remainder is out."""

    @property
    def dealt(self) -> int:
        """Cards in lifted packets, as counted."""
        return sum([counted for _, counted in self.packets[: self.lifted]])

    @property
    def waiting(self) -> int:
        """Cards in packets that were not lifted."""
        return sum([counted for _, counted in self.packets[self.lifted :]])

    @property
    def right(self) -> tuple[int, int]:
        """Values that may be expected of the remainder: a packet that was not lifted goes back and is counted with it,
        or stays a packet."""
        back = self.loaded - self.rejected - self.dealt
        return back, back - self.waiting

    @property
    def way(self) -> Way:
        """Fate of the packet that was not lifted, according to `expected` of the remainder."""
        back, apart = self.right
        if self.remainder is None or back == apart:
            return ""
        return "stays a packet" if self.remainder[0] == apart else "goes back"

    @property
    def apart(self) -> int:
        """Cards of the packet that was not lifted, if it stayed one according to `expected` of the remainder."""
        back, apart = self.right
        return back - apart if self.remainder is not None and self.remainder[0] == apart else 0

    def contradicted(self, shown: BookShown, way: Way | None = None) -> Contradiction | None:
        """Return the contradiction between a STATUS of the round and the events before it, or None.

        `way` is what happened to the packet that was not lifted, once the remainder is out; by default as `expected`
        has it.
        """
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
        """Return the fate of the packet that was not lifted, if all numbers of a STATUS agree on it.

        Otherwise the fate that `expected` gives.
        """
        if not self.way:
            return ""
        other: Way = "goes back" if self.way == "stays a packet" else "stays a packet"
        return other if self.contradicted(shown) and not self.contradicted(shown, other) else self.way

    def record_contradicted(self, record: MisdealRecord, missing: int | None = None) -> Contradiction | None:
        """Return the contradiction between a record of a misdeal and the events before it, or None.

        If it is known how many cards are `missing`, also check that the record itself adds up.
        """
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
    """Return the order in which cards came, as hexadecimal codes: with each packet as reported, and reversed.

    It is unknown which end of a packet came out of the deck first.
    """
    codes = [bytes(cards) for cards in packets]
    return (b"".join(codes) + _BORDER + b"".join([cards[::-1] for cards in codes])).hex()


def dealt_again(order: str, before: Sequence[tuple[int, str]]) -> int | None:
    """Return the number of the latest earlier deal in `before` of which a run of cards came again in the same sequence.

    Runs count forwards and backwards; cards that were not read are in no run. None if there is no such deal.
    """
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
    """Return the deals to remember, including this one unless it is too short to tell anything."""
    return before if len(order) < 4 * RUN else (*before, (number, order))[-DEALS_KEPT:]
