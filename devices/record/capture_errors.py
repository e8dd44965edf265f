"""Errors of a recording. The command line imports them before it opens any."""

from pathlib import Path

from protocol.errors import DealwireError


class CaptureError(DealwireError):
    """A capture file that cannot be read or written. `path` is the file."""

    path: Path


class CaptureInaccessible(CaptureError):
    """The operating system denies access to the file; `errno` is its reason."""

    def __init__(self, path: Path, cause: OSError) -> None:
        self.path, self.errno = path, cause.errno
        super().__init__(f"{path}: {cause.strerror or cause}")


class CaptureEmpty(CaptureError):
    """The file is empty."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(f"{path}: empty file; expected a pcapng recording")


class CaptureForeign(CaptureError):
    """The file has another format."""

    def __init__(self, path: Path, looks_like: str) -> None:
        self.path, self.looks_like = path, looks_like
        super().__init__(f"{path}: not a pcapng recording: it looks like {looks_like}")


class CaptureCorrupt(CaptureError):
    """The file is damaged at byte `offset`. Everything before it was returned."""

    def __init__(self, path: Path, offset: int, why: str) -> None:
        self.path, self.offset, self.why = path, offset, why
        super().__init__(f"{path}: damaged at byte {offset}: {why}")
