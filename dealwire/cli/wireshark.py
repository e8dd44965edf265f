"""`dealwire wireshark`: the dissector and the interfaces, put where Wireshark looks for them."""

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
    help="Wireshark's personal folder; else the one that Wireshark of this machine names.",
)


@click.group("wireshark")
def command() -> None:
    """Put the dissector and the interfaces where Wireshark looks for them."""


@command.command("install")
@_FOLDER
@click.option("--remove", is_flag=True, help="Take them away again.")
def install(folder: Path | None, remove: bool) -> None:
    """Install the dissector and the interfaces for the user who asks. A file that is not ours stays as it is."""
    for piece in pieces(folder):
        if remove:
            before = piece.remove()
            echo(f"{'was not there' if before is Installed.ABSENT else 'removed':<13} {piece.what}: {piece.path}")
        else:
            before = piece.install()
            done = {Installed.ABSENT: "installed", Installed.CURRENT: "is current"}.get(before, "renewed")
            echo(f"{done:<13} {piece.what}: {piece.path}")
    if not remove:
        echo(f"Colours, to be imported in View, Coloring Rules: {HERE / 'dealwire.colorfilters'}")


@command.command("status")
@_FOLDER
@click.pass_context
def status(ctx: click.Context, folder: Path | None) -> None:
    """Say what is installed and where. Exit code 1 when something is not, or is another version."""
    found = pieces(folder)
    for piece in found:
        echo(f"{piece.state:<15} {piece.what}: {piece.path}")
    ctx.exit(Exit.GOOD if all(piece.state is Installed.CURRENT for piece in found) else Exit.CHECK_FAILED)
