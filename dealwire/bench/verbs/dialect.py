"""Steps of plans for shoes of other dialects, which report much and take few commands."""

import contextlib
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import Field

from dealwire.bench.hands.operator import SimulatedOperator
from dealwire.bench.record import Failed, NotRun
from dealwire.bench.verbs.context import AnyCheckContext
from dealwire.bench.verbs.device import ActAtDevice, Power
from dealwire.bench.verbs.dialect_probe import AngelEyeProbe, DialectProbe, HeardPiece
from dealwire.bench.verbs.gat import GAT_VERBS
from dealwire.bench.verbs.line import WaitFor
from dealwire.bench.verbs.probe import MS
from dealwire.bench.verbs.step import Hex, PlanStep
from protocol.angel_eye.messages import AcknowledgedMessage, LockMovedMessage, RejectedMessage
from protocol.bee_tek.messages import CardDrawnMessage
from protocol.errors import LocalError
from protocol.message import Message

ANSWER_MS: Final = 1_000
"""Milliseconds for the answer to a command: the time after which a host tries again."""
HEARD_MS: Final = 3_000
"""Milliseconds for a report on the line: far longer than the slowest line needs for a frame."""
ANSWERS: Final = (AcknowledgedMessage, RejectedMessage)
ASIDE: Final = frozenset({"StandingBy"})
"""Reports of a state, which may come between others."""


@dataclass
class DialectCheckContext(AnyCheckContext):
    """Context of a check at a shoe of another dialect."""

    probe: DialectProbe

    def put_right(self) -> None:
        """Clear and unlock a simulated shoe."""
        if isinstance(self.hands, SimulatedOperator):
            for act, fields in (("clear-error", {}), ("lock-key", {"locked": 0})):
                with contextlib.suppress(Failed, NotRun, LocalError):
                    self.hands.do(act, fields)
            self.probe.acks = True
            self.pause(2_000)

    def since(self) -> list[HeardPiece]:
        """Return the pieces received since the last action."""
        return self.probe.heard[self.probe.mark :]

    def reports(self) -> list[HeardPiece]:
        """Return the reports received since the last action, without repetitions."""
        came = (one for one in self.since() if not isinstance(one.message, ANSWERS))
        return [one for one in came if not one.again and one.name not in ASIDE]


class Acting(ActAtDevice):
    """`do`: the operator does this at the shoe, `repeat` times. The results of consecutive actions belong together."""

    repeat: int = Field(1, ge=1, le=100)

    def _run(self, context: AnyCheckContext) -> None:
        if not isinstance(context.last_step, Acting):
            context.probe.look_from_here()
        for _ in range(self.repeat):
            context.show(context.hands.do(self.do, self.fields))
            context.pause(20)


class Acking(PlanStep):
    """`acks`: true if reports are acknowledged from now on."""

    acks: bool

    def _run(self, context: DialectCheckContext) -> None:
        context.probe.acks = self.acks


class Saying(PlanStep):
    """`say`: bytes sent on the line."""

    say: Hex

    def _run(self, context: DialectCheckContext) -> None:
        context.probe.put(bytes.fromhex(self.say), f"{len(self.say.split())} bytes that mean nothing", bad=True)


class Commanding(PlanStep):
    """`command`: a command of the Angel Eye style, its type and two digits."""

    command: str = Field(pattern="^[A-Z]{2}[0-9]{2}$")
    damage: Literal["check", "cut"] | None = None

    def _run(self, context: DialectCheckContext) -> None:
        assert isinstance(context.probe, AngelEyeProbe)
        context.probe.command(self.command, self.damage)


class Answering(PlanStep):
    """`answer`: done for ACK, refused for NAK with a known reason, not done for NAK or nothing."""

    answer: Literal["done", "refused", "not done"]

    def _run(self, context: DialectCheckContext) -> None:
        def answers() -> list[Message | None]:
            return [one.message for one in context.since() if isinstance(one.message, ANSWERS)]

        context.probe.run(context.probe.wire.now_ns() + ANSWER_MS * MS, lambda: bool(answers()))
        came = answers()
        answer = "no answer" if not came else "ACK" if isinstance(came[0], AcknowledgedMessage) else "NAK"
        fine = {"done": answer == "ACK", "refused": answer == "NAK", "not done": answer != "ACK"}[self.answer]
        if not fine:
            words = {"done": "an ACK", "refused": "a NAK with its reason", "not done": "no ACK"}[self.answer]
            raise Failed(f"the command should have brought {words} within {ANSWER_MS} ms; came: {answer}")


class Hearing(PlanStep):
    """`heard`: these reports came since the last action, each once, in this order; `|` separates alternatives."""

    heard: tuple[str, ...]
    mode: str = ""
    """Mode of each report."""
    locked: bool | None = None
    """Direction of a LockMoved."""
    within: int = HEARD_MS

    def _run(self, context: DialectCheckContext) -> None:
        end_ns = context.probe.wire.now_ns() + (self.within + context.hands.patience_ms) * MS
        context.probe.run(end_ns, lambda: len(context.reports()) >= len(self.heard))
        context.pause(100)
        came = context.reports()
        fits = len(came) >= len(self.heard) and all(
            one.name in wanted.split("|") for one, wanted in zip(came, self.heard, strict=False)
        )
        if not fits:
            names = ", ".join(one.name for one in came) or "nothing"
            raise Failed(f"{', '.join(self.heard)} should have come within {self.within} ms; came: {names}")
        turned = next((one.message for one in came if isinstance(one.message, LockMovedMessage)), None)
        if self.locked is not None and turned is not None and turned.locked is not self.locked:
            raise Failed(f"LockMoved says {'locked' if turned.locked else 'unlocked'}, and it was the other way")
        other = next((one for one in came if self.mode and _mode(one.message) != self.mode), None)
        if other is not None:
            raise Failed(f"{other.name} stands in the mode {_mode(other.message)!r}, not {self.mode!r}")


def _mode(message: Message | None) -> str:
    """Return the mode of an item."""
    return str(message.mode) if isinstance(message, CardDrawnMessage) else ""


class Counting(PlanStep):
    """`count`: this many frames `of` a message came since the last action, including repetitions."""

    count: int
    of: str
    during: int

    def _run(self, context: DialectCheckContext) -> None:
        context.pause(self.during)
        found = sum(one.name == self.of for one in context.since())
        if found != self.count:
            raise Failed(f"{self.of} came {found} times, not {self.count}")


class Never(PlanStep):
    """`never`: this message does not come for this time (`during`)."""

    never: str
    during: int

    def _run(self, context: DialectCheckContext) -> None:
        _silent(context, self.during, self.never)


class Quiet(PlanStep):
    """`quiet`: nothing comes for this time."""

    quiet: int

    def _run(self, context: DialectCheckContext) -> None:
        _silent(context, self.quiet, "")


def _silent(context: DialectCheckContext, ms: int, name: str) -> None:
    """Raise Failed if a message of this name comes, or any if the name is empty."""
    start = len(context.probe.heard)
    context.pause(ms)
    came = next((one.name for one in context.probe.heard[start:] if not name or one.name == name), None)
    if came is not None:
        raise Failed(f"{came} came, which was not to come")


DIALECT_VERBS: Final[dict[str, type[PlanStep]]] = {next(iter(cls.model_fields)): cls for cls in (
    Acting, Power, WaitFor, Acking, Saying, Commanding, Answering, Hearing, Counting, Never, Quiet,
)} | GAT_VERBS  # fmt: skip
"""Steps by verb."""
