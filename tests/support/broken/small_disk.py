"""A journal on a full disk: its file may not grow, or it is on a small file system, which root may mount."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dealwire.journal import Journal


def database(journal: Journal) -> sqlite3.Connection:
    """Return the open file of a journal."""
    return journal._file.db


def fill(journal: Journal, *, pages: int = 0) -> None:
    """Let the journal's file grow by `pages` pages and no more."""
    db = database(journal)
    db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0] + pages}")


class SmallDisk:
    """A mounted tmpfs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read_only(self) -> None:
        """Make the disk read-only, for open files too. Fails while a file is open for writing."""
        _mount("-o", "remount,ro", str(self.folder))


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)


@contextmanager
def small_disk(folder: Path, kib: int) -> Iterator[SmallDisk]:
    """Mount a disk of `kib` KiB at `folder`; the test is skipped if that is impossible."""
    folder.mkdir()
    if os.geteuid():
        pytest.skip("not here: only root may mount a small disk")
    try:
        _mount("-t", "tmpfs", "-o", f"size={kib}k", "none", str(folder))
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not here: even root may mount no small disk")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, capture_output=True)
