"""Errors of the users file and the passkeys file, in a module that the command line can import without opening one."""

from pathlib import Path

from protocol.errors import LocalError


class PeopleFileUnsafe(LocalError):
    """The users file or the passkeys file is not ours or root's, or others may use it."""

    def __init__(self, path: Path, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{path}: {why}")
