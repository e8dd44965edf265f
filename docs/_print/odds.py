"""Generator of the figures in `docs/odds.md`, from its mark to its end."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from dealer_flow.english import listed
from dealwire.cli.options import cache_folder
from docs import _print
from docs._print import DOCS, MARK, table
from rules.game.load import game_ids, load_game
from rules.odds.audit.findings import PaytableFinding
from rules.odds.audit.report import audit
from rules.odds.compute import BETWEEN_PLAYERS, counted_how, odds
from rules.odds.kept import KeptOdds
from rules.odds.question import Question
from rules.odds.returns import NotComputed, Odds, percent, root

_HEAD: Final = ("bet", "pay table", "reading", "house edge", "edge %", "risk %", "return %", "deviation", "hits %")


def figures(found: Sequence[Odds | NotComputed]) -> str:
    """Return the tables of one game: every return, then each group of bets that is decided by fold or play."""
    counted = [each for each in found if isinstance(each, Odds)]
    lines = [f"\n## {found[0].game}\n", *table(_HEAD, map(_return, counted))]
    lines += _not_computed([each for each in found if isinstance(each, NotComputed)])
    together = [each for each in counted if "hands_played" in each.also]
    if together:
        shown = ("outcome", *(_reading(each) for each in together))
        lines += [f"\nOutcomes of {together[0].bet}, in percent of all deals:\n", *table(shown, _outcomes(together))]
        lines += [
            "\nHands played, by the number of cards in each suit:\n",
            *table(("hand", *shown[1:]), _played(together)),
        ]
    progressive = [each for each in counted if "fixed_return" in each.also]
    if progressive:
        head = (
            "pay table",
            "reading",
            "fixed pays return",
            "share of each meter a round",
            "even at a meter of",
            "envy",
        )
        lines += [
            "\nProgressive, meters and envy in wagers of 1 dollar:\n",
            *table(head, map(_progressive, progressive)),
        ]
    return "\n".join(lines) + "\n"


def _reading(odds: Odds) -> str:
    return ", ".join(f"{name}: {option}" for name, option in odds.reading.items())


def _not_computed(found: Sequence[NotComputed]) -> list[str]:
    if not found:
        return []
    rows = ((each.bet, f"{each.deals:,}", each.why) for each in found)
    return ["\nNot computed:\n", *table(("bet", "deals", "why"), rows)]


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


def between_players(games: Sequence[str]) -> str:
    """Return the section that names the games in which players bet only against each other; empty if there is none."""
    if not games:
        return ""
    why = "the return of a bet depends on how they play"
    return f"\n## Between players\n\nIn {listed([*games])} {BETWEEN_PLAYERS}: {why}.\n"


AUDIT: Final = "\n## What the audit finds in these tables\n"
"""Heading of the section after the figures."""


def findings(found: Iterable[object]) -> str:
    """Return the table of audit findings, each with the nearest table that would be consistent."""
    return _found([_finding(each) for each in found if isinstance(each, PaytableFinding)])


def _found(rows: Iterable[Sequence[str]]) -> str:
    return "\n".join([AUDIT, *table(("game", "table", "fault", "why", "nearest consistent table"), rows)]) + "\n"


def _finding(found: PaytableFinding) -> Sequence[str]:
    why = f"{found.why}; {found.suspect}" if found.suspect else found.why
    return found.game, found.paytable or found.bet, found.fault, why, found.proposal.text if found.proposal else ""


def _times(rows: Iterable[Sequence[str]]) -> str:
    """Return the section that says how each group of bets was counted, and how many seconds it took."""
    text = "\n## How each figure was counted, and the time it took\n\nSeconds for all pay tables and readings, on "
    text += f"{os.cpu_count()} cores shared with other work, when this page was printed. "
    text += "A hand that several bets use is counted for the first of them.\n"
    return "\n".join([text, *table(("game", "bets", "how", "seconds"), rows)]) + "\n"


class Part(Struct, frozen=True):
    """Parts of the page for one game."""

    figures: str
    """Tables of the returns; empty where players bet against each other."""
    findings: tuple[tuple[str, ...], ...]
    """Rows of the audit's findings."""
    times: tuple[tuple[str, ...], ...]
    """Rows of how each group of bets was counted, with the seconds."""


def part(question: Question) -> Part:
    """Return the parts of the page for one game from the cache, or count and cache them.

    The cache file's name is a hash of everything the parts depend on: the game, its procedure and tables, the code that
    counts, and the code of this generator.
    """
    assert question.kept is not None, "the page is printed from what is kept"
    own = hashlib.sha256(b"".join(Path(file).read_bytes() for file in (__file__, _print.__file__))).hexdigest()
    file = question.kept.folder / "page" / f"{question.key(['page', own])}.json"
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(file.read_bytes(), type=Part)
    found = [*odds(question)]
    counted = [*map(_finding, (each for each in audit([question.game], question) if isinstance(each, PaytableFinding)))]
    times = [(question.game.id, bets, how, f"{seconds:,.1f}") for bets, how, seconds in counted_how(question)]
    has_house = any(isinstance(each, Odds) or each.why != BETWEEN_PLAYERS for each in found)
    text = figures(found) if has_house else ""
    made = Part(text, tuple(map(tuple, counted)), tuple(times))
    file.parent.mkdir(parents=True, exist_ok=True)
    written = file.with_suffix(f".{os.getpid()}")
    written.write_bytes(msgspec.json.encode(made))
    written.replace(file)
    return made


def pages() -> dict[str, str]:
    """Return the page with the figures of every game by its path under `docs/`."""
    before = (DOCS / "odds.md").read_text(encoding="utf-8").partition(MARK)[0]
    kept, workers = KeptOdds(cache_folder()), os.cpu_count() or 1
    parts = {name: part(Question(load_game(name), workers=workers, kept=kept)) for name in game_ids()}
    text = [before, MARK, "\n", *(each.figures for each in parts.values())]
    text.append(between_players([name for name, each in parts.items() if not each.figures]))
    text.append(_found(chain.from_iterable(each.findings for each in parts.values())))
    text.append(_times(chain.from_iterable(each.times for each in parts.values())))
    return {"odds.md": "".join(text)}
