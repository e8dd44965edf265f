"""Hands that are a program: it is started once, reads a line of JSON for each thing a person would be asked, and
answers with one. `docs/bench-hands.md` is its page."""

import contextlib
import os
import select
import shlex
import subprocess
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal

import msgspec

from dealwire.bench.hands.actions import HELLO, NEW_CHECK, HandTask, hand_actions, hand_task
from dealwire.bench.hands.hands import PATIENCE_MS, Hands
from dealwire.bench.hands.program import SCHEMA
from dealwire.bench.record import NotRun, NotRunCause
from devices.clock import SystemClock
from protocol.errors import LocalError
from protocol.printable import printable

MS: Final = 1_000_000
PATIENCE_MAX_MS: Final = 600_000
"""The longest that a program may ask the device to be waited for."""
HELLO_MS: Final = 30_000
"""How long the program may take to answer the first line: it may have to find its jig first."""
RESET_MS: Final = 10_000
"""How long it may take to get ready for another check."""
LINE_MAX: Final = 65_536
"""Bytes of one answer; what is longer is no answer."""
END_S: Final = 5.0
"""How long it may take to end when its input ends."""
TURN_MS: Final = 5
"""Between two looks at its output, while the device's line is listened to."""


class HandsGone(LocalError):
    """A hands program that cannot be started, ended, said what is no answer, or said nothing."""

    def __init__(self, command: str, why: str) -> None:
        self.command, self.why = command, why
        super().__init__(f"--hands {command}: {why}")


class HandsRequest(msgspec.Struct, frozen=True, rename={"fields": "with"}):
    """What the bench writes."""

    schema: str
    id: int
    action: str
    fields: dict[str, Any]
    say: str
    deadline_ms: int


class HandsAnswer(msgspec.Struct, frozen=True):
    """What the program answers; keys beyond these are passed over."""

    id: int
    result: Literal["done", "cannot", "failed"]
    why: str = ""
    name: str = ""
    can: tuple[str, ...] | None = None
    patience_ms: Annotated[int, msgspec.Meta(ge=0, le=PATIENCE_MAX_MS)] = 0


def _just_wait(stdout: int, ms: int) -> None:
    select.select([stdout], [], [], ms / 1000)


class HandsChannel:
    """The running program. `while_waiting` is given its output's descriptor and lets so many milliseconds pass; once a
    device is there, it keeps the line alive meanwhile."""

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
            raise HandsGone(command, f"cannot be started: {why or 'no command'}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        os.set_blocking(self._stdout.fileno(), False)

    def ask(self, task: HandTask, deadline_ms: int) -> HandsAnswer:
        """The program's answer; HandsGone when there is none, and for the next one either."""
        self._number += 1
        asks = HandsRequest(SCHEMA, self._number, task.action, dict(task.fields), task.say, deadline_ms)
        doing = f"at {task.action!r}"
        try:
            self._stdin.write(msgspec.json.encode(asks) + b"\n")
            self._stdin.flush()
        except (OSError, ValueError):
            raise HandsGone(self.command, f"{self._ending()} {doing}") from None
        end_ns = self._clock.now_ns() + deadline_ms * MS
        while (line := self._line(doing)) is None:
            if self._clock.now_ns() >= end_ns:
                raise HandsGone(self.command, f"no answer within {deadline_ms} ms {doing}")
            self.while_waiting(self._stdout.fileno(), TURN_MS)
        return self._read(line, doing)

    def close(self) -> None:
        """Its input ends, and so should it; it is ended when it does not. May be called twice."""
        with contextlib.suppress(OSError):
            self._stdin.close()
        for end in (self._process.poll, self._process.terminate, self._process.kill):
            end()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_S)
                break
        self._stdout.close()

    def _line(self, doing: str) -> bytes | None:
        """The next whole line; None when there is none yet."""
        while b"\n" not in self._buffer:
            try:
                data = os.read(self._stdout.fileno(), LINE_MAX)
            except BlockingIOError:
                return None
            if not data:
                raise HandsGone(self.command, f"{self._ending()} {doing}")
            self._buffer += data
            if len(self._buffer) > LINE_MAX and b"\n" not in self._buffer:
                raise HandsGone(self.command, f"more than {LINE_MAX} bytes without a line end {doing}")
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        return line

    def _read(self, line: bytes, doing: str) -> HandsAnswer:
        shown = printable(line[:60].decode("utf-8", "replace"), None)
        try:
            answer = msgspec.json.decode(line, type=HandsAnswer)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise HandsGone(self.command, f"no answer {doing}: {error}; it said: {shown}") from None
        if answer.id != self._number:
            raise HandsGone(self.command, f"it answers {answer.id}, not {self._number}, {doing}: {shown}")
        if answer.result != "done" and not answer.why:
            raise HandsGone(self.command, f"{answer.result!r} without a reason {doing}")
        return answer

    def _ending(self) -> str:
        """How it ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(END_S)
            return f"it ended with exit code {code}" if code >= 0 else f"it was ended by signal {-code}"
        return "it closed its output"


class ProgramHands(Hands):
    """A hands program at an attached device. When it is gone, so is whatever needs hands: those checks are not run, and
    `gone` says why."""

    whose = "program"

    def __init__(self, channel: HandsChannel, device: str, line: str, deadline_ms: int = PATIENCE_MS) -> None:
        self.gone: HandsGone | None = None
        self._channel, self._deadline_ms, self._unready = channel, deadline_ms, ""
        hello = channel.ask(hand_task(HELLO, {"device": device, "line": line}), HELLO_MS)
        if hello.result != "done":
            raise HandsGone(channel.command, f"not ready: {printable(hello.why, None)}")
        unknown = [printable(name, None) for name in hello.can or () if name not in hand_actions()]
        if unknown:
            raise HandsGone(channel.command, f"no such action: {unknown[0]!r}; allowed: {', '.join(hand_actions())}")
        self.name, self.patience_ms = printable(hello.name or "hands program", None), hello.patience_ms
        self._can = None if hello.can is None else frozenset(hello.can)

    def begin(self, check: str) -> None:
        """It is told; what it cannot call off makes the acts of this check not run."""
        self._unready = ""
        try:
            self._ask(hand_task(NEW_CHECK, {"check": check}), RESET_MS)
        except NotRun as error:
            # a program with nothing to call off need not know of it
            self._unready = "" if error.cause is NotRunCause.CANNOT else str(error)

    def ready_for(self, action: str, fields: Mapping[str, Any]) -> None:
        """By what it said it can do."""
        self._still_there()
        if self._can is not None and action not in self._can:
            raise NotRun(f"{self.name} cannot do {action!r}: {hand_task(action, fields).say}", NotRunCause.CANNOT)

    def do(self, action: str, fields: Mapping[str, Any] = {}) -> str:
        """By the program; NotRun says what it answered instead of done."""
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
        except HandsGone as error:
            self.gone = error
            self._still_there()
            return
        if answer.result != "done":
            cause = NotRunCause.CANNOT if answer.result == "cannot" else NotRunCause.HANDS_FAILED
            raise NotRun(f"{self.name}, {task.action!r}: {answer.result}: {printable(answer.why, None)}", cause)

    def _still_there(self) -> None:
        if self.gone is not None:
            raise NotRun(f"the hands program is gone: {self.gone.why}", NotRunCause.HANDS_FAILED)
