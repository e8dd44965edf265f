"""Ed25519 keys of tables and witnesses, and what they sign: notes and cosignatures in the forms of C2SP.

A note is text, an empty line, and signature lines (`c2sp.org/signed-note`). A log signs its checkpoints as notes; a
witness adds a cosignature with its time (`c2sp.org/tlog-cosignature`). Keys are handed around as one line, the vkey.
`docs/journal.md` states the bytes.
"""

import base64
import binascii
import hashlib
import secrets
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from dealwire.journal.errors import KeyProblem, NoteRefused, SealingUnavailable
from dealwire.journal.keyfiles import KEY_BYTES, UNFIT, only_key, read_lines, write_text
from dealwire.journal.tree import EMPTY_ROOT
from protocol.errors import DealwireError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SIGNING_WORD: Final = "dealwire-signing-key"
_KIND: Final = "a signing key"
LOG_TYPE: Final = 1
"""Type of a key that signs notes."""
WITNESS_TYPE: Final = 4
"""Type of a key that signs cosignatures with a time (cosignature/v1)."""
SIGNATURE_BYTES: Final = 64
SIGNATURES_MOST: Final = 64
"""Most signature lines that a note may have."""
NOTE_MOST: Final = 1 << 16
"""Most bytes of a note."""
_FIELD: Final = 2**255 - 19
"""The prime of Ed25519's field."""
_EIGHTH: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
"""y of four of the points whose order is 8."""
_SMALL: Final = frozenset((0, 1, _FIELD - 1, _EIGHTH, _FIELD - _EIGHTH))
_DASH: Final = "\u2014 "
_SECONDS: Final = struct.Struct(">Q")


class BadVkey(DealwireError):
    """Error: a text is not a vkey."""


class SignatureLine(NamedTuple):
    """A signature line of a note: the signer's name, the id of its key, and what it signed with."""

    name: str
    key_id: bytes
    signature: bytes

    def __str__(self) -> str:
        return f"{_DASH}{self.name} {base64.b64encode(self.key_id + self.signature).decode()}\n"


@dataclass(frozen=True, slots=True, repr=False)
class SigningPair:
    """A signing key. Its repr hides the secret."""

    path: Path
    seed: bytes
    public: bytes

    @property
    def id(self) -> str:
        """Id of the pair, 16 hex digits; it does not depend on a name."""
        return hashlib.sha256(b"dealwire signing key id\x00" + self.public).digest()[:8].hex()

    def __repr__(self) -> str:
        return f"SigningPair({self.path}, {self.id})"

    @classmethod
    def load(cls, path: str | Path) -> "SigningPair":
        """Read a key file. KeyUnsafe if others may use it, KeyProblem if it is not one, SealingUnavailable without the
        library."""
        path = Path(path)
        number, key_id, seed = only_key(path, read_lines(path), SIGNING_WORD, _KIND)
        pair = cls.of_seed(seed, path)
        if pair.id != key_id:
            raise KeyProblem(path, UNFIT, number)
        return pair

    @classmethod
    def new(cls, path: str | Path) -> "SigningPair":
        """Write a key file with a new key, mode 0600. KeyProblem if the file exists or cannot be written."""
        path = Path(path)
        if path.exists():
            raise KeyProblem(path, "already exists; another signing key needs another file")
        pair = cls.of_seed(secrets.token_bytes(KEY_BYTES), path)
        write_text(path, f"{SIGNING_WORD} {pair.id} {pair.seed.hex()}\n")
        return pair

    @classmethod
    def of_seed(cls, seed: bytes, path: Path = Path("a key in memory")) -> "SigningPair":
        """Return the pair of a seed, 32 bytes. A key that lives in memory only has no file."""
        return cls(path, seed, _private(seed, path).public_key().public_bytes_raw())

    def sign(self, text: bytes) -> bytes:
        """Return the Ed25519 signature of `text`, 64 bytes."""
        return _private(self.seed, self.path).sign(text)

    def vkey(self, name: str, kind: int = LOG_TYPE) -> str:
        """Return the key's public half for others, under this name."""
        return str(NoteVerifier(name, kind, self.public))

    def pem(self) -> str:
        """Return the public half as PEM, as OpenSSL reads it."""
        from cryptography.hazmat.primitives import serialization

        public = _private(self.seed, self.path).public_key()
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        return public.public_bytes(serialization.Encoding.PEM, form).decode()


