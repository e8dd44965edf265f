"""Audit of access: sign-ins, wrong tokens and refusals as sentences for the journal, with a rate limit.

Time is an argument. No token becomes part of a sentence, and of a request only its address does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from protocol.printable import printable

LINES_MAX: Final = 6
"""Maximum number of sentences of one kind within a minute. More are counted, and written as one sentence at the end of
the minute."""
MINUTE_NS: Final = 60 * 1_000_000_000

AccessKind = Literal[
    "sign-in",
    "end",
    "wrong-token",
    "wrong-password",
    "enrolled",
    "copied-passkey",
    "issuer",
    "refused",
    "stranger",
    "unproved",
]
PLURALS: Final[dict[AccessKind, str]] = {
    "sign-in": "sign-ins",
    "end": "sessions that ended",
    "wrong-token": "wrong tokens",
    "wrong-password": "wrong passwords",
    "enrolled": "passkeys that were added",
    "copied-passkey": "passkeys that may be copied",
    "issuer": "failed sign-ins at the issuer",
    "refused": "refused actions",
    "stranger": "actions by someone who is not signed in",
    "unproved": "approvals that no passkey proved",
}
"""Kinds are counted separately, so that users without a sign-in cannot crowd out refusals of signed-in ones."""

Write = Callable[[str, str], None]
"""Takes a table's name, empty for all tables, and a sentence; must not wait."""


@dataclass(slots=True)
class _Minute:
    began_ns: int
    written: int = 0
    more: int = 0
    newest: str = ""


class Audit:
    """Writes sentences about access, within limits."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._minutes: dict[AccessKind, _Minute] = {}

    def note(self, kind: AccessKind, text: str, address: str, now_ns: int, table: str = "") -> None:
        """Record an event requested from `address`."""
        self.beat(now_ns)
        minute = self._minutes.setdefault(kind, _Minute(now_ns))
        if minute.written < LINES_MAX:
            minute.written += 1
            self._write(table, printable(f"{text} (from {address})" if address else text))
            return
        minute.more += 1
        minute.newest = address

    def beat(self, now_ns: int) -> None:
        """Write the summary of each minute that is over."""
        for kind, minute in list(self._minutes.items()):
            if now_ns - minute.began_ns < MINUTE_NS:
                continue
            del self._minutes[kind]
            if minute.more:
                last = f", the last from {minute.newest}" if minute.newest else ""
                self._write("", printable(f"{minute.more} more {PLURALS[kind]} within a minute{last}"))
