"""`dealwire doctor`: what this machine lacks to talk to devices."""

import dataclasses
import json
import shutil

import click

from dealwire.cli.doctor_files import systemd_unit, udev_rules
from dealwire.cli.exits import Exit
from dealwire.host import check_all, ports

COLOURS = {"good": "green", "warning": "yellow", "bad": "red"}


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
@click.option("--udev", is_flag=True, help="Print udev rules for the adapters attached, and nothing else.")
@click.option(
    "--systemd",
    is_flag=True,
    help="Print a systemd unit that only records a table (`dealwire run --print-unit` serves one), and nothing else.",
)
@click.pass_context
def command(ctx: click.Context, as_json: bool, udev: bool, systemd: bool) -> None:
    """Check Python, packages, name collisions, libusb, ports and their permissions, latency timers, ModemManager.

    The exit code is 1 when something is bad; warnings do not change it.
    """
    if udev:
        click.echo(udev_rules(ports()), nl=False)
    if systemd:
        click.echo(systemd_unit(shutil.which("dealwire") or "/usr/local/bin/dealwire", ports()), nl=False)
    if udev or systemd:
        return
    bad = 0
    for finding in check_all():
        bad += finding.verdict == "bad"
        if as_json:
            click.echo(json.dumps({"schema": "dealwire.finding/1", "type": "finding", **dataclasses.asdict(finding)}))
            continue
        mark = click.style(f"{finding.verdict:<8}", fg=COLOURS[finding.verdict])
        click.echo(f"{mark} {finding.check:<13} {finding.text}")
        if finding.remedy:
            click.echo(f"{'':<23}{finding.remedy}")
    if bad:
        ctx.exit(Exit.CHECK_FAILED)
