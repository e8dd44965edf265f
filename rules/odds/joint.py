"""Odds from a joint count of bets that are decided together: of all of them, and of each separately."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from rules.odds.question import Question
from rules.odds.returns import BetOutcome, Odds

Amounts = Sequence[Fraction | int]

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Ending(NamedTuple):
    """One ending of a round for bets in a fixed order: the stake and the gain of each, in initial units.

    `what` describes it, if more is known than the amounts; `rows` are the paying rows, one per bet, empty if none pays.
    """

    stakes: tuple[Fraction | int, ...]
    nets: tuple[Fraction | int, ...]
    what: str = ""
    rows: tuple[str, ...] = ()


Joint = Mapping[Ending, int] | Mapping[tuple[tuple[Any, ...], tuple[Any, ...]], int]
"""Number of equally likely deals by ending; a plain pair of stakes and nets is accepted too."""


def joint_odds(
    question: Question,
    bets: Sequence[str],
    counted: Joint,
    *,
    tables: Mapping[str, str] = _NOTHING,
    readings: Mapping[str, str] = _NOTHING,
    also: Mapping[str, Any] = _NOTHING,
) -> Iterator[Odds]:
    """Yield the odds of `bets` together, then of each separately, all in units of the first bet's initial stake.

    `tables` has the id of the pay table used, by bet; `also` has further figures of the bets together.
    """
    endings = [(Ending(*key), ways) for key, ways in counted.items()]
    total = sum(ways for _, ways in endings)
    if len(bets) > 1:
        yield _odds(question, bets, range(len(bets)), endings, total, tables, readings, also)
    for index in range(len(bets)):
        extra = also if len(bets) == 1 else _NOTHING
        yield _odds(question, bets, range(index, index + 1), endings, total, tables, readings, extra)


def _odds(
    question: Question,
    bets: Sequence[str],
    chosen: range,
    endings: Sequence[tuple[Ending, int]],
    total: int,
    tables: Mapping[str, str],
    readings: Mapping[str, str],
    also: Mapping[str, Any],
) -> Odds:
    """Return the odds of the bets at the indices `chosen`; endings that are equal for them are one outcome."""
    merged: Counter[tuple[Fraction, Fraction, str, str]] = Counter()
    for ending, ways in endings:
        staked = sum((Fraction(ending.stakes[place]) for place in chosen), Fraction(0))
        net = sum((Fraction(ending.nets[place]) for place in chosen), Fraction(0))
        row = ending.rows[chosen[0]] if ending.rows and len(chosen) == 1 else ""
        merged[staked, net, ending.what or row or _words(staked, net), row] += ways
    names = [bets[place] for place in chosen]
    stands = all(ending.stakes[place] == 1 for place in chosen for ending, _ in endings)
    ids = [tables[name] for name in names if name in tables]
    table = question.game.paytables[ids[0]] if ids else None
    marks = question.marks(table, readings) if table else {}
    if len(ids) > 1:
        each = (question.marks(question.game.paytables[one], readings)["suspect"] for one in dict.fromkeys(ids))
        marks["suspect"] = "; ".join(dict.fromkeys(filter(None, each)))
    return Odds(
        question.game.id,
        "+".join(names),
        "+".join(dict.fromkeys(ids)) or None,
        readings,
        tuple(
            BetOutcome(what, Fraction(ways, total), staked + net, row, staked)
            for (staked, net, what, row), ways in merged.items()
        ),
        unit=names[0] if stands else bets[0],
        also=also,
        **marks,
    )


def _words(staked: Fraction, net: Fraction) -> str:
    if not staked:
        return "not made" if not net else f"wins {net}"
    if not net:
        return "push"
    return f"wins {net} on {staked}" if net > 0 else f"loses {-net} of {staked}"
