"""Who may act: one token a role.

Only digests of tokens are kept, and compared in constant time, each with every role's, so that how long it takes tells
nothing.
"""

import hashlib
import hmac
import os
import secrets
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from dealwire.hub.actions import ROLES, Role
from protocol.errors import LocalError

TOKEN_MIN: Final = 16
TOKEN_MAX: Final = 256
"""Characters of a token."""
FILE_MAX: Final = 64 * 1024


class TokensUnusable(LocalError):
    """A tokens file that cannot be used: names the file, the key, and what is allowed."""

    def __init__(self, path: Path, key: str, why: str) -> None:
        self.path, self.key, self.why = path, key, why
        super().__init__(f"{path}: {key + ': ' if key else ''}{why}")


def digest_of(text: str) -> bytes:
    """What is kept of a secret."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class Tokens:
    """The token of each role that may act. A role without one cannot sign in."""

    def __init__(self, tokens: Mapping[Role, str]) -> None:
        self._digests: dict[Role, bytes] = {role: digest_of(token) for role, token in tokens.items()}

    @classmethod
    def new(cls) -> tuple["Tokens", dict[Role, str]]:
        """Fresh tokens for this run, and their texts, to be printed once."""
        texts: dict[Role, str] = {role: secrets.token_urlsafe(18) for role in ROLES}
        return cls(texts), texts

    @classmethod
    def read(cls, path: Path) -> "Tokens":
        """The tokens in a TOML file of `role = "token"` lines, which only its owner may read (mode 0600).

        TokensUnusable when others may read it, or a key is no role, or a token is short or given twice.
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
        given, found = digest_of(token[: TOKEN_MAX + 1]), None
        for role, digest in self._digests.items():
            if hmac.compare_digest(given, digest):
                found = role
        return found


def _read_toml(path: Path) -> dict[str, object]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            facts = os.fstat(descriptor)
            if stat.S_IMODE(facts.st_mode) & 0o077:
                why = f"others may read it (mode {stat.S_IMODE(facts.st_mode):04o}); allowed: 0600 (chmod 600 {path})"
                raise TokensUnusable(path, "", why)
            return tomllib.loads(file.read(FILE_MAX).decode("utf-8"))
    except OSError as error:
        raise TokensUnusable(path, "", f"cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TokensUnusable(path, "", f"is not TOML: {error}") from error
