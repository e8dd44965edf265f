"""The fault matrix: faults of a line, and the driver's observed behavior. `make docs` prints the part of
`docs/reliability.md` before `BY_HAND` from `EXPECTED`; `tests/devices/test_fault_matrix.py` runs every cell for real.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Final

from devices.events import EventsLost, PacketLifted, SessionChanged
from devices.line.supervisor import LineState
from protocol.errors import LineAmbiguous, LineGarbled
from protocol.tdp import Answered, Unanswered
from protocol.tdp import messages as m
from tests.support.rigs.lines_under_test import SECOND, Bench

ROOT: Final = Path(__file__).parents[3]
DOCUMENT: Final = ROOT / "docs" / "reliability.md"
BY_HAND: Final = "\n## Attacks and failures\n"
"""From here on the document is written by hand."""

LINES: Final = ("serial", "USB", "TCP", "RFC 2217")


def after(ns: int) -> str:
    """Return a time on the manual clock as a class, so that a millisecond of a real thread does not change the text."""
    seconds = ns / SECOND
    classes = ((0, 0.06, "at once"), (0, 2.0, "within 2 s"), (2.7, 3.5, "at 3 s"), (9.5, 12.0, "at 10 s"))
    return next((name for least, most, name in classes if least <= seconds <= most), f"after {seconds:.1f} s")


class Trial:
    """One fault on one line, and its observed effects."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.ended: list[Answered | Unanswered] = []
        self.asked_ns = self.ended_ns = 0
        self.emitted = 0

    def event(self) -> None:
        """Let the device emit an event, even while no host receives it."""
        self.emitted += 1
        self.bench.device.emit(m.PacketLiftedMessage, ordinal=self.emitted)

    def ask(self) -> None:
        """Send a command that is on its way when the fault comes."""
        bench = self.bench

        def done(output: Answered | Unanswered) -> None:
            self.ended.append(output)
            self.ended_ns = bench.clock.now_ns()

        self.asked_ns = bench.clock.now_ns()
        bench.supervisor.request(m.DispenseMessage(), done)

    def lost(self) -> str:
        """Run until the loss is reported; return its time."""
        bench = self.bench
        known, start_ns = len(bench.losses()), bench.clock.now_ns()
        assert bench.run(lambda: len(bench.losses()) > known, 30), "the loss was never reported"
        bench.settle()
        assert bench.supervisor.state is not LineState.KNOWN
        return after(bench.seen[-1].at_ns - start_ns)

    def back(self, since_ns: int | None = None) -> str:
        """Run until the device is known again and all its events are there; return the time."""
        bench = self.bench
        start_ns = bench.clock.now_ns() if since_ns is None else since_ns
        assert bench.run(self.whole, 60), (bench.supervisor.state, bench.supervisor.problem, bench.numbers())
        return after(bench.clock.now_ns() - start_ns)

    def ordinals(self) -> list[int]:
        """Return the delivered events, as the device counted them across its sessions."""
        return [body.ordinal for body in self.bench.bodies(PacketLifted)]

    def whole(self) -> bool:
        """Return True if the device's state is known and each of its events was delivered, once and in order."""
        return self.bench.supervisor.state is LineState.KNOWN and len(self.ordinals()) == self.emitted

    def goes_on(self) -> str:
        """Return how the events continued, judged by what was delivered."""
        bench = self.bench
        assert self.ordinals() == list(range(1, self.emitted + 1))
        assert not bench.bodies(EventsLost)
        if bench.bodies(SessionChanged):
            assert not bench.ups()[-1].resumed
            return "reported as restarted"
        return "no event missed" if len(bench.ups()) == 1 else "continues, no event missed"


# ------------------------------------------------------------------ the faults


def unplug_idle(t: Trial) -> str:
    t.bench.wire.unplug()
    lost = t.lost()
    t.event()
    t.bench.wire.plug()
    return f"lost {lost}; back {t.back()}: {t.goes_on()}"


def unplug_reading(t: Trial) -> str:
    for _ in range(5):
        t.event()
    t.bench.device.say(b"\x20\x01\x02\x03half a frame")
    t.bench.owner.turn()
    t.bench.wire.unplug()
    lost = t.lost()
    t.bench.wire.plug()
    return f"lost {lost}; back {t.back()}: {t.goes_on()}"


