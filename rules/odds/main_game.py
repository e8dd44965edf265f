"""Fold or play, decided for every hand a player can hold, and what that makes of the game.

The player decides on his own cards alone: the dealer's hand and the community are turned up afterwards (CO
47.1-1017.60 (7)-(8), WA FGW 7-8, SD 20:18:16:15.19 (6)-(7)). He plays when that loses less, or wins more, than folding.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import comb, lcm, prod
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from devices.processes import end_with_parent
from rules.bets.bet import Bet
from rules.bets.outcome import BetFacts
from rules.hands.longest_flush import ACE
from rules.odds.decisions import decisions
from rules.odds.joint import Ending, of_joint
from rules.odds.question import OneDeck, Progress, Question
from rules.odds.returns import Odds, back_by
from rules.odds.settings import flush_stakes
from rules.odds.showdown import FLUSH_RANKS, DealShape, Ints, Pattern, Showdowns, patterns, showdowns
from rules.paytables.conditions import LONGEST
from rules.paytables.paytable import PaidRow

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


def count_all(
    deal: DealShape, wild_kicker: str, *, workers: int = 1, progress: Progress | None = None
) -> list[Showdowns]:
    """The showdowns of every pattern, on `workers` processes."""
    count, todo = partial(showdowns, deal, wild_kicker=wild_kicker), patterns(deal)
    if workers < 2:
        return list(_watched(map(count, todo), todo, progress))
    with ProcessPoolExecutor(workers, initializer=end_with_parent) as pool:
        return list(_watched(pool.map(count, todo), todo, progress))


def _watched(counted: Iterable[Showdowns], todo: Sequence[Pattern], progress: Progress | None) -> Iterator[Showdowns]:
    """As `counted`; a pattern takes about as long as it has sets of ranks."""
    sizes = [prod(comb(len(FLUSH_RANKS), cards) for cards in pattern.suits) for pattern in todo]
    for done, found in enumerate(counted, 1):
        if progress is not None:
            progress(sum(sizes[:done]), sum(sizes))
        yield found


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


def fold_or_play(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """As `main_game`, for every group of `bets` that is decided together."""
    done: set[str] = set()
    for bet in bets:
        if bet.name not in done:
            together, riders = question.decided_with(bet)
            done |= {each.name for each in (*together, *riders)}
            yield from main_game(question, together, riders)


def main_game(question: Question, bets: Sequence[Bet], riders: Sequence[Bet] = ()) -> Iterator[Odds]:
    """The odds of `bets` together, then of each, for every pay table and reading of the wild kicker asked for.

    `riders` have no part in the decision: they are paid by what it leads to.
    """
    of = question.game.hand().of
    deal = DealShape(of["own"], of["community"], _flush_ranks(question.one))
    units = flush_stakes(decisions(question.game), bets)
    for chosen in _tables(question, bets):
        for readings in question.choices("wild-kicker"):
            counted = _counted(question, deal, readings.get("wild-kicker", "highest-absent"))
            stakes = _stakes(question, bets, chosen, units)
            found = best_play(deal, counted, stakes)
            yield from _odds(question, stakes, found, chosen, readings, also=_of_hands(found))
            for rider in riders:
                for table in _tables(question, [rider]):
                    yield from _odds(question, _stakes(question, [rider], table, {}), found, table, readings)


def _flush_ranks(deck: OneDeck) -> tuple[int, ...]:
    """The ranks of a deck that are not wild, 14 for the ace."""
    return tuple(rank for rank in (ACE if each == 1 else each for each in deck.ranks) if rank in FLUSH_RANKS)


_KEPT: Final[dict[tuple[DealShape, str], list[Showdowns]]] = {}
_MOST_KEPT: Final = 3


def _counted(question: Question, deal: DealShape, wild_kicker: str) -> list[Showdowns]:
    """The showdowns, which games that differ in their pay tables alone share."""
    key = deal, wild_kicker
    if key not in _KEPT:
        if len(_KEPT) >= _MOST_KEPT:
            del _KEPT[next(iter(_KEPT))]
        _KEPT[key] = count_all(deal, wild_kicker, workers=question.workers, progress=question.progress)
    return _KEPT[key]


def _tables(question: Question, bets: Sequence[Bet]) -> Iterator[dict[str, str]]:
    """Bet -> pay table, for every table of the bet that has some; a game has at most one such bet in a group."""
    with_tables = [bet for bet in bets if bet.paytables]
    if not with_tables and not question.paytable:
        yield {}
    for bet in with_tables:
        for table in question.tables(bet):
            yield {bet.name: table.id}


def _stakes(
    question: Question, bets: Sequence[Bet], chosen: Mapping[str, str], units: Mapping[str, int]
) -> list[Stake]:
    stakes = []
    for bet in bets:
        rows = question.game.tables[bet.name, chosen[bet.name]] if bet.name in chosen else {}
        back = {margin: _back(bet, 1, rows.get(margin)) for margin in _MARGINS}
        if _back(bet, 0) != 1 or _back(bet, -1) != 0:
            raise ValueError(f"{bet.name}: a tie that does not push is not counted here")
        stakes.append(Stake(bet.name, units.get(bet.name, 1), bet.fold == "absent", back))
    return stakes


def _back(bet: Bet, sign: int, row: PaidRow | None = None) -> Fraction:
    """What comes back of a unit, as it is settled."""
    return back_by(bet.outcome(BetFacts(sign, row))) or Fraction(0)


def _odds(
    question: Question,
    stakes: Sequence[Stake],
    found: MainGame,
    tables: Mapping[str, str],
    readings: Mapping[str, str],
    also: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[Odds]:
    """The odds of those bets, together and each by itself."""
    units = tuple(stake.units for stake in stakes)
    ways = {
        Ending(
            tuple(0 if stake.by_playing else stake.units for stake in stakes),
            tuple(0 if stake.by_playing else -stake.units for stake in stakes),
            "fold",
        ): found.ways["fold"],
        Ending(units, tuple(-unit for unit in units), "lose"): found.ways["lose"],
        Ending(units, (0,) * len(units), "tie"): found.ways["tie"],
    }
    for margin in _MARGINS:
        if dealt := found.ways.get(margin):
            nets = tuple(stake.units * (stake.back[margin] - 1) for stake in stakes)
            rows = tuple(_row(question, stake, tables, margin) for stake in stakes)
            ways[Ending(units, nets, _words(margin), rows)] = dealt
    names = [stake.name for stake in stakes]
    yield from of_joint(question, names, ways, tables=tables, readings=readings, also=also)


def _row(question: Question, stake: Stake, tables: Mapping[str, str], margin: int) -> str:
    """The row that pays a win by `margin`; empty for a bet with one pay."""
    row = question.game.tables[stake.name, tables[stake.name]][margin] if stake.name in tables else None
    return row.when if row else ""


def _words(margin: int) -> str:
    return f"win by {margin}" if margin else "win on the kickers"


def _of_hands(found: MainGame) -> dict[str, Any]:
    """How many hands are worth playing, in all and by their cards of each suit."""
    hands = sum(each.hands for each in found.choices)
    return {
        "hands": hands,
        "hands_played": found.hands_played,
        "played_by_suits": {each.pattern.text: [each.played, each.hands] for each in found.choices},
    }
