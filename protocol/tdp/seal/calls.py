"""Calls under way at the host's end: one for each HELLO-REPLY that may be the device's, since anyone can send one in
clear. They take turns, so that a forged one costs a turn and not the line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from protocol.tdp.seal.noise import Handshake

WAITING_MAX: Final = 4
"""Number of calls that wait for their first turn, at most; others are not made."""
SENT_MAX: Final = 8
"""Number of calls that wait for an answer, at most. They are the newest, so that a slow device can still answer."""


@dataclass(slots=True)
class Call:
    """A call, and the handshake that waits for its answer."""

    greeting: bytes
    """Payload of the HELLO-REPLY that the call is made for; the handshake covers all its bytes."""
    shake: Handshake
    frame: bytes
    """The call as it is sent, the same each time."""
    tries: int = 0
    """Number of times that it was sent."""


class Calls:
    """The calls under way."""

    def __init__(self) -> None:
        self.busy = False
        """True while there is a call under way."""
        self._waiting: list[Call] = []
        self._sent: list[Call] = []

    def __len__(self) -> int:
        return len(self._waiting) + len(self._sent)

    def __contains__(self, greeting: bytes) -> bool:
        return any(call.greeting == greeting for call in (*self._waiting, *self._sent))

    @property
    def full(self) -> bool:
        """True if there is no room for another one to wait for its turn."""
        return len(self._waiting) >= WAITING_MAX

    def add(self, call: Call) -> None:
        """Have a call wait for its turn, if there is room."""
        if not self.full:
            self._waiting.append(call)
        self.busy = True

    def next(self, tries: int) -> Call | None:
        """Return the call whose turn it is: the first that waits, or of those sent fewer than `tries` times the one
        sent least often. None if there is none."""
        if self._waiting:
            call = self._waiting.pop(0)
            self._sent = [*self._sent, call][-SENT_MAX:]
        else:
            call = min(self._sent, key=lambda each: each.tries)
        if call.tries >= tries:
            return None
        call.tries += 1
        return call

    def answered(self, message: bytes) -> Call | None:
        """Return the call that this message answers, with its finished handshake; None if it answers none."""
        for call in self._sent:
            finished = call.shake.after(message)
            if finished is not None:
                call.shake = finished
                return call
        return None

    def clear(self) -> None:
        """Give up all of them."""
        self._waiting, self._sent, self.busy = [], [], False
