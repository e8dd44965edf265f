"""What `[odds.settings]` of a game file tells a solver: which settings each reads, and what they may be."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final

from pydantic import BeforeValidator, Field

from dealer_flow.tomlfile import TomlTable
from rules.game.hand_spec import MOST_CARDS

_MOST_UNITS: Final = 100
Units = Annotated[int, Field(ge=1, le=_MOST_UNITS)]
"""How many times the first bet."""
_PART: Final = re.compile(r"[0-9]{1,3}(/[1-9][0-9]{0,2})?")


def _part(value: object) -> object:
    if isinstance(value, str) and _PART.fullmatch(value):
        return value
    raise ValueError("not a part of the first bet; allowed: 'A' or 'A/B'")


Part = Annotated[str, BeforeValidator(_part)]
"""Of the first bet, as `1` or `1/2`."""


class WayToBet(TomlTable):
    """The `bets` that are made, all where none is named; their `stakes` where they are no multiple of the first; the
    words `as` which a bet is told."""

    bets: tuple[str, ...] | None = None
    stakes: dict[str, Part] = Field(default_factory=dict)
    as_: dict[str, str] = Field(default_factory=dict)


class AgainstSettings(TomlTable):
    """Of `against-dealer`."""

    seen: Annotated[int, Field(ge=1, le=MOST_CARDS)] | None = None
    dealer_up: Annotated[int, Field(ge=0, le=1)] = 0
    beside: tuple[str, ...] = ()
    fine: tuple[str, ...] = ()
    ways: tuple[WayToBet, ...] | None = None


class HoldemSettings(TomlTable):
    """Of `holdem`."""

    before: Annotated[tuple[Units, ...], Field(min_length=1)] | None = None
    call: Units | None = None
    flop: Units | None = None
    turn: Units | None = None
    river: Units | None = None


class StreetSettings(TomlTable):
    """Of `streets`."""

    raises: Annotated[tuple[Units, ...], Field(min_length=1)]


class BonusSettings(TomlTable):
    """Of `bonus-card`."""

    first_cards: Annotated[int, Field(ge=1, le=MOST_CARDS)]
    insurance: Part
    fee: Part


class DiscardSettings(TomlTable):
    """Of `discard-one`."""

    folds: bool
    decision: Annotated[int, Field(ge=0, le=MOST_CARDS)] = 0


class NoSettings(TomlTable):
    """Of a solver that reads none."""


SETTINGS: Final[Mapping[str, type[TomlTable]]] = MappingProxyType(
    {
        "against-dealer": AgainstSettings,
        "holdem": HoldemSettings,
        "streets": StreetSettings,
        "bonus-card": BonusSettings,
        "discard-one": DiscardSettings,
    }
)
"""Solver -> what it reads; one that is not here reads nothing."""
