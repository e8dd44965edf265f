"""The cards by which a game file names the least hand of something, and the rows by which it names a tie: examined when
the game is read, by the ranking of the hand that is meant."""

from collections.abc import Iterator, Mapping

from protocol.cards import parse_card
from protocol.tomlfile import Key
from rules.game.pool_spec import PoolSpec
from rules.game.schema import GameSpec
from rules.hands import Ranking
from rules.kinds.against import AgainstBet
from rules.paytables.conditions import CONDITIONS


def least_faults(spec: GameSpec, rankings: Mapping[str, Ranking]) -> Iterator[tuple[Key, str]]:
    """Least hands of no hand of the game, and those whose cards are none, too many, or twice the same in one deck; ties
    by a row that no table of the other hand may have."""
    for name, each in spec.qualifiers.items():
        yield from _faults(spec, rankings, each.hand, each.at_least, ("qualifiers", name))
    if spec.pool is not None:
        yield from _runner_faults(spec.pool, rankings)
    for number, bet in enumerate(spec.bets):
        at = "bets", number
        if not isinstance(bet, AgainstBet):
            continue
        if bet.raised:
            yield from _faults(spec, rankings, bet.hand, bet.raised.at_least, (*at, "raised"))
        for place, unless in enumerate(bet.unqualified.unless if bet.unqualified else ()):
            yield from _faults(spec, rankings, bet.hand, unless.at_least, (*at, "unqualified", "unless", place))
        conditions = CONDITIONS[rankings[bet.against].vocabulary]
        for place, rule in enumerate(bet.ties):
            if conditions.check(rule.row) is None:
                why = f"{rule.row!r} is no row of a hand {bet.against!r}; allowed: {conditions.allowed}"
                yield (*at, "ties", place, "row"), why


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
