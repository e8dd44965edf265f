"""Steps about the device's meters and the measurement of its firmware."""

import hashlib
from collections import Counter
from random import Random
from typing import Final, Self

from pydantic import Field, model_validator

from dealwire.bench.record import Failed, HeardFrame
from dealwire.bench.values import PATIENCE, BadValue, field_of, spell
from dealwire.bench.verbs.context import CheckContext
from dealwire.bench.verbs.digests import mistake_of
from dealwire.bench.verbs.step import STATUS_MS, PlanStep, Time
from devices.attestation import Evidence, FirmwareProof, NotAttested, check, check_start, signed_by
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.attestation import Certificate, Statement, image_facts
from protocol.tdp.instruments import NONCE_BYTES, measure
from protocol.tdp.messages import Component, DeviceMeter, Message, Status

MEASURE_MS: Final = PATIENCE["patience"]
"""Maximum milliseconds of a measurement: a mebibyte on a slow processor."""
PAGES_MAX: Final = 512
"""Maximum number of requests for meters: a device has no more full frames of them."""
NOT_CERTIFIED: Final = "the certificate was not judged: no maker's key was given (--makers)"
NOT_JUDGED: Final = "the digest was not judged: no image was given (--image)"
HALF: Final = 1 << 31
"""Increase beyond which a meter has decreased."""

Shown = dict[tuple[int, int], int]
"""Readings by meter and component, in the device's order."""


class ReadMeters(PlanStep):
    """`read_meters`: all meters are read and saved under this name."""

    read_meters: str = Field(pattern=r"^[a-z_]+$")
    whole: bool = False
    """Require that every frame follows the specification, and that a request beyond the last meter returns none."""

    def _run(self, context: CheckContext) -> None:
        context.meters[self.read_meters] = _read(context, strict=self.whole)


class MetersSince(PlanStep):
    """`meters_since`: read again, the same meters come in the same order, and none has decreased."""

    meters_since: str
    grown: dict[str, int | str] = Field(default_factory=dict)
    """Increase of the meters that the device has: a number, the number of an event (`PacketDispensed`), or the sum of
    one of its fields (`PacketDispensed.counted`)."""

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

    def _run(self, context: CheckContext) -> None:
        before = context.meters.get(self.meters_since)
        if before is None:
            raise BadValue(f"no meters were read as {self.meters_since!r}")
        after = _read(context, strict=False)
        if [*after] != [*before]:
            raise Failed(f"it told {_names(before)} before, and tells {_names(after)} now")
        by = {key: (after[key] - before[key]) % (1 << 32) for key in after}
        back = next((key for key, grown in by.items() if grown >= HALF), None)
        if back is not None:
            raise Failed(f"{_name(back)} went back from {before[back]} to {after[back]}")
        for name, wanted in self.grown.items():
            _compare(context, DeviceMeter[name], wanted, by)


def _compare(context: CheckContext, meter: DeviceMeter, wanted: int | str, by: Shown) -> None:
    """Compare the meter of the whole device or, if there is none, the sum of its parts."""
    parts = {component: grown for (number, component), grown in by.items() if number == meter}
    if not parts:
        return
    grown = parts.get(Component.DEVICE, sum(parts.values()))
    expected = wanted if isinstance(wanted, int) else _happened(context, wanted)
    if grown != expected:
        raise Failed(f"{meter.name} went on by {grown}; {expected} of them happened")


def _happened(context: CheckContext, wanted: str) -> int:
    """Return the number of an event since the check began, or the sum of one of its fields."""
    name, _, key = wanted.partition(".")
    events = [event for event in context.probe.events() if message_name(event) == name]
    return sum(int(getattr(event, key)) for event in events) if key else len(events)


class Challenging(PlanStep):
    """`challenge`: this many challenges with fresh nonces, then the first one again. Each answer must match its
    request; different nonces must give different digests, the same nonce the same one. If an image was given, each must
    be the digest over the nonce followed by the image, and HELLO-REPLY's must be that of the image; otherwise the check
    notes that digests were not compared."""

    challenge: int = Field(ge=2, le=20)
    within: Time = MEASURE_MS

    def _run(self, context: CheckContext) -> None:
        random = Random(f"{context.seed} {context.probe.wire.now_ns()}")
        nonces = [random.randbytes(NONCE_BYTES) for _ in range(self.challenge)]
        digests = [self._answer(context, nonce) for nonce in [*nonces, nonces[0]]]
        again = digests.pop()
        same = [digest for digest, count in Counter(digests).items() if count > 1]
        if same:
            raise Failed(f"different nonces were answered with the same digest {same[0].hex()[:16]}…")
        if again != digests[0]:
            raise Failed("the same nonce was answered with another digest the second time")
        if context.image is None:
            context.notes.append(NOT_JUDGED)
            return
        for nonce, digest in zip(nonces, digests, strict=True):
            _compare_digest(digest, nonce, context.image)
        hello = context.probe.known.hello
        attested = hello.digest if hello else b""
        if any(attested) and attested != hashlib.sha256(context.image).digest():
            raise Failed(f"HELLO-REPLY gives the firmware's digest {_short(attested)}, the image has another SHA-256")

    def _answer(self, context: CheckContext, nonce: bytes) -> bytes:
        session = context.probe.known.session
        _, stated = _brought(context, m.VerifyMessage(nonce, m.Region.FIRMWARE), "Measured", self.within)
        assert isinstance(stated, m.MeasuredMessage)
        found = stated.session, stated.nonce, stated.region, stated.algorithm
        if found != (session, nonce, m.Region.FIRMWARE, m.Algorithm.SHA256):
            raise Failed(f"it was asked to measure FIRMWARE by SHA256 with nonce {nonce.hex()}; came: {spell(stated)}")
        return stated.digest


