"""A pot that rolls over from hand to hand on a meter until a qualifying hand wins it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from rules.bets.hold import Hold
from rules.facts.rake import RakeBox, RakeTaken
from rules.facts.seen import View
from rules.game.pot_spec import POT, PotSpec, RollingPot
from rules.kinds.to_pot import ToPotBet
from rules.pots.awarded import as_awarded
from rules.pots.main import Holds, TablePots, all_held, given_back, held_bets, in_pot, why_lost, won_line
from rules.pots.pot_hands import Share, Shares, by_the_cards
from rules.settlement import Meter, MeterTotal, PotTotal, PotWinner, Rolled, SettlementLine, make_line

LAST: Final = 5
"""Number of the last hand under the reading `last-hand`."""
NEVER: Final = Rolled(0, ())
"""State of a pot that has not rolled over."""


class _Pot(NamedTuple):
    """Contents of the pot: the amount carried over, the contributions of this hand by seat, and the rake."""

    carried: int
    put: Mapping[int, int]
    taken: RakeTaken

    @property
    def cents(self) -> int:
        return self.carried + sum(self.put.values())

    @property
    def left(self) -> int:
        return self.cents - sum(self.taken)


def rolling_pot(view: View, seats: Sequence[Seat], holds: Holds, spec: PotSpec, rolls: RollingPot) -> TablePots:
    """Settle the pot of a round that was played out, including the amount carried over."""
    bets = view.terms.game.into_pot
    inside = [seat for seat in seats if seat.status != "out"]
    meter = view.terms.meters.get(rolls.meter)
    waiting = next(held_bets(view, inside, holds, spec), None) or _may_not(inside, meter, rolls)
    if waiting is not None or meter is None:
        return _hold_for_supervisor(
            inside, bets, meter, rolls, waiting or Hold("no amount was given for the pot", rolls.clause)
        )
    put = {seat.seat: cents for seat in inside if (cents := in_pot(seat, bets))}
    of = meter.cents if view.terms.readings.get("rake-of") == "pot" else 0
    box = RakeBox(view.terms.rake, view.terms.unit_cents)
    pot = _Pot(meter.cents, put, box.of(of + sum(put.values())))
    live = sorted((seat for seat in inside if seat.status == "live" and seat.seat in put), key=lambda seat: seat.seat)
    rolled = meter.rolled or NEVER
    shares = _shares(view, live, pot.left, meter, spec, rolls)
    if isinstance(shares, Hold):
        return _hold_for_supervisor(inside, bets, meter, rolls, shares)
    won = sum(share.cents for share in shares.values())
    lines = [*given_back(view, inside, bets), *_lines(view, inside, pot, shares, rolls)]
    left = pot.left - won
    now = Rolled(rolled.hands + 1, _seats_in_hand(inside, rolls)) if left else None
    return TablePots(
        tuple(lines),
        (_total(pot, live, shares, left),),
        pot.taken.jackpot,
        left - meter.cents,
        (_meter(rolls.meter, meter.cents, left, now),),
    )


def _may_not(seats: Sequence[Seat], meter: Meter | None, rolls: RollingPot) -> Hold | None:
    """Return the hold if a seat may not bet because it sat out a hand for this pot."""
    rolled = meter.rolled if meter is not None else None
    if rolled is None:
        return None
    late = next((seat for seat in _seats_in_hand(seats, rolls) if seat not in rolled.seats), None)
    return Hold(f"seat {late} sat out a hand for this pot", rolls.sits_out) if late is not None else None


def _seats_in_hand(seats: Sequence[Seat], rolls: RollingPot) -> tuple[int, ...]:
    """Return the seats that are in this hand."""
    return tuple(sorted(seat.seat for seat in seats if seat.wagers.get(rolls.enters)))


def _hold_for_supervisor(
    seats: Sequence[Seat], bets: Sequence[ToPotBet], meter: Meter | None, rolls: RollingPot, why: Hold
) -> TablePots:
    """Hold the pot for a supervisor: until then, the amount that rolls over is unknown."""
    waits = all_held(seats, bets, why)
    if meter is None:
        return waits
    return waits._replace(meters=(MeterTotal(rolls.meter, meter.cents, paid=0, reseeded=0, after=None),))


def _shares(
    view: View, live: Sequence[Seat], cents: int, meter: Meter, spec: PotSpec, rolls: RollingPot
) -> Shares | Hold:
    """Return the shares of `cents`: all of it for a qualifying hand or in the last hand, else a part."""
    if not live:
        return {}
    best = by_the_cards(view, live, cents, spec)
    if isinstance(best, Hold):
        return best
    assert spec.high is not None, "the file was examined"
    hand = view.hand(spec.high.hand, next(seat for seat in live if seat.seat in best))
    assert not isinstance(hand, str), "it won by the cards"
    clause, part = spec.high.clause, 100
    if not view.terms.reaches(spec.high.hand, hand, view.terms.game.spec.qualifiers[rolls.qualifier].at_least):
        ends = view.terms.readings.get("last-hand") == "fifth"
        # A meter has money but no count of hands: the fifth hand cannot be identified.
        if ends and meter.cents and meter.rolled is None:
            return Hold("the number of hands for which the pot has rolled over is not known", rolls.last)
        last = ends and (meter.rolled or NEVER).hands + 1 >= LAST
        share = view.terms.readings.get("high-hand-share", "not-set")
        if not last and share == "not-set":
            return Hold("the best hand's part of a pot that rolls over was not set", rolls.high_hand)
        clause, part = (rolls.last, 100) if last else (rolls.high_hand, int(share))
        cents = cents if last else cents * part // 100 // view.terms.unit_cents * view.terms.unit_cents
        best = by_the_cards(view, live, cents, spec)
        if isinstance(best, Hold):
            return best
        best = {seat: each._replace(clause=_share_clauses(each, clause, spec)) for seat, each in best.items()}
    return as_awarded(view.result.awards, 1, cents, best, {seat.seat: seat for seat in live}, spec)


def _share_clauses(share: Share, clause: str, spec: PotSpec) -> str:
    """Return the clauses of a share that is not won by the pot's own qualifying hand."""
    rest = share.clause.removeprefix(spec.high.clause if spec.high is not None else "")
    return f"{clause}{rest}"


