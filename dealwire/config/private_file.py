"""Check that a file with secrets (password, token, key) is private."""

import os
import stat
from pathlib import Path


def why_unsafe(path: str | Path) -> str | None:
    """Return why users other than us and root could read or change `path`, as text after the file's name; None if they
    cannot. OSError if the file cannot be examined."""
    return why_unsafe_facts(os.stat(path), path)


def why_unsafe_facts(facts: os.stat_result, path: str | Path) -> str | None:
    """Return the same for an open file: `os.fstat` of what is read leaves no time to exchange the file."""
    if facts.st_uid not in (os.geteuid(), 0):
        return f"it belongs to user {facts.st_uid}; allowed: user {os.geteuid()} or root (chown {path})"
    mode = stat.S_IMODE(facts.st_mode)
    if mode & 0o077:
        return f"others may use it (mode {mode:04o}); allowed: 0600 (chmod 600 {path})"
    return None
