"""The figures of `docs/odds.md`, from its mark to its end."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from dealer_flow.procedure.english import listed
from dealwire.cli.options import cache_folder
from docs._print import DOCS, MARK, table
from rules.game import game_ids, load_game
from rules.odds.audit import audit
from rules.odds.compute import counted_how, odds
from rules.odds.findings import PaytableFinding
from rules.odds.kept import KeptOdds
from rules.odds.question import Question
from rules.odds.returns import NotComputed, Odds, percent, root

_HEAD: Final = ("bet", "pay table", "reading", "house edge", "edge %", "risk %", "return %", "deviation", "hits %")


def figures(found: Sequence[Odds | NotComputed]) -> str:
    """The tables of one game: every return, then each group of bets that is decided by fold or play."""
    counted = [each for each in found if isinstance(each, Odds)]
    lines = [f"\n## {found[0].game}\n", *table(_HEAD, map(_return, counted))]
    lines += _not_computed([each for each in found if isinstance(each, NotComputed)])
    together = [each for each in counted if "hands_played" in each.also]
    if together:
        shown = ("outcome", *(_reading(each) for each in together))
        lines += [f"\nOutcomes of {together[0].bet}, in percent of all deals:\n", *table(shown, _outcomes(together))]
        lines += [
            "\nHands played, by how many cards they hold of each suit:\n",
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
    yield f"staked on average, in {together[0].unit}s", *(f"{float(each.average_bet):.6f}" for each in together)
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
    """The games of which no bet is the house's, in one sentence."""
    if not games:
        return ""
    why = "players bet against each other: what a bet returns hangs on how they play"
    return f"\n## Between players\n\nIn {listed([*games])} {why}.\n"


AUDIT: Final = "\n## What the audit finds in these tables\n"
"""Begins what follows the figures."""


def findings(found: Iterable[object]) -> str:
    """Every finding, with the nearest table that would be in line."""
    rows = [
        (
            each.game,
            each.paytable or each.bet,
            each.fault,
            f"{each.why}; {each.suspect}" if each.suspect else each.why,
            each.proposal.text if each.proposal else "",
        )
        for each in found
        if isinstance(each, PaytableFinding)
    ]
    return "\n".join([AUDIT, *table(("game", "table", "fault", "why", "nearest in line"), rows)]) + "\n"


def times(questions: Iterable[Question]) -> str:
    """How each group of bets was counted, and in how long when this page was printed."""
    rows = [
        (question.game.id, bets, how, f"{seconds:,.1f}")
        for question in questions
        for bets, how, seconds in counted_how(question)
    ]
    text = "\n## How each figure was counted, and in how long\n\nSeconds, with every pay table and reading, on "
    text += f"{os.cpu_count()} cores that other work may have shared, when this page was printed. "
    text += "A hand that several bets look at is counted for the first of them.\n"
    return "\n".join([text, *table(("game", "bets", "how", "seconds"), rows)]) + "\n"


def pages() -> dict[str, str]:
    """The page with the figures of every game."""
    before = (DOCS / "odds.md").read_text(encoding="utf-8").partition(MARK)[0]
    kept, workers = KeptOdds(cache_folder()), os.cpu_count() or 1
    games = [load_game(name) for name in game_ids()]
    questions = [Question(game, workers=workers, kept=kept) for game in games]
    found = {question.game.id: [*odds(question)] for question in questions}
    counted = {game: each for game, each in found.items() if any(isinstance(row, Odds) for row in each)}
    parts = [before, MARK, "\n", *map(figures, counted.values())]
    parts.append(between_players([game for game in found if game not in counted]))
    parts += [findings(audit(games, questions[0])), times(questions)]
    return {"odds.md": "".join(parts)}
