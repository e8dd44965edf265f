"""Command `dealwire convert`: convert game files of an earlier format version."""

import os
from collections.abc import Iterator
from pathlib import Path

import click

from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import APath
from dealwire.cli.terminal import echo
from protocol.tomlfile import TomlFileError
from rules.game.convert import CONVERTED, Conversion, converted
from rules.game.layers import GAME_SCHEMA


@click.command("convert")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=APath())
@click.option("--to", "folder", type=APath(), help="Write the converted files to this folder.")
@click.option("--in-place", is_flag=True, help="Replace each file.")
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...], folder: Path | None, in_place: bool) -> None:
    """Convert game FILEs of an earlier format version. Entries that moved elsewhere are removed; comments stay.

    For each file the SHA-256 that results name is printed, before and after. With --to, pay tables and rankings next to
    FILE are copied too, and no existing file is replaced. Nothing is written if any FILE has an error. The exit code is
    1 if a wagering rule was removed that no procedure of the game contains.
    """
    if (folder is None) != in_place:
        raise click.UsageError("use --to FOLDER or --in-place")
    found = [(file, converted(file)) for file in files]
    made = [(file, new) for file, new in found if new is not None]
    texts: dict[Path, str] = {}
    for file, new in made:
        for target, text in _written(file, new, folder):
            if folder is not None and target.exists() and not _says(target, text):
                raise Stop(Exit.USAGE, f"{target} exists, and is not replaced")
            texts[target] = text
    for target, text in texts.items():
        _write(target, text)
    for file, each in found:
        for line in _report(file, each, folder):
            echo(line)
        for line in each.unsaid if each is not None else ():
            echo(f"{file}: {line}", err=True)
    if any(new.unsaid for _, new in made):
        ctx.exit(Exit.CHECK_FAILED)


def _written(file: Path, new: Conversion, folder: Path | None) -> Iterator[tuple[Path, str]]:
    """Yield each file that a conversion writes, and its text."""
    if folder is None:
        yield file, new.text
        return
    yield folder / file.name, new.text
    for kind, names in (("paytables", new.game.paytables), ("rankings", new.game.named)):
        for name in names:
            beside = file.parent / kind / f"{name}.toml"
            if beside.is_file():
                yield folder / kind / beside.name, beside.read_text(encoding="utf-8")


def _says(path: Path, text: str) -> bool:
    """Return True if the file already has this content."""
    return path.is_file() and path.read_bytes() == text.encode()


def _write(path: Path, text: str) -> None:
    """Replace a file atomically: after a power cut it has the old content or the new."""
    beside = path.with_name(f".{path.name}-new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        raise TomlFileError(path, None, "", f"cannot be written: {error.strerror}") from error


def _report(file: Path, new: Conversion | None, folder: Path | None) -> Iterator[str]:
    if new is None:
        yield f"{file}: {GAME_SCHEMA} already, not changed"
        return
    yield f"{file}: {CONVERTED}, now {GAME_SCHEMA}{f' in {folder / file.name}' if folder is not None else ''}"
    yield f"  before: {new.before}"
    yield f"  after:  {new.after}"
    yield from (f"  {change}" for change in new.changes)
