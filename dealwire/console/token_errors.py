"""Errors of a tokens file, in a module that the command line can import without opening one."""

from pathlib import Path

from protocol.errors import LocalError


class TokensUnusable(LocalError):
    """A tokens file cannot be used: names the file, the key, and what is allowed."""

    def __init__(self, path: Path, key: str, why: str) -> None:
        self.path, self.key, self.why = path, key, why
        super().__init__(f"{path}: {key + ': ' if key else ''}{why}")


class TokensUnsafe(TokensUnusable):
    """The tokens file is not ours or root's, or others may use it."""
