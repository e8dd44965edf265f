"""The people and programs that may use the console now, and the files that say so."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dealwire.config.schema import PeoplePart
from dealwire.people.issuer import check_files, needs_joserfc
from dealwire.people.passkeys import Passkeys, needs_webauthn
from dealwire.people.passwords import needs_argon2
from dealwire.people.users import Users, read_users


class Roll:
    """The users file and the passkeys file as last read. `take` may be called from any thread."""

    def __init__(self, users: Users, users_file: Path, passkeys: Passkeys | None = None) -> None:
        self.users, self.passkeys = users, passkeys
        self._file, self._lock = users_file, threading.Lock()

    @classmethod
    def read(cls, part: PeoplePart) -> "Roll":
        """Read the files. A LocalError names the file, the line and what is allowed."""
        needs_argon2()
        if part.passkeys_file is None:
            return cls(read_users(part.users_file), part.users_file)
        needs_webauthn()
        return cls(read_users(part.users_file), part.users_file, Passkeys.read(part.passkeys_file))

    def take(self, newer: "Roll") -> None:
        """Count what was read again from now on."""
        with self._lock:
            self.users, self.passkeys = newer.users, newer.passkeys

    def newest(self) -> Users:
        """Read the users file for a one-time code that may stand there since a moment ago. Nothing else of it
        counts before a reload."""
        return read_users(self._file)


def console_settings(part: PeoplePart | None) -> dict[str, Any]:
    """Return the arguments of `Console` that come from `[people]`. A LocalError names what will not do in a file."""
    if part is None:
        return {"roll": None}
    if part.oidc is not None:
        needs_joserfc()
        check_files(part.oidc)
    return {"roll": Roll.read(part), "oidc": part.oidc}


def people_reload(
    part: PeoplePart, *takers: Callable[[Roll], None]
) -> tuple[str, Callable[[], Roll], Callable[[Roll], str]]:
    """Return name, reader and installer of the users file and the passkeys file for a reload. The reader raises a
    LocalError of one line; the installer gives what was read to each of `takers` and returns what it now is."""

    def install(newer: Roll) -> str:
        for take in takers:
            take(newer)
        return newer.users.summary

    return part.users_file.name, lambda: Roll.read(part), install
