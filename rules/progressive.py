"""The progressive bet of a table: own five cards, fixed pays from the tray, shares of a meter in order, envy last.

CO 47.1-1017.60 progressive (2), (6)-(9). Fixed pays are "for 1": the stake is gone. A meter's pay is exact to the
cent and is taken off before the next one is worked out, since two may win in one round.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from msgspec.structs import replace

from dealer_flow.record.result import Seat
from rules import bets
from rules.checks import Hold, dollars, known_cards, wrong_count
from rules.game import Bet
from rules.hands.five_card import best_five
from rules.paytable import PaidRow
from rules.readings import right_first
from rules.settlement import MeterTotal, SettlementLine, make_line
from rules.terms import Meter, Terms, round_down

ENVY = "envy"
"""Bet name of the lines that pay envy."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """One seat's bet. `hold` says why it cannot be settled, `breaks_rule` that the wager itself is the reason;
    `open` that a person may yet find it paid, from a meter perhaps."""

    seat: Seat
    stake: int
    folded: bool
    hold: Hold | None = None
    open: bool = False
    breaks_rule: bool = False
    hand: str = ""
    row: PaidRow | None = None


@dataclass(frozen=True, slots=True)
class Progressive:
    """What became of one progressive bet: a line by seat, envy lines in the dealer's order, the meters after it."""

    lines: dict[int, SettlementLine] = field(default_factory=dict)
    envy: tuple[SettlementLine, ...] = ()
    meters: tuple[MeterTotal, ...] = ()


def resolve(
    bet: Bet,
    seats: Sequence[Seat],
    terms: Terms,
    holds: Mapping[int, Hold | None],
    *,
    community: Sequence[str],
    alone: bool,
) -> Progressive:
    """Resolve `bet` for the seats that made it and whose hands are not dead, given in the dealer's order.

    `holds` says why a seat's bet breaks a rule. `alone`: the round is played for the progressive only, so without a
    jackpot hand every bet comes back.
    """
    entries = [_enter(bet, seat, terms, holds[seat.seat], community) for seat in seats]
    meters = {name: _as_shown(name, meter) for name, meter in terms.meters.items()}
    if alone and not any(_keeps_alive(entry, terms) for entry in entries):
        void = _void(bet, entries, terms)
        return Progressive(void, meters=tuple(meters.values()))
    lines: dict[int, SettlementLine] = {}
    before = ""
    for entry in sorted(entries, key=lambda entry: entry.seat.seat, reverse=right_first(terms.readings)):
        lines[entry.seat.seat] = _line(bet, entry, terms, meters, before)
        if entry.open:
            before = f"the bet of seat {entry.seat.seat}, which comes first, is held"
    return Progressive(lines, _envy(bet, entries, terms), tuple(meters.values()))


def _enter(bet: Bet, seat: Seat, terms: Terms, hold: Hold | None, community: Sequence[str]) -> _Entry:
    stake, own, breaks_rule = seat.wagers[bet.name], terms.game.hand.own, hold is not None
    if seat.status == "folded" and terms.readings.get("folded-progressive") != "stands":
        return _Entry(seat, stake, folded=True, hold=hold, breaks_rule=breaks_rule)
    cards = known_cards(seat.cards, own, f"seat {seat.seat}")
    if wrong_count(seat, own):
        cards = f"seat {seat.seat} is {seat.status} with {seat.counted} cards counted"
    elif terms.readings.get("progressive-hand") == "best-of-seven" and not isinstance(cards, str):
        shared = known_cards(community, terms.game.hand.community, "the community")
        cards = shared if isinstance(shared, str) else cards + shared
    if isinstance(cards, str):
        hold = hold or Hold(cards, bet.clauses.lose)
        return _Entry(seat, stake, folded=False, hold=hold, open=True, breaks_rule=breaks_rule)
    hand = best_five(cards)
    row = terms.table(bet.name)[hand]
    if hold is not None:
        return _Entry(seat, stake, folded=False, hold=hold, open=row is not None, breaks_rule=True)
    return _Entry(seat, stake, folded=False, hand=hand, row=row)


def _keeps_alive(entry: _Entry, terms: Terms) -> bool:
    if entry.row is None:
        return False
    return terms.readings.get("jackpot-hand") != "meter-row" or entry.row.pay.meter is not None


def _void(bet: Bet, entries: Sequence[_Entry], terms: Terms) -> dict[int, SettlementLine]:
    """Nobody is known to hold a jackpot hand: every bet comes back, unless an open one might be one."""
    returns = terms.game.spec.returns
    back = f"no progressive jackpot hand at the table: all hands are dead and {bet.name} comes back"
    doubt = next((entry.hold.why for entry in entries if entry.open and entry.hold), None)
    lines = {}
    for entry in entries:
        number, hold = entry.seat.seat, entry.hold
        if hold is None and doubt is not None:
            hold = Hold(f"whether a hand at the table is a jackpot hand is open: {doubt}", returns.no_jackpot_hand)
        why, clause = (hold.why, hold.clause) if hold else (back, returns.no_jackpot_hand)
        lines[number] = make_line(number, bet.name, entry.stake, "held" if hold else "returned", why, clause)
    return lines


