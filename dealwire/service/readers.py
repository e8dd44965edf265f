"""Another user who may read the journal: the console's, by a group. It reads, and writes nothing."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from dealwire.config.schema import Configuration
from dealwire.journal.database import beside
from dealwire.service.seals import faces_in_clear
from protocol.errors import LocalError

READABLE: Final = 0o640
SECRET: Final = "-lock"
"""End of the name of a file that only the service needs."""


class ReadersRefused(LocalError):
    """The group of `journal.readers` will not do."""

    def __init__(self, why: str) -> None:
        super().__init__(f"journal.readers: {why}")


def readers_of(found: Configuration) -> int | None:
    """Return the number of the group that may read the journal; None if there is none. ReadersRefused if this user is
    not in it, or if it could read faces."""
    name = found.journal.readers
    if name is None:
        return None
    import grp  # not on every system, and `check` says much without them
    import pwd

    try:
        group = grp.getgrnam(name)
    except KeyError:
        raise ReadersRefused(f"there is no group {name} (groupadd --system {name})") from None
    if group.gr_gid not in os.getgroups() and os.geteuid() != 0:
        user = pwd.getpwuid(os.geteuid()).pw_name
        raise ReadersRefused(f"this user is not in the group {name} (usermod -aG {name} {user})")
    if group.gr_gid == os.getegid():
        raise ReadersRefused(f"{name} is this user's own group; name one for the console alone")
    if next(faces_in_clear(found), None) is not None:
        raise ReadersRefused(
            "raw bytes are not sealed, so the console could read faces; set key-file or auditor-key-file"
        )
    return group.gr_gid


def share(journal: Path, group: int) -> None:
    """Let a group read an open journal, with the files beside it that SQLite keeps while it is open."""
    for path in beside(journal):
        if not path.name.endswith(SECRET):
            with suppress(FileNotFoundError):
                os.chown(path, -1, group)
                os.chmod(path, READABLE)


def may_connect(group: int | None, uid: int, gid: int) -> bool:
    """True if a user may connect at the console's socket: this one, root, and members of the group."""
    if uid in (0, os.geteuid()) or gid == group:
        return True
    if group is None:
        return False
    import pwd

    try:
        return group in os.getgrouplist(pwd.getpwuid(uid).pw_name, gid)
    except KeyError:
        return False
