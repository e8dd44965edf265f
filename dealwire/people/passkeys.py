"""Passkeys: the public halves of keys that stay on people's devices, and the one-time challenges for them.

The file is state of the console, a JSON line for each passkey. It holds nothing with which anyone could sign in.
"""

import importlib.util
import json
import os
import secrets
import stat
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from dealwire.config.private_file import why_unsafe_facts
from dealwire.people.edit import replace_like
from dealwire.people.errors import PeopleFileUnsafe
from devices.files import alone_in, open_file, why_not_private
from protocol.errors import LocalError
from protocol.tomlfile import TomlFileError
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from webauthn.helpers.cose import COSEAlgorithmIdentifier

FILE_MAX: Final = 4 << 20
EACH_MAX: Final = 8
"""Most passkeys of one person."""
CHALLENGES_MAX: Final = 64
CHALLENGE_NS: Final = 120 * 1_000_000_000
RP_NAME: Final = "dealwire"

Use = Literal["enrol", "sign-in"]


class PasskeysUnusable(TomlFileError):
    """The passkeys file cannot be read or written, or a line of it is not a passkey."""


class PasskeyRefused(LocalError):
    """A passkey, or what a browser sent for one, does not count."""


@dataclass(frozen=True, slots=True)
class Passkey:
    """One passkey: whose it is, its id and public key in base64url, and the counter of its last use. `code` is the
    digest of the one-time code with which it was added."""

    user: str
    id: str
    key: str
    count: int
    added_ns: int
    code: str = ""


class Passkeys:
    """The passkeys of a file."""

    def __init__(self, path: Path, found: Sequence[Passkey] = ()) -> None:
        self.path = path
        self._known = {each.id: each for each in found}

    @classmethod
    def read(cls, path: Path, *, of_anyone: bool = False) -> "Passkeys":
        """Read the file; one that does not exist holds none. PeopleFileUnsafe or PasskeysUnusable otherwise.
        `of_anyone`: it may belong to the console's own user."""
        try:
            with open_file(path) as file:
                facts = os.fstat(file.fileno())
                mode = stat.S_IMODE(facts.st_mode)
                if why := why_not_private(mode, path) if of_anyone else why_unsafe_facts(facts, path):
                    raise PeopleFileUnsafe(path, why)
                content = file.read(FILE_MAX)
        except FileNotFoundError:
            return cls(path)
        except OSError as error:
            raise PasskeysUnusable(path, None, "", f"cannot be read: {error.strerror}") from error
        return cls(path, [_read(path, number, line) for number, line in enumerate(content.splitlines(), 1)])

    def of(self, user: str) -> list[Passkey]:
        """Return the passkeys of a person, oldest first."""
        return [each for each in self._known.values() if each.user == user and each.key]

    def find(self, id_: str) -> Passkey | None:
        """Return the passkey of that id."""
        found = self._known.get(id_)
        return found if found is not None and found.key else None

    def code_is_used(self, digest: str) -> bool:
        """True if a passkey was added with the one-time code of this digest, even one that was forgotten since."""
        return any(each.code == digest for each in self._known.values())

    def put(self, passkey: Passkey) -> None:
        """Add a passkey. PasskeyRefused if it or its code is in the file already, PasskeysUnusable if that cannot be
        written."""
        with self._changing() as known:
            codes = {each.code for each in known.values() if each.code}
            if passkey.id in known or passkey.code in codes:
                raise PasskeyRefused("this passkey or code was used before")
            known[passkey.id] = passkey

    def renew(self, passkey: Passkey) -> None:
        """Keep the new counter of a passkey. PasskeyRefused if the file has it no more, CopiedPasskey if it has a
        counter as high: what others did to the file since it was read counts."""
        with self._changing() as known:
            before = known.get(passkey.id)
            if before is None or before.user != passkey.user:
                raise PasskeyRefused("this passkey is not known")
            check_counter(passkey.count, before.count)
            known[passkey.id] = passkey

    def forget(self, user: str) -> int:
        """Remove the passkeys of a person; return how many. Their one-time codes stay used."""
        with self._changing() as known:
            gone = [each for each in known.values() if each.user == user and each.key]
            for each in gone:
                del known[each.id]
                if each.code:  # in place of an id, which a new passkey may have again
                    spent = packed(each.code.encode())
                    known[spent] = replace(each, id=spent, key="")
        return len(gone)

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Passkey]]:
        """Yield the passkeys as the file has them now, and write them after the block if they were changed. The
        console and `dealwire users forget` both write; neither may bring back what the other took away."""
        try:
            with alone_in(self.path.resolve().parent):
                before = Passkeys.read(self.path)._known
                known = dict(before)
                yield known
                if known != before:
                    self._write(known)
                self._known = known
        except OSError as error:
            raise PasskeysUnusable(self.path, None, "", f"cannot be written: {error.strerror}") from error

    def _write(self, known: Mapping[str, Passkey]) -> None:
        text = "".join(f"{json.dumps(asdict(each))}\n" for each in known.values())
        path = self.path.resolve()
        replace_like(path, text, path.stat() if path.exists() else None)


