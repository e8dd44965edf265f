"""The pool that is won by runners: what goes into it, who has a runner for the hand, and who has enough of them.

The wager of whoever wins the main pot comes back, all others go into the pool, those of folded and dead hands too. The
one who has won the main pot alone has a runner for it, for some hands more than one; whoever has enough wins the pool.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from rules.bets.bet import Bet, held
from rules.bets.hold import Hold
from rules.facts.rake import of_pool
from rules.facts.seen import View
from rules.facts.void import why_void
from rules.game.pool_spec import UNSHOWN, PoolSpec
from rules.pots.main import Holds, TablePots
from rules.settlement import MeterTotal, PoolTotal, PotWinner, SeatRunners, SettlementLine, make_line


class Pool(NamedTuple):
    """What became of a pool: a line for each wager, and for what a seat won of it; who has runners now; the meter that
    it is, where it is known how it stood; and the cents that went onto it less a rake that was taken of it."""

    total: PoolTotal
    lines: tuple[SettlementLine, ...] = ()
    meter: MeterTotal | None = None
    into: int = 0


def pool_of(view: View, seats: Sequence[Seat], holds: Holds, pots: TablePots | None) -> Pool | None:
    """The pool after a round; None where the game has none. Of a round that was not played out nothing goes into it,
    and each wager is what the round says of it."""
    spec = view.terms.game.spec.pool
    if spec is None:
        return None
    board = _Board(spec, view.terms.runners, view.result.left)
    if pots is None:
        return Pool(board.total())
    main = next(iter(pots.pots), None)
    winners = main.winners if main is not None else _alone(seats, spec)
    if not winners:
        hold = Hold(f"who wins the pot is not known: {main.held}" if main else "no pot was won", spec.clauses.into)
        return Pool(board.total(), tuple(_all_held(view, seats, hold)))
    if len(winners) == 1:
        board.award(winners[0].seat, _earned(view, seats, winners[0], spec))
    lines = tuple(_wagers(view, seats, holds, [winner.seat for winner in winners], board))
    into = sum(line.stake - line.returned for line in lines if line.result == "lose")
    return _closed(view, board, lines, into)


class _Board:
    """The runners that lie before the seats."""

    def __init__(self, spec: PoolSpec, before: Mapping[int, int], left: Iterable[int]) -> None:
        self.spec, self._before = spec, before
        self._collected = {seat: before[seat] for seat in left if seat in before}
        self.awarded = dict[int, int]()
        self.winner: int | None = None
        """Who has enough."""

    def award(self, seat: int, earned: int) -> None:
        """A seat has won a hand that brings so many: never more than it needs."""
        has = self.of(seat)
        self.awarded[seat] = max(0, min(earned, self.spec.needed - has))
        if earned and has + self.awarded[seat] >= self.spec.needed:
            self.winner = seat

    def of(self, seat: int) -> int:
        """How many lie there."""
        has = self._before.get(seat, 0) + self.awarded.get(seat, 0)
        return has - self._collected.get(seat, 0)

    def collect(self) -> None:
        """All are taken off the table."""
        for seat in {*self._before, *self.awarded}:
            self._collected[seat] = self._collected.get(seat, 0) + self.of(seat)

    def total(self, cents: int = 0, rake: int = 0, why: str = "") -> PoolTotal:
        """As the settlement has it."""
        rows = (
            SeatRunners(
                seat,
                self._before.get(seat, 0),
                self.awarded.get(seat, 0),
                self._collected.get(seat, 0),
                self.of(seat),
            )
            for seat in sorted({*self._before, *self.awarded})
        )
        runners = tuple(each for each in rows if each.before or each.awarded)
        return PoolTotal(self.spec.meter, runners, self.winner, cents, rake, why)


def _alone(seats: Sequence[Seat], spec: PoolSpec) -> tuple[PotWinner, ...]:
    """The one hand that is left where nothing lies in the pot, since all of it went back."""
    live = [seat.seat for seat in seats if seat.status == "live"]
    return (PotWinner(live[0], 0, "last-hand", spec.clauses.back),) if len(live) == 1 else ()


def _earned(view: View, seats: Sequence[Seat], won: PotWinner, spec: PoolSpec) -> int:
    """How many runners the hand brings that has won the pot."""
    if won.won_with == "last-hand":
        return 1 if view.terms.readings.get(UNSHOWN, "counts") == "counts" else 0
    hand = view.hand(spec.hand, next(seat for seat in seats if seat.seat == won.seat))
    if isinstance(hand, str):  # it was awarded the pot, and that stands
        return 1
    return next((each.runners for each in spec.more if view.terms.holds(spec.hand, hand, each.row)), 1)


def _wagers(
    view: View, seats: Sequence[Seat], holds: Holds, winners: Sequence[int], board: _Board
) -> Iterator[SettlementLine]:
    """A line for each wager to the pool, and one more for a part that the round gave back."""
    clauses = board.spec.clauses
    for seat, bet, stake in _made(view, seats):
        hold = holds.get(seat.seat, {}).get(bet.name)
        back = seat.returned.get(bet.name, 0)
        if back > stake and hold is None:
            hold = Hold(f"seat {seat.seat} has more of {bet.name} back than it bet", bet.clauses.win)
        if hold is not None:
            yield held(bet, seat.seat, stake, hold)
            continue
        if back:
            why, clause = why_void(view.result, seat, view.terms.game.spec.returns)
            yield make_line(seat.seat, bet.name, back, "returned", f"{why}: {bet.name} comes back", clause)
        if back == stake:
            continue
        if seat.seat not in winners:
            why = f"{bet.name} goes into the {board.spec.meter} pool"
            yield make_line(seat.seat, bet.name, stake - back, "lose", why, clauses.into)
        elif len(winners) > 1:
            why = f"the pot is split, which brings no runner: {bet.name} comes back"
            yield make_line(seat.seat, bet.name, stake - back, "returned", why, clauses.tie)
        else:
            why = f"wins the pot: {bet.name} comes back{_brought(board, seat.seat)}"
            clause = f"{clauses.back}, {clauses.runner}" if clauses.back != clauses.runner else clauses.back
            yield make_line(seat.seat, bet.name, stake - back, "returned", why, clause)


def _brought(board: _Board, seat: int) -> str:
    """What the hand has brought, in words."""
    number = board.awarded[seat]
    what = "no runner" if not number else "a runner" if number == 1 else f"{number} runners"
    return f", and the hand brings {what}: {board.of(seat)} of {board.spec.needed}"


def _made(view: View, seats: Sequence[Seat]) -> Iterator[tuple[Seat, Bet, int]]:
    """The wagers to the pool of those who were dealt in."""
    bets = view.terms.game.into_pool
    for seat in seats:
        for bet in bets if seat.status != "out" else ():
            if stake := seat.wagers.get(bet.name):
                yield seat, bet, stake


def _all_held(view: View, seats: Sequence[Seat], hold: Hold) -> Iterator[SettlementLine]:
    return (held(bet, seat.seat, stake, hold) for seat, bet, stake in _made(view, seats))


def _closed(view: View, board: _Board, lines: tuple[SettlementLine, ...], into: int) -> Pool:
    """The pool with what went into it, and paid where a seat has enough runners."""
    spec, terms = board.spec, view.terms
    meter = terms.meters.get(spec.meter)
    if board.winner is None:
        after = meter.cents + into if meter is not None else None
        moved = MeterTotal(spec.meter, meter.cents, 0, 0, after, contributed=into) if meter is not None else None
        return Pool(board.total(), lines, moved, into)
    facts = f"{board.of(board.winner)} runners win the {spec.meter} pool"
    clause = f"{spec.clauses.win}, {spec.clauses.collected}"
    if meter is None:
        why = f"{facts}, but no amount was given for the meter"
        line = make_line(board.winner, spec.meter, 0, "held", why, clause)
        return Pool(board.total(why=why), (*lines, line), None, into)
    if waits := next((line for line in lines if line.result == "held"), None):
        why = f"{facts}, but {waits.bet} of seat {waits.seat} is held, which may be part of it"
        line = make_line(board.winner, spec.meter, 0, "held", why, clause)
        return Pool(board.total(why=why), (*lines, line), None, into)
    cents = meter.cents + into
    rake = of_pool(cents, terms.rake, terms.unit_cents)
    board.collect()
    less = f", less a rake of {dollars(rake)}" if rake else ""
    why = f"{facts} of {dollars(cents)}{less}; all runners are collected"
    clause = f"{clause}, {spec.rake.clause}" if rake and spec.rake is not None else clause
    line = make_line(board.winner, spec.meter, 0, "win", why, clause, pay=cents - rake, meter=spec.meter)
    moved = MeterTotal(spec.meter, meter.cents, cents, 0, 0, contributed=into)
    return Pool(board.total(cents, rake), (*lines, line), moved, into - rake)
