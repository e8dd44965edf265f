"""Passwords: hashed with argon2id, in parameters that a person barely notices and a guesser pays for."""

import importlib.util
from functools import cache
from typing import TYPE_CHECKING, Final

from dealwire.people.users import LEAST_KIB, LEAST_TIME
from protocol.errors import LocalError
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from argon2 import PasswordHasher

TIME_COST: Final = LEAST_TIME
MEMORY_KIB: Final = LEAST_KIB
LANES: Final = 1
"""One lane, so that a sign-in takes one core from the tables and not several."""

PASSWORD_MIN: Final = 12
PASSWORD_MAX: Final = 256


class PasswordWeak(LocalError):
    """A password that will not do."""


def needs_argon2() -> None:
    """Raise ExtraMissing if argon2-cffi is not installed."""
    if importlib.util.find_spec("argon2") is None:
        raise ExtraMissing("argon2-cffi", "people")


@cache
def _hasher() -> "PasswordHasher":
    from argon2 import PasswordHasher, Type

    return PasswordHasher(time_cost=TIME_COST, memory_cost=MEMORY_KIB, parallelism=LANES, type=Type.ID)


@cache
def _nobodys() -> str:
    """Return a hash that no password fits in practice: an unknown name costs as much as a known one."""
    return _hasher().hash("nobody has this password")


def hashed(password: str, name: str) -> str:
    """Return the hash of a new password. PasswordWeak if it is too short, too long or the name."""
    needs_argon2()
    if not PASSWORD_MIN <= len(password) <= PASSWORD_MAX:
        raise PasswordWeak(f"a password has {PASSWORD_MIN} to {PASSWORD_MAX} characters; this one has {len(password)}")
    if len(name) > 2 and name.lower() in password.lower():
        raise PasswordWeak("a password must not contain the person's name")
    if not password.isprintable():
        raise PasswordWeak("a password has printable characters only")
    return _hasher().hash(password)


def fits(password: str, digest: str | None) -> bool:
    """True if a password fits a hash. None, for an unknown name, takes as long and is never True."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        found = _hasher().verify(digest or _nobodys(), password[: PASSWORD_MAX + 1])
    except (VerificationError, InvalidHashError):
        return False
    return found and digest is not None


def is_dated(digest: str) -> bool:
    """True if a hash was made with other parameters than a new one would be."""
    needs_argon2()
    return _hasher().check_needs_rehash(digest)
