"""Which tables a journal is dealt again by: those of its own configuration, unless options say otherwise."""

import importlib
import importlib.util
from collections.abc import Callable, Collection
from typing import Any, Final

import click
from click.core import ParameterSource

from dealwire.cli.options import make_table
from dealwire.journal.compare import DERIVED
from dealwire.journal.reader import JournalReader, Start
from dealwire.journal.rebuilding import OutcomePublisher, Publishes

SERVICE: Final = "dealwire.service.factory"
"""The module whose `Maker` knows the configuration of a table service; it also publishes every report."""


def publisher_maker(
    ctx: click.Context, reader: JournalReader, options: dict[str, Any]
) -> tuple[Callable[[Start], Publishes], Collection[str]]:
    """What makes a table from its start, and the topics it gives again.

    The service's own maker where the journal is a service's and no option of a table was given.
    """
    given = {name for name in options if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    of_service = all(start.configuration.startswith("{") for start in reader.starts(stopped=True).values())
    if of_service and not given and importlib.util.find_spec(SERVICE) is not None:
        maker: Callable[[Start], Publishes] = importlib.import_module(SERVICE).Maker(reader.path)
        return maker, DERIVED | {"event"}
    procedures = {line.table: line.procedure for line in reader.lines().values()}

    def make(start: Start) -> Publishes:
        chosen = dict(options, table_name=start.table)
        chosen["procedure"] = options["procedure"] or procedures.get(start.table)
        if not given & {"meters", "progressive"}:
            chosen["meters"] = [f"{name}={cents}" for name, cents in start.facts.get("meters", {}).items()]
        return OutcomePublisher(make_table(**chosen))

    return make, DERIVED
