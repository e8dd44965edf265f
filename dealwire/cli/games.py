"""`dealwire games`: every dealing procedure, as a table or as data; one of them as one file."""

import json
from typing import Any

import click

from dealer_flow.procedure.describe import describe
from dealer_flow.procedure.load import known_procedures, load_procedure, whole_text
from dealwire.cli.terminal import echo, echo_json, say_table


@click.command("games")
@click.argument("procedures", nargs=-1, metavar="[PROCEDURE]...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per procedure, with steps, clauses, options.")
@click.option("--whole", is_flag=True, help="The file of one procedure with all that it stands on, as one file.")
def command(procedures: tuple[str, ...], as_json: bool, whole: bool) -> None:
    """List how games are dealt: PROCEDUREs by id or file, all that come with this program unless given.

    Cards are counted at the most seats and under the defaults of the options.
    """
    if whole:
        if len(procedures) != 1 or as_json:
            raise click.UsageError("--whole writes one PROCEDURE out, as TOML")
        for line in whole_text(procedures[0]).splitlines():
            echo(line)
        return
    found = [describe(load_procedure(name)) for name in procedures or known_procedures()]
    if as_json:
        for item in found:
            echo_json(json.dumps(item))
        return
    say_table([_row(item) for item in found], right=frozenset({3}))


def _row(item: dict[str, Any]) -> tuple[str, ...]:
    cards = item["cards"]
    packets = ", ".join(f"{packet['cards']} {packet['to']}" for packet in item["packets"])
    rest = f"{cards['remainder']} left" if cards["remainder"] is not None else ""
    seats = f"{item['seats']['most']} seats"
    return (item["id"], item["title"], item["device"], seats, f"{cards['loaded']} cards", packets, rest)
