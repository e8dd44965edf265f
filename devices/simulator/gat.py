"""Simulated device that answers GAT, with the faults that a terminal must survive or report."""

from collections.abc import Mapping
from typing import Final

from devices.simulator.unit import FIRMWARE
from protocol.gat import messages as m
from protocol.gat.codec import decode, encode
from protocol.gat.device_end import PORTION, GatDevice, MeasuredSoftware
from protocol.gat.framing import CHUNK, Frame, Framer

LATE_NS: Final = 300_000_000
"""Delay of a late response: longer than a terminal waits."""
SLOW_NS: Final = 80_000_000
"""Time between two bytes of a response with gaps."""
FAULTS: Final = {
    "silence": "It answers nothing.",
    "crc": "The last byte of every response is wrong.",
    "late": "It answers after 300 ms.",
    "gaps": "80 ms pass between the bytes of a response.",
    "number": "A frame of the result has the next frame's number.",
    "busy": "A calculation never ends.",
    "error": "A calculation fails.",
    "changed": "It calculates once more while its result is read.",
    "long": "A result has no last frame.",
    "old": "It says version 3.00.",
}
"""Faults, each with its description."""


def software(name: str, image: bytes) -> MeasuredSoftware:
    """Return the software of a simulated device: one component, its firmware image."""
    return MeasuredSoftware(name, "dealwire", ((f"firmware {FIRMWARE}", image),))


class SimulatedGat:
    """Device with a GAT line of its own. It takes the bytes of the terminal, and returns the bytes for the line."""

    hosted = True
    host_lost = False
    all_acknowledged = True

    def __init__(self, measured: MeasuredSoftware, fault: str = "", portion: int = PORTION) -> None:
        self.device, self.fault = GatDevice(measured, portion), fault
        self._framer = Framer()
        self._waiting: list[tuple[int, bytes]] = []
        self._now_ns = 0

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`."""
        dues = [due for due in (self.device.next_deadline_ns, *(due for due, _ in self._waiting)) if due is not None]
        return min(dues, default=None)

    def power_on(self, now_ns: int) -> None:
        """Switch the device on. It has calculated nothing yet."""
        self.device = GatDevice(self.device.software, self.device.portion)
        self._waiting.clear()
        self._now_ns = now_ns

    def power_off(self) -> None:
        """Pull the plug. Output that is not on the line is lost."""
        self._waiting.clear()

    def receive(self, data: bytes, now_ns: int) -> None:
        """Process bytes from the terminal."""
        self._now_ns = max(now_ns, self._now_ns)
        self.device.receive(data, now_ns)
        for frame in self.device.take_output():
            self._waiting += self._spoiled(frame, now_ns)

    def tick(self, now_ns: int) -> None:
        """Run the timers that are due."""
        self._now_ns = max(now_ns, self._now_ns)
        due_ns = self.device.next_deadline_ns
        if due_ns is not None and due_ns <= now_ns and self.fault != "busy":
            self.device.tick(now_ns)

    def settle(self, now_ns: int) -> None:
        """Do nothing: the device answers at once."""

    def take_output(self) -> list[bytes]:
        """Return the bytes whose time has come, one piece a frame."""
        out = [data for due_ns, data in self._waiting if due_ns <= self._now_ns]
        self._waiting = [each for each in self._waiting if each[0] > self._now_ns]
        return out

    # ------------------------------------------------------------------ faults

    def _spoiled(self, frame: bytes, now_ns: int) -> list[tuple[int, bytes]]:
        """Return the pieces of a response with the times at which they are sent."""
        match self.fault:
            case "silence":
                return []
            case "crc":
                return [(now_ns, frame[:-1] + bytes((frame[-1] ^ 1,)))]
            case "late":
                return [(now_ns + LATE_NS, frame)]
            case "gaps":
                return [(now_ns + at * SLOW_NS, frame[at : at + 1]) for at in range(len(frame))]
            case _:
                return [(now_ns, self._altered(frame))]

    def _altered(self, frame: bytes) -> bytes:
        """Return another response with a valid CRC, if the fault is one of the content."""
        piece = self._framer.feed(frame)[0]
        assert isinstance(piece, Frame)
        match self.fault, decode(piece):
            case "number", m.ResultsResponseMessage(error, last, number, data):
                return encode(m.ResultsResponseMessage(error, last, number + 1, data))
            case "long", m.ResultsResponseMessage(_, _, number, _):
                return encode(m.ResultsResponseMessage(False, False, number, b" " * CHUNK))
            case "changed", m.ResultsResponseMessage(_, _, 1, _):
                self.device.results = self.device.results.replace(b"<Name>", b"<Name>other ", 1)
            case "error", m.StatusResponseMessage(_, _, running, available, _, forms) if running or available:
                return encode(m.StatusResponseMessage(*m.VERSION, False, False, m.Calculation.FAILED, forms))
            case "old", m.StatusResponseMessage(_, _, running, available, calculation, forms):
                return encode(m.StatusResponseMessage(3, 0, running, available, calculation, forms))
        return frame


class GatTable:
    """Simulated table of one device that answers GAT, for a line of its own."""

    finished = True

    def __init__(self, unit: SimulatedGat) -> None:
        self.unit = unit

    @property
    def units(self) -> Mapping[str, object]:
        """Devices by name."""
        return {"gat": self.unit}

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`."""
        return self.unit.next_deadline_ns

    def power_on(self, now_ns: int) -> None:
        """Switch the device on."""
        self.unit.power_on(now_ns)

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        """Process bytes of the terminal."""
        self.unit.receive(data, now_ns)

    def tick(self, now_ns: int) -> None:
        """Run the timers that are due."""
        self.unit.tick(now_ns)

    def take_output(self, device: str, now_ns: int) -> bytes:
        """Return the bytes that leave the line now."""
        return b"".join(self.unit.take_output())
