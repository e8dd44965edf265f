"""Errors of TLS files, without the modules that serve: every command can name them."""

from pathlib import Path

from protocol.errors import LocalError


class TlsUnusable(LocalError):
    """A file for TLS cannot be used."""

    def __init__(self, path: Path, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{path}: {why}")


class TlsUnsafe(TlsUnusable):
    """A key, or a folder of keys, that others could read or change."""


class AuthorityRefusal(LocalError):
    """The authority does not do what was requested: it would overwrite a file, or certify what it cannot."""
