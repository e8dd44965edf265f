"""Operator that is a program. It is started once, reads a JSON line for each manual step, and answers with one.

The protocol is documented in `docs/bench-operator.md`.
"""

import contextlib
import os
import select
import shlex
import subprocess
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal

import msgspec

from dealwire.bench.hands.actions import HELLO, NEW_CHECK, HandTask, hand_actions, hand_task
from dealwire.bench.hands.operator import PATIENCE_MS, Operator
from dealwire.bench.hands.program import SCHEMA
from dealwire.bench.record import NotRun, NotRunCause
from devices.clock import SystemClock
from protocol.errors import LocalError
from protocol.printable import printable

MS: Final = 1_000_000
PATIENCE_MAX_MS: Final = 600_000
"""Maximum extra time, in milliseconds, that a program may request for the device."""
HELLO_MS: Final = 30_000
"""Time for the answer to the first line, in milliseconds: the program may have to find its jig first."""
RESET_MS: Final = 10_000
"""Time to get ready for another check, in milliseconds."""
LINE_MAX: Final = 65_536
"""Maximum length of an answer, in bytes."""
END_S: Final = 5.0
"""Seconds the program may take to exit after its input ended."""
TURN_MS: Final = 5
"""Milliseconds between two polls of its output; the device's line is serviced in between."""


class OperatorGone(LocalError):
    """Error: the operator program could not be started, ended, gave an invalid answer, or gave none."""

    def __init__(self, command: str, why: str) -> None:
        self.command, self.why = command, why
        super().__init__(f"--operator-program {command}: {why}")


class OperatorRequest(msgspec.Struct, frozen=True, rename={"fields": "with"}):
    """Request of the bench."""

    schema: str
    id: int
    action: str
    fields: dict[str, Any]
    say: str
    deadline_ms: int


class OperatorAnswer(msgspec.Struct, frozen=True):
    """Answer of the program. Unknown keys are ignored."""

    id: int
    result: Literal["done", "cannot", "failed"]
    why: str = ""
    name: str = ""
    can: tuple[str, ...] | None = None
    patience_ms: Annotated[int, msgspec.Meta(ge=0, le=PATIENCE_MAX_MS)] = 0


def _just_wait(stdout: int, ms: int) -> None:
    select.select([stdout], [], [], ms / 1000)


