"""Options that several commands share, and how their values become objects."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import click

from dealer_flow.procedure import load_procedure
from dealwire.live import Line
from dealwire.table import Table, Terms
from devices.dialects import dialect_named
from rules.game import Game, load_game

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


def terms_options(command: F) -> F:
    """`--game --paytable --reading --meter --token --envy-base`: on which terms a round is settled."""
    for option in (
        click.option(
            "--envy-base",
            "envy_base",
            type=click.IntRange(1),
            default=100,
            show_default=True,
            metavar="CENTS",
            help="The progressive wager for which the printed envy amounts stand.",
        ),
        click.option(
            "--token",
            type=click.IntRange(1),
            default=25,
            show_default=True,
            metavar="CENTS",
            help="The smallest token: house pays are rounded down to it.",
        ),
        click.option(
            "--meter", "meters", multiple=True, metavar="NAME=CENTS", help="A progressive meter as it stands now."
        ),
        click.option("--reading", "readings", multiple=True, metavar="NAME=OPTION", help="A reading of the rules."),
        click.option("--paytable", "paytables", multiple=True, metavar="BET=ID", help="A bet's pay table."),
        click.option("--game", metavar="ID|FILE", help="Pay tables and bets; by default the procedure's own."),
    ):
        command = option(command)
    return command


def make_terms(
    game: Game, *, paytables: Sequence[str], readings: Sequence[str], meters: Sequence[str], token: int, envy_base: int
) -> Terms:
    """The terms those options describe, without their game."""
    return Terms(
        game,
        pairs(paytables, "--paytable"),
        pairs(readings, "--reading"),
        {name: _cents(value) for name, value in pairs(meters, "--meter").items()},
        token,
        envy_base,
    )


def _cents(value: str) -> int:
    if not value.isdecimal():
        raise click.BadParameter(f"{value!r} is no number of cents", param_hint="--meter")
    return int(value)


def table_options(command: F) -> F:
    """`--procedure --table --no-settle` and the terms: what makes a `Table`."""
    for option in (
        click.option("--table", "table_name", default="table-1", show_default=True, help="Name in every result."),
        terms_options,
        click.option("--no-settle", is_flag=True, help="Deal only; settle nothing."),
        click.option(
            "--procedure",
            metavar="ID|FILE",
            help=f"Dealing procedure; by default the one a recording names, else {DEFAULT_GAME}.",
        ),
    ):
        command = option(command)
    return command


def make_table(procedure: str | None, game: str | None, no_settle: bool, table_name: str, **terms: Any) -> Table:
    """The table those options describe; every bad name or file is one line."""
    loaded = load_procedure(procedure or DEFAULT_GAME)
    made = None if no_settle else make_terms(load_game(game or loaded.id), **terms)
    return Table(loaded, made, name=table_name)


def line_options(command: F) -> F:
    """`--shuffler --shoe --shoe-dialect --controller`: the table's lines, handed to the command as `lines`."""

    @wraps(command)
    def with_lines(
        *args: Any,
        shuffler: str | None,
        shoe: str | None,
        shoe_dialect: str,
        controller: str | None,
        **rest: Any,
    ) -> Any:
        given = (
            Line("shuffler", "shuffler", shuffler or ""),
            Line("shoe", "shoe", shoe or "", dialect_named(shoe_dialect).name),
            Line("controller", "table-controller", controller or ""),
        )
        lines = [line for line in given if line.address]
        if not lines:
            raise click.UsageError("no line given: use --shuffler, --shoe or --controller with an ADDRESS, or several")
        return command(*args, lines=lines, **rest)

    for option in (
        click.option("--controller", metavar="ADDRESS", help="The table controller's line."),
        click.option(
            "--shoe-dialect",
            default="tdp",
            show_default=True,
            metavar="NAME",
            help="What the shoe speaks: tdp, angel-eye, bee-tek or an added one.",
        ),
        click.option("--shoe", metavar="ADDRESS", help="The card shoe's line."),
        click.option("--shuffler", metavar="ADDRESS", help="The packet shuffler's line, such as /dev/ttyUSB0."),
    ):
        with_lines = option(with_lines)
    return cast(F, with_lines)
