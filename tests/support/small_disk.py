"""A real file system of its own, small enough to be filled; it takes the right to mount one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class SmallDisk:
    """A mounted tmpfs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read_only(self) -> None:
        """From now on nothing can be written, also through what is open. Fails while something is open for writing."""
        _mount("-o", "remount,ro", str(self.folder))


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)


@contextmanager
def small_disk(folder: Path, kib: int) -> Iterator[SmallDisk]:
    """A disk of `kib` KiB at `folder`; the test is skipped where it cannot be mounted."""
    folder.mkdir()
    if os.geteuid():
        pytest.skip("only root may mount a small disk")
    try:
        _mount("-t", "tmpfs", "-o", f"size={kib}k", "none", str(folder))
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no small disk can be mounted here")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, capture_output=True)
