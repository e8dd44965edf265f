"""Errors of the users file and the passkeys file, in a module that the command line can import without opening one."""

from pathlib import Path

from protocol.errors import DealwireError, LocalError


class PeopleFileUnsafe(LocalError):
    """The users file or the passkeys file is not ours or root's, or others may use it."""

    def __init__(self, path: Path, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{path}: {why}")


class NotApproved(DealwireError):
    """A start over that needs the approval of a second person, and has none."""

    def __init__(self, path: Path, why: str = "") -> None:
        self.path = path
        then = f"{f'{why}; ' if why else ''}dealwire journal request start-over {path}"
        super().__init__(f"table.journal: --start-over needs the approval of a second person: {then}")
