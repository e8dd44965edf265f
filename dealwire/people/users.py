"""The users file: people and programs that may act, with their roles, tables, badges and the digests of their secrets.

The file belongs to root or to the service's user. The service reads it and never writes it; `dealwire users` does.
"""

import hashlib
import hmac
import ipaddress
import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

from pydantic import AfterValidator, Field

from dealer_flow.editions.edition import Day
from dealer_flow.tomlfile import TOML_MAX_BYTES, TomlTable, first_fault, parse
from dealwire.config.fields import Name, Network
from dealwire.config.private_file import why_unsafe_facts
from dealwire.hub.actions import Role
from dealwire.people.errors import PeopleFileUnsafe
from devices.files import open_file
from protocol.tomlfile import Key, TomlFileError


class UsersUnusable(TomlFileError):
    """A users file cannot be used: names the file, the line, the key, and what is allowed."""


SCHEMA: Final = "dealwire.users/1"
TOKEN_STARTS: Final = "dw_"
"""Beginning of every program's token, so that one that leaked is recognized."""

Level = Literal["dealer", "supervisor", "executive"]
Verb = Literal[
    "read", "refresh", "call-misdeal", "clear-misdeal", "lock", "unlock", "select-game", "clear-error", "show-text"
]
"""`read` is every page, list and file; the others are actions. Money, approval and faults are for people only."""
VERBS: Final[tuple[Verb, ...]] = get_args(Verb)

_COST: Final = re.compile(
    r"^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=\d{1,2}\$[A-Za-z0-9+/]{11,}\$[A-Za-z0-9+/]{22,}$"
)
LEAST_KIB: Final = 19_456
"""Least memory of a password's hash (OWASP, Password Storage Cheat Sheet: argon2id, 19 MiB, t = 2, p = 1)."""
MOST_KIB: Final = 1 << 20
LEAST_TIME: Final = 2


def _argon2id(value: str) -> str:
    found = _COST.fullmatch(value)
    if found is None:
        raise ValueError("an argon2id hash is needed; dealwire users password makes it")
    memory, time = int(found[1]), int(found[2])
    if not LEAST_KIB <= memory <= MOST_KIB or time < LEAST_TIME:
        raise ValueError(
            f"a hash with m={memory},t={time} is too weak or too costly; allowed: m from {LEAST_KIB:,}, t from"
            f" {LEAST_TIME}"
        )
    return value


def _digest(value: str) -> str:
    """Return the value if it is a digest. Its error does not repeat it: it may be the secret itself."""
    if re.fullmatch(r"sha256:[0-9a-f]{64}", value) is None:
        raise ValueError("a digest, sha256: and 64 hex digits, is needed; dealwire users makes it")
    return value


Moment = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
"""A time in UTC."""
PinnedKey = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,1366}:[A-Za-z0-9_-]{40,1400}$")]
Argon2Hash = Annotated[str, AfterValidator(_argon2id), Field(max_length=512)]
Digest = Annotated[str, AfterValidator(_digest)]


class UserPart(TomlTable):
    """One person."""

    name: Name
    """Name that the record holds, and that the person signs in with."""
    title: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    """The person's full name, for other people."""
    role: Role
    """`dealer`, `supervisor` or `technician`: the actions that the person may request."""
    tables: Annotated[tuple[Name, ...], Field(min_length=1)] | None = None
    """Tables at which the person may act; all unless given."""
    badge: Annotated[int, Field(ge=1, le=2**32 - 1)] | None = None
    """Number of the person's badge. Actions that need a badge take this one."""
    level: Level | None = None
    """Level of the badge, as the table controller reports it; needed with `badge`."""
    password: Argon2Hash | None = None
    """Hash of the password, as `dealwire users password` writes it; without it the person needs a passkey."""
    passkey: Literal["allowed", "required"] = "allowed"
    """`required`: the person signs in with a passkey, and no password counts."""
    approval_keys: Annotated[tuple[PinnedKey, ...], Field(min_length=1, max_length=8)] | None = None
    """Passkeys with which the person approves, as `dealwire users pin` writes them: the id, a colon and the public key,
    both in base64url. They count where `[people] approval` is `proved`."""
    enrol: Digest | None = None
    """Digest of a one-time code with which the person adds a passkey, as `dealwire users enrol` writes it."""
    enrol_until: Moment | None = None
    """Time until which that code counts, in UTC."""
    oidc: Annotated[str, Field(pattern=r"^[ -~]{1,255}$")] | None = None
    """The person's subject at the issuer of `[people.oidc]`: `sub` in its tokens. Without it the person does not sign
    in there."""
    until: Day | None = None
    """The last day on which the person may act, by UTC."""
    disabled: bool = False
    """True keeps the entry, so that the name is not used again, and lets the person do nothing."""


