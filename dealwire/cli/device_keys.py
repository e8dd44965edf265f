"""Commands `dealwire device pair` and `dealwire device keys`: the keys of sealed lines."""

import socket
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import FLAG, JSON_LINES, LINE_KEYS, SECONDS, Row, declared, usually
from dealwire.cli.terminal import echo, say_object
from dealwire.service.line_keys import HOST_FILE, NO_ATTESTATION, LineKeys, PairedDevice, ciphers, name_of, sealed_with
from devices.clock import Clock
from devices.drive.driving import open_device
from devices.drive.pairing import PATIENCE_S, pair_with
from devices.simulator.identity import Identity
from devices.simulator.line import SimulatedDevice, kind_at
from devices.transport.base import Transport
from devices.transport.opening import Opener
from protocol.errors import DealwireError, LineUnusable
from protocol.printable import printable
from protocol.tdp.messages import Role
from protocol.tdp.seal.words import BadCode, secret_of

SCHEMA: Final = "dealwire.device-keys/1"
FOLDER: Final = "line-keys"
_KEYS: Final[Row] = (
    "--keys folder",
    usually(FOLDER, LINE_KEYS),
    "Folder with the keys of sealed lines, or the table.toml that names it.",
)


def seal_of(folder: Path | None) -> Callable[[Transport, Clock], Transport] | None:
    """Return the function that seals a line with the keys in `folder`; None without one."""
    if folder is None:
        return None
    found = LineKeys.read(folder)
    return lambda inner, clock: sealed_with(found, clock)(inner)


@click.command("pair")
@click.argument("line", metavar="LINE")
@declared(
    ("--code", {"metavar": "CODE"}, "Code that the device shows; by default it is read from standard input."),
    (
        "--role",
        usually("operate", type=click.Choice([role.name.lower() for role in Role])),
        "Highest role that this host may have at the device.",
    ),
    ("--name", {"metavar": "NAME"}, "Name of this host, as the device keeps it; by default that of this machine."),
    (
        "--sas",
        usually("compare", type=click.Choice(["compare", "none"])),
        "`compare`: read from standard input what the device shows after the pairing; `none`: do not compare.",
    ),
    _KEYS,
    ("--timeout timeout_s", usually(PATIENCE_S, SECONDS, metavar="SECONDS"), "Time to wait for the device."),
    JSON_LINES,
)
def pair(
    line: str,
    code: str | None,
    role: str,
    name: str | None,
    sas: str,
    folder: Path,
    timeout_s: float,
    as_json: bool,
) -> None:
    """Pair this host with the device on LINE, for a sealed line.

    A person opens the device's door, has it show a code, and types the code here. Then both ends show a short string;
    the device's key is kept only if they are equal. The exit code is 6 if the device refuses, 1 if the strings differ.

    At `sim:DEVICE?identity=FILE` the simulated person does all that; FILE is made if it is absent.
    """
    wanted, simulated = Role[role.upper()], _simulated(line) if line.startswith("sim:") else None
    typed = simulated.show_code() if simulated is not None else code
    typed = typed if typed is not None else _typed("code that the device shows: ")
    try:
        secret_of(typed)
    except BadCode as error:
        raise Stop(Exit.USAGE, f"--code: {error}") from None
    found = LineKeys.read_or_make(folder)
    host = name if name is not None else socket.gethostname().partition(".")[0]
    opener = Opener(simulated.open) if simulated is not None else None
    paired = pair_with(line, ciphers(), found.own, typed, role=wanted, name=host, timeout_s=timeout_s, opener=opener)
    assert paired.hello is not None
    named = name_of(paired.hello)
    if sas == "compare":
        _compare(paired.short_string, named, simulated.short_string if simulated is not None else None)
    granted = wanted if simulated is not None else _granted(line, found, paired.device, wanted, timeout_s)
    today, less = datetime.now(UTC).date().isoformat(), wanted if granted is not wanted else None
    device = PairedDevice(named, paired.device, NO_ATTESTATION, granted, today, less)
    before = found.add(device)
    if before is not None and before.key != device.key:
        echo(f"{device.name}: this key is in the place of another, kept since {before.date}", err=True)
    if as_json:
        say_object(SCHEMA, "paired", **_facts(device), short_string=paired.short_string, host=found.id)
    else:
        echo(
            f"paired with {device.name}, role {_roles(device)}, short string {paired.short_string}; "
            f"its key is kept in {folder}"
        )


def _simulated(line: str) -> SimulatedDevice:
    """Return the simulated device at this address, with keys that are made if it has none yet."""
    identity = kind_at(line)[3]
    if not identity:
        raise LineUnusable(
            line, "a simulated device has keys in a file of its own: add identity=FILE, which is made if it is absent"
        )
    Identity.read_or_make(Path(identity))
    return SimulatedDevice(line)


