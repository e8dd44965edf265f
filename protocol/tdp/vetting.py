"""Checks whether a frame or a device can be used, with a one-line reason if not."""

from __future__ import annotations

from typing import Final

from protocol.errors import RemoteError, VersionMismatch, WrongDevice
from protocol.tdp.codec import Envelope, Unknown
from protocol.tdp.framing import Noise, NoiseReason
from protocol.tdp.messages import (
    DeviceClass,
    HeartbeatMessage,
    HelloMessage,
    HelloReplyMessage,
    Kind,
    PairAnswerMessage,
    PairCallMessage,
    PairProofMessage,
    Reason,
    SealAnswerMessage,
    SealCallMessage,
)
from protocol.tdp.outputs import MUST_UNDERSTAND, REFUSED, SEALED, Discarded, LinkStats, Output
from protocol.tdp.packets import MINOR, VERSION, VERSION_TEXT

_CALLS: Final = (PairCallMessage, PairProofMessage, SealCallMessage)
_SEALING: Final = (*_CALLS, PairAnswerMessage, SealAnswerMessage)
FROM_HOST_ALONE: Final = (HelloMessage, HeartbeatMessage, *_CALLS)
"""Link messages that a device never sends."""
_FROM_DEVICE: Final = frozenset({Kind.REPLY, Kind.PROGRESS, Kind.EVENT, Kind.NAK, Kind.LINK})
_FROM_HOST: Final = frozenset({Kind.COMMAND, Kind.ACK, Kind.NAK})


def count_noise(noise: Noise, stats: LinkStats, out: list[Output]) -> None:
    """Count bytes that belong to no frame and report them. Idle delimiters have no meaning and are only counted."""
    if noise.reason is NoiseReason.IDLE:
        stats.idle_bytes += noise.length
        return
    stats.noise_bytes += noise.length
    stats.bad_checks += noise.reason is NoiseReason.CHECK
    out.append(Discarded(noise.data, noise.reason))


def is_from_device(envelope: Envelope) -> bool:
    """Return False for frames that only a host sends: they are an echo of the line and no sign of life of a device."""
    return envelope.kind in _FROM_DEVICE and not isinstance(envelope.message, FROM_HOST_ALONE)


def is_from_host(envelope: Envelope) -> bool:
    """Return False for frames that only a device sends."""
    if envelope.kind == Kind.LINK:
        return isinstance(envelope.message, (*FROM_HOST_ALONE, Unknown))
    return envelope.kind in _FROM_HOST


def problem_with(envelope: Envelope) -> Reason | None:
    """Return the reason why a whole frame cannot be interpreted, or None. HELLO and its reply are read in every
    version."""
    if envelope.flags & MUST_UNDERSTAND:
        return Reason.UNKNOWN_FLAG
    if envelope.version != VERSION and not isinstance(envelope.message, HelloMessage | HelloReplyMessage):
        return Reason.UNKNOWN_VERSION
    if isinstance(envelope.message, (Unknown, *_SEALING)):  # the ends of a sealed line take theirs before the link
        return Reason.UNKNOWN_COMMAND
    return None


def why_unusable(envelope: Envelope) -> str:
    """Return one line for a reader about a whole frame that was dropped."""
    name = f"kind {envelope.kind} message 0x{envelope.message_id:04X}"
    problem = problem_with(envelope)
    if problem is Reason.UNKNOWN_FLAG and envelope.flags & REFUSED:
        return f"{name} was refused on the sealed line"
    if problem is Reason.UNKNOWN_FLAG and envelope.flags & SEALED:
        return f"{name} is sealed"
    if problem is Reason.UNKNOWN_FLAG:
        return f"{name} has flags 0x{envelope.flags:02X}; bits 7-4 must be understood and are unknown"
    if problem is Reason.UNKNOWN_VERSION:
        return f"{name} has protocol version {envelope.version}; this side supports {VERSION}"
    if problem is Reason.UNKNOWN_COMMAND:
        return f"{name} is unknown or does not fit its layout"
    return f"{name} has impossible values, or is an echo of this side's own frame"


def common_version(hello: HelloReplyMessage) -> tuple[int, int] | None:
    """Return the highest version, major and minor, that both ends support; None if there is none."""
    common = min((VERSION, MINOR), (hello.highest_major, hello.highest_minor))
    return common if common >= max((VERSION, 0), (hello.lowest_major, hello.lowest_minor)) else None


def incompatibility(hello: HelloReplyMessage, expects: DeviceClass | None) -> RemoteError | None:
    """Return the error that rules out talking to this device, or None. An emulator passes for any class."""
    if common_version(hello) is None:
        theirs = f"{hello.lowest_major}.{hello.lowest_minor} to {hello.highest_major}.{hello.highest_minor}"
        return VersionMismatch(VERSION_TEXT, theirs)
    if expects is not None and hello.device_class not in (expects, DeviceClass.EMULATOR):
        return WrongDevice(_class_text(expects), _class_text(hello.device_class))
    return None


def same_device(one: HelloReplyMessage, other: HelloReplyMessage) -> bool:
    """Return True if both come from the same piece of equipment."""
    return (one.maker, one.model, one.serial) == (other.maker, other.model, other.serial)


def _class_text(number: int) -> str:
    try:
        return DeviceClass(number).name.lower().replace("_", " ")
    except ValueError:
        return f"device of class {number}"