class ProgramPart(TomlTable):
    """One program that uses the console's addresses."""

    name: Name
    """Name that the record holds."""
    token: Digest
    """Digest of its token, as `dealwire users program` writes it. The token is shown once."""
    may: Annotated[tuple[Verb, ...], Field(min_length=1)]
    """The verbs it may use: `read`, or actions by name."""
    tables: Annotated[tuple[Name, ...], Field(min_length=1)] | None = None
    """Tables for which it may do that; all unless given."""
    from_: tuple[Network, ...] | None = None
    """Addresses or networks from which it connects; any unless given."""
    until: Day | None = None
    """The last day on which its token counts, by UTC."""


class UsersFile(TomlTable):
    """The whole file."""

    schema_: Literal["dealwire.users/1"] = Field(alias="schema")
    user: tuple[UserPart, ...] = ()
    program: tuple[ProgramPart, ...] = ()


def faults_of(found: UsersFile) -> Iterator[tuple[Key, str]]:
    """Yield what does not fit together in a users file."""
    names: set[str] = set()
    badges: dict[int, str] = {}
    subjects: dict[str, str] = {}
    pinned: dict[str, str] = {}
    tokens: dict[str, str] = {}
    for index, user in enumerate(found.user):
        key: Key = ("user", index)
        if user.name.lower() in names:
            yield (*key, "name"), f"{user.name!r} is defined twice (small and capital letters are the same)"
        names.add(user.name.lower())
        if user.badge is not None and user.badge in badges:
            yield (*key, "badge"), f"{user.badge} is already {badges[user.badge]}'s"
        elif user.badge is not None:
            badges[user.badge] = user.name
        if user.oidc is not None and subjects.setdefault(user.oidc, user.name) != user.name:
            yield (*key, "oidc"), f"it is already {subjects[user.oidc]}'s"
        for part in (part for each in user.approval_keys or () for part in each.split(":")):
            if part in pinned:
                yield (*key, "approval-keys"), f"a passkey of it is already {pinned[part]}'s"
            pinned[part] = user.name
        if (user.badge is None) != (user.level is None):
            yield (*key, "level" if user.level is None else "badge"), "badge and level are given together"
        if (user.enrol is None) != (user.enrol_until is None):
            yield (*key, "enrol"), "enrol and enrol-until are given together"
    for index, program in enumerate(found.program):
        if program.name.lower() in names:
            yield ("program", index, "name"), f"{program.name!r} is defined twice"
        names.add(program.name.lower())
        if program.token in tokens:
            yield ("program", index, "token"), f"it is already {tokens[program.token]}'s"
        tokens.setdefault(program.token, program.name)


