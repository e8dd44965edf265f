"""Steps about numbered events, repetitions, kept events, and the device's view of its host."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Final, Literal

from pydantic import Field

from dealwire.bench.record import Failed
from dealwire.bench.values import Wanted, compares, spell
from dealwire.bench.verbs.context import CheckContext
from dealwire.bench.verbs.line import Replying
from dealwire.bench.verbs.probe import MS
from dealwire.bench.verbs.step import STATUS_MS, Number, PlanStep, ReasonName, Time
from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.outputs import SESSION_EXTENSION, DeviceStatus

TRIES: Final = 3
"""Number of late attempts after which a device is called late."""
READ_MS: Final = 2_000
"""Milliseconds that a few events may take on a slow line."""


def _numbers(context: CheckContext, start: int, *, old: bool = False) -> list[int]:
    """Return the numbers of the events received from a place in the list on, including repetitions."""
    heard = [one for one in context.probe.heard[start:] if one.is_old is old]
    return [one.message.number for one in heard if isinstance(one.message, m.Event)]


class OldEvents(PlanStep):
    """`old_events`: this many events of the previous session come, from number `first` on, each naming that session."""

    old_events: int = Field(ge=1)
    first: Number
    """Number of the first event."""

    def _run(self, context: CheckContext) -> None:
        probe, first = context.probe, context.number(self.first)
        wanted = list(range(first, first + self.old_events))
        end_ns = probe.wire.now_ns() + READ_MS * MS
        probe.run(end_ns, lambda: len(_numbers(context, probe.mark, old=True)) >= self.old_events)
        context.pause(50)
        came = _numbers(context, probe.mark, old=True)
        if came != wanted:
            raise Failed(f"of the session before, events {came} came with extension 01h, not {wanted}")
        left = getattr(context.command, "session", 0)
        for heard in probe.heard[probe.mark :]:
            named = {data for kind, data in heard.envelope.extensions if kind == SESSION_EXTENSION and len(data) == 4}
            if isinstance(heard.message, m.Event) and named - {left.to_bytes(4, "little")}:
                words = ", ".join(f"{int.from_bytes(data, 'little'):08X}h" for data in named)
                raise Failed(f"event {heard.message.number} of session {left:08X}h names {words} in extension 01h")


class NoEvents(PlanStep):
    """`no_events`: no event comes for this time."""

    no_events: Time

    def _run(self, context: CheckContext) -> None:
        start = len(context.probe.heard)
        context.pause(self.no_events)
        if came := _numbers(context, start):
            raise Failed(f"events {sorted(set(came))} came in {self.no_events} ms")


class Again(PlanStep):
    """`again`: within this time, events come again from this number on, in order, and none before it."""

    again: Number
    through: Number | None = None
    """Number up to which each event must come again."""
    during: Time

    def _run(self, context: CheckContext) -> None:
        start = context.probe.mark
        context.pause(self.during)
        numbers, first = _numbers(context, start), context.number(self.again)
        if first not in numbers:
            raise Failed(f"event {first} did not come again in {self.during} ms")
        if min(numbers) < first:
            raise Failed(f"event {min(numbers)} came again; {first} is the first that was missing")
        for before, after in pairwise(numbers):
            if after not in (before + 1, first):
                raise Failed(f"event {after} came after event {before}")
        through = first if self.through is None else context.number(self.through)
        if missing := sorted({*range(first, through + 1)} - {*numbers}):
            raise Failed(f"events {first} to {through} were to come again in {self.during} ms; {missing} did not")


class Newest(PlanStep):
    """`newest`: the newest event received has this number, or one that satisfies the comparison."""

    newest: Number

    def _run(self, context: CheckContext) -> None:
        context.pause(1)
        found, due = context.probe.last_event, context.number(self.newest)
        if not compares(found, self.newest, context.names):
            raise Failed(f"event {found} is the newest that came, where {self.newest} ({due}) was due")


class CaughtUp(PlanStep):
    """`caught_up`: every event up to this one comes, except those that a GAP reports as lost; a GAP must leave `kept`
    events."""

    caught_up: Number
    kept: Number
    """Number of events that the device must still hold."""
    within: Time

    def _run(self, context: CheckContext) -> None:
        last, probe, kept = context.number(self.caught_up), context.probe, context.number(self.kept)
        if not probe.run(probe.wire.now_ns() + self.within * MS, lambda: probe.last_event >= last):
            raise Failed(f"event {probe.last_event} is the newest after {self.within} ms; {last} was due")
        _from_requested(context)
        for gap in (heard.message for heard in probe.heard):
            if isinstance(gap, m.GapMessage) and gap.last - gap.first_kept + 1 < kept:
                left = gap.last - gap.first_kept + 1
                raise Failed(f"{spell(gap)} leaves {left} events, fewer than {kept}")


def _from_requested(context: CheckContext) -> None:
    """Check that the answer to READ-EVENTS begins with the requested event, unless a GAP reports it as lost."""
    due = context.probe.known.read_from
    for heard in context.probe.heard[context.probe.mark :]:
        message = heard.message
        if isinstance(message, m.GapMessage):
            if message.first_missing != due:
                after = " after the GAP before it" if due != context.probe.known.read_from else ""
                raise Failed(f"{spell(message)} does not begin with event {due}, which was due{after}")
            due = message.first_kept
        elif isinstance(message, m.Event):
            if message.number != due:
                raise Failed(f"event {message.number} came first where {due} was due, and no GAP said that it is gone")
            return


class AnyStatus(PlanStep):
    """`status`: a status with these fields comes within this time."""

    status: Time
    where: dict[str, Wanted] = Field(default_factory=dict)

    def _run(self, context: CheckContext) -> None:
        context.need(context.profile.status, self.where, self.status + context.hands.patience_ms)

    @property
    def of_status(self) -> Mapping[str, Wanted]:
        """Required fields."""
        return self.where


# ------------------------------------------------------------------ the host as the device sees it


class Operate(PlanStep):
    """`operate`: a command that needs the role OPERATE is refused for this reason."""

    operate: ReasonName

    def _run(self, context: CheckContext) -> None:
        _refused(context, context.profile.operate, self.operate)


class Foreign(PlanStep):
    """`foreign`: a command of another device class is refused for this reason."""

    foreign: ReasonName

    def _run(self, context: CheckContext) -> None:
        _refused(context, context.profile.other, self.foreign)


def _refused(context: CheckContext, command: m.Message, reason: str) -> None:
    context.command, context.request = command, context.probe.new_request()
    context.requested_ns = context.probe.wire.now_ns()
    context.probe.send(command, context.request)
    Replying(reply="refused", reason=(reason,))(context)


class LostHost(PlanStep):
    """`lost`: the device reports its host as lost (601), not before this time since the last frame, and by `at_most`. A
    device that reports it later than `promptly` gets two more attempts, since a line or a machine may be late once."""

    lost: Time
    at_most: Time
    """Latest time for the report."""
    promptly: Time | None = None
    """Time that one of three attempts must meet."""

    def _run(self, context: CheckContext) -> None:
        tries = [self._silence(context)]
        while self.promptly is not None and min(tries) > self.promptly + context.allowance_ms:
            if len(tries) == TRIES:
                shown = ", ".join(f"{after_ms:.0f}" for after_ms in tries)
                raise Failed(f"the device holds its host for lost after {shown} ms, each time after {self.promptly} ms")
            context.probe.send(m.HeartbeatMessage(context.probe.known.session))
            HostIsBack(back=STATUS_MS)(context)
            context.probe.send(m.HeartbeatMessage(context.probe.known.session))
            tries.append(self._silence(context))

    def _silence(self, context: CheckContext) -> float:
        """Return the time from the last frame to the report."""
        since_ns, newest = context.probe.sent_ns, context.probe.last_event
        found = context.wait_for(context.profile.status, {"faults": "+601"}, self.at_most)
        if found is None:
            raise Failed(f"{self.at_most} ms without a frame, and the device does not hold its host for lost (601)")
        signs = [heard for heard in context.probe.heard if _is_lost(heard.event, newest)]
        after_ms = (min(heard.at_ns for heard in (found[0], *signs)) - since_ns) / MS
        context.time("host lost", after_ms, self.at_most)
        if after_ms < self.lost - context.allowance_ms:
            raise Failed(f"the device holds its host for lost after {after_ms:.0f} ms, before {self.lost} ms")
        return after_ms


def _is_lost(event: m.Event | None, newest: int) -> bool:
    return isinstance(event, m.FaultRaisedMessage) and event.fault == Fault.HOST_LOST and event.number > newest


class HostIsBack(PlanStep):
    """`back`: fault 601 is cleared within this time."""

    back: Time

    def _run(self, context: CheckContext) -> None:
        context.need(context.profile.status, {"faults": "-601"}, self.back)


class HostStaysLost(PlanStep):
    """`still_lost`: the newest status, at most a second old, still shows fault 601."""

    still_lost: Literal[True]

    def _run(self, context: CheckContext) -> None:
        status = context.probe.status
        if not isinstance(status, DeviceStatus) or Fault.HOST_LOST not in status.faults:
            raise Failed("the device took what is no sign of life for one: it does not hold its host for lost (601)")
