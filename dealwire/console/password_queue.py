"""Passwords wait in line to be checked: each check costs a tenth of a second, in a thread of its own.

Neither the console's loop nor the tables' owner ever hashes. An address may have two passwords in line, so that one
address cannot fill it. Programs' tokens and passkeys never stand in this line.
"""

import asyncio
from collections import Counter
from typing import Final

from dealwire.console.worker import Worker, WorkerBusy
from dealwire.listening import neighbourhood
from dealwire.people.passwords import fits

EACH_MAX: Final = 2
"""Most passwords of one address that wait to be checked."""
LINE_MAX: Final = 32
"""Most passwords that wait in all."""


class PasswordQueue:
    """Checks passwords, first come, first served. Loop thread only."""

    def __init__(self) -> None:
        self._worker = Worker("console-passwords")
        self._waiting: Counter[str] = Counter()

    async def check(self, address: str, password: str, digest: str | None) -> bool | None:
        """Return True if the password fits; None at once if too many wait. Without a digest the check takes as long
        and fails."""
        key = neighbourhood(address)
        if self._waiting.total() >= LINE_MAX or self._waiting[key] >= EACH_MAX:
            return None
        self._waiting[key] += 1
        try:
            return await asyncio.wrap_future(self._worker.run(lambda: fits(password, digest)))
        except WorkerBusy:
            return None
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key]

    def close(self) -> None:
        """Check nothing more."""
        self._worker.close()
