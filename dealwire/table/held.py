"""Money that nobody has paid or taken yet, as a table keeps it: what is open, its sum, and the newest of it to show.

However much is open, adding, releasing and showing cost the same.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from dealer_flow.record.details import DOLLAR
from dealwire.hub.view import HeldView

SHOWN_MAX: Final = 50
"""As many are shown one by one; of the others their number and their sum."""


class HeldEntry(NamedTuple):
    """What is held of one round, in cents. `entry` is its number, which no other ever has: in a journal that of the
    record `settled` of its round, with that record's `hash`. `device`, `session` and `round` are that record's too.
    `at_ns`: when the round was settled, nanoseconds since 1970; `readings` decided what is held."""

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
        """As a person sees it; `say` takes the ids out of a sentence."""
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
    """What is held at one table and still open, oldest first."""

    def __init__(self, entries: Iterable[HeldEntry] = ()) -> None:
        self._open: dict[int, HeldEntry] = {}
        self.cents: dict[str, int] = {}
        """The sum by currency."""
        self.say: Callable[[str], str] = str
        """Takes the ids out of a sentence, for a person."""
        self._shown: tuple[HeldView, ...] | None = None
        for each in entries:
            self.add(each)

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[HeldEntry]:
        return iter(self._open.values())

    def get(self, entry: int) -> HeldEntry | None:
        """The one with this number; None when it is not open."""
        return self._open.get(entry)

    def add(self, held: HeldEntry) -> None:
        """It is open from now on."""
        self._open[held.entry] = held
        self.cents[held.currency] = self.cents.get(held.currency, 0) + held.cents
        self._shown = None

    def speak(self, say: Callable[[str], str]) -> None:
        """Show it in these words from now on."""
        self.say, self._shown = say, None

    def release(self, entry: int) -> HeldEntry | None:
        """Somebody settled it: it is open no more. None when none with this number is."""
        found = self._open.pop(entry, None)
        if found is not None:
            self.cents[found.currency] -= found.cents
            if not self.cents[found.currency]:
                del self.cents[found.currency]
            self._shown = None
        return found

    @property
    def shown(self) -> tuple[HeldView, ...]:
        """The newest, oldest first: the same tuple while nothing changes."""
        if self._shown is None:
            newest = [*islice(reversed(self._open.values()), SHOWN_MAX)]
            self._shown = tuple(each.view(self.say) for each in reversed(newest))
        return self._shown
