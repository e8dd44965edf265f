"""Keys, certificates and lists of firmware for devices that attest, made with the cipher's library alone.

Nothing here uses this program's own layouts: they are written out, so that a test compares with the page.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from dealwire.rehearsal.dealt_table import DealtTable
from devices.simulator.identity import Identity
from devices.simulator.unit import Unit

MAKER: Final = Ed25519PrivateKey.from_private_bytes(bytes([1]) * 32)
OTHER_MAKER: Final = Ed25519PrivateKey.from_private_bytes(bytes([2]) * 32)
SIGNER: Final = Ed25519PrivateKey.from_private_bytes(bytes([3]) * 32)
SECRET: Final = bytes([4]) * 32
CLASSES: Final = {"shuffler": 1, "shoe": 2, "table-controller": 3}
IMAGE: Final = b"1.0.0"
"""Image of a simulated device."""


def public_half(key: Ed25519PrivateKey) -> bytes:
    """Return the public half."""
    return key.public_key().public_bytes_raw()


def device_key(number: int) -> Ed25519PrivateKey:
    """Return the key of a device."""
    return Ed25519PrivateKey.from_private_bytes(bytes([100 + number]) * 32)


def line_key() -> bytes:
    """Return the X25519 key of every device here."""
    return X25519PrivateKey.from_private_bytes(SECRET).public_key().public_bytes_raw()


def subject(kind: int, maker: str, model: str, serial: str, key: bytes) -> bytes:
    """Return what a maker signs, as the page says."""
    texts = b"".join(text.encode().ljust(16, b"\0") for text in (maker, model, serial))
    return b"TDP device" + bytes([kind]) + texts + key


def certificate(
    key: Ed25519PrivateKey,
    kind: str,
    *,
    maker: Ed25519PrivateKey = MAKER,
    named: str = "dealwire",
    model: str = "",
    serial: str = "SIM-0001",
) -> bytes:
    """Return a maker's signature for a simulated device."""
    model = model or f"sim-{kind.replace('-', '_')}"[:16]
    return maker.sign(subject(CLASSES[kind], named, model, serial, public_half(key)))


def identity(number: int, kind: str, **how: object) -> Identity:
    """Return the identity of a simulated device of this kind."""
    key = device_key(number)
    return Identity(SECRET, bytes([100 + number]) * 32, certificate(key, kind, **how))  # type: ignore[arg-type]


def identified(table: DealtTable) -> None:
    """Give each device of a simulated table an identity that its maker certified."""
    for number, (kind, unit) in enumerate(table.units.items()):
        assert isinstance(unit, Unit)
        unit.identify(identity(number, kind))


def image_line(kind: str, image: bytes = IMAGE, *, version: str = "1.0.0", region: int = 0) -> str:
    """Return a line of a list of firmware."""
    model = f"sim-{kind.replace('-', '_')}"[:16]
    digest = hashlib.sha256(image).hexdigest()
    return f"firmware {kind} {region} {len(image)} {digest} dealwire {model} {version}\n"


def list_text(
    number: int = 7,
    lines: Sequence[str] = (),
    *,
    first: date | None = None,
    last: date | None = None,
    signer: Ed25519PrivateKey = SIGNER,
) -> str:
    """Return a signed list of firmware."""
    first, last = first or date.today() - timedelta(days=2), last or date.today() + timedelta(days=30)
    lines = lines or [image_line(kind) for kind in CLASSES]
    text = f"tdp-firmware-list {number} {first} {last}\n" + "".join(lines)
    signature = signer.sign(b"TDP firmware list" + text.encode())
    return f"{text}signed {public_half(signer).hex()} {signature.hex()}\n"


def write_trust(folder: Path, text: str = "", *, more: str = "") -> str:
    """Write keys and list, and return the table of table.toml that names them."""
    (folder / "makers.pub").write_text(f"tdp-maker-public {public_half(MAKER).hex()} dealwire\n")
    (folder / "signers.pub").write_text(f"tdp-list-public {public_half(SIGNER).hex()} laboratory\n")
    (folder / "allowed.list").write_text(text or list_text())
    keys = 'makers = "makers.pub"\nsigners = "signers.pub"\nallowed = "allowed.list"\n'
    return f"[attestation]\n{keys}{more}"


def measured(nonce: bytes, *, session: int, region: int = 0, image: bytes = IMAGE) -> bytes:
    """Return the declared bytes of a *Measured*."""
    digest = hashlib.sha256(nonce + image).digest()
    return struct.pack("<L16sBB32s", session, nonce, region, 1, digest)


def statement(
    key: Ed25519PrivateKey, payload: bytes, image: bytes = IMAGE, line: bytes | None = None
) -> tuple[bytes, bytes]:
    """Return the first part of extension 02h, and the signature over *Measured* and it."""
    own = struct.pack("<L", len(image)) + hashlib.sha256(image).digest() + (line_key() if line is None else line)
    return own, key.sign(b"TDP measured" + payload + own)
