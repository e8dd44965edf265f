"""A play of a few lines in the words of `hand_table` and `told`, and the questions a test asks of its end."""

from __future__ import annotations

from dealer_flow.play.states import State
from tests.dealer_flow.test_told import GAMES
from tests.support.told import ToldTable


def play(game: str, lines: str, **options: str) -> ToldTable:
    """Each line in turn, separated by ` / `. `game` is a procedure's id or one of the small games."""
    table = ToldTable(GAMES.get(game, game), reads=False, shoe=True, **options)
    return go_on(table, lines)


def go_on(table: ToldTable, lines: str) -> ToldTable:
    """More lines at the same table."""
    table.play(lines.split(" / "))
    return table


def state(table: ToldTable) -> State:
    """Where the round stands."""
    return table.flow.state


def may(table: ToldTable) -> set[str]:
    """The events that may happen next."""
    return {item.event for item in table.flow.legal()}


def refused(table: ToldTable) -> list[tuple[str, str, bool]]:
    """Code and reason of each incident so far, and whether the round is spoilt by it."""
    return [(incident.code, incident.reason, incident.unreliable) for incident in table.incidents]