def _granted(line: str, found: LineKeys, key: bytes, wanted: Role, timeout_s: float) -> Role | None:
    """Return the role that the device grants this host, which a person at the device may have limited; None if it does
    not answer."""
    try:
        with closing(
            open_device(
                line, role=wanted, timeout_s=timeout_s, seal=lambda inner, clock: sealed_with(found, clock, key)(inner)
            )
        ) as device:
            return device.role
    except DealwireError as error:
        echo(f"the role that the device grants is not known: {error}", err=True)
        return None


@click.group("keys")
def keys() -> None:
    """List, forget and renew the keys of sealed lines."""


@keys.command("list")
@declared(_KEYS, JSON_LINES)
def list_keys(folder: Path, as_json: bool) -> None:
    """Print this host's key id, and each paired device with its public key and the role that it grants this host."""
    found = LineKeys.read(folder)
    if as_json:
        say_object(SCHEMA, "host", id=found.id)
        for device in found.devices.values():
            say_object(SCHEMA, "device", **_facts(device))
        return
    count = len(found.devices)
    echo(f"this host: key {found.id}, {count} paired device{'' if count == 1 else 's'}")
    for device in found.devices.values():
        echo(f"{device.name}  {device.key.hex()}  {_roles(device)}  {device.date}")


@keys.command("forget")
@click.argument("device", metavar="DEVICE")
@declared(_KEYS)
def forget_key(device: str, folder: Path) -> None:
    """Forget the key of DEVICE, given by its name in the list or by its serial number.

    The device itself remembers this host until a person has it forget its hosts, with its door open.
    """
    found = LineKeys.read(folder)
    gone = found.forget(device)
    if gone is None:
        known = ", ".join(each.name for each in found.devices.values()) or "none"
        raise Stop(Exit.USAGE, f"{folder}: {device!r} does not name one paired device; paired: {known}")
    echo(f"forgot {gone.name}")


@keys.command("rotate")
@declared(("--yes", FLAG, "Do not ask."), _KEYS)
def rotate_keys(yes: bool, folder: Path) -> None:
    """Make a new key for this host. Every device must be paired again: no device knows the new key.

    This is also the way back from a lost or stolen host: at each device a person opens the door, has it forget its
    hosts, and pairs it with the new key.
    """
    if not yes and not (folder / HOST_FILE).exists():
        raise Stop(Exit.USAGE, f"{folder / HOST_FILE}: no key is there to renew; --yes makes the first one")
    found = LineKeys.read_or_make(folder) if yes else LineKeys.read(folder)
    if not yes and _typed(f"{len(found.devices)} devices must then be paired again; go on (y/n)? ").lower() != "y":
        raise Stop(Exit.USAGE, "nothing was changed")
    for device in found.rotate():
        echo(f"pair again: {device.name}")
    echo(f"this host: key {found.id}")


def _facts(device: PairedDevice) -> dict[str, object]:
    wanted = device.wanted if device.wanted is not None else device.role
    return {
        "device": device.name,
        "key": device.key.hex(),
        "role": _word(device.role),
        "wanted": _word(wanted),
        "date": device.date,
    }


def _word(role: Role | None) -> str | None:
    return role.name.lower() if role is not None else None


def _roles(device: PairedDevice) -> str:
    """Return the role that the device grants, and the one that was wanted if that is another."""
    granted = _word(device.role) or "not known"
    return granted if device.wanted is None else f"{granted} (wanted {_word(device.wanted)})"


def _compare(short_string: str, device: str, shown: str | None = None) -> None:
    """Compare with what the device shows: `shown`, or what a person types. Stop if it differs: then nothing is kept
    here."""
    echo(f"short string at this end: {short_string}", err=True)
    undone = "nothing was kept, and the device must forget its hosts"
    typed = shown if shown is not None else _typed("short string that the device shows: ", undone)
    if "".join(typed.split()).replace("-", "").upper() != short_string.replace("-", ""):
        raise Stop(
            Exit.CHECK_FAILED,
            f"{device}: the short strings differ, so someone is in between; nothing was kept, "
            "and the device must forget its hosts",
        )


def _typed(prompt: str, undone: str = "nothing was changed") -> str:
    """Return a line from standard input. `undone`: what holds if there is none."""
    if sys.stdin is None:
        raise Stop(Exit.USAGE, "standard input is closed; give the code with --code")
    if sys.stdin.isatty():
        click.echo(f"{printable(prompt)}", nl=False, err=True)
    line = sys.stdin.readline()
    if not line:
        raise Stop(Exit.USAGE, f"standard input ended; {undone}")
    return line.strip()
