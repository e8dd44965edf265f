"""Diagnosis of a wrong digest: the usual mistakes at *Verify* are tried on the image."""

import hashlib
from collections.abc import Callable, Iterator
from typing import Final

from protocol.tdp.instruments import measure

Made = tuple[str, bytes]
"""Description of a mistake, and the digest that it gives."""

_OTHERS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "SHA3-256": lambda data: hashlib.sha3_256(data).digest(),
    "SHA-512, cut off": lambda data: hashlib.sha512(data).digest()[:32],
    "BLAKE2s": lambda data: hashlib.blake2s(data).digest(),
    "SHA-256 twice": lambda data: hashlib.sha256(hashlib.sha256(data).digest()).digest(),
}
_FILLS: Final = (0xFF, 0x00)
_PAGES: Final = tuple(1 << power for power in range(6, 21))
"""Sizes of a flash page or a whole flash that an image may be padded to."""
_STEPS: Final = 1 << 20
"""Maximum number of prefix lengths that are tried."""


def mistake_of(digest: bytes, nonce: bytes, image: bytes, region: int) -> str:
    """Return the mistake that gives this digest, empty if it is none of the usual ones."""
    return next((words for words, made in _mistakes(nonce, image, region) if made == digest), "")


def _mistakes(nonce: bytes, image: bytes, region: int) -> Iterator[Made]:
    yield "of the image alone, without the nonce", measure(b"", image)
    yield "of the image first, then the nonce", measure(image, nonce)
    yield "of the nonce alone, without the image", measure(nonce, b"")
    yield "with the nonce's bytes in the other order", measure(nonce[::-1], image)
    yield "with its own bytes in the other order", measure(nonce, image)[::-1]
    yield "of the nonce and the image's own SHA-256", measure(nonce, measure(b"", image))
    yield "of the nonce, the image and the region's number", measure(nonce, image + bytes([region]))
    for at in range(1, len(nonce)):
        yield f"with the first {at} bytes of the nonce instead of {len(nonce)}", measure(nonce[:at], image)
        yield f"with the last {at} bytes of the nonce instead of {len(nonce)}", measure(nonce[-at:], image)
    for width in (1, 2, 4):
        number = region.to_bytes(width, "little")
        yield "with the region's number before the image", measure(nonce + number, image)
        yield "with the region's number before the nonce", measure(number + nonce, image)
    yield from ((f"made by {name} instead of SHA-256", made(nonce + image)) for name, made in _OTHERS.items())
    yield from _padded(nonce, image)
    yield from _cut(nonce, image)


def _padded(nonce: bytes, image: bytes) -> Iterator[Made]:
    """Yield digests of the image padded with unused space."""
    for page in _PAGES:
        missing = -len(image) % page
        for fill in _FILLS:
            words = f"with {missing} bytes of {fill:02X}h behind the image, up to a multiple of {page}"
            yield words, measure(nonce, image + bytes([fill]) * missing)


def _cut(nonce: bytes, image: bytes) -> Iterator[Made]:
    """Yield digests of prefixes of the image, and of the image without its beginning."""
    step = max(1, -(-len(image) // _STEPS))
    so_far, at = hashlib.sha256(nonce), 0
    while at < len(image):
        yield f"of the first {at} of the image's {len(image)} bytes", so_far.copy().digest()
        so_far.update(image[at : at + step])
        at += step
    for skipped in (1, 2, 4, *_PAGES):
        if skipped < len(image):
            yield f"of the image without its first {skipped} bytes", measure(nonce, image[skipped:])
