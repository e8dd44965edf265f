"""Building blocks of the devices that are broken on purpose: a wrapper between a simulated device and its line that
spoils one behavior, and the checks that must catch it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from devices.simulator.host import TableModel
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope, decode, encode
from protocol.tdp.framing import Frame, Framer, encode_frame

MS: Final = 1_000_000


class Broken:
    """A device between its table and its line. Subclasses change frames of either direction; a body is header and
    payload. What is no frame passes as it is, where the subclass does not cut it."""

    def __init__(self, table: TableModel) -> None:
        self._table = table
        self.now_ns = 0
        self._from_host = Framer()
        self._from_device = Framer()

    @property
    def next_deadline_ns(self) -> int | None:
        return self._table.next_deadline_ns

    def power_on(self, now_ns: int) -> None:
        self._table.power_on(now_ns)

    def tick(self, now_ns: int) -> None:
        self.now_ns = now_ns
        self._table.tick(now_ns)

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        self.now_ns = now_ns
        for part in self.hear(data):
            self._table.receive(device, part, now_ns)

    def take_output(self, device: str, now_ns: int) -> bytes:
        self.now_ns = now_ns
        return b"".join(self.say(self._table.take_output(device, now_ns)))

    # what subclasses change

    def hear(self, data: bytes) -> Iterable[bytes]:
        """Bytes on their way to the device."""
        return [data]

    def say(self, data: bytes) -> Iterable[bytes]:
        """Bytes on their way to the host."""
        out = []
        for piece in self._from_device.feed(data):
            if isinstance(piece, Frame):
                opened = piece.length == len(encode_frame(piece.body)) + 1
                out += [encode_frame(body, after_silence=opened) for body in self.said(decode(piece.body))]
            else:
                out.append(piece.data)
        return out

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        """One frame of the device: the bodies that go out in its place."""
        return [envelope.body]


def changed(envelope: Envelope, **values: object) -> bytes:
    """The frame with other values in its message."""
    message = replace(envelope.message, **values)  # type: ignore[type-var]
    answers = isinstance(message, m.ReplyMessage | m.NakMessage | m.ProgressMessage)
    return encode(
        message,
        link_sequence=envelope.link_sequence,
        request=envelope.request,
        message_id=envelope.message_id if answers else None,
        extensions=envelope.extensions,
    )


class Rewriting(Broken):
    """Reads the host's frames and passes on others; everything else as it came."""

    heard_ns = 0

    def hear(self, data: bytes) -> Iterable[bytes]:
        if self.now_ns - self.heard_ns >= 50 * MS:
            yield from (noise.data for noise in self._from_host.flush())
        self.heard_ns = self.now_ns
        for piece in self._from_host.feed(data):
            if not isinstance(piece, Frame):
                yield piece.data
                continue
            for body in self.taken(piece.body):
                yield encode_frame(body, after_silence=True)

    def taken(self, body: bytes) -> Iterable[bytes]:
        """One frame of the host, readable or not: the bodies that are heard in its place."""
        try:
            envelope = decode(body)
        except Exception:
            yield self.unread(body)
            return
        yield from self.heard(envelope)

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        return [envelope.body]

    def unread(self, body: bytes) -> bytes:
        """A whole frame that cannot be read."""
        return body


def resequenced(body: bytes, dropped: int) -> bytes:
    """A frame whose link sequence does not count those never sent."""
    return body[:3] + bytes([body[3] - dropped & 0xFF]) + body[4:]


@dataclass(frozen=True, slots=True)
class Caught:
    """One broken device, and by which checks it must be caught: these and no other.

    `spreads`: what is broken leaves nothing whole, so others may fail with them. `quick`: checks enough to catch it in
    a short run. `plan`: of which kind of device it is, by the plan that judges it. `recognition`: it reads faces.
    """

    device: Callable[[TableModel], TableModel]
    by: tuple[str, ...]
    spreads: bool = False
    quick: tuple[str, ...] = ()
    plan: str = "shuffler"
    recognition: bool = False

    @property
    def name(self) -> str:
        """The device's class."""
        return str(getattr(self.device, "__name__", ""))

    @property
    def what(self) -> str:
        """Return the description of the fault: the docstring of the device's class, on one line."""
        return " ".join(str(self.device.__doc__).split())
