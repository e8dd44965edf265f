"""A hand of a few lines in the language of `hand_table`, and a test's questions about its end."""

from __future__ import annotations

from dealer_flow.play.machine.states import State
from tests.dealer_flow.test_transcripts import GAMES
from tests.support.dealing.hand_table import HandTable


def play(game: str, lines: str, **options: str) -> HandTable:
    """Play each line in turn, separated by ` / `. `game` is a procedure's id or one of the small games."""
    table = HandTable(GAMES.get(game, game), **options)
    return go_on(table, lines)


def go_on(table: HandTable, lines: str) -> HandTable:
    """Play more lines at the same table."""
    for line in lines.split(" / "):
        table.say(line)
    return table


def state(table: HandTable) -> State:
    """Return the state of the round."""
    return table.flow.state


def may(table: HandTable) -> set[str]:
    """Return the events that may happen next."""
    return {item.event for item in table.flow.legal()}


def refused(table: HandTable) -> list[tuple[str, str, bool]]:
    """Return code and reason of each incident so far, and whether it makes the round unreliable."""
    return [(incident.code, incident.reason, incident.unreliable) for incident in table.incidents]
