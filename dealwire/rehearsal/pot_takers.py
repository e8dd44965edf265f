"""Award of pots: winners by the game's own rules, after the hands are revealed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dealer_flow.play.seen.pots_lying import dead_money, in_pot
from dealer_flow.record.details import ActionRecord
from dealer_flow.record.result import Deck, ProcedureRef, RoundResult, Seat, SeatStatus
from dealer_flow.table.pots import GivenUp, Pot, cut, filled, goes_back, on_record, with_dead
from dealwire.rehearsal.rehearsed import RehearsedProcedure
from devices.events import BettingAction
from protocol.cards import Card
from rules.facts.terms import Terms
from rules.game.pot_spec import POT, SIDE_POT
from rules.settle.rounds import settle_on
from rules.settlement import Settlement


class HandPlayed(NamedTuple):
    """Bets, cards, status and stake of a seat. `mucked`: it folded at the showdown."""

    wagers: Mapping[str, int]
    cards: tuple[Card, ...]
    status: SeatStatus
    stake: int | None
    mucked: bool = False


class Takings(NamedTuple):
    """Awards: `taken` lists pot (1 is the main pot), seat and cents; `back` is unmatched money by seat."""

    taken: tuple[tuple[int, int, int], ...]
    back: Mapping[int, int]


def takings(
    procedure: RehearsedProcedure,
    terms: Terms,
    seats: Mapping[int, HandPlayed],
    community: tuple[Card, ...],
    button: int,
    gave_up: Sequence[int],
) -> Takings | None:
    """Return the awards on the table's terms, or None if they are unknown. `gave_up` lists the seats that folded or
    mucked, in order."""
    settled = settle_on(_round(procedure, seats, community, button, gave_up), terms)
    if any(line.result == "held" for line in settled.lines):
        return None
    return Takings(tuple(_taken(settled)), _back(settled))


def _taken(settled: Settlement) -> Iterator[tuple[int, int, int]]:
    for pot in settled.pots:
        number = 1 if pot.name == POT else 1 + int(pot.name.removeprefix(SIDE_POT))
        for winner in pot.winners:
            yield number, winner.seat, winner.cents


def _back(settled: Settlement) -> Mapping[int, int]:
    back: dict[int, int] = {}
    for line in settled.lines:
        if line.result == "returned":
            back[line.seat] = back.get(line.seat, 0) + line.returned
    return back


def _round(
    procedure: RehearsedProcedure,
    seats: Mapping[int, HandPlayed],
    community: tuple[Card, ...],
    button: int,
    gave_up: Sequence[int],
) -> RoundResult:
    """Return the round as the dealer sees it."""
    actions = tuple(ActionRecord(step="", seat=number, action=BettingAction.FOLD, cents=0) for number in gave_up)
    return RoundResult(
        table="rehearsal",
        session="00000000",
        round=0,
        procedure=ProcedureRef(procedure.id, "0" * 64),
        options=dict(procedure.plan.options),
        outcome="complete",
        deck=Deck(1, None),
        packets=(),
        community=tuple(card.text for card in community),
        burned=(),
        burn=None,
        seats=tuple(_seat(number, hand) for number, hand in sorted(seats.items())),
        dealer=None,
        remainder=None,
        rejected=0,
        incidents=(),
        button=button or None,
        actions=actions,
        pots=on_record(_cut(procedure, seats, GivenUp.by(actions, _all_in(seats)))),
    )


def _all_in(seats: Mapping[int, HandPlayed]) -> list[int]:
    return [number for number, hand in seats.items() if sum(hand.wagers.values()) == hand.stake]


def _cut(procedure: RehearsedProcedure, seats: Mapping[int, HandPlayed], given_up: GivenUp) -> list[Pot]:
    """Return the pots as they were cut before the first hand was mucked."""
    put = {number: cents for number, hand in seats.items() if (cents := in_pot(procedure.plan, hand.wagers))}
    inside = {number for number, hand in seats.items() if hand.status == "live" or hand.mucked}
    if (over := goes_back(put, inside, given_up)) is not None:
        put[over.seat] -= over.cents
    found = filled(cut(put, inside, given_up), put)
    dead = {number: cents for number, hand in seats.items() if (cents := dead_money(procedure.plan, hand.wagers))}
    return with_dead(found, dead, inside) if dead else found


def _seat(number: int, hand: HandPlayed) -> Seat:
    return Seat(
        seat=number,
        status=hand.status,
        cards=tuple(card.text for card in hand.cards),
        counted=len(hand.cards),
        expected=len(hand.cards),
        wagers=dict(hand.wagers),
        stake=hand.stake,
    )
