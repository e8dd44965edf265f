"""A transport that journals everything: input before it is decoded, output once the disk has what precedes it."""

from collections.abc import Callable

from dealwire.journal.journal import Journal
from devices.budget import Budget
from devices.clock import Clock
from devices.record.recording import LINE_LOST, Recorded
from devices.transport.base import LineClosed, Transport


class Gate:
    """Releases output once a turn, for all lines after one commit, because each commit takes milliseconds.

    `later` runs a function at the end of the turn, as `Owner.call_soon` does.
    """

    def __init__(self, later: Callable[[Callable[[], None]], None]) -> None:
        self._later = later
        self._waiting: list[Journaled] = []
        self._kept_in: list[Journaled] = []

    def wait(self, line: "Journaled") -> None:
        """Schedule the output of `line`."""
        if not self._waiting:
            self._later(self._open)
        self._waiting.append(line)

    def try_again(self) -> None:
        """Release output that waits for a file locked by another program. Call it from time to time."""
        kept_in, self._kept_in = self._kept_in, []
        for line in kept_in:
            self.wait(line)

    def _open(self) -> None:
        waiting, self._waiting = self._waiting, []
        for line in waiting:  # the first line writes the group; the others find it written
            if not line.let_out():
                self._kept_in.append(line)


class Journaled(Recorded):
    """A transport around `inner` for line number `line` of `journal`. Use the owner's clock, so that times agree.

    No byte goes out before everything that came in is on the disk, so a device never gets an acknowledgment for
    something that a kill could lose. `patient` is for a line whose every report is published and whose device gets
    acknowledgments for reports only: bytes without results then wait for their record. If the journal fails or is
    closed, the line closes, and the device keeps what was not acknowledged.

    With a `gate`, shared by all lines of an owner, output waits for the end of the turn; without one, each write
    commits. Of input above `budget` only a note is journaled, and nothing is passed on.
    """

    def __init__(
        self,
        inner: Transport,
        journal: Journal,
        line: int,
        clock: Clock,
        gate: Gate | None = None,
        *,
        budget: Budget | None = None,
        patient: bool = False,
    ) -> None:
        super().__init__(inner, journal, line, clock, budget)
        self._journal, self._gate, self._number, self._patient = journal, gate, line, patient
        self._held = bytearray()
        self._waits = False  # the gate will call `let_out`
        self._broken: LineClosed | None = None  # error of `let_out`, raised by the next read or write
        self._wake: Callable[[], None] = lambda: None

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Pass on."""
        self._wake = wake
        super().on_ready(wake)

    def read(self) -> bytes:
        """Read and journal; return the bytes."""
        self._raise_broken()
        data = super().read()
        if data:
            self._check()
        return data

    def write(self, data: bytes) -> int:
        """Write once the open group is on the disk; journal what the line took."""
        self._raise_broken()
        if self._gate is None:
            return self._write(data, super().write)
        if self._held and not self._waits:
            del self._held[: self._write(bytes(self._held), super().write)]  # the line was full and may have room now
            if self._held:
                return 0
        self._held += data
        if not self._waits:
            self._waits = True
            self._gate.wait(self)
        return len(data)

    def let_out(self) -> bool:
        """Write what was held back; called by the gate. False if it must wait for the disk. Errors are raised by the
        next read or write."""
        self._waits = False
        if self._ended:
            return True
        try:
            del self._held[: self._write(bytes(self._held), self._write_recorded)]
        except LineClosed as error:
            self._broken = error
            self._wake()
            return True
        self._waits = waits = self._journal.locked_since_ns is not None and bool(self._held)
        return not waits

    def close(self) -> None:
        """Close after writing what was held back; the journal notes the time."""
        if self._held and self._broken is None:
            self.let_out()
        super().close()

    def _raise_broken(self) -> None:
        """Raise the error of `let_out`. Only now is the line lost, so that its note and the results have the time of
        this turn."""
        if self._broken is not None:
            self._end(LINE_LOST + self._broken.why)
            raise self._broken

    def _write(self, data: bytes, put: Callable[[bytes], int]) -> int:
        if not self._patient:
            self._journal.prepare_output(self._number)
        secured = not self._journal.must_commit or self._journal.secure()
        self._check()
        return put(data) if secured else 0

    def _check(self) -> None:
        why = self._journal.stopped_why
        if why is not None:
            raise LineClosed(self.name, f"the journal stopped: {why}")

    def _record(self, record: Callable[[], None]) -> None:
        """Record, without a budget: a line continues only while all of it is journaled."""
        record()
