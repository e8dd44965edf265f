"""The house's rake on pots, within the limits of the regulation, and the jackpot drop that is taken separately."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final, NamedTuple

from msgspec.structs import replace

from dealer_flow.record.result import RoundResult
from rules.bets.bet_terms import Charge
from rules.errors import SettlementRefused
from rules.game.load import Game
from rules.settlement import NO_PERCENT, HouseRake, RakeStep

_PERCENT: Final = re.compile(r"\d{1,3}(\.\d{1,4})?")


class RakeTaken(NamedTuple):
    """Cents taken of a pot: the house's rake, and the jackpot drop."""

    rake: int = 0
    jackpot: int = 0


def offers_jackpot(rake: HouseRake, result: RoundResult, total: int) -> bool:
    """Return True if a hand with `total` cents in its pots has what the house asks for its jackpot: the drop and the
    award."""
    if total < rake.jackpot_least_pot_cents:
        return False
    least = rake.jackpot_least_players
    return not least or sum(seat.status != "out" for seat in result.seats) >= least


class RakeBox:
    """Rake of the pots of one round, taken pot by pot, the main pot first. `total` returns what all of them hold."""

    def __init__(self, rake: HouseRake | None, unit: int, result: RoundResult, total: Callable[[], int]) -> None:
        self._rake = rake or HouseRake()
        self._unit = unit
        self._left = self._rake.cap_cents
        self._jackpot = self._rake.jackpot_cents
        if rake is not None and (rake.steps or rake.no_flop_no_drop or rake.jackpot_least_pot_cents):
            self._apply_conditions(rake, result, total())
        elif rake is not None and rake.jackpot_least_players:
            self._apply_conditions(rake, result, 0)

    def _apply_conditions(self, rake: HouseRake, result: RoundResult, total: int) -> None:
        """Apply what depends on the hand: the size of its pots, the players dealt in, and the flop."""
        if rake.steps:
            due = max((step.take_cents for step in rake.steps if step.from_cents <= total), default=0)
            self._left = due if self._left is None else min(self._left, due)
        if not offers_jackpot(rake, result, total):
            self._jackpot = 0
        if rake.no_flop_no_drop and not result.community:
            self._left = self._jackpot = 0

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
    _agree_schedule(game, rake)
    jackpot = spec.jackpot_rake if spec is not None else None
    if not 0 <= rake.jackpot_cents <= (jackpot.most_cents if jackpot is not None else 0):
        allowed = f"0 to {jackpot.most_cents} cents ({jackpot.clause})" if jackpot is not None else "0"
        raise SettlementRefused("rake for a jackpot", rake.jackpot_cents, [allowed])
    # Conditions of a jackpot drop stay: a jackpot's own file may set the amount.
    waits = rake.jackpot_least_pot_cents or rake.jackpot_least_players or rake.no_flop_no_drop
    if not Fraction(rake.percent) and not rake.jackpot_cents and not Fraction(rake.pool_percent) and not waits:
        return None
    return replace(rake, percent=_shortest(rake.percent), pool_percent=_shortest(rake.pool_percent))


def _agree_schedule(game: Game, rake: HouseRake) -> None:
    """Check the steps by the size of the pot, and the conditions of a drop."""
    if rake.steps and game.spec.pot is None:
        raise SettlementRefused(
            "rake step", f"{rake.steps[0].take_cents} cents", [f"no steps in {game.id}, only a percentage"]
        )
    below = RakeStep(0, 0)
    for step in rake.steps:
        if step.from_cents <= below.from_cents or step.take_cents <= below.take_cents:
            raise SettlementRefused("rake step", f"{step.take_cents} from {step.from_cents} cents", ["steps that rise"])
        if step.take_cents > step.from_cents * Fraction(rake.percent) / 100:
            most = int(step.from_cents * Fraction(rake.percent) / 100)
            allowed = f"{most} cents or less, {_shortest(rake.percent)} percent of the pot"
            raise SettlementRefused("rake step", f"{step.take_cents} from {step.from_cents} cents", [allowed])
        below = step
    for what, figure in (("pot", rake.jackpot_least_pot_cents), ("players", rake.jackpot_least_players)):
        if figure < 0:
            raise SettlementRefused(f"rake for a jackpot, least {what}", figure, ["0 or more"])
    if rake.no_flop_no_drop and not any(isinstance(hand.of.get("community"), int) for hand in game.spec.hands.values()):
        raise SettlementRefused("rake without a flop", "no-flop-no-drop", [f"false, since {game.id} has no flop"])


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
