"""Command `dealwire witness`: follow the logs of tables at a broker, and cosign their checkpoints."""

import asyncio
import hashlib
import importlib.util
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
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
LOOK_S: Final = 0.05
"""Seconds between two attempts to hold a folder."""
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
    from dealwire.journal.signing import SigningPair, read_log_keys

    broker = broker_by_options(mqtt, mqtt_password_file, ca_file=mqtt_ca, cert_file=mqtt_cert, key_file=mqtt_key)
    _make(folder)
    with alone_with(folder, patience_s=0):
        alarms = _Alarms(folder)
        try:
            witness = LogWitness(
                broker,
                tables or ("+/+",),
                read_log_keys(logs),
                WitnessIdentity(name, SigningPair.load(key_file), folder / STATE),
                client=f"dealwire-witness/{name}",
                alarm=alarms.add,
                report=_report,
                evidence=alarms.prove,
            )
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--table") from None
        _follow(witness, wait=wait)


def _make(folder: Path) -> None:
    from dealwire.journal.errors import KeyProblem

    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise KeyProblem(folder, f"cannot be made: {error.strerror}") from error


def _report(text: str) -> None:
    echo(f"dealwire: {text}", err=True)


@contextmanager
def alone_with(folder: Path, patience_s: float) -> Iterator[None]:
    """Hold the folder of a memory: of two witnesses with one memory, each could sign another side of a fork. Wait for
    `patience_s`, then raise Stop. KeyProblem if the folder cannot be opened."""
    from dealwire.journal.errors import KeyProblem

    try:
        import fcntl
    except ImportError:  # not on every system
        yield
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise KeyProblem(folder, f"cannot be used: {error.strerror}") from error
    pauses = round(patience_s / LOOK_S)
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not pauses:
                    why = f"{folder}: another witness uses it; each needs a folder of its own"
                    raise Stop(Exit.BUSY, why) from None
            pauses -= 1
            threading.Event().wait(LOOK_S)
        yield
    finally:
        os.close(descriptor)


class _Alarms:
    """Alarms of a witness: printed, and kept in its folder. A disk that takes none ends nothing; they are written with
    the next one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._unwritten = ""

    def add(self, text: str) -> None:
        """Print an alarm, and keep it."""
        echo(f"dealwire: alarm: {text}", err=True)
        self._unwritten += f"{text}\n"
        try:
            with (self._folder / FORKS).open("a", encoding="utf-8") as file:
                file.write(self._unwritten)
            self._unwritten = ""
        except OSError as error:
            _report(f"{self._folder / FORKS}: the alarm cannot be kept: {error.strerror}")

    def prove(self, evidence: str) -> None:
        """Keep the evidence of a fork, in a file of its own."""
        data = evidence.encode()
        path = self._folder / f"fork-{hashlib.sha256(data).hexdigest()[:16]}"
        try:
            path.write_bytes(data)
        except OSError as error:
            _report(f"{path}: the evidence cannot be kept: {error.strerror}")


def _follow(witness: "LogWitness", *, wait: bool) -> None:
    from dealwire.export.broker import BrokerUnusable
    from dealwire.export.lasting import lasting

    async def go() -> None:
        stop, waits = asyncio.Event(), wait

        async def work(stop: asyncio.Event) -> None:
            nonlocal waits
            now, waits = waits, True
            await witness.run(stop, wait=now)

        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, soon(stop.set))
        await lasting(work, stop, _report, raises=BrokerUnusable)

    try:
        asyncio.run(go())
    except BrokerUnusable as error:
        code = Exit.PERMISSION if error.refused else Exit.USAGE if error.usage else Exit.ABSENT
        raise Stop(code, str(error)) from None


@command.command("show")
@declared(_FOLDER)
def show_command(folder: Path) -> None:
    """Print the logs that a witness follows, with size and root, and the alarms. The exit code is 6 if there is one."""
    from dealwire.journal.errors import KeyProblem
    from dealwire.journal.witnessing import read_state

    if not folder.is_dir():  # nothing printed would read as no alarm
        raise Stop(Exit.USAGE, f"{folder}: there is no such folder")
    for each in read_state(folder / STATE) if (folder / STATE).exists() else ():
        echo(f"{each.origin} {each.size} {each.root.hex()}")
    alarms = folder / FORKS
    try:
        text = alarms.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return
    except OSError as error:
        raise KeyProblem(alarms, f"cannot be read: {error.strerror}") from error
    for line in text.splitlines():
        echo(f"alarm: {line}")
    raise Stop(Exit.PROTOCOL, f"{alarms}: a log contradicted what was seen")


def _check_name(name: str) -> None:
    from dealwire.journal.signing import is_key_name

    if not is_key_name(name):
        raise click.BadParameter(f"{name!r} has a space or a plus sign", param_hint="--name")
