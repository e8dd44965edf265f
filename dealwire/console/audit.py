"""Who signed in and out, whose token was wrong, what was refused: sentences for the journal, so many a minute.

Time is passed in. A token never becomes part of a sentence, and nothing of a request does but the address it came from.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from protocol.printable import printable

LINES_MAX: Final = 6
"""Sentences of one kind within a minute; what is over it is counted, and written as one when the minute is over."""
MINUTE_NS: Final = 60 * 1_000_000_000

AccessKind = Literal["sign-in", "end", "wrong-token", "refused", "stranger"]
PLURALS: Final[dict[AccessKind, str]] = {
    "sign-in": "sign-ins",
    "end": "sessions that ended",
    "wrong-token": "wrong tokens",
    "refused": "refused acts",
    "stranger": "acts of somebody who is not signed in",
}
"""Each has minutes of its own: nobody who is not signed in takes the place of what somebody was refused."""

Write = Callable[[str, str], None]
"""Takes a table's name, empty for all of them, and a sentence; must not wait."""


@dataclass(slots=True)
class _Minute:
    began_ns: int
    written: int = 0
    more: int = 0
    newest: str = ""


class Audit:
    """Writes what concerns access, within bounds."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._minutes: dict[AccessKind, _Minute] = {}

    def note(self, kind: AccessKind, text: str, address: str, now_ns: int, table: str = "") -> None:
        """Something happened, asked for from `address`."""
        self.beat(now_ns)
        minute = self._minutes.setdefault(kind, _Minute(now_ns))
        if minute.written < LINES_MAX:
            minute.written += 1
            self._write(table, printable(f"{text} (from {address})" if address else text))
            return
        minute.more += 1
        minute.newest = address

    def beat(self, now_ns: int) -> None:
        """Sum up the minutes that are over."""
        for kind, minute in list(self._minutes.items()):
            if now_ns - minute.began_ns < MINUTE_NS:
                continue
            del self._minutes[kind]
            if minute.more:
                last = f", the last from {minute.newest}" if minute.newest else ""
                self._write("", printable(f"{minute.more} more {PLURALS[kind]} within a minute{last}"))
