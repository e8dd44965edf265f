"""Data that a device reports on request: the readings of its meters and the measurement of its firmware.

A meter counts for as long as the device exists: it only grows, through every power cut, and wraps from FFFFFFFFh to 0.
No meter reveals the face of a card. The list covers what a service contract bills and what WAC 230-16-152 (1)(b) names
for a shuffler whose use is billed: (i) hard count meters; (ii) successful and unsuccessful shuffles, shuffles completed
by service, card sorts, the number of cards in each shuffle; (iii) malfunctions, recognition errors, maintenance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from protocol.tdp.attestation import NO_KEY, Certificate, Statement, attested, image_facts
from protocol.tdp.derive import HEADER_SIZE, Extensions
from protocol.tdp.framing import CHECK_BYTES
from protocol.tdp.messages import (
    Algorithm,
    Capability,
    DeviceMeter,
    MeasuredMessage,
    Message,
    MetersMessage,
    ReadMetersMessage,
    Reason,
    VerifyMessage,
)
from protocol.tdp.packets import MAX_FRAME
from protocol.tdp.seal.suite import TAG_BYTES

NONCE_BYTES: Final = 16
_HEAD_BYTES: Final = 9  # session, total, first, the count byte
_READING_BYTES: Final = 6
READINGS_MAX: Final = (MAX_FRAME - HEADER_SIZE - CHECK_BYTES - TAG_BYTES - _HEAD_BYTES) // _READING_BYTES
"""Number of meters that fit in one frame, sealed or not."""

MEANINGS: Final[dict[DeviceMeter, str]] = {
    DeviceMeter.ROUNDS: "rounds dealt to the end: remainder lifted, round ended, or END GAME",
    DeviceMeter.PACKETS: "packets dispensed, short and long ones included",
    DeviceMeter.CARDS: "cards in the packets dispensed, or drawn from the shoe",
    DeviceMeter.SHUFFLES_DONE: "shuffles that ended with a complete count",
    DeviceMeter.SHUFFLES_FAILED: "shuffles that started and ended otherwise",
    DeviceMeter.SERVICE_SHUFFLES: "shuffles of either kind made by service, not for play",
    DeviceMeter.CARDS_SHUFFLED: "cards in the completed shuffles",
    DeviceMeter.CARDS_SORTED: "cards sorted by face",
    DeviceMeter.DECKS: "decks inserted",
    DeviceMeter.SHOES: "times a shoe was filled",
    DeviceMeter.JAMS: "jams, each counted once however many tries it took",
    DeviceMeter.MISDEALS: "misdeals reported",
    DeviceMeter.REJECTED_CARDS: "cards sent to the reject tray",
    DeviceMeter.UNREAD_CARDS: "cards whose face was not read although it should have been",
    DeviceMeter.FAULTS: "faults raised, of every kind",
    DeviceMeter.HOURS_POWERED: "whole hours under power",
    DeviceMeter.POWER_CYCLES: "starts, equal to `boot_count`",
    DeviceMeter.DOOR_OPENINGS: "times a door was opened",
    DeviceMeter.SELF_TESTS: "completed self-tests",
    DeviceMeter.SERVICE_VISITS: "service visits, entered at the device",
    DeviceMeter.COMMANDS_REFUSED: "commands refused; a repeated command counts once",
}


class MeterReading(NamedTuple):
    """Reading of one meter: a `DeviceMeter`, a `Component`, and a count of 0 to 2^32 - 1. Unknown numbers stay
    numbers."""

    meter: int
    component: int
    shown: int


class Signer(NamedTuple):
    """Key of a device that attests: its maker's certificate, a function that signs with it, and its X25519 key."""

    certificate: Certificate
    sign: Callable[[bytes], bytes]
    line_key: bytes = NO_KEY


class Instruments(NamedTuple):
    """Data that a device can report.

    `readings` takes a time in nanoseconds and returns all its meters, in a fixed order. `image` returns the bytes of a
    region, or None if the region does not exist. Either is None if the device lacks the capability. With a `signer` it
    signs each measurement.
    """

    readings: Callable[[int], Sequence[MeterReading]] | None = None
    image: Callable[[int], bytes | None] | None = None
    signer: Signer | None = None

    @property
    def capabilities(self) -> Capability:
        """Capability bits for the data that is provided."""
        meters = Capability(0) if self.readings is None else Capability.METERS
        attests = Capability(0) if self.signer is None else Capability.ATTESTATION
        return meters | (Capability(0) if self.image is None else Capability.VERIFY | attests)

    @property
    def greeting(self) -> Extensions:
        """Extensions of the device's HELLO-REPLY."""
        return () if self.signer is None or self.image is None else (self.signer.certificate.extension(),)

    def statement(self, message: Message) -> Extensions:
        """Return the extensions of a message that `answer` returned: the signature of a measurement."""
        if self.signer is None or not isinstance(message, MeasuredMessage):
            return ()
        assert self.image is not None
        length, sha256 = image_facts(self.image(message.region) or b"")
        key = self.signer.line_key
        signature = self.signer.sign(attested(message, length, sha256, key))
        return (Statement(length, sha256, key, signature).extension(),)

    def answer(self, command: Message, session: int, now_ns: int) -> Message | Reason:
        """Return the message that follows the reply to *ReadMeters* or *Verify*, or the reason to refuse it."""
        if isinstance(command, ReadMetersMessage) and self.readings is not None:
            readings = tuple((one.meter, one.component, one.shown) for one in self.readings(now_ns))
            shown = readings[command.first : command.first + READINGS_MAX]
            return MetersMessage(session, len(readings), command.first, shown)
        if isinstance(command, VerifyMessage) and self.image is not None:
            image = self.image(command.region)
            if image is None:
                return Reason.BAD_PARAMETER
            digest = measure(command.nonce, image)
            return MeasuredMessage(session, command.nonce, command.region, Algorithm.SHA256, digest)
        return Reason.NOT_SUPPORTED


def measure(nonce: bytes, image: bytes) -> bytes:
    """Return SHA-256 over the nonce, then the image: 32 bytes."""
    return hashlib.sha256(nonce + image).digest()
