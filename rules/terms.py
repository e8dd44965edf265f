"""On which terms a round is settled: the game, the options chosen, checked once before any money moves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from rules.errors import SettlementRefused
from rules.game import Game
from rules.hands import RANKINGS, Ranking
from rules.paytable import FlatTable, PaidRow
from rules.readings import READINGS

ROUNDINGS: Final = ("down-to-token", "down-to-cent")


@dataclass(frozen=True, slots=True)
class Meter:
    """A progressive meter as shown before the round: its cents, and the seed a 100 % pay sets it to, if known.

    The reserve is added to the seed then (WA, progressive systems flexibility, reserve contribution).
    """

    cents: int
    seed_cents: int | None = None
    reserve_cents: int = 0

    def __post_init__(self) -> None:
        least = min(self.cents, self.seed_cents or 0, self.reserve_cents)
        if least < 0:
            raise SettlementRefused("meter amount", least, ["0 or more cents"])


@dataclass(frozen=True, slots=True)
class Terms:
    """Everything `settle` was told, complete and valid. `unit_cents` is the smallest amount a house pay leaves."""

    game: Game
    readings: dict[str, str]
    paytables: dict[str, str]
    rounding: str
    unit_cents: int
    envy_base_cents: int
    meters: Mapping[str, Meter] = field(default_factory=dict)
    limit_cents: int | None = None

    @property
    def rank(self) -> Ranking:
        """How this game ranks hands."""
        return RANKINGS[self.game.hand.ranking]

    def table(self, bet: str) -> FlatTable:
        """The pay table chosen for `bet`."""
        return self.game.tables[bet, self.paytables[bet]]

    def paid(self, stake: int, row: PaidRow) -> tuple[int, Fraction | int]:
        """Cents a fixed pay gives on `stake` after rounding, and the exact cents the rounding kept."""
        return round_down(stake * row.pay.amount.numerator, row.pay.amount.denominator, self.unit_cents)


def round_down(numerator: int, denominator: int, unit: int) -> tuple[int, Fraction | int]:
    """Whole units in numerator/denominator cents, in cents, and the exact rest."""
    cents = numerator // (denominator * unit) * unit
    rest = numerator - cents * denominator
    return cents, Fraction(rest, denominator) if rest else 0


def agree(
    game: Game,
    *,
    paytables: Mapping[str, str],
    readings: Mapping[str, str],
    rounding: str,
    token_cents: int,
    envy_base_cents: int,
    meters: Mapping[str, Meter | int],
    limit_cents: int | None = None,
    accept_suspect: bool = False,
) -> Terms:
    """Terms from what a caller asked; SettlementRefused names what is unknown and what is allowed."""
    chosen_tables, chosen_readings = _choose_tables(game, paytables), _choose_readings(game, readings)
    for name in meters:
        if name not in game.meters():
            raise SettlementRefused("meter", name, game.meters())
    if rounding not in ROUNDINGS:
        raise SettlementRefused("rounding", rounding, ROUNDINGS)
    for what, cents in (("token", token_cents), ("envy base wager", envy_base_cents)):
        if cents < 1:
            raise SettlementRefused(what, cents, ["1 cent or more"])
    if not accept_suspect:
        _refuse_suspects(game, chosen_tables, chosen_readings)
    return Terms(
        limit_cents=_agree_limit(game, limit_cents),
        game=game,
        readings=chosen_readings,
        paytables=chosen_tables,
        rounding=rounding,
        unit_cents=token_cents if rounding == "down-to-token" else 1,
        envy_base_cents=envy_base_cents,
        meters={name: Meter(meter) if isinstance(meter, int) else meter for name, meter in meters.items()},
    )


def _choose_tables(game: Game, wanted: Mapping[str, str]) -> dict[str, str]:
    chosen = game.default_paytables()
    for bet, table in wanted.items():
        if bet not in chosen:
            raise SettlementRefused("pay table for bet", bet, chosen)
        if table not in game.bets[bet].paytables:
            raise SettlementRefused(f"pay table of {bet}", table, game.bets[bet].paytables)
        chosen[bet] = table
    return chosen


def _choose_readings(game: Game, wanted: Mapping[str, str]) -> dict[str, str]:
    chosen = game.default_readings()
    for name, option in wanted.items():
        if name not in chosen:
            raise SettlementRefused("reading", name, chosen)
        if option not in READINGS[name]:
            raise SettlementRefused(f"reading {name}", option, READINGS[name])
        chosen[name] = option
    return chosen


def _refuse_suspects(game: Game, tables: Mapping[str, str], readings: Mapping[str, str]) -> None:
    """A print that cannot be meant settles no real bet unless someone says that it shall."""
    for bet, table in tables.items():
        if why := game.paytables[table].suspect:
            clear = [name for name in game.bets[bet].paytables if not game.paytables[name].suspect]
            raise SettlementRefused(f"suspect pay table of {bet} ({why})", table, [*clear, "accept_suspect=True"])
    for name, option in readings.items():
        suspect = game.spec.readings[name].suspect
        if option in suspect:
            clear = [each for each in READINGS[name] if each not in suspect]
            raise SettlementRefused(
                f"suspect reading {name} ({suspect[option]})", option, [*clear, "accept_suspect=True"]
            )


def _agree_limit(game: Game, limit_cents: int | None) -> int | None:
    """The table's own limit, which may be lower than the law's and never higher."""
    law = game.spec.limit
    most = law.each_bet_cents if law else None
    if limit_cents is None:
        return most
    if limit_cents < 1 or (most is not None and limit_cents > most):
        allowed = f"1 to {most} cents ({law.clause})" if most and law else "1 cent or more"
        raise SettlementRefused("limit of each bet", limit_cents, [allowed])
    return limit_cents