def _read(path: Path, number: int, line: bytes) -> Passkey:
    try:
        found = Passkey(**json.loads(line))
        kinds = ((found.user, str), (found.id, str), (found.key, str), (found.count, int), (found.added_ns, int))
        if not all(isinstance(value, kind) for value, kind in kinds) or not isinstance(found.code, str):
            raise TypeError
        unpacked(found.id), unpacked(found.key)
    except (ValueError, TypeError, RecursionError):
        raise PasskeysUnusable(path, number, "", "not a passkey: a JSON object as the console writes it") from None
    return found


def packed(data: bytes) -> str:
    """Return bytes as base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def unpacked(text: str) -> bytes:
    """Return the bytes of a base64url text; ValueError if it is none."""
    return urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))


# ------------------------------------------------------------------ challenges


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge that a browser has to answer once, from the same address, within two minutes."""

    value: bytes
    use: Use
    user: str
    address: str
    end_ns: int


class Challenges:
    """The challenges that were given out and not used yet, by their value."""

    def __init__(self) -> None:
        self._open: OrderedDict[bytes, Challenge] = OrderedDict()

    def new(self, use: Use, user: str, address: str, now_ns: int) -> Challenge:
        """Return a new challenge; the oldest makes room."""
        found = Challenge(secrets.token_bytes(32), use, user, address, now_ns + CHALLENGE_NS)
        self._open[found.value] = found
        while len(self._open) > CHALLENGES_MAX:
            self._open.popitem(last=False)
        return found

    def take(self, value: bytes, use: Use, address: str, now_ns: int) -> Challenge | None:
        """Return the challenge and use it up; None if it is unknown, over, for another use or from elsewhere."""
        found = self._open.pop(value, None)
        if found is None or found.use != use or found.address != address or now_ns >= found.end_ns:
            return None
        return found


def needs_webauthn() -> None:
    """Raise ExtraMissing if webauthn is not installed."""
    if importlib.util.find_spec("webauthn") is None:
        raise ExtraMissing("webauthn", "people")


# ------------------------------------------------------------------ what a browser is sent, and what it sends


@dataclass(frozen=True, slots=True)
class ConsoleName:
    """The console as a browser knows it: `host` is the name that a passkey belongs to, `origins` are the beginnings of
    its pages' addresses."""

    host: str
    origins: tuple[str, ...]


def _algorithms() -> "list[COSEAlgorithmIdentifier]":
    """Return the kinds of keys that count: EdDSA, ES256, and RS256 for computers that have nothing else."""
    from webauthn.helpers.cose import COSEAlgorithmIdentifier as Algorithm

    return [Algorithm.EDDSA, Algorithm.ECDSA_SHA_256, Algorithm.RSASSA_PKCS1_v1_5_SHA_256]


