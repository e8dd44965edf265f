"""The console of `dealwire run` in a process of its own. Nothing of the web server is loaded here."""

import contextlib
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from dealwire.cli.console_parts import hello_of
from dealwire.cli.terminal import echo
from dealwire.config.schema import ConsolePart
from dealwire.hub.wire import ServiceHello
from dealwire.listening import listening_error, listening_socket
from dealwire.service.console_child import ConsoleChild
from dealwire.service.console_gate import ConsoleGate
from dealwire.service.readiness import tokens_in_clear

if TYPE_CHECKING:
    from dealwire.service.service import Service

_log = logging.getLogger("dealwire")

BACKLOG: Final = 160
"""Connections that wait to be accepted: as many as the console takes."""


@contextlib.contextmanager
def console_apart(part: ConsolePart, service: "Service", port: int | None = None) -> Iterator[str]:
    """Serve the console in a child process until the block ends; yield its address, which is printed too.

    The port is opened here, so that one in use is an error of this start, and stays open while the child is started
    again.
    """
    wanted = part.port if port is None else port
    try:
        listener = listening_socket(part.host, wanted, BACKLOG)
    except OSError as error:
        raise listening_error(f"console {part.host}:{wanted}", error) from error
    if (text := tokens_in_clear(part)) is not None:
        _log.warning("console: %s", text)
    with listener:
        part = part.model_copy(update={"port": listener.getsockname()[1]})
        hello = hello_of(service, part)

        def greeting() -> ServiceHello:
            return replace(hello, now_ns=service.clock.now_ns())

        gate = ConsoleGate(service.hub, service.clock, greeting, service.note_access)
        child = ConsoleChild(gate, listener)
        gate.start()
        child.start()
        try:
            address = f"http://{f'[{part.host}]' if ':' in part.host else part.host}:{part.port}/"
            echo(f"console: {address}", err=True)
            yield address
        finally:
            child.stop()
