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
    payload. Bytes that are no frame pass as they are, unless the subclass cuts them."""

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

    # methods that subclasses override

    def hear(self, data: bytes) -> Iterable[bytes]:
        """Return the bytes that reach the device."""
        return [data]

    def say(self, data: bytes) -> Iterable[bytes]:
        """Return the bytes that reach the host."""
        out = []
        for piece in self._from_device.feed(data):
            if isinstance(piece, Frame):
                opened = piece.length == len(encode_frame(piece.body)) + 1
                out += [encode_frame(body, after_silence=opened) for body in self.said(decode(piece.body))]
            else:
                out.append(piece.data)
        return out

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        """Return the bodies that go out in place of one frame of the device."""
        return [envelope.body]


def changed(envelope: Envelope, **values: object) -> bytes:
    """Return the frame with other values in its message."""
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
    """Base of devices that rewrite the host's frames; everything else passes as it came."""

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
        """Yield the bodies that the device reads in place of one frame of the host, readable or not."""
        try:
            envelope = decode(body)
        except Exception:
            yield self.unread(body)
            return
        yield from self.heard(envelope)

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        return [envelope.body]

    def unread(self, body: bytes) -> bytes:
        """Return the body for a whole frame that cannot be read."""
        return body


def resequenced(body: bytes, dropped: int) -> bytes:
    """Return a frame whose link sequence does not count frames that were never sent."""
    return body[:3] + bytes([body[3] - dropped & 0xFF]) + body[4:]


@dataclass(frozen=True, slots=True)
class Caught:
    """One broken device, and the checks that must catch it: these and no other.

    - `spreads`: the fault leaves nothing intact, so other checks may fail as well.
    - `quick`: checks that suffice to catch it in a short run.
    - `plan`: the plan that tests it, which tells the kind of device.
    - `recognition`: it reads faces.
    """

    device: Callable[[TableModel], TableModel]
    by: tuple[str, ...]
    spreads: bool = False
    quick: tuple[str, ...] = ()
    plan: str = "shuffler"
    recognition: bool = False

    @property
    def name(self) -> str:
        """Name of the device's class."""
        return str(getattr(self.device, "__name__", ""))

    @property
    def what(self) -> str:
        """Return the description of the fault: the docstring of the device's class, on one line."""
        return " ".join(str(self.device.__doc__).split())
