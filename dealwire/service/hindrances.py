"""What keeps a good `table.toml` from being served on this machine, found before any table is begun: a folder that is
not there, a key or tokens file that cannot be used, a part of the program that is not installed.
"""

import errno
import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from dealwire.config.schema import Configuration, ConsolePart, JournalPart, MqttPart
from dealwire.console.tokens import Tokens
from dealwire.journal.errors import JournalInaccessible
from dealwire.service.seals import load_seal
from devices.files import check_kind
from protocol.errors import DealwireError, LocalError
from protocol.tomlfile import Key
from rules.errors import ExtraMissing

CONSOLE_MODULES = ("jinja2", "starlette", "uvicorn", "websockets")
"""What the `console` extra installs."""


class Hindrance(NamedTuple):
    """What is in the way, and at which key of the file."""

    key: Key
    error: DealwireError


class Unusable(LocalError):
    """A file or an address of the configuration that cannot be used."""


def hindrances(found: Configuration, *, with_console: bool = True) -> Iterator[Hindrance]:
    """Everything that is in the way for the user who runs this, in the order of the file."""
    yield from _journal(found.journal)
    if found.console is not None and with_console:
        yield from _console(found.console)
    if found.exports.mqtt is not None:
        yield from _mqtt(found.exports.mqtt)
    if found.exports.metrics is not None and not installed("prometheus_client"):
        yield Hindrance(("exports", "metrics"), ExtraMissing("prometheus-client", "metrics"))
    yield from _ports(found, with_console)


def installed(*modules: str) -> bool:
    """True when all of them are."""
    return all(importlib.util.find_spec(name) is not None for name in modules)


def _journal(part: JournalPart) -> Iterator[Hindrance]:
    key: Key = ("journal", "path")
    if not part.path.parent.is_dir():
        yield Hindrance(key, JournalInaccessible(part.path, "its folder is not there", errno.ENOENT))
    elif not os.access(part.path if part.path.exists() else part.path.parent, os.W_OK):
        yield Hindrance(key, JournalInaccessible(part.path, os.strerror(errno.EACCES), errno.EACCES))
    elif part.path.exists():
        yield from _read(key, part.path)
    sealed: Key = ("journal", "key-file" if part.auditor_key_file is None else "auditor-key-file")
    yield from _tried(sealed, lambda: load_seal(part))
    if (part.key_file or part.auditor_key_file) is not None and not installed("cryptography"):
        yield Hindrance(sealed, ExtraMissing("cryptography", "journal"))


def _console(part: ConsolePart) -> Iterator[Hindrance]:
    if not installed(*CONSOLE_MODULES):
        yield Hindrance(("console",), ExtraMissing("starlette", "console"))
    if part.tokens_file is not None:
        file = part.tokens_file
        yield from _tried(("console", "tokens-file"), lambda: Tokens.read(file))
    if part.recordings is not None and not part.recordings.is_dir():
        yield Hindrance(("console", "recordings"), Unusable(f"{part.recordings}: no such folder"))


def _mqtt(part: MqttPart) -> Iterator[Hindrance]:
    if not installed("aiomqtt"):
        yield Hindrance(("exports", "mqtt"), ExtraMissing("aiomqtt", "mqtt"))
        return
    from dealwire.export.broker import Broker, BrokerUnusable, PasswordUnreadable

    files = {"ca_file": part.ca_file, "cert_file": part.cert_file, "key_file": part.key_file}
    for name, file in {"password_file": part.password_file, **files}.items():
        wrong = list(_read(("exports", "mqtt", name.replace("_", "-")), file)) if file is not None else []
        yield from wrong
        if wrong:
            return
    try:
        Broker.parse(part.url, part.password_file, **files).context()
    except PasswordUnreadable as error:
        yield Hindrance(("exports", "mqtt", "password-file"), Unusable(str(error)))
    except ValueError as error:
        yield Hindrance(("exports", "mqtt", "url"), Unusable(str(error)))
    except BrokerUnusable as error:
        yield Hindrance(("exports", "mqtt"), error)


def _ports(found: Configuration, with_console: bool) -> Iterator[Hindrance]:
    console, metrics = found.console if with_console else None, found.exports.metrics
    if console is not None and metrics is not None and console.port == metrics.port != 0:
        yield Hindrance(("exports", "metrics", "port"), Unusable(f"{metrics.port} is already that of the console"))


def _read(key: Key, file: Path) -> Iterator[Hindrance]:
    """Whether it can be read at all; it is not."""
    try:
        check_kind(file)
        if not os.access(file, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        yield Hindrance(key, Unusable(f"{file}: {error.strerror}"))


def _tried(key: Key, read: Callable[[], object]) -> Iterator[Hindrance]:
    try:
        read()
    except DealwireError as error:
        yield Hindrance(key, error)
