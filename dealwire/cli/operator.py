"""Command `dealwire operator`: programs for `dealwire bench --operator-program`."""

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
    """Automate the manual steps of an acceptance test. Use these commands with `dealwire bench --operator-program`."""


@command.command("list")
def list_() -> None:
    """List every action of operator programs, with its fields."""
    for name, action in hand_actions().items():
        fields = " ".join(f"{key}={field.default or '…'}" for key, field in action.doing.fields.items())
        echo(f"{name.ljust(16)} {action.kind.ljust(6)} {action.doing.device.ljust(17)} {fields}".rstrip())


@command.command("relay")
@click.argument("file", type=FILE)
def relay(file: Path) -> None:
    """Act through a serial relay board. FILE says which channel is switched for which action."""
    with contextlib.closing(RelayHands(load_relay(file))) as hands:
        serve(hands)


@command.command("socket")
@click.argument("address", metavar="PATH|tcp://HOST:PORT")
def socket_(address: str) -> None:
    """Forward the bench's requests to an operator program that listens on a socket, such as `dealwire sim
    --operator-socket PATH`.
    """
    with contextlib.closing(_connected(address)) as line, line.makefile("rw", encoding="utf-8", newline="\n") as other:
        for asks in sys.stdin:
            try:
                other.write(asks)
                other.flush()
                answer = other.readline()
            except OSError as error:
                raise LineClosed(address, error.strerror or str(error)) from error
            if not answer:
                raise LineClosed(address, "the other end closed the connection")
            sys.stdout.write(answer)
            sys.stdout.flush()


def _connected(address: str) -> socket.socket:
    """Connect to a socket. Raise LineAbsent if nothing listens there, a usage error if it is not an address."""
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
