"""The money of a round as text: every bet with its reason, totals, meters, held money."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from dealwire.sheet.model import RoundSheet
from dealwire.sheet.paper import Block, Cell, PaperBlanks, PaperFacts, PaperHeading, PaperRemark, amount, table
from dealwire.sheet.speech import speech_of
from dealwire.table.action_words import WON_WITH, settled_pot_name
from dealwire.table.id_words import Speech, id_words
from rules.settlement import Settlement, SettlementLine

BEFORE_END: Final = (
    "Before END GAME, a supervisor or an executive may use a badge at the table controller to correct what was keyed "
    "for a place (its faces or its count). The round then continues as if it had been keyed that way."
)
AFTER_END: Final = (
    "After END GAME, this program neither pays nor takes a held bet, and accepts no correction. The stake stays where "
    "it is until a supervisor or an executive decides by the clause named. Write the decision down here, and mark the "
    "money as settled by hand at the console."
)


def money(sheet: RoundSheet) -> Iterator[Block]:
    """Yield settlement, totals, meters and held money."""
    settlement = sheet.counts.settlement if sheet.counts is not None else None
    yield PaperHeading("Settlement")
    if settlement is None:
        yield PaperRemark("None." if sheet.counts is not None else "None yet.")
    else:
        speech = speech_of(sheet)
        yield from _lines(settlement, speech)
        yield from _pots(settlement, speech)
        yield from _pool(settlement, speech)
        yield from _totals(settlement)
        yield from _readings(settlement)
    yield from _meters(sheet, settlement)
    yield from _held(sheet)


def _lines(settlement: Settlement, speech: Speech) -> Iterator[Block]:
    if settlement.status != "settled":
        words = "Nothing is settled" if settlement.status == "held" else "Not all is settled"
        yield PaperRemark(f"{words}: {speech.write(settlement.why or '')}", True)
    if not settlement.lines:
        yield PaperRemark("No bet was settled.")
        return
    yield table(
        "seat|bet|>stake|result|>pay|>back|>net|*reason, clause and pay table",
        (_line(line, settlement.currency, speech) for line in settlement.lines),
        marked=(at for at, line in enumerate(settlement.lines) if line.result == "held"),
    )


def _line(line: SettlementLine, currency: str, speech: Speech) -> tuple[Cell, ...]:
    bet = id_words(line.bet) + (f" on {id_words(line.proposition)}" if line.proposition else "")
    why = f"{speech.write(line.why)} [{line.clause}]"
    if line.paytable:
        why += f"; pay table {line.paytable}" + (f", row {id_words(line.row)}" if line.row else "")
    why += f"; paid by meter {id_words(line.meter)}" if line.meter else ""
    why += f"; {amount(line.from_house, currency)} of it paid by the house" if line.from_house else ""
    why += f"; reduced by {amount(line.cut, currency)} to the maximum payout" if line.cut else ""
    why += f"; commission {amount(line.commission, currency)}" if line.commission else ""
    why += f"; {line.rest} of a cent was rounded off" if line.rest != "0" else ""
    sums = (amount(cents, currency) for cents in (line.pay, line.returned, line.net))
    return str(line.seat), bet, amount(line.stake, currency), line.result, *sums, why


def _pots(settlement: Settlement, speech: Speech) -> Iterator[Block]:
    """Yield the pots: amount, deductions, winners."""
    if not settlement.pots:
        return
    currency, rows = settlement.currency, list[tuple[Cell, ...]]()
    for pot in settlement.pots:
        winners = (
            f"seat {each.seat} {amount(each.cents, currency)}, {WON_WITH[each.won_with]}" for each in pot.winners
        )
        whose = f"held: {speech.write(pot.held)}" if pot.held else "; ".join(winners)
        sums = (amount(cents, currency) for cents in (pot.cents, pot.rake, pot.jackpot_rake))
        rows.append((settled_pot_name(pot.name), *sums, ", ".join(map(str, pot.contenders)), whose))
    yield table("pot|>amount|>rake|>for the jackpot|eligible seats|*winner", rows)


def _pool(settlement: Settlement, speech: Speech) -> Iterator[Block]:
    """Yield the runners for a pool by seat, and its winner."""
    pool = settlement.pool
    if pool is None or not (pool.runners or pool.held):
        return
    rows = ((each.seat, each.before, each.awarded, each.collected, each.after) for each in pool.runners)
    yield table("seat|>runners before|>awarded|>collected|>after", rows)
    if pool.winner is not None:
        cents, rake = amount(pool.cents, settlement.currency), amount(pool.rake, settlement.currency)
        what = f"held: {speech.write(pool.held)}" if pool.held else f"{cents} in it, {rake} of it taken first"
        yield PaperRemark(f"Seat {pool.winner} wins the {id_words(pool.meter)} pool: {what}.")


def _totals(settlement: Settlement) -> Iterator[Block]:
    paid = partial(amount, currency=settlement.currency)
    sums = [(each.staked, each.pay, each.returned, each.commission, each.net, each.held) for each in settlement.seats]
    if sums:
        seats: list[Sequence[Cell | int]] = [
            (each.seat, *map(paid, cents)) for each, cents in zip(settlement.seats, sums, strict=True)
        ]
        whole = ("table", *map(paid, map(sum, zip(*sums, strict=True))))
        yield table("seat|>staked|>paid|>back|>commission|>net|>held", [*seats, whole], sums=1)
    sides = settlement.totals
    yield PaperFacts((("players", paid(sides.players)), ("house", paid(sides.house)), ("meters", paid(sides.meters))))


def _readings(settlement: Settlement) -> Iterator[Block]:
    rows: list[tuple[str, Cell]] = [
        ("pay tables", ", ".join(f"{id_words(bet)} {name}" for bet, name in settlement.paytables.items()) or "none"),
        ("readings", _readings_words(settlement) or "none"),
        (
            "rounding",
            f"{id_words(settlement.rounding.name)}, to {amount(settlement.rounding.unit_cents, settlement.currency)}",
        ),
    ]
    if settlement.signed:
        rows.append(("signed", "; ".join(f"{id_words(name)}: {who}" for name, who in settlement.signed.items())))
    if settlement.limit_cents is not None:
        rows.append(("bet limit", amount(settlement.limit_cents, settlement.currency)))
    yield PaperFacts(tuple(rows))


def _readings_words(settlement: Settlement) -> str:
    return "; ".join(f"{id_words(name)}: {id_words(option)}" for name, option in settlement.readings.items())


def _meters(sheet: RoundSheet, settlement: Settlement | None) -> Iterator[Block]:
    totals = settlement.meters if settlement is not None else ()
    if not (totals or sheet.meters or sheet.awards):
        return
    yield PaperHeading("Meters and awards")
    paid, write = partial(amount, currency=sheet.currency), speech_of(sheet).write
    if totals:
        sums = ((each.before, each.contributed, each.paid, each.reseeded, each.after) for each in totals)
        rows = ((id_words(each.name), *map(paid, cents)) for each, cents in zip(totals, sums, strict=True))
        yield table("meter|>before|>contributed|>paid|>reseeded|>after", rows)
    if sheet.meters:
        steps = (
            (
                *(each.number, id_words(each.meter), id_words(each.kind)),
                *(paid(each.to_meter), paid(each.meter_cents), write(each.why)),
            )
            for each in sheet.meters
        )
        yield table(">step|meter|what|>to the meter|>then shows|*reason", steps)
    if sheet.awards:
        awards = (
            (
                id_words(each.kind),
                each.seat,
                each.hand,
                each.cents and paid(each.cents),
                f"{write(each.why)} [{each.clause}]",
            )
            for each in sheet.awards
        )
        yield table("award|seat|hand|>amount|*reason", awards)


def _held(sheet: RoundSheet) -> Iterator[Block]:
    yield PaperHeading("Held for a decision")
    held = sheet.held
    if not held:
        yield PaperRemark("Nothing is held." if sheet.state == "ended" else f"The round has not ended. {BEFORE_END}")
        return
    paid, write = partial(amount, currency=sheet.currency), speech_of(sheet).write
    rows = [(bet.seat, id_words(bet.bet), paid(bet.stake), f"{write(bet.why)} [{bet.clause}]") for bet in held]
    yield table("seat|bet|>stake|*reason", [*rows, ("table", None, paid(sum(bet.stake for bet in held)), None)], sums=1)
    for note in sheet.released:
        yield PaperRemark(f"{note.at.local}: {note.text} (record {note.at.record})", True)
    yield PaperRemark(AFTER_END, not sheet.released)
    yield PaperRemark(BEFORE_END)
    yield PaperBlanks(("Decision", "Clause", "Name and badge", "Date and time", "Signature"))
