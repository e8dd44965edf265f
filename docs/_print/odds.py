"""The figures of `docs/odds.md`, from its mark to its end."""

import os
from collections.abc import Iterator, Sequence
from itertools import chain

from docs._print import DOCS, MARK, table
from rules.game import game_ids, load_game
from rules.odds.compute import odds
from rules.odds.question import Question
from rules.odds.returns import Odds, percent


def figures(found: Sequence[Odds]) -> str:
    """The tables of one game: every return, then each group of bets that is decided by fold or play."""
    head = ("bet", "pay table", "reading", "return", "return %", "house edge %")
    lines = [f"\n## {found[0].game}\n", *table(head, (_return(each) for each in found))]
    together = [each for each in found if "hands_played" in each.also]
    if together:
        shown = ("outcome", *(_reading(each) for each in together))
        lines += [f"\nOutcomes of {together[0].bet}, in percent of all deals:\n", *table(shown, _outcomes(together))]
        lines += [
            "\nHands played, by how many cards they hold of each suit:\n",
            *table(("hand", *shown[1:]), _played(together)),
        ]
    progressive = [each for each in found if "fixed_return" in each.also]
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


def _return(odds: Odds) -> Sequence[str]:
    exact = f"`{odds.returned}`" + (" and the meter" if odds.incomplete else "")
    returned = f"{percent(odds.returned, 6):.6f}"
    edge = "" if odds.incomplete else f"{percent(odds.house_edge, 6):.6f}"
    return odds.bet, odds.paytable or "", _reading(odds), exact, returned, edge


def _outcomes(together: Sequence[Odds]) -> Iterator[Sequence[str]]:
    for index, outcome in enumerate(together[0].outcomes):
        yield outcome.what, *(f"{percent(each.outcomes[index].probability, 6):.6f}" for each in together)
    yield "staked, in the first bet", *(f"{float(each.staked):.6f}" for each in together)
    yield (
        "**lost, in percent of the first bet**",
        *(f"**{percent(each.house_edge * each.staked, 6):.6f}**" for each in together),
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


def pages() -> dict[str, str]:
    """The page with the figures of every game."""
    before = (DOCS / "odds.md").read_text(encoding="utf-8").partition(MARK)[0]
    questions = (Question(load_game(name), workers=os.cpu_count() or 1) for name in game_ids())
    return {"odds.md": "".join(chain([before, MARK, "\n"], (figures([*odds(each)]) for each in questions)))}
