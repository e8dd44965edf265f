"""Files of a new table: made in a folder beside their place, tried there, and put in place together or not at all."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from devices.files import PRIVATE, create_file, sync_folder

READABLE: Final = 0o644


class NewFile(NamedTuple):
    """A file to be written."""

    content: bytes
    private: bool = False
    """True for a secret: its owner alone may read it."""


def nearest_folder(folder: Path) -> Path:
    """Return `folder`, or the nearest of its parents that exists."""
    return next(each for each in (folder, *folder.absolute().parents) if each.exists())


def refuse_unwritable(folder: Path) -> None:
    """Raise OSError if this user can make no file in `folder`, or cannot make the folder. Nothing is written."""
    there = nearest_folder(folder)
    if not there.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(there))
    if not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "this user cannot make files in that folder", str(there))


@contextmanager
def staged(folder: Path, files: Mapping[str, NewFile]) -> Iterator[Path]:
    """Write the files into a folder next to `folder` that exists within the context only, and give that folder.

    It is on the same disk, so `put_in_place` only renames. What `folder` has besides is there by links: a journal that
    exists belongs to the check of a new file. Raise OSError when the folder cannot be written.
    """
    there = nearest_folder(folder)
    try:
        made = Path(tempfile.mkdtemp(prefix=".dealwire-init-", dir=there))
    except OSError as error:
        error.filename = str(there)  # the name of a temporary folder says nothing to a person
        raise
    try:
        for name, file in files.items():
            with create_file(made / name) as out:
                out.write(file.content)
                os.fsync(out.fileno())
            os.chmod(made / name, PRIVATE if file.private else READABLE)
        for each in folder.iterdir() if folder.is_dir() else ():
            if each.name not in files and each != made:
                (made / each.name).symlink_to(each.absolute())
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def put_in_place(made: Path, folder: Path, names: list[str]) -> None:
    """Move the files `names` from `made` into `folder`. When one cannot be moved, or the program is interrupted, those
    that were moved before are taken back, and what they replaced is there again."""
    new_folder = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    kept = {name: made / f"{name}.before" for name in names if (folder / name).exists()}
    moved: list[str] = []
    try:
        for name in names:
            if name in kept:
                os.link(folder / name, kept[name])
            moved.append(name)
            os.replace(made / name, folder / name)
        sync_folder(folder)
    except BaseException:
        for name in moved:
            if name in kept:
                os.replace(kept[name], folder / name)
            else:
                (folder / name).unlink(missing_ok=True)
        if new_folder:
            shutil.rmtree(folder, ignore_errors=True)
        raise
