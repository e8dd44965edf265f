"""The house's rake on pots, within the limits of the regulation, and the jackpot drop that is taken separately."""

import re
from fractions import Fraction
from typing import Final, NamedTuple

from msgspec.structs import replace

from rules.bets.bet_terms import Charge
from rules.errors import SettlementRefused
from rules.game.load import Game
from rules.settlement import NO_PERCENT, HouseRake

_PERCENT: Final = re.compile(r"\d{1,3}(\.\d{1,4})?")


class RakeTaken(NamedTuple):
    """Cents taken of a pot: the house's rake, and the jackpot drop."""

    rake: int = 0
    jackpot: int = 0


class RakeBox:
    """Rake of the pots of one round, taken pot by pot, the main pot first."""

    def __init__(self, rake: HouseRake | None, unit: int) -> None:
        self._rake = rake or HouseRake()
        self._unit = unit
        self._left = self._rake.cap_cents
        self._jackpot = self._rake.jackpot_cents

    def of(self, cents: int) -> RakeTaken:
        """Take the rake and the jackpot drop of a pot.

        The rake of each pot is limited by what is left of the cap. The jackpot drop is what is still due, limited by
        the pot.
        """
        rake = self._rake.of(cents, self._unit)
        if self._left is not None:
            rake = min(rake, self._left)
            self._left -= rake
        # The rake comes first; a small pot may leave less for the jackpot.
        jackpot = min(self._jackpot, cents - rake)
        self._jackpot -= jackpot
        return RakeTaken(rake, jackpot)

    def give_back(self, taken: RakeTaken) -> None:
        """Cancel the rake of a pot that is held."""
        if self._left is not None:
            self._left += taken.rake
        self._jackpot += taken.jackpot


def agree_rake(game: Game, rake: HouseRake | None) -> HouseRake | None:
    """Return the rake after checking it against the regulation; None if it takes nothing. Raises SettlementRefused if
    it is not allowed."""
    if rake is None:
        return None
    spec, of_pots = game.spec.pot, game.rake
    for what, given, charge in (
        ("rake", rake.percent, of_pots),
        ("rake of the pool", rake.pool_percent, game.spec.pool.rake if game.spec.pool is not None else None),
    ):
        if not _PERCENT.fullmatch(given) or Fraction(given) > (charge.most_percent if charge is not None else 0):
            raise SettlementRefused(what, given, [_allowed(charge)])
    for what, cents, least in (("cap", rake.cap_cents, 0), ("step", rake.step_cents, 1)):
        if cents is not None and cents < least:
            raise SettlementRefused(f"rake {what}", cents, [f"{least} or more cents"])
    most = of_pots.most_cents if of_pots is not None else None
    if of_pots is not None and most is not None and (rake.cap_cents or 0) > most:
        raise SettlementRefused("rake cap", rake.cap_cents or 0, [f"0 to {most} cents ({of_pots.clause})"])
    jackpot = spec.jackpot_rake if spec is not None else None
    if not 0 <= rake.jackpot_cents <= (jackpot.most_cents if jackpot is not None else 0):
        allowed = f"0 to {jackpot.most_cents} cents ({jackpot.clause})" if jackpot is not None else "0"
        raise SettlementRefused("rake for a jackpot", rake.jackpot_cents, [allowed])
    if not Fraction(rake.percent) and not rake.jackpot_cents and not Fraction(rake.pool_percent):
        return None
    return replace(rake, percent=_shortest(rake.percent), pool_percent=_shortest(rake.pool_percent))


def _shortest(percent: str) -> str:
    if not Fraction(percent):
        return NO_PERCENT
    return percent.rstrip("0").rstrip(".") if "." in percent else str(int(percent))


def pool_rake(cents: int, rake: HouseRake | None, unit: int) -> int:
    """Return the rake of a pool that is won, rounded down."""
    rake = rake or HouseRake()
    step = rake.step_cents or unit
    return int(cents * Fraction(rake.pool_percent) / 100 // step) * step


def _allowed(charge: Charge | None) -> str:
    return f"0 to {charge.most_percent} percent ({charge.clause})" if charge is not None else "0"
