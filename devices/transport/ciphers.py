"""Key agreement and cipher of a sealed line, from `cryptography`."""

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from protocol.tdp.seal.suite import Cipher


class Ciphers:
    """X25519 and ChaCha20-Poly1305."""

    failures: tuple[type[Exception], ...] = (InvalidTag, ValueError)

    def generate(self) -> bytes:
        """Return a new private key."""
        return X25519PrivateKey.generate().private_bytes_raw()

    def public(self, private: bytes) -> bytes:
        """Return the public key of a private one."""
        return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()

    def exchange(self, private: bytes, public: bytes) -> bytes:
        """Return the secret that two keys share. Raise ValueError for a key that agrees on nothing."""
        return X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))

    def sealer(self, key: bytes) -> Cipher:
        """Return the function that encrypts with `key` and appends the tag."""
        return ChaCha20Poly1305(key).encrypt

    def opener(self, key: bytes) -> Cipher:
        """Return the function that checks the tag and decrypts with `key`."""
        return ChaCha20Poly1305(key).decrypt
