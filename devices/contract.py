"""Requirements on every dialect, as checks for its author to run: with `dialect check`, or in tests of the author's
own.

A check takes a dialect and bytes that one of its devices sent, intact and corrupted, and returns a short summary.
`ContractBroken` states the violation. Other exceptions of the dialect pass through with their traceback.
"""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from devices.dialects.dialect import Dialect, Explainer
from devices.dialects.drivers import DRIVERS
from devices.dialects.known import dialect_named
from devices.events import BytesDropped, EventsLost, LinkUp, Seen, UnknownReported
from devices.line.session import Feed
from protocol.errors import DealwireError
from protocol.link import Link, Output, Reported, Send, Started
from protocol.tdp.messages import Role

FRAME_MAX: Final = 4096
"""Maximum number of bytes that a framer may buffer: more than any frame of a table device needs."""
SEEDS: Final = range(4)
SPOILT_LENGTH: Final = 2000
"""Minimum length of a stream to corrupt: in a shorter one, chance damages too little."""
_MS: Final = 1_000_000
_START_NS: Final = 1_700_000_000_000_000_000
_HOUR_NS: Final = 3_600_000_000_000
_STEP_NS: Final = 20 * _MS
_AFTER_NS: Final = 10_000 * _MS
"""Time that passes after the last bytes: longer than any wait for an answer."""
_JUNK_LENGTH: Final = 2 * FRAME_MAX
_PLACES: Final = 16
"""Number of positions in the stream at which a framer gets junk instead of the rest."""


class ContractBroken(DealwireError):
    """A dialect violates the contract."""


