"""`dealwire odds`: what every bet of a game returns, counted exactly."""

import json
import os
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import click

from dealwire.cli.options import cents, pairs
from dealwire.cli.terminal import ProgressLine, say_table
from rules.amounts import MOST_CENTS
from rules.game import load_game
from rules.odds import Question, odds


@click.command("odds")
@click.argument("game", metavar="GAME")
@click.option("--bet", default="", metavar="NAME", help="This bet only.")
@click.option("--paytable", default="", metavar="ID", help="This pay table only; all of them unless given.")
@click.option("--reading", "readings", multiple=True, metavar="NAME=OPTION", help="One reading; all unless given.")
@click.option("--meter", "meters", multiple=True, metavar="NAME=CENTS", help="A progressive meter as it stands.")
@click.option(
    "--wager",
    type=click.IntRange(1, MOST_CENTS),
    default=100,
    show_default=True,
    metavar="CENTS",
    help="The progressive wager.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per bet, pay table and reading.")
def command(
    game: str,
    bet: str,
    paytable: str,
    readings: tuple[str, ...],
    meters: tuple[str, ...],
    wager: int,
    as_json: bool,
) -> None:
    """Print the exact return and house edge of each bet of GAME, an id or a file.

    Nothing is sampled. Each pay table and each reading the text leaves open gives a line of its own, its default
    first. Bets decided by fold or play are answered for the best decision with every hand, which takes a while.
    """
    question = Question(
        load_game(game),
        pairs(readings, "--reading"),
        paytable,
        cents(meters),
        wager,
        os.cpu_count() or 1,
    )
    progress = ProgressLine()
    progress.show("counting ...")
    found = (each.to_dict() for each in odds(question, bet))
    if as_json:
        for each in found:
            click.echo(json.dumps(each))
    else:
        rows = list(_rows(found))
        progress.clear()
        say_table([("bet", "pay table", "reading", "returns %", "edge %", "remark"), *rows], frozenset({3, 4}))
    progress.clear()


def _rows(found: Iterator[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for each in found:
        reading = ", ".join(f"{name} {option}" for name, option in each["reading"].items())
        edge = each["house_edge_pct"]
        yield each["bet"], each["paytable"] or "", reading, f"{100 - edge:.4f}", f"{edge:.4f}", _remark(each)


def _remark(odds: dict[str, Any]) -> str:
    words = []
    if "loss_per_unit_pct" in odds and "hands_played" in odds:
        words.append(f"{odds['loss_per_unit_pct']:.4f} % of {odds['bet'].partition('+')[0]}")
        words.append(f"plays {odds['hands_played']:,} of {odds['hands']:,} hands")
    if "incomplete" in odds:
        words.append("without the meter")
    if "break_even_meter" in odds:
        words.append(f"even at a meter of {float(Fraction(odds['break_even_meter'])):,.2f} wagers")
    if "printed" in odds:
        words.append(f"prints an edge of {odds['printed']['house_edge_pct']} %")
    if "suspect" in odds:
        words.append(f"suspect: {odds['suspect']}")
    return "; ".join(words)
