"""Roles that may act, one token each.

Only digests of tokens are kept. A token is compared in constant time with the digest of every role, so that timing
reveals nothing.
"""

import hashlib
import hmac
import os
import secrets
import tomllib
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
"""Maximum length of a token in characters."""
FILE_MAX: Final = 64 * 1024


def digest_of(text: str) -> bytes:
    """Return the digest that is kept of a secret."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class Tokens:
    """The token of each role that may act. A role without a token cannot sign in."""

    def __init__(self, tokens: Mapping[Role, str]) -> None:
        self._digests: dict[Role, bytes] = {role: digest_of(token) for role, token in tokens.items()}

    @classmethod
    def new(cls) -> tuple["Tokens", dict[Role, str]]:
        """Return fresh tokens for this run, and their texts, to be printed once."""
        texts: dict[Role, str] = {role: secrets.token_urlsafe(18) for role in ROLES}
        return cls(texts), texts

    @classmethod
    def read(cls, path: Path) -> "Tokens":
        """Read the tokens in a TOML file of `role = "token"` lines, readable by its owner only (mode 0600).

        TokensUnsafe if it is not ours or root's, or others may use it. TokensUnusable if a key is not a role, or a
        token is too short or used twice.
        """
        texts: dict[Role, str] = {}
        for number, (key, value) in enumerate(_read_toml(path).items(), 1):
            role = next((known for known in ROLES if known == key), None)
            if role is None:
                why = f"key {number} is not a role; allowed: {', '.join(ROLES)}"  # it may be a token: do not repeat it
                raise TokensUnusable(path, "", why)
            if not isinstance(value, str) or not TOKEN_MIN <= len(value) <= TOKEN_MAX:
                raise TokensUnusable(path, key, f"a token has {TOKEN_MIN} to {TOKEN_MAX} characters")
            if value in texts.values():
                raise TokensUnusable(path, key, "two roles have the same token")
            texts[role] = value
        if not texts:
            raise TokensUnusable(path, "", f'holds no token; write ROLE = "TOKEN" with roles of {", ".join(ROLES)}')
        return cls(texts)

    @property
    def roles(self) -> str:
        """Roles that have a token, as text."""
        return ", ".join(self._digests)

    def role_of(self, token: str) -> Role | None:
        """Return the role of a token; None for a wrong one."""
        given, found = digest_of(token[: TOKEN_MAX + 1]), None
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
