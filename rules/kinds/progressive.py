"""The progressive bet of a table: fixed pays from the tray by the seat's own five cards, shares of a meter in order,
envy last.

CO 47.1-1017.60 progressive (2), (6)-(9). Fixed pays are "for 1": the stake is lost. A meter's pay is exact to the cent
and is deducted before the next one is computed, because two seats may win in one round.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace as dc_replace
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Final, Literal

import msgspec
from msgspec.structs import replace
from pydantic.json_schema import SkipJsonSchema

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from protocol.tomlfile import Key
from rules.bets.bet import (
    AgreedBet,
    Holds,
    Played,
    RoundFacts,
    Staked,
    TabledBet,
    TableResult,
    TermFacts,
    fold_left_open,
    held,
)
from rules.bets.bet_keys import SpecFacts
from rules.bets.envy import Envious, EnvyHit, envy_of, hits, may_earn, why_no_hit
from rules.bets.hold import Hold
from rules.bets.outcome import Outcome
from rules.paytables.amounts import round_down
from rules.paytables.paytable import PaidRow, Pay
from rules.settlement import MeterTotal, SettlementLine, make_line

FOLDED_ENVY: Final = "folded-envy"
"""Name of the reading that says whether a hand that folded collects envy."""
_PLURAL: Final = ("two pair", "three pairs", "five aces")


class _SeatBet(msgspec.Struct, gc=False):
    """One seat's bet.

    - `hold`: the reason that it cannot be settled. `doubt`: the doubt about the bet itself, not its cards.
    - `open`: a supervisor may yet decide that it is paid, possibly from a meter: by `row` or, if the hand is
      unknown, by any row.
    - `hand`: the hand in words. `whose`: the cards that make it, in words.
    - `undeclared`: the clause by which a hand that was not shown loses.
    - `outcome`: the outcome of the hand. `reading`: the reading that decided it.
    """

    seat: Seat
    stake: int
    folded: bool
    hold: Hold | None = None
    open: bool = False
    doubt: Hold | None = None
    hand: str = ""
    row: PaidRow | None = None
    whose: str = ""
    undeclared: str = ""
    outcome: Outcome | None = None
    reading: str = ""


class ProgressiveBet(TabledBet):
    """A bet paid by a table for the whole round at once, with shares of meters and envy."""

    kind: SkipJsonSchema[Literal["progressive"]]
    apart: ClassVar[bool] = True
    of_table: ClassVar[bool] = True
    by_cards: ClassVar[bool] = True
    meter_effects: ClassVar[bool] = True

    def faults(self, spec: SpecFacts, bets: Collection[str]) -> Iterator[tuple[Key, str]]:
        """Yield an error if the game has an earlier progressive bet."""
        if next(bet for bet in spec.bets if bet.kind == self.kind).name != self.name:
            yield ("kind",), "a game has at most one progressive bet"

    def settle_table(self, seats: Sequence[Seat], holds: Holds, played: Played, view: RoundFacts) -> TableResult:
        """Return a line for each seat that made the bet and whose hand is not dead, the envy, and the meters."""
        outcome, name = view.result.outcome, self.name
        alive = [seat for seat in seats if name in played[seat.seat]]
        if not alive and outcome in ("misdeal", "defective-deck"):
            return TableResult()
        return _resolve(self, alive, view, holds, alone=outcome == "progressive-only")


def _resolve(
    bet: ProgressiveBet,
    seats: Sequence[Seat],
    view: RoundFacts,
    holds: Holds,
    *,
    alone: bool,
) -> TableResult:
    """Settle `bet` for the seats that made it and whose hands are not dead, given in the dealer's order.

    `holds` gives the bets of a seat that are held. `alone`: the round is played for the progressive only, so every bet
    comes back if there is no jackpot hand.
    """
    terms = view.terms
    of = terms.agreed(bet)
    entries = [_enter(of, seat, view, holds.get(seat.seat, {}).get(bet.name) if holds else None) for seat in seats]
    meters = dict(terms.shown)
    # After a misdeal the round continues only for a jackpot hand; without one, every bet comes back.
    if alone and not any(_keeps_alive(entry, terms) for entry in entries):
        void = _void(bet, entries, terms)
        return TableResult(void, meters=tuple(meters.values()))
    lines: dict[int, SettlementLine] = {}
    before = ""
    equally = terms.readings.get("jackpot-shared") == "equally"
    left, sharers = (_sharing(entries), _may_share(of, entries, view)) if equally else ({}, [])
    for entry in sorted(entries, key=_number, reverse=pays_from_right(terms.readings)) if len(entries) > 1 else entries:
        waits = before or _divided(entry, sharers) if sharers else before
        line = _line(of, _shared(entry, left) if left else entry, terms, meters, waits)
        lines[entry.seat.seat] = line = replace(line, reading=entry.reading) if entry.reading else line
        # An open bet may take from the meter, so no later seat's share is known.
        if entry.open or (line.result == "held" and _shows(entry, meters)):
            before = f"the bet of seat {entry.seat.seat}, which comes first, is held"
    return TableResult(lines, _envy(bet, entries, view, holds), tuple(meters.values()))


def pays_from_right(readings: Mapping[str, str]) -> bool:
    """Return True if a meter pays starting at the dealer's right."""
    return readings.get("meter-order", "dealers-right-first") == "dealers-right-first"


