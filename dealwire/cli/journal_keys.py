"""`dealwire journal key`: the key that seals the raw record."""

from pathlib import Path

import click

from dealwire.journal.sealing import SealingKey

FILE = click.Path(dir_okay=False, path_type=Path)


@click.group("key")
def key_commands() -> None:
    """Make the key that seals raw bytes at rest, or add a newer one. Keep it elsewhere than the journal."""


@key_commands.command("new")
@click.argument("file", type=FILE)
def new_command(file: Path) -> None:
    """Make the key FILE, which only its owner may read. Without it a sealed record cannot be read by anybody."""
    click.echo(f"{file}: key {SealingKey.new(file).id}; make a copy in a safe place")


@key_commands.command("rotate")
@click.argument("file", type=FILE)
def rotate_command(file: Path) -> None:
    """Add a newer key to the key FILE. It seals from the service's next start on; the older ones still open."""
    key = SealingKey.load(file).rotated()
    click.echo(
        f"{file}: key {key.id} seals from the next start on; {len(key.keys) - 1} older still open what they sealed"
    )


@key_commands.command("list")
@click.argument("file", type=FILE)
def list_command(file: Path) -> None:
    """Print the ids in the key FILE, oldest first. An id says nothing about its key."""
    for key_id, _ in SealingKey.load(file).keys:
        click.echo(key_id.hex())
