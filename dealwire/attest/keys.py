"""Key files of makers, who certify devices, and of those who sign lists of allowed firmware.

Each is one line. Private, mode 0600: `tdp-maker-key SEED MAKER` and `tdp-list-key SEED NAME`. Public:
`tdp-maker-public KEY MAKER` and `tdp-list-public KEY NAME`. SEED and KEY are 64 hex digits; MAKER is the maker's name
as its devices report it. A file of trusted keys has one public line for each.
"""

import secrets
from pathlib import Path
from typing import Final, Literal, NamedTuple, Self

from dealwire.journal.errors import KeyProblem
from dealwire.journal.keyfiles import Words, first_word, from_hex, read_lines, write_text
from devices.attestation import SEED_BYTES, Maker, public_of
from protocol.printable import printable

Kind = Literal["maker", "list"]
KINDS: Final[tuple[Kind, ...]] = ("maker", "list")
_OF: Final = {"maker": "a maker", "list": "who signs lists"}
_PUBLIC: Final = {f"tdp-{kind}-public": f"the public key of {owner}" for kind, owner in _OF.items()}
_MEANS: Final = {**_PUBLIC, **{f"tdp-{kind}-key": f"the private key of {owner}" for kind, owner in _OF.items()}}
"""First words of lines, and what such a line is."""
NAME_MOST: Final = 16
"""Longest name, that of a maker in HELLO-REPLY."""


class SigningKey(NamedTuple):
    """A private key: what it may sign, and the name of its owner."""

    kind: Kind
    seed: bytes
    name: str

    def __repr__(self) -> str:
        """Return text without the seed, for logs and tracebacks."""
        return f"SigningKey({self.kind}, {self.name!r})"

    @classmethod
    def new(cls, kind: Kind, name: str) -> Self:
        """Return a new key."""
        return cls(kind, secrets.token_bytes(SEED_BYTES), name)

    @classmethod
    def load(cls, path: Path, kind: Kind) -> Self:
        """Read a private key file, which only its owner may read. KeyProblem or KeyUnsafe for any other file."""
        if first_word(path) in _PUBLIC:  # which others may read: chmod would not help
            raise KeyProblem(path, "only the public half of a key; give the file of the private one")
        lines = read_lines(path)
        if not lines:
            raise _no_key(path, kind, "key")
        found = [_line(path, each, f"tdp-{kind}-key") for each in lines]
        if len(found) > 1:
            raise KeyProblem(path, "more than one key; allowed: one line", lines[1][0])
        return cls(kind, *found[0])

    @property
    def public(self) -> bytes:
        """The public key."""
        return public_of(self.seed)

    def write(self, path: Path) -> Path:
        """Write the private file and, beside it, the public one, whose path is returned. KeyProblem if it exists."""
        beside = path.with_name(f"{path.name}.pub")
        for each in (path, beside):
            if each.exists():
                raise KeyProblem(each, "exists; a key is never overwritten")
        write_text(path, f"tdp-{self.kind}-key {self.seed.hex()} {self.name}\n")
        write_text(beside, f"tdp-{self.kind}-public {self.public.hex()} {self.name}\n", mode=0o644)
        return beside


def trusted(path: Path, kind: Kind, *, of_a_service: bool = False) -> tuple[Maker, ...]:
    """Return the public keys of a file, at least one, by their owners. KeyProblem for any other file; `of_a_service`:
    KeyUnsafe if others could put one of their own into it."""
    lines = read_lines(path, secret=False, trusted=of_a_service)
    found = [_line(path, each, f"tdp-{kind}-public") for each in lines]
    if not found:
        raise _no_key(path, kind, "public")
    return tuple(Maker(name, key) for key, name in found)


def _line(path: Path, line: Words, word: str) -> tuple[bytes, str]:
    number, words = line
    if words[0] in _MEANS and words[0] != word:
        why = f"{_MEANS[words[0]]}, not {_MEANS[word]}; allowed: '{word} KEY NAME'"
        raise KeyProblem(path, why, number)
    try:
        if words[0] != word or len(words) < 3:
            raise ValueError(words)
        return from_hex(words[1], SEED_BYTES), name_of(" ".join(words[2:]))
    except ValueError:
        raise KeyProblem(path, f"not such a key; allowed: '{word} KEY NAME', KEY of 64 hex digits", number) from None


def _no_key(path: Path, kind: Kind, half: str) -> KeyProblem:
    return KeyProblem(path, f"no key in it; allowed: lines 'tdp-{kind}-{half} KEY NAME'")


def name_of(text: str) -> str:
    """Return a name that a device can report: 1 to 16 printable ASCII characters. ValueError for any other."""
    if not 0 < len(text) <= NAME_MOST or not text.isascii() or printable(text) != text:
        raise ValueError(text)
    return text
