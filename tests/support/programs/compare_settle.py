"""Program that settles written rounds in one tree and writes the answers, for `compare_settlements`.

    PYTHONPATH=TREE python -P compare_settle.py ROUNDS ANSWERS

A round is a line of JSON, {"game", "terms", "round"}, its answer the line of its settlement, or the reason of its
refusal.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from dealer_flow.record.result import RoundResult
from rules import Meter, load_game, settle
from rules.settlement import HouseRake, MaximumPayout, Rolled


def answer(item: dict[str, Any]) -> str:
    """Return this tree's answer to a round."""
    terms = dict(item["terms"])
    terms["meters"] = {name: _meter(**meter) for name, meter in terms["meters"].items()}
    terms["runners"] = {int(seat): number for seat, number in terms["runners"].items()}
    for name, kind in (("rake", HouseRake), ("maximum", MaximumPayout)):
        terms[name] = None if terms[name] is None else kind(**terms[name])
    try:
        return settle(RoundResult.from_json(json.dumps(item["round"])), load_game(item["game"]), **terms).to_json()
    except Exception as error:  # whatever it is, the other tree must say the same
        return json.dumps({"error": type(error).__name__, "text": str(error)})


def _meter(cents: int, seed: int | None, reserve: int, rolled: list[Any] | None) -> Meter:
    return Meter(cents, seed, reserve, None if rolled is None else Rolled(rolled[0], tuple(rolled[1])))


def main(rounds: str, answers: str) -> None:
    """Settle every round."""
    with open(rounds, encoding="utf-8") as source, open(answers, "w", encoding="utf-8") as target:
        target.writelines(answer(json.loads(line)) + "\n" for line in source)


if __name__ == "__main__":
    main(*sys.argv[1:])
