"""Whether a file of secrets is one's own: a password, a token, a key."""

import os
import stat
from pathlib import Path


def why_unsafe(path: str | Path) -> str | None:
    """Why others than we and root could know or change what `path` holds, in words after the file's name; None when
    they cannot. OSError when the file cannot be looked at."""
    return why_unsafe_facts(os.stat(path), path)


def why_unsafe_facts(facts: os.stat_result, path: str | Path) -> str | None:
    """The same of a file that is open: `os.fstat` of what is read leaves nobody time to exchange it."""
    if facts.st_uid not in (os.geteuid(), 0):
        return f"it belongs to user {facts.st_uid}; allowed: user {os.geteuid()} or root (chown {path})"
    mode = stat.S_IMODE(facts.st_mode)
    if mode & 0o077:
        return f"others may use it (mode {mode:04o}); allowed: 0600 (chmod 600 {path})"
    return None
