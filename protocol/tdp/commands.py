"""The host's commands: one outstanding, the rest waiting in order, each tried a few times and then given up."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

from protocol.errors import QueueFull
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.messages import Message, Role, Status
from protocol.tdp.outputs import MESSAGE_IDS

QUEUE_MAX: Final = 16
"""Commands that may wait: more than a table ever asks for at once, so a full queue is a caller's loop."""

ACCEPTED_MAX: Final = 16
"""Accepted commands whose progress is still matched to them; older ones are forgotten."""

REQUEST_MAX: Final = 0xFFFF

_ROLES: Final[dict[type[Message], Role]] = {
    m.OpenSessionMessage: Role.OBSERVE,
    m.ReadEventsMessage: Role.OBSERVE,
    m.ReportStatusMessage: Role.OBSERVE,
    m.ReadMetersMessage: Role.OBSERVE,
    m.VerifyMessage: Role.OBSERVE,
    m.SelfTestMessage: Role.SERVICE,
}


BRINGS: Final[dict[type[Message], type[Message]]] = {
    m.ReadMetersMessage: m.MetersMessage,
    m.VerifyMessage: m.MeasuredMessage,
}
"""Commands whose reply is followed by a link message, and which."""


def role_needed(command: type[Message]) -> Role:
    """The least role that may send `command`: looking is free, whatever moves a card needs OPERATE."""
    return _ROLES.get(command, Role.OPERATE)


@dataclass(slots=True)
class Pending:
    """A command on its way to its answer. `own` marks the link's own commands, which no caller waits for."""

    request: int
    command: Message
    own: bool
    requested_ns: int
    due_ns: int = 0
    tries: int = 0

    @property
    def message_id(self) -> int:
        """What its reply's header names."""
        return MESSAGE_IDS[type(self.command)]

    @property
    def name(self) -> str:
        """The command's name, for messages."""
        return message_name(self.command)


class CommandQueue:
    """Who is outstanding, who waits, and which request id comes next (1 to 65535, wrapping, 0 never)."""

    def __init__(self) -> None:
        self.outstanding: Pending | None = None
        self._waiting: deque[Pending] = deque()
        self._accepted: dict[int, Message] = {}
        self._last_request = 0

    def seed(self, now_ns: int) -> None:
        """Start numbering at a point that a program started at another time hardly shares: a device that answers
        from its cache must not take our first commands for those of the program before us."""
        self._last_request = now_ns // 1_000_000 % REQUEST_MAX

    def go_on(self, request: int) -> None:
        """Number on from `request`, the last one used on a line before."""
        self._last_request = request

    @property
    def last_request(self) -> int:
        """The request id used last."""
        return self._last_request

    def skip(self, count: int) -> None:
        """Leave out the next `count` request ids."""
        self._last_request = (self._last_request + count) % REQUEST_MAX

    @property
    def waiting(self) -> int:
        """Commands not yet sent."""
        return len(self._waiting)

    def add(self, command: Message, now_ns: int) -> Pending:
        """Queue a caller's command; QueueFull when too many wait."""
        if len(self._waiting) >= QUEUE_MAX:
            raise QueueFull(QUEUE_MAX)
        pending = Pending(self._next_request(), command, False, now_ns)
        self._waiting.append(pending)
        return pending

    def own(self, command: Message, now_ns: int) -> Pending:
        """A command of the link itself, outstanding at once; only when nothing else is."""
        assert self.outstanding is None
        self.outstanding = Pending(self._next_request(), command, True, now_ns)
        return self.outstanding

    def next(self) -> Pending | None:
        """Make the next waiting command the outstanding one; None when one is outstanding or nobody waits."""
        if self.outstanding is not None or not self._waiting:
            return None
        self.outstanding = self._waiting.popleft()
        return self.outstanding

    def finish(self, status: int = Status.REFUSED) -> None:
        """The outstanding command is answered; of one that was accepted progress may still come, of others what they
        bring."""
        pending, self.outstanding = self.outstanding, None
        if pending is None or pending.own or status == Status.REFUSED:
            return
        if status == Status.ACCEPTED or type(pending.command) in BRINGS:
            while len(self._accepted) >= ACCEPTED_MAX:
                del self._accepted[next(iter(self._accepted))]
            self._accepted[pending.request] = pending.command

    def command_of(self, request: int) -> Message | None:
        """The outstanding or accepted command with this id."""
        pending = self.outstanding
        if pending is not None and pending.request == request:
            return None if pending.own else pending.command
        return self._accepted.get(request)

    def drain(self) -> list[Pending]:
        """Give up everything: the outstanding command first, then those waiting."""
        pending = [self.outstanding] if self.outstanding is not None else []
        pending += self._waiting
        self.outstanding = None
        self._waiting.clear()
        self._accepted.clear()
        return pending

    def _next_request(self) -> int:
        self._last_request = self._last_request % REQUEST_MAX + 1
        self._accepted.pop(self._last_request, None)
        return self._last_request
