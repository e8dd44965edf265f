"""Schema of a jackpot award, in a game file or a house's rules: the hands that earn it and the parts of it."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from dealer_flow.tomlfile import TomlTable
from protocol.tomlfile import Key

To = Literal["beaten", "winner", "holder", "others"]
Doubtful = Literal["held", "highest"]
Tied = Literal["held", "divided"]


class EarnedBy(TomlTable):
    """The minimum hand that earns the award, as cards and in words: a hand that is beaten, or a hand that is held.
    `own`: the minimum number of its player's own cards in it."""

    hand: str = "player"
    """Name of the hand in the game file."""
    at_least: str
    """The lowest such hand, as cards."""
    words: str
    """That hand, in words."""
    own: Annotated[int, Field(ge=0, le=5)] = 0
    """Minimum number of the player's own cards in it."""
    clause: str


class JackpotShare(TomlTable):
    """A part of the posted amount: for the hand that was `beaten`, the hand that beat it (`winner`), the `holder` of
    the hand, or divided among the `others` who share."""

    to: To
    """The recipients."""
    percent: Annotated[int, Field(ge=1, le=100)]
    """Percentage of the posted amount."""
    clause: str


class JackpotAward(TomlTable):
    """An award of the posted amount. A seat shares if it made the bet `stake` and did not fold. Without a `stake`,
    every seat shares that was dealt in and did not fold; with `folded-share`, folded seats share too."""

    meter: str = "posted"
    """Name of the meter with the posted amount."""
    beaten: EarnedBy | None = None
    """The hand that must be beaten."""
    held: EarnedBy | None = None
    """The hand that must be held."""
    stake: str = ""
    """The bet by which a seat shares."""
    folded_share: bool = False
    """True if other seats share even if they folded."""
    several: Doubtful | None = None
    """Rule for several such hands of different rank: a supervisor decides, or the highest earns it. If absent, the
    reading `beaten-hands` decides."""
    tied: Tied | None = None
    """Rule for hands that tie: a supervisor decides, or they divide the part. If absent, the reading `tied-shares`
    decides."""
    shares: Annotated[tuple[JackpotShare, ...], Field(min_length=1)]
    clause: str

    @property
    def earned_by(self) -> EarnedBy:
        """The hand that earns it."""
        found = self.beaten or self.held
        assert found is not None, "the file was examined"
        return found


def award_faults(award: JackpotAward, key: Key = ()) -> Iterator[tuple[Key, str]]:
    """Check that one hand earns it, that its parts have recipients, and that they add up to at most 100 percent."""
    if (award.beaten is None) == (award.held is None):
        yield key, "an award is earned by one hand; give either beaten or held"
        return
    allowed = ("beaten", "winner", "others") if award.beaten is not None else ("holder", "others")
    for index, share in enumerate(award.shares):
        at = (*key, "shares", index)
        if share.to not in allowed:
            yield (*at, "to"), f"no seat is {share.to!r} in this award; allowed: {', '.join(allowed)}"
        if share.to in [each.to for each in award.shares[:index]]:
            yield (*at, "to"), f"{share.to!r} appears twice"
    if (whole := sum(share.percent for share in award.shares)) > 100:
        yield (*key, "shares"), f"they add up to {whole} percent; allowed: 100 at most"
