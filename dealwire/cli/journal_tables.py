"""Which tables a journal is dealt again by: those of its own configuration, unless options say otherwise."""

from collections.abc import Callable, Collection
from typing import Any

import click
from click.core import ParameterSource

from dealwire.cli.options import make_table
from dealwire.journal.compare import DERIVED
from dealwire.journal.reader import JournalReader, Start
from dealwire.journal.rebuild import OutcomeTeller, Teller


def teller_maker(
    ctx: click.Context, reader: JournalReader, options: dict[str, Any]
) -> tuple[Callable[[Start], Teller], Collection[str]]:
    """What makes a table from its start, and the topics it gives again."""
    procedures = {line.table: line.procedure for line in reader.lines().values()}
    given = {name for name in options if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}

    def make(start: Start) -> Teller:
        chosen = dict(options, table_name=start.table)
        chosen["procedure"] = options["procedure"] or procedures.get(start.table)
        if "meters" not in given and "progressive" not in given:
            chosen["meters"] = [f"{name}={cents}" for name, cents in start.facts.get("meters", {}).items()]
        return OutcomeTeller(make_table(**chosen))

    return make, DERIVED