def _number(entry: _SeatBet) -> int:
    return entry.seat.seat


def _enter(of: AgreedBet, seat: Seat, view: RoundFacts, hold: Hold | None) -> _SeatBet:
    bet, stake = of.bet, seat.wagers[of.name]
    if seat.status == "folded" and of.fold != "stands" and (hold is None or hold.fold is None):
        return _folded_entry(of, seat, view, hold)
    if hold is None and bet.declared is not None and _undeclared(of, seat, view):
        return _SeatBet(seat, stake, folded=False, undeclared=bet.declared.clause)
    hand = view.hand(of.hand, seat)
    if isinstance(hand, str):
        return _SeatBet(seat, stake, False, hold or Hold(hand, bet.clauses.lose), open=True, doubt=hold)
    outcome = of.by_row[hand.key]
    row = outcome.row if outcome is not None else None
    is_open, whose = hold is not None and row is not None, view.terms.hands[of.hand].whose
    by = of.others[0].reading if seat.status == "folded" and of.others and row is not None and hold is None else ""
    return _SeatBet(seat, stake, False, hold, is_open, hold, hand.text, row, whose, outcome=outcome, reading=by)


def _folded_entry(of: AgreedBet, seat: Seat, view: RoundFacts, hold: Hold | None) -> _SeatBet:
    """Return the entry of a hand that folded, if folding gives the bet up or the effect of a fold is not decided."""
    stake, held_so = seat.wagers[of.name], hold is None and of.fold == "held"
    reading, row = "", None
    if of.others and hold is None and not _undeclared(of, seat, view):
        hand = view.hand(of.hand, seat)
        outcome = of.by_row[hand.key] if not isinstance(hand, str) else None
        row = outcome.row if outcome is not None else None
        reading = of.others[0].reading if row is not None or held_so else ""
    if held_so:
        waits = fold_left_open(of.bet, of.bet.clauses.fold)
        return _SeatBet(seat, stake, folded=True, hold=waits, open=row is not None, reading=reading)
    return _SeatBet(seat, stake, folded=True, hold=hold, doubt=hold, reading=reading)


def _undeclared(of: AgreedBet, seat: Seat, view: RoundFacts) -> bool:
    """Return True if a hand that had to be shown was not."""
    declared = of.bet.declared
    return declared is not None and declared.step not in seat.choices and view.result.outcome == "complete"


def _sharing(entries: Sequence[_SeatBet]) -> dict[str, int]:
    """Return the number of hands that divide the whole of each meter."""
    whole = [each.row for each in entries if each.hold is None and _takes_all(each.row)]
    return Counter(row.pay.meter or "" for row in whole if row is not None)


def _is_whole(pay: Pay) -> bool:
    """Return True if the pay is the whole of a meter."""
    return pay.meter is not None and pay.unit == "percent" and pay.amount == 1


def _takes_all(row: PaidRow | None) -> bool:
    return row is not None and _is_whole(row.pay)


def _may_share(of: AgreedBet, entries: Sequence[_SeatBet], view: RoundFacts) -> list[_SeatBet]:
    """Return the held bets that may be among several that divide the whole of a meter."""
    rows = of.rows
    assert rows is not None, "a progressive has a table"

    def may_share(entry: _SeatBet) -> bool:
        if entry.hand or not any(_is_whole(row.pays) for row in view.terms.printed(of.bet)):
            return _takes_all(entry.row)
        return view.may_be(of.hand, entry.seat, lambda hand: _takes_all(rows[hand.key]))

    return [each for each in entries if each.open and may_share(each)]


def _divided(entry: _SeatBet, sharers: Sequence[_SeatBet]) -> str:
    """Return the reason that the number of hands dividing the whole meter is uncertain; empty if it is certain."""
    if not _takes_all(entry.row):
        return ""
    return f"the bet of seat {sharers[0].seat.seat}, which may share it equally, is held"


