"""The bets that are returned to a seat, read from a published result and the procedure's rows alone, not from the flow.

Each incident of the result is looked up in the procedure. Where the result does not tell which of two rows applied, or
whether a finding still held at END GAME, every reading is allowed: the returned bets must be those of one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.tables import Consequence
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult, Seat
from protocol.cards import UNREAD
from protocol.faults import Fault, fault_class

Bets = tuple[str, ...] | None
"""Bets that go back; None for all but the fees."""

_MISHAPS = {"stray-joker": "joker", "boxed-card": "boxed"}
_FACES = {"duplicate-face": "duplicate", "foreign-card": "foreign"}
_STOPPED = {"deck-removed", "shoe-ended"}


class Reason(NamedTuple):
    """One finding: what follows (an outcome, `dead-hand` or `hand`), at which place, and the bets that go back."""

    then: str
    place: str | None
    bets: Bets


def allowed_returns(procedure: Procedure, result: RoundResult, seat: Seat) -> list[set[str]]:
    """Return every set of bets that may go back to this seat.

    None has a bet that was settled before, nor one that was held while the other bets were settled; a tip goes with its
    bet. Where hands were shown before the deck was found defective, winnings stand (47.1-1036): all bets of a seat may
    then be held for a supervisor.
    """
    if result.outcome == "unreliable":
        return [set()]
    readings = [list(_reasons(procedure, result, incident)) or [None] for incident in result.incidents]
    found = [_back(procedure, result, seat, [*filter(None, chosen)]) for chosen in itertools.product(*readings)]
    tips = {bet.name: bet.tip_for for bet in procedure.bet if bet.tip_for and bet.name in seat.wagers}
    lone = _lone(procedure, result, seat)
    stays = {*seat.settled, *seat.held} if seat.settled else set()
    back = [(bets | lone | {tip for tip, own in tips.items() if own in bets}) - stays for bets in found]
    others_stand = result.outcome == "defective-deck" and any(each.settled for each in result.seats)
    return [*back, *(bets - seat.held.keys() for bets in back if others_stand and UNREAD.text not in seat.cards)]


def _lone(procedure: Procedure, result: RoundResult, seat: Seat) -> set[str]:
    """Return the bets of a pot for which too few others placed one. A held bet forms no pot, except that of a player
    who never chose."""
    missing = {incident.seat for incident in result.incidents if incident.code == "choice-missing"}
    found = set[str]()
    for bet in procedure.bet:
        placed = {
            other.seat
            for other in result.seats
            if bet.name in other.wagers
            and other.status != "out"
            and (bet.name not in other.held or other.seat in missing)
        }
        if bet.pot is not None and seat.seat in placed and len(placed) < bet.pot.least:
            found.add(bet.name)
    return found


def _back(procedure: Procedure, result: RoundResult, seat: Seat, reasons: list[Reason]) -> set[str]:
    fees = {bet.name for bet in procedure.bet if bet.fee}
    here, outcome = f"seat {seat.seat}", result.outcome
    if outcome in ("misdeal", "defective-deck"):
        return _united(seat, set(), [each.bets for each in reasons if each.then == outcome])
    back: set[str] = set()
    for each in reasons:
        if each.then == "hand":
            back |= set(each.bets or ()) & seat.wagers.keys()
    mine = [each.bets for each in reasons if each.then == "dead-hand" and each.place == here]
    if seat.status == "dead":
        return back | _united(seat, fees, mine)
    if outcome == "progressive-only":
        back |= _united(seat, fees, [each.bets for each in reasons if each.then == outcome])
    return back


def _united(seat: Seat, fees: set[str], bets: list[Bets]) -> set[str]:
    """Return the bets that any of these rules gives back."""
    if not bets or None in bets:
        return set(seat.wagers) - fees
    return {name for each in bets for name in each or ()} & seat.wagers.keys()


# ------------------------------------------------------------------ readings of an incident


def _reasons(procedure: Procedure, result: RoundResult, incident: Incident) -> Iterator[Reason | None]:
    """Yield each reading of one incident; None for one by which nothing goes back."""
    code, place = incident.code, incident.place
    if code.endswith("-count-wrong") and code not in ("deck-count-wrong", "reveal-count-wrong"):
        how = "short" if (incident.counted or 0) < (incident.expected or 0) else "long"
        yield from _wrong(procedure, result, incident, how)
        if code == "seat-count-wrong" and procedure.betting is not None:  # short, and no card is due to it: fouled
            yield from _wrong(procedure, result, incident, "long")
        if code == "remainder-count-wrong":
            yield None
    elif code == "card-exposed" and incident.reason == "player" and procedure.face.by_player is not None:
        yield _meant(procedure, result, procedure.face.by_player, place)
    elif code in ("card-exposed", "card-off-table"):
        yield from _wrong(procedure, result, incident, code.removeprefix("card-"))
    elif code in ("hand-passed-by", "choice-late"):  # a hand that is forfeited, or was kept too long, leaves its chips
        yield Reason("dead-hand", f"seat {incident.seat}", ())
        yield None
    elif code in _MISHAPS:
        yield _meant(procedure, result, getattr(procedure.face, _MISHAPS[code]) or procedure.face.foreign, place)
    elif code == "hand-fouled" and procedure.fouled is not None:
        rows = {"player": procedure.fouled.player, "others": procedure.fouled.others}
        yield _meant(procedure, result, rows.get(incident.reason) or procedure.fouled, place)
    elif code in _FACES:
        yield _meant(procedure, result, getattr(procedure.face, _FACES[code]), place)
    elif code in ("deck-count-wrong", "cards-not-conserved"):
        yield _meant(procedure, result, procedure.care.deck, None)
        if code == "cards-not-conserved":
            yield None
    elif code in _STOPPED:
        yield Reason("misdeal", None, procedure.misdeal.returns)
    elif code == "misdeal-called":
        yield from _called(procedure, result, incident)
    elif incident.fault is not None:
        yield from _fault(procedure, incident.fault)


def _wrong(procedure: Procedure, result: RoundResult, incident: Incident, how: str) -> Iterator[Reason | None]:
    names = {hand.place: hand.name for hand in procedure.hand}
    place = incident.place or ""
    of = "seats" if place.startswith("seat ") else names.get(place, place)
    rows = [row for row in procedure.wrong if row.of == of and how in row.how and row.clause == incident.clause]
    for row in rows:
        yield _meant(procedure, result, row, place)
    if not rows:
        yield None


def _meant(procedure: Procedure, result: RoundResult, row: Consequence | None, place: str | None) -> Reason | None:
    if row is None:
        return None
    then = row.then or result.options[row.option or ""]
    returns = _returns(procedure, result, row, then)
    progressive = {bet.name for bet in procedure.bet if bet.progressive or bet.fee}
    if then == "dead-hand" and (place or "").startswith("seat "):
        return Reason("dead-hand", place, returns)
    if then == "dead-hand" and place in {hand.place for hand in procedure.hand}:
        return Reason("hand", place, returns or ())
    if then == "dead-hand":
        return Reason("defective-deck", None, None)
    if then == "progressive-only" and returns is None:
        return Reason(then, None, tuple(bet.name for bet in procedure.bet if bet.name not in progressive))
    return Reason(then, None, returns) if then in ("progressive-only", "misdeal", "defective-deck") else None


def _returns(procedure: Procedure, result: RoundResult, row: Consequence, then: str) -> Bets:
    """Return the bets that a row gives back, by the readings of the round. The row's bets for a dead hand are not all
    that a misdeal gives back."""
    options = {option.name: option.allowed for option in procedure.option}
    if then == "misdeal" and "dead-hand" in options.get(row.option or "", ()):
        return None
    when, also = row.returns_when, row.also_when
    bets = row.returns if when is None or result.options[when.option] == when.is_ else ()
    if bets is not None and (also is None or result.options[also.option] == also.is_):
        bets += row.also
    return bets


def _called(procedure: Procedure, result: RoundResult, incident: Incident) -> Iterator[Reason | None]:
    """Yield the readings of a person's call; a ruling follows the row that called for it."""
    own = procedure.misdeal.returns
    if incident.reason != "ruled":
        yield Reason("misdeal", None, own)
        yield None  # after a wrong packet of the house it only repeats the clause
        return
    rows: list[Consequence] = [*procedure.wrong]
    rows += [row for row in (procedure.fouled, procedure.face.joker, procedure.face.boxed) if row is not None]
    found = {_returns(procedure, result, row, "misdeal") for row in rows if row.clause == incident.clause} | {None}
    for bets in sorted(found, key=repr):
        yield Reason("misdeal", None, own if bets is None else bets)


def _fault(procedure: Procedure, fault: int) -> Iterator[Reason | None]:
    name = Fault(fault).name.lower().replace("_", "-") if fault in Fault.__members__.values() else ""
    rows: Mapping[str | None, str] = {row.name or row.class_: row.then for row in procedure.fault}
    then = rows.get(name) or rows.get(fault_class(fault)) or "note"
    yield None  # it concerned no card of this round
    if then in ("misdeal", "defective-deck"):
        yield Reason(then, None, None)
