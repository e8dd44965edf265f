"""The parts of a POSIX system that other systems lack, with the value that does no harm where one is missing."""

import importlib
import os
from typing import Final


def _has(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


IS_POSIX: Final = all(map(_has, ("fcntl", "termios", "pwd")))
"""True on Linux and macOS. Decided by what this Python can do, not by the system's name."""
NONBLOCK: Final[int] = getattr(os, "O_NONBLOCK", 0)
NOCTTY: Final[int] = getattr(os, "O_NOCTTY", 0)
CLOEXEC: Final[int] = getattr(os, "O_CLOEXEC", 0)
BINARY: Final[int] = getattr(os, "O_BINARY", 0)
"""Without this flag Windows changes line ends in a file that is opened by its descriptor."""


def user_id() -> int | None:
    """Return the number of the user as whom this program runs; None on a system that does not number its users."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def make_private(descriptor: int, mode: int) -> None:
    """Set the mode of an open file, where files have modes."""
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)
