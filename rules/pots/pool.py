"""The pool that is won by runners: contributions, runners for the hand, and the seat that has enough of them.

The wager of the main pot's winner comes back; all others go into the pool, including those of folded and dead hands. A
sole winner of the main pot earns a runner, or more for some hands; the seat with enough runners wins the pool.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from rules.bets.bet import Bet, held
from rules.bets.hold import Hold
from rules.facts.rake import pool_rake
from rules.facts.seen import View
from rules.facts.void import why_void
from rules.game.pool_spec import UNSHOWN, PoolSpec
from rules.pots.main import Holds, TablePots
from rules.settlement import MeterTotal, PoolTotal, PotWinner, SeatRunners, SettlementLine, make_line


class Pool(NamedTuple):
    """Result of a pool: a line for each wager and for winnings; the runners; the pool's meter, if its amount is known;
    and the cents added to it less a rake."""

    total: PoolTotal
    lines: tuple[SettlementLine, ...] = ()
    meter: MeterTotal | None = None
    into: int = 0


def pool_of(view: View, seats: Sequence[Seat], holds: Holds, pots: TablePots | None) -> Pool | None:
    """Return the pool after a round; None if the game has none.

    If the round was not played out, nothing goes into it, and the round's record decides each wager.
    """
    spec = view.terms.game.spec.pool
    if spec is None:
        return None
    board = _Board(spec, view.terms.runners, view.result.left)
    if pots is None:
        return Pool(board.total())
    main = next(iter(pots.pots), None)
    winners = main.winners if main is not None else _last_hand_left(seats, spec)
    if not winners:
        hold = Hold(f"who wins the pot is not known: {main.held}" if main else "no pot was won", spec.clauses.into)
        return Pool(board.total(), tuple(_all_held(view, seats, hold)))
    if len(winners) == 1:
        board.award(winners[0].seat, _runners_earned(view, seats, winners[0], spec))
    lines = tuple(_wagers(view, seats, holds, [winner.seat for winner in winners], board))
    into = sum(line.stake - line.returned for line in lines if line.result == "lose")
    return _closed(view, board, lines, into)


class _Board:
    """The runners at the seats."""

    def __init__(self, spec: PoolSpec, before: Mapping[int, int], left: Iterable[int]) -> None:
        self.spec, self._before = spec, before
        self._collected = {seat: before[seat] for seat in left if seat in before}
        self.awarded = dict[int, int]()
        self.winner: int | None = None
        """The seat that has enough."""

    def award(self, seat: int, earned: int) -> None:
        """Award runners to a seat for a hand it won, up to the number it needs."""
        has = self.of(seat)
        self.awarded[seat] = max(0, min(earned, self.spec.needed - has))
        if earned and has + self.awarded[seat] >= self.spec.needed:
            self.winner = seat

    def of(self, seat: int) -> int:
        """Return the number of a seat's runners."""
        has = self._before.get(seat, 0) + self.awarded.get(seat, 0)
        return has - self._collected.get(seat, 0)

    def collect(self) -> None:
        """Collect all runners from the table."""
        for seat in {*self._before, *self.awarded}:
            self._collected[seat] = self._collected.get(seat, 0) + self.of(seat)

    def total(self, cents: int = 0, rake: int = 0, why: str = "") -> PoolTotal:
        """Return the pool as the settlement lists it."""
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


def _last_hand_left(seats: Sequence[Seat], spec: PoolSpec) -> tuple[PotWinner, ...]:
    """Return the last remaining hand as the winner of a pot that is empty because all of it went back."""
    live = [seat.seat for seat in seats if seat.status == "live"]
    return (PotWinner(live[0], 0, "last-hand", spec.clauses.back),) if len(live) == 1 else ()


def _runners_earned(view: View, seats: Sequence[Seat], won: PotWinner, spec: PoolSpec) -> int:
    """Return the number of runners that the hand that won the pot earns."""
    if won.won_with == "last-hand":
        return 1 if view.terms.readings.get(UNSHOWN, "counts") == "counts" else 0
    hand = view.hand(spec.hand, next(seat for seat in seats if seat.seat == won.seat))
    if isinstance(hand, str):  # its cards are unknown, but it was awarded the pot, which stands
        return 1
    return next((each.runners for each in spec.more if view.terms.holds(spec.hand, hand, each.row)), 1)


def _wagers(
    view: View, seats: Sequence[Seat], holds: Holds, winners: Sequence[int], board: _Board
) -> Iterator[SettlementLine]:
    """Yield a line for each wager to the pool, and one more for a part that the round gave back."""
    clauses = board.spec.clauses
    for seat, bet, stake in _made(view, seats):
        hold = holds.get(seat.seat, {}).get(bet.name)
        back = seat.returned.get(bet.name, 0)
        if back > stake and hold is None:
            hold = Hold(f"seat {seat.seat} got back more of {bet.name} than it bet", bet.clauses.win)
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
            why = f"the pot is split, which earns no runner: {bet.name} comes back"
            yield make_line(seat.seat, bet.name, stake - back, "returned", why, clauses.tie)
        else:
            why = f"wins the pot: {bet.name} comes back{_describe_runners(board, seat.seat)}"
            clause = f"{clauses.back}, {clauses.runner}" if clauses.back != clauses.runner else clauses.back
            yield make_line(seat.seat, bet.name, stake - back, "returned", why, clause)


def _describe_runners(board: _Board, seat: int) -> str:
    """Describe the runners that the hand earned."""
    number = board.awarded[seat]
    what = "no runner" if not number else "a runner" if number == 1 else f"{number} runners"
    return f", and the hand earns {what}: {board.of(seat)} of {board.spec.needed}"


def _made(view: View, seats: Sequence[Seat]) -> Iterator[tuple[Seat, Bet, int]]:
    """Yield the wagers to the pool of the seats that were dealt in."""
    bets = view.terms.game.into_pool
    for seat in seats:
        for bet in bets if seat.status != "out" else ():
            if stake := seat.wagers.get(bet.name):
                yield seat, bet, stake


def _all_held(view: View, seats: Sequence[Seat], hold: Hold) -> Iterator[SettlementLine]:
    return (held(bet, seat.seat, stake, hold) for seat, bet, stake in _made(view, seats))


def _closed(view: View, board: _Board, lines: tuple[SettlementLine, ...], into: int) -> Pool:
    """Return the pool with its contributions, paid if a seat has enough runners."""
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
    rake = pool_rake(cents, terms.rake, terms.unit_cents)
    board.collect()
    less = f", less a rake of {dollars(rake)}" if rake else ""
    why = f"{facts} of {dollars(cents)}{less}; all runners are collected"
    clause = f"{clause}, {spec.rake.clause}" if rake and spec.rake is not None else clause
    line = make_line(board.winner, spec.meter, 0, "win", why, clause, pay=cents - rake, meter=spec.meter)
    moved = MeterTotal(spec.meter, meter.cents, cents, 0, 0, contributed=into)
    return Pool(board.total(cents, rake), (*lines, line), moved, into - rake)
