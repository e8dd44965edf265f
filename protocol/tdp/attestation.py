"""Bytes of the attestation: the maker's certificate in HELLO-REPLY, and the signature in *Measured*.

A device that attests has an Ed25519 key of its own, which its maker certified together with class, maker, model and
serial number. It signs each measurement, the nonce and its session with that key. Only layouts and checks of the bytes
are here; whoever signs or verifies brings the cipher.
"""

from __future__ import annotations

import hashlib
import struct
from typing import Final, Self

from msgspec import Struct

from protocol.tdp.codec import encode
from protocol.tdp.derive import HEADER_SIZE, Extensions
from protocol.tdp.messages import HelloReplyMessage, MeasuredMessage

MEASURED_EXTENSION: Final = 0x02
"""Extension type of the signature, in *Measured*."""
CERTIFICATE_EXTENSION: Final = 0x03
"""Extension type of the certificate, in HELLO-REPLY."""
KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
NO_KEY: Final = bytes(KEY_BYTES)
"""X25519 key of a device that has none."""

_SUBJECT: Final = b"TDP device"
_MEASURED: Final = b"TDP measured"
_TEXT: Final = struct.Struct("16s16s16s")
_SIGNED: Final = struct.Struct("<L32s32s")
_CERTIFICATE: Final = struct.Struct("32s64s")
CERTIFICATE_BYTES: Final = _CERTIFICATE.size
STATEMENT_BYTES: Final = _SIGNED.size + SIGNATURE_BYTES


class Certificate(Struct, frozen=True):
    """A device's Ed25519 key, and its maker's signature over the device's name and this key."""

    key: bytes
    signature: bytes

    @classmethod
    def read(cls, extensions: Extensions) -> Self | None:
        """Return the certificate among the extensions of a HELLO-REPLY; None if it has none of the right length."""
        value = _only(extensions, CERTIFICATE_EXTENSION, CERTIFICATE_BYTES)
        return None if value is None else cls(*_CERTIFICATE.unpack(value))

    def extension(self) -> tuple[int, bytes]:
        """Return it as an extension of HELLO-REPLY."""
        return CERTIFICATE_EXTENSION, _CERTIFICATE.pack(self.key, self.signature)


class Statement(Struct, frozen=True):
    """Signed part of a *Measured*: length and SHA-256 of the region's image, and the device's X25519 key."""

    length: int
    sha256: bytes
    line_key: bytes
    signature: bytes

    @classmethod
    def read(cls, extensions: Extensions) -> Self | None:
        """Return the statement among the extensions of a *Measured*; None if it has none of the right length."""
        value = _only(extensions, MEASURED_EXTENSION, STATEMENT_BYTES)
        if value is None:
            return None
        length, sha256, line_key = _SIGNED.unpack_from(value)
        return cls(length, sha256, line_key, value[_SIGNED.size :])

    def extension(self) -> tuple[int, bytes]:
        """Return it as an extension of *Measured*."""
        return MEASURED_EXTENSION, _SIGNED.pack(self.length, self.sha256, self.line_key) + self.signature


def _only(extensions: Extensions, wanted: int, size: int) -> bytes | None:
    """Return the value of the one extension of this type; None if it is missing, repeated or of another length."""
    found = [value for type_, value in extensions if type_ == wanted]
    return found[0] if len(found) == 1 and len(found[0]) == size else None


def certified(hello: HelloReplyMessage, key: bytes) -> bytes:
    """Return the bytes that a maker signs for the device of this HELLO-REPLY with this Ed25519 key."""
    return named(hello.device_class, hello.maker, hello.model, hello.serial, key)


def named(device_class: int, maker: str, model: str, serial: str, key: bytes) -> bytes:
    """Return the bytes that a maker signs for a device of this name. Raise ValueError if a text does not fit."""
    texts = [each.encode("ascii") for each in (maker, model, serial)]
    if any(len(each) > 16 or b"\0" in each for each in texts):
        raise ValueError("maker, model and serial have at most 16 characters")
    return _SUBJECT + bytes((device_class,)) + _TEXT.pack(*texts) + key


def attested(measured: MeasuredMessage, length: int, sha256: bytes, line_key: bytes) -> bytes:
    """Return the bytes that a device signs for a *Measured*."""
    return _MEASURED + encode(measured)[HEADER_SIZE:] + _SIGNED.pack(length, sha256, line_key)


def image_facts(image: bytes) -> tuple[int, bytes]:
    """Return the length and the SHA-256 of an image, as a statement and a list of allowed firmware name them."""
    return len(image), hashlib.sha256(image).digest()
