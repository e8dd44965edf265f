"""The verbs that ask a device of itself: what its meters show, and what its firmware measures."""

import hashlib
from collections import Counter
from random import Random
from typing import Final, Self

from pydantic import Field, model_validator

from dealwire.bench.record import Failed
from dealwire.bench.values import PATIENCE, BadValue, field_of, spell
from dealwire.bench.verbs.digests import mistake_of
from dealwire.bench.verbs.stand import Stand
from dealwire.bench.verbs.step import STATUS_MS, PlanStep, Time
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.instruments import NONCE_BYTES, measure
from protocol.tdp.messages import Component, DeviceMeter, Message, Status

MEASURE_MS: Final = PATIENCE["patience"]
"""The longest a device may measure: a mebibyte at a slow processor's pace."""
PAGES_MAX: Final = 512
"""Meters are asked for at most so often: a device has no more than so many whole frames of them."""
NOT_JUDGED: Final = "the digest was not judged: no image was given (--image)"
HALF: Final = 1 << 31
"""What has gone on by more than this has gone back."""

Shown = dict[tuple[int, int], int]
"""What the meters show, by meter and component, in the device's order."""


class ReadMeters(PlanStep):
    """`read_meters`: all of them are read, under this name. `whole`: every frame must be as the page has it, and one
    more that is asked for beyond the last tells none."""

    read_meters: str = Field(pattern=r"^[a-z_]+$")
    whole: bool = False

    def _run(self, stand: Stand) -> None:
        stand.meters[self.read_meters] = _read(stand, strict=self.whole)