@dataclass(frozen=True, slots=True)
class NoteVerifier:
    """The public half of a key, under a name; `kind` is its type."""

    name: str
    kind: int
    public: bytes

    @property
    def key_id(self) -> bytes:
        """Id of the key under its name, 4 bytes."""
        return hashlib.sha256(self.name.encode() + b"\n" + bytes((self.kind,)) + self.public).digest()[:4]

    def __str__(self) -> str:
        key = base64.b64encode(bytes((self.kind,)) + self.public).decode()
        return f"{self.name}+{self.key_id.hex()}+{key}"

    @classmethod
    def parse(cls, text: str) -> "NoteVerifier":
        """Read a vkey. BadVkey if it is none, of another type, or altered."""
        if SIGNING_WORD in text:  # never quoted
            raise BadVkey("the secret half of a key; allowed: NAME+ID+KEY, its public half")
        name, _, rest = text.strip().partition("+")
        key_id, _, key = rest.partition("+")
        try:
            data = base64.b64decode(key, validate=True)
        except (binascii.Error, ValueError):
            data = b""
        if not is_key_name(name) or len(data) != 1 + KEY_BYTES or len(key_id) != 8:
            raise BadVkey(f"{text.strip()[:80]!r} is not a key; allowed: NAME+ID+KEY, 8 hex digits and base64")
        found = cls(name, data[0], data[1:])
        if found.kind not in (LOG_TYPE, WITNESS_TYPE):
            raise BadVkey(f"{name}: a key of type {found.kind}; allowed: 1 (a log) and 4 (a witness)")
        if found.key_id.hex() != key_id.lower():
            raise BadVkey(f"{name}: the key does not fit its id {key_id}; one of them was altered")
        if is_weak(found.public):
            raise BadVkey(f"{name}: a key under which everyone can sign")
        return found

    def fits(self, text: bytes, signature: bytes) -> bool:
        """True if the key made this signature of `text`."""
        return signed_by(self.public, text, signature)


def is_weak(public: bytes) -> bool:
    """True for an Ed25519 key of small order, under which everyone can sign, and for one not in its one form."""
    y = int.from_bytes(public, "little") & ((1 << 255) - 1)
    return y >= _FIELD or y in _SMALL


def signed_by(public: bytes, text: bytes, signature: bytes) -> bool:
    """True if `signature` is the Ed25519 signature of `text` with the key `public`, which must not be weak."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as cause:
        raise SealingUnavailable(Path("a signature")) from cause
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, text)
    except (InvalidSignature, ValueError):
        return False
    return not is_weak(public)


def _private(seed: bytes, path: Path) -> "Ed25519PrivateKey":
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError as cause:
        raise SealingUnavailable(path) from cause
    return Ed25519PrivateKey.from_private_bytes(seed)


def is_key_name(name: str) -> bool:
    """True if a key may have this name: not empty, without spaces, control characters and plus signs."""
    return bool(name) and "+" not in name and name.isprintable() and not any(each.isspace() for each in name)


# ------------------------------------------------------------------ notes


def signature_line(body: str, pair: SigningPair, name: str) -> SignatureLine:
    """Return the signature line of a note with this text, which ends with a newline."""
    key_id = NoteVerifier(name, LOG_TYPE, pair.public).key_id
    return SignatureLine(name, key_id, pair.sign(body.encode()))


def note_of(body: str, lines: Iterable[SignatureLine]) -> str:
    """Return the note with this text and these signatures."""
    return f"{body}\n{''.join(map(str, lines))}"


def note_parts(text: str) -> tuple[str, list[SignatureLine]]:
    """Return the text and the signature lines of a note. NoteRefused if it is malformed."""
    if len(text.encode("utf-8", "replace")) > NOTE_MOST:
        raise NoteRefused(f"a note of more than {NOTE_MOST} bytes")
    if any((ord(each) < 32 and each != "\n") or each == "\ufffd" or "\ud800" <= each <= "\udfff" for each in text):
        raise NoteRefused("a note with control characters, or with what is no text")
    body, found, rest = text.rpartition("\n\n")
    if not found or not body or not rest.endswith("\n"):
        raise NoteRefused("not a note: it has no text, an empty line and signature lines, each with its newline")
    lines = [parsed_line(each) for each in rest[:-1].split("\n")]
    if len(lines) > SIGNATURES_MOST:
        raise NoteRefused(f"a note with {len(lines)} signatures; at most {SIGNATURES_MOST} are read")
    return body + "\n", lines


def parsed_line(line: str) -> SignatureLine:
    """Read a signature line. NoteRefused if it is malformed."""
    name, _, coded = line.rstrip("\n").removeprefix(_DASH).partition(" ")
    try:
        data = base64.b64decode(coded, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if not line.startswith(_DASH) or not is_key_name(name) or len(data) < 5:
        raise NoteRefused(f"not a signature line: {line[:60]!r}")
    if base64.b64encode(data).decode() != coded:
        raise NoteRefused(f"not a signature line in its one form: {line[:60]!r}")
    return SignatureLine(name, data[:4], data[4:])


def opened_note(text: str, verifiers: Iterable[NoteVerifier]) -> tuple[str, list[NoteVerifier]]:
    """Return the text of a note and the keys of `verifiers` that signed it. Signatures of other keys are ignored.

    NoteRefused if the note is malformed, if none of the keys signed it, or if a signature of one does not fit.
    """
    body, lines = note_parts(text)
    known, found = list(verifiers), list[NoteVerifier]()
    for line in lines:
        for each in known:
            if (each.name, each.key_id) != (line.name, line.key_id) or each in found:
                continue
            if each.kind == LOG_TYPE and not each.fits(body.encode(), line.signature):
                raise NoteRefused(f"the signature of {line.name} does not fit")
            if each.kind == WITNESS_TYPE:
                cosigned_at(body, line, each)
            found.append(each)
    if not found:
        raise NoteRefused("no signature by a known key")
    return body, found


def cosignature(body: str, pair: SigningPair, name: str, seconds: int) -> SignatureLine:
    """Return the signature line of a witness for a checkpoint's text, at a time in seconds since 1970."""
    key_id = NoteVerifier(name, WITNESS_TYPE, pair.public).key_id
    signature = pair.sign(_cosigned_text(body, seconds))
    return SignatureLine(name, key_id, _SECONDS.pack(seconds) + signature)


