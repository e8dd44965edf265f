"""The house's commission on wins: a percentage set by the house within the limits of the regulation."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from msgspec.structs import replace

from dealer_flow.english import dollars
from rules.bets.bet import Bet
from rules.bets.bet_terms import Charge
from rules.errors import SettlementRefused
from rules.game.load import Game
from rules.settlement import SettlementLine

_PERCENT: Final = re.compile(r"\d{1,3}(\.\d{1,4})?")


@dataclass(frozen=True, slots=True)
class Commission:
    """A commission in percent as it was written: `5`, `2.5`; empty for none."""

    text: str = ""

    def taken_of(
        self, lines: Iterable[SettlementLine], game: Game, readings: Mapping[str, str], unit: int
    ) -> list[SettlementLine]:
        """Return the lines less the commission on wins, rounded down to the unit of the pays because rounding up would
        exceed the percentage."""
        if not self.text:
            return list(lines)
        return [self._of(line, bet, unit) if (bet := _charged(line, game, readings)) else line for line in lines]

    def _of(self, line: SettlementLine, bet: Bet, unit: int) -> SettlementLine:
        exact = line.pay * Fraction(self.text) / 100
        taken = int(exact // unit) * unit
        rounded = "" if taken == exact else f", rounded down to {dollars(unit)}"
        why = f"{line.why}, less {self.text} % commission: {dollars(taken)}{rounded} ({bet.commission})"
        return replace(line, commission=taken, net=line.net - taken, why=why)


def _charged(line: SettlementLine, game: Game, readings: Mapping[str, str]) -> Bet | None:
    """Return the bet of a line that pays a commission; None for any other line."""
    bet = game.bets.get(line.bet)
    if bet is None or not bet.commission or line.result != "win":
        return None
    return bet if bet.commission_when is None or bet.commission_when.holds(readings) else None


def commission(value: str | int, charge: Charge | None) -> Commission:
    """Return the commission for a percentage; raise SettlementRefused if it is malformed or not allowed by the game."""
    text = str(value)
    allowed = "0" if charge is None else _allowed(charge)
    if isinstance(value, bool) or not _PERCENT.fullmatch(text):
        raise SettlementRefused("commission", value, [allowed])
    percent = Fraction(text)
    most = charge.most_percent if charge else 0
    if percent > most or (charge is not None and charge.only and percent not in (0, most)):
        raise SettlementRefused("commission", value, [allowed])
    if not percent:
        return Commission()
    return Commission(text.rstrip("0").rstrip(".") if "." in text else str(int(text)))


def _allowed(charge: Charge) -> str:
    return f"{'0 or' if charge.only else '0 to'} {charge.most_percent} percent ({charge.clause})"
