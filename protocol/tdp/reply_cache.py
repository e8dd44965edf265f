"""Cache of answered commands on the device: a repeated request is answered again and never carried out twice."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from protocol.tdp.messages import Message, ReplyMessage

KEPT_MAX: Final = 32
"""Maximum number of requests to remember. A host has one outstanding, so a repeat is rarely older than the newest."""

KEPT_NS: Final = 10_000_000_000
"""Time to remember a request: far longer than every retry, and short enough for ids to wrap and for a host to restart.
"""


class Verdict(Enum):
    """Meaning of a request id when it arrives."""

    NEW = auto()
    WORKING = auto()
    ANSWERED = auto()
    REUSED = auto()


@dataclass(slots=True)
class Entry:
    """One request: its command, its time of arrival, and its reply once there is one."""

    command: Message
    at_ns: int
    reply: ReplyMessage | None = None


class ReplyCache:
    """Requests of one session. The oldest is dropped first."""

    def __init__(self) -> None:
        self._entries: dict[int, Entry] = {}

    def judge(self, request: int, command: Message, now_ns: int) -> tuple[Verdict, Entry]:
        """Remember a new `request`, or classify a known one: same id and body, or same id with another body."""
        entry = self._entries.get(request)
        if entry is not None and now_ns - entry.at_ns < KEPT_NS:
            if entry.command != command:
                return Verdict.REUSED, entry
            return (Verdict.WORKING if entry.reply is None else Verdict.ANSWERED), entry
        self._entries.pop(request, None)
        while len(self._entries) >= KEPT_MAX:
            del self._entries[next(iter(self._entries))]
        entry = self._entries[request] = Entry(command, now_ns)
        return Verdict.NEW, entry

    def get(self, request: int) -> Entry | None:
        """Return the remembered request, or None."""
        return self._entries.get(request)
