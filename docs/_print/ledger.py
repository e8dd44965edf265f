"""The ledger of readings in `docs/readings.md`: what each game's text leaves open of the money, and how many rounds of
its evenings each reading decided. A game is counted anew where what its evenings are made of has changed."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from docs._print import DOCS, table
from docs._print.evenings import ROUNDS, evenings, made_of
from rules.facts.terms import agree
from rules.game.load import Game, game_ids, load_game
from rules.game.readings import READINGS
from rules.settle.deciding import Deciding
from rules.settle.rounds import settle_on

PAGE: Final = "readings.md"
COUNTS: Final = "readings-decided.json"
BEGINS: Final = "<!-- the ledger, printed by make docs -->"
ENDS: Final = "<!-- end of the ledger -->"
_METER_CENTS: Final = 10_000_000
"""What each meter shows before every round: $100,000."""

Counts = dict[str, Any]
"""Of one game: what its evenings are `made_of`, how many `rounds` they have, and how many each reading `decided`."""


def pages() -> dict[str, str]:
    """The page and the counts that it is printed from, by path under `docs/`."""
    kept = json.loads((DOCS / COUNTS).read_text(encoding="utf-8")) if (DOCS / COUNTS).is_file() else {}
    games = [game for game in map(load_game, game_ids()) if game.spec.readings]
    counts = {game.id: _counts(game, kept.get(game.id, {})) for game in games}
    before, _, rest = (DOCS / PAGE).read_text(encoding="utf-8").partition(BEGINS)
    lines = [line for game in games for line in _of_game(game, counts[game.id])]
    text = "\n".join([before + BEGINS, *lines, "", ENDS]) + rest.partition(ENDS)[2]
    return {PAGE: text, COUNTS: json.dumps(counts, indent=2, sort_keys=True) + "\n"}


def _counts(game: Game, kept: Counts) -> Counts:
    now = made_of(game)
    return kept if kept.get("made_of") == now else {"made_of": now, **counted(game)}


def counted(game: Game) -> Counts:
    """How many rounds the evenings of a game have, and how many of them each reading decided."""
    terms = agree(game, accept_suspect=True, meters=dict.fromkeys(game.meters(), _METER_CENTS))
    deciding, decided, rounds = Deciding(terms), Counter[str](), 0
    for result in evenings(game):
        rounds += 1
        found = deciding.of(result, settle_on(result, terms))
        decided.update({name for names in found.values() for name in names})
    return {"rounds": rounds, "decided": {name: decided[name] for name in game.spec.readings}}


def _of_game(game: Game, counts: Counts) -> Iterator[str]:
    yield from ("", f"### {game.id}", "")
    yield f"{counts['rounds']} rounds, {ROUNDS} of them dealt from the seed."
    yield ""
    rows = (_row(game, name, counts["decided"][name]) for name in game.spec.readings)
    yield from table(("reading", "options", "clause", "the default's ground", "against it", "decided"), rows)


def _row(game: Game, name: str, decided: int) -> tuple[str, ...]:
    reading = game.spec.readings[name]
    options = [f"**{reading.default}**", *(option for option in READINGS[name] if option != reading.default)]
    marked = [f"{option} (suspect)" if option.strip("*") in reading.suspect else option for option in options]
    return f"`{name}`", ", ".join(marked), reading.clause, reading.because, reading.against, str(decided)
