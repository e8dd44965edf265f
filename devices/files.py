"""Files whose names come from users and from other files: opened without blocking, and read up to a limit."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from devices.system import BINARY, CLOEXEC, NOCTTY, NONBLOCK, make_private, user_id

PRIVATE: Final = 0o600
"""Mode of a file with card faces or secrets: only its owner may read and write it."""

_KINDS: Final = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_file(path: str | Path) -> BinaryIO:
    """Open the regular file at `path` for reading.

    Raise OSError, with the reason in `strerror`, if it does not exist or is a folder, pipe, socket or device: reading
    one of those may block, or never end.
    """
    _check_kind(os.stat(path), path)  # before opening: opening a serial port toggles its control lines
    descriptor = os.open(path, os.O_RDONLY | NONBLOCK | NOCTTY | CLOEXEC | BINARY)
    try:
        _check_kind(os.fstat(descriptor), path)  # the path may lead to another file by now
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def may(path: str | Path, mode: int) -> bool:
    """Return True if the user under which the program runs may access `path` in this mode (`os.R_OK` and the like).
    False if it does not exist."""
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def check_kind(path: str | Path) -> None:
    """Raise the OSError of `open_file`, for a file that other code opens."""
    _check_kind(os.stat(path), path)


def read_file(path: str | Path, most_bytes: int) -> bytes:
    """Return the content of the regular file at `path`. Raise OSError as `open_file` does, or if it exceeds
    `most_bytes`."""
    with open_file(path) as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise OSError(errno.EFBIG, f"longer than {most_bytes:,} bytes, the maximum", str(path))
    return data


def why_not_private(mode: int, path: str | Path) -> str | None:
    """Return why a file of this mode is no secret of its owner alone, as text after its name; None if it is."""
    bits = stat.S_IMODE(mode)
    return f"others may use it (mode {bits:04o}); allowed: 0600 (chmod 600 {path})" if bits & 0o077 else None


def replace_text(path: Path, text: str, mode: int = PRIVATE, owner: tuple[int, int] | None = None) -> None:
    """Replace the file's content; after a kill, either the old or the new content is there. `owner` are the user and
    the group to whom the file then belongs, ours unless given. Raise OSError.

    A kill may leave a temporary file with a fixed name, which the next write removes, so that no key stays in it for
    long.
    """
    beside = path.with_name(f".{path.name}-new")
    beside.unlink(missing_ok=True)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            if owner is not None:
                os.fchown(file.fileno(), *owner)
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(path: str | Path) -> None:
    """Flush new and renamed entries of the folder at `path` to the disk. Raise OSError if the disk refuses."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def alone_in(folder: str | Path) -> Iterator[None]:
    """Wait until no other process changes files in `folder` by this function, and keep others from it until the block
    ends. Raise OSError if the folder cannot be opened."""
    import fcntl  # not on every system, and files are read without it

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
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
    """Create a file at `path` for unbuffered writing, readable by its owner alone (mode 0600), even if it existed
    before.

    Raise OSError if it exists and `overwrite` is false, or if it is a pipe without a reader.
    """
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