def cosigned_at(body: str, line: SignatureLine, verifier: NoteVerifier) -> int:
    """Return the time of a witness's signature line, in seconds since 1970. NoteRefused if it does not fit."""
    if (line.name, line.key_id) != (verifier.name, verifier.key_id) or verifier.kind != WITNESS_TYPE:
        raise NoteRefused(f"a cosignature of {line.name}, not of {verifier.name}")
    if len(line.signature) != _SECONDS.size + SIGNATURE_BYTES:
        raise NoteRefused(f"the cosignature of {line.name} has another length")
    seconds = int(_SECONDS.unpack_from(line.signature)[0])
    if not verifier.fits(_cosigned_text(body, seconds), line.signature[_SECONDS.size :]):
        raise NoteRefused(f"the cosignature of {line.name} does not fit")
    return seconds


def _cosigned_text(body: str, seconds: int) -> bytes:
    return f"cosignature/v1\ntime {seconds}\n{body}".encode()


# ------------------------------------------------------------------ checkpoints


class TreeHead(NamedTuple):
    """The content of a checkpoint: the log, its size and its root."""

    origin: str
    size: int
    root: bytes

    @property
    def body(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"

    @classmethod
    def parse(cls, body: str) -> "TreeHead":
        """Read the text of a checkpoint. NoteRefused if it is none; further lines are allowed and ignored."""
        lines = body.split("\n")
        try:
            origin, size, root = lines[0], int(lines[1]), base64.b64decode(lines[2], validate=True)
            one_form = str(size) == lines[1] and base64.b64encode(root).decode() == lines[2]
            if len(lines) < 4 or not origin or len(root) != 32 or not one_form or not 0 <= size < 1 << 63:
                raise ValueError(body)
            if size == 0 and root != EMPTY_ROOT:
                raise ValueError(body)
        except (IndexError, ValueError):
            raise NoteRefused("not a checkpoint: origin, size and root, a line each") from None
        return cls(origin, size, root)


def signed_checkpoint(head: TreeHead, pair: SigningPair) -> str:
    """Return the note of a checkpoint, signed by its log."""
    return note_of(head.body, [signature_line(head.body, pair, head.origin)])


def opened_checkpoint(text: str, verifiers: Iterable[NoteVerifier]) -> TreeHead:
    """Return a checkpoint that its own log signed. NoteRefused if the log's key is not among `verifiers`, or if it does
    not fit."""
    body, found = opened_note(text, verifiers)
    head = TreeHead.parse(body)
    if not any(each.kind == LOG_TYPE and each.name == head.origin for each in found):
        raise NoteRefused(f"no signature by a known key of {head.origin}")
    return head


def read_witness_key(text: str) -> NoteVerifier:
    """Read the key of a witness. BadVkey if it is none, or a log's."""
    found = NoteVerifier.parse(text)
    if found.kind != WITNESS_TYPE:
        raise BadVkey(f"{found.name}: the key of a log; allowed: the key of a witness")
    return found


def read_log_keys(path: Path) -> list[NoteVerifier]:
    """Return the keys in a file of which some are of logs. KeyProblem if none is: nothing would ever match."""
    found = read_vkeys(path)
    if not any(each.kind == LOG_TYPE for each in found):
        raise KeyProblem(path, "no key of a log; allowed: NAME+ID+KEY of `dealwire journal signer show --journal`")
    return found


def read_vkeys(path: Path) -> list[NoteVerifier]:
    """Return the keys in a file, one vkey a line; empty lines and those that begin with # are skipped. KeyProblem names
    the first that is none, KeyUnsafe a file that others may change."""
    found = []
    for number, words in read_lines(path, secret=False, trusted=True):
        if words[0].startswith("#"):
            continue
        try:
            found.append(NoteVerifier.parse(" ".join(words)))
        except BadVkey as error:
            raise KeyProblem(path, str(error), number) from None
    return found
