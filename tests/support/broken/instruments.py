"""Shufflers whose meters or measurements are broken on purpose, each in one way."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from devices.simulator.host import TableModel
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope
from protocol.tdp.messages import Capability, DeviceMeter, Message, Reason, Status
from tests.support.broken.base import MS, Broken, Caught, Rewriting, changed, resequenced

READ_METERS, VERIFY = 0x24, 0x25


class ForgetsMeters(Broken):
    """Its meters start at 0 with every start."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._session = 0
        self._before: dict[tuple[int, int], int] = {}

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, m.MetersMessage):
            return [envelope.body]
        if message.session != self._session:
            self._session, self._before = message.session, {each[:2]: each[2] for each in message.meters}
        meters = tuple((meter, part, shown - self._before[meter, part]) for meter, part, shown in message.meters)
        return [changed(envelope, meters=meters)]


class Stands(Broken):
    """Base of devices with one meter that never advances."""

    meter: DeviceMeter

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, m.MetersMessage):
            return [envelope.body]
        meters = tuple((meter, part, 0 if meter == self.meter else shown) for meter, part, shown in message.meters)
        return [changed(envelope, meters=meters)]


class RefusedUncounted(Stands):
    """Refused commands are not counted."""

    meter = DeviceMeter.COMMANDS_REFUSED


class PacketsUncounted(Stands):
    """Packets are not counted."""

    meter = DeviceMeter.PACKETS


class OneTooMany(Broken):
    """It announces one meter more than it reports."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        has = isinstance(message, m.MetersMessage)
        return [changed(envelope, total=message.total + 1) if has else envelope.body]


class BeginsAnew(Broken):
    """A read of meters beyond its last one starts over with the first."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._first: tuple[tuple[int, int, int], ...] = ()

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, m.MetersMessage):
            return [envelope.body]
        self._first = message.meters or self._first
        return [envelope.body if message.meters else changed(envelope, meters=self._first)]


class Repeats(Broken):
    """Base of devices that carry out a repeated command again."""

    message_id: int
    brings: type[Message]

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._brought: dict[int, bytes] = {}
        self._more = 0

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        out = [resequenced(envelope.body, -self._more)]
        if isinstance(envelope.message, self.brings):
            self._brought[envelope.request] = envelope.body
        again = self._brought.get(envelope.request)
        if isinstance(envelope.message, m.ReplyMessage) and envelope.message_id == self.message_id and again:
            self._more += 1
            out.append(again[:3] + bytes([envelope.body[3] + self._more & 0xFF]) + again[4:])
        return out


class MetersTwice(Repeats):
    """A repeated READ-METERS is carried out again."""

    message_id, brings = READ_METERS, m.MetersMessage


class MeasuresTwice(Repeats):
    """A repeated VERIFY is carried out again."""

    message_id, brings = VERIFY, m.MeasuredMessage


class TellsAnybody(Broken):
    """READ-METERS is granted before a session is open."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        refuses = isinstance(message, m.ReplyMessage) and envelope.message_id == READ_METERS
        if refuses and message.reason == Reason.NO_SESSION:
            return [changed(envelope, status=Status.DONE, reason=Reason.NONE)]
        return [envelope.body]


class StoredDigest(Broken):
    """It keeps the digest of a good image and answers every challenge with it."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        measures = isinstance(envelope.message, m.MeasuredMessage)
        return [changed(envelope, digest=bytes(range(32))) if measures else envelope.body]


class DropsNonce(Broken):
    """MEASURED has zeros where the nonce should be."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        measures = isinstance(envelope.message, m.MeasuredMessage)
        return [changed(envelope, nonce=bytes(16)) if measures else envelope.body]


class Digests(Broken):
    """Base of devices that measure their program wrongly."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, m.MeasuredMessage):
            return [envelope.body]
        image: bytes = self._table.units["shuffler"].image  # type: ignore[attr-defined]
        return [changed(envelope, digest=sha256(self.taken(message.nonce, image)).digest())]

    def taken(self, nonce: bytes, image: bytes) -> bytes:
        """Return the bytes that the digest covers."""
        raise NotImplementedError


