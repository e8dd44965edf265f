"""What a game file says of hands that are set in two or picked, and of a commission."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from dealer_flow.tomlfile import TomlTable


class RankedWhen(TomlTable):
    """Another ranking of a hand, under one option of each reading that it names."""

    when: Annotated[dict[str, str], Field(min_length=1)]
    """Reading to option, all of which must be in use."""
    ranking: str
    """The ranking then."""

    def holds(self, readings: Mapping[str, str]) -> bool:
        """Whether all of these options are in use."""
        return all(readings.get(name) == option for name, option in self.when.items())


class Pick(TomlTable):
    """Of several hands the one that ranks highest, or lowest, by this ranking."""

    which: Literal["highest", "lowest"]
    """Which one it is."""
    by: str
    """The ranking that says which that is."""


class SetHand(TomlTable):
    """A hand that is set in two, by the names of its parts, and the `bets` that rest on how it was set. The rest has to
    outrank the low part: `clause`. `way`: the clause by which the dealer sets it the house way."""

    low: str
    """The name of the low part, among `hands`."""
    rest: str
    """The name of the other part."""
    bets: Annotated[tuple[str, ...], Field(min_length=1)]
    """The bets that rest on how it was set."""
    clause: str
    """By which the rest has to outrank the low part."""
    way: str = ""


class Charge(TomlTable):
    """The commission that a house may take: at most so many percent, or only these, rounded down to what the pays are
    rounded to, since more would be over the figure."""

    most_percent: Annotated[int, Field(ge=1, le=100)]
    """The most that may be taken of a win, in percent."""
    only: bool = False
    """True where it is that or nothing."""
    clause: str
