"""Choices for a table: procedures by a part of their name, the game that settles, readings, pay tables."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, NamedTuple

from dealer_flow.editions import edition_ids, load_edition
from dealer_flow.english import dollars
from dealer_flow.procedure.load import Procedure, known_procedures, load_procedure
from protocol.nearest import nearest
from rules.game.load import Game, games_of, load_game
from rules.game.readings import READINGS
from rules.paytables.paytable import PayTable

DEALT_FROM: Final = {"packet-shuffler": "a packet shuffler", "card-shoe": "a card shoe", "hand": "the dealer's hand"}
LEAST_LETTERS: Final = 3


class Choice(NamedTuple):
    """A value that can be chosen. `text` explains it; `suspect` says why the printed text appears to be a misprint."""

    value: str
    text: str = ""
    suspect: str = ""


class Ambiguity(NamedTuple):
    """A point that a text leaves open."""

    name: str
    default: str
    choices: tuple[Choice, ...]
    because: str
    """Reason that the text leaves it open."""
    clause: str = ""
    against: str = ""
    """Argument against the default."""


@cache
def procedures() -> dict[str, Procedure]:
    """Return every procedure of this program by its id."""
    return {name: load_procedure(name) for name in known_procedures()}


def search(text: str) -> list[Procedure]:
    """Return the procedures whose id or title has every word of `text`; exactly one for an id. Empty if none has."""
    wanted = text.strip().lower()
    if wanted in procedures():
        return [procedures()[wanted]]
    words = wanted.replace("'", "").split()
    return [one for one in procedures().values() if words and all(word in _searched(one) for word in words)]


def suggestion(text: str) -> str:
    """Return ` (did you mean X?)` for a name that nothing matches; empty if nothing is near."""
    if len(text.strip()) < LEAST_LETTERS:
        return ""
    titles = {one.title: one.id for one in procedures().values()}
    found = nearest(text.strip(), [*procedures(), *titles, *{title.split()[0] for title in titles}])
    return f" (did you mean {found}?)" if found else ""


def named(procedure: Procedure) -> str:
    """Return a procedure as one line for a reader."""
    return f"{procedure.title}, {procedure.jurisdiction.partition(',')[0]}, from {DEALT_FROM[procedure.device]}"


def games(procedure: Procedure) -> list[Game]:
    """Return the games that settle rounds of a procedure, the one of its own id first."""
    return [load_game(name) for name in games_of(procedure.id)]


def editions(procedure: Procedure) -> list[Choice]:
    """Return the editions of the regulation that a table with this procedure can deal by."""
    found = [load_edition(name) for name in edition_ids()]
    return [Choice(each.id, f"{each.part.title}, {each.days()}") for each in found if each.of(procedure.jurisdiction)]


def options(procedure: Procedure, game: Game | None) -> list[Ambiguity]:
    """Return the options of a procedure; one that decides the game has only the values of this game."""
    ours = game.spec.options if game is not None else {}
    return [
        Ambiguity(
            one.name,
            ours[one.name][0] if one.name in ours else one.default,
            tuple(Choice(value) for value in ours.get(one.name, one.allowed)),
            one.reason,
        )
        for one in procedure.option
    ]


def readings(game: Game) -> list[Ambiguity]:
    """Return the readings that a game leaves open."""
    return [
        Ambiguity(
            name,
            one.default,
            tuple(Choice(value, text, one.suspect.get(value, "")) for value, text in READINGS[name].items()),
            one.because,
            one.clause,
            one.against,
        )
        for name, one in game.spec.readings.items()
    ]


def paytables(game: Game, chosen: dict[str, str]) -> dict[str, list[Choice]]:
    """Return bet -> its pay tables under the chosen readings, for bets that have several; the default is the first."""
    found = {bet.name: game.paytables_under(bet.name, chosen) for bet in game.spec.bets}
    return {
        bet: [Choice(name, rows_of(game.paytables[name]), game.paytables[name].suspect) for name in names]
        for bet, names in found.items()
        if len(names) > 1
    }


def rows_of(table: PayTable) -> str:
    """Return the rows of a pay table as one line: `straight flush 40 to 1 (envy $300), ...`. The envy pay is shown
    because it may be all that two tables differ in."""
    return ", ".join(
        f"{row.when} {table.paid(row).words}" + (f" (envy {dollars(row.envy_cents)})" if row.envy_cents else "")
        for row in table.rows
    )


def meters_that_pay(game: Game, paytable: str) -> list[str]:
    """Return the meters that rows of a pay table pay from."""
    return sorted({row.pays.meter for row in game.paytables[paytable].rows if row.pays.meter})


def sound(choices: Iterable[Choice], accept_suspect: bool) -> Sequence[Choice]:
    """Return the choices that settle without `accept-suspect`, or all of them with it."""
    return [each for each in choices if accept_suspect or not each.suspect]


def _searched(procedure: Procedure) -> str:
    return f"{procedure.id} {procedure.title} {procedure.title.replace(chr(39), '')}".lower()
