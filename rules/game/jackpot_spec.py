"""What is said of a jackpot award, by a game's file or the house's rules: which hands earn it, who has which part."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from dealer_flow.tomlfile import TomlTable
from protocol.tomlfile import Key

To = Literal["beaten", "winner", "holder", "others"]
Doubtful = Literal["held", "highest"]
Tied = Literal["held", "divided"]


class EarnedBy(TomlTable):
    """The least hand that earns the award, as cards and in words: one that is beaten by another hand, or one that is
    held. `own`: so many cards of its player's own are in it at least."""

    hand: str = "player"
    """The name of the hand in the game's file."""
    at_least: str
    """The least such hand, as cards."""
    words: str
    """That hand, in words."""
    own: Annotated[int, Field(ge=0, le=5)] = 0
    """So many cards of the player's own are in it at least."""
    clause: str


class JackpotShare(TomlTable):
    """A part of the posted amount: of the hand that was `beaten`, of the one that beat it (`winner`), of the `holder`
    of the hand, or divided among the `others` who share."""

    to: To
    """Whose it is."""
    percent: Annotated[int, Field(ge=1, le=100)]
    """Of the posted amount, in percent."""
    clause: str


class JackpotAward(TomlTable):
    """An award of what was posted. A seat shares that made the bet `stake` and did not fold; where none is named, every
    seat that was dealt in and did not fold, those that did, too, with `folded-share`."""

    meter: str = "posted"
    """The name by which the posted amount is given."""
    beaten: EarnedBy | None = None
    """The hand that must be beaten."""
    held: EarnedBy | None = None
    """The hand that must be held."""
    stake: str = ""
    """The bet by which a seat shares."""
    folded_share: bool = False
    """Whether the others share though they folded."""
    several: Doubtful | None = None
    """Of several such hands, one better than the other: a person decides, or the highest of them earns it. Where it is
    not said, as the reading `beaten-hands` has it."""
    tied: Tied | None = None
    """Of hands that tie: a person decides, or they divide the part. Where it is not said, as the reading `tied-shares`
    has it."""
    shares: Annotated[tuple[JackpotShare, ...], Field(min_length=1)]
    clause: str

    @property
    def earned_by(self) -> EarnedBy:
        """The hand that earns it."""
        found = self.beaten or self.held
        assert found is not None, "the file was examined"
        return found


def award_faults(award: JackpotAward, key: Key = ()) -> Iterator[tuple[Key, str]]:
    """One hand earns it, its parts are of those who are there, and come to no more than all of it."""
    if (award.beaten is None) == (award.held is None):
        yield key, "an award is earned by one hand; give beaten or held, one of them"
        return
    allowed = ("beaten", "winner", "others") if award.beaten is not None else ("holder", "others")
    for index, share in enumerate(award.shares):
        at = (*key, "shares", index)
        if share.to not in allowed:
            yield (*at, "to"), f"nobody is {share.to!r} in this award; allowed: {', '.join(allowed)}"
        if share.to in [each.to for each in award.shares[:index]]:
            yield (*at, "to"), f"{share.to!r} stands twice"
    if (whole := sum(share.percent for share in award.shares)) > 100:
        yield (*key, "shares"), f"they come to {whole} percent; allowed: 100 at most"