class Attesting(PlanStep):
    """`attest`: this many challenges with fresh nonces. Each answer must be signed with the key that the device's
    maker certified in HELLO-REPLY, over its image as it is now. Without makers' keys the certificate is not judged,
    and the check notes it; an image that was given must be the one that it measured."""

    attest: int = Field(ge=2, le=20)
    within: Time = MEASURE_MS

    def _run(self, context: CheckContext) -> None:
        random = Random(f"{context.seed} {context.probe.wire.now_ns()}")
        hello = context.probe.meet()
        greeting = next(each for each in reversed(context.probe.heard) if each.message is hello)
        certificate = Certificate.read(greeting.envelope.extensions)
        if not context.makers:
            context.notes.append(NOT_CERTIFIED)
        proofs: set[FirmwareProof] = set()
        for _ in range(self.attest):
            challenge = m.VerifyMessage(random.randbytes(NONCE_BYTES), m.Region.FIRMWARE)
            frame, stated = _brought(context, challenge, "Measured", self.within)
            assert isinstance(stated, m.MeasuredMessage)
            found = Evidence(hello, certificate, challenge, stated, Statement.read(frame.envelope.extensions))
            try:
                proof = check(found, context.makers) if context.makers else signed_by(_claimed_key(found), found)
                check_start(hello, proof)
            except NotAttested as error:
                raise Failed(error.why) from None
            proofs.add(proof)
        if len(proofs) > 1:
            raise Failed("it signed different images in one session")
        _compare_image(context, proofs.pop())


def _claimed_key(found: Evidence) -> bytes:
    """Return the key that the device claims, while no maker is known who could have certified it."""
    if found.certificate is None:
        raise NotAttested("its HELLO-REPLY has no certificate")
    return found.certificate.key


def _compare_image(context: CheckContext, proof: FirmwareProof) -> None:
    """Raise Failed if the signed image is not the given one."""
    if context.image is not None and (proof.length, proof.sha256) != image_facts(context.image):
        raise Failed(f"it signed {proof.length} bytes with SHA-256 {_short(proof.sha256)}; the image is another")


def _compare_digest(digest: bytes, nonce: bytes, image: bytes) -> None:
    """Raise Failed for a wrong digest, with the mistake if it is a usual one."""
    if digest == measure(nonce, image):
        return
    mistake = mistake_of(digest, nonce, image, m.Region.FIRMWARE)
    words = f"it is {mistake}" if mistake else "nor is it that of a usual mistake: the firmware is not this image"
    raise Failed(f"Measured has digest {_short(digest)}, which is not that of the nonce, then the image; {words}")


def _short(digest: bytes) -> str:
    return f"{digest.hex()[:16]}…"


def _brought(context: CheckContext, command: Message, brings: str, limit_ms: int) -> tuple[HeardFrame, Message]:
    """Send a command and return the message that follows its reply, under the same request, with its frame."""
    reply = context.ask(command)
    if reply.status == Status.REFUSED:
        raise Failed(f"{spell(command)} is refused: {spell(reply)}")
    return context.find(brings, {}, limit_ms, request=context.request)


def _read(context: CheckContext, *, strict: bool) -> Shown:
    """Return all meters. Errors in the frames are left to the check for them, unless `strict`."""
    shown: Shown = {}
    total = 1
    for _ in range(PAGES_MAX):
        if len(shown) >= total:
            break
        page = _page(context, len(shown))
        fresh = {(meter, component): count for meter, component, count in page.meters}
        if strict:
            _look(context, page, len(shown), total if shown else page.total, twice=set(fresh) & set(shown))
        if not fresh.keys() - shown.keys():
            break
        total, shown = page.total, shown | fresh
    if strict:
        beyond = _page(context, total)
        if (beyond.total, beyond.first, beyond.meters) != (total, total, ()):
            raise Failed(f"it has {total} meters; asked for those from {total} it tells {len(beyond.meters)}")
    return shown


def _page(context: CheckContext, first: int) -> m.MetersMessage:
    _, stated = _brought(context, m.ReadMetersMessage(first), "Meters", STATUS_MS)
    assert isinstance(stated, m.MetersMessage)
    return stated


def _look(context: CheckContext, page: m.MetersMessage, first: int, total: int, twice: set[tuple[int, int]]) -> None:
    keys = [(meter, component) for meter, component, _ in page.meters]
    if page.session != context.probe.known.session:
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
