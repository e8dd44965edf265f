"""Command `dealwire house`: the posted rules of a house, in short and as the sign on the wall."""

from pathlib import Path

import click

from dealwire.cli.exits import BY_ERRNO, Exit, Stop
from dealwire.cli.options import FILE, FLAG, declared
from dealwire.cli.terminal import echo, say_object
from rules.house.load import load_house

SCHEMA = "dealwire.house-games/1"


@click.group("house")
def command() -> None:
    """Show the posted rules of a house, or print them as a sign.

    `dealwire check HOUSE.TOML` checks the file; `house` in a table.toml and the option --house apply it.
    """


@command.command("show")
@click.argument("file", type=FILE, metavar="HOUSE.TOML")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per game.")
def show(file: Path, as_json: bool) -> None:
    """List the games of HOUSE.TOML, and the hash by which rounds name the file."""
    house = load_house(file)
    for part in house.spec.game:
        bets = house.posted(part).bets
        words = bets.words() if bets is not None else ""
        if as_json:
            fields = {"procedure": part.procedure, "limits": words, "rake": part.rake, "jackpot": part.jackpot}
            say_object(SCHEMA, "game", house=house.spec.id, sha256=house.sha256, name=part.name, **fields)
        else:
            echo(f"{part.name}: {part.procedure}{words and f', {words}'}")
    if not as_json:
        echo(f"{house.spec.id}: SHA-256 {house.sha256}", err=True)


@command.command("sign")
@click.argument("file", type=FILE, metavar="HOUSE.TOML")
@declared(
    ("-o --output", {"type": FILE, "metavar": "OUTPUT", "required": True}, "File to write: a .html page or a .pdf."),
    ("--overwrite", FLAG, "Replace an existing file."),
)
def sign(file: Path, output: Path, overwrite: bool) -> None:
    """Write the sign for the wall: games, limits, rake, jackpots, and the house's options and readings.

    A PDF needs the extra `sheet`. The sign is made for paper of size A2 and can be read at three metres.
    """
    from dealwire.sheet.sign import sign_html, sign_pdf

    kind = output.suffix.lower()
    if kind not in (".html", ".pdf"):
        raise click.UsageError(f"-o: {output.name} must end in .html or .pdf")
    if output.exists() and not overwrite:
        raise Stop(Exit.USAGE, f"{output}: exists; --overwrite replaces it")
    house = load_house(file)
    content = sign_pdf(house) if kind == ".pdf" else sign_html(house).encode()
    try:
        output.write_bytes(content)
    except OSError as error:
        raise Stop(BY_ERRNO.get(error.errno or 0, Exit.USAGE), f"{output}: {error.strerror}") from error
    echo(f"{output}: the sign of {house.spec.title}", err=True)
