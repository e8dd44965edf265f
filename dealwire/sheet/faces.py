"""Sealed faces of a round, read from the raw record with the key."""

from collections.abc import Sequence
from typing import Any

from dealwire.journal.contents import TableSnapshot, TableStart
from dealwire.journal.rebuilding import Dealing
from dealwire.journal.records import JournalRecord
from dealwire.journal.rounds import RoundReader
from dealwire.journal.snapshots import Kept
from dealwire.sheet.clocks import Times
from dealwire.sheet.model import FacesRead
from dealwire.sheet.window import RoundWindow
from dealwire.table.event_line import fields
from dealwire.table.redaction import PublishedLine
from devices.events import Seen

_SAYS_WHAT = ("place", "where", "ordinal", "deck", "how", "mode")
"""Fields that say which cards a report is about."""


class _Listener:
    """Publisher that only collects the reports of devices."""

    def __init__(self, heard: list[Seen]) -> None:
        self._heard = heard

    def publish(self, seen: Seen) -> Sequence[PublishedLine]:
        self._heard.append(seen)
        return ()

    def finish(self) -> Sequence[PublishedLine]:
        return ()


class _Listeners:
    """Makes the collector for a started or resumed table; only the state of its lines matters."""

    def __init__(self, heard: list[Seen]) -> None:
        self._heard = heard

    def __call__(self, start: TableStart) -> _Listener:
        return _Listener(self._heard)

    def adopt(self, snapshot: TableSnapshot, kept: Kept) -> _Listener:
        return _Listener(self._heard)

    def skipped(self, record: JournalRecord) -> None:
        """Ignore it: no meter is kept here."""


def read_faces(reader: RoundReader, table: str, window: RoundWindow, times: Times) -> tuple[FacesRead, ...]:
    """Return every report of the round that names a face. KeyUnknown if the reader's key does not open the record."""
    heard: list[Seen] = []
    dealing = Dealing(reader, _Listeners(heard))
    snapshot = reader.snapshot(table, up_to=window.first)
    if snapshot is not None:
        dealing.adopt(snapshot)
    begin = snapshot.sequence if snapshot is not None else reader.begun(table, window.first) - 1
    before = 0
    for record in reader.records(begin):
        if record.sequence > window.last:
            break
        if record.sequence == window.first:
            before = len(heard)
        if record.table == table:
            dealing.take(record)
    return tuple(found for seen in heard[before:] if (found := _faces(seen, times)) is not None)


def _faces(seen: Seen, times: Times) -> FacesRead | None:
    body = fields(seen)
    cards = _cards(body)
    if not cards:
        return None
    what = ", ".join(f"{name} {body[name]}" for name in _SAYS_WHAT if body.get(name) not in (None, ""))
    at_ns, report = seen.at_ns, type(seen.body).__name__
    return FacesRead(at_ns, times.written(at_ns), seen.device, report, what, tuple(cards))


def _cards(body: dict[str, Any]) -> list[str]:
    """Return the cards in a report."""
    one = [body["card"]] if body.get("card") not in (None, "--") else []
    return one + [card for name in ("cards", "low", "rest") for card in body.get(name) or ()]
