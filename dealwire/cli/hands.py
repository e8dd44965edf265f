"""`dealwire hands`: hands programs for `dealwire bench --hands`."""

import contextlib
import os
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

import click

from dealwire.bench.hands.actions import hand_actions
from dealwire.bench.hands.program import serve
from dealwire.bench.run.relay import RelayHands, load_relay
from dealwire.cli.options import FILE
from dealwire.cli.terminal import echo
from protocol.errors import LineAbsent, LineClosed


@click.group("hands")
def command() -> None:
    """Hands for the bench: programs that do what a person would be asked. See `dealwire bench --hands`."""


@command.command("list")
def list_() -> None:
    """Every action that a hands program may be asked for, with its fields."""
    for name, action in hand_actions().items():
        fields = " ".join(f"{key}={field.default or '…'}" for key, field in action.doing.fields.items())
        echo(f"{name.ljust(16)} {action.kind.ljust(6)} {action.doing.device.ljust(17)} {fields}".rstrip())


@command.command("relay")
@click.argument("file", type=FILE)
def relay(file: Path) -> None:
    """Act by a serial relay board, as FILE says: which channel is pressed or switched for which action."""
    with contextlib.closing(RelayHands(load_relay(file))) as hands:
        serve(hands)


@command.command("socket")
@click.argument("address", metavar="PATH|tcp://HOST:PORT")
def socket_(address: str) -> None:
    """Pass the bench's lines on to hands that listen on a socket, such as those of `dealwire sim --hands PATH`."""
    with contextlib.closing(_connected(address)) as line, line.makefile("rw", encoding="utf-8", newline="\n") as other:
        for asks in sys.stdin:
            try:
                other.write(asks)
                other.flush()
                answer = other.readline()
            except OSError as error:
                raise LineClosed(address, error.strerror or str(error)) from error
            if not answer:
                raise LineClosed(address, "the hands at the other end left")
            sys.stdout.write(answer)
            sys.stdout.flush()


def _connected(address: str) -> socket.socket:
    """A connection; LineAbsent when nobody listens there, a usage error when it cannot be an address."""
    parts = urlsplit(address)
    try:
        if parts.scheme == "tcp":
            if not parts.hostname or parts.port is None:
                raise click.BadParameter(f"{address!r} is not of the form tcp://HOST:PORT", param_hint="ADDRESS")
            return socket.create_connection((parts.hostname, parts.port))
        found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            found.connect(os.fspath(Path(address)))
        except OSError:
            found.close()
            raise
    except OSError as error:
        raise LineAbsent(address, error.strerror or str(error)) from error
    return found
