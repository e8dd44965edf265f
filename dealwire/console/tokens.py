"""Who may act: one token a role, sessions once a token was shown, and a limit on wrong ones. Pure: time is passed in.

Only digests of tokens are kept, and compared in constant time, each with every role's, so that how long it takes tells
nothing. A session lives in this process alone; whoever restarts the program signs everybody out.
"""

import hashlib
import hmac
import os
import secrets
import tomllib
from collections import OrderedDict, deque
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from dealwire.config.private_file import why_unsafe_facts
from dealwire.console.token_errors import TokensUnsafe as TokensUnsafe
from dealwire.console.token_errors import TokensUnusable as TokensUnusable
from dealwire.hub.actions import ROLES, Role
from devices.files import open_file

TOKEN_MIN: Final = 16
TOKEN_MAX: Final = 256
"""Characters of a token."""
SESSIONS_MAX: Final = 256
SESSION_NS: Final = 12 * 3600 * 1_000_000_000
"""A session ends after a shift of twelve hours."""
WRONG_MAX: Final = 5
"""Wrong tokens from one address within `WRONG_NS`; after that none is looked at."""
WRONG_NS: Final = 60 * 1_000_000_000
ADDRESSES_MAX: Final = 1024
FILE_MAX: Final = 64 * 1024


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class Tokens:
    """The token of each role that may act. A role without one cannot sign in."""

    def __init__(self, tokens: Mapping[Role, str]) -> None:
        self._digests: dict[Role, bytes] = {role: _digest(token) for role, token in tokens.items()}

    @classmethod
    def new(cls) -> tuple["Tokens", dict[Role, str]]:
        """Fresh tokens for this run, and their texts, to be printed once."""
        texts: dict[Role, str] = {role: secrets.token_urlsafe(18) for role in ROLES}
        return cls(texts), texts

    @classmethod
    def read(cls, path: Path) -> "Tokens":
        """The tokens in a TOML file of `role = "token"` lines, which only its owner may read (mode 0600).

        TokensUnsafe when it is not ours or root's, or others may use it; TokensUnusable when a key is no role, or a
        token is short or given twice.
        """
        texts: dict[Role, str] = {}
        for key, value in _read_toml(path).items():
            role = next((known for known in ROLES if known == key), None)
            if role is None:
                raise TokensUnusable(path, key, f"is no role; allowed: {', '.join(ROLES)}")
            if not isinstance(value, str) or not TOKEN_MIN <= len(value) <= TOKEN_MAX:
                raise TokensUnusable(path, key, f"a token is a text of {TOKEN_MIN} to {TOKEN_MAX} characters")
            if value in texts.values():
                raise TokensUnusable(path, key, "the same token stands for two roles")
            texts[role] = value
        if not texts:
            raise TokensUnusable(path, "", f'holds no token; write ROLE = "TOKEN" with roles of {", ".join(ROLES)}')
        return cls(texts)

    def role_of(self, token: str) -> Role | None:
        """Whose token this is; None for a wrong one."""
        given, found = _digest(token[: TOKEN_MAX + 1]), None
        for role, digest in self._digests.items():
            if hmac.compare_digest(given, digest):
                found = role
        return found


def _read_toml(path: Path) -> dict[str, object]:
    try:
        with open_file(path) as file:
            if why := why_unsafe_facts(os.fstat(file.fileno()), path):
                raise TokensUnsafe(path, "", why)
            return tomllib.loads(file.read(FILE_MAX).decode("utf-8"))
    except OSError as error:
        raise TokensUnusable(path, "", f"cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TokensUnusable(path, "", f"is not TOML: {error}") from error
    except (ValueError, RecursionError):
        raise TokensUnusable(path, "", "is not TOML: a number is too long, or a table too deep") from None


class Sessions:
    """Who is signed in: at most `SESSIONS_MAX`, the oldest goes first."""

    def __init__(self) -> None:
        self._roles: OrderedDict[bytes, tuple[Role, int]] = OrderedDict()

    def begin(self, role: Role, now_ns: int) -> str:
        """A new session's secret, for the cookie."""
        secret = secrets.token_urlsafe(32)
        self._roles[_digest(secret)] = role, now_ns + SESSION_NS
        while len(self._roles) > SESSIONS_MAX:
            self._roles.popitem(last=False)
        return secret

    def role(self, secret: str, now_ns: int) -> Role | None:
        """The role of a session; None when it is unknown or over. Looked up by digest: timing tells nothing of it."""
        role, end_ns = self._roles.get(_digest(secret[:128]), (None, 0))
        return role if now_ns < end_ns else None

    def end(self, secret: str) -> None:
        """Sign out."""
        self._roles.pop(_digest(secret[:128]), None)


class WrongTokens:
    """Counts wrong tokens by address, so that they cannot be tried in numbers."""

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, deque[int]] = OrderedDict()

    def wait_s(self, address: str, now_ns: int) -> int:
        """Seconds until a token of this address is looked at again; 0 for now."""
        times = self._wrong.get(address)
        if times is None or len(times) < WRONG_MAX or times[0] + WRONG_NS <= now_ns:
            return 0
        return -(-(times[0] + WRONG_NS - now_ns) // 1_000_000_000)

    def note(self, address: str, now_ns: int) -> None:
        """A wrong one came."""
        self._wrong.setdefault(address, deque(maxlen=WRONG_MAX)).append(now_ns)
        self._wrong.move_to_end(address)
        while len(self._wrong) > ADDRESSES_MAX:
            self._wrong.popitem(last=False)

    def forget(self, address: str) -> None:
        """A right one came."""
        self._wrong.pop(address, None)
