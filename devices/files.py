"""Files whose names come from people and from other files: opened without waiting, and read up to a bound."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

from devices.system import BINARY, CLOEXEC, NOCTTY, NONBLOCK, make_private, user_id

PRIVATE: Final = 0o600
"""Mode of a file that holds faces or secrets: its owner alone may read and write it."""

_KINDS: Final = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_file(path: str | Path) -> BinaryIO:
    """The regular file at `path`, to be read. OSError, whose `strerror` says why, for one that is not there, and for a
    folder, pipe, socket or device: whoever reads one of those may wait for ever, or never come to an end."""
    _check_kind(os.stat(path), path)  # before it is opened: to open a serial port moves its control lines
    descriptor = os.open(path, os.O_RDONLY | NONBLOCK | NOCTTY | CLOEXEC | BINARY)
    try:
        _check_kind(os.fstat(descriptor), path)  # it may be another by now
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def may(path: str | Path, mode: int) -> bool:
    """Whether the user as whom the program runs may use `path` so: `os.R_OK` and the like. False when it is not
    there."""
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def check_kind(path: str | Path) -> None:
    """The OSError of `open_file`, for a file that others open."""
    _check_kind(os.stat(path), path)


def read_file(path: str | Path, most_bytes: int) -> bytes:
    """What the regular file at `path` holds; OSError as of `open_file`, and when it is longer than `most_bytes`."""
    with open_file(path) as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise OSError(errno.EFBIG, f"longer than {most_bytes:,} bytes, the most that is read", str(path))
    return data


def sync_folder(path: str | Path) -> None:
    """Have what was made or renamed in the folder at `path` on the disk. OSError when the disk does not take it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_kind(facts: os.stat_result, path: str | Path) -> None:
    if stat.S_ISREG(facts.st_mode):
        return
    if stat.S_ISDIR(facts.st_mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    kind = next((name for holds, name in _KINDS if holds(facts.st_mode)), "something else")
    raise OSError(errno.EINVAL, f"{kind}, not a file", str(path))


def create_file(path: str | Path, *, overwrite: bool = False) -> BinaryIO:
    """A file at `path` to be written, unbuffered, that its owner alone may read (mode 0600), also when it was there
    before. OSError when it is there already and not to be overwritten, or is a pipe that nobody reads."""
    flags = os.O_WRONLY | os.O_CREAT | CLOEXEC | NOCTTY | NONBLOCK | BINARY
    descriptor = os.open(path, flags | (os.O_TRUNC if overwrite else os.O_EXCL), PRIVATE)
    try:
        facts = os.fstat(descriptor)
        if stat.S_ISREG(facts.st_mode) and facts.st_uid == user_id():
            make_private(descriptor, PRIVATE)
        return os.fdopen(descriptor, "wb", buffering=0)
    except BaseException:
        os.close(descriptor)
        raise
