"""Rules that look at what stands in the fields of a device's messages: its sessions, its clock, its texts, its states.

They look on as those of `rules` do, and are listed in a plan like them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from dealwire.bench.record import HeardFrame
from dealwire.bench.rules import RULES, BenchRule, Known, name_of
from dealwire.bench.rules_deals import DEAL_RULES
from dealwire.bench.rules_shoe import SHOE_RULES
from dealwire.bench.rules_truth import TRUTH_RULES
from protocol.tdp import messages as m
from protocol.tdp.messages import Kind
from protocol.tdp.outputs import SESSION_EXTENSION, DeviceStatus

NEAR: Final = 256
"""Two session ids that are nearer than this, or one that is below it, were not drawn by chance: of a million power-ups
that are, one in ten is mistaken so."""
STILL_MS: Final = 900
"""Two statuses that arrive so far apart were made at different times, however late the line was."""
MOVED_MS: Final = 10
"""The least by which a clock of milliseconds has moved on then; one of seconds has not."""
AHEAD_MS: Final = 5_000
"""How much further a device's clock may have moved than time between two statuses: what a line held back."""
_WRAP: Final = 1 << 32
_RESERVED: Final = range(0x02, 0x80)
_SESSION_BYTES: Final = 4


@dataclass
class _Sessions(BenchRule):
    """Session ids are drawn by chance, over the power-ups of the run and against the session before them."""

    drawn: list[int] = field(default_factory=list)

    def hear(self, heard: HeardFrame, known: Known) -> None:
        message = heard.message
        session = 0
        if isinstance(message, m.HelloReplyMessage):
            session = message.session
        elif isinstance(heard.event, m.BootedMessage):
            session = heard.event.previous_session
        if session and session not in self.drawn:
            self._draw(session)

    def _draw(self, session: int) -> None:
        others = [other for other in self.drawn if _apart(session, other) < NEAR]
        self.drawn.append(session)
        near = f"{session:08X}h and {others[0]:08X}h" if others else f"{session:08X}h"
        self._judge(not others and session >= NEAR, lambda: f"{near}: counted, not drawn by chance")

    def over(self) -> None:
        pass  # what was drawn before is just what the next one is compared with


def _apart(one: int, other: int) -> int:
    return min((one - other) % _WRAP, (other - one) % _WRAP)


@dataclass
class _Uptime(BenchRule):
    """`uptime_ms` counts milliseconds: it goes on with time, and never back within a session."""

    last: tuple[int, int, int] | None = None

    def hear(self, heard: HeardFrame, known: Known) -> None:
        status = heard.message
        if not isinstance(status, DeviceStatus):
            return
        last, self.last = self.last, (heard.at_ns, status.uptime_ms, status.session)
        if last is None or last[2] != status.session:
            return
        passed_ms = (heard.at_ns - last[0]) / 1e6
        moved_ms = (status.uptime_ms - last[1] + _WRAP // 2) % _WRAP - _WRAP // 2
        stands = passed_ms >= STILL_MS and moved_ms < MOVED_MS
        fine = moved_ms >= 0 and not stands and moved_ms <= passed_ms + AHEAD_MS
        self._judge(fine, lambda: f"it went on by {moved_ms} ms in {passed_ms:.0f} ms")


class _Extensions(BenchRule):
    """No reserved extension is sent, and 01h is the four bytes of a session, with an event."""

    def hear(self, heard: HeardFrame, known: Known) -> None:
        wrong = [
            f"{kind:02X}h of {len(data)} bytes"
            for kind, data in heard.envelope.extensions
            if kind in _RESERVED
            or (kind == SESSION_EXTENSION and (heard.envelope.kind != Kind.EVENT or len(data) != _SESSION_BYTES))
        ]
        self._judge(not wrong, lambda: f"{name_of(heard)} carries extension {', '.join(wrong)}")


class _Texts(BenchRule):
    """A text of HELLO-REPLY is filled up with zeros, not with blanks."""

    def hear(self, heard: HeardFrame, known: Known) -> None:
        hello = heard.message
        if isinstance(hello, m.HelloReplyMessage):
            texts = {name: str(getattr(hello, name)) for name in ("maker", "model", "serial", "firmware")}
            filled = [name for name, text in texts.items() if text != text.rstrip()]
            self._judge(not filled, lambda: f"{', '.join(filled)} ends with blanks")


@dataclass
class _StateChanges(BenchRule):
    """`previous` of a StateChanged is the `state` of the one before it, when all events between them were heard."""

    number: int = 0
    state: int | None = None

    def hear(self, heard: HeardFrame, known: Known) -> None:
        event = heard.event
        if event is None or event.number <= self.number:
            return
        follows, self.number = event.number == self.number + 1, event.number
        state = self.state if follows else None
        if isinstance(event, m.StateChangedMessage):
            if state is not None:
                words = f"event {event.number} says {event.previous}; the one before it said {state}"
                self._judge(event.previous == state, lambda: words)
            state = event.state
        self.state = state


ALL_RULES: Final[dict[str, Callable[[], BenchRule]]] = {
    **RULES,
    "sessions": _Sessions,
    "uptime": _Uptime,
    "extensions": _Extensions,
    "texts": _Texts,
    "state-changes": _StateChanges,
    **TRUTH_RULES,
    **DEAL_RULES,
    **SHOE_RULES,
}
"""What a plan may list under `rule`."""
