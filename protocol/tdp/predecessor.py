"""The session before a restart, while the device still sends what it stored of it."""

from __future__ import annotations

from typing import Final

from protocol.tdp.event_order import EventOrder
from protocol.tdp.messages import GapMessage
from protocol.tdp.outputs import SESSION_EXTENSION, Output, SessionRestarted

SESSION_MARK: Final = bytes((SESSION_EXTENSION, 4))


def named_session(extensions: tuple[tuple[int, bytes], ...]) -> int | None:
    """Return the session that an event names; None if it names none, because it belongs to the current one."""
    for type_, value in extensions:
        if type_ == SESSION_EXTENSION and len(value) == 4:
            return int.from_bytes(value, "little")
    return None


class Predecessor:
    """Events of an ended session up to its last, as far as they can still be received."""

    __slots__ = ("_last", "order", "since_ns")

    def __init__(self, order: EventOrder, since_ns: int) -> None:
        self.order = order
        self.since_ns = since_ns
        self._last: int | None = None

    @property
    def complete(self) -> bool:
        """True once the session's last event is known and was delivered or reported lost."""
        return self._last is not None and self.order.expected > self._last

    def learn_end(self, gap: GapMessage) -> None:
        """Take the number of the session's last event from a GAP."""
        self._last = gap.last

    def finish(self, now_ns: int, successor: int, out: list[Output]) -> None:
        """Report the known missing events, then the change to session `successor`. Call it when no more events will
        come."""
        order, whole = self.order, self.complete
        order.give_up_all(now_ns, out)
        order.skip_to(max(order.last, self._last or 0) + 1, now_ns, out)
        out.append(SessionRestarted(order.session, successor, whole))