def _shared(entry: _SeatBet, left: dict[str, int]) -> _SeatBet:
    """Return the entry with its part of a meter that several hands divide: one of the parts `left`, of the amount that
    remains."""
    row = entry.row
    if row is None or entry.hold is not None or row.pay.amount != 1 or left.get(row.pay.meter or "", 0) < 2:
        return entry
    parts = left[row.pay.meter or ""]
    left[row.pay.meter or ""] -= 1
    return replace(entry, row=dc_replace(row, pay=dc_replace(row.pay, amount=Fraction(1, parts))))


def _keeps_alive(entry: _SeatBet, terms: TermFacts) -> bool:
    if entry.row is None or entry.hold is not None:
        return False
    return terms.readings.get("jackpot-hand") != "meter-row" or entry.row.pay.meter is not None


def _void(bet: ProgressiveBet, entries: Sequence[_SeatBet], terms: TermFacts) -> dict[int, SettlementLine]:
    """Return the lines of a round without a known jackpot hand: every bet comes back, unless an open one may be a
    jackpot hand."""
    returns = terms.game.spec.returns
    back = f"no progressive jackpot hand at the table: all hands are dead and {bet.name} comes back"
    doubt = next((entry.hold.why for entry in entries if entry.open and entry.hold), None)
    lines = {}
    for entry in entries:
        number, hold = entry.seat.seat, entry.hold
        if hold is None and doubt is not None:
            hold = Hold(f"it is uncertain whether the table has a jackpot hand: {doubt}", returns.no_jackpot_hand)
        why, clause = (hold.why, hold.clause) if hold else (back, returns.no_jackpot_hand)
        lines[number] = make_line(number, bet.name, entry.stake, "held" if hold else "returned", why, clause)
    return lines


def _line(
    of: AgreedBet, entry: _SeatBet, terms: TermFacts, meters: dict[str, MeterTotal], before: str
) -> SettlementLine:
    bet, number, name = of.bet, entry.seat.seat, of.name
    if entry.hold is not None:
        return held(bet, number, entry.stake, entry.hold)
    if entry.undeclared:
        return make_line(
            number, name, entry.stake, "lose", f"the hand was not declared: {name} loses", entry.undeclared
        )
    outcome = bet.folded if entry.folded else entry.outcome
    assert outcome is not None, "it is a wager of its own"
    if entry.row is not None and entry.row.pay.meter is not None:
        return _meter_line(of, entry, entry.row, terms, meters, before)
    facts = "folded" if entry.folded else _facts(entry.whose, entry.hand)
    if outcome.row is None:
        return terms.lost(of, number, entry.stake, facts, outcome.clause, of.paytable if outcome.by_table else None)
    return Staked(of, number, entry.stake, terms, entry.stake).ended(outcome, facts)


def _fixed(pay: Pay, stake: int) -> int:
    """Return the cents of a printed amount that comes off a meter; 0 for a share of it."""
    if pay.unit == "percent":
        return 0
    return int(pay.amount if pay.unit == "flat" else stake * pay.amount)


def _take(
    meters: dict[str, MeterTotal], name: str, pay: Pay, fixed: int, seed: int | None
) -> tuple[int, Fraction | int]:
    """Take a `fixed` amount or a share from a meter, to the cent; return the cents and the fraction that stays.

    A share of all of it resets the meter to its seed and reserve; without a known seed, its amount is unknown
    afterwards.
    """
    meter = meters[name]
    shown = meter.after or 0
    share = pay.amount if pay.unit == "percent" else Fraction(0)
    cents, rest = round_down(shown * share.numerator, share.denominator, 1)
    cents += fixed
    meter = replace(meter, paid=meter.paid + cents, after=shown - cents)
    if share == 1 and seed is None:
        meter = replace(meter, after=None, reseeded=None)
    elif share == 1 and seed is not None:
        start = seed + meter.reserve_after
        meter = replace(meter, after=start, reseeded=(meter.reseeded or 0) + start, reserve_after=0)
    meters[name] = meter
    return cents, rest


def _shows(entry: _SeatBet, meters: Mapping[str, MeterTotal]) -> bool:
    """Return True if the amount of the meter that pays this hand is known."""
    meter = meters.get(entry.row.pay.meter or "") if entry.row is not None else None
    return meter is not None and meter.after is not None