class OperatorChannel:
    """Running operator program. While an answer is awaited, `while_waiting` is called with the descriptor of its output
    and a number of milliseconds; once a device is connected, it keeps the line alive."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.while_waiting: Callable[[int, int], None] = _just_wait
        self._clock = SystemClock()
        self._buffer = bytearray()
        self._number = 0
        try:
            words = shlex.split(command)
            self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except (OSError, ValueError, IndexError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise OperatorGone(command, f"cannot be started: {why or 'no command'}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        os.set_blocking(self._stdout.fileno(), False)

    def ask(self, task: HandTask, deadline_ms: int) -> OperatorAnswer:
        """Send a task and return the answer. Raise OperatorGone if there is none; the program cannot be used
        afterwards."""
        self._number += 1
        asks = OperatorRequest(SCHEMA, self._number, task.action, dict(task.fields), task.say, deadline_ms)
        doing = f"at {task.action!r}"
        try:
            self._stdin.write(msgspec.json.encode(asks) + b"\n")
            self._stdin.flush()
        except (OSError, ValueError):
            raise OperatorGone(self.command, f"{self._ending()} {doing}") from None
        end_ns = self._clock.now_ns() + deadline_ms * MS
        while (line := self._line(doing)) is None:
            if self._clock.now_ns() >= end_ns:
                raise OperatorGone(self.command, f"no answer within {deadline_ms} ms {doing}")
            self.while_waiting(self._stdout.fileno(), TURN_MS)
        return self._read(line, doing)

    def close(self) -> None:
        """Close the program's input, and terminate the program if it does not exit. May be called twice."""
        with contextlib.suppress(OSError):
            self._stdin.close()
        for end in (self._process.poll, self._process.terminate, self._process.kill):
            end()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_S)
                break
        self._stdout.close()

    def _line(self, doing: str) -> bytes | None:
        """Return the next whole line, or None if there is none yet."""
        while b"\n" not in self._buffer:
            try:
                data = os.read(self._stdout.fileno(), LINE_MAX)
            except BlockingIOError:
                return None
            if not data:
                raise OperatorGone(self.command, f"{self._ending()} {doing}")
            self._buffer += data
            if len(self._buffer) > LINE_MAX and b"\n" not in self._buffer:
                raise OperatorGone(self.command, f"more than {LINE_MAX} bytes without a line end {doing}")
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        return line

    def _read(self, line: bytes, doing: str) -> OperatorAnswer:
        shown = printable(line[:60].decode("utf-8", "replace"), None)
        try:
            answer = msgspec.json.decode(line, type=OperatorAnswer)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise OperatorGone(self.command, f"invalid answer {doing}: {error}; it said: {shown}") from None
        if answer.id != self._number:
            raise OperatorGone(self.command, f"it answers {answer.id}, not {self._number}, {doing}: {shown}")
        if answer.result != "done" and not answer.why:
            raise OperatorGone(self.command, f"{answer.result!r} without a reason {doing}")
        return answer

    def _ending(self) -> str:
        """Describe how the program ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(END_S)
            return f"it ended with exit code {code}" if code >= 0 else f"it was ended by signal {-code}"
        return "it closed its output"


class ProgramOperator(Operator):
    """Operator program at an attached device. If the program is gone, checks that need an operator are not run, and
    `gone` holds the reason."""

    whose = "program"

    def __init__(self, channel: OperatorChannel, device: str, line: str, deadline_ms: int = PATIENCE_MS) -> None:
        self.gone: OperatorGone | None = None
        self._channel, self._deadline_ms, self._unready = channel, deadline_ms, ""
        hello = channel.ask(hand_task(HELLO, {"device": device, "line": line}), HELLO_MS)
        if hello.result != "done":
            raise OperatorGone(channel.command, f"not ready: {printable(hello.why, None)}")
        unknown = [printable(name, None) for name in hello.can or () if name not in hand_actions()]
        if unknown:
            raise OperatorGone(channel.command, f"no such action: {unknown[0]!r}; allowed: {', '.join(hand_actions())}")
        self.name, self.patience_ms = printable(hello.name or "operator program", None), hello.patience_ms
        self._can = None if hello.can is None else frozenset(hello.can)

    def begin(self, check: str) -> None:
        """Tell the program that a check begins. If it cannot cancel pending faults, actions of this check are not
        run."""
        self._unready = ""
        try:
            self._ask(hand_task(NEW_CHECK, {"check": check}), RESET_MS)
        except NotRun as error:
            # a program with nothing to call off need not know of it
            self._unready = "" if error.cause is NotRunCause.CANNOT else str(error)

    def ready_for(self, action: str, fields: Mapping[str, Any]) -> None:
        """Raise NotRun if the program announced that it cannot do this action."""
        self._still_there()
        if self._can is not None and action not in self._can:
            raise NotRun(f"{self.name} cannot do {action!r}: {hand_task(action, fields).say}", NotRunCause.CANNOT)

    def do(self, action: str, fields: Mapping[str, Any] = {}) -> str:
        """Have the program do an action, and return the instruction. Raise NotRun with its answer if it is not done."""
        task = hand_task(action, fields)
        if self._unready and self.gone is None:
            raise NotRun(self._unready, NotRunCause.HANDS_FAILED)
        self.ready_for(action, fields)
        self._ask(task, self._deadline_ms)
        return task.say

    def _ask(self, task: HandTask, deadline_ms: int) -> None:
        self._still_there()
        try:
            answer = self._channel.ask(task, deadline_ms)
        except OperatorGone as error:
            self.gone = error
            self._still_there()
            return
        if answer.result != "done":
            cause = NotRunCause.CANNOT if answer.result == "cannot" else NotRunCause.HANDS_FAILED
            raise NotRun(f"{self.name}, {task.action!r}: {answer.result}: {printable(answer.why, None)}", cause)

    def _still_there(self) -> None:
        if self.gone is not None:
            raise NotRun(f"the operator program is gone: {self.gone.why}", NotRunCause.HANDS_FAILED)
