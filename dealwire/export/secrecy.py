"""Exposure of the connection to a broker: readable secrets, and unencrypted data."""

from pathlib import Path
from urllib.parse import urlsplit

from dealwire.config.private_file import why_unsafe
from dealwire.listening import is_loopback


def exposures(url: str, *, password_file: Path | None = None, key_file: Path | None = None) -> list[str]:
    """Return a line for each thing that others could read. An invalid address has none."""
    found = []
    for name, file in (("password file", password_file), ("key file", key_file)):
        if file is not None:
            try:
                why = why_unsafe(file)
            except OSError as error:
                why = error.strerror
            if why is not None:
                found.append(f"{name} {file}: {why}")
    return found + _in_clear(url, password_file is not None)


def _in_clear(url: str, password: bool) -> list[str]:
    try:
        parts = urlsplit(url)
        host, user = parts.hostname, parts.username
    except ValueError:
        return []
    if parts.scheme != "mqtt" or not host:
        return []
    what = [f"{host} is not this machine"] if not is_loopback(host) else []
    if user is not None or password:
        what.append("a password is sent" if password else "a user name is sent")
    return (
        [f"mqtt://{host}: the connection is not encrypted, and {' and '.join(what)}; use mqtts:// for TLS"]
        if what
        else []
    )
