"""No suit is better than another (47.1-1006): with suits swapped, every settlement is the same except for names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from dealer_flow.record.result import RoundResult
from rules import Meter, Settlement, game_ids, settle
from tests.support.reading.each import of_each
from tests.support.reading.paper import Paper, PaperCase, paper_cases, paper_games


def worked() -> Iterator[tuple[str, PaperCase]]:
    return ((game, case) for game in paper_games() if game in game_ids() for case in paper_cases(game)[::3])


REDS, COLOURS = str.maketrans("DH", "HD"), str.maketrans("CDHS", "DCSH")
"""Diamonds for hearts; every black suit for a red one."""


def swapped(round_: RoundResult, suits: dict[int, int]) -> RoundResult:
    """Return the round with its suits swapped, in cards and in the outcomes of propositions."""

    def change(found: re.Match[str]) -> str:
        return found[1] + found[2].translate(suits) + found[3]

    text = re.sub(r'("(?:card:)?[A2-9TJQK]|"suit:)([CDHS])(")', change, round_.to_json())
    return RoundResult.from_json(text)


def ends(settlement: Settlement, suits: dict[int, int]) -> list[tuple[Any, ...]]:
    """Return the decisions of the settlement, with propositions by the original suits."""
    back = {new: old for old, new in suits.items()}

    def on(text: str) -> str:
        kind, colon, what = text.partition(":")
        return kind + colon + (what.translate(back) if kind in ("card", "suit") else what)

    return sorted(
        (line.seat, line.bet, on(line.proposition), line.stake, line.result, line.pay, line.returned, line.row or "")
        for line in settlement.lines
    )


@pytest.mark.every(3)
@of_each("game, case", worked, ids=lambda case: f"{case[0]}: {case[1]['name']}", shares=3)
def test_suits_are_worth_the_same(game: str, case: dict[str, Any]) -> None:
    paper = Paper(game, case)
    rows = [row.when for table in paper.game.paytables.values() for row in table.rows]
    told_apart = any("in spades" in when for when in rows) or paper.game.spec.decks > 1
    plain, options = paper.round(), _options(paper)
    for suits in (REDS,) if told_apart else (REDS, COLOURS):
        again = swapped(plain, suits)
        assert ends(settle(again, paper.game, **options), suits) == ends(settle(plain, paper.game, **options), {})


def _options(paper: Paper) -> dict[str, Any]:
    meters = {name: Meter(1_000_000, seed_cents=100_000) for name in paper.game.meters()}
    return {"accept_suspect": True, "meters": meters, "readings": paper.case.get("readings", {})}
