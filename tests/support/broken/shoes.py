"""Shoes of other dialects that are broken on purpose, each in one way, with the checks that must catch each."""

from collections.abc import Callable
from typing import Final, NamedTuple

from dealwire.bench.plan.plan import load_plan
from dealwire.bench.record import BenchOutcome
from dealwire.bench.report.report import Report
from dealwire.bench.run.reporting import report_of
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import run_plan
from devices.simulator.host import TableModel
from tests.support.broken.gat_devices import GAT_DEVICES
from tests.support.broken.shoe_base import BrokenShoe


def checked(frame: bytes) -> bytes:
    """Return a report with a valid check, computed independently."""
    check = 0
    for byte in frame[1:-2]:
        check ^= byte
    return frame[:-2] + b"%02X" % check


def is_report(frame: bytes) -> bool:
    return frame[:1] == b"\x05"


# ------------------------------------------------------------------ Angel Eye style


class WrongReportCheck(BrokenShoe):
    """The check of the report of the lock is wrong."""

    def say(self, frame: bytes) -> list[bytes]:
        spoilt = frame[2:3] == b"L" and is_report(frame)
        return [frame[:-1] + (b"0" if frame[-1:] != b"0" else b"1") if spoilt else frame]


class FrozenSequence(BrokenShoe):
    """Every report has the same sequence character."""

    def say(self, frame: bytes) -> list[bytes]:
        return [checked(frame[:1] + b"7" + frame[2:]) if is_report(frame) else frame]


class SaysOnce(BrokenShoe):
    """Frames that get no acknowledgment are not repeated."""

    last = b""

    def say(self, frame: bytes) -> list[bytes]:
        again, self.last = is_report(frame) and frame == self.last, frame if is_report(frame) else self.last
        return [] if again else [frame]


class SaysTwice(BrokenShoe):
    """Each card is sent twice, acknowledged or not."""

    def say(self, frame: bytes) -> list[bytes]:
        return [frame, frame] if is_report(frame) and frame[2:3] == b"D" else [frame]


class LockTheOtherWay(BrokenShoe):
    """The report of the lock has the opposite state."""

    def say(self, frame: bytes) -> list[bytes]:
        lock = frame[2:3] == b"L" and is_report(frame)
        return [checked(frame[:3] + bytes(byte ^ 1 for byte in frame[3:4]) + frame[4:]) if lock else frame]


class SilentLock(BrokenShoe):
    """A movement of the lock is not reported."""

    def say(self, frame: bytes) -> list[bytes]:
        return [] if is_report(frame) and frame[2:3] == b"L" else [frame]

    def hear(self, data: bytes) -> list[bytes]:
        return [data]


class ChecksNothing(BrokenShoe):
    """A command is carried out even with a wrong check."""

    def hear(self, data: bytes) -> list[bytes]:
        if data[:3] != b"\x02OP" or len(data) != 10:
            return [data]
        check = 0
        for byte in data[:8]:
            check ^= byte
        return [data[:8] + b"%02X" % check]


class LeavesCheckOut(BrokenShoe):
    """A command whose check includes the start byte is noise to it."""

    def hear(self, data: bytes) -> list[bytes]:
        return [] if data[:3] == b"\x02OP" else [data]

    def say(self, frame: bytes) -> list[bytes]:
        return [frame]


class AcknowledgesAll(BrokenShoe):
    """Every command is acknowledged, done or not."""

    def say(self, frame: bytes) -> list[bytes]:
        return [b"\x06" if frame[:1] == b"\x15" else frame]


class OwnLetter(BrokenShoe):
    """The report of a start has a letter of its own."""

    def say(self, frame: bytes) -> list[bytes]:
        start = is_report(frame) and frame[2:3] == b"S"
        return [checked(frame[:2] + b"X" + frame[3:]) if start else frame]


class DrawnAsEver(BrokenShoe):
    """A card drawn while it is locked is reported as one of the game."""

    def say(self, frame: bytes) -> list[bytes]:
        outside = is_report(frame) and frame[2:3] == b"d"
        return [checked(frame[:2] + b"D" + frame[3:]) if outside else frame]


class NeverOver(BrokenShoe):
    """The end of a trouble is not reported."""

    def say(self, frame: bytes) -> list[bytes]:
        return [] if is_report(frame) and frame[2:3] == b"e" else [frame]


# ------------------------------------------------------------------ Bee-Tek style


class NoBlanks(BrokenShoe):
    """No blank is around an item."""

    def say(self, frame: bytes) -> list[bytes]:
        return [frame.strip()]


class NoMode(BrokenShoe):
    """A card has no mode."""

    def say(self, frame: bytes) -> list[bytes]:
        return [b" " + frame[frame.index(b"<") :] if b"<Card:" in frame else frame]