@dataclass(frozen=True)
class DialectSample:
    """A dialect and what one of its devices sent: `heard`, chunk by chunk, from a device of this `kind`."""

    dialect: Dialect
    heard: tuple[bytes, ...]
    kind: str

    @property
    def stream(self) -> bytes:
        """All bytes of the sample."""
        return b"".join(self.heard)

    def spoilt(self, seed: int) -> bytes:
        """Return the stream, repeated if it is short, with bytes changed, removed and inserted."""
        return garbage(self.stream * -(-SPOILT_LENGTH // max(1, len(self.stream))), seed)


@dataclass(frozen=True)
class ContractCheck:
    """One requirement on every dialect, with the function that checks it."""

    name: str
    asks: str
    hold: Callable[[DialectSample], str]
    """Function that returns a short summary, or raises ContractBroken."""

    def __str__(self) -> str:
        return self.name


def _require(holds: bool, why: str) -> None:
    if not holds:
        raise ContractBroken(why)


def garbage(stream: bytes, seed: int) -> bytes:
    """Return `stream` with bytes changed, removed and inserted."""
    chance, data = random.Random(seed), bytearray(stream)
    for _ in range(len(data) // 10 + 3):
        at = chance.randrange(len(data) + 1)
        change = chance.randrange(3)
        if change == 0 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif change == 1:
            del data[at : at + chance.randrange(6)]
        else:
            data[at:at] = chance.randbytes(chance.randrange(6))
    return bytes(data)


def _random_chunks(stream: bytes, seed: int) -> Iterator[bytes]:
    """Yield a stream in chunks of any size, as a line delivers it."""
    chance, at = random.Random(seed), 0
    while at < len(stream):
        size = chance.randint(1, 60)
        yield stream[at : at + size]
        at += size


@dataclass(frozen=True)
class _Delivered:
    """Result of a delivery: events, bytes sent, outputs of the link, and the start time."""

    seen: tuple[Seen, ...]
    sent: bytes
    outputs: tuple[Output, ...]
    link: Link
    start_ns: int


def deliver(
    sample: DialectSample, chunks: Sequence[bytes], *, listen: bool, skip: bool = False, start_ns: int = _START_NS
) -> _Delivered:
    """Deliver chunks to a link and a driver of the dialect, 20 ms apart, to the end of the line.

    With `skip`, every fifth chunk is reported as dropped instead.
    """
    seen, outputs = list[Seen](), list[Output]()
    link = sample.dialect.make_link(sample.kind, Role.OPERATE, listen)
    feed = Feed("x", link, sample.dialect.driver(sample.kind, where=sample.dialect.name), seen.append, outputs.append)
    feed.settle = lambda _: None
    sent, now_ns = feed.start(start_ns), start_ns
    for at, chunk in enumerate(chunks):
        now_ns += _STEP_NS
        if skip and at % 5 == 4:
            sent += feed.drop(BytesDropped(len(chunk), sha256(chunk).hexdigest()), now_ns)
        else:
            sent += feed.receive(chunk, now_ns)
    now_ns += _AFTER_NS
    sent += feed.tick(now_ns)
    feed.end(now_ns)
    return _Delivered(tuple(seen), sent, tuple(outputs), link, start_ns)


# ------------------------------------------------------------------ what it is


def _check_registered(sample: DialectSample) -> str:
    name = sample.dialect.name
    _require(dialect_named(name) == sample.dialect, f"{name!r} is found, but it is another object than the one checked")
    return name


def _check_about(sample: DialectSample) -> str:
    dialect = sample.dialect
    _require(bool(dialect.about.strip()), "`about` is empty; it describes the dialect and its source")
    _require("\n" not in dialect.about, "`about` has more than one line")
    _require(dialect.baud > 0, f"`baud` is {dialect.baud}; a serial line needs a speed")
    return dialect.about


def _check_drivers(sample: DialectSample) -> str:
    kinds = sample.dialect.drivers
    _require(bool(kinds), f"`drivers` is empty; it needs one for each kind of device: {', '.join(DRIVERS)}")
    for kind in kinds:
        _require(kind in DRIVERS, f"`drivers` has {kind!r}; allowed: {', '.join(DRIVERS)}")
        driver = sample.dialect.driver(kind, where=sample.dialect.name)
        made = driver.translate(Send(b""))
        _require(made is None, f"the driver of a {kind} translates bytes that the host sends to {made!r}")
    return ", ".join(kinds)


# ------------------------------------------------------------------ its framer


def explained(dialect: Dialect, chunks: Sequence[bytes]) -> list[dict[str, object]]:
    """Return the explanation of a stream, piece by piece."""
    explainer = Explainer(dialect)
    return [piece for chunk in chunks for piece in explainer.feed(chunk)] + explainer.flush()


def _sample_streams(sample: DialectSample) -> Iterator[tuple[str, bytes]]:
    """Yield the sample intact, then corrupted."""
    yield "", sample.stream
    yield from ((f", corrupted with seed {seed}", sample.spoilt(seed)) for seed in SEEDS)


def _check_tiling(sample: DialectSample) -> str:
    for context, stream in _sample_streams(sample):
        at = 0
        for piece in explained(sample.dialect, [stream]):
            offset, length = piece["offset"], piece["length"]
            _require(offset == at, f"a piece at byte {offset} follows byte {at}{context}")
            _require(isinstance(length, int) and length > 0, f"a piece at byte {at} has the length {length!r}{context}")
            end = at + int(str(length))
            if piece["kind"] == "noise":
                given = bytes.fromhex(str(piece["data"]))
                _require(given == stream[at:end], f"the noise at byte {at} differs from the input{context}")
            at = end
        _require(at == len(stream), f"only {at} of {len(stream)} bytes are accounted for{context}")
    pieces = explained(sample.dialect, [sample.stream])
    noise = sum(int(str(piece["length"])) for piece in pieces if piece["kind"] == "noise")
    frames = sum(piece["kind"] != "noise" for piece in pieces)
    return f"{len(sample.stream)} bytes: {frames} frames, {noise} bytes of noise"


def _check_chunk_boundaries(sample: DialectSample) -> str:
    for context, stream in _sample_streams(sample):
        whole = explained(sample.dialect, [stream])
        single = explained(sample.dialect, [stream[at : at + 1] for at in range(len(stream))])
        differ = next((at for at, (one, two) in enumerate(zip(whole, single, strict=False)) if one != two), None)
        at = whole[differ]["offset"] if differ is not None else "the end"
        _require(whole == single, f"the result depends on chunk boundaries from byte {at} on{context}")
    return "at once, and byte by byte"


def _check_explanations(sample: DialectSample) -> str:
    kinds = dict[str, None]()
    for piece in explained(sample.dialect, [sample.stream]):
        try:
            json.dumps(piece)
        except (TypeError, ValueError) as error:
            raise ContractBroken(f"the explanation at byte {piece['offset']} is not JSON: {error}") from None
        kind = piece.get("kind")
        _require(isinstance(kind, str) and bool(kind), f"the explanation has no `kind` at byte {piece['offset']}")
        kinds[str(kind)] = None
    return ", ".join(kinds)


def _check_buffer(sample: DialectSample) -> str:
    stream, most = sample.stream, 0
    for at in range(0, len(stream), max(1, len(stream) // _PLACES)):
        for junk in (b"A" * _JUNK_LENGTH, bytes(_JUNK_LENGTH), random.Random(at).randbytes(_JUNK_LENGTH)):
            framer = sample.dialect.make_framer()
            framer.feed(stream[:at])
            framer.feed(junk)
            most = max(most, framer.pending)
            _require(most <= FRAME_MAX, f"{most} bytes of junk after byte {at} are buffered; the limit is {FRAME_MAX}")
    return f"at most {most} bytes buffered"


# ------------------------------------------------------------------ its link and its driver


def _check_events(sample: DialectSample) -> str:
    done = deliver(sample, sample.heard, listen=True)
    _require(done.link.stats.frames > 0, "the link counts no frame in the sample (`stats.frames`)")
    bodies = [item.body for item in done.seen if not isinstance(item.body, LinkUp)]
    named = [body for body in bodies if not isinstance(body, UnknownReported | EventsLost)]
    _require(bool(named), f"{done.link.stats.frames} frames yield no event")
    return f"{len(named)} events" + (
        f", {len(bodies) - len(named)} unknown or lost" if len(bodies) > len(named) else ""
    )


def _check_order(sample: DialectSample) -> str:
    done = deliver(sample, sample.heard, listen=True)
    started, numbers = set[int](), dict[int, int]()
    for output in done.outputs:
        if isinstance(output, Started):
            started.add(output.session)
        elif isinstance(output, Reported):
            _require(output.session in started, f"report {output.number} comes before its session has `Started`")
            before = numbers.get(output.session, 0)
            _require(output.number == before + 1, f"report {output.number} comes after report {before}")
            numbers[output.session] = output.number
    last = dict[int, int]()
    for item in done.seen:
        if item.number and not isinstance(item.body, EventsLost):
            before = last.get(item.session, 0)
            _require(item.number > before, f"event {item.number} comes after event {before}")
            last[item.session] = item.number
    return f"{max(last.values(), default=0)} in a row"


def _check_replay(sample: DialectSample) -> str:
    corrupted = [garbage(chunk, at) if at % 3 == 1 else chunk for at, chunk in enumerate(sample.heard)]
    for words, chunks in (("", sample.heard), (", corrupted", corrupted)):
        live, again = deliver(sample, chunks, listen=False), deliver(sample, chunks, listen=True)
        pairs = zip(live.seen, again.seen, strict=False)
        first = next((f"{one.body} and {two.body}" for one, two in pairs if one != two), "one has more events")
        _require(live.seen == again.seen, f"a recording yields other events than the live line{words}: {first}")
        _require(not again.sent, f"it sends {again.sent[:20].hex(' ')} during a replay{words}")
        for done in (live, again):
            _require(done.link.next_deadline_ns is None, f"a timer is left after `close`{words}")
    return "attached and over a recording"


def _check_no_clock(sample: DialectSample) -> str:
    def given(start_ns: int) -> list[Any]:
        done = deliver(sample, sample.heard, listen=True, start_ns=start_ns)
        return [(type(item.body), item.number, item.at_ns - start_ns) for item in done.seen]

    _require(given(_START_NS) == given(_START_NS + _HOUR_NS), "the same bytes yield other times an hour later")
    return "the same an hour later"


def _check_garbage(sample: DialectSample) -> str:
    for kind in sample.dialect.drivers:
        other = DialectSample(sample.dialect, sample.heard, kind)
        for seed in SEEDS:
            chunks = [*_random_chunks(sample.spoilt(seed), seed)]
            deliver(other, chunks, listen=False)
            deliver(other, chunks, listen=True, skip=True)
    return f"{len(SEEDS)} corrupted streams, whole and with bytes dropped"


def _check_commands(sample: DialectSample) -> str:
    words = ""
    for kind in sample.dialect.drivers:
        link = sample.dialect.make_link(kind, Role.OBSERVE, False)
        link.start(_START_NS)
        try:
            link.request(object(), _START_NS)
        except DealwireError as error:
            words = str(error)
            _require("\n" not in words and bool(words), "its error for an unknown command is not one line")
        else:
            raise ContractBroken(f"a {kind} accepts an unknown command; raise an error of `protocol.errors`")
    return words


CONTRACT: Final = tuple(
    ContractCheck(*each)
    for each in (
        ("found", "installed packages announce it under its name", _check_registered),
        ("about", "it has a one-line description and a baud rate", _check_about),
        ("drivers", "each kind of device has a driver, which ignores the host's bytes", _check_drivers),
        ("tiles", "frames and noise tile the input, intact or corrupted", _check_tiling),
        ("cut", "chunk boundaries do not matter", _check_chunk_boundaries),
        ("explain", "each frame is explained as JSON, with its kind", _check_explanations),
        ("pending", f"a framer buffers one frame, at most {FRAME_MAX} bytes", _check_buffer),
        ("events", "the sample yields events", _check_events),
        ("order", "reports are numbered from 1, in order, after the start of their session", _check_order),
        ("recording", "a replay yields the same, and sends nothing", _check_replay),
        ("clock", "it reads no clock", _check_no_clock),
        ("garbage", "garbage raises nothing", _check_garbage),
        ("commands", "an impossible command is refused in one line", _check_commands),
    )
)
"""All checks, in the order in which an author runs into them."""
