"""Count the odds of every game and write them to `docs/odds/GAME.json`; `docs._print.odds_pages` prints the pages."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from dealwire.cli.options import cache_folder
from docs import _print
from rules.game.load import game_ids, load_game
from rules.odds.audit.findings import PaytableFinding
from rules.odds.audit.report import audit
from rules.odds.compute import BETWEEN_PLAYERS, counted_how, odds
from rules.odds.kept import KeptOdds
from rules.odds.question import Question
from rules.odds.returns import NotComputed, Odds, percent, root

FOLDER: Final = "odds"
"""Folder under `docs/` with one JSON file a game."""
Rows = tuple[tuple[str, ...], ...]


class Table(Struct, frozen=True):
    """Table of a page as plain text, without Markdown around it."""

    title: str
    """Sentence above the table, without its closing mark; empty for the returns."""
    head: tuple[str, ...]
    rows: Rows


class Part(Struct, frozen=True):
    """Everything the pages print about the odds of one game."""

    tables: tuple[Table, ...]
    """Returns first, then each group of bets decided by fold or play; empty where players bet against each other."""
    findings: Rows
    """Audit findings: game, table, fault, reason, nearest consistent table."""
    times: Rows
    """Method and time of each group of bets: game, bets, method, seconds."""


_HEAD: Final = ("bet", "pay table", "reading", "house edge", "edge %", "risk %", "return %", "deviation", "hits %")
_PROGRESSIVE: Final = (
    "pay table",
    "reading",
    "fixed pays return",
    "share of each meter a round",
    "even at a meter of",
    "envy",
)


def figures(found: Sequence[Odds | NotComputed]) -> tuple[Table, ...]:
    """Return the tables of one game: every return, then each group of bets that is decided by fold or play."""
    counted = [each for each in found if isinstance(each, Odds)]
    tables = [_table("", _HEAD, map(_return, counted))]
    if missing := [each for each in found if isinstance(each, NotComputed)]:
        tables.append(_table("Not computed", ("bet", "deals", "why"), map(_missing, missing)))
    if together := [each for each in counted if "hands_played" in each.also]:
        shown = ("outcome", *(_reading(each) for each in together))
        tables.append(_table(f"Outcomes of {together[0].bet}, in percent of all deals", shown, _outcomes(together)))
        played = "Hands played, by the number of cards in each suit"
        tables.append(_table(played, ("hand", *shown[1:]), _played(together)))
    if progressive := [each for each in counted if "fixed_return" in each.also]:
        title = "Progressive, meters and envy in wagers of 1 dollar"
        tables.append(_table(title, _PROGRESSIVE, map(_progressive, progressive)))
    return tuple(tables)


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    return Table(title, tuple(head), tuple(map(tuple, rows)))


def _reading(odds: Odds) -> str:
    return ", ".join(f"{name}: {option}" for name, option in odds.reading.items())


def _missing(found: NotComputed) -> Sequence[str]:
    return found.bet, f"{found.deals:,}", found.why


def _return(odds: Odds) -> Sequence[str]:
    known = not odds.incomplete
    exact = f"`{odds.house_edge}`" if known else f"`{odds.house_edge}` less what the meter pays"
    edge, risk = (f"{percent(each, 6):.6f}" if known else "" for each in (odds.house_edge, odds.element_of_risk))
    variance = odds.variance
    deviation = "" if variance is None else f"{float(root(variance)):.6f}"
    figures = (f"{percent(odds.returned, 6):.6f}", deviation, f"{percent(odds.hit_frequency, 6):.6f}")
    return odds.bet, odds.paytable or "", _reading(odds), exact, edge, risk, *figures


def _outcomes(together: Sequence[Odds]) -> Iterator[Sequence[str]]:
    for index, outcome in enumerate(together[0].outcomes):
        yield outcome.what, *(f"{percent(each.outcomes[index].probability, 6):.6f}" for each in together)
    yield f"average stake, in {together[0].unit}s", *(f"{float(each.average_bet):.6f}" for each in together)
    yield (
        f"**lost, in percent of the {together[0].unit}**",
        *(f"**{percent(each.house_edge, 6):.6f}**" for each in together),
    )


def _played(together: Sequence[Odds]) -> Iterator[Sequence[str]]:
    for hand in together[0].also["played_by_suits"]:
        both = (each.also["played_by_suits"][hand] for each in together)
        yield hand, *(f"{played:,} of {hands:,}" for played, hands in both)
    yield "all", *(f"{each.also['hands_played']:,} of {each.also['hands']:,}" for each in together)


def _progressive(odds: Odds) -> Sequence[str]:
    also = odds.also
    shares = ", ".join(f"{name} `{share}`" for name, share in also["meter_share"].items())
    even = f"{float(also['break_even_meter']):,.2f}" if "break_even_meter" in also else "several meters"
    envy = f"`{also['envy_from_each_other']}`" if "envy_from_each_other" in also else "none"
    return odds.paytable or "", _reading(odds), f"`{also['fixed_return']}`", shares, even, envy


def findings(found: Iterable[object]) -> Rows:
    """Return one row for each audit finding, with the nearest table that would be consistent."""
    return tuple(_finding(each) for each in found if isinstance(each, PaytableFinding))


def _finding(found: PaytableFinding) -> tuple[str, ...]:
    why = f"{found.why}; {found.suspect}" if found.suspect else found.why
    return found.game, found.paytable or found.bet, found.fault, why, found.proposal.text if found.proposal else ""


def part(question: Question) -> Part:
    """Return the odds of one game from the cache, or count and cache them.

    The cache file's name is a hash of everything the odds depend on: the game, its procedure and tables, the code that
    counts, and the code of this generator.
    """
    assert question.kept is not None, "the page is printed from what is kept"
    own = hashlib.sha256(b"".join(Path(file).read_bytes() for file in (__file__, _print.__file__))).hexdigest()
    file = question.kept.folder / "page" / f"{question.key(['page', own])}.json"
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(file.read_bytes(), type=Part)
    found = [*odds(question)]
    has_house = any(isinstance(each, Odds) or each.why != BETWEEN_PLAYERS for each in found)
    made = Part(
        figures(found) if has_house else (),
        findings(audit([question.game], question)),
        tuple((question.game.id, bets, " ".join(how.split()), f"{s:,.1f}") for bets, how, s in counted_how(question)),
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    written = file.with_suffix(f".{os.getpid()}")
    written.write_bytes(msgspec.json.encode(made))
    written.replace(file)
    return made


def as_json(part: Part) -> str:
    """Return the text of a game's file, with one row of a table on each line so that a diff names the bet."""
    tables = _list(
        f'{{"title":{_json(each.title)},"head":{_json(each.head)},"rows":{_rows(each.rows)}}}' for each in part.tables
    )
    return f'{{"tables":{tables},\n"findings":{_rows(part.findings)},\n"times":{_rows(part.times)}}}\n'


def _list(items: Iterable[str]) -> str:
    """Return a JSON array with one item on each line."""
    lines = ",\n".join(items)
    return f"[\n{lines}\n]" if lines else "[]"


def _rows(rows: Rows) -> str:
    return _list(map(_json, rows))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def kept_part(game: str) -> Part:
    """Return the odds of a game as `docs/odds` has them; OSError or MsgspecError if they are missing or malformed."""
    return msgspec.json.decode((_print.DOCS / FOLDER / f"{game}.json").read_bytes(), type=Part)


def pages() -> dict[str, str]:
    """Return the file of every game by its path under `docs/`. Games that changed are counted, which takes minutes."""
    kept, workers = KeptOdds(cache_folder()), os.cpu_count() or 1
    parts = {name: part(Question(load_game(name), workers=workers, kept=kept)) for name in game_ids()}
    return {f"{FOLDER}/{name}.json": as_json(each) for name, each in parts.items()}
