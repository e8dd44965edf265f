"""Watch mode: repeat failed checks each time the device under development comes back."""

from collections.abc import Iterator
from typing import Final

from dealwire.bench.record import BenchOutcome, NotRunCause
from dealwire.bench.run.runner import BenchRun
from dealwire.bench.verbs.probe import MS, Probe
from dealwire.bench.verbs.wire import Wire
from protocol.errors import LineClosed, LineGarbled, NoAnswer
from protocol.tdp.messages import HelloReplyMessage, Role

LOOK_NS: Final = 1_000 * MS
"""Nanoseconds between two polls of a device that is present."""
SILENT_NS: Final = 2_000 * MS
"""Nanoseconds without an answer after which the device counts as gone."""
AWAY_NS: Final = 60_000 * MS
"""Nanoseconds of one attempt to open the line."""
FOR_WANT_OF_IT: Final = frozenset({NotRunCause.LINE_GONE, NotRunCause.NO_SESSION, NotRunCause.LATE})
"""Causes that may go away with the device's return: these checks are repeated, too."""


def to_make_again(run: BenchRun) -> tuple[str, ...]:
    """Return the checks to repeat: failed, or not run because the device was missing."""
    return tuple(it.id for it in run.results if it.outcome is BenchOutcome.FAILED or it.cause in FOR_WANT_OF_IT)


def await_return(wire: Wire, known: HelloReplyMessage) -> HelloReplyMessage:
    """Wait until the device has gone and come back, and return its new HELLO. If the line stays open while the device
    is off, its silence, or another session or firmware, shows the restart."""
    gone, probe = False, Probe(wire, role=Role.OBSERVE)
    while True:
        try:
            found = probe.meet(SILENT_NS)
            if gone or _itself(found) != _itself(known):
                return found
            probe.known.session = 0  # no session is kept alive while nobody is judging
            probe.run(wire.now_ns() + LOOK_NS)
        except (NoAnswer, LineGarbled):
            gone = True
        except LineClosed:
            gone = True
            while not wire.reopen(wire.now_ns() + AWAY_NS):
                pass
            probe = Probe(wire, role=Role.OBSERVE)


def _itself(hello: HelloReplyMessage) -> tuple[object, ...]:
    return hello.session, hello.boot_count, hello.firmware, hello.digest


def take_over(run: BenchRun, later: BenchRun) -> Iterator[str]:
    """Replace results of `run` by those of a later run, and yield a line for each change."""
    newer = {it.id: it for it in later.results if it.cause is not NotRunCause.FILTERED}
    for at, before in enumerate(run.results):
        now = newer.get(before.id)
        if now is None:
            continue
        run.results[at] = now
        if now.outcome is not before.outcome:
            why = f": {now.why}" if now.why else ""
            yield f"{before.id}: was {before.outcome}, is {now.outcome}{why}"
        elif now.why != before.why:
            yield f"{before.id}: {now.outcome} differently: {now.why}"
    run.hello, run.ended_ns = later.hello, later.ended_ns
