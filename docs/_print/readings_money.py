"""Table of the readings of the money: `docs/readings-money.md`.

It has each game's readings, and how many rounds of its simulated and recorded sessions each of them decided. A game is
counted again if anything its sessions are made of has changed.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from docs._print import DOCS, printed, table
from docs._print.odds_pages import link
from docs._print.sessions import made_of, sessions
from rules.facts.terms import agree
from rules.game.load import Game, game_ids, load_game
from rules.game.readings import READINGS
from rules.settle.deciding import AlternativeOptions
from rules.settle.rounds import settle_on

PAGE: Final = "readings-money.md"
COUNTS: Final = "readings-decided.json"
_HEAD: Final = (
    "reading",
    "options (default in bold)",
    "clause",
    "reason for the default",
    "reason against it",
    "decided",
)
_METER_CENTS: Final = 10_000_000
"""Amount on each meter before every round: $100,000."""

Counts = dict[str, Any]
"""Counts of one game: the hash of what its sessions are `made_of`, `rounds`, and how many each reading `decided`."""


def pages() -> dict[str, str]:
    """Return the page and the counts that it is printed from, by their paths under `docs/`."""
    kept = _kept()
    games = [game for game in map(load_game, game_ids()) if game.spec.readings]
    counts = {game.id: _counts(game, kept.get(game.id, {})) for game in games}
    rows = (
        (link(game.id, "readings"), *_row(game, name, counts[game.id]["decided"][name]), str(counts[game.id]["rounds"]))
        for game in games
        for name in game.spec.readings
    )
    page = printed(PAGE, table(("game", *_HEAD, "rounds"), rows))
    return {PAGE: page, COUNTS: json.dumps(counts, indent=2, sort_keys=True) + "\n"}


def section(game: Game) -> Iterator[str]:
    """Yield the table of a game's own page, with the counts that are in the tree."""
    counts = _kept()[game.id]
    rows = (_row(game, name, counts["decided"][name]) for name in game.spec.readings)
    yield from table(_HEAD, rows)
    yield from ("", f"`decided` counts rounds out of {counts['rounds']}; see [readings](../readings-money.md).")


def _kept() -> dict[str, Counts]:
    file = DOCS / COUNTS
    found: dict[str, Counts] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found


def _counts(game: Game, kept: Counts) -> Counts:
    now = made_of(game)
    return kept if kept.get("made_of") == now else {"made_of": now, **counted(game)}


def counted(game: Game) -> Counts:
    """Return how many rounds the sessions of a game have, and how many of them each reading decided."""
    terms = agree(game, accept_suspect=True, meters=dict.fromkeys(game.meters(), _METER_CENTS))
    deciding, decided, rounds = AlternativeOptions(terms), Counter[str](), 0
    for result in sessions(game):
        rounds += 1
        found = deciding.of(result, settle_on(result, terms))
        decided.update({name for names in found.values() for name in names})
    return {"rounds": rounds, "decided": {name: decided[name] for name in game.spec.readings}}


def _row(game: Game, name: str, decided: int) -> tuple[str, ...]:
    reading = game.spec.readings[name]
    options = [f"**{reading.default}**", *(option for option in READINGS[name] if option != reading.default)]
    marked = [f"{option} (suspect)" if option.strip("*") in reading.suspect else option for option in options]
    return f"`{name}`", ", ".join(marked), reading.clause, reading.because, reading.against, str(decided)
