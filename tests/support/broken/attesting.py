"""Shufflers whose attestation is broken on purpose, each in one way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from devices.simulator.host import TableModel
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope, encode
from tests.support.broken.base import Broken, Caught
from tests.support.rigs.attested import device_key, identity

ANSWERS: Final = ("attest.answers",)


class Attests(Broken):
    """A shuffler that attests as it should."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self.unit: Any = table.units["shuffler"]  # type: ignore[attr-defined]
        self.unit.identify(identity(0, "shuffler"))

    def sign(self, change: Callable[[bytes], bytes] = lambda signed: signed, key: int = 0) -> None:
        """Sign something else, or with another key."""
        signer, own = self.unit.instruments.signer, device_key(key).sign
        signer = signer._replace(sign=lambda signed: own(change(signed)))
        self.unit.instruments = self.unit.instruments._replace(signer=signer)


class Without(Attests):
    """Base of devices that leave the extensions of a message out."""

    message: type[m.Message]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        if not isinstance(envelope.message, self.message):
            return [envelope.body]
        return [encode(envelope.message, link_sequence=envelope.link_sequence, request=envelope.request)]


class Unsigned(Without):
    """It claims to attest, and its MEASURED is not signed."""

    message = m.MeasuredMessage


class Uncertified(Without):
    """It claims to attest, and its HELLO-REPLY has no certificate."""

    message = m.HelloReplyMessage


class CloneWithoutKey(Attests):
    """It shows the certificate of the device that it copies, and signs with a key of its own."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self.sign(key=1)


class SignsOldNonce(Attests):
    """It signs the first nonce that it was given, whatever the challenge."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._first = b""
        self.sign(self._old)

    def _old(self, signed: bytes) -> bytes:
        self._first = self._first or signed[16:32]
        return signed[:16] + self._first + signed[32:]


class SignsOtherSession(Attests):
    """It signs for another session than the one it is in."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self.sign(lambda signed: signed[:12] + b"\0\0\0\1" + signed[16:])


class SignsOtherRegion(Attests):
    """It signs another region than the one it measured."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self.sign(lambda signed: signed[:32] + b"\1" + signed[33:])


class SignsStoredImage(Attests):
    """It signs the digest of a good image that it keeps beside its own."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        good, self.unit.image = self.unit.image, b"its own firmware"
        self.unit.instruments = self.unit.instruments._replace(image=lambda _: good)


ATTESTING_DEVICES: Final = (
    Caught(Unsigned, ANSWERS),
    Caught(Uncertified, ANSWERS),
    Caught(CloneWithoutKey, ANSWERS),
    Caught(SignsOldNonce, ANSWERS),
    Caught(SignsOtherSession, ANSWERS),
    Caught(SignsOtherRegion, ANSWERS),
    Caught(SignsStoredImage, ANSWERS, spreads=True),
)
"""Devices that claim to attest and do not."""
