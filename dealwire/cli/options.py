"""Options that several commands share, and how their values become objects."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from dealer_flow.procedure import load_procedure
from dealwire.live import Line
from dealwire.table import Table, Terms
from rules.game import load_game

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_GAME = "flushes-gone-wild.co"


def pairs(values: Sequence[str], option: str) -> dict[str, str]:
    """`name=value` options as a dictionary; a usage error names the one that has no `=`."""
    found = {}
    for value in values:
        name, equals, rest = value.partition("=")
        if not equals or not name or not rest:
            raise click.BadParameter(f"{value!r} is not of the form NAME=VALUE", param_hint=option)
        found[name] = rest
    return found


def table_options(command: F) -> F:
    """`--procedure --game --paytable --reading --no-settle --table`: what makes a `Table`."""
    for option in (
        click.option("--table", "table_name", default="table-1", show_default=True, help="Name in every result."),
        click.option("--no-settle", is_flag=True, help="Deal only; settle nothing."),
        click.option("--reading", "readings", multiple=True, metavar="NAME=OPTION", help="A reading of the rules."),
        click.option("--paytable", "paytables", multiple=True, metavar="BET=ID", help="A bet's pay table."),
        click.option("--game", "game", metavar="ID|FILE", help="Pay tables and bets; by default the procedure's own."),
        click.option(
            "--procedure",
            default=DEFAULT_GAME,
            show_default=True,
            metavar="ID|FILE",
            help="Dealing procedure.",
        ),
    ):
        command = option(command)
    return command


def make_table(
    procedure: str,
    game: str | None,
    paytables: Sequence[str],
    readings: Sequence[str],
    no_settle: bool,
    table_name: str,
) -> Table:
    """The table those options describe; every bad name or file is one line."""
    loaded = load_procedure(procedure)
    terms = None
    if not no_settle:
        terms = Terms(load_game(game or loaded.id), pairs(paytables, "--paytable"), pairs(readings, "--reading"))
    return Table(loaded, terms, name=table_name)


def line_options(command: F) -> F:
    """`--shuffler --controller`: the lines of a table."""
    for option in (
        click.option("--controller", metavar="ADDRESS", help="The table controller's line."),
        click.option("--shuffler", metavar="ADDRESS", help="The packet shuffler's line, such as /dev/ttyUSB0."),
    ):
        command = option(command)
    return command


def reconnect_option(command: F) -> F:
    """`--reconnect`: what happens when a line is lost."""
    return click.option(
        "--reconnect/--no-reconnect", default=True, show_default=True, help="Open a line that is lost again."
    )(command)


def lines_from(shuffler: str | None, controller: str | None) -> list[Line]:
    """The lines given; a usage error when there is none."""
    given = (("shuffler", "shuffler", shuffler), ("controller", "table-controller", controller))
    lines = [Line(name, device, address) for name, device, address in given if address is not None]
    if not lines:
        raise click.UsageError("no line given: use --shuffler ADDRESS, --controller ADDRESS or both")
    return lines
