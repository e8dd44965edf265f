"""State that a flow keeps from one round to the next, as saved on disk.

It can be taken between two rounds only, so it holds no hand, no bet and no choice. Its JSON is the same for equal
flows: what has no order of its own is sorted.
"""

from dataclasses import fields
from operator import attrgetter
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from dealer_flow.play.reports.sessions import LinesState
from dealer_flow.table.decks import DecksState
from dealer_flow.table.round import Round
from dealer_flow.table.shoe import ShoesState

Part = TypeVar("Part", DecksState, LinesState)


class ComingRound(Struct, frozen=True):
    """Reports of devices since the last round ended, and the state that the next round begins with.

    The fields are those of `Round`.
    """

    devices: tuple[str, ...]
    restarted: tuple[str, ...]
    badge: tuple[int, str] | None
    first: int | None
    red_lamp: int
    drawn: int | None = None
    button_was: int | None = None


class FlowState(Struct, frozen=True):
    """State of a flow between two rounds. A shoe's part holds faces that were not shown."""

    decks: DecksState
    shoes: ShoesState | None
    lines: LinesState
    coming: ComingRound


_OF_ITS_OWN: Final = frozenset({*ComingRound.__struct_fields__, "heard", "pressed", "silent"})
"""Fields that may differ from those of a round in which nothing has happened.

`heard` is the report that is being taken; `pressed` and `silent` matter only while a button is being handled.
"""
_others: Final = attrgetter(*(field.name for field in fields(Round) if field.name not in _OF_ITS_OWN))


def coming_of(round_: Round, fresh: Round) -> ComingRound | None:
    """Return the coming round's state to save; None if the round has anything else, such as a bet, that `fresh` does
    not have."""
    return coming(round_) if _others(round_) == _others(fresh) else None


def in_order(state: FlowState) -> FlowState:
    """Return the same state, with unordered mappings sorted by key."""
    return replace(state, decks=_sorted(state.decks), lines=_sorted(state.lines))


def _sorted(part: Part) -> Part:
    known = asdict(part).items()
    return replace(
        part, **{name: dict(sorted(each.items())) for name, each in known if each.__class__ is dict and each}
    )


def coming(round_: Round) -> ComingRound:
    """Return the coming round's state to save."""
    return ComingRound(
        devices=tuple(sorted(round_.devices)),
        restarted=tuple(sorted(round_.restarted)),
        badge=round_.badge,
        first=round_.first,
        red_lamp=round_.red_lamp,
        drawn=round_.drawn,
        button_was=round_.button_was,
    )


def put_back(round_: Round, kept: ComingRound) -> None:
    """Restore the coming round from what was kept of it."""
    round_.devices.update(kept.devices)
    round_.restarted.update(kept.restarted)
    round_.badge, round_.first, round_.red_lamp = kept.badge, kept.first, kept.red_lamp
    round_.drawn, round_.button_was = kept.drawn, kept.button_was
