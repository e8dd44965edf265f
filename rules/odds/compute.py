"""The odds of a game's bets, each kind of bet by its own exact count; nothing is sampled."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from rules.errors import ExtraMissing, OddsRefused
from rules.game import Bet
from rules.odds.counts import count_best_hands, count_flush_lengths, race_ends
from rules.odds.question import TOGETHER, Question
from rules.odds.returns import BetOutcome, Odds, back_of
from rules.paytable import PaidRow, PayTable
from rules.readings import READINGS


def odds(question: Question, bet: str = "") -> Iterator[Odds]:
    """The odds of every bet, or of `bet` alone, those that take time last.

    Bets that are valid only together come together: first the name of them all, joined by `+`, then one by one, with
    those that ride on them.
    OddsRefused names a bet, pay table, reading or meter the game does not know.
    """
    _check(question, bet)
    done: set[str] = set()
    for each in sorted(question.game.spec.bets, key=lambda each: each.kind in TOGETHER):
        names = {each.name}
        if each.kind in TOGETHER:
            names.update(other.name for group in question.decided_with(each) for other in group)
        if each.name not in done and (not bet or bet in names):
            done |= names
            yield from (found for found in _KINDS[each.kind](question, each) if bet in ("", found.bet))


def _check(question: Question, bet: str) -> None:
    game = question.game
    if bet and bet not in game.bets:
        raise OddsRefused("bet", bet, game.bets)
    if question.paytable and question.paytable not in game.paytables:
        raise OddsRefused("pay table", question.paytable, sorted(game.paytables))
    for name, option in question.readings.items():
        if name not in game.spec.readings:
            raise OddsRefused("reading", name, game.spec.readings)
        if option not in READINGS[name]:
            raise OddsRefused(f"reading {name}", option, READINGS[name])
    for name in question.meters:
        if name not in game.meters():
            raise OddsRefused("meter", name, game.meters())


def _own_hand(question: Question, bet: Bet) -> Iterator[Odds]:
    """Paid by the flushes in the player's own cards and the community, whether he folds or not."""
    hand = question.game.hand
    for table in question.tables(bet):
        for readings in question.choices("natural"):
            counted = count_flush_lengths(readings.get("natural", "own-suit"), cards=hand.own + hand.community)
            yield _paid_by_row(question, bet, table, readings, _shares(counted))


def _progressive(question: Question, bet: Bet) -> Iterator[Odds]:
    """Paid by a poker hand, as if no hand that is paid were folded; envy and meters as figures of their own."""
    hand = question.game.hand
    for table in question.tables(bet):
        for readings in question.choices("progressive-hand"):
            seven = readings.get("progressive-hand") == "best-of-seven"
            shares = _shares(count_best_hands(hand.own + hand.community if seven else hand.own))
            yield _paid_by_row(question, bet, table, readings, shares, _of_meters(question, bet, table, shares))


def _of_meters(question: Question, bet: Bet, table: PayTable, shares: Mapping[str, Fraction]) -> dict[str, Any]:
    """What the meters add: the fixed pays alone, the share of each meter a round takes, and where the bet breaks even.

    Meters are counted in wagers, so a wager of 1 dollar reads them in dollars. Envy is what each other bettor at the
    table adds at the base wager, in wagers of 1 dollar.
    """
    fixed, envy, taken = Fraction(0), Fraction(0), dict[str, Fraction]()
    for name, share in shares.items():
        row = question.game.tables[bet.name, table.id][name]
        if row is None:
            continue
        envy += share * row.envy_cents / 100
        if row.pay.meter is None:
            fixed += share * (back_of(row.pay, {}) or 0)
        else:
            taken[row.pay.meter] = taken.get(row.pay.meter, Fraction(0)) + share * row.pay.amount
    also: dict[str, Any] = {"fixed_return": fixed, "meter_share": {name: str(part) for name, part in taken.items()}}
    if len(taken) == 1 and fixed <= 1:
        also["break_even_meter"] = (1 - fixed) / next(iter(taken.values()))
    if envy:
        also["envy_from_each_other"] = envy
    return also


def _race(question: Question, bet: Bet) -> Iterator[Odds]:
    """Paid by how the race ends; only readings that can change this bet are told apart."""
    race = question.game.spec.race
    assert race is not None, "a race bet stands in a game with a [race]"
    matter = {"ace in the flush": "ace-high", "straight flush": "royal-as-straight"}
    names = [matter[row] for row in bet.rows if row in matter]
    for table in question.tables(bet):
        for readings in question.choices(*names):
            yield _paid_by_row(question, bet, table, readings, race_ends(race.column, race.most, readings))


def _paid_by_row(
    question: Question,
    bet: Bet,
    table: PayTable,
    readings: Mapping[str, str],
    shares: Mapping[Any, Fraction],
    also: Mapping[str, Any] = MappingProxyType({}),
) -> Odds:
    """A bet that is paid by the best row, out of the probability of every key of its table."""
    rows = question.game.tables[bet.name, table.id]
    chances: dict[PaidRow | None, Fraction] = {row: Fraction(0) for row in (*dict.fromkeys(rows.values()), None)}
    for key, share in shares.items():
        chances[rows[key]] += share
    meters = {name: Fraction(cents, question.wager_cents) for name, cents in question.meters.items()}
    printed = [row.when for row in table.rows]
    order = sorted(chances, key=lambda row: printed.index(row.when) if row else len(printed))
    outcomes = tuple(
        BetOutcome(row.when, chances[row], back_of(row.pay, meters), row.when)
        if row
        else BetOutcome("no row", chances[row], Fraction(0))
        for row in order
    )
    return Odds(question.game.id, bet.name, table.id, readings, outcomes, also=also, **question.marks(table, readings))


def _shares(counted: Mapping[Any, int]) -> dict[Any, Fraction]:
    total = sum(counted.values())
    return {key: Fraction(number, total) for key, number in counted.items()}


def _together(question: Question, bet: Bet) -> Iterator[Odds]:
    """Decided by fold or play: the module that counts showdowns needs NumPy, so it is loaded when it is asked."""
    try:
        from rules.odds.main_game import main_game
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise ExtraMissing("numpy", "odds") from error
    yield from main_game(question, *question.decided_with(bet))


CountOdds = Callable[[Question, Bet], Iterator[Odds]]

_KINDS: Final[Mapping[str, CountOdds]] = MappingProxyType(
    {
        "own-hand": _own_hand,
        "progressive": _progressive,
        "race": _race,
        **dict.fromkeys(TOGETHER, _together),
    }
)
