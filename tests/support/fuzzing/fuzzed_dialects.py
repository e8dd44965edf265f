"""Targets of a fuzzer: each dialect, as a host hears it, and the devices that hear a host or a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Final

from devices.dialects.known import BUILT_IN
from devices.line.session import Feed
from firmware.same.gat import EndInPython, GatBench, inspect
from protocol.angel_eye.framing import Frame as AngelEyeFrame
from protocol.angel_eye.framing import Start
from protocol.angel_eye.framing import encode_frame as angel_eye_frame
from protocol.errors import BadAnswer
from protocol.gat import framing as gat
from protocol.gat.codec import encode
from protocol.gat.device_end import GatDevice, MeasuredSoftware
from protocol.gat.documents import read_components, read_functions, write_components, write_functions
from protocol.gat.exchange import Exchange
from protocol.gat.functions import FILE, SpecialFunction
from protocol.gat.messages import ResultsQueryMessage, StatusQueryMessage
from protocol.link import Output
from protocol.tdp import DeviceLink, EventStore
from protocol.tdp.framing import Frame, encode_frame
from protocol.tdp.messages import Role
from tests.support.evenings.simulated_shoe import START_NS, ShoeEvening
from tests.support.fuzzing.fuzz_units import MS, FuzzTally, TilingCheck, Unaccounted, line_inputs, spoiled
from tests.support.reading.vectors import BAD_PAYLOADS, FRAMES, UNKNOWN, body_of
from tests.support.rigs.links import hello_reply, report

STEPS: Final = (1, 20, 600, 4000)
"""Milliseconds between two inputs."""
MOST_PENDING: Final = 300
ACTS: Final = ["fill", "begin 3", *["draw"] * 6, "draw unread", "clear", "draw", "push back", "clear", "draw",
               "end round", "lock", "draw", "unlock", "slow", "draw", "clear", "wrong button", "empty"]  # fmt: skip
BODIES: Final = [*map(body_of, (*FRAMES, *UNKNOWN)), *(bytes.fromhex(each["body"]) for each in BAD_PAYLOADS)]
"""Body of every published vector: each message of both ends."""
TDP_SAMPLE: Final = b"".join(encode_frame(body) for body in BODIES)


def tdp_frame(body: bytes) -> bytes:
    """Return a TDP frame of a body that may have any length."""
    return encode_frame(body[:252].ljust(8, b"\0"))


def _angel_eye_body(frame: AngelEyeFrame) -> bytes:
    return bytes([frame.start]) + frame.body


def _framed_angel_eye(body: bytes) -> bytes:
    try:
        return angel_eye_frame(Start(body[0]), body[1:])
    except ValueError:
        return angel_eye_frame(Start.REPORT, body)


def _framed_gat(body: bytes) -> bytes:
    try:
        return gat.encode_frame(body[0], body[1:252])
    except (KeyError, ValueError):
        return gat.encode_frame(gat.Code.CALCULATION_QUERY, b"\0" + body[:200])


class HeardDialect:
    """The host of a dialect: framer, codec, link and driver; `sample` is what its device sends."""

    def __init__(self, name: str, kind: str, sample: bytes, frame: Callable[[bytes], bytes]) -> None:
        self._dialect, self._sample, self._frame = BUILT_IN[name], sample, frame
        self._framer, self._tiles = self._dialect.make_framer(), TilingCheck(MOST_PENDING)
        self._now_ns, self.reports = START_NS, 0
        link = self._dialect.make_link(kind, Role.OPERATE, False)
        self._feed = Feed("fuzz", link, self._dialect.driver(kind, where="fuzz"), self._count)
        self._feed.settle = lambda _: None
        self._feed.start(self._now_ns)

    def _count(self, _: object) -> None:
        self.reports += 1

    def inputs(self, chance: Random) -> Iterator[bytes]:
        """Yield what a broken device, or anyone on the line, may send."""
        framer = self._dialect.make_framer()
        pieces = [piece for piece in framer.feed(self._sample) if not hasattr(piece, "reason")]
        bodies = BODIES if self._dialect.name == "tdp" else list(map(_body_of, pieces))
        return line_inputs(self._sample, bodies, self._frame, chance)

    def take(self, data: bytes, chance: Random, tally: FuzzTally) -> None:
        """Take an input in the framer and codec, then in the link and driver."""
        self._now_ns += chance.choice(STEPS) * MS
        frames = self._tiles.book(self._framer.feed(data), len(data), self._framer.pending, tally)
        for frame in frames:
            if (kind := self._dialect.explain(frame)["kind"]) in ("bad payload", "bad report"):
                tally.errors["BadPayload" if kind == "bad payload" else "BadReport"] += 1
        self._feed.receive(data, self._now_ns)


def _body_of(piece: object) -> bytes:
    if isinstance(piece, AngelEyeFrame):
        return _angel_eye_body(piece)
    return f"[{piece.mode}]<{piece.item}>".encode() if piece.mode else f"<{piece.item}>".encode()  # type: ignore[attr-defined]


class HeardHost:
    """The device's end of plain TDP."""

    def __init__(self, _: Random) -> None:
        self._framer, self._tiles = BUILT_IN["tdp"].make_framer(), TilingCheck(MOST_PENDING)
        self._now_ns = START_NS
        self._link = DeviceLink(hello_reply(0x1001), report=report, store=EventStore(), granted=Role.SERVICE)
        self._link.start(self._now_ns)

    def inputs(self, chance: Random) -> Iterator[bytes]:
        """Yield what anyone may send as a host."""
        return line_inputs(TDP_SAMPLE, BODIES, tdp_frame, chance)

    def take(self, data: bytes, chance: Random, tally: FuzzTally) -> None:
        """Take an input."""
        self._now_ns += chance.choice(STEPS) * MS
        for frame in self._tiles.book(self._framer.feed(data), len(data), self._framer.pending, tally):
            assert isinstance(frame, Frame)
        out: list[Output] = self._link.receive(data, self._now_ns)
        out += self._link.tick(self._now_ns)


