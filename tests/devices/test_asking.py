"""Data that a handle requests arrives over any line that lets something through, and is right; nothing is requested
that a device does not claim."""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest
from msgspec.structs import replace

from devices.drive import handle
from devices.drive.driving import AnyDriver, open_device
from devices.simulator.unit import Unit
from protocol.errors import NotOffered, Refused, Unfinished
from protocol.tdp import messages as m
from protocol.tdp.codec import decode, encode
from protocol.tdp.framing import Frame, Framer, encode_frame
from protocol.tdp.instruments import Instruments, MeterReading, measure
from protocol.tdp.messages import Capability, Message
from protocol.tdp.outputs import Delivered
from tests.devices.test_driving import Alone, Attached
from tests.support.rigs.links import AWFUL, LOSSY, REORDERING, Direction, Faults

ADDRESS = "sim:shoe?speed=50"
IMAGE = bytes(range(256)) * 5
READINGS = tuple(MeterReading(128 + at % 100, at // 100, 7 * at) for at in range(100))
"""More readings than fit in two frames."""
FLIPPING = Faults(flip_bit=0.002)
"""Bit errors at which three of five of the longest frames arrive."""
PATIENCE_S = 300.0
"""Timeout that only a lost answer reaches."""


class Line(Alone):
    """A device with many meters behind a line with faults."""

    def __init__(self, faults: Faults, seed: int) -> None:
        super().__init__(ADDRESS)
        random = Random(seed)
        self.up, self.down = Direction(faults, random), Direction(faults, random)
        self.now_ns = 0

    @property
    def next_deadline_ns(self) -> int | None:
        dues = (self.device.next_deadline_ns, self.up.next_ns, self.down.next_ns)
        return min((due for due in dues if due is not None), default=None)

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        self.up.send(data, now_ns)
        self.tick(now_ns)

    def tick(self, now_ns: int) -> None:
        self.now_ns = now_ns
        for chunk in self.up.arrived(now_ns):
            self.device.receive(chunk)
        self.device.tick(now_ns)

    def take_output(self, device: str, now_ns: int) -> bytes:
        said = self.device.take_output()
        if said:
            self.down.send(said, now_ns)
        return b"".join(self.down.arrived(now_ns))


@contextmanager
def behind(monkeypatch: pytest.MonkeyPatch, line: Alone) -> Iterator[str]:
    """Yield the address of a device behind this line."""
    monkeypatch.setattr("tests.devices.test_driving.Alone", lambda _: line)
    attached = Attached(ADDRESS, "pty")
    try:
        yield attached.address
    finally:
        attached.close()


@pytest.fixture(autouse=True)
def _instruments(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Unit.power_on

    def power_on(unit: Unit, now_ns: int) -> None:
        unit.instruments = Instruments(lambda _: READINGS, lambda region: None if region else IMAGE)
        make(unit, now_ns)

    monkeypatch.setattr(Unit, "power_on", power_on)
    monkeypatch.setattr(handle, "RETRY_S", 0.2)


@pytest.mark.every(4)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("faults", [LOSSY, FLIPPING, REORDERING, AWFUL], ids=["lossy", "flipping", "late", "awful"])
def test_over_a_faulty_line_every_meter_and_the_digest_come_and_are_right(
    faults: Faults, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with behind(monkeypatch, Line(faults, seed)) as address, open_device(address, timeout_s=PATIENCE_S) as device:
        for turn in range(2):
            assert device.meters() == READINGS
            nonce = Random(seed * 10 + turn).randbytes(16)
            assert device.verify(nonce).digest == measure(nonce, IMAGE)


class Spoiling(Alone):
    """Filter between a device and its line: `passed` returns the replacement for one of its frames."""

    def __init__(self) -> None:
        super().__init__(ADDRESS)
        self._down = Framer()
        self._asked = Framer()
        self.asked: list[Message] = []

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        self.asked += [decode(piece.body).message for piece in self._asked.feed(data) if isinstance(piece, Frame)]
        super().receive(device, data, now_ns)

    def take_output(self, device: str, now_ns: int) -> bytes:
        out = b""
        for piece in self._down.feed(super().take_output(device, now_ns)):
            assert isinstance(piece, Frame)
            for body in self.passed(piece.body):
                out += encode_frame(body, after_silence=True)
        return out

    def passed(self, body: bytes) -> list[bytes]:
        return [body]

    def times(self, kind: type[Message]) -> int:
        """Return the number of requests of this kind."""
        return sum(isinstance(message, kind) for message in self.asked)


class Losing(Spoiling):
    """Filter that loses the first answers to each kind of request after their replies."""

    def __init__(self, lost: int) -> None:
        super().__init__()
        self.lost = {m.MetersMessage: lost, m.MeasuredMessage: lost}

    def passed(self, body: bytes) -> list[bytes]:
        kind = type(decode(body).message)
        if self.lost.get(kind, 0) > 0:
            self.lost[kind] -= 1
            return []
        return [body]


def test_what_is_lost_behind_its_reply_is_asked_for_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    losing = Losing(3)
    with behind(monkeypatch, losing) as address, open_device(address, timeout_s=PATIENCE_S) as device:
        assert device.meters() == READINGS
        assert device.verify(bytes(16)).digest == measure(bytes(16), IMAGE)
    assert losing.times(m.ReadMetersMessage) >= 3 + 3
    assert losing.times(m.VerifyMessage) >= 3 + 1


@pytest.mark.more
def test_what_never_comes_ends_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    losing = Losing(10**9)
    with behind(monkeypatch, losing) as address, open_device(address, timeout_s=5) as device:
        with pytest.raises(
            Unfinished, match=r"^/dev/pts/\d+: ReadMeters started but did not finish: no result within 5 s$"
        ):
            device.meters()
        with pytest.raises(Unfinished, match=r"^/dev/pts/\d+: Verify started but did not finish"):
            device.verify()
        losing.lost.clear()
        assert device.meters() == READINGS


class Measuring(Spoiling):
    """A device that accepts a challenge, refuses the next ones as busy, and answers the first after three requests."""

    def __init__(self) -> None:
        super().__init__()
        self.first: list[bytes] = []

    def passed(self, body: bytes) -> list[bytes]:
        opened = decode(body)
        message = opened.message
        if isinstance(message, m.ReplyMessage) and opened.message_id == 0x0025:
            accepted = m.ReplyMessage(m.Status.ACCEPTED, m.Reason.NONE, message.state)
            busy = m.ReplyMessage(m.Status.REFUSED, m.Reason.BUSY, message.state)
            reply = busy if self.first else accepted
            said = encode(reply, link_sequence=body[3], request=opened.request, message_id=0x0025)
            return [said, *self.first[:1]] if self.times(m.VerifyMessage) >= 3 else [said]
        if isinstance(message, m.MeasuredMessage):
            self.first.append(body)
            return []
        return [body]


def test_a_device_that_takes_its_time_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    measuring = Measuring()
    with behind(monkeypatch, measuring) as address, open_device(address, timeout_s=PATIENCE_S) as device:
        assert device.verify(bytes(16)).digest == measure(bytes(16), IMAGE)
    assert measuring.times(m.VerifyMessage) >= 3


class Busy(Spoiling):
    """A device that refuses every challenge as busy."""

    def passed(self, body: bytes) -> list[bytes]:
        opened = decode(body)
        if isinstance(opened.message, m.ReplyMessage) and opened.message_id == 0x0025:
            busy = m.ReplyMessage(m.Status.REFUSED, m.Reason.BUSY, opened.message.state)
            return [encode(busy, link_sequence=body[3], request=opened.request, message_id=0x0025)]
        return [] if isinstance(opened.message, m.MeasuredMessage) else [body]


def test_a_device_that_is_busy_from_the_first_says_so_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = Busy()
    opened = behind(monkeypatch, busy)
    with opened as address, open_device(address, timeout_s=PATIENCE_S) as device, pytest.raises(Refused, match="busy"):
        device.verify()
    assert busy.times(m.VerifyMessage) == 1


class Claiming(Spoiling):
    """A device whose greeting claims no capability."""

    def passed(self, body: bytes) -> list[bytes]:
        opened = decode(body)
        if isinstance(opened.message, m.HelloReplyMessage):
            mute = replace(opened.message, capabilities=Capability.CARD_RECOGNITION)
            return [encode(mute, link_sequence=body[3])]
        return [body]


def test_what_a_device_does_not_claim_it_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    claiming = Claiming()
    with behind(monkeypatch, claiming) as address, open_device(address, timeout_s=PATIENCE_S) as device:
        assert (device.identity.meters, device.identity.measures) == (False, False)
        with pytest.raises(NotOffered, match="it does not claim it"):
            device.meters()
        with pytest.raises(NotOffered, match="it does not claim it"):
            device.verify()
    assert claiming.times(m.ReadMetersMessage) == claiming.times(m.VerifyMessage) == 0


def test_an_event_before_the_greeting_is_none() -> None:
    """A line may lose every HELLO-REPLY and pass an event of a granted session."""
    assert AnyDriver().translate(Delivered(7, 0, m.GameEndedMessage(1, 2, 3))) is None
