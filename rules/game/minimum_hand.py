"""The cards by which a game file names the least hand of something, and the rows by which it names a tie: examined when
the game is read, by the ranking of the hand that is meant."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from protocol.cards import parse_card
from protocol.tomlfile import Key
from rules.game.pool_spec import PoolSpec
from rules.game.schema import GameSpec
from rules.hands import Ranking
from rules.paytables.conditions import CONDITIONS


def least_faults(spec: GameSpec, rankings: Mapping[str, Ranking]) -> Iterator[tuple[Key, str]]:
    """Least hands of no hand of the game, and those whose cards are none, too many, or twice the same in one deck; ties
    by a row that no table of the other hand may have."""
    for name, each in spec.qualifiers.items():
        yield from _faults(spec, rankings, each.hand, each.at_least, ("qualifiers", name))
    if spec.pool is not None:
        yield from _runner_faults(spec.pool, rankings)
    decides = _Decides(spec, rankings)
    for number, bet in enumerate(spec.bets):
        yield from ((("bets", number, *key), why) for key, why in bet.ranked_faults(decides))


@dataclass(frozen=True, slots=True)
class _Decides:
    """What the rankings of the file's hands say of cards and rows that a bet names."""

    spec: GameSpec
    rankings: Mapping[str, Ranking]

    def least(self, hand: str, cards: str, key: Key) -> Iterator[tuple[Key, str]]:
        """What is wrong with the cards of a least hand."""
        return _faults(self.spec, self.rankings, hand, cards, key)

    def row(self, hand: str, row: str, key: Key) -> Iterator[tuple[Key, str]]:
        """A row that no table of the hand may have."""
        conditions = CONDITIONS[self.rankings[hand].vocabulary]
        if conditions.check(row) is None:
            yield key, f"{row!r} is no row of a hand {hand!r}; allowed: {conditions.allowed}"


def _runner_faults(pool: PoolSpec, rankings: Mapping[str, Ranking]) -> Iterator[tuple[Key, str]]:
    """Hands that bring runners by a row that no table may have."""
    conditions = CONDITIONS[rankings[pool.hand].vocabulary]
    for place, more in enumerate(pool.more):
        if conditions.check(more.row) is None:
            why = f"{more.row!r} is no row of a hand {pool.hand!r}; allowed: {conditions.allowed}"
            yield ("pool", "more", place, "row"), why


def _faults(
    spec: GameSpec, rankings: Mapping[str, Ranking], hand: str, at_least: str, key: Key
) -> Iterator[tuple[Key, str]]:
    """What is wrong with the cards of a least hand."""
    if hand not in rankings:
        yield (*key, "hand"), f"unknown hand {hand!r}; allowed: {', '.join(rankings)}"
        return
    readings = {name: reading.default for name, reading in spec.readings.items()}
    try:
        cards = tuple(parse_card(text) for text in at_least.split())
        rankings[hand].rank(cards, readings)
    except ValueError as error:
        yield (*key, "at-least"), str(error)
        return
    if spec.decks == 1 and len({*cards}) < len(cards):
        yield (*key, "at-least"), f"a card stands twice in {at_least!r}, and there is one deck"