def _lines(view: View, seats: Sequence[Seat], pot: _Pot, shares: Shares, rolls: RollingPot) -> Iterator[SettlementLine]:
    over = pot.left - sum(share.cents for share in shares.values())
    of = f"the pot of {dollars(pot.cents)}"
    goes = [f"{dollars(over)} rolls over"] if over else []
    goes = ([f"{' and '.join(f'seat {seat}' for seat in shares)} won"] if shares else []) + goes
    for seat in sorted(seats, key=lambda each: each.seat):
        stake, share = pot.put.get(seat.seat, 0), shares.get(seat.seat)
        if share is not None:
            why = f"{share.facts}: {dollars(share.cents)} of {of}{f', {dollars(over)} rolls over' if over else ''}"
            yield won_line(seat.seat, POT, stake, share, why)
        elif stake:
            won = next((share.clause for share in shares.values()), rolls.clause)
            facts, clause = why_lost(view, seat, won)
            yield make_line(seat.seat, POT, stake, "lose", f"{facts}{of}: {', '.join(goes)}", clause)


def _total(pot: _Pot, live: Sequence[Seat], shares: Shares, over: int) -> PotTotal:
    return PotTotal(
        name=POT,
        cents=pot.cents,
        contenders=tuple(seat.seat for seat in live),
        rake=pot.taken.rake,
        jackpot_rake=pot.taken.jackpot,
        carried=pot.carried,
        rolls_over=over,
        winners=tuple(PotWinner(seat, each.cents, each.won_with, each.clause) for seat, each in shares.items()),
    )


def _meter(name: str, before: int, after: int, rolled: Rolled | None) -> MeterTotal:
    """Return the meter around the round: an increase is a contribution, a decrease a payment."""
    more = after - before
    return MeterTotal(
        name,
        before,
        paid=max(-more, 0),
        reseeded=0,
        after=after,
        contributed=max(more, 0),
        rolled=rolled,
    )
