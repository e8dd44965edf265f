"""A house's jackpot as a strict TOML file: its pools, what is taken for them, who has earned it, what is posted.

47.1-1060, 47.1-1061; a game whose own text has a jackpot gives the award itself, and the house's file its pools.
"""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from dealer_flow.tomlfile import TomlTable, load
from protocol.tomlfile import Key
from rules.game.jackpot_spec import JackpotAward, award_faults
from rules.meters.setup import RateField
from rules.paytables.amounts import AmountField, WagerField

MOST_POOLS: Final = 3
"""Pools that build for one event (47.1-1060(7))."""
MOST_RAKE_CENTS: Final = 200
"""What may be taken of a hand's pots (47.1-1002(19), 47.1-1018(2))."""


class PoolPart(TomlTable):
    """One pool. The first is the primary one, whose posted amount is the award; when it was won, the others move up."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z-]*$")]
    """As the records call it."""
    contribution: RateField
    """The part of what is collected that goes onto it: `60 %`."""
    start_cents: AmountField = 0
    """What it shows when the books are opened, put up by the house."""
    cap_cents: WagerField | None = None
    """The most that it may hold."""


class PostedPart(TomlTable):
    """What the players must be able to read beside the amount (47.1-1061(2)-(4)), in the house's words."""

    qualification: Annotated[str, Field(min_length=1)]
    """What qualifies for the award."""
    division: Annotated[str, Field(min_length=1)]
    """How it is divided."""
    disclaimers: Annotated[tuple[str, ...], Field(min_length=1)]
    """A fouled deck, switched cards, an unverifiable hand."""
    rake: Annotated[str, Field(min_length=1)]
    """When money is taken from pots, and how much of each hand at most."""


class JackpotSetup(TomlTable):
    """A jackpot file."""

    schema_: Literal["dealwire.jackpot/1"] = Field(alias="schema")
    id: str
    games: Annotated[tuple[str, ...], Field(min_length=1)]
    """Ids of the games in which it is offered."""
    rake_cents: Annotated[int, Field(ge=0, le=MOST_RAKE_CENTS)] = 0
    """What is taken of each hand's pots; 0 where a bet of the game builds it."""
    pools: Annotated[tuple[PoolPart, ...], Field(min_length=1, max_length=MOST_POOLS)]
    when_capped: Literal["stop-rake", "go-on"] = "stop-rake"
    """Once every pool is at its cap, nothing more is taken for it, or the caps are gone (47.1-1060(8)(a)-(b))."""
    posts_when_won: bool = False
    """Whether the pool that moves up is posted with all that it holds, and not as it was posted last."""
    award: JackpotAward | None = None
    """Who has earned it; none where the game's own text says so."""
    posted: PostedPart


def load_jackpot(path: str | Path) -> JackpotSetup:
    """The jackpot in the file at `path`; TomlFileError names file, line, key and what is allowed."""
    return load(Path(path), JackpotSetup, _faults)


def _faults(setup: JackpotSetup) -> Iterator[tuple[Key, str]]:
    names = [pool.name for pool in setup.pools]
    for index, name in enumerate(names):
        if name in names[:index]:
            yield ("pools", index, "name"), f"pool {name!r} stands twice"
    whole = sum((pool.contribution for pool in setup.pools), Fraction(0))
    if whole != 1:
        yield ("pools",), f"contributions come to {whole * 100} percent; allowed: 100, all of it is the players'"
    if setup.award is not None:
        yield from award_faults(setup.award, ("award",))