def enrol_options(place: ConsoleName, user: str, challenge: Challenge, known: Sequence[Passkey]) -> str:
    """Return the options of `navigator.credentials.create`, as JSON."""
    from webauthn import generate_registration_options, options_to_json
    from webauthn.helpers import structs

    return options_to_json(
        generate_registration_options(
            rp_id=place.host,
            rp_name=RP_NAME,
            user_name=user,
            user_id=user.encode(),
            challenge=challenge.value,
            attestation=structs.AttestationConveyancePreference.NONE,
            authenticator_selection=structs.AuthenticatorSelectionCriteria(
                resident_key=structs.ResidentKeyRequirement.PREFERRED,
                user_verification=structs.UserVerificationRequirement.REQUIRED,
            ),
            exclude_credentials=[structs.PublicKeyCredentialDescriptor(id=unpacked(each.id)) for each in known],
            supported_pub_key_algs=_algorithms(),
        )
    )


def sign_in_options(place: ConsoleName, challenge: Challenge, known: Sequence[Passkey]) -> str:
    """Return the options of `navigator.credentials.get`, as JSON."""
    from webauthn import generate_authentication_options, options_to_json
    from webauthn.helpers import structs

    return options_to_json(
        generate_authentication_options(
            rp_id=place.host,
            challenge=challenge.value,
            allow_credentials=[structs.PublicKeyCredentialDescriptor(id=unpacked(each.id)) for each in known],
            user_verification=structs.UserVerificationRequirement.REQUIRED,
        )
    )


@contextmanager
def _refusing() -> Iterator[None]:
    """Raise PasskeyRefused for an answer or a key that webauthn cannot read. It does not declare all of its errors: for
    some malformed keys it is an IndexError."""
    try:
        yield
    except Exception as error:
        raise PasskeyRefused(f"the passkey does not count: {type(error).__name__}") from error


def enrolled(place: ConsoleName, user: str, challenge: Challenge, answer: dict[str, Any], now_ns: int) -> Passkey:
    """Return the new passkey in a browser's answer. PasskeyRefused if the answer does not count."""
    from webauthn import verify_registration_response

    with _refusing():
        found = verify_registration_response(
            credential=answer,
            expected_challenge=challenge.value,
            expected_rp_id=place.host,
            expected_origin=list(place.origins),
            require_user_verification=True,
            supported_pub_key_algs=_algorithms(),
        )
    return Passkey(user, packed(found.credential_id), packed(found.credential_public_key), found.sign_count, now_ns)


def pinned_text(passkey: Passkey) -> str:
    """Return a passkey as the users file pins it for approvals. PasskeyRefused if its key cannot be read."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    from webauthn.helpers import decode_credential_public_key, decoded_public_key_to_cryptography

    with _refusing():
        key = decoded_public_key_to_cryptography(decode_credential_public_key(unpacked(passkey.key)))
        return f"{passkey.id}:{packed(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))}"


class CopiedPasskey(PasskeyRefused):
    """The counter of a passkey did not rise: two devices may hold it."""


def check_counter(count: int, before: int) -> None:
    """Raise CopiedPasskey unless a counter rose, or the passkey counts nothing."""
    if (before or count) and count <= before:
        raise CopiedPasskey(f"counter {count} after {before}")


def verified(place: ConsoleName, challenge: Challenge, answer: dict[str, Any], known: Passkey) -> Passkey:
    """Return the passkey with its new counter. PasskeyRefused if a browser's answer does not count; CopiedPasskey if
    the signature does and the counter did not rise."""
    from webauthn import verify_authentication_response

    with _refusing():
        found = verify_authentication_response(
            credential=answer,
            expected_challenge=challenge.value,
            expected_rp_id=place.host,
            expected_origin=list(place.origins),
            credential_public_key=unpacked(known.key),
            credential_current_sign_count=0,
            require_user_verification=True,
        )
    check_counter(found.new_sign_count, known.count)
    return replace(known, count=found.new_sign_count)
