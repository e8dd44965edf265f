"""Command `dealwire games`: dealing procedures as a table or as JSON, and one procedure or game as one file."""

import json
from collections.abc import Iterator
from typing import Any

import click

from dealer_flow.procedure.describe import describe
from dealer_flow.procedure.load import known_procedures, load_procedure, whole_text
from dealwire.cli.check import says_schema
from dealwire.cli.terminal import echo, echo_json, say_table
from rules.game.load import game_ids
from rules.game.whole import whole_game_text


@click.command("games")
@click.argument("procedures", nargs=-1, metavar="[PROCEDURE]...")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object per procedure, with steps, clauses and options."
)
@click.option("-v", "--verbose", is_flag=True, help="Print how each game is dealt: device, seats, cards and packets.")
@click.option(
    "--flatten", "whole", is_flag=True, help="Print one procedure or game with everything that it extends, as one file."
)
@click.option("--as-game", "pays", is_flag=True, help="With --flatten: print the game if a procedure has the same id.")
def command(procedures: tuple[str, ...], as_json: bool, verbose: bool, whole: bool, pays: bool) -> None:
    """List the games, or describe PROCEDUREs, ids or files.

    Numbers of cards are for all seats occupied and default options.
    """
    if whole:
        if len(procedures) != 1 or as_json:
            raise click.UsageError("--flatten prints one procedure or game, as TOML")
        of_game = pays or is_game_only(procedures[0])
        for line in (whole_game_text if of_game else whole_text)(procedures[0]).splitlines():
            echo(line)
        return
    if pays:
        raise click.UsageError("--as-game needs --flatten")
    found = [describe(load_procedure(name)) for name in procedures or known_procedures()]
    if as_json:
        for item in found:
            echo_json(json.dumps(item))
        return
    if verbose or procedures:
        for item in found:
            for line in _details(item):
                echo(line, hang=4)
        return
    say_table([(item["id"], item["title"]) for item in found], right=frozenset())


def is_game_only(name: str) -> bool:
    """Return True for the id or file of a game that is not also a procedure."""
    if name in known_procedures():
        return False
    return name in game_ids() or says_schema(name, "dealwire.game/")


def _recipient(name: str) -> str:
    """Return a recipient for a reader: `each seat`, `the dealer`, `the community`, or the hand's own name."""
    return {"seats": "each seat", "dealer": "the dealer", "community": "the community"}.get(name, name)


def _details(item: dict[str, Any]) -> Iterator[str]:
    """Describe in two lines how a game is dealt: device, seats, cards, packets, and the remainder."""
    cards = item["cards"]
    packets = ", ".join(f"{packet['cards']} to {_recipient(packet['to'])}" for packet in item["packets"])
    left = [f"{cards['remainder']} left"] if cards["remainder"] is not None else []
    yield f"{item['id']}  {item['title']}"
    facts = [item["device"].replace("-", " "), f"{item['seats']['most']} seats", f"{cards['loaded']} cards"]
    yield f"  {', '.join([*facts, *left])}{f': {packets}' if packets else ''}"
