"""`dealwire doctor`: what this machine lacks to talk to devices."""

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import click

from dealwire.cli.exits import Exit
from dealwire.cli.options import FILE
from dealwire.cli.run import printed
from dealwire.cli.terminal import echo, echo_json
from dealwire.config.load import load_configuration
from dealwire.host import HostFinding, check_all, ports
from dealwire.journal.errors import KeyProblem
from dealwire.service.seals import load_seal, seal_in_words
from protocol.printable import printable

RULES_PATH = "/etc/udev/rules.d/70-dealwire.rules"
GROUP = "dialout"
COLOURS = {"good": "green", "warning": "yellow", "bad": "red"}


@click.command("doctor")
@click.argument("file", required=False, type=FILE, metavar="[TABLE.TOML]")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
@click.option("--udev", is_flag=True, help="Print udev rules for the adapters attached, and nothing else.")
@click.option(
    "--systemd",
    is_flag=True,
    help="Print a systemd unit that only records a table (`dealwire run --print-unit` serves one), and nothing else.",
)
@click.pass_context
def command(ctx: click.Context, /, file: Path | None, as_json: bool, udev: bool, systemd: bool) -> None:
    """Check Python, packages, name collisions, libusb, ports and their permissions, latency timers, ModemManager.

    With TABLE.TOML also what seals its journal.

    The exit code is 1 when something is bad; warnings do not change it.
    """
    if udev:
        click.echo(udev_rules(ports()), nl=False)
    if systemd:
        click.echo(systemd_unit(ports()), nl=False)
    if udev or systemd:
        return
    bad = 0
    for finding in chain(check_all(), _seal(file)):
        bad += finding.verdict == "bad"
        if as_json:
            echo_json(json.dumps({"schema": "dealwire.finding/1", "type": "finding", **dataclasses.asdict(finding)}))
            continue
        click.secho(f"{printable(finding.verdict):<8} ", fg=COLOURS[finding.verdict], nl=False)
        echo(f"{finding.check:<13} {finding.text}")
        if finding.remedy:
            echo(f"{'':<23}{finding.remedy}")
    if bad:
        ctx.exit(Exit.CHECK_FAILED)


def _seal(file: Path | None) -> Iterator[HostFinding]:
    """Who can read the faces in the journal of a table."""
    if file is None:
        return
    found = load_configuration(file)
    try:
        seal = load_seal(found.journal)
    except KeyProblem as problem:
        yield HostFinding("journal", "bad", str(problem), "dealwire journal auditor new PRIVATE.key PUBLIC.key")
        return
    remedy = "" if seal is not None else "name auditor-key-file or key-file in [journal]"
    yield HostFinding("journal", "warning" if seal is None else "good", seal_in_words(found.journal), remedy)


def udev_rules(ports: Sequence[Mapping[str, str]]) -> str:
    """One rule for each USB adapter in `ports` (as `dealwire.host.ports` gives them): its group, ModemManager told to
    leave it alone, and no waiting in an FTDI adapter. Without any adapter, nothing but the comment."""
    lines = [f"# Written by `dealwire doctor --udev`. Save as {RULES_PATH}, then: udevadm control --reload"]
    for port in ports:
        vendor, _, product = port.get("usb", "").partition(":")
        if not product:
            continue
        match = [f'ATTRS{{idVendor}}=="{vendor}"', f'ATTRS{{idProduct}}=="{product}"']
        # A serial number from a device must not end the rule it is written into.
        serial = port.get("serial", "")
        if serial and serial.isprintable() and '"' not in serial and "\\" not in serial:
            match.append(f'ATTRS{{serial}}=="{serial}"')
        rule = ", ".join(['SUBSYSTEM=="tty"', *match, f'GROUP="{GROUP}"', 'MODE="0660"', 'TAG+="uaccess"'])
        lines.append(f'{rule}, ENV{{ID_MM_DEVICE_IGNORE}}="1"')
        if vendor == "0403":
            lines.append(
                'SUBSYSTEM=="usb-serial", DRIVER=="ftdi_sio", ' + ", ".join(match) + ', ATTR{latency_timer}="1"'
            )
    return "\n".join(lines) + "\n"


def systemd_unit(ports: Sequence[Mapping[str, str]]) -> str:
    """A template unit that records one table, `dealwire-record@TABLE.service`, from the first adapter that has a serial
    number."""
    serials = (port.get("serial", "") for port in ports)
    # What a device calls itself must not become another line of the unit, or mean something in it.
    serial = next((each for each in serials if re.fullmatch(r"[A-Za-z0-9._:-]+", each)), "SERIAL")
    return printed("dealwire-record@.service").replace("serial-id:SERIAL", f"serial-id:{serial}")
