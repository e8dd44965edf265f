"""What a game file says of the pot that players bet into: which hands win it, where an odd chip goes, what is raked."""

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field

from dealer_flow.tomlfile import TomlTable
from rules.bets.bet_terms import Charge
from rules.paytables.amounts import WagerField

POT: Final = "pot"
"""What a settlement calls the main pot."""
SIDE_POT: Final = "side-pot-"
"""What it calls a side pot, before its number."""
UNCALLED: Final = "uncalled"
"""What it calls the part of a bet that nobody matched."""

OddChips = Literal["button-left", "dealer-left"]
"""From where an odd chip goes: to the first of those who share that sits to the left of the button, or of the
dealer."""


def is_of_pot(line: str) -> bool:
    """Whether the line of a settlement that is called so is about the pot of the table."""
    return line in (POT, UNCALLED) or line.startswith(SIDE_POT)


class QualifiedWhen(TomlTable):
    """The least hand that may win: a qualifier of the game, by its name, under one option of each reading in `when`."""

    when: dict[str, str] = Field(default_factory=dict)
    """Reading to option, all of which must be in use."""
    qualifier: str
    """The name of the qualifier."""

    def holds(self, readings: Mapping[str, str]) -> bool:
        """Whether all of these options are in use."""
        return all(readings.get(name) == option for name, option in self.when.items())


class PotHand(TomlTable):
    """One way in which the pot is won, the high hand's or the low hand's."""

    hand: str = "player"
    """The hand that is compared, by its name; the one of the greatest strength wins, as its ranking has it."""
    qualified: tuple[QualifiedWhen, ...] = ()
    """The least hands that may win, the first that is in force."""
    clause: str
    """By which it wins."""


class PotClauses(TomlTable):
    """What decides how a pot is shared, beside the clause of the hand that wins it."""

    folded: str
    """A folded hand has no claim to it."""
    dead: str
    """Nor has a dead hand, whose chips stay in it."""
    uncalled: str = ""
    """The part of a bet that nobody matched goes back. Without it, where every bet is alike, all lies in the pot."""
    alone: str
    """Of a pot that one hand is left for, it has all."""
    tie: str
    """Equal hands share it."""
    odd_chip: str
    """Where an odd chip of it goes."""
    no_low: str = ""
    """The high hand has all of it where no low hand qualifies."""
    both: str = ""
    """A hand that wins both ways without a tie has all of it."""
    nobody: str = ""
    """Where everybody has folded, it is the house's."""
    quarters: str = ""
    """A hand that wins one way and ties the other has three quarters."""
    taken: str
    """What was awarded and taken in stays so."""


class JackpotCharge(TomlTable):
    """What may be taken of the pots of one round for a jackpot, beside any rake."""

    most_cents: WagerField
    """The most of it."""
    meter: str
    """The meter that it goes to, by its name."""
    clause: str


class MatchedPot(TomlTable):
    """Who loses pays no more than the winner has bet, and what is above that comes back; the winner's own wager is no
    part of the pot. Of two winners who bet unlike amounts the reading `unequal-winners` speaks."""

    kept: str
    """The clause by which a loser has back what is above the winner's bet."""
    clause: str


class RollingPot(TomlTable):
    """What nobody wins with a hand that qualifies stays on a meter for the next hand. The best hand has a part of it
    all the same, the house's figure (reading `high-hand-share`); the house may have a `last` hand (reading
    `last-hand`), which the best hand wins whatever it is."""

    meter: str
    """The meter that it stays on, by its name."""
    qualifier: str
    """The least hand that wins all of it, by its name."""
    enters: str
    """The bet without which a seat sits the hand out."""
    high_hand: str
    """The clause by which the best hand that does not qualify has a part of it."""
    last: str
    """The clause by which the best hand has all of it in the last hand."""
    sits_out: str
    """The clause by which who sat a hand out may not bet again until the pot is won."""
    clause: str
    """By which it rolls over."""


class Forfeits(TomlTable):
    """Chips of a void round that a person has ruled to stay in the pot: they wait for the next round that is played
    out, whose main pot they are part of."""

    meter: str
    """The meter on which they wait, by its name; where nothing is said of it nothing does."""
    clause: str


class PotSpec(TomlTable):
    """The pot: all bets of kind `to-pot`, cut into a main pot and side pots by what each seat put in. With a `high` and
    a `low` hand each has half of it, the odd chip goes with the high one; where no low hand qualifies the high one has
    all. Where nobody raises or goes all in, `alike` has every bet the same at all seats that made it."""

    high: PotHand | None = None
    """The hand that wins high; none in a game that is played low only."""
    low: PotHand | None = None
    """The hand that wins low."""
    odd_chips: OddChips
    """From where an odd chip goes: to the first of those who share that sits to the left of the button, or of the
    dealer."""
    rake: Charge | None = None
    """What the house may take of each pot."""
    jackpot_rake: JackpotCharge | None = None
    alike: str = ""
    """The clause by which a bet is as much at every seat; where it is not, the pot is held."""
    matched: MatchedPot | None = None
    rolls: RollingPot | None = None
    forfeits: Forfeits | None = None
    clauses: PotClauses
