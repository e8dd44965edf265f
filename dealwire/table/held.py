"""Held money of a table: the open entries, their sum, and the newest for display.

Adding, releasing and displaying cost the same however many entries are open.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from dealer_flow.record.details import DOLLAR
from dealwire.hub.view import HeldView

SHOWN_MAX: Final = 50
"""Maximum number of entries shown one by one; the others are counted and summed."""


class HeldEntry(NamedTuple):
    """Money held from one round, in cents.

    `entry` is its unique number: in a journal, the number of the round's `settled` record, whose `hash` is kept here.
    `device`, `session` and `round` are from that record too. `at_ns` is when the round was settled, nanoseconds since
    1970. `readings` decided what is held.
    """

    entry: int
    device: str
    session: str
    round: int
    at_ns: int
    cents: int
    currency: str = DOLLAR
    why: str = ""
    clause: str = ""
    readings: tuple[str, ...] = ()
    hash: bytes = b""

    def view(self, say: Callable[[str], str] = str) -> HeldView:
        """Return the entry for display; `say` replaces ids in a sentence."""
        return HeldView(
            entry=self.entry,
            session=self.session,
            round=self.round,
            at_ns=self.at_ns,
            cents=self.cents,
            currency=self.currency,
            why=say(self.why),
            clause=self.clause,
            readings=self.readings,
        )


class HeldBook:
    """Open entries of one table, oldest first."""

    def __init__(self, entries: Iterable[HeldEntry] = ()) -> None:
        self._open: dict[int, HeldEntry] = {}
        self.cents: dict[str, int] = {}
        """The sum by currency."""
        self.say: Callable[[str], str] = str
        """Replaces ids in a sentence for display."""
        self._shown: tuple[HeldView, ...] | None = None
        for each in entries:
            self.add(each)

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[HeldEntry]:
        return iter(self._open.values())

    def get(self, entry: int) -> HeldEntry | None:
        """Return the open entry with this number; None if there is none."""
        return self._open.get(entry)

    def add(self, held: HeldEntry) -> None:
        """Open an entry."""
        self._open[held.entry] = held
        self.cents[held.currency] = self.cents.get(held.currency, 0) + held.cents
        self._shown = None

    def speak(self, say: Callable[[str], str]) -> None:
        """Set the function that words the sentences shown."""
        self.say, self._shown = say, None

    def release(self, entry: int) -> HeldEntry | None:
        """Close the entry with this number, which was settled by hand, and return it; None if it is not open."""
        found = self._open.pop(entry, None)
        if found is not None:
            self.cents[found.currency] -= found.cents
            if not self.cents[found.currency]:
                del self.cents[found.currency]
            self._shown = None
        return found

    @property
    def shown(self) -> tuple[HeldView, ...]:
        """The newest entries, oldest first; the same tuple until something changes."""
        if self._shown is None:
            newest = [*islice(reversed(self._open.values()), SHOWN_MAX)]
            self._shown = tuple(each.view(self.say) for each in reversed(newest))
        return self._shown
