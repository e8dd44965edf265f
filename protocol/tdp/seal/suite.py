"""Interface of the functions that a sealed line needs from outside: keys, key agreement, cipher, randomness."""

from collections.abc import Callable
from typing import Final, Protocol

KEY_BYTES: Final = 32
TAG_BYTES: Final = 16

Cipher = Callable[[bytes, bytes, bytes], bytes]
"""Function of nonce, data and associated data."""


class SealSuite(Protocol):
    """X25519 and ChaCha20-Poly1305 as a library provides them."""

    failures: tuple[type[Exception], ...]
    """Exceptions by which an opener refuses a wrong tag, and `exchange` a key that agrees on nothing."""

    def generate(self) -> bytes:
        """Return a new private key."""

    def public(self, private: bytes) -> bytes:
        """Return the public key of a private one."""

    def exchange(self, private: bytes, public: bytes) -> bytes:
        """Return the secret that two keys share."""

    def sealer(self, key: bytes) -> Cipher:
        """Return the function that encrypts with `key` and appends the tag."""

    def opener(self, key: bytes) -> Cipher:
        """Return the function that checks the tag and decrypts with `key`."""


class HandshakeFailed(Exception):
    """A handshake message is too short, was altered, or comes from someone without the keys or the code."""
