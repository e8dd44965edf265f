"""Settlement on meters that several tables share: contributions on and pays off, all as records of the bank.

Contributions taken at START GAME stay on the meter regardless of the result of the round; the house returns a bet that
comes back. Any other decrease is made by an operator, with its own record.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from dealer_flow.record.result import RoundResult
from rules.errors import SettlementRefused
from rules.facts.terms import Terms, agree
from rules.game.load import Game
from rules.kinds.progressive import pays_from_right
from rules.meters.bank import MeterBank, MeterRecord, MeterRefused, RoundKey
from rules.settle.rounds import check_round_of_game
from rules.settle.waiting import settle_waiting
from rules.settlement import Meter, MeterTotal, Settlement, SettlementLine


def settle_linked(
    bank: MeterBank, result: RoundResult, game: Game, **options: Any
) -> tuple[Settlement, list[MeterRecord]]:
    """Settle one round of `game` and move the bank's meters; return the settlement and its records, in order.

    `options` are those of `settle`, without `meters`. SettlementRefused leaves the bank unchanged.
    """
    return settle_linked_on(bank, result, agree(game, **options))


def settle_linked_on(bank: MeterBank, result: RoundResult, terms: Terms) -> tuple[Settlement, list[MeterRecord]]:
    """Settle on terms agreed before, like `settle_linked`; the meters of the terms are replaced by the bank's."""
    check_round_of_game(result, terms.game)
    game, staked = terms.game, progressive_cents(result, terms.game)
    before, shown = bank.meters(), bank.meters_with(staked)
    settlement = settle_waiting(result, terms.on(known_meters(shown, game, terms.paytables)))
    at = RoundKey(result.table, result.session, result.round)
    records = bank.contribute(at, staked)
    for line in _in_meter_order(settlement):
        paid = _pay(bank, at, game, line)
        records += paid
        share = line.pay - line.from_house
        if paid[0].to_players != share:
            raise MeterRefused(line.meter or "", "a pay", f"settled at {share} cents, {paid[0].to_players} are due")
    return with_contributions(settlement, before, records), records


def progressive_cents(result: RoundResult, game: Game) -> int:
    """Return the cents of progressive bets taken at START GAME."""
    bet = game.progressive
    return sum(seat.wagers.get(bet.name, 0) for seat in result.seats) if bet else 0


def known_meters(meters: Mapping[str, Meter], game: Game, paytables: Mapping[str, str]) -> dict[str, Meter]:
    """Return the meters that this game's chosen table pays from; raise SettlementRefused if the bank lacks one."""
    bet = game.progressive
    if bet is None:
        return {}
    table = game.paytables[paytables[bet.name]]
    wanted = {row.pays.meter for row in table.rows if row.pays.meter}
    for name in sorted(wanted):
        if name not in meters:
            raise SettlementRefused(f"meter that pay table {table.id} pays from", name, meters)
    return {name: meter for name, meter in meters.items() if name in wanted}


def _in_meter_order(settlement: Settlement) -> Sequence[SettlementLine]:
    """Return the lines that a meter pays, in the order it pays them."""
    lines = [line for line in settlement.lines if line.meter]
    return sorted(lines, key=lambda line: line.seat, reverse=pays_from_right(settlement.readings))


def _pay(bank: MeterBank, at: RoundKey, game: Game, line: SettlementLine) -> list[MeterRecord]:
    """Pay one line from a meter, as a share or as a printed amount, and return the records."""
    row, share = game.paytables[line.paytable or ""].row_of(line.row or ""), line.pay - line.from_house
    assert row is not None, "the line says which row of the table paid it"
    divided = row.pay.amount == 1 and share < bank.meters()[line.meter or ""].cents
    if row.pay.unit == "percent" and not divided:
        return bank.pay(at, line.seat, line.meter or "", row.pay.amount)
    return bank.pay_fixed(at, line.seat, line.meter or "", share)


def with_contributions(
    settlement: Settlement, before: Mapping[str, Meter], records: Sequence[MeterRecord]
) -> Settlement:
    """Return the settlement with this round's contributions to meters and reserves; its totals still sum to zero."""
    taken = {record.meter: record for record in records if record.kind == "contributed"}
    totals = {total.name: total for total in settlement.meters}
    for name, record in taken.items():  # a meter that this game does not pay from still takes contributions
        end, kept = record.meter_cents, record.reserve_cents
        totals.setdefault(name, MeterTotal(name=name, before=0, paid=0, reseeded=0, after=end, reserve_after=kept))
    for name, total in totals.items():
        change = {"before": before[name].cents, "reserve_before": before[name].reserve_cents}
        if name in taken:
            change |= {"contributed": taken[name].to_meter, "reserved": taken[name].to_reserve}
        totals[name] = replace(total, **change)
    into = sum(record.to_meter + record.to_reserve for record in taken.values())
    moved = {"house": settlement.totals.house - into, "meters": settlement.totals.meters + into}
    return replace(settlement, meters=tuple(totals.values()), totals=replace(settlement.totals, **moved))