class Users:
    """The people and programs of one users file. `digest` is the SHA-256 of its content, hex."""

    def __init__(self, found: UsersFile, digest: str) -> None:
        self.file, self.digest = found, digest
        self._people: Mapping[str, UserPart] = {user.name: user for user in found.user}
        self._subjects = {user.oidc: user.name for user in found.user if user.oidc is not None}
        self._badges = {user.badge: user for user in found.user if user.badge is not None}

    def person(self, name: str, now_ns: int) -> UserPart | None:
        """Return the person of that name; None if there is none, or if the entry is disabled or over."""
        user = self._people.get(name)
        return user if user is not None and is_in_force(user, now_ns) else None

    def approvers(self, role: Role, now_ns: int) -> list[str]:
        """Return the names of those who have a role and are in force, and have a passkey that proves an approval."""
        able = (user for user in self.file.user if is_in_force(user, now_ns) and user.approval_keys)
        return [user.name for user in able if user.role == role]

    def subject(self, subject: str, now_ns: int) -> UserPart | None:
        """Return the person of a subject at the issuer, if the entry is in force."""
        return self.person(self._subjects.get(subject, ""), now_ns)

    def program(self, token: str, now_ns: int) -> ProgramPart | None:
        """Return the program of a token; None if it is unknown or over. Every digest is compared, in constant time."""
        given, found = digest_of(token), None
        for program in self.file.program:
            if hmac.compare_digest(given, program.token):
                found = program
        return found if found is not None and is_in_force(found, now_ns) else None

    def badge(self, number: int) -> UserPart | None:
        """Return the person whose badge has this number, in force or not."""
        return self._badges.get(number)

    def who_could(self, role: Role, now_ns: int) -> list[str]:
        """Return the names of those who have a role, are in force, and have a way to sign in or to add a passkey."""
        able = (user for user in self.file.user if is_in_force(user, now_ns) and _signs_in(user))
        return [user.name for user in able if user.role == role]

    def who_could_authorize(self, now_ns: int) -> list[str]:
        """Return the names of those in force whose badge authorizes at a table."""
        able = (user for user in self.file.user if is_in_force(user, now_ns))
        return [user.name for user in able if user.level in ("supervisor", "executive")]

    @property
    def summary(self) -> str:
        """Number of people and programs, as text."""
        people, programs = len(self.file.user), len(self.file.program)
        more = f", {programs} program{'' if programs == 1 else 's'}" if programs else ""
        return f"{people} user{'' if people == 1 else 's'}{more}"


def _signs_in(user: UserPart) -> bool:
    """True if the entry has a password that counts, a subject at the issuer, or ever had a one-time code."""
    return user.enrol is not None or (user.passkey != "required" and (user.password or user.oidc) is not None)


def is_in_force(part: UserPart | ProgramPart, now_ns: int) -> bool:
    """True if the entry is not disabled, and its last day is not over."""
    if isinstance(part, UserPart) and part.disabled:
        return False
    return part.until is None or moment(now_ns)[:10] <= part.until


def moment(now_ns: int) -> str:
    """Return a time as a users file writes it, which compares as text."""
    return datetime.fromtimestamp(now_ns // 1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def may_at(part: UserPart | ProgramPart, table: str) -> bool:
    """True if the entry counts at a table."""
    return part.tables is None or table in part.tables


def comes_from(part: ProgramPart, address: str) -> bool:
    """True if a program may connect from an address."""
    if part.from_ is None:
        return True
    try:
        here = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(here in ipaddress.ip_network(network) for network in part.from_)


def digest_of(secret: str) -> str:
    """Return the digest that a users file holds of a random secret."""
    return f"sha256:{hashlib.sha256(secret.encode('utf-8', 'surrogatepass')).hexdigest()}"


def read_users(path: Path) -> Users:
    """Read a users file. PeopleFileUnsafe if others may change it, or read it against its mode; UsersUnusable names the
    first thing in it that will not do, in one line."""
    try:
        with open_file(path) as file:
            if why := why_unsafe_facts(os.fstat(file.fileno()), path, group_may_read=True):
                raise PeopleFileUnsafe(path, why)
            content = file.read(TOML_MAX_BYTES + 1)
    except OSError as error:
        raise UsersUnusable(path, None, "", f"cannot be read: {error.strerror}") from error
    return users_in(path, content)


def users_in(path: Path, content: bytes) -> Users:
    """Return the users in a file's content. UsersUnusable names the first thing that will not do."""
    if len(content) > TOML_MAX_BYTES:
        raise UsersUnusable(path, None, "", f"is longer than {TOML_MAX_BYTES:,} bytes")
    try:
        text = content.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UsersUnusable(path, None, "", f"not UTF-8 text at byte {error.start}") from None
    found = first_fault(*parse(path, text, UsersFile, faults_of, UsersUnusable))
    return Users(found, hashlib.sha256(content).hexdigest())
