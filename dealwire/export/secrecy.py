"""What of the way to a broker others could read: files of secrets, and what goes out in clear."""

from pathlib import Path
from urllib.parse import urlsplit

from dealwire.config.private_file import why_unsafe
from dealwire.listening import is_loopback


def exposures(url: str, *, password_file: Path | None = None, key_file: Path | None = None) -> list[str]:
    """One line for each thing that others could read; empty when there is none. An address that is none has none."""
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
        what.append("a password goes with it" if password else "a user's name goes with it")
    return [f"mqtt://{host}: nothing is encrypted, and {' and '.join(what)}; mqtts:// is TLS"] if what else []
