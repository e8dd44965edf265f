"""Both ends of a TDP link joined by a line that can be as bad as a test wants, on a clock that only a test moves."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from random import Random

from protocol.tdp import (
    Answered,
    Commanded,
    Delivered,
    DeviceLink,
    Down,
    EventStore,
    HostLink,
    Lost,
    Output,
    Send,
    SessionRestarted,
    StatusSeen,
    Timing,
    Unanswered,
    Up,
)
from protocol.tdp.instruments import Instruments
from protocol.tdp.messages import (
    Capability,
    DeviceClass,
    HelloReplyMessage,
    Message,
    ProgressMessage,
    Reason,
    ReplyMessage,
    Role,
    ShufflerState,
    ShufflerStatusMessage,
    Status,
)

MS = 1_000_000
START_NS = 1_700_000_000_000_000_000

STREAM = (Delivered, Lost, SessionRestarted, Down, StatusSeen, Up)
"""Outputs that a listener must produce exactly as the live link did."""


@dataclass(frozen=True)
class Faults:
    """Faults of a line; each field is a probability for every chunk unless it says otherwise."""

    lose_chunk: float = 0.0
    lose_byte: float = 0.0
    """Probability for every byte."""
    flip_bit: float = 0.0
    """Probability for every byte."""
    duplicate: float = 0.0
    reorder: float = 0.0
    """A chunk arrives up to 40 ms late, so after the chunks that follow it."""
    delay_ms: tuple[int, int] = (0, 0)
    """Shortest and longest delay of a chunk; none passes another."""
    cut: int = 0
    """Chunks arrive in pieces of this many bytes; 0 leaves them whole."""


CLEAN = Faults()
BYTEWISE = Faults(cut=1)
LOSSY = Faults(lose_chunk=0.2)
BYTE_LOSS = Faults(lose_byte=0.01)
DELAYED = Faults(delay_ms=(5, 60))
FLIPPING = Faults(flip_bit=0.01)
DUPLICATING = Faults(duplicate=0.3)
REORDERING = Faults(reorder=0.3)
AWFUL = Faults(lose_chunk=0.1, lose_byte=0.002, flip_bit=0.002, duplicate=0.1, reorder=0.1, delay_ms=(0, 20), cut=7)

LINES = {
    "clean": CLEAN,
    "byte at a time": BYTEWISE,
    "20 % of chunks lost": LOSSY,
    "1 % of bytes lost": BYTE_LOSS,
    "delayed": DELAYED,
    "bits flipped": FLIPPING,
    "chunks doubled": DUPLICATING,
    "reordered": REORDERING,
    "awful": AWFUL,
}


class Direction:
    """One direction of a line: takes chunks, and returns them as they arrive."""

    def __init__(self, faults: Faults, random: Random) -> None:
        self.faults, self.open = faults, True
        self._random = random
        self._flying: list[tuple[int, int, bytes]] = []
        self._order = count()
        self._latest_ns = 0

    def send(self, data: bytes, now_ns: int) -> None:
        """Put a chunk on the line."""
        faults, random = self.faults, self._random
        for _ in range(1 + (random.random() < faults.duplicate)):
            if not self.open or random.random() < faults.lose_chunk:
                continue
            chunk = self._damage(data)
            low, high = faults.delay_ms
            at_ns = self._latest_ns = max(self._latest_ns, now_ns + random.randint(low, high) * MS)
            if random.random() < faults.reorder:
                at_ns += random.randint(1, 40) * MS
            step = faults.cut or max(len(chunk), 1)
            for start in range(0, len(chunk), step):
                heapq.heappush(self._flying, (at_ns, next(self._order), chunk[start : start + step]))

    def inject(self, data: bytes, now_ns: int) -> None:
        """Put bytes on the line that the other end never sent."""
        heapq.heappush(self._flying, (now_ns, next(self._order), data))

    def arrived(self, now_ns: int) -> Iterable[bytes]:
        """Yield the chunks that have arrived by now, in order."""
        while self._flying and self._flying[0][0] <= now_ns:
            yield heapq.heappop(self._flying)[2]

    def clear(self) -> None:
        """Drop the chunks on their way; the receiver is gone."""
        self._flying.clear()

    @property
    def next_ns(self) -> int | None:
        """Return the arrival time of the next chunk."""
        return self._flying[0][0] if self._flying else None

    def _damage(self, data: bytes) -> bytes:
        faults, random = self.faults, self._random
        if not faults.lose_byte and not faults.flip_bit:
            return data
        kept = bytearray(byte for byte in data if random.random() >= faults.lose_byte)
        for place in range(len(kept)):
            if random.random() < faults.flip_bit:
                kept[place] ^= 1 << random.randrange(8)
        return bytes(kept)


def hello_reply(session: int, **changes: object) -> HelloReplyMessage:
    """Return the identity of the tests' shuffler."""
    values: dict[str, object] = {
        "session": session,
        "lowest_major": 1,
        "lowest_minor": 0,
        "highest_major": 1,
        "highest_minor": 0,
        "device_class": DeviceClass.SHUFFLER,
        "capabilities": Capability.TWO_DECKS,
        "boot_count": 1,
        "event_depth": 256,
        "max_frame": 256,
        "maker": "Test",
        "model": "Pair",
        "serial": "1",
        "firmware": "1.0",
        "digest": bytes(32),
    }
    return HelloReplyMessage(**(values | changes))  # type: ignore[arg-type]


