"""Ask the device on a line what it is, and change nothing by it.

A HELLO is answered at any time and changes nothing at the device: no session is opened, no event is acknowledged,
nothing moves. Two effects remain: to open a serial port raises its control lines, and a device of another dialect
receives 34 bytes that it does not understand. A line that another program has open stays as it is: LineBusy.
"""

import selectors
import threading
from typing import Final

from devices.clock import Clock, SystemClock
from devices.drive.address import line_at
from devices.transport.base import Transport
from protocol.errors import LineGarbled, LineMute
from protocol.tdp.codec import encode, read
from protocol.tdp.framing import Framer, encode_frame
from protocol.tdp.messages import DeviceClass, HelloMessage, HelloReplyMessage
from protocol.tdp.packets import MINOR, VERSION

ASK_EACH_NS: Final = 250_000_000
"""Interval between two HELLOs, as the protocol sets it."""
PATIENCE_S: Final = 1.5
"""Time for an answer. A device answers within 100 ms; a port that is just opened may need a second."""

KINDS: Final = {
    DeviceClass.SHUFFLER: "shuffler",
    DeviceClass.SHOE: "shoe",
    DeviceClass.TABLE_CONTROLLER: "table-controller",
}
"""Class of a device in its HELLO-REPLY -> its kind in a table.toml."""


def identify(address: str, *, timeout_s: float = PATIENCE_S, clock: Clock | None = None) -> HelloReplyMessage:
    """Return the identification that the device at `address` gives.

    Raise LineError if the line cannot be opened or closes, LineMute if nothing comes within `timeout_s`, LineGarbled if
    the answer does not use the Table Device Protocol.
    """
    clock = clock or SystemClock()
    transport = line_at(address, clock).open()
    try:
        return _ask(transport, address, clock, int(timeout_s * 1e9))
    finally:
        transport.close()


def kind_of(reply: HelloReplyMessage) -> str:
    """Return the kind of a device as a table.toml calls it; empty for a class that this program does not know."""
    return next((kind for known, kind in KINDS.items() if known == reply.device_class), "")


def _ask(transport: Transport, address: str, clock: Clock, patience_ns: int) -> HelloReplyMessage:
    framer, count, begin_ns = Framer(), 0, clock.now_ns()
    sent_ns = begin_ns - ASK_EACH_NS
    hello = encode_frame(encode(HelloMessage(VERSION, 0, VERSION, MINOR, "dealwire")), after_silence=True)
    with LineWaiting(transport) as waiting:
        while (now_ns := clock.now_ns()) - begin_ns < patience_ns:
            if now_ns - sent_ns >= ASK_EACH_NS:
                transport.write(hello)
                sent_ns = now_ns
            waiting.wait(0.02)
            chunk = transport.read()
            count += len(chunk)
            for body in framer.bodies(chunk):
                if isinstance(body, bytes) and isinstance(answer := read(body).message, HelloReplyMessage):
                    return answer
    if count:
        raise LineGarbled(address, count, "another dialect or another speed?")
    raise LineMute(address, "nothing answers")


class LineWaiting:
    """Waits until a transport may have bytes, by its descriptor or by what it calls."""

    def __init__(self, transport: Transport) -> None:
        self._ready, self._selector = threading.Event(), selectors.DefaultSelector()
        self._descriptor = transport.fileno()
        if self._descriptor is not None:
            self._selector.register(self._descriptor, selectors.EVENT_READ)
        else:
            transport.on_ready(self._ready.set)

    def __enter__(self) -> "LineWaiting":
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()

    def wait(self, timeout_s: float) -> None:
        """Return when there may be something to read, or after `timeout_s`."""
        if self._descriptor is not None:
            self._selector.select(timeout_s)
        else:
            self._ready.wait(timeout_s)
            self._ready.clear()
