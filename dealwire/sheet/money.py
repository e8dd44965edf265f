"""The money of a round in words: every bet with its reason, totals, meters, and what waits for a person."""

from collections.abc import Iterator
from typing import Final

from dealwire.sheet.model import RoundSheet
from dealwire.sheet.paper import Block, Cell, PaperBlanks, PaperFacts, PaperHeading, PaperRemark, PaperTable, amount
from rules.settlement import MeterTotal, Settlement, SettlementLine

BEFORE_END: Final = (
    "Before END GAME a supervisor or an executive, with a badge at the table controller, may correct what a person "
    "keyed for a place (its faces or its count); the round then goes on as if it had been keyed so."
)
AFTER_END: Final = (
    "After END GAME nothing in this program pays or takes a held bet, and no correction is taken any more. The stake "
    "lies where it is until a supervisor or an executive decides by the clause named; write the decision down here, "
    "and say at the console that it was settled by hand."
)


def money(sheet: RoundSheet) -> Iterator[Block]:
    """Settlement, totals, meters, what is held."""
    settlement = sheet.counts.settlement if sheet.counts is not None else None
    yield PaperHeading("Settlement")
    if settlement is None:
        yield PaperRemark("There is none." if sheet.counts is not None else "There is none yet.")
    else:
        yield from _lines(settlement)
        yield from _pots(settlement)
        yield from _pool(settlement)
        yield from _totals(settlement)
        yield from _readings(settlement)
    yield from _meters(sheet, settlement)
    yield from _held(sheet)


def _lines(settlement: Settlement) -> Iterator[Block]:
    if settlement.status != "settled":
        words = "Nothing is settled" if settlement.status == "held" else "Not all is settled"
        yield PaperRemark(f"{words}: {settlement.why}", True)
    rows = tuple(_line(line, settlement.currency) for line in settlement.lines)
    if not rows:
        yield PaperRemark("No bet was settled.")
        return
    held = frozenset(at for at, line in enumerate(settlement.lines) if line.result == "held")
    head = ("seat", "bet", "stake", "result", "pay", "back", "net", "why, by which clause and pay table")
    yield PaperTable(head, rows, right=frozenset({2, 4, 5, 6}), wide=frozenset({7}), marked=held)


def _line(line: SettlementLine, currency: str) -> tuple[Cell, ...]:
    bet = line.bet + (f" on {line.proposition}" if line.proposition else "")
    why = f"{line.why} [{line.clause}]"
    if line.paytable:
        why += f"; pay table {line.paytable}" + (f", row {line.row}" if line.row else "")
    why += f"; paid by meter {line.meter}" if line.meter else ""
    why += f"; {amount(line.from_house, currency)} of it by the house" if line.from_house else ""
    why += f"; a maximum payout took off {amount(line.cut, currency)}" if line.cut else ""
    why += f"; commission {amount(line.commission, currency)}" if line.commission else ""
    why += f"; {line.rest} of a cent was rounded off" if line.rest != "0" else ""
    sums = (amount(cents, currency) for cents in (line.pay, line.returned, line.net))
    return str(line.seat), bet, amount(line.stake, currency), line.result, *sums, why


def _pots(settlement: Settlement) -> Iterator[Block]:
    """The pots that players bet into: what lay in each, what was taken of it, and who had the rest."""
    if not settlement.pots:
        return
    currency, rows = settlement.currency, list[tuple[Cell, ...]]()
    for pot in settlement.pots:
        winners = (f"seat {each.seat} {amount(each.cents, currency)} ({each.won_with})" for each in pot.winners)
        whose = f"held: {pot.held}" if pot.held else ", ".join(winners)
        sums = (amount(cents, currency) for cents in (pot.cents, pot.rake, pot.jackpot_rake))
        rows.append((pot.name, *sums, ", ".join(map(str, pot.contenders)), whose))
    head = ("pot", "in it", "rake", "for the jackpot", "seats that could win it", "who has it")
    yield PaperTable(head, tuple(rows), right=frozenset({1, 2, 3}), wide=frozenset({5}))


def _pool(settlement: Settlement) -> Iterator[Block]:
    """The runners that win a pool, seat by seat, and who has won it."""
    pool = settlement.pool
    if pool is None or not (pool.runners or pool.held):
        return
    rows = [
        (str(each.seat), *map(str, (each.before, each.awarded, each.collected, each.after))) for each in pool.runners
    ]
    yield PaperTable(
        ("seat", "runners before", "awarded", "collected", "after"), tuple(rows), right=frozenset(range(1, 5))
    )
    if pool.winner is not None:
        cents, rake = amount(pool.cents, settlement.currency), amount(pool.rake, settlement.currency)
        what = f"held: {pool.held}" if pool.held else f"{cents} in it, {rake} of it taken first"
        yield PaperRemark(f"Seat {pool.winner} wins the {pool.meter} pool: {what}.")


