"""TCP ports for the programs that tests start, several tests at a time."""

import itertools
import os
import socket
from typing import Final

FIRST: Final = 10_000 + 1_000 * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
"""First port: each process of a parallel run has a thousand of its own, below those that the system assigns itself."""

_asked = itertools.count(os.getpid())  # two runs on one machine begin at different ones


def free_port() -> int:
    """Return a port on which no program listens, and which no other test gets soon."""
    for asked in itertools.islice(_asked, 1_000):
        port = FIRST + asked % 1_000
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError(f"no port from {FIRST} on is free")
