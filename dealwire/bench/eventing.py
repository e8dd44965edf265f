"""What the verbs do that look at numbered events: which came again, which are kept, where the device stands."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from dealwire.bench import plan_device as d
from dealwire.bench import plan_steps as p
from dealwire.bench.moves import reply
from dealwire.bench.probe import MS
from dealwire.bench.record import Failed
from dealwire.bench.rules import is_old
from dealwire.bench.stand import Stand
from dealwire.bench.values import compares, milliseconds, spell
from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.outputs import DeviceStatus

READ_MS: Final = 2_000
"""How long a handful of events may take on a slow line."""


def old_events(stand: Stand, step: p.OldEvents) -> None:
    """`old_events`."""
    first = stand.number(step.first)
    wanted = list(range(first, first + step.old_events))

    def numbers() -> list[int]:
        heard = stand.probe.heard[stand.probe.mark :]
        return [
            h.envelope.message.number for h in heard if is_old(h.envelope) and isinstance(h.envelope.message, m.Event)
        ]

    stand.probe.run(stand.probe.wire.now_ns() + READ_MS * MS, lambda: len(numbers()) >= step.old_events)
    stand.pause(50)
    if numbers() != wanted:
        raise Failed(f"of the session before, events {numbers()} came with extension 01h, not {wanted}")


def _numbers(stand: Stand, start: int) -> list[int]:
    """Numbers of the events heard from a place in the list on, each time they were."""
    messages = [(h.envelope.message, h) for h in stand.probe.heard[start:]]
    return [one.number for one, heard in messages if isinstance(one, m.Event) and not is_old(heard.envelope)]


def no_events(stand: Stand, step: p.NoEvents) -> None:
    """`no_events`."""
    start = len(stand.probe.heard)
    stand.pause(milliseconds(step.no_events))
    if _numbers(stand, start):
        raise Failed(f"events {sorted(set(_numbers(stand, start)))} came in {milliseconds(step.no_events)} ms")


def again(stand: Stand, step: p.Again) -> None:
    """`again`."""
    start = stand.probe.mark
    stand.pause(milliseconds(step.during))
    numbers, first = _numbers(stand, start), stand.number(step.again)
    if first not in numbers:
        raise Failed(f"event {first} did not come again in {milliseconds(step.during)} ms")
    if min(numbers) < first:
        raise Failed(f"event {min(numbers)} came again; {first} is the first that was missing")
    for before, after in pairwise(numbers):
        if after not in (before + 1, first):
            raise Failed(f"event {after} came after event {before}")


def newest(stand: Stand, step: p.Newest) -> None:
    """`newest`."""
    stand.pause(1)
    found = stand.probe.last_event
    if not compares(found, step.newest, stand.names):
        raise Failed(
            f"event {found} is the newest that came, where {step.newest} ({stand.number(step.newest)}) was due"
        )


def caught_up(stand: Stand, step: p.CaughtUp) -> None:
    """`caught_up`."""
    last = stand.number(step.caught_up)
    limit_ms = milliseconds(step.within)
    if not stand.probe.run(stand.probe.wire.now_ns() + limit_ms * MS, lambda: stand.probe.last_event >= last):
        raise Failed(f"event {stand.probe.last_event} is the newest after {limit_ms} ms; {last} was due")
    _from_requested(stand)
    gaps = [h.envelope.message for h in stand.probe.heard if isinstance(h.envelope.message, m.GapMessage)]
    for gap in gaps:
        if gap.last - gap.first_kept + 1 < step.kept:
            raise Failed(f"{spell(gap)} leaves {gap.last - gap.first_kept + 1} events, fewer than {step.kept}")


def _from_requested(stand: Stand) -> None:
    """What READ-EVENTS brings begins with the event that was asked for, or a GAP says up to where they are gone."""
    due = stand.probe.known.read_from
    for heard in stand.probe.heard[stand.probe.mark :]:
        message = heard.envelope.message
        if isinstance(message, m.GapMessage):
            due = message.first_kept
        elif isinstance(message, m.Event):
            if message.number != due:
                raise Failed(f"event {message.number} came first where {due} was due, and no GAP said that it is gone")
            return


def operate(stand: Stand, step: d.Operate) -> None:
    """`operate`."""
    _refused(stand, stand.profile.operate, step.operate)


def foreign(stand: Stand, step: d.Foreign) -> None:
    """`foreign`."""
    _refused(stand, stand.profile.other, step.foreign)


def _refused(stand: Stand, command: m.Message, reason: str) -> None:
    stand.command, stand.request = command, stand.probe.new_request()
    stand.requested_ns = stand.probe.wire.now_ns()
    stand.probe.send(command, stand.request)
    reply(stand, p.Replying(reply="refused", reason=reason))


def greet(stand: Stand, step: p.Greeting) -> None:
    """`greet`."""
    stand.probe.meet((milliseconds(step.greet) + stand.hands.patience_ms) * MS)
    stand.probe.mark = len(stand.probe.heard)


def any_status(stand: Stand, step: p.AnyStatus) -> None:
    """`status`."""
    limit_ms = milliseconds(step.status) + stand.hands.patience_ms
    stand.need(stand.profile.status, step.where, limit_ms)


def lost(stand: Stand, step: d.LostHost) -> None:
    """`lost`."""
    since_ns = stand.probe.sent_ns
    limit_ms = milliseconds(step.at_most)
    found = stand.wait_for(stand.profile.status, {"faults": "+601"}, limit_ms)
    if found is None:
        raise Failed(f"{limit_ms} ms without a frame, and the device does not hold its host for lost (601)")
    after_ms = (found[0].at_ns - since_ns) / MS
    stand.time("host lost", after_ms, step.at_most)
    if after_ms < milliseconds(step.lost) - stand.allowance_ms:
        raise Failed(f"the device holds its host for lost after {after_ms:.0f} ms, before {milliseconds(step.lost)} ms")


def back(stand: Stand, step: d.HostIsBack) -> None:
    """`back`."""
    stand.need(stand.profile.status, {"faults": "-601"}, milliseconds(step.back))


def still_lost(stand: Stand, _: d.HostStaysLost) -> None:
    """`still_lost`."""
    status = stand.probe.status
    if not isinstance(status, DeviceStatus) or Fault.HOST_LOST not in status.faults:
        raise Failed("the device took what is no sign of life for one: it does not hold its host for lost (601)")