def report(session: int, last_event: int, uptime_ms: int) -> ShufflerStatusMessage:
    """Return a status with nothing but the head."""
    return ShufflerStatusMessage(session, last_event, uptime_ms, ShufflerState.READY, 0, 0, 1, 52, 0, 0, 0, 0, 0, ())


@dataclass
class Heard:
    """One chunk as the host received it."""

    at_ns: int
    data: bytes


@dataclass
class Pair:
    """A host and a device on one line. `run` moves the time; `host_out` and `device_out` keep every output."""

    faults: Faults = CLEAN
    seed: int = 0
    role: Role = Role.OPERATE
    granted: Role = Role.OPERATE
    expects: DeviceClass | None = DeviceClass.SHUFFLER
    session: int = 0x1001
    timing: Timing = field(default_factory=Timing)
    store: EventStore = field(default_factory=EventStore)
    instruments: Instruments = field(default_factory=Instruments)
    answer: Callable[[Commanded], ReplyMessage | None] = lambda commanded: ReplyMessage(Status.DONE, Reason.NONE, 6)

    def __post_init__(self) -> None:
        random = Random(self.seed)
        self.now_ns = START_NS
        self.to_device = Direction(self.faults, Random(random.random()))
        self.to_host = Direction(self.faults, Random(random.random()))
        self.host_out: list[Output] = []
        self.device_out: list[Output] = []
        self.executed: list[Message] = []
        self.heard: list[Heard] = []
        self.host_sent = 0
        self.host = HostLink(expects=self.expects, role=self.role, timing=self.timing)
        self.device: DeviceLink | None = None

    def start(self) -> Pair:
        """Power the device and start the host."""
        self.power_on()
        self.start_host()
        return self

    def start_host(self) -> None:
        """Start the host's program, perhaps again, with a link of its own."""
        self.host = HostLink(expects=self.expects, role=self.role, timing=self.timing)
        self._from_host(self.host.start(self.now_ns))

    def reply(self, request: int, status: Status = Status.DONE, reason: Reason = Reason.NONE) -> None:
        """Let the model answer a command that it kept waiting."""
        assert self.device is not None
        self._from_device(self.device.reply(request, ReplyMessage(status, reason, 6), self.now_ns))

    def progress(self, request: int, percent: int) -> None:
        """Let the model report its progress."""
        assert self.device is not None
        self._from_device(self.device.progress(request, ProgressMessage(percent, 6), self.now_ns))

    def power_on(self, session: int | None = None, **hello: object) -> None:
        """Power on a device with a new session and the store of the one before it."""
        self.session = session or self.session
        self.device = DeviceLink(
            hello_reply(self.session, **hello),
            report=report,
            store=self.store,
            granted=self.granted,
            timing=self.timing,
            instruments=self.instruments,
        )
        self._from_device(self.device.start(self.now_ns))

    def power_off(self) -> None:
        """Power off the device; unsent bytes and those on their way to it are lost."""
        self.device = None
        self.to_device.clear()

    def emit(self, event: type, **fields: object) -> None:
        """Let the device emit an event."""
        assert self.device is not None
        self._from_device(self.device.emit(event, self.now_ns, **fields))

    def request(self, command: Message) -> int:
        """Send a command from the host."""
        request, out = self.host.request(command, self.now_ns)
        self._from_host(out)
        return request

    def close(self) -> None:
        """Close the host."""
        self._from_host(self.host.close(self.now_ns))

    def run(self, ms: int, until: Callable[[], bool] = lambda: False) -> bool:
        """Let up to `ms` pass, from one due time to the next; return True once `until` holds."""
        end_ns = self.now_ns + ms * MS
        while not until():
            due = [self.to_device.next_ns, self.to_host.next_ns, self.host.next_deadline_ns]
            due.append(self.device.next_deadline_ns if self.device else None)
            at_ns = max(self.now_ns, min((moment for moment in due if moment is not None), default=end_ns))
            if at_ns > end_ns:
                self.now_ns = end_ns
                break
            self.now_ns = at_ns
            self._turn()
        return until()

    def of(self, *kinds: type) -> list[Output]:
        """Return the host's outputs of these types."""
        return [output for output in self.host_out if isinstance(output, kinds)]

    def numbers(self, session: int | None = None) -> list[int]:
        """Return the numbers of the delivered events."""
        wanted = self.session if session is None else session
        return [out.message.number for out in self.host_out if isinstance(out, Delivered) and out.session == wanted]

    def answers(self) -> dict[int, Answered | Unanswered]:
        """Return the outcome of every request, and check that each has exactly one."""
        ends: dict[int, Answered | Unanswered] = {}
        for output in self.host_out:
            if isinstance(output, Answered | Unanswered):
                assert output.request not in ends, f"request {output.request} ended twice"
                ends[output.request] = output
        return ends

    def _turn(self) -> None:
        for data in self.to_device.arrived(self.now_ns):
            if self.device is not None:
                self._from_device(self.device.receive(data, self.now_ns))
        for data in self.to_host.arrived(self.now_ns):
            self.heard.append(Heard(self.now_ns, data))
            self._from_host(self.host.receive(data, self.now_ns))
        if self.device is not None and _due(self.device.next_deadline_ns, self.now_ns):
            self._from_device(self.device.tick(self.now_ns))
        if _due(self.host.next_deadline_ns, self.now_ns):
            self._from_host(self.host.tick(self.now_ns))

    def _from_host(self, outputs: list[Output]) -> None:
        self.host_out += outputs
        for output in outputs:
            if isinstance(output, Send):
                self.host_sent += 1
                self.to_device.send(output.data, self.now_ns)

    def _from_device(self, outputs: list[Output]) -> None:
        self.device_out += outputs
        for output in outputs:
            if isinstance(output, Send):
                self.to_host.send(output.data, self.now_ns)
            elif isinstance(output, Commanded):
                self.executed.append(output.command)
                reply = self.answer(output)
                if reply is not None and self.device is not None:
                    self._from_device(self.device.reply(output.request, reply, self.now_ns))


def _due(deadline_ns: int | None, now_ns: int) -> bool:
    return deadline_ns is not None and deadline_ns <= now_ns


def stream(outputs: Iterable[Output]) -> list[Output]:
    """Return the outputs that a listening link must produce as well."""
    return [output for output in outputs if isinstance(output, STREAM)]


def listen(heard: Iterable[Heard], end_ns: int, *, cut: int = 0, expects: DeviceClass | None = None) -> list[Output]:
    """Return the outputs of a listening link for recorded chunks, each cut into pieces of `cut` bytes."""
    link = HostLink(listen=True, expects=expects)
    out = link.start(START_NS)
    for chunk in heard:
        step = cut or len(chunk.data)
        for start in range(0, len(chunk.data), step):
            out += link.receive(chunk.data[start : start + step], chunk.at_ns)
    out += link.tick(end_ns)
    out += link.close(end_ns)
    assert not any(isinstance(output, Send) for output in out), "a listener sent something"
    return out