def _meter_line(
    of: AgreedBet, entry: _SeatBet, row: PaidRow, terms: TermFacts, meters: dict[str, MeterTotal], before: str
) -> SettlementLine:
    """Return the line of a share of a meter, or of an amount from it; held if the meter's amount at this seat's turn is
    unknown."""
    bet, number, name, pay = of.bet, entry.seat.seat, row.pay.meter or "", row.pay
    facts = f"{_facts(entry.whose, entry.hand)}: {bet.name} pays {row.words}"
    meter, table = meters.get(name), of.paytable
    if meter is None or meter.after is None or before:
        missing = (
            "no amount was given for the meter" if meter is None else "the seed to which it was reset was not given"
        )
        why = f"{facts}, but {before or missing}"
        return make_line(number, bet.name, entry.stake, "held", why, row.clause, paytable=table, row=row.when)
    fixed = _fixed(pay, entry.stake)
    if fixed > meter.after:
        why = f"{facts}, but it shows {dollars(meter.after)}"
        return make_line(number, bet.name, entry.stake, "held", why, row.clause, paytable=table, row=row.when)
    why = facts if fixed else f"{facts}, which shows {dollars(meter.after)}"
    beside = terms.paid(entry.stake, PaidRow(row.when, pay.plus, row.clause))[0] if pay.plus else 0
    cents, rest = _take(meters, name, pay, fixed, terms.meters[name].seed_cents)
    return make_line(
        number,
        bet.name,
        entry.stake,
        "win",
        why,
        row.clause,
        pay=cents + beside,
        from_house=beside,
        keeps_stake=False,
        paytable=table,
        row=row.when,
        meter=name,
        rest=rest,
    )


def _envy(
    bet: ProgressiveBet, entries: Sequence[_SeatBet], view: RoundFacts, holds: Holds
) -> tuple[SettlementLine, ...]:
    """Return the envy lines: each other bettor is paid once for each hand with envy, never for their own."""
    readings = view.terms.readings
    anyone = readings.get("envy-trigger") == "anyone"
    earning = (each for each in entries if each.open or (each.row is not None and each.row.envy_cents))
    found = [hit for each in earning if (hit := _envy_hit(bet, each, view, anyone=anyone)) is not None]
    if anyone:
        bettors = {entry.seat.seat for entry in entries}
        found += hits(bet, (), [seat for seat in view.result.seats if seat.seat not in bettors], view, holds)
    if not found:
        return ()
    gone = {entry.seat.seat for entry in entries if _known_to_fold(entry)} if FOLDED_ENVY in readings else set()
    envious = [
        Envious(entry.seat.seat, entry.stake, _envy_waits(entry.doubt, readings))
        for entry in entries
        if not (entry.seat.seat in gone and readings[FOLDED_ENVY] == "none")
    ]
    lines = envy_of(bet, envious, found, view.terms)
    return tuple(replace(line, reading=FOLDED_ENVY) if line.seat in gone else line for line in lines)


def _envy_hit(bet: ProgressiveBet, entry: _SeatBet, view: RoundFacts, *, anyone: bool) -> EnvyHit | None:
    """Return the hit of a hand that earns the others envy, or may; None for any other hand."""
    number, name = entry.seat.seat, view.terms.agreed(bet).hand
    if entry.row is not None and entry.row.envy_cents:
        doubt = why_no_hit(entry.doubt, anyone=anyone) if entry.doubt is not None else None
        return EnvyHit(number, entry.hand, entry.row, doubt)
    if entry.open and not entry.hand and may_earn(bet, name, entry.seat, view):
        return EnvyHit(number, "hand", None, Hold(str(view.hand(name, entry.seat)), bet.clauses.envy))
    return None


def _known_to_fold(entry: _SeatBet) -> bool:
    """Return True if a bettor's hand folded without doubt, whether or not the fold lost their own wager."""
    return entry.seat.status == "folded" and (entry.doubt is None or entry.doubt.fold is None)


def _envy_waits(doubt: Hold | None, readings: Mapping[str, str]) -> Hold | None:
    """Return the reason that a bettor's envy is held: the wager itself, or a fold in doubt if folding also gives up
    envy."""
    if doubt is None or doubt.wager is not None:
        return doubt
    return doubt if readings.get(FOLDED_ENVY) == "none" else None


@lru_cache(maxsize=1 << 12)
def _facts(whose: str, hand: str) -> str:
    """Describe the cards and the hand they make; cached."""
    of_no_kind = hand.endswith(" high") and "," not in hand
    article = "" if of_no_kind or "of a kind" in hand or hand.startswith(_PLURAL) else "a "
    return f"{whose} make {article}{hand}"
