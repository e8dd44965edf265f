"""Queue of the host's commands. One is outstanding, the rest wait in order; each is retried a few times."""

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
"""Maximum number of waiting commands. No table needs as many at once, so a full queue means a loop in the caller."""

ACCEPTED_MAX: Final = 16
"""Maximum number of accepted commands whose progress is still matched; older ones are dropped."""

REQUEST_MAX: Final = 0xFFFF

_ROLES: Final[dict[type[Message], Role]] = {
    m.OpenSessionMessage: Role.OBSERVE,
    m.ReadEventsMessage: Role.OBSERVE,
    m.ReportStatusMessage: Role.OBSERVE,
    m.ReadMetersMessage: Role.OBSERVE,
    m.VerifyMessage: Role.OBSERVE,
    m.SelfTestMessage: Role.SERVICE,
}


DATA_MESSAGES: Final[dict[type[Message], type[Message]]] = {
    m.ReadMetersMessage: m.MetersMessage,
    m.VerifyMessage: m.MeasuredMessage,
}
"""Commands whose reply is followed by a link message, with that message."""


def role_needed(command: type[Message]) -> Role:
    """Return the lowest role that may send `command`. Reading needs OBSERVE; anything that moves a card needs
    OPERATE."""
    return _ROLES.get(command, Role.OPERATE)


@dataclass(slots=True)
class Pending:
    """A command that has no answer yet. `own` marks the link's own commands, for which no caller waits."""

    request: int
    command: Message
    own: bool
    requested_ns: int
    due_ns: int = 0
    tries: int = 0

    @property
    def message_id(self) -> int:
        """Message id that the header of its reply carries."""
        return MESSAGE_IDS[type(self.command)]

    @property
    def name(self) -> str:
        """Name of the command, for error messages."""
        return message_name(self.command)


class CommandQueue:
    """The outstanding command, those waiting, and the next request id (1 to 65535, then 1 again, never 0)."""

    def __init__(self) -> None:
        self.outstanding: Pending | None = None
        self._waiting: deque[Pending] = deque()
        self._accepted: dict[int, Message] = {}
        self._last_request = 0

    def seed(self, now_ns: int) -> None:
        """Start the request ids at a point derived from the time.

        A device answers repeated ids from its cache. Another starting point keeps it from taking our first commands for
        those of the program that ran before.
        """
        self._last_request = now_ns // 1_000_000 % REQUEST_MAX

    def resume_after(self, request: int) -> None:
        """Continue numbering after `request`, the last id used on the previous line."""
        self._last_request = request

    @property
    def last_request(self) -> int:
        """Request id that was used last."""
        return self._last_request

    def skip(self, count: int) -> None:
        """Skip the next `count` request ids."""
        self._last_request = (self._last_request + count) % REQUEST_MAX

    @property
    def waiting(self) -> int:
        """Number of commands that have not been sent."""
        return len(self._waiting)

    def add(self, command: Message, now_ns: int) -> Pending:
        """Queue a command for a caller. Raise QueueFull if too many are waiting."""
        if len(self._waiting) >= QUEUE_MAX:
            raise QueueFull(QUEUE_MAX)
        pending = Pending(self._next_request(), command, False, now_ns)
        self._waiting.append(pending)
        return pending

    def start_own(self, command: Message, now_ns: int) -> Pending:
        """Make a command of the link itself outstanding at once. Call it only if no command is outstanding."""
        assert self.outstanding is None
        self.outstanding = Pending(self._next_request(), command, True, now_ns)
        return self.outstanding

    def next(self) -> Pending | None:
        """Make the next waiting command the outstanding one and return it; None if one is outstanding or none waits."""
        if self.outstanding is not None or not self._waiting:
            return None
        self.outstanding = self._waiting.popleft()
        return self.outstanding

    def finish(self, status: int = Status.REFUSED) -> None:
        """Complete the outstanding command, which was answered with `status`.

        An accepted command stays known for its progress, and one whose reply is followed by data for that data.
        """
        pending, self.outstanding = self.outstanding, None
        if pending is None or pending.own or status == Status.REFUSED:
            return
        if status == Status.ACCEPTED or type(pending.command) in DATA_MESSAGES:
            while len(self._accepted) >= ACCEPTED_MAX:
                del self._accepted[next(iter(self._accepted))]
            self._accepted[pending.request] = pending.command

    def command_of(self, request: int) -> Message | None:
        """Return the outstanding or accepted command with this id, or None."""
        pending = self.outstanding
        if pending is not None and pending.request == request:
            return None if pending.own else pending.command
        return self._accepted.get(request)

    def drain(self) -> list[Pending]:
        """Remove and return all commands: the outstanding one first, then those waiting."""
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
