"""The console of `dealwire run` in a process of its own. Nothing of the web server is loaded here."""

import contextlib
import logging
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from dealwire.cli.console_parts import hello_of
from dealwire.cli.terminal import echo
from dealwire.config.schema import ConsolePart, PeoplePart
from dealwire.console.roll import Roll, people_reload
from dealwire.hub.health import Health
from dealwire.hub.wire import ServiceHello
from dealwire.listening import listening_error, listening_socket
from dealwire.service.console_child import STOP_S, STOPPING, ConsoleChild
from dealwire.service.console_gate import SILENT_MAX, ConsoleGate
from dealwire.service.readers import may_connect, readers_of
from dealwire.service.reloads import Reloadable
from dealwire.service.server_checks import files_of, in_clear, must_take_socket
from dealwire.tls import ServerTls, TlsLoaded
from protocol.errors import LineBusy

if TYPE_CHECKING:
    from dealwire.service.service import Service

_log = logging.getLogger("dealwire")

BACKLOG: Final = 160
"""Connections that wait to be accepted: as many as the console takes."""


def socket_at(path: Path, group: int | None) -> socket.socket:
    """Return a socket that listens at a path, for this user and a group. LineBusy if another service listens there,
    Unusable if it is no socket; the socket of a service that was killed is replaced."""
    where = f"console socket {path}"
    must_take_socket(path)
    with socket.socket(socket.AF_UNIX) as tried:
        try:
            tried.connect(str(path))
            raise LineBusy(where)
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                raise listening_error(where, error) from error
    listener, mask = socket.socket(socket.AF_UNIX), os.umask(0o177)
    try:
        listener.bind(str(path))
        if group is not None:
            os.chown(path, -1, group)
            os.chmod(path, 0o660)
        listener.listen(SILENT_MAX)
    except OSError as error:
        listener.close()
        raise listening_error(where, error) from error
    finally:
        os.umask(mask)
    return listener


@contextlib.contextmanager
def console_elsewhere(part: ConsolePart, service: "Service") -> Iterator[str]:
    """Wait for consoles at the socket until the block ends; yield its path."""
    assert part.socket is not None
    group = readers_of(service.configuration)
    listener = socket_at(part.socket, group)
    gate = _gate(part, service, listener, lambda uid, gid: may_connect(group, uid, gid))
    gate.start()
    try:
        echo(f"console socket: {part.socket}", err=True)
        yield str(part.socket)
    finally:
        gate.stop(STOPPING, STOP_S)
        part.socket.unlink(missing_ok=True)


def _gate(
    part: ConsolePart,
    service: "Service",
    listener: socket.socket | None = None,
    may: Callable[[int, int], bool] = lambda _uid, _gid: True,
) -> ConsoleGate:
    hello = hello_of(service, part)

    def greeting() -> ServiceHello:
        return replace(hello, now_ns=service.clock.now_ns())

    return ConsoleGate(service.hub, service.clock, greeting, service.note_access, listener=listener, may=may)


def _certificate(tls: ServerTls, health: Health, child: ConsoleChild) -> Reloadable[TlsLoaded]:
    """Return the certificate of the child as something that is read again: here for the metrics, there to serve."""

    def install(found: TlsLoaded) -> str:
        health.certificates["console"] = found.ends_ns
        tls.install(found)
        return child.hang_up()

    health.certificates["console"] = tls.ends_ns
    return Reloadable("console certificate", tls.read, install)


def _roll(people: PeoplePart, service: "Service", child: ConsoleChild) -> Reloadable[Roll]:
    """Return the users file as something that is read again: here for the tables, and by the child."""

    def take(newer: Roll) -> None:
        service.install_users(newer.users)
        child.hang_up()

    return Reloadable(*people_reload(people, take))


@contextlib.contextmanager
def console_apart(
    part: ConsolePart, service: "Service", port: int | None = None, people: PeoplePart | None = None
) -> Iterator[str]:
    """Serve the console in a child process until the block ends; yield its address, which is printed too.

    The port is opened here, so that one in use is an error of this start, and stays open while the child is started
    again.
    """
    wanted = part.port if port is None else port
    try:
        listener = listening_socket(part.host, wanted, BACKLOG)
    except OSError as error:
        raise listening_error(f"console {part.host}:{wanted}", error) from error
    with listener:
        part = part.model_copy(update={"port": listener.getsockname()[1]})
        gate = _gate(part, service)
        child = ConsoleChild(gate, listener, service.health)
        gate.start()
        child.start()
        if part.tls is not None:
            service.reloads.add(_certificate(ServerTls(files_of(part.tls)), service.health, child))
        elif (text := in_clear(part)) is not None:
            _log.warning("console: %s", text)
        if people is not None:
            service.reloads.add(_roll(people, service, child))
        try:
            scheme, host = "https" if part.tls is not None else "http", part.host
            address = f"{scheme}://{f'[{host}]' if ':' in host else host}:{part.port}/"
            echo(f"console: {address}", err=True)
            yield address
        finally:
            child.stop()
