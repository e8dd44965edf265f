"""Errors of journals and their keys. Each is one line that names the file."""

from pathlib import Path
from typing import ClassVar

from protocol.errors import DealwireError


class JournalError(DealwireError):
    """Base: a journal cannot be used, or was altered; `why` says it as text."""

    WHAT: ClassVar[str] = ""

    def __init__(self, path: Path, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{path}: {self.WHAT}{why}")


class JournalInaccessible(JournalError):
    """The file or its folder cannot be opened; `number` is the system's errno, 0 if there is none."""

    def __init__(self, path: Path, why: str, number: int = 0) -> None:
        self.number = number
        super().__init__(path, why)

    @classmethod
    def of(cls, path: Path, error: OSError) -> "JournalInaccessible":
        """Return the error for a system error at `path`."""
        return cls(path, error.strerror or str(error), error.errno or 0)


class JournalBusy(JournalError):
    """Another program is writing this journal."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "another program is writing this journal; only one may")


class JournalUnwritable(JournalError):
    """The disk is full or failing."""

    WHAT = "nothing can be written: "


class JournalForeign(JournalError):
    """The file is not a journal."""

    WHAT = "not a journal: "


class JournalEmpty(JournalForeign):
    """Nothing was ever committed to the file, as when its creation was interrupted. A writer may start it over."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "nothing was ever written to it")


class JournalUnfit(JournalError):
    """The file is a journal that must not be written: the copy of a day, or a file with two names."""


class JournalNewer(JournalError):
    """A later version of this program made the file."""

    def __init__(self, path: Path, version: int, ours: int) -> None:
        self.version, self.ours = version, ours
        super().__init__(path, f"journal version {version} is newer than this program, which supports up to {ours}")


class JournalDamaged(JournalError):
    """The file's content is not what was written. `sequence` is the first wrong record, None if unknown."""

    def __init__(self, path: Path, sequence: int | None, why: str) -> None:
        self.sequence = sequence
        super().__init__(path, why if sequence is None else f"record {sequence}: {why}")


class KeyProblem(JournalError):
    """A key file, or a key, cannot be used; `line` counts from 1."""

    def __init__(self, path: Path, why: str, line: int | None = None) -> None:
        self.path, self.why, self.line = path, why, line
        DealwireError.__init__(self, f"{path}:{'' if line is None else f'{line}:'} {why}")


class KeyUnsafe(KeyProblem):
    """The key file is not ours or root's, or others may use it."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(path, why)


class KeyUnknown(JournalError):
    """A record is sealed with a key that was not given; `audited`: to an auditor, under the root of that id."""

    def __init__(
        self, path: Path, sequence: int, key_id: str, *, audited: bool = False, beside: Path | None = None
    ) -> None:
        """Name the record, its key, and the key file from which a service would resume (`beside`)."""
        self.sequence, self.key_id = sequence, key_id
        why = f"record {sequence} is sealed with key {key_id}; give the key file that holds it"
        if audited:
            why = f"record {sequence} is sealed to an auditor (root {key_id}); only the auditor's private key opens it"
        if audited and beside is not None:
            why += f", {beside} does not open it; a service starts over without it with --start-over"
        super().__init__(path, why)


class SealingUnavailable(JournalError):
    """The library that seals is not installed."""

    def __init__(self, path: Path) -> None:
        from devices.extras import install_command  # imported on use: every command imports these errors

        super().__init__(path, f"cryptography is not installed: {install_command('journal')}")


class JournalDiffers(JournalError):
    """The published lines differ from what the raw record yields: another program, other terms, or an error."""


class NotProvable(JournalError):
    """The journal cannot prove this record, or not yet."""


class ProofRefused(DealwireError):
    """A proof does not show what it is to show."""


class StampRefused(DealwireError):
    """A time stamp cannot be had, or is not what was asked for."""


class NoteRefused(DealwireError):
    """A signed note is malformed, or a signature of a known key does not fit."""