class ShortNonce(Digests):
    """It measures with 15 bytes of the nonce."""

    def taken(self, nonce: bytes, image: bytes) -> bytes:
        return nonce[:15] + image


class RegionToo(Digests):
    """It measures the region's number with the image."""

    def taken(self, nonce: bytes, image: bytes) -> bytes:
        return nonce + b"\0" + image


class ShortImage(Digests):
    """It measures all of the image but its last byte."""

    def taken(self, nonce: bytes, image: bytes) -> bytes:
        return nonce + image[:-1]


class ImageFirst(Digests):
    """It measures the image first, then the nonce."""

    def taken(self, nonce: bytes, image: bytes) -> bytes:
        return image + nonce


class OtherImage(Digests):
    """It measures another image than its own."""

    def taken(self, nonce: bytes, image: bytes) -> bytes:
        return nonce + b"another firmware"


class AnyRegion(Rewriting):
    """It measures its firmware for any region."""

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        asks = isinstance(envelope.message, m.VerifyMessage)
        return [changed(envelope, region=0) if asks else envelope.body]


class StandsStill(Broken):
    """It sends nothing for 300 ms while it measures."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._until_ns = 0
        self._held: list[tuple[bytes, bool]] = []
        self._begins: list[bool] = []

    @property
    def next_deadline_ns(self) -> int | None:
        due = super().next_deadline_ns
        held = self._until_ns if self._held else None
        return min((at for at in (due, held) if at is not None), default=None)

    def say(self, data: bytes) -> Iterable[bytes]:
        late = bool(self._held)
        self._begins.clear()
        frames = list(super().say(data))
        self._held += zip(frames, self._begins, strict=True)
        while self._held and self.now_ns >= self._until_ns:
            frame, begins = self._held.pop(0)
            yield frame if frame.startswith(b"\0") or not late else b"\0" + frame
            late = False
            if begins:
                self._until_ns = self.now_ns + 300 * MS

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        begins = isinstance(envelope.message, m.ReplyMessage) and envelope.message_id == VERIFY
        self._begins.append(begins and envelope.message.status == Status.DONE)
        return [envelope.body]


class HidesMeters(Broken):
    """HELLO-REPLY leaves out METERS and VERIFY, although it supports both."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, m.HelloReplyMessage):
            return [envelope.body]
        return [changed(envelope, capabilities=message.capabilities & ~(Capability.METERS | Capability.VERIFY))]


def _caught(device: type[Broken], *by: str) -> Caught:
    return Caught(device, by)


INSTRUMENT_DEVICES: Final = (
    Caught(HidesMeters, ("always.capabilities",), quick=("meters.asked-anyway",)),
    _caught(ForgetsMeters, "meters.power-cut", "deal.meters-power", "always.instruments"),
    _caught(RefusedUncounted, "meters.refused", "deal.meters-busy"),
    _caught(PacketsUncounted, "deal.meters", "deal.meters-short", "deal.meters-early"),
    _caught(OneTooMany, "meters.read"),
    _caught(BeginsAnew, "meters.read"),
    _caught(MetersTwice, "meters.once"),
    _caught(TellsAnybody, "meters.no-session"),
    _caught(StoredDigest, "verify.answers"),
    _caught(DropsNonce, "verify.answers"),
    _caught(ShortNonce, "verify.answers"),
    _caught(RegionToo, "verify.answers"),
    _caught(ShortImage, "verify.answers"),
    _caught(ImageFirst, "verify.answers"),
    _caught(OtherImage, "verify.answers"),
    _caught(MeasuresTwice, "verify.once"),
    _caught(AnyRegion, "verify.region"),
    _caught(StandsStill, "verify.goes-on"),
)
"""Devices that report wrong facts about themselves."""
