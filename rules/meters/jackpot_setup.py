"""Schema of a house's jackpot, a strict TOML file: its pools, the drop, the hands that earn it, and the notices to
post.

47.1-1060, 47.1-1061. For a game whose own text has a jackpot, the game defines the award and the house's file the
pools.
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
"""Maximum number of pools for one event (47.1-1060(7))."""
MOST_RAKE_CENTS: Final = 200
"""Maximum drop from a hand's pots (47.1-1002(19), 47.1-1018(2))."""


class PoolPart(TomlTable):
    """One pool. The first is the primary one, whose posted amount is the award; when it is won, the others move up."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z-]*$")]
    """Name in the records."""
    contribution: RateField
    """The part of collected money that goes onto it: `60 %`."""
    start_cents: AmountField = 0
    """Amount when the books are opened, put up by the house."""
    cap_cents: WagerField | None = None
    """The maximum amount that it may hold."""


class PostedPart(TomlTable):
    """Notices that players must be able to read next to the amount (47.1-1061(2)-(4)), in the house's words."""

    qualification: Annotated[str, Field(min_length=1)]
    """The hands that qualify for the award."""
    division: Annotated[str, Field(min_length=1)]
    """The division of the award."""
    disclaimers: Annotated[tuple[str, ...], Field(min_length=1)]
    """Disclaimers: a fouled deck, switched cards, an unverifiable hand."""
    rake: Annotated[str, Field(min_length=1)]
    """Notice of the drop: the occasions, and the maximum per hand."""


class JackpotSetup(TomlTable):
    """A jackpot file."""

    schema_: Literal["dealwire.jackpot/1"] = Field(alias="schema")
    id: str
    games: Annotated[tuple[str, ...], Field(min_length=1)]
    """Ids of the games in which it is offered."""
    rake_cents: Annotated[int, Field(ge=0, le=MOST_RAKE_CENTS)] = 0
    """The drop from each hand's pots; 0 if a bet of the game funds it."""
    pools: Annotated[tuple[PoolPart, ...], Field(min_length=1, max_length=MOST_POOLS)]
    when_capped: Literal["stop-rake", "go-on"] = "stop-rake"
    """Rule for when every pool is at its cap: nothing more is taken, or the caps are lifted (47.1-1060(8)(a)-(b))."""
    posts_when_won: bool = False
    """True if a pool that moves up is posted with its full amount, instead of its last posted amount."""
    award: JackpotAward | None = None
    """The award; absent if the game's own text defines it."""
    posted: PostedPart


def load_jackpot(path: str | Path) -> JackpotSetup:
    """Load the jackpot file at `path`; TomlFileError names the file, line, key and allowed values."""
    return load(Path(path), JackpotSetup, _faults)


def _faults(setup: JackpotSetup) -> Iterator[tuple[Key, str]]:
    names = [pool.name for pool in setup.pools]
    for index, name in enumerate(names):
        if name in names[:index]:
            yield ("pools", index, "name"), f"pool {name!r} appears twice"
    whole = sum((pool.contribution for pool in setup.pools), Fraction(0))
    if whole != 1:
        yield (
            ("pools",),
            f"contributions add up to {whole * 100} percent; allowed: 100, because all of it belongs to the players",
        )
    if setup.award is not None:
        yield from award_faults(setup.award, ("award",))
