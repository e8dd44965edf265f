"""What a round without incident looks like: where its cards go, and in which order things are reported.

What the pattern of a round is made of, a letter for a report (`devices.events_in_bulk`):

    [kvsw]*S   (?:[kvs]*d[kvs]*l){packets}   [kvsdr]*b   (?:[kvsdrnw]*c){seats}   [kvsdrnw]*(?:h[kvsdrnh]*)?E
    bets       each packet, then lifted      the burn    every seat chooses       bets until a hand is shown

A packet that the device brings when all have theirs stays in the tray: it is part of the remainder.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from dealer_flow.plan import Plan
from dealer_flow.result import Packet, Remainder
from dealer_flow.round_result import packet_of
from dealer_flow.schema import BurnStep, DealStep, DecideStep, Part, RevealStep
from protocol.places import BURN, Place, seat

_ANY: Final = b"kvs"
"""Reports that may come at any time: a deck in the device, a sensor."""
_OUT: Final = _ANY + b"dr"
"""And once every packet is out: one more that nobody lifts, the remainder."""


class Unmodelled(ValueError):
    """A procedure with something in it that this file does not know; the flow knows it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the cards of a round with these seats go. `packets` are the records of the packets, the same every time."""

    active: tuple[int, ...]
    """The seats, in order."""
    pattern: re.Pattern[bytes]
    sizes: dict[Place, int]
    playing: dict[int, int]
    """Cards at each place once the burn is done, the burned ones at their own."""
    packets: tuple[Packet, ...]
    lifted: list[int]
    dispensed: dict[int, list[tuple[int, int, int, int, int]]]
    """What the device reports of the packets, by the deck they are of."""
    remainder: Remainder


def lay_out(plan: Plan, active: tuple[int, ...]) -> Layout:
    """Where the cards of a round with these seats go."""
    sizes: dict[Place, int] = {}
    packets: list[Packet] = []
    for step in plan.steps:
        if not isinstance(step, DealStep):
            continue
        for to in step.to:
            whole = range(1, plan.most_seats + 1) if step.seats == "all" else active
            for place in [seat(number) for number in whole] if to == "seats" else [plan.place(to)]:
                sizes[place] = sizes.get(place, 0) + step.cards
                packets.append(packet_of(len(packets) + 1, place.text, step.cards, step.cards))
    playing = {int(place): size for place, size in sizes.items()}
    for place, burn in plan.burns.items():
        playing[place] -= len(burn.positions)
    playing[BURN] = sum(len(burn.positions) for burn in plan.burns.values())
    rest = plan.cards - sum(sizes.values())
    exact = rest if plan.exact_rest is None else plan.exact_rest
    return Layout(
        active,
        _pattern(tuple(type(step) for step in plan.steps), len(packets), len(active)),
        sizes,
        playing,
        tuple(packets),
        [packet.ordinal for packet in packets],
        {},
        _remainder(rest if rest == exact else None, rest),
    )


@cache
def _remainder(counted: int | None, expected: int) -> Remainder:
    return Remainder(counted=counted, expected=expected)


@cache
def _pattern(steps: tuple[type[Part], ...], packets: int, seats: int) -> re.Pattern[bytes]:
    """What may be reported in which order, as a regular expression over the letters of the reports."""
    stages = b"(?:[%s]*d[%s]*l){%d}" % (_ANY, _ANY, packets)
    for step in steps:
        if step is BurnStep:
            stages += b"[%s]*b" % _OUT
        elif step is DecideStep:
            stages += b"(?:[%snw]*c){%d}" % (_OUT, seats)
    return re.compile(b"[%sw]*S%s[%snw]*(?:h[%snh]*)?E" % (_ANY, stages, _OUT, _OUT))


_DO: Final = (DealStep, BurnStep, DecideStep, RevealStep)


def check_modelled(plan: Plan) -> None:
    """Unmodelled unless all packets go out, cards are burned, each player chooses at most once, and hands are shown."""
    if plan.from_shoe or plan.shoe is not None:
        raise Unmodelled(f"{plan.procedure.id}: cards drawn one at a time")
    places = [_DO.index(type(step)) if type(step) in _DO else -1 for step in plan.steps]
    if places != sorted(places) or -1 in places or places.count(2) > 1:
        raise Unmodelled(f"{plan.procedure.id}: steps {', '.join(step.name for step in plan.steps)}")
    for step in plan.steps:
        known = {"name", "when", "clause", "do", *_KNOWN[type(step)]}
        strange = {name for name in type(step).model_fields if name not in known and _set(step, name)}
        if strange:
            raise Unmodelled(f"{plan.procedure.id}: step {step.name}: {', '.join(sorted(strange))}")
    for choice in plan.decisions.values():
        if any(_set(choice, name) for name in type(choice).model_fields if name not in _OF_CHOICE):
            raise Unmodelled(f"{plan.procedure.id}: choice {choice.name}")


_KNOWN: Final[dict[type, tuple[str, ...]]] = {
    DealStep: ("to", "cards", "by", "seats", "face"),
    BurnStep: ("of", "positions", "spread", "top_card"),
    DecideStep: ("choices",),
    RevealStep: ("order",),
}
_OF_CHOICE: Final = ("number", "name", "folds", "bet", "last", "clause")


def _set(part: Part, name: str) -> bool:
    """True when a key is not at its default."""
    return bool(getattr(part, name) != type(part).model_fields[name].default)