def unplug_writing(t: Trial) -> str:
    t.bench.device.reads = False
    t.ask()
    t.bench.wire.unplug()
    lost = t.lost()
    assert isinstance(t.ended[0], Unanswered)
    assert t.ended[0].error.__cause__ is not None
    t.bench.device.reads = True
    t.bench.wire.plug()
    back = t.back()
    assert m.DispenseMessage() not in t.bench.device.commands, "a command nobody confirmed was sent again"
    return f"lost {lost}, command ends as unknown, never repeated; back {back}: {t.goes_on()}"


def unplug_each_state(t: Trial) -> str:
    lost, back = set(), set()
    for state in m.ShufflerState:
        t.bench.device.state = state
        t.event()
        t.bench.wire.unplug()
        lost.add(t.lost())
        t.bench.wire.plug()
        back.add(t.back())
        assert t.bench.supervisor.status is not None
        assert t.bench.supervisor.status.state == state
    return f"{len(m.ShufflerState)} states, each: lost {' or '.join(lost)}; back {' or '.join(back)}: {t.goes_on()}"


def renamed(t: Trial) -> str:
    t.bench.wire.unplug()
    lost = t.lost()
    t.event()
    t.bench.wire.plug(renamed=True)
    return f"lost {lost}; found again {t.back()}: {t.goes_on()}"


def half_open(t: Trial) -> str:
    frozen_ns = t.bench.clock.now_ns()
    t.ask()
    t.bench.wire.freeze()
    t.event()
    lost = t.lost()
    return f"lost {lost}; line opened again, back {t.back(frozen_ns)}: {t.goes_on()}"


def stall(t: Trial) -> str:
    t.bench.device.reads = t.bench.device.speaks = False
    t.event()
    lost = t.lost()
    t.bench.run(lambda: False, 2)
    t.bench.device.reads = t.bench.device.speaks = True
    back = t.back()
    assert t.bench.supervisor.losses == 0
    return f"lost {lost}, line kept; back {back}: {t.goes_on()}"


def noise(t: Trial) -> str:
    source = random.Random(11)
    start_ns = t.bench.clock.now_ns()
    for _ in range(128):  # a line that is full takes no more until somebody read it
        t.bench.device.say(source.randbytes(2048))
        t.event()
        t.bench.settle()
        session = t.bench.supervisor.session
        heard = session.link.stats.noise_bytes if session is not None else 0
        if heard > 24 * 1024:
            break
        if session is not None:  # on a busy machine what was said takes its time
            t.bench.run(lambda: session.link.stats.noise_bytes > heard, 0.05)  # noqa: B023
    assert t.bench.run(t.whole, 30)
    assert not t.bench.losses()
    assert t.bench.supervisor.session is not None
    assert t.bench.supervisor.session.link.stats.noise_bytes > 16 * 1024
    return f"32 KiB counted as noise; whole {after(t.bench.clock.now_ns() - start_ns)}: {t.goes_on()}"


def wrong_baud(t: Trial) -> str:
    t.bench.wire.unplug()
    t.lost()
    t.bench.device.garbles = True
    t.bench.wire.plug()
    bench, start_ns = t.bench, t.bench.clock.now_ns()
    assert bench.run(lambda: isinstance(bench.supervisor.problem, LineGarbled), 30)
    said = after(bench.clock.now_ns() - start_ns)
    assert "no frame: wrong baud rate" in str(bench.supervisor.problem)
    bench.device.garbles = False
    t.event()
    t.back()
    assert bench.supervisor.problem is None
    return f"named as garbled {said}; right again: {t.goes_on()}"


def reboot(t: Trial) -> str:
    t.event()
    t.bench.device.boot()
    t.event()
    start_ns = t.bench.clock.now_ns()
    t.back()
    return f"seen {after(t.bench.clock.now_ns() - start_ns)}: events of both sessions read, {t.goes_on()}"


def twins(t: Trial) -> str:
    bench = t.bench
    bench.wire.unplug()
    t.lost()
    bench.wire.twin()
    bench.run(lambda: False, 30)
    assert isinstance(bench.supervisor.error, LineAmbiguous), bench.supervisor.error
    assert len(bench.supervisor.error.choices) == 2
    t.event()
    bench.wire.untwin()
    if bench.wire.kind == "serial":
        bench.wire.plug()
    start_ns = bench.clock.now_ns()
    t.back()
    assert bench.clock.now_ns() - start_ns < 12 * SECOND
    return f"refused, both named; back at the next try (10 s at most) once one is left: {t.goes_on()}"


