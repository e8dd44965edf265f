"""Both ends of a sealed TDP line: the links of `links.Pair`, unchanged, each behind its end of the seal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from devices.transport.ciphers import Ciphers
from protocol.tdp import Commanded, DeviceLink, Output, Send
from protocol.tdp.framing import Framer
from protocol.tdp.messages import Capability, HelloReplyMessage, Role
from protocol.tdp.seal.device_end import DeviceEnd, PairedHost
from protocol.tdp.seal.host_end import HostEnd, KeyLog
from protocol.tdp.seal.line_end import SealTiming
from protocol.tdp.seal.suite import SealSuite
from tests.support.rigs.links import Heard, Pair, hello_reply, report

SUITE = Ciphers()
HOST_KEY, DEVICE_KEY, OTHER_KEY = (Random(number).randbytes(32) for number in (1, 2, 3))
PAIRED = PairedHost(SUITE.public(HOST_KEY), Role.OPERATE, "pit-3")


@dataclass
class SealedPair(Pair):
    """A host and a device on one sealed line. `tapped` keeps every chunk that was put on the line, with its target."""

    seal_timing: SealTiming = field(default_factory=SealTiming)
    host_key: bytes = HOST_KEY
    pinned: bytes = field(default_factory=lambda: SUITE.public(DEVICE_KEY))
    device_key: bytes = DEVICE_KEY
    hosts: tuple[PairedHost, ...] = (PAIRED,)
    log: KeyLog | None = None
    suite: SealSuite = SUITE

    def __post_init__(self) -> None:
        super().__post_init__()
        self.tapped: list[tuple[str, bytes]] = []
        self.passed: list[bytes] = []
        """Bytes that were passed up to the host's link."""
        self.device_end: DeviceEnd | None = None
        self.host_end = self._new_host_end()

    def _new_host_end(self) -> HostEnd:
        return HostEnd(self.suite, self.host_key, self.find, timing=self.seal_timing, log=self.log)

    def find(self, hello: HelloReplyMessage) -> bytes:
        """Return the pinned key."""
        return self.pinned

    def start_host(self) -> None:
        self.host_end = self._new_host_end()
        super().start_host()

    def power_on(self, session: int | None = None, **hello: object) -> None:
        self.session = session or self.session
        hello = {"capabilities": Capability.TWO_DECKS | Capability.SEALING, "highest_minor": 4} | hello
        self.device = DeviceLink(
            hello_reply(self.session, **hello),
            report=report,
            store=self.store,
            granted=self.granted,
            timing=self.timing,
            instruments=self.instruments,
        )
        self.device_end = DeviceEnd(
            self.suite, self.device_key, self.device.greeting(), self.hosts, timing=self.seal_timing
        )
        self._from_device(self.device.start(self.now_ns))

    def power_off(self) -> None:
        super().power_off()
        self.device_end = None

    @property
    def up(self) -> bool:
        """True if the session is open and complete."""
        return self.host.state == "up" and self.host.complete

    def whole(self) -> bool:
        """Return True if the host has every event of the device."""
        return self.up and len(self.numbers()) == self.store.last

    def run(self, ms: int, until: Callable[[], bool] = lambda: False) -> bool:
        end_ns = self.now_ns + ms * 1_000_000
        while not until():
            due = [self.to_device.next_ns, self.to_host.next_ns, self.host.next_deadline_ns]
            due.append(self.host_end.next_deadline_ns)
            due.append(self.device.next_deadline_ns if self.device else None)
            due.append(self.device_end.next_deadline_ns if self.device_end else None)
            at_ns = max(self.now_ns, min((moment for moment in due if moment is not None), default=end_ns))
            if at_ns > end_ns:
                self.now_ns = end_ns
                break
            self.now_ns = at_ns
            self._turn()
        return until()

    def to_the_device(self, data: bytes) -> None:
        """Put bytes on the line as if the host had sent them, now."""
        self._device_hears(data)

    def to_the_host(self, data: bytes) -> None:
        """Put bytes on the line as if the device had sent them, now."""
        self._host_hears(data)

    def _turn(self) -> None:
        for data in self.to_device.arrived(self.now_ns):
            self._device_hears(data)
        for data in self.to_host.arrived(self.now_ns):
            self._host_hears(data)
        self._host_hears(b"")
        self._device_hears(b"")
        if self.device is not None and _due(self.device.next_deadline_ns, self.now_ns):
            self._from_device(self.device.tick(self.now_ns))
        if _due(self.host.next_deadline_ns, self.now_ns):
            self._from_host(self.host.tick(self.now_ns))

    def _device_hears(self, data: bytes) -> None:
        end, device = self.device_end, self.device
        if end is None or device is None:
            return
        up, out = end.receive(data, self.now_ns) if data else end.tick(self.now_ns)
        self._to_line("host", out)
        if end.role is not None:
            device.limit(end.role)
        if end.report_due:
            end.report_due = False
            self._from_device(device.status_changed(self.now_ns))
        if up:
            self._from_device(device.receive(up, self.now_ns))

    def _host_hears(self, data: bytes) -> None:
        up, out = self.host_end.receive(data, self.now_ns) if data else self.host_end.tick(self.now_ns)
        self._to_line("device", out)
        if up:
            self.passed.append(up)
            self.heard.append(Heard(self.now_ns, up))
            self._from_host(self.host.receive(up, self.now_ns))

    def _to_line(self, target: str, data: bytes) -> None:
        for piece in data.split(b"\0"):
            if piece:
                self.tapped.append((target, b"\0" + piece + b"\0"))
                (self.to_device if target == "device" else self.to_host).send(b"\0" + piece + b"\0", self.now_ns)

    def _from_host(self, outputs: list[Output]) -> None:
        self.host_out += outputs
        for output in outputs:
            if isinstance(output, Send):
                self.host_sent += 1
                self._to_line("device", self.host_end.send(output.data, self.now_ns))

    def _from_device(self, outputs: list[Output]) -> None:
        self.device_out += outputs
        for output in outputs:
            if isinstance(output, Send) and self.device_end is not None:
                self._to_line("host", self.device_end.send(output.data, self.now_ns))
            elif isinstance(output, Commanded):
                self.executed.append(output.command)
                reply = self.answer(output)
                if reply is not None and self.device is not None:
                    self._from_device(self.device.reply(output.request, reply, self.now_ns))


def bodies(data: bytes) -> list[bytes]:
    """Return the frames in these bytes."""
    return [body for body in Framer().bodies(data) if isinstance(body, bytes)]


def _due(deadline_ns: int | None, now_ns: int) -> bool:
    return deadline_ns is not None and deadline_ns <= now_ns
