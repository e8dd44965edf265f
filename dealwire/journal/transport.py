"""A transport with all that passes in the journal: what comes before it is decoded, what goes once the disk has it."""

from collections.abc import Callable

from dealwire.journal.journal import Journal
from devices.budget import Budget
from devices.clock import Clock
from devices.record.recording import LINE_LOST, Recorded
from devices.transport.base import LineClosed, Transport


class Gate:
    """Lets bytes out once a turn, those of all lines after one commit: a disk takes milliseconds for each.

    `later` runs a function at the end of the turn, as `Owner.call_soon` does.
    """

    def __init__(self, later: Callable[[Callable[[], None]], None]) -> None:
        self._later = later
        self._waiting: list[Journaled] = []
        self._kept_in: list[Journaled] = []

    def wait(self, line: "Journaled") -> None:
        """`line` has bytes to let out."""
        if not self._waiting:
            self._later(self._open)
        self._waiting.append(line)

    def try_again(self) -> None:
        """Let out what waits since the file was locked by another program. Call it now and then."""
        kept_in, self._kept_in = self._kept_in, []
        for line in kept_in:
            self.wait(line)

    def _open(self) -> None:
        waiting, self._waiting = self._waiting, []
        for line in waiting:  # the first one has the group written; what is sent then owes nothing
            if not line.let_out():
                self._kept_in.append(line)


class Journaled(Recorded):
    """A transport around `inner` for line number `line` of `journal`. Use the owner's clock, so that times agree.

    No byte goes out before everything that came in is on the disk: a device is never told that we have what a kill
    could take from us. `patient` is for a line whose every report is published and whose device is thanked for reports
    alone: what leads to nothing then waits for its record, and only what something came of is on the disk before. When
    the journal fails or is closed, the line closes, and the device keeps what we did not thank it for.
    With a `gate`, which all lines of an owner share, bytes wait for the end of the turn; without, each write commits.
    Of what exceeds `budget` only a note is journalled, and nothing goes on.
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
        self._waits = False  # the gate knows of what is held
        self._broken: LineClosed | None = None  # what `let_out` met, for whoever calls next
        self._wake: Callable[[], None] = lambda: None

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Passed on."""
        self._wake = wake
        super().on_ready(wake)

    def read(self) -> bytes:
        """Passed on, and journalled before it is given."""
        self._raise_broken()
        data = super().read()
        if data:
            self._check()
        return data

    def write(self, data: bytes) -> int:
        """Passed on once the open group is on the disk; what the line took is journalled."""
        self._raise_broken()
        if self._gate is None:
            return self._write(data, super().write)
        if self._held and not self._waits:
            del self._held[: self._write(bytes(self._held), super().write)]  # the line was full: now it may have room
            if self._held:
                return 0
        self._held += data
        if not self._waits:
            self._waits = True
            self._gate.wait(self)
        return len(data)

    def let_out(self) -> bool:
        """Called by the gate: write what was held back; False when it has to wait for the disk. What goes wrong is told
        by the next read or write."""
        self._waits = False
        if self._ended:
            return True
        try:
            del self._held[: self._write(bytes(self._held), self._let_out)]
        except LineClosed as error:
            self._broken = error
            self._wake()
            return True
        self._waits = waits = self._journal.locked_since_ns is not None and bool(self._held)
        return not waits

    def close(self) -> None:
        """Passed on, after what was held back; the journal says when."""
        if self._held and self._broken is None:
            self.let_out()
        super().close()

    def _raise_broken(self) -> None:
        """What `let_out` met. Only now is the line lost: its note and what follows have one time, the turn's."""
        if self._broken is not None:
            self._end(LINE_LOST + self._broken.why)
            raise self._broken

    def _write(self, data: bytes, put: Callable[[bytes], int]) -> int:
        if not self._patient:
            self._journal.thanks(self._number)
        secured = not self._journal.owes or self._journal.secure()
        self._check()
        return put(data) if secured else 0

    def _check(self) -> None:
        why = self._journal.stopped_why
        if why is not None:
            raise LineClosed(self.name, f"the journal stopped: {why}")

    def _record(self, record: Callable[[], None]) -> None:
        """A line goes on only while all of it is written down."""
        record()
