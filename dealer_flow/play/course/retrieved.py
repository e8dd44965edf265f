"""Ruling on a hand that was mucked at the showdown and lies face up again.

Its player may have retrieved it before it touched the discards, if no one else has thrown a hand away because of it
(47.1-1032(7)-(8)). No device sees that: a supervisor rules.
"""

from typing import Final

from dealer_flow.record.incidents import Incident, at
from dealer_flow.table.round import Round, Ruling
from devices.events import Seen
from protocol.places import Place, seat

_SHOWN: Final = "mucked-hand-shown"


def judge_retrieved(round_: Round, seen: Seen, place: Place) -> None:
    """Ask for a ruling, since cards were shown here. After a pot was taken in, no one may claim it (47.1-1034)."""
    part, number = round_.plan.betting, place.seat
    if part is None or number not in round_.betting.mucked or number in round_.dead or round_.awards:
        return
    if not in_question(round_, number):
        found = Incident(code=_SHOWN, clause=part.retrieved_clause, seat=number, place=at(place), called="supervisor")
        round_.rulings.append(Ruling(round_.report(found, seen), place, part.retrieved_clause, None))


def in_question(round_: Round, number: int) -> bool:
    """Return True if a supervisor has yet to rule whether this seat's hand was retrieved."""
    return any(_is_about(ruling, number) for ruling in round_.rulings)


def retrieve(round_: Round, ruling: Ruling) -> None:
    """Return a hand to play whose retrieval a supervisor confirms."""
    if ruling.why.code == _SHOWN and ruling.place.seat:
        round_.betting.mucked.discard(ruling.place.seat)
        round_.betting.folded.discard(ruling.place.seat)


def leave_mucked(round_: Round, number: int) -> None:
    """Leave the hand in the muck for good."""
    round_.rulings = [ruling for ruling in round_.rulings if not _is_about(ruling, number)]


def _is_about(ruling: Ruling, number: int) -> bool:
    return ruling.why.code == _SHOWN and ruling.place == seat(number)