class OneMode(BrokenShoe):
    """Burned cards are in the mode of the game."""

    def say(self, frame: bytes) -> list[bytes]:
        return [frame.replace(b"[Manual Burn Cards]", b"[Game]")]


class SwallowsUnread(BrokenShoe):
    """An unread card is not reported."""

    def say(self, frame: bytes) -> list[bytes]:
        return [] if b"<Game>" in frame or b"E3" in frame else [frame]


class Chatter(BrokenShoe):
    """Each item is followed by a line end and a star."""

    def say(self, frame: bytes) -> list[bytes]:
        return [frame, b"\r\n*\r\n"]


class Echoes(BrokenShoe):
    """It echoes the bytes that it receives."""

    heard = b""

    def hear(self, data: bytes) -> list[bytes]:
        self.heard = data
        return [data]

    def take_output(self, device: str, now_ns: int) -> bytes:
        answer, self.heard = (b" [Game]<Echo> " if self.heard else b""), b""
        return super().take_output(device, now_ns) + answer


class AlarmsFirst(BrokenShoe):
    """An alarm waits for the next item."""

    waiting = b""

    def say(self, frame: bytes) -> list[bytes]:
        if b"Alarm:E0" in frame:
            self.waiting = frame
            return []
        waiting, self.waiting = self.waiting, b""
        return [frame, waiting] if waiting else [frame]


class EveryCardTwice(BrokenShoe):
    """Each card is sent twice."""

    def say(self, frame: bytes) -> list[bytes]:
        return [frame, frame] if b"<Card:" in frame else [frame]


class CaughtShoe(NamedTuple):
    """One broken shoe, and the checks that must catch it: these and no other."""

    dialect: str
    device: Callable[[TableModel], TableModel]
    by: tuple[str, ...]

    @property
    def name(self) -> str:
        return str(getattr(self.device, "__name__", ""))

    @property
    def what(self) -> str:
        """Return the description of the fault: the docstring of the device's class, on one line."""
        return " ".join(str(self.device.__doc__).split())


SHOES: Final = (
    CaughtShoe("angel-eye", WrongReportCheck, ("commands.lock", "reports.outside", "always.clean")),
    CaughtShoe("angel-eye", FrozenSequence, ("always.sequence",)),
    CaughtShoe("angel-eye", SaysOnce, ("repeats.three-times",)),
    CaughtShoe("angel-eye", SaysTwice, ("repeats.three-times", "repeats.acknowledged")),
    CaughtShoe("angel-eye", LockTheOtherWay, ("commands.lock",)),
    CaughtShoe("angel-eye", SilentLock, ("commands.lock", "reports.outside")),
    CaughtShoe("angel-eye", ChecksNothing, ("commands.bad-check",)),
    CaughtShoe(
        "angel-eye",
        LeavesCheckOut,
        ("commands.lock", "commands.cut-short", "commands.unknown", "commands.error-clear",
         "commands.nothing-to-clear", "reports.outside"),
    ),
    CaughtShoe("angel-eye", AcknowledgesAll, ("commands.unknown", "commands.nothing-to-clear")),
    CaughtShoe("angel-eye", OwnLetter, ("reports.start", "always.known")),
    CaughtShoe("angel-eye", DrawnAsEver, ("reports.outside",)),
    CaughtShoe("angel-eye", NeverOver, ("commands.error-clear",)),
    CaughtShoe("bee-tek", NoBlanks, ("always.blanks",)),
    CaughtShoe("bee-tek", NoMode, ("items.cards", "items.deaf", "items.order", "items.burn", "always.known")),
    CaughtShoe("bee-tek", OneMode, ("items.burn",)),
    CaughtShoe("bee-tek", SwallowsUnread, ("items.unread",)),
    CaughtShoe("bee-tek", Chatter, ("always.clean",)),
    CaughtShoe("bee-tek", Echoes, ("items.deaf",)),
    CaughtShoe("bee-tek", AlarmsFirst, ("items.order",)),
    CaughtShoe("bee-tek", EveryCardTwice, ("items.cards", "items.order")),
    *(CaughtShoe("gat", device, by) for device, by in GAT_DEVICES),
)  # fmt: skip
"""Every broken shoe."""


def judge_shoe(dialect: str, device: Callable[[TableModel], TableModel] = lambda table: table) -> Report:
    """Run the dialect's plan on a shoe."""
    plan = load_plan(dialect)
    rig = SimulatedRig(plan.device, dialect=dialect, wrap=device)
    return report_of(run_plan(plan, rig.wire, lambda _: rig.hands))


def failed_checks(report: Report) -> tuple[str, ...]:
    """Return the names of the failed checks."""
    return tuple(check.id for check in report.of(BenchOutcome.FAILED))
