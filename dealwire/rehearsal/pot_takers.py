"""Who takes in which pot: what the dealer awards when the hands lie open, by the game's own rules."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dealer_flow.record.details import ActionRecord
from dealer_flow.record.result import Deck, ProcedureRef, RoundResult, Seat, SeatStatus
from dealwire.rehearsal.rehearsed import RehearsedProcedure
from devices.events import BettingAction
from protocol.cards import Card
from rules.facts.terms import Terms
from rules.settle.rounds import settle_on
from rules.settlement import Settlement


class HandPlayed(NamedTuple):
    """What a seat put in by bet, what it holds, how it stands, and what lay before it."""

    wagers: Mapping[str, int]
    cards: tuple[Card, ...]
    status: SeatStatus
    stake: int | None


class Takings(NamedTuple):
    """`taken`: pot (1 is the main pot), seat and cents; `back`: what nobody matched, by seat."""

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
    """Who takes what, on the terms of the table; None where it is not known. `gave_up`: the seats that folded or
    mucked, in their order."""
    settled = settle_on(_round(procedure, seats, community, button, gave_up), terms)
    if any(line.result == "held" for line in settled.lines):
        return None
    return Takings(tuple(_taken(settled)), _back(settled))


def _taken(settled: Settlement) -> Iterator[tuple[int, int, int]]:
    for number, pot in enumerate(settled.pots, 1):
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
    """The round as the dealer sees it."""
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
        actions=tuple(ActionRecord(step="", seat=number, action=BettingAction.FOLD, cents=0) for number in gave_up),
    )


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
