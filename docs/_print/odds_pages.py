"""Pages about odds, printed from the files that `docs._print.odds` wrote: games, all figures, findings, times."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Final

from dealer_flow.english import listed
from docs._print import printed, table
from docs._print.odds import Part, Table, kept_part
from rules.game.load import game_ids, load_game
from rules.odds.compute import BETWEEN_PLAYERS

_EXACT: Final = "house edge"
"""Column with the exact fraction; only a game's own page has it."""
FOUND: Final = ("game", "table", "fault", "why", "nearest consistent table")
_COUNTED: Final = ("game", "bets", "method", "seconds")


def pages() -> dict[str, str]:
    """Return the four pages by their paths under `docs/`."""
    parts = all_parts().values()
    return {
        "odds.md": printed("odds.md", _games()),
        "odds-figures.md": printed("odds-figures.md", _figures()),
        "odds-audit.md": printed("odds-audit.md", table(FOUND, chain.from_iterable(each.findings for each in parts))),
        "odds-method.md": printed("odds-method.md", table(_COUNTED, chain.from_iterable(each.times for each in parts))),
    }


@cache
def all_parts() -> dict[str, Part]:
    """Return the odds of every game by its id."""
    return {name: kept_part(name) for name in game_ids()}


def section(game: str) -> Iterator[str]:
    """Yield the lines that a game's own page has about its odds: every table, with the exact fractions."""
    part = all_parts()[game]
    if not part.tables:
        yield f"{BETWEEN_PLAYERS[:1].upper()}{BETWEEN_PLAYERS[1:]}: the return of a bet depends on how they play."
        return
    for each in part.tables:
        if each.title:
            yield from ("", f"{each.title}:", "")
        yield from table(each.head, each.rows)
    if part.findings:
        yield from ("", "The [audit](../odds-audit.md) of these pay tables finds:", "")
        yield from table(FOUND[1:], (row[1:] for row in part.findings))


def link(game: str, anchor: str, text: str = "") -> str:
    """Return a link from a page in `docs/` to a section of the game's own page."""
    return f"[{text or f'`{game}`'}](games/{load_game(game).spec.procedures[0]}.md#{anchor})"


def _games() -> Iterator[str]:
    with_house = {name: part for name, part in all_parts().items() if part.tables}
    rows = (_game(name, part.tables) for name, part in with_house.items())
    yield from table(("game", "main bet", "house edge %", "figures", "not computed"), rows)
    others = [link(name, "odds") for name, part in all_parts().items() if not part.tables]
    yield from ("", f"In {listed(others)} {BETWEEN_PLAYERS}: the return of a bet depends on how they play.")


def _game(name: str, tables: Sequence[Table]) -> tuple[str, ...]:
    """Return the row of a game: the range of the edge of its main bet over all pay tables and readings.

    The main bet is the group of bets that are played together, or else the first bet.
    """
    returns = tables[0]
    missing = ", ".join(_not_computed(tables))
    if not returns.rows:
        return link(name, "odds"), "", "", "0", missing
    at = returns.head.index("edge %")
    bet = next((row[0] for row in returns.rows if "+" in row[0]), returns.rows[0][0])
    edges = sorted(float(row[at]) for row in returns.rows if row[0] == bet and row[at])
    ends = dict.fromkeys(f"{edge:.2f}" for edge in (edges[:1] + edges[-1:]))
    return link(name, "odds"), bet, " to ".join(ends), f"{len(returns.rows)}", missing


def _not_computed(tables: Sequence[Table]) -> Iterator[str]:
    """Yield the bets that are not computed, without the dealer's tips on them."""
    names = (row[0] for each in tables if each.title == "Not computed" for row in each.rows)
    yield from (name for name in names if not name.startswith("tip-"))


def _figures() -> Iterator[str]:
    head = next(part.tables[0].head for part in all_parts().values() if part.tables)
    kept = [at for at, name in enumerate(head) if name != _EXACT]
    rows = (
        (link(name, "odds"), *(row[at] for at in kept))
        for name, part in all_parts().items()
        for each in part.tables[:1]
        for row in each.rows
    )
    yield from table(("game", *(head[at] for at in kept)), rows)