def _totals(settlement: Settlement) -> Iterator[Block]:
    currency = settlement.currency
    columns = [
        (each.staked, each.pay, each.returned, each.commission, each.net, each.held) for each in settlement.seats
    ]
    rows = [
        (str(seat.seat), *(amount(cents, currency) for cents in sums))
        for seat, sums in zip(settlement.seats, columns, strict=True)
    ]
    whole = tuple(amount(sum(column), currency) for column in zip(*columns, strict=True)) if columns else ()
    if rows:
        yield PaperTable(
            ("seat", "staked", "paid", "back", "commission", "net", "held"),
            (*rows, ("table", *whole)),
            right=frozenset(range(1, 7)),
            sums=1,
        )
    sides = settlement.totals
    yield PaperFacts(
        (
            ("players", amount(sides.players, currency)),
            ("house", amount(sides.house, currency)),
            ("meters", amount(sides.meters, currency)),
        )
    )


def _readings(settlement: Settlement) -> Iterator[Block]:
    rows: list[tuple[str, Cell]] = [
        ("pay tables", ", ".join(f"{bet} {name}" for bet, name in settlement.paytables.items()) or "none"),
        ("readings", ", ".join(f"{name} {option}" for name, option in settlement.readings.items()) or "none"),
        ("rounding", f"{settlement.rounding.name}, to {amount(settlement.rounding.unit_cents, settlement.currency)}"),
    ]
    if settlement.signed:
        rows.append(("signed", "; ".join(f"{name}: {who}" for name, who in settlement.signed.items())))
    if settlement.limit_cents is not None:
        rows.append(("most of one bet", amount(settlement.limit_cents, settlement.currency)))
    yield PaperFacts(tuple(rows))


def _meters(sheet: RoundSheet, settlement: Settlement | None) -> Iterator[Block]:
    totals = settlement.meters if settlement is not None else ()
    if not (totals or sheet.meters or sheet.awards):
        return
    yield PaperHeading("Meters and awards")
    if totals:
        rows = tuple(_meter(each, sheet.currency) for each in totals)
        head = ("meter", "before", "contributed", "paid", "reseeded", "after")
        yield PaperTable(head, rows, right=frozenset(range(1, 6)))
    if sheet.meters:
        steps = tuple(
            (
                *(str(each.number), each.meter, each.kind, amount(each.to_meter, sheet.currency)),
                *(amount(each.meter_cents, sheet.currency), each.why),
            )
            for each in sheet.meters
        )
        head = ("step", "meter", "what", "to the meter", "then shows", "why")
        yield PaperTable(head, steps, right=frozenset({0, 3, 4}), wide=frozenset({5}))
    if sheet.awards:
        awards = tuple(
            (
                *(each.kind, "" if each.seat is None else str(each.seat), each.hand or ""),
                *("" if each.cents is None else amount(each.cents, sheet.currency), f"{each.why} [{each.clause}]"),
            )
            for each in sheet.awards
        )
        yield PaperTable(("award", "seat", "hand", "amount", "why"), awards, right=frozenset({3}), wide=frozenset({4}))


def _meter(total: MeterTotal, currency: str) -> tuple[Cell, ...]:
    sums = (total.before, total.contributed, total.paid, total.reseeded, total.after)
    return total.name, *(amount(cents, currency) for cents in sums)


def _held(sheet: RoundSheet) -> Iterator[Block]:
    yield PaperHeading("Held, until a person decides")
    held = sheet.held
    if not held:
        yield PaperRemark("Nothing is held." if sheet.state == "ended" else f"The round has not ended. {BEFORE_END}")
        return
    rows = tuple(
        (str(bet.seat), bet.bet, amount(bet.stake, sheet.currency), f"{bet.why} [{bet.clause}]") for bet in held
    )
    total = amount(sum(bet.stake for bet in held), sheet.currency)
    yield PaperTable(
        ("seat", "bet", "stake", "why"),
        (*rows, ("table", "", total, "")),
        right=frozenset({2}),
        wide=frozenset({3}),
        sums=1,
    )
    for note in sheet.released:
        yield PaperRemark(f"{note.at.local}: {note.text} (record {note.at.record})", True)
    yield PaperRemark(AFTER_END, not sheet.released)
    yield PaperRemark(BEFORE_END)
    yield PaperBlanks(("Decision", "By which clause", "Name and badge", "Date and time", "Signature"))
