"""Fold or play, decided for every hand a player can hold, and what that makes of the game.

The player decides on his own cards alone: the dealer's hand and the community are turned up afterwards (CO
47.1-1017.60 (7)-(8), WA FGW 7-8, SD 20:18:16:15.19 (6)-(7)). He plays when that loses less, or wins more, than folding.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import lcm
from typing import Any

import numpy as np

from devices.processes import end_with_parent
from rules.conditions import LONGEST
from rules.game import Bet
from rules.odds.question import Question
from rules.odds.returns import BetOutcome, Odds, back_of
from rules.odds.showdown import DealShape, Ints, Pattern, Showdowns, patterns, showdowns
from rules.paytable import PaidRow, PayTable

_MARGINS = range(LONGEST + 1)


@dataclass(frozen=True, slots=True)
class Stake:
    """One of the bets that stand or fall together: its size in units, whether it is made by not folding, and what comes
    back of a unit, itself included, by the cards a win is won by (0: on the kickers)."""

    name: str
    units: int
    by_playing: bool
    back: Mapping[int, Fraction]


@dataclass(frozen=True, slots=True)
class PatternChoices:
    """The hands of one pattern, and how many of them are played."""

    pattern: Pattern
    hands: int
    played: int


@dataclass(frozen=True, slots=True)
class MainGame:
    """Outcomes over every hand and every way to deal on, under the best choice for each hand.

    `ways`: "fold", "lose", "tie", and the margin of a win in cards, 0 on the kickers; they add up to `total`.
    """

    ways: Mapping[str | int, int]
    total: int
    choices: tuple[PatternChoices, ...]

    @property
    def hands_played(self) -> int:
        """Of all hands a player can hold, those worth playing."""
        return sum(each.played for each in self.choices)

    def probability(self, outcome: str | int) -> Fraction:
        """Of an outcome named as in `ways`."""
        return Fraction(self.ways.get(outcome, 0), self.total)


def count_all(deal: DealShape, wild_kicker: str, *, workers: int = 1) -> list[Showdowns]:
    """The showdowns of every pattern, on `workers` processes."""
    count, todo = partial(showdowns, deal, wild_kicker=wild_kicker), patterns(deal)
    if workers < 2:
        return [count(pattern) for pattern in todo]
    with ProcessPoolExecutor(workers, initializer=end_with_parent) as pool:
        return list(pool.map(count, todo))


def best_play(deal: DealShape, counted: Sequence[Showdowns], stakes: Sequence[Stake]) -> MainGame:
    """Fold or play, hand by hand, whichever gains more; a hand that gains the same either way is played."""
    scale = lcm(*(back.denominator for stake in stakes for back in stake.back.values()))
    ways: Counter[str | int] = Counter()
    choices = []
    for found in counted:
        play = _gain_of_playing(deal, found, stakes, scale) >= 0
        copies, played = found.pattern.copies, int(play.sum())
        ways["fold"] += copies * (play.size - played) * deal.completions
        ways["tie"] += copies * int(found.ties[play].sum())
        ways[0] += copies * int(found.by_kickers[play].sum())
        for margin, dealt in enumerate(found.by_length):
            if dealt:
                ways[margin] += copies * played * dealt
        choices.append(PatternChoices(found.pattern, copies * play.size, copies * played))
    total = deal.hands * deal.completions
    ways["lose"] = total - ways.total()
    return MainGame(ways, total, tuple(choices))


def _gain_of_playing(deal: DealShape, found: Showdowns, stakes: Sequence[Stake], scale: int) -> Ints:
    """What playing gains over folding, hand by hand, summed over every way to deal on, in 1/`scale` units."""

    staked = sum(stake.units for stake in stakes)
    if_folded = scale * sum(stake.units for stake in stakes if stake.by_playing)  # what is then not put at risk

    def back(margin: int) -> int:
        return int(scale * sum(stake.units * stake.back[margin] for stake in stakes))

    fixed = sum(back(margin) * dealt for margin, dealt in enumerate(found.by_length) if dealt)
    gained = fixed + back(0) * found.by_kickers + scale * staked * found.ties
    return np.asarray(gained - if_folded * deal.completions)


# ------------------------------------------------------------------ the bets of a game's file


def main_game(question: Question, bets: Sequence[Bet], riders: Sequence[Bet] = ()) -> Iterator[Odds]:
    """The odds of `bets` together, then of each, for every pay table and reading of the wild kicker asked for.

    `riders` have no part in the decision: they are paid by what it leads to.
    """
    hand = question.game.hand
    deal = DealShape(hand.own, hand.community)
    for chosen in _tables(question, bets):
        for readings in question.choices("wild-kicker"):
            counted = _counted(deal, readings.get("wild-kicker", "highest-absent"), question.workers)
            stakes = _stakes(question, bets, chosen)
            found = best_play(deal, counted, stakes)
            yield _odds(question, stakes, found, chosen, readings, also=_of_hands(found))
            for stake in stakes:
                yield _odds(question, [stake], found, chosen, readings)
            for rider in riders:
                for table in _tables(question, [rider]):
                    yield _odds(question, _stakes(question, [rider], table), found, table, readings)


@lru_cache(maxsize=3)
def _counted(deal: DealShape, wild_kicker: str, workers: int) -> list[Showdowns]:
    return count_all(deal, wild_kicker, workers=workers)


def _tables(question: Question, bets: Sequence[Bet]) -> Iterator[dict[str, str]]:
    """Bet -> pay table, for every table of the bet that has some; a game has at most one such bet in a group."""
    with_tables = [bet for bet in bets if bet.paytables]
    if not with_tables and not question.paytable:
        yield {}
    for bet in with_tables:
        for table in question.tables(bet):
            yield {bet.name: table.id}


def _stakes(question: Question, bets: Sequence[Bet], chosen: Mapping[str, str]) -> list[Stake]:
    units: dict[str, int] = {}
    stakes = []
    for bet in bets:
        units[bet.name] = units[bet.equals.bet] * bet.equals.times if bet.equals else 1
        if bet.name in chosen:
            rows = question.game.tables[bet.name, chosen[bet.name]]
            back = {margin: _back(rows[margin]) for margin in _MARGINS}
        else:
            back = dict.fromkeys(_MARGINS, _back(question.game.fixed[bet.name]))
        stakes.append(Stake(bet.name, units[bet.name], bet.fold == "absent", back))
    return stakes


def _back(row: PaidRow | None) -> Fraction:
    """A win without a row gives the stake back, as when it is settled."""
    return Fraction(1) if row is None else back_of(row.pay, {}) or Fraction(0)


def _odds(
    question: Question,
    stakes: Sequence[Stake],
    found: MainGame,
    chosen: Mapping[str, str],
    readings: Mapping[str, str],
    also: Mapping[str, Any] | None = None,
) -> Odds:
    """The odds of some of the bets, each counted in its own stake; together in the stake of the first."""
    unit = stakes[0].units
    played = 1 - found.probability("fold")
    shares = [(stake, Fraction(stake.units, unit)) for stake in stakes]
    backs: dict[str | int, Fraction] = {"fold": Fraction(0), "lose": Fraction(0)}
    backs["tie"] = sum((share for _, share in shares), Fraction(0))
    for margin in _MARGINS:
        if found.ways.get(margin):
            backs[margin] = sum((share * stake.back[margin] for stake, share in shares), Fraction(0))
    tables = [name for stake in stakes if (name := chosen.get(stake.name))]
    table = question.game.paytables[tables[0]] if tables else None
    return Odds(
        question.game.id,
        "+".join(stake.name for stake in stakes),
        table.id if table else None,
        readings,
        tuple(
            BetOutcome(_words(outcome), found.probability(outcome), back, _row(question, stakes, table, outcome))
            for outcome, back in backs.items()
        ),
        staked=sum((share * (played if stake.by_playing else 1) for stake, share in shares), Fraction(0)),
        also=also or {},
        **(question.marks(table, readings) if table else {}),
    )


def _row(question: Question, stakes: Sequence[Stake], table: PayTable | None, outcome: str | int) -> str:
    """The row that pays the outcome to a bet that stands alone with its table."""
    if table is None or len(stakes) > 1 or not isinstance(outcome, int):
        return ""
    row = question.game.tables[stakes[0].name, table.id][outcome]
    return row.when if row else ""


def _words(outcome: str | int) -> str:
    if isinstance(outcome, str):
        return outcome
    return f"win by {outcome}" if outcome else "win on the kickers"


def _of_hands(found: MainGame) -> dict[str, Any]:
    """How many hands are worth playing, in all and by their cards of each suit."""
    hands = sum(each.hands for each in found.choices)
    return {
        "hands": hands,
        "hands_played": found.hands_played,
        "played_by_suits": {each.pattern.text: [each.played, each.hands] for each in found.choices},
    }
