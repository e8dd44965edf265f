"""Order in which a dealer settles: rounds around the table, each with its bets, from one end to the other."""

from collections.abc import Sequence
from functools import partial
from itertools import compress

from rules.game.pot_spec import POT, is_of_pot
from rules.game.schema import OrderPass
from rules.settlement import SettlementLine


def settles_by_seat(phases: Sequence[OrderPass]) -> bool:
    """Return True if the dealer goes around the table once and settles all bets of a seat in the order of the game
    file."""
    first = phases[0]
    return len(phases) == 1 and not (first.bets or first.only or first.leaving or first.losers_first)


def in_order(lines: Sequence[SettlementLine], phases: Sequence[OrderPass]) -> list[SettlementLine]:
    """Return the lines in the order of the phases: each in the first phase that applies to it, the others last in the
    order of the game file."""
    if settles_by_seat(phases):
        return list(lines)
    left = list(lines)
    found: list[SettlementLine] = []
    for phase in phases:
        mine = [_in(line, phase) for line in left]
        found += sorted(compress(left, mine), key=partial(_line_order, phase))
        left = [line for line, taken in zip(left, mine, strict=True) if not taken]
    return found + left


def _line_order(phase: OrderPass, line: SettlementLine) -> tuple[int, bool]:
    """Sort key of a line within a phase: by seat and, if the phase says so, a seat's wins last."""
    seat = -line.seat if phase.seats == "descending" else line.seat
    return seat, phase.losers_first and line.result == "win"


def _in(line: SettlementLine, phase: OrderPass) -> bool:
    if phase.bets and line.bet not in phase.bets and not (POT in phase.bets and is_of_pot(line.bet)):
        return False
    if line.bet in phase.leaving and line.result == "win":
        return False
    if phase.only == "unqualified":
        return line.clause == phase.clause
    return not phase.only or (line.result == "lose") == (phase.only == "lost")