class MetersSince(PlanStep):
    """`meters_since`: read again, they are the same ones in the same order, and none has gone back. `grown`: those of
    them that the device has went on by so many: a number, as many as an event came (`PacketDispensed`), or the sum of
    one of its fields (`PacketDispensed.counted`)."""

    meters_since: str
    grown: dict[str, int | str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _known(self) -> Self:
        for name, by in self.grown.items():
            if name not in DeviceMeter.__members__:
                raise BadValue(f"no such meter: {name!r}; allowed: {', '.join(DeviceMeter.__members__)}")
            if isinstance(by, str) and "." in by:
                field_of(*by.split(".", 1))
            elif isinstance(by, str):
                field_of(by, "number")
        return self

    def _run(self, stand: Stand) -> None:
        before = stand.meters.get(self.meters_since)
        if before is None:
            raise BadValue(f"no meters were read as {self.meters_since!r}")
        after = _read(stand, strict=False)
        if [*after] != [*before]:
            raise Failed(f"it told {_names(before)} before, and tells {_names(after)} now")
        by = {key: (after[key] - before[key]) % (1 << 32) for key in after}
        back = next((key for key, grown in by.items() if grown >= HALF), None)
        if back is not None:
            raise Failed(f"{_name(back)} went back from {before[back]} to {after[back]}")
        for name, wanted in self.grown.items():
            _compare(stand, DeviceMeter[name], wanted, by)


def _compare(stand: Stand, meter: DeviceMeter, wanted: int | str, by: Shown) -> None:
    """The whole device's meter counts; where there is none, those of its parts together."""
    parts = {component: grown for (number, component), grown in by.items() if number == meter}
    if not parts:
        return
    grown = parts.get(Component.DEVICE, sum(parts.values()))
    expected = wanted if isinstance(wanted, int) else _happened(stand, wanted)
    if grown != expected:
        raise Failed(f"{meter.name} went on by {grown}; {expected} of them happened")


def _happened(stand: Stand, wanted: str) -> int:
    """How often an event came since the check began, or what one of its fields adds up to."""
    name, _, key = wanted.partition(".")
    events = [event for event in stand.probe.events() if message_name(event) == name]
    return sum(int(getattr(event, key)) for event in events) if key else len(events)


class Challenging(PlanStep):
    """`challenge`: so many challenges with nonces drawn now, then the first of them once more. Each is answered with
    what it asked for; other nonces have other digests, the same nonce has the same. Where the image was given, each is
    the digest over the nonce, then the image, and HELLO-REPLY's that of the image; where it was not, the check says
    so."""

    challenge: int = Field(ge=2, le=20)
    within: Time = MEASURE_MS

    def _run(self, stand: Stand) -> None:
        random = Random(f"{stand.seed} {stand.probe.wire.now_ns()}")
        nonces = [random.randbytes(NONCE_BYTES) for _ in range(self.challenge)]
        digests = [self._answer(stand, nonce) for nonce in [*nonces, nonces[0]]]
        again = digests.pop()
        same = [digest for digest, count in Counter(digests).items() if count > 1]
        if same:
            raise Failed(f"different nonces were answered with the same digest {same[0].hex()[:16]}…")
        if again != digests[0]:
            raise Failed("the same nonce was answered with another digest the second time")
        if stand.image is None:
            stand.notes.append(NOT_JUDGED)
            return
        for nonce, digest in zip(nonces, digests, strict=True):
            _compare_digest(digest, nonce, stand.image)
        hello = stand.probe.known.hello
        attested = hello.digest if hello else b""
        if any(attested) and attested != hashlib.sha256(stand.image).digest():
            raise Failed(f"HELLO-REPLY gives the firmware's digest {_short(attested)}, the image has another SHA-256")

    def _answer(self, stand: Stand, nonce: bytes) -> bytes:
        session = stand.probe.known.session
        stated = _brought(stand, m.VerifyMessage(nonce, m.Region.FIRMWARE), "Measured", self.within)
        assert isinstance(stated, m.MeasuredMessage)
        found = stated.session, stated.nonce, stated.region, stated.algorithm
        if found != (session, nonce, m.Region.FIRMWARE, m.Algorithm.SHA256):
            raise Failed(f"it was asked to measure FIRMWARE by SHA256 with nonce {nonce.hex()}; came: {spell(stated)}")
        return stated.digest


def _compare_digest(digest: bytes, nonce: bytes, image: bytes) -> None:
    """Failed names the mistake, where it is a usual one."""
    if digest == measure(nonce, image):
        return
    mistake = mistake_of(digest, nonce, image, m.Region.FIRMWARE)
    words = f"it is {mistake}" if mistake else "nor is it that of a usual mistake: the firmware is not this image"
    raise Failed(f"Measured has digest {_short(digest)}, which is not that of the nonce, then the image; {words}")


def _short(digest: bytes) -> str:
    return f"{digest.hex()[:16]}…"


def _brought(stand: Stand, command: Message, brings: str, limit_ms: int) -> Message:
    """What a command brings behind its reply, under its own request."""
    reply = stand.ask(command)
    if reply.status == Status.REFUSED:
        raise Failed(f"{spell(command)} is refused: {spell(reply)}")
    return stand.find(brings, {}, limit_ms, request=stand.request)[1]


def _read(stand: Stand, *, strict: bool) -> Shown:
    """All meters. What is wrong with how they are told is left to the check that is about it, unless `strict`."""
    shown: Shown = {}
    total = 1
    for _ in range(PAGES_MAX):
        if len(shown) >= total:
            break
        page = _page(stand, len(shown))
        fresh = {(meter, component): count for meter, component, count in page.meters}
        if strict:
            _look(stand, page, len(shown), total if shown else page.total, twice=set(fresh) & set(shown))
        if not fresh.keys() - shown.keys():
            break
        total, shown = page.total, shown | fresh
    if strict:
        beyond = _page(stand, total)
        if (beyond.total, beyond.first, beyond.meters) != (total, total, ()):
            raise Failed(f"it has {total} meters; asked for those from {total} it tells {len(beyond.meters)}")
    return shown


def _page(stand: Stand, first: int) -> m.MetersMessage:
    stated = _brought(stand, m.ReadMetersMessage(first), "Meters", STATUS_MS)
    assert isinstance(stated, m.MetersMessage)
    return stated


def _look(stand: Stand, page: m.MetersMessage, first: int, total: int, twice: set[tuple[int, int]]) -> None:
    keys = [(meter, component) for meter, component, _ in page.meters]
    if page.session != stand.probe.known.session:
        raise Failed(f"the meters are of session {page.session:08X}h")
    if page.first != first or page.total != total or first + len(keys) > total or (not keys and total > first):
        shown = f"{len(keys)} from {page.first} of {page.total}"
        raise Failed(f"asked for the meters from {first} of {total}, it told {shown}")
    if twice or len(set(keys)) < len(keys):
        raise Failed("it tells a meter of a component twice")


def _name(key: tuple[int, int]) -> str:
    meter, component = key
    known = DeviceMeter(meter).name if meter in DeviceMeter._value2member_map_ else f"meter {meter}"
    part = Component(component).name if component in Component._value2member_map_ else f"component {component}"
    return f"{known} of {part}"


def _names(shown: Shown) -> str:
    return ", ".join(map(_name, shown)) or "no meter"
