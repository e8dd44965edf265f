"""Files that are read again on SIGHUP while the tables continue: certificates, and what else is registered.

Every file is read before any is installed, in a thread of its own: a slow disk holds up no table. What cannot be read
leaves its former content in force. table.toml is never read again: a table keeps the settings of its start.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from dealwire.attest.trust import refused_in
from dealwire.config.schema import Configuration
from dealwire.hub.health import Health
from dealwire.tls import ServerTls, TlsLoaded, day, end_of_line
from protocol.errors import DealwireError

_log = logging.getLogger("dealwire")

RESTART: Final = "restart the service to read table.toml again, every round then resumes"
"""Advice for those who expect more of SIGHUP."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reloadable(Generic[T]):
    """Something that is read again on SIGHUP.

    `read` returns its new content; an error of this project names what is wrong, and the former content stays.
    `install` puts the content in force and returns what it now is, such as `until 2027-06-30`. Both run in the thread
    of the reload.
    """

    name: str
    read: Callable[[], T]
    install: Callable[[T], str]


class Reloads:
    """Everything that SIGHUP reads again, in the order in which it was added."""

    def __init__(self) -> None:
        self._items: list[Reloadable[Any]] = []
        self._one_at_a_time = threading.Lock()

    @property
    def any(self) -> bool:
        """True if there is something to read again."""
        return bool(self._items)

    def add(self, item: Reloadable[Any]) -> None:
        """Read this again too, from the next SIGHUP on."""
        self._items = [*self._items, item]

    def start(self) -> threading.Thread:
        """Reload in a thread of its own, which is returned. Signal handlers may call it."""
        thread = threading.Thread(target=self.run, name="reload", daemon=True)
        thread.start()
        return thread

    def run(self) -> list[str]:
        """Read everything, install what could be read, log and return a line for each."""
        with self._one_at_a_time:
            read = [(item, _read(item)) for item in self._items]
            lines = [_installed(item, content) for item, content in read]
        for line in lines or [f"nothing to read again; {RESTART}"]:
            _log.warning("SIGHUP: %s", line)
        return lines


def _read(item: Reloadable[T]) -> T | DealwireError:
    try:
        return item.read()
    except DealwireError as error:
        return error


def _installed(item: Reloadable[T], content: T | DealwireError) -> str:
    if isinstance(content, DealwireError):
        return f"{content}; the former {item.name} stays"
    return f"{item.name} {item.install(content)}"


def refused_devices(path: Path, again: Callable[[], None]) -> Reloadable[frozenset[str]]:
    """Return the file of refused devices as something that is read again. `again` has every device asked at once, which
    reads the file for itself."""

    def install(found: frozenset[str]) -> str:
        again()
        return f"{len(found)}, and each device is asked again"

    return Reloadable("refused devices", partial(refused_in, path), install)


def line_certificates(found: Configuration, health: Health) -> Iterator[Reloadable[int]]:
    """Yield the certificates of each `tls://` line. A line reads its files at every attempt to connect; here only their
    end is reported."""
    for table in found.table:
        for device in (each for each in table.device if each.address.startswith("tls:")):
            name = f"{table.name}/{device.name}"
            ends = Reloadable(f"{name} certificate", partial(end_of_line, device.address), partial(_note, name, health))
            with suppress(DealwireError):  # it cannot be read: the line reports this itself
                ends.install(ends.read())
            yield ends


def _note(name: str, health: Health, ends_ns: int) -> str:
    health.certificates[name] = ends_ns
    return f"until {day(ends_ns)}"


def certificate(server: str, tls: ServerTls, health: Health) -> Reloadable[TlsLoaded]:
    """Return the certificate of a server as something that is read again, and report its end to `health`."""

    def install(found: TlsLoaded) -> str:
        health.certificates[server] = found.ends_ns
        return tls.install(found)

    health.certificates[server] = tls.ends_ns
    return Reloadable(f"{server} certificate", tls.read, install)
