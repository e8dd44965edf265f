"""Watching a device that is being worked on: when it comes back, what failed is made again."""

from collections.abc import Iterator
from typing import Final

from dealwire.bench.record import BenchOutcome, NotRunCause
from dealwire.bench.run.runner import BenchRun
from dealwire.bench.verbs.probe import MS, Probe
from dealwire.bench.verbs.wire import Wire
from protocol.errors import LineClosed, LineGarbled, NoAnswer
from protocol.tdp.messages import HelloReplyMessage, Role

LOOK_NS: Final = 1_000 * MS
"""Between two looks at a device that is there."""
SILENT_NS: Final = 2_000 * MS
"""Without an answer for so long it is gone."""
AWAY_NS: Final = 60_000 * MS
"""How long a line is tried to be opened in one go."""
FOR_WANT_OF_IT: Final = frozenset({NotRunCause.LINE_GONE, NotRunCause.NO_SESSION, NotRunCause.LATE})
"""Not run because the device, or time for it, was wanting: worth another try when it is back."""


def to_make_again(run: BenchRun) -> tuple[str, ...]:
    """The checks that failed, or were not run for want of the device."""
    return tuple(it.id for it in run.results if it.outcome is BenchOutcome.FAILED or it.cause in FOR_WANT_OF_IT)


def await_return(wire: Wire, known: HelloReplyMessage) -> HelloReplyMessage:
    """Wait until the device that was `known` has gone and come back, and say what it says of itself then. A line that
    stays open while the device is off is noticed by its silence, or by another session or firmware."""
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
    """Put the results of a later run, of some of the checks, in the place of the earlier ones; what is otherwise now,
    a line each."""
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
            yield f"{before.id}: {now.outcome} otherwise: {now.why}"
    run.hello, run.ended_ns = later.hello, later.ended_ns
