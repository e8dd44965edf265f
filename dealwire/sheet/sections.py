"""A sheet as text, in a supervisor's reading order: what, when, who had what, the money, what went wrong."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

from dealer_flow.record.result import Burn, Deck, Drawn, Hand, NamedHand, RoundResult, Seat
from dealwire.sheet.evidence import evidence
from dealwire.sheet.model import RoundSheet, SheetMoment, SheetNote, SheetVersion
from dealwire.sheet.money import money
from dealwire.sheet.paper import (
    Block,
    CardRow,
    Cell,
    Paper,
    PaperFacts,
    PaperHeading,
    PaperRemark,
    PaperTable,
    amount,
    table,
)
from dealwire.sheet.speech import speech_of
from dealwire.table.action_words import MANNERS, pot_name, step_words
from dealwire.table.id_words import id_words, report_words

NOT_ENDED: Final = {
    "under-way": "not ended: its end is not in the journal yet",
    "given-up": "never ended: the table started over during the round",
}
NO_CARDS: Final = "not shown"
NO_DECK: Final = Deck(deck=0, loaded=None)
"""Deck of a round that no shuffler dealt."""


def paper_of(sheet: RoundSheet) -> Paper:
    """Return the whole sheet."""
    outcome = _ended(sheet)
    running = f"Dispute sheet: table {sheet.table}, round {sheet.round}"
    blocks = [block for part in _PARTS for block in part(sheet)]
    return Paper(f"Round {sheet.round} at {sheet.table}", outcome, running, blocks)


def _what(sheet: RoundSheet) -> Iterator[Block]:
    rows: list[tuple[str, Cell]] = [
        ("table", sheet.table),
        ("round", str(sheet.round)),
        ("outcome", _ended(sheet)),
        ("procedure", _rules_file(sheet.procedure.title, sheet.procedure.section, sheet.procedure.id)),
    ]
    if sheet.edition is not None:
        rows.append(("edition", _rules_file(sheet.edition.title, sheet.edition.section, sheet.edition.id)))
    if sheet.house is not None:
        rows.append(("house rules", f"{sheet.house.id}, game {sheet.house.game}"))
    if sheet.game is not None:
        rows.append(("game", _rules_file(sheet.game.title, sheet.game.section, sheet.game.id)))
    else:
        rows.append(("game", "none: no money was settled by this program"))
    yield PaperFacts(tuple(rows))
    if sheet.state != "ended":
        yield PaperRemark(f"This round has {NOT_ENDED[sheet.state]}. This sheet shows what had been reported.", True)
    for other in sheet.others:
        what = "ended" if other.ended else "began"
        text = f"The table had another round {sheet.round}, which {what} {other.local} (record {other.record})."
        yield PaperRemark(f"{text} A table controller that restarts may count from one again.", True)


def _ended(sheet: RoundSheet) -> str:
    return id_words(sheet.outcome) if sheet.outcome else NOT_ENDED[sheet.state]


def _rules_file(title: str, section: str, name: str) -> str:
    return ", ".join(part for part in (title, section) if part) + (f" ({name})" if title else name)


def _when(sheet: RoundSheet) -> Iterator[Block]:
    first, last = sheet.place("first"), sheet.place("last")
    yield PaperHeading("When")
    moments = (
        _moment("START GAME", sheet.began, first is not None and "not in this file"),
        _moment("END GAME", sheet.over, last is not None and _no_end(sheet)),
    )
    yield table("|*by the journal|*by the wall clock, for the camera|>record", moments)
    clock = sheet.clock
    if clock.offset_ns is None or clock.within_ns is None:
        yield PaperRemark(
            "The journal holds no reading of the host's clock for this round: the wall-clock time is unknown."
        )
    else:
        ahead, seconds = ("ahead of", "behind")[clock.offset_ns < 0], abs(clock.offset_ns) / 1e9
        yield PaperRemark(
            f"Times are {clock.zone}. The host's wall clock was {seconds:.3f} s {ahead} the journal's, by the reading "
            f"of record {clock.reading}, to within {clock.within_ns / 1e9:.3f} s: a time service may move it by less "
            f"without a note. From record {clock.since} on no other step of the clock is noted than those listed here. "
            "Read the difference between the camera's clock and the host's at the camera."
        )
    if clock.steps:
        yield _notes(sheet, clock.steps)


def _no_end(sheet: RoundSheet) -> str:
    return "ended without END GAME" if sheet.state == "ended" else "not ended"


def _moment(name: str, at: SheetMoment | None, otherwise: str | bool) -> tuple[Cell, ...]:
    if at is None:
        return name, str(otherwise or "not known"), "", ""
    return name, at.local, at.wall or "not known", str(at.record)


def _table(sheet: RoundSheet) -> Iterator[Block]:
    if sheet.counts is None:
        yield from _so_far(sheet)
        return
    yield PaperHeading("Seats")
    yield from deal(sheet.counts.result, sheet)
    yield from betting(sheet.counts.result)


def betting(result: RoundResult) -> Iterator[Block]:
    """Yield the betting of a round: button, actions by betting round, pots taken. Empty without betting in turn."""
    if not result.actions:
        return
    paid = partial(amount, currency=result.currency)
    yield PaperHeading("Betting")
    if result.button is not None:
        yield PaperFacts((("button", f"seat {result.button}"),))
    acts = (
        (number, step_words(each.step), each.seat, each.action, paid(each.cents), MANNERS.get(each.manner, each.manner))
        for number, each in enumerate(result.actions, 1)
    )
    yield table(">|betting round|seat|action|>total bet then|*how", acts)
    if result.awards:
        takes = ((pot_name(each.pot), each.seat, paid(each.cents)) for each in result.awards)
        yield table("pot|taken in by seat|>amount", takes)


def _so_far(sheet: RoundSheet) -> Iterator[Block]:
    yield PaperHeading("Reported so far")
    known = sheet.so_far
    if known is None or not (known.hands or known.packets):
        yield PaperRemark("Nothing.")
        return
    write = speech_of(sheet).write
    rows = (
        (
            id_words(hand.place),
            ", ".join(f"{write(bet)} {amount(cents, sheet.currency)}" for bet, cents in hand.wagers.items()),
            _shown(hand.cards),
            hand.counted,
            ", ".join(map(write, hand.choices)),
        )
        for hand in known.hands
    )
    yield table("place|*bets|cards shown|>counted by hand|choices", rows)
    if known.packets:
        text = ", ".join(f"{each.ordinal}: {count(each.counted, each.expected)}" for each in known.packets)
        yield PaperFacts((("packets lifted, in order", text),))


def deal(result: RoundResult, sheet: RoundSheet) -> Iterator[Block]:
    """Yield the part of a sheet about the cards that were dealt, as the result has them."""
    if result.seats:
        dead = (at for at, seat in enumerate(result.seats) if seat.status in ("dead", "out") or seat.held)
        seats = (_seat(seat, result.currency) for seat in result.seats)
        yield table("seat|status|*bets|cards|counted|*decisions", seats, marked=dead)
    else:
        yield PaperRemark("No seat was dealt in.")
    laid = [*_house(result)]
    if sheet.muck is not None:
        laid.append(("muck", _shown(sheet.muck.cards), count(sheet.muck.counted, None), ""))
    if laid:
        yield table("place|*cards|counted|*", laid)
    yield PaperFacts((*_deck(result), *_drawn(result)))
    if result.packets:
        packets = ((each.ordinal, id_words(each.to), count(each.counted, each.expected)) for each in result.packets)
        yield table(">packet|*to|counted by the device", packets)


def _seat(seat: Seat, currency: str) -> tuple[Cell, ...]:
    bets = ", ".join(_bets(seat, currency)) or "none"
    if seat.stake is not None:
        bets += f"; of a stake of {amount(seat.stake, currency)}"
    chosen = seat.decisions or ((seat.decision,) if seat.decision else ())
    done = [id_words(choice) for choice in chosen]
    done += [f"{id_words(at)}: {id_words(choice)}" for at, choice in seat.choices.items() if choice not in chosen]
    done += [f"discarded {' '.join(seat.discards)}"] if seat.discards else []
    done += [_split(seat)] if seat.split is not None else []
    back = ", ".join(f"{id_words(bet)} {amount(cents, currency)}" for bet, cents in seat.returned.items())
    done += [f"returned: {back}"] if back else []
    done += [f"held: {id_words(bet)} [{clause}]" for bet, clause in seat.held.items()]
    cards = CardRow(seat.cards) if seat.cards else "not dealt in" if seat.status == "out" else NO_CARDS
    return str(seat.seat), seat.status, bets, cards, count(seat.counted, seat.expected), "; ".join(done) or "none"


def _bets(seat: Seat, currency: str) -> Iterator[str]:
    for bet, cents in seat.wagers.items():
        parts = ", ".join(
            f"{amount(each, currency)} on {id_words(on)}" for on, each in seat.propositions.get(bet, {}).items()
        )
        blind = ", before its step" if bet in seat.blind else ""
        yield f"{id_words(bet)} {amount(cents, currency)}" + (f" ({parts})" if parts else "") + blind


def _split(hand: Seat | Hand | NamedHand) -> str:
    split = hand.split
    if split is None:
        return ""
    foul = ", foul" if split.foul else ""
    return f"set by {split.by}: {' '.join(split.low) or '-'} / {' '.join(split.rest) or '-'}{foul}"


def count(counted: int | None, expected: int | None) -> str:
    """Return a count as text: `5 of 5`; a count that was not made is `not known`."""
    known = "not known" if counted is None else str(counted)
    if counted is None and not expected:
        return ""
    if expected is None:
        return known
    return f"{known} of {expected}" + ("" if counted in (None, expected) else ", wrong")


def _shown(cards: tuple[str, ...]) -> Cell:
    return CardRow(cards) if cards else NO_CARDS


def _house(result: RoundResult) -> Iterator[tuple[Cell, ...]]:
    """Yield the places other than seats: dealer, named hands, community, burned cards, earlier stages."""
    if (dealer := result.dealer) is not None:
        yield "dealer", _shown(dealer.cards), count(dealer.counted, dealer.expected), _split(dealer)
    for hand in result.hands:
        more = "; ".join(part for part in (hand.status, _split(hand)) if part)
        yield id_words(hand.name), _shown(hand.cards), count(hand.counted, hand.expected), more
    if result.community:
        yield "community", CardRow(result.community), "", ""
    if result.burned:
        burns = result.burns or ((result.burn,) if result.burn is not None else ())
        parts = map(_burn, burns)
        yield "burned", CardRow(result.burned), "", "; ".join(parts)
    for stage in result.stages:
        yield id_words(stage.place), CardRow(stage.cards), "", f"after {id_words(stage.step)}"


def _burn(burn: Burn) -> str:
    positions = f"position{'s' * (len(burn.positions) != 1)} {', '.join(map(str, burn.positions))}"
    return f"of {id_words(burn.of)}, {positions}, counted {id_words(burn.spread)}"


def _deck(result: RoundResult) -> Iterator[tuple[str, Cell]]:
    if result.number is not None:
        yield "number drawn", f"{result.number.drawn}, counts to {result.number.place}"
    if result.remainder is not None:
        yield "remainder", count(result.remainder.counted, result.remainder.expected)
    if not result.draw:
        if result.deck != NO_DECK:
            yield "deck", f"number {result.deck.deck}, {_loaded(result.deck.loaded)}"
        yield "rejected", str(result.rejected)


def _loaded(cards: int | None) -> str:
    return f"{cards} cards loaded" if cards is not None else "the number of cards loaded is unknown"


def _drawn(result: RoundResult) -> Iterator[tuple[str, Cell]]:
    if (draw := result.draw) is not None:
        yield from _draw(draw)
    if (shoe := result.shoe) is not None:
        left = "an unknown number" if shoe.left is None else shoe.left
        yield "shoe", f"{shoe.id}: {shoe.drawn} of {shoe.loaded} cards drawn, {left} left"


def _draw(draw: Drawn) -> Iterator[tuple[str, Cell]]:
    yield "drawn, in order", CardRow(draw.cards)
    for name, cards in draw.columns.items():
        yield id_words(name), CardRow(cards)
    finish = draw.finish
    yield "finish", f"{id_words(finish.column or 'no column')} after {finish.cards} cards" if finish else "not decided"
    if draw.extra:
        yield "extra card", CardRow((draw.extra,))
    if draw.overdrawn:
        yield "overdrawn", CardRow(draw.overdrawn)
    for named in draw.named:
        yield f"card {named.position}", f"named {named.card} by badge {named.badge} {named.level}".rstrip()


def _incidents(sheet: RoundSheet) -> Iterator[Block]:
    yield PaperHeading("Incidents")
    if not sheet.incidents:
        yield PaperRemark("None.")
        return
    rows, marked, write = [], set[int](), speech_of(sheet).write
    for at, each in enumerate(sheet.incidents):
        place = id_words(each.incident.place or "") or each.incident.device or ""
        words = write(each.text + (f" (about: {each.cause})" if each.cause and each.cause not in each.text else ""))
        words += "; a supervisor must come" if each.incident.called else ""
        rows.append((each.at.local if each.at is not None else "before", place, words, each.incident.clause))
        marked |= {at} if each.incident.called or each.incident.unreliable else set()
    yield table("when|where|*what|clause", rows, marked=marked)


def _corrections(sheet: RoundSheet) -> Iterator[Block]:
    yield PaperHeading("Corrections")
    write = speech_of(sheet).write
    for each in sheet.corrections:
        by = f"badge {each.incident.badge}" if each.incident.badge else "no badge named"
        level = f" ({each.incident.level})" if each.incident.level else ""
        at = each.at.local if each.at is not None else "before the first record"
        yield PaperRemark(f"{at}, {by}{level}: {write(each.text)} [{each.incident.clause}]")
        if each.cause:
            yield PaperRemark(f"Earlier finding: {write(each.cause)}")
    if len(sheet.versions) > 1:
        yield table(">result of record|when|outcome|*settled|", map(_version, sheet.versions))
        for version in sheet.versions:
            if version is not sheet.counts:
                newest = ", the newest" if version.newest else ""
                yield PaperHeading(f"The result of record {version.at.record}{newest}: not settled")
                yield from deal(version.result, sheet)
    elif not sheet.corrections:
        yield PaperRemark("None. The round has one result, and no entry was corrected.")


def _version(version: SheetVersion) -> tuple[Cell, ...]:
    settled = f"yes, record {version.settlement_record}" if version.settled else "no: already settled"
    newest = "newest" if version.newest else ""
    return str(version.at.record), version.at.local, id_words(version.result.outcome), settled, newest


def _people(sheet: RoundSheet) -> Iterator[Block]:
    yield PaperHeading("Actions outside the game")
    yield (
        _notes(sheet, sheet.people)
        if sheet.people
        else PaperRemark("Nothing is recorded: no badge, no action, no access.")
    )


def _lines(sheet: RoundSheet) -> Iterator[Block]:
    yield PaperHeading("Devices and lines")
    rows = tuple(
        (
            each.name,
            " ".join(part for part in (each.maker, each.model) if part) or "unknown",
            each.serial,
            each.firmware + (f" ({each.firmware_digest[:16]})" if each.firmware_digest else ""),
            each.at.local if each.at is not None else "",
        )
        for each in sheet.devices
    )
    if rows:
        yield table("line|*device|serial|*firmware (SHA-256, first 16 digits)|reported", rows)
    yield (
        _notes(sheet, sheet.lines)
        if sheet.lines
        else PaperRemark("No line was lost, and nothing was started or stopped.")
    )


def _notes(sheet: RoundSheet, notes: Iterable[SheetNote]) -> PaperTable:
    write = speech_of(sheet).write
    return table("when|*what|>record", ((note.at.local, write(note.text), note.at.record) for note in notes))


def _faces(sheet: RoundSheet) -> Iterator[Block]:
    if sheet.faces is None:
        return
    yield PaperHeading("Sealed card faces")
    yield PaperRemark(
        "Opened with the key: faces that devices read or people keyed, shown or not. Anyone with this page knows them.",
        True,
    )
    rows = [
        (each.local, each.device, report_words(each.report), id_words(each.what), CardRow(each.cards))
        for each in sheet.faces
    ]
    if rows:
        yield table("when|device|report|*about|*cards", rows)
    else:
        yield PaperRemark("No report of this round names a face.")


_PARTS: Final[tuple[Callable[[RoundSheet], Iterable[Block]], ...]] = (
    *(_what, _when, _table, money, _incidents, _corrections, _people, _lines, _faces, evidence),
)
