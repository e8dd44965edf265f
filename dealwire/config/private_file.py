"""Check that a file with secrets (password, token, key) is private."""

import os
import stat
from pathlib import Path

from devices.files import why_not_private


def why_unsafe(path: str | Path, *, group_may_read: bool = False) -> str | None:
    """Return why users other than us and root could read or change `path`, as text after the file's name; None if they
    cannot. OSError if the file cannot be examined."""
    return why_unsafe_facts(os.stat(path), path, group_may_read=group_may_read)


def why_alterable(path: str | Path) -> str | None:
    """Return why users other than us and root could change `path`, which anyone may read, as text after its name; None
    if they cannot. OSError if the file cannot be examined."""
    return why_alterable_facts(os.stat(path), path)


def why_alterable_facts(facts: os.stat_result, path: str | Path) -> str | None:
    """Return the same for an open file, as `why_unsafe_facts` does."""
    if facts.st_uid not in (os.geteuid(), 0):
        return f"it belongs to user {facts.st_uid}; allowed: user {os.geteuid()} or root (chown {path})"
    mode = stat.S_IMODE(facts.st_mode)
    return f"others may change it (mode {mode:04o}); allowed: 0644 (chmod go-w {path})" if mode & 0o022 else None


def why_unsafe_facts(facts: os.stat_result, path: str | Path, *, group_may_read: bool = False) -> str | None:
    """Return the same for an open file: `os.fstat` of what is read leaves no time to exchange the file.

    `group_may_read`: a file of root's may be read by its group if that is one of ours. So a service reads a file that
    it cannot change.
    """
    if facts.st_uid not in (os.geteuid(), 0):
        return f"it belongs to user {facts.st_uid}; allowed: user {os.geteuid()} or root (chown {path})"
    mode = stat.S_IMODE(facts.st_mode)
    if not group_may_read:
        return why_not_private(mode, path)
    if mode & 0o077 & ~0o040 or (mode & 0o040 and facts.st_uid != 0):
        return f"others may use it (mode {mode:04o}); allowed: 0600, or 0640 of root (chmod 640 {path})"
    if mode & 0o040 and os.geteuid() != 0 and facts.st_gid not in (os.getegid(), *os.getgroups()):
        return f"group {facts.st_gid} may read it; allowed: a group of user {os.geteuid()} (chgrp {path})"
    return None
