"""Command `dealwire console`: the console of a table service, in a process of its own."""

import ctypes
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from dealwire.cli.console_parts import unpacked
from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import FILE, FLAG, declared, whole
from dealwire.cli.terminal import echo, log_lines
from dealwire.config.schema import ConsolePart, PeoplePart
from dealwire.hub.health import Health
from dealwire.hub.wire import ServiceHello
from dealwire.service.notify import Notifier
from dealwire.service.reloads import Reloadable, Reloads, certificate
from dealwire.service.seals import leave_no_core
from dealwire.service.server_checks import files_of

if TYPE_CHECKING:
    from dealwire.console.remote import RemoteHub
    from dealwire.console.replays import Keep, Source
    from dealwire.console.server import Console

_log = logging.getLogger("dealwire")

WAITS_S: Final = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Waits between attempts to connect; the last one is repeated."""
LOOK_S: Final = 0.2
SEALED: Final = (
    "its raw bytes are sealed, and the console has no key; Rounds shows each round, and on the machine "
    "`dealwire journal round N {journal} --key FILE` prints one with its cards"
)
_MOST: Final = 2**20
PR_SET_PDEATHSIG: Final = 1


@click.command("console")
@click.argument("path", required=False, type=FILE, metavar="[SOCKET]")
@declared(
    ("--print-unit", FLAG, "Print the systemd unit of consoles, and what it adds to the tables' unit, then exit."),
    ("--wait", FLAG, "Wait until a table service listens at SOCKET."),
    ("--fd", whole(0, _MOST), "Connection that `dealwire run` made, in place of SOCKET; for `run` itself."),
    ("--listen-fd", whole(0, _MOST), "Port that `dealwire run` opened; for `run` itself."),
)
@click.pass_context
def command(
    ctx: click.Context, /, path: Path | None, print_unit: bool, wait: bool, fd: int | None, listen_fd: int | None
) -> None:
    """Serve the console of a table service that listens at SOCKET, from a process that can ask and read, never write.

    `dealwire run` starts its console in this way. With `socket` in [console] of table.toml it starts none: this command
    then serves the console, as another user, and reconnects when the service is restarted.
    """
    if print_unit:
        from dealwire.cli.system_files import CONSOLE, CONSOLE_DROP_IN, advice, printed, shipped

        click.echo(printed(CONSOLE))
        click.echo(shipped(CONSOLE_DROP_IN), nl=False)
        for line in advice(shipped(CONSOLE)):
            echo(line, err=True)
        return
    if (path is None) == (fd is None):
        raise click.UsageError("name SOCKET: the path of `socket` in [console] of table.toml")
    leave_no_core()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until there is something to read again, it would end this process
    _log_to_stderr()
    if fd is not None:
        _die_with_the_service()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both processes; the service ends this one
        with socket.socket(fileno=fd) as end:
            listener = socket.socket(fileno=listen_fd) if listen_fd is not None else None
            ctx.exit(_Serving(lambda: end, listener, once=True).run())
    assert path is not None
    ctx.exit(_Serving(lambda: _connected(path, wait=wait), None, once=False).run())


def _die_with_the_service() -> None:
    """Let the kernel kill this process with the one that started it, so that the port is free at once. Elsewhere than
    on Linux the end of the connection does that, a moment later."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))


