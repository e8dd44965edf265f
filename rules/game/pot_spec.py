"""Schema of the pot that players bet into: the hands that win it, the place of an odd chip, and the rake."""

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field

from dealer_flow.tomlfile import TomlTable
from rules.bets.bet_terms import Charge
from rules.paytables.amounts import WagerField

POT: Final = "pot"
"""Name of the main pot in a settlement."""
SIDE_POT: Final = "side-pot-"
"""Name of a side pot in a settlement, before its number."""
UNCALLED: Final = "uncalled"
"""Name in a settlement of the part of a bet that no player matched."""

OddChips = Literal["button-left", "dealer-left"]
"""The seat that gets an odd chip: the first of those who share to the left of the button, or of the dealer."""


def is_of_pot(line: str) -> bool:
    """Return True if a settlement line of this name is about the table's pot."""
    return line in (POT, UNCALLED) or line.startswith(SIDE_POT)


class QualifiedWhen(TomlTable):
    """The minimum hand that may win: a qualifier of the game, by name, under one option of each reading in `when`."""

    when: dict[str, str] = Field(default_factory=dict)
    """Option by reading; all of them must be in use."""
    qualifier: str
    """Name of the qualifier."""

    def holds(self, readings: Mapping[str, str]) -> bool:
        """Return True if all of these options are in use."""
        return all(readings.get(name) == option for name, option in self.when.items())


class PotHand(TomlTable):
    """One way in which the pot is won: by the high hand or by the low hand."""

    hand: str = "player"
    """Name of the hand that is compared; the hand of the greatest strength by its ranking wins."""
    qualified: tuple[QualifiedWhen, ...] = ()
    """Minimum hands that may win; the first one in force applies."""
    clause: str
    """Clause by which it wins."""


class PotClauses(TomlTable):
    """Clauses by which a pot is shared, in addition to that of the winning hand."""

    folded: str
    """A folded hand has no claim to it."""
    dead: str
    """A dead hand has no claim either; its chips stay in the pot."""
    uncalled: str = ""
    """The part of a bet that no player matched goes back. If absent, all bets are equal and the whole pot counts."""
    alone: str
    """A pot for which one hand is left goes to it."""
    tie: str
    """Equal hands share it."""
    odd_chip: str
    """The seat that gets an odd chip."""
    no_low: str = ""
    """The high hand wins all of it if no low hand qualifies."""
    both: str = ""
    """A hand that wins both ways without a tie wins all of it."""
    nobody: str = ""
    """If every player folded, it goes to the house."""
    quarters: str = ""
    """A hand that wins one way and ties the other gets three quarters."""
    taken: str
    """A pot that was awarded and taken in stays so."""


class JackpotCharge(TomlTable):
    """A drop for a jackpot from the pots of one round, in addition to any rake."""

    most_cents: WagerField
    """Maximum of the drop."""
    meter: str
    """Name of the meter that it goes to."""
    clause: str


class MatchedPot(TomlTable):
    """A loser pays no more than the winner has bet, and the excess comes back; the winner's own wager is not part of
    the pot. The reading `unequal-winners` covers two winners with unequal bets."""

    kept: str
    """Clause by which a loser gets back the excess over the winner's bet."""
    clause: str


class RollingPot(TomlTable):
    """A pot that no qualifying hand wins stays on a meter for the next hand. The best hand still gets a part of it, the
    house's figure (reading `high-hand-share`). The house may have a `last` hand (reading `last-hand`), which the best
    hand wins regardless of its rank."""

    meter: str
    """Name of the meter that it stays on."""
    qualifier: str
    """Name of the minimum hand that wins all of it."""
    enters: str
    """The bet without which a seat sits the hand out."""
    high_hand: str
    """Clause by which the best hand that does not qualify gets a part of it."""
    last: str
    """Clause by which the best hand wins all of it in the last hand."""
    sits_out: str
    """Clause by which a seat that sat a hand out may not bet again until the pot is won."""
    clause: str
    """Clause by which it rolls over."""


class Forfeits(TomlTable):
    """Chips of a void round that a supervisor ruled to stay in the pot: they are added to the main pot of the next
    round that is played out."""

    meter: str
    """Name of the meter on which they wait; without it, none do."""
    clause: str


class PotSpec(TomlTable):
    """The pot: all bets of kind `to-pot`, divided into a main pot and side pots by the amounts the seats put in. With a
    `high` and a `low` hand each wins half, and the odd chip goes to the high hand; if no low hand qualifies, the high
    hand wins all. `alike`: no player raises, and a bet is the same at all seats that made it."""

    high: PotHand | None = None
    """The hand that wins high; absent in a game that is played low only."""
    low: PotHand | None = None
    """The hand that wins low."""
    odd_chips: OddChips
    """The seat that gets an odd chip: the first of those who share to the left of the button, or of the dealer."""
    rake: Charge | None = None
    """The house's rake on each pot."""
    jackpot_rake: JackpotCharge | None = None
    alike: str = ""
    """Clause by which a bet is the same at every seat; the pot is held if it is not."""
    all_in: tuple[str, ...] = ()
    """Bets that are smaller than at the other seats for a seat that has no more."""
    matched: MatchedPot | None = None
    rolls: RollingPot | None = None
    forfeits: Forfeits | None = None
    clauses: PotClauses