def stranger(t: Trial) -> str:
    """Put another device at the address: a network address has no duplicates."""
    bench = t.bench
    bench.wire.unplug()
    t.lost()
    bench.device.serial = "0002"
    bench.device.store = type(bench.device.store)()
    bench.device.boot()
    bench.wire.plug()
    start_ns = bench.clock.now_ns()
    assert bench.run(lambda: len(bench.ups()) == 2, 30)
    assert bench.bodies(SessionChanged)
    assert not bench.ups()[-1].resumed
    assert bench.ups()[-1].serial == "0002"
    return f"another device at the address: reported as restarted, {after(bench.clock.now_ns() - start_ns)}"


FAULTS: Final[dict[str, Callable[[Trial], str]]] = {
    "unplugged while idle": unplug_idle,
    "unplugged while it is read": unplug_reading,
    "unplugged while it is written": unplug_writing,
    "unplugged in each shuffler state": unplug_each_state,
    "plugged in under a new name": renamed,
    "half-open: silent, without an error": half_open,
    "stalled for 5 s": stall,
    "flood of noise": noise,
    "wrong baud rate": wrong_baud,
    "device rebooted": reboot,
    "duplicate device": twins,
}


def trial_of(fault: str, line: str) -> Callable[[Trial], str]:
    """Return the trial of a cell."""
    return stranger if fault == "duplicate device" and line in ("TCP", "RFC 2217") else FAULTS[fault]


EXPECTED: Final[dict[str, str]] = {
    "unplugged while idle": "lost at once; back within 2 s: continues, no event missed",
    "unplugged while it is read": "lost at once; back within 2 s: continues, no event missed",
    "unplugged while it is written": (
        "lost at once, command ends as unknown, never repeated; back within 2 s: continues, no event missed"
    ),
    "unplugged in each shuffler state": "18 states, each: lost at once; back within 2 s: continues, no event missed",
    "plugged in under a new name": "lost at once; found again within 2 s: continues, no event missed",
    "half-open: silent, without an error": "lost at 3 s; line opened again, back at 10 s: continues, no event missed",
    "stalled for 5 s": "lost at 3 s, line kept; back within 2 s: continues, no event missed",
    "flood of noise": "32 KiB counted as noise; whole within 2 s: no event missed",
    "wrong baud rate": "named as garbled at 3 s; right again: continues, no event missed",
    "device rebooted": "seen at once: events of both sessions read, reported as restarted",
    "duplicate device": (
        "refused, both named; back at the next try (10 s at most) once one is left: continues, no event missed"
    ),
}
"""Result of each fault on every kind of line, unless `OTHERWISE` has another."""

_STRANGER: Final = "another device at the address: reported as restarted, within 2 s"

OTHERWISE: Final = {("duplicate device", "TCP"): _STRANGER, ("duplicate device", "RFC 2217"): _STRANGER}


def expected_cell(fault: str, line: str) -> str:
    """Return the expected text of a cell."""
    return OTHERWISE.get((fault, line), EXPECTED[fault])


HEAD: Final = """# What happens when a line fails
<!-- printed by make docs -->

A test performs every cell below on real pseudo-terminals, real TCP connections, pyserial's RFC 2217 server, and pyusb
over a bus in the test's process. The test advances the clock; *at once* is within 60 ms. Nothing hangs: a pending
command ends, answered or unknown, within 0.8 s (three tries, 250 ms each), and closing leaves no thread, descriptor or
lock.

*Continues* means that the session is kept and that the next event follows the last delivered one. Times count from the
fault; for *back*, from the moment the line is available again; for *half-open*, both from the fault.
"""

FOOT: Final = """
A serial line is found again by its adapter's serial number, then by its USB path. If two match, both are named and
neither is opened. A network address cannot match twice; there, another device answers instead.

dealwire reopens a lost line at once, then after 0.2 s, doubling to 10 s. It reopens a line without a valid frame
for 10 s. It reports bytes without a frame for 3 s as a wrong baud rate.
"""


def render() -> str:
    """Return the document, up to the part written by hand."""
    rows = [f"| fault | {' | '.join(LINES)} |", "| --- " * (len(LINES) + 1) + "|"]
    rows += [f"| {fault} | {' | '.join(expected_cell(fault, line) for line in LINES)} |" for fault in FAULTS]
    return f"{HEAD}\n" + "\n".join(rows) + f"\n{FOOT}"


def published(page: str) -> str:
    """Return the document with its table as it must be."""
    return render() + "".join(page.partition(BY_HAND)[1:])