def _log_to_stderr() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(log_lines("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    _log.setLevel(logging.INFO)


def _connected(path: Path, *, wait: bool) -> socket.socket | None:
    """Return a connection; None if no service listens there and it is waited for."""
    end = socket.socket(socket.AF_UNIX)
    try:
        end.connect(str(path))
    except OSError as error:
        end.close()
        if wait and isinstance(error, FileNotFoundError | ConnectionError):
            return None
        if isinstance(error, PermissionError):
            raise Stop(Exit.PERMISSION, f"console socket {path}: {error.strerror}") from error
        raise Stop(Exit.ABSENT, f"console socket {path}: no table service listens there") from error
    return end


class _Serving:
    """A console and its connection. `once`: the process ends with the connection; else it is made again."""

    def __init__(
        self, connect: Callable[[], socket.socket | None], listener: socket.socket | None, *, once: bool
    ) -> None:
        from dealwire.console.remote import RemoteHub

        self._connect, self._listener, self._once = connect, listener, once
        self._hub: RemoteHub = RemoteHub()
        self._stopping = threading.Event()
        self._notifier = Notifier({} if once else None)
        self._reloads = Reloads()
        self._error: Exception | None = None

    def run(self) -> Exit:
        """Serve until a signal or the end of the service, and return the exit code."""
        self._notifier.notify(READY=1, STATUS="waits for the table service")
        signal.signal(signal.SIGTERM, lambda *_: self._stopping.set())
        signal.signal(signal.SIGHUP, lambda *_: self._reloads.start() if self._reloads.any else None)
        threading.Thread(target=self._keep_connected, name="service", daemon=True).start()
        while not self._stopping.is_set() and not self._hub.await_views(LOOK_S):
            self._notifier.notify(WATCHDOG=1)
        if not self._stopping.is_set() and self._hub.hello is not None:
            self._show(self._hub.hello)
        self._hub.close()
        if self._error is not None:
            raise self._error
        return Exit.GOOD

    def _show(self, hello: ServiceHello) -> None:
        console = console_from(hello, self._hub, self._reloads)
        console.start(self._listener)
        if not self._once:
            echo(f"console: {console.address}", err=True)
            self._notifier.notify(STATUS=f"serves {console.address}")
        try:
            while not self._stopping.wait(LOOK_S):
                self._notifier.notify(WATCHDOG=1)
                if console.failed is not None:
                    raise Stop(Exit.CHECK_FAILED, f"the console ended: {console.failed}")
                newer = self._hub.hello
                if newer is not None and _lasting(newer) != _lasting(hello):
                    _log.warning("console: the tables have other settings now; it starts again")
                    break
        finally:
            console.stop()

    def _keep_connected(self) -> None:
        """Connect and serve, again and again unless `once`. An error ends the process."""
        tries = 0
        try:
            while not self._stopping.is_set():
                if (end := self._connect()) is not None:
                    self._hub.serve(end)
                    tries = 0
                if self._once:
                    break
                self._stopping.wait(WAITS_S[min(tries, len(WAITS_S) - 1)])
                tries += 1
        except Exception as error:
            self._error = error
        finally:
            self._stopping.set()


def _lasting(hello: ServiceHello) -> tuple[Any, ...]:
    return hello.journal, hello.sealed, hello.console, hello.people, hello.actions


def console_from(hello: ServiceHello, hub: "RemoteHub", reloads: Reloads) -> "Console":
    """Return the console that a service's first message describes. Its files are read here, by this process's user."""
    from dealwire.console.roll import console_settings, people_reload
    from dealwire.console.server import Console
    from dealwire.console.tokens import Tokens
    from dealwire.tls import ServerTls

    part = ConsolePart.model_validate_json(hello.console)
    journal, tls = Path(hello.journal), None
    if part.tls is not None:
        tls = ServerTls(files_of(part.tls))
        reloads.add(certificate("console", tls, Health()))
    people = PeoplePart.model_validate_json(hello.people) if hello.people else None
    console = Console(
        hub,
        host=part.host,
        port=part.port,
        tokens=Tokens.read(part.tokens_file) if part.tokens_file is not None else None,
        actions={name: unpacked(each) for name, each in hello.actions.items()},
        recordings=part.recordings,
        sources=sources_of(journal, hello.actions, sealed=hello.sealed),
        journal=journal,
        names=part.names,
        secure=part.secure,
        tls=tls,
        proxies=part.proxies,
        idle_minutes=part.idle_minutes,
        clock=hub.clock,
        note_access=hub.note_access,
        **console_settings(people),
    )
    if people is not None:
        reloads.add(Reloadable(*people_reload(people, console.reload)))
    return console


def sources_of(journal: Path, tables: Any, *, sealed: bool) -> "list[Source]":
    """Return the journal of each table as a recording. One with seals says why it cannot be replayed here."""
    from dealwire.console.journals import journal_sources
    from dealwire.console.replays import ReplayUnusable, Source

    if not sealed:
        return journal_sources(journal, None, tables)

    def refusing(name: str) -> Callable[["Keep"], str]:
        def deal(_: "Keep") -> str:
            raise ReplayUnusable(name, SEALED.format(journal=journal))

        return deal

    names = {table: f"journal of {table}" for table in tables}
    return [Source(name, f"Journal of {table}", table, refusing(name)) for table, name in names.items()]
