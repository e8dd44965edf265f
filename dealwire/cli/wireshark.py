"""Command `dealwire wireshark`: install the dissector and the capture interfaces."""

from pathlib import Path
from typing import Final

import click

from dealwire.cli.exits import Exit
from dealwire.cli.options import APath
from dealwire.cli.terminal import echo
from dealwire.wireshark.folders import HERE, Installed, pieces

_FOLDER: Final = click.option(
    "--personal-folder",
    "folder",
    metavar="DIR",
    type=APath(file_okay=False),
    help="Personal folder of Wireshark; by default the one that the installed Wireshark reports.",
)


@click.group("wireshark")
def command() -> None:
    """Install the Wireshark dissector and capture interfaces, or show their status."""


@command.command("install")
@_FOLDER
@click.option("--remove", is_flag=True, help="Remove them.")
def install(folder: Path | None, remove: bool) -> None:
    """Install the dissector and the capture interfaces for the current user. A file that is not from dealwire stays as
    it is."""
    for piece in pieces(folder):
        if remove:
            before = piece.remove()
            echo(f"{'not installed' if before is Installed.ABSENT else 'removed':<13} {piece.what}: {piece.path}")
        else:
            before = piece.install()
            done = {Installed.ABSENT: "installed", Installed.CURRENT: "up to date"}.get(before, "updated")
            echo(f"{done:<13} {piece.what}: {piece.path}")
    if not remove:
        echo(f"Colors, to import in View > Coloring Rules: {HERE / 'dealwire.colorfilters'}")


@command.command("status")
@_FOLDER
@click.pass_context
def status(ctx: click.Context, folder: Path | None) -> None:
    """Show what is installed, and where. The exit code is 1 if a part is missing or is of another version."""
    found = pieces(folder)
    for piece in found:
        echo(f"{piece.state:<15} {piece.what}: {piece.path}")
    ctx.exit(Exit.GOOD if all(piece.state is Installed.CURRENT for piece in found) else Exit.CHECK_FAILED)
