"""Pseudo-terminals whose numbers stay with a test until it ends.

The kernel gives the number of a pseudo-terminal to the next program as soon as both ends are closed. A service whose
devices have gone looks for them at that number every few seconds, and would then take the devices of another test.
"""

from __future__ import annotations

import contextlib
import os

_KEPT: list[int] = []


def keep(address: str) -> None:
    """Keep the number of the pseudo-terminal at an address; ignore any other address.

    A number stays taken while its host's end is open somewhere; the name still disappears when the devices go.
    """
    if address.startswith("/dev/pts/"):
        with contextlib.suppress(FileNotFoundError):
            _KEPT.append(os.open(address, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK))


def release_all() -> None:
    """Give back the numbers that the test kept."""
    while _KEPT:
        os.close(_KEPT.pop())
