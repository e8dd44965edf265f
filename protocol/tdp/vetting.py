"""Which frames and which devices a link can use, and one line on why not."""

from __future__ import annotations

from typing import Final

from protocol.errors import RemoteError, VersionMismatch, WrongDevice
from protocol.tdp.codec import Envelope, Unknown
from protocol.tdp.framing import Noise, NoiseReason
from protocol.tdp.messages import DeviceClass, HeartbeatMessage, HelloMessage, HelloReplyMessage, Kind, Reason
from protocol.tdp.outputs import MUST_UNDERSTAND, Discarded, LinkStats, Output
from protocol.tdp.packets import MINOR, VERSION, VERSION_TEXT

_FROM_HOST_ALONE: Final = (HelloMessage, HeartbeatMessage)
_FROM_DEVICE: Final = frozenset({Kind.REPLY, Kind.PROGRESS, Kind.EVENT, Kind.NAK, Kind.LINK})
_FROM_HOST: Final = frozenset({Kind.COMMAND, Kind.ACK, Kind.NAK})


def count_noise(noise: Noise, stats: LinkStats, out: list[Output]) -> None:
    """Book bytes that belong to no frame. Idle delimiters mean nothing and are not worth an output."""
    if noise.reason is NoiseReason.IDLE:
        stats.idle_bytes += noise.length
        return
    stats.noise_bytes += noise.length
    stats.bad_checks += noise.reason is NoiseReason.CHECK
    out.append(Discarded(noise.data, noise.reason))


def is_from_device(envelope: Envelope) -> bool:
    """False for what only a host sends: an echo of the line, and no sign of a device's life."""
    return envelope.kind in _FROM_DEVICE and not isinstance(envelope.message, _FROM_HOST_ALONE)


def is_from_host(envelope: Envelope) -> bool:
    """False for what only a device sends."""
    if envelope.kind == Kind.LINK:
        return isinstance(envelope.message, (*_FROM_HOST_ALONE, Unknown))
    return envelope.kind in _FROM_HOST


def problem_with(envelope: Envelope) -> Reason | None:
    """Why a whole frame cannot be interpreted, None when it can. HELLO and its reply are read in every version."""
    if envelope.flags & MUST_UNDERSTAND:
        return Reason.UNKNOWN_FLAG
    if envelope.version != VERSION and not isinstance(envelope.message, HelloMessage | HelloReplyMessage):
        return Reason.UNKNOWN_VERSION
    if isinstance(envelope.message, Unknown):
        return Reason.UNKNOWN_COMMAND
    return None


def why_unusable(envelope: Envelope) -> str:
    """One line for a person about a whole frame that was dropped."""
    name = f"kind {envelope.kind} message 0x{envelope.message_id:04X}"
    problem = problem_with(envelope)
    if problem is Reason.UNKNOWN_FLAG:
        return f"{name} has flags 0x{envelope.flags:02X}; none of bits 7-4 is known here"
    if problem is Reason.UNKNOWN_VERSION:
        return f"{name} is of protocol version {envelope.version}; this side speaks {VERSION}"
    if problem is Reason.UNKNOWN_COMMAND:
        return f"{name} is unknown or does not fit its layout"
    return f"{name} holds values that cannot be, or is an echo of what this side sent"


def common_version(hello: HelloReplyMessage) -> tuple[int, int] | None:
    """The highest version, major and minor, that both ends speak; None when there is none."""
    common = min((VERSION, MINOR), (hello.highest_major, hello.highest_minor))
    return common if common >= max((VERSION, 0), (hello.lowest_major, hello.lowest_minor)) else None


def misfit(hello: HelloReplyMessage, expects: DeviceClass | None) -> RemoteError | None:
    """Why we cannot talk to this device, None when we can. An emulator passes for any class."""
    if common_version(hello) is None:
        theirs = f"{hello.lowest_major}.{hello.lowest_minor} to {hello.highest_major}.{hello.highest_minor}"
        return VersionMismatch(VERSION_TEXT, theirs)
    if expects is not None and hello.device_class not in (expects, DeviceClass.EMULATOR):
        return WrongDevice(_class_text(expects), _class_text(hello.device_class))
    return None


def same_device(one: HelloReplyMessage, other: HelloReplyMessage) -> bool:
    """True when both were said by the same piece of equipment."""
    return (one.maker, one.model, one.serial) == (other.maker, other.model, other.serial)


def _class_text(number: int) -> str:
    try:
        return DeviceClass(number).name.lower().replace("_", " ")
    except ValueError:
        return f"device of class {number}"