@cache
def gat_conversation() -> tuple[bytes, list[bytes]]:
    """Return the bytes of both ends of forty inspections, and the frames as code and data."""
    bench = GatBench([EndInPython()], Random(1))
    for _ in range(40):
        inspect(bench, Exchange())
    heard = b"".join(bench.heard)
    return heard, [bytes([each[0]]) + each[2:-2] for each in bench.heard if each]


class HeardGat:
    """A recording of a GAT line, and the listener."""

    def __init__(self, _: Random) -> None:
        self._dialect, self._tiles = BUILT_IN["gat"], TilingCheck(MOST_PENDING)
        self._framer, self._link = self._dialect.make_framer(), self._dialect.make_link("", Role.OBSERVE, True)
        self._now_ns = START_NS
        self._link.start(self._now_ns)

    def inputs(self, chance: Random) -> Iterator[bytes]:
        """Yield both ends' bytes."""
        return line_inputs(*gat_conversation(), _framed_gat, chance)

    def take(self, data: bytes, chance: Random, tally: FuzzTally) -> None:
        """Take an input."""
        self._now_ns += chance.choice(STEPS) * MS
        for frame in self._tiles.book(self._framer.feed(data), len(data), self._framer.pending, tally):
            tally.errors["BadReport"] += self._dialect.explain(frame)["kind"] == "bad report"
        self._link.receive(data, self._now_ns)


class GatEnds:
    """Device and terminal of a GAT line. After each input the device still answers a genuine terminal."""

    def __init__(self, _: Random) -> None:
        self._exchange, self._now_ns = Exchange(), START_NS
        self._device = GatDevice(MeasuredSoftware("game", "maker", (("one", bytes(3000)),)), 512)

    def inputs(self, chance: Random) -> Iterator[bytes]:
        """Yield both ends' bytes, and between them single frames with a right check."""
        sample, frames = gat_conversation()
        for data in line_inputs(sample, frames, _framed_gat, chance):
            yield data
            for _ in range(60):
                yield _framed_gat(spoiled(chance.choice(frames), chance, int(chance.random() * 3)))

    def take(self, data: bytes, chance: Random, tally: FuzzTally) -> None:
        """Take an input in pieces with silence between them, at both ends."""
        at = 0
        while at < len(data):
            size = chance.randrange(1, 700) if len(data) > gat.MAX_WIRE else len(data)
            self._now_ns += 60 * MS
            self._device.receive(data[at : at + size], self._now_ns)
            self._device.tick(self._now_ns)
            tally.frames += len(self._device.take_output())
            self._ask(data[at : at + size], chance, tally)
            at += size
        self._now_ns += 60 * MS
        self._device.receive(encode(StatusQueryMessage()), self._now_ns)
        if len(self._device.take_output()) != 1:
            raise Unaccounted("the device no longer answers a terminal")

    def _ask(self, data: bytes, chance: Random, tally: FuzzTally) -> None:
        exchange = self._exchange
        if exchange.done:
            if exchange.failure is not None:
                tally.errors[type(exchange.failure).__name__] += 1
            query = StatusQueryMessage() if chance.random() < 0.5 else ResultsQueryMessage(2, chance.randrange(1, 4))
            exchange.ask(query, self._now_ns)
        for _ in range(3):
            if (due_ns := exchange.next_deadline_ns) is not None:
                exchange.tick(max(due_ns, self._now_ns))
        exchange.receive(data, self._now_ns)


_DOCUMENTS: Final = (
    write_components("game", "maker", [(f"part {number}", "0" * 40) for number in range(40)]),
    write_functions("game", "maker", [SpecialFunction(FILE, ("%%", "key"))] * 20),
    b'<?xml version="1.0" encoding="UTF-16"?><a:Components xmlns:a="b"><Game/></a:Components>',
    b'<!DOCTYPE a [<!ENTITY b "c">]><Components>&b;&#65;</Components><?php ?>',
)


class GatDocuments:
    """Results of a GAT device, as documents."""

    def __init__(self, _: Random) -> None:
        pass

    def inputs(self, chance: Random) -> Iterator[bytes]:
        """Yield spoiled documents, and some random bytes."""
        while True:
            found = spoiled(chance.choice(_DOCUMENTS), chance, int(chance.random() * 6))
            yield found if chance.random() < 0.95 else chance.randbytes(500)

    def take(self, data: bytes, chance: Random, tally: FuzzTally) -> None:
        """Read an input both ways."""
        for read in (read_components, read_functions):
            try:
                read(data)
                tally.frames += 1
            except BadAnswer:
                tally.errors["BadAnswer"] += 1


def shoe_output(dialect: str) -> bytes:
    """Return what a simulated shoe sends in a dialect during an evening."""
    return b"".join(data for _, data in ShoeEvening(ACTS, dialect).run().heard)


def heard_tdp(kind: str) -> Callable[[Random], HeardDialect]:
    """Return the maker of a host that hears a kind of device."""
    return lambda _: HeardDialect("tdp", kind, TDP_SAMPLE + shoe_output("tdp"), tdp_frame)


def heard_shoe(dialect: str) -> Callable[[Random], HeardDialect]:
    """Return the maker of a host that hears a shoe of a dialect."""
    frame: Callable[[bytes], bytes] = _framed_angel_eye if dialect == "angel-eye" else lambda body: b" " + body + b" "
    return lambda _: HeardDialect(dialect, "shoe", shoe_output(dialect), frame)
