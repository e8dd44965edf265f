"""Command `dealwire witness`: follow the logs of tables at a broker, and cosign their checkpoints."""

import asyncio
import importlib.util
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from dealwire.cli.ending import soon
from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import A_FILE, FILE, FLAG, APath, Row, declared
from dealwire.cli.terminal import echo
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from dealwire.export.cosigning import LogWitness

STATE: Final = "witness.state"
FORKS: Final = "alarms"
_NAME: Final[Row] = ("--name", {"required": True, "metavar": "NAME"}, "Name of the witness, as its key has it.")
_FOLDER: Final[Row] = (
    "--state folder",
    {"type": APath(file_okay=False), "required": True, "metavar": "FOLDER"},
    "Folder of the witness's memory, at most 89 bytes a log.",
)


@click.group("witness")
def command() -> None:
    """Cosign the checkpoints of tables at a broker, and find a journal that was rewritten, forked or put back."""


@command.command("new")
@click.argument("file", type=FILE)
@declared(_NAME)
def new_command(file: Path, name: str) -> None:
    """Make the signing key FILE of a witness, readable only by its owner, and print its public half.

    The tables name what is printed as `key` in a part `[[journal.witness]]` of table.toml.
    """
    from dealwire.journal.signing import WITNESS_TYPE, SigningPair

    _check_name(name)
    echo(SigningPair.new(file).vkey(name, WITNESS_TYPE))


@command.command("run")
@declared(
    ("--mqtt", {"required": True, "metavar": "URL"}, "Broker: mqtt://[USER@]HOST[:PORT], or mqtts:// for TLS."),
    ("--mqtt-password-file", {"type": FILE}, "File with the password in its first line."),
    ("--mqtt-ca", {"type": FILE}, "CA certificates for mqtts://, PEM; by default those of the system."),
    ("--mqtt-cert", {"type": FILE}, "Client certificate, PEM."),
    ("--mqtt-key", {"type": FILE}, "Private key of --mqtt-cert, PEM."),
    ("--key key_file", {**A_FILE, "required": True}, "Signing key, of `dealwire witness new`."),
    _NAME,
    _FOLDER,
    ("--logs", {**A_FILE, "required": True}, "File with the keys of the logs, as `signer show --journal` prints them."),
    ("--table tables", {"multiple": True, "metavar": "SITE/TABLE"}, "Tables to follow, SITE/* for a site; else all."),
    ("--wait", FLAG, "Keep trying if the broker is absent at the start."),
)
def run_command(
    mqtt: str,
    mqtt_password_file: Path | None,
    mqtt_ca: Path | None,
    mqtt_cert: Path | None,
    mqtt_key: Path | None,
    key_file: Path,
    name: str,
    folder: Path,
    logs: Path,
    tables: tuple[str, ...],
    wait: bool,
) -> None:
    """Follow the logs of tables until SIGTERM or Ctrl-C, and cosign each checkpoint that only grew.

    What was seen is on the disk before a signature leaves. A log that contradicts it is never signed, and is an alarm.
    """
    _check_name(name)
    if importlib.util.find_spec("aiomqtt") is None:
        raise ExtraMissing("aiomqtt", "mqtt")
    from dealwire.cli.exporting import broker_by_options
    from dealwire.export.cosigning import LogWitness, WitnessIdentity
    from dealwire.journal.signing import SigningPair, read_vkeys

    broker = broker_by_options(mqtt, mqtt_password_file, ca_file=mqtt_ca, cert_file=mqtt_cert, key_file=mqtt_key)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    with _alone(folder):
        witness = LogWitness(
            broker,
            tables or ("+/+",),
            read_vkeys(logs),
            WitnessIdentity(name, SigningPair.load(key_file), folder / STATE),
            client=f"dealwire-witness/{name}",
            alarm=partial(_alarm, folder / FORKS),
            report=lambda text: echo(f"dealwire: {text}", err=True),
        )
        _follow(witness, wait=wait)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder: of two witnesses with one memory, each could sign another side of a fork."""
    import fcntl  # not on every system

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Stop(Exit.BUSY, f"{folder}: another witness uses it; each needs a folder of its own") from None
        yield
    finally:
        os.close(descriptor)


def _alarm(forks: Path, text: str) -> None:
    """Print an alarm, and keep it in the file of forks."""
    echo(f"dealwire: alarm: {text}", err=True)
    with forks.open("a", encoding="utf-8") as file:
        file.write(f"{text}\n")


def _follow(witness: "LogWitness", *, wait: bool) -> None:
    from dealwire.export.broker import BrokerUnusable

    async def go() -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, soon(stop.set))
        await witness.run(stop, wait=wait)

    try:
        asyncio.run(go())
    except BrokerUnusable as error:
        code = Exit.PERMISSION if error.refused else Exit.USAGE if error.usage else Exit.ABSENT
        raise Stop(code, str(error)) from None


@command.command("show")
@declared(_FOLDER)
def show_command(folder: Path) -> None:
    """Print the logs that a witness follows, with size and root, and the alarms. The exit code is 6 if there is one."""
    from dealwire.journal.witnessing import read_state

    for each in read_state(folder / STATE) if (folder / STATE).exists() else ():
        echo(f"{each.origin} {each.size} {each.root.hex()}")
    alarms = folder / FORKS
    if alarms.exists():
        for line in alarms.read_text(encoding="utf-8").splitlines():
            echo(f"alarm: {line}")
        raise Stop(Exit.PROTOCOL, f"{alarms}: a log contradicted what was seen")


def _check_name(name: str) -> None:
    from dealwire.journal.signing import is_key_name

    if not is_key_name(name):
        raise click.BadParameter(f"{name!r} has a space or a plus sign", param_hint="--name")