def _line(bet: Bet, entry: _Entry, terms: Terms, meters: dict[str, MeterTotal], before: str) -> SettlementLine:
    number, name, table = entry.seat.seat, bet.name, terms.paytables[bet.name]
    if entry.hold is not None:
        return bets.held(bet, number, entry.stake, entry.hold)
    if entry.folded:
        why = f"folded: {name} loses"
        return make_line(number, name, entry.stake, "lose", why, bet.clauses.fold)
    if entry.row is None:
        why = f"{_whose(terms)} make {entry.hand}: {name} loses"
        return make_line(number, name, entry.stake, "lose", why, bet.clauses.lose, paytable=table)
    if entry.row.pay.meter is not None:
        return _meter_line(bet, entry, entry.row, terms, meters, before)
    facts = f"{_whose(terms)} make {_article(entry.hand)}{entry.hand}"
    return bets.won(bet, entry.stake, number, facts, entry.row, table, terms)


def _as_shown(name: str, meter: Meter) -> MeterTotal:
    """A meter before anything is paid from it."""
    kept = {"reserve_before": meter.reserve_cents, "reserve_after": meter.reserve_cents}
    return MeterTotal(name=name, before=meter.cents, paid=0, reseeded=0, after=meter.cents, **kept)


def _take(meters: dict[str, MeterTotal], name: str, share: Fraction, seed: int | None) -> tuple[int, Fraction | int]:
    """Take a share off a meter, to the cent: the cents and what stays; all of it makes the meter start again."""
    meter = meters[name]
    shown = meter.after or 0
    cents, rest = round_down(shown * share.numerator, share.denominator, 1)
    meter = replace(meter, paid=meter.paid + cents, after=shown - cents)
    if share == 1 and seed is None:
        meter = replace(meter, after=None, reseeded=None)
    elif share == 1 and seed is not None:
        start = seed + meter.reserve_after
        meter = replace(meter, after=start, reseeded=(meter.reseeded or 0) + start, reserve_after=0)
    meters[name] = meter
    return cents, rest


def _meter_line(
    bet: Bet, entry: _Entry, row: PaidRow, terms: Terms, meters: dict[str, MeterTotal], before: str
) -> SettlementLine:
    """A share of a meter: only when the meter's amount is known at the moment this seat's turn comes."""
    number, name, pay = entry.seat.seat, row.pay.meter or "", row.pay
    facts = f"{_whose(terms)} make {_article(entry.hand)}{entry.hand}: {bet.name} pays {row.pay.text}"
    meter, table = meters.get(name), terms.paytables[bet.name]
    if meter is None or meter.after is None or before:
        missing = "no amount was given for the meter" if meter is None else "the seed it fell back to was not given"
        why = f"{facts}, but {before or missing}"
        return make_line(number, bet.name, entry.stake, "held", why, row.clause, paytable=table, row=row.when)
    why = f"{facts}, which shows {dollars(meter.after)}"
    cents, rest = _take(meters, name, pay.amount, terms.meters[name].seed_cents)
    return make_line(
        number,
        bet.name,
        entry.stake,
        "win",
        why,
        row.clause,
        pay=cents,
        keeps_stake=False,
        paytable=table,
        row=row.when,
        meter=name,
        rest=rest,
    )


def _envy(bet: Bet, entries: Sequence[_Entry], terms: Terms) -> tuple[SettlementLine, ...]:
    """What every other bettor gets for a hand with envy: once for each such hand, never for one's own."""
    lines = []
    for entry in entries:
        if entry.folded and terms.readings.get("folded-envy") == "none":
            continue
        for winner in entries:
            if winner.row is None or not winner.row.envy_cents or winner.seat.seat == entry.seat.seat:
                continue
            lines.append(_envy_line(bet, entry, winner.seat.seat, winner.hand, winner.row, terms))
    return tuple(lines)


def _envy_line(bet: Bet, entry: _Entry, winner: int, hand: str, row: PaidRow, terms: Terms) -> SettlementLine:
    facts = f"envy for the {hand} of seat {winner}"
    table = terms.paytables[bet.name]
    if entry.hold is not None and entry.breaks_rule:
        return make_line(entry.seat.seat, ENVY, 0, "held", f"{facts}, but {entry.hold.why}", entry.hold.clause)
    cents, rest = round_down(row.envy_cents * entry.stake, terms.envy_base_cents, terms.unit_cents)
    why = f"{facts}: {dollars(row.envy_cents)} for each {dollars(terms.envy_base_cents)} of the wager"
    return make_line(
        entry.seat.seat,
        ENVY,
        0,
        "win",
        why,
        bet.clauses.envy,
        pay=cents,
        paytable=table,
        row=row.when,
        rest=rest,
    )


def _article(hand: str) -> str:
    return "" if hand.endswith("of a kind") else "a "


def _whose(terms: Terms) -> str:
    seven = terms.readings.get("progressive-hand") == "best-of-seven"
    return "own and community cards" if seven else "own five cards"
