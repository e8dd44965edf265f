"""What a bet of a game file may hang on: an option of a reading, a hand from which on it ends otherwise, a tie, another
bet."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from dealer_flow.tomlfile import TomlTable
from rules.paytables.amounts import WagerField
from rules.paytables.conditions import LONGEST_RACE


class Option(TomlTable):
    """An option of a reading."""

    reading: str
    """The name of the reading."""
    is_: str
    """The option of it."""

    def holds(self, readings: Mapping[str, str]) -> bool:
        """Whether it is in use."""
        return readings.get(self.reading) == self.is_


Fold = Literal["lose", "stands", "absent", "held"]
"""What folding does to a bet. `absent`: it is made by not folding; `held`: a person decides."""
Tie = Literal["push", "lose", "win", "held"]
"""What a tie does. `held`: a person decides."""


class ByReading(Option):
    """How the bet ends under this option where its text is silent: other than the bet says, by `clause`. One of `fold`,
    `tie`, `unqualified` and `hand`, which may also say what decides a bet that outlives a fold."""

    fold: Fold | None = None
    """What folding does to it."""
    made: str = ""
    """Another bet: a `fold` is so for seats that made that, too."""
    tie: Tie | None = None
    """What a tie does."""
    unqualified: Literal["win", "push", "acts", "held"] | None = None
    """What becomes of it against a hand that does not qualify."""
    hand: str = ""
    """The hand that decides it."""
    clause: str

    @property
    def at(self) -> str:
        """What it changes, by its key: `fold`, `tie`, `unqualified` or `hand`."""
        return next(name for name in _CHANGES if getattr(self, name))

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        changed = [name for name in _CHANGES if getattr(self, name)]
        if len(changed) != 1 and changed != ["fold", "hand"]:
            raise ValueError(f"a row by a reading changes {' and '.join(changed) or 'nothing'}; allowed: {_ONE_OF}")
        if self.made and not self.fold:
            raise ValueError("made: it goes with fold alone")
        return self


_CHANGES: Final = ("fold", "tie", "unqualified", "hand")
_ONE_OF: Final = f"one of {', '.join(_CHANGES)}"


class HandWhen(TomlTable):
    """Another hand decides the bet: under this option of a reading, by these of its pay tables, where both are so."""

    hand: str
    """The hand that then decides."""
    reading: str = ""
    """The name of the reading."""
    is_: str = ""
    """The option of it."""
    paytables: tuple[str, ...] = ()
    """The pay tables by which it is so."""

    def holds(self, readings: Mapping[str, str], paytable: str | None) -> bool:
        """Whether it is so under these readings and by this pay table."""
        by_reading = not self.reading or readings.get(self.reading) == self.is_
        return by_reading and (not self.paytables or paytable in self.paytables)


class Unless(TomlTable):
    """A hand of the player's, as cards, from which on something else becomes of the bet."""

    at_least: str
    """The least such hand, as cards."""
    then: Literal["win", "push", "acts"]
    """What becomes of the bet with it."""
    clause: str


class Unqualified(TomlTable):
    """What becomes of a bet against a hand that does not qualify. `acts`: as if it did; `held`: a person decides."""

    qualifier: str = "dealer"
    """The name of the qualifier that the hand does not meet."""
    then: Literal["win", "push", "acts", "held"]
    """What becomes of the bet."""
    unless: tuple[Unless, ...] = ()


class TieRule(TomlTable):
    """What becomes of a tie that holds this row of the tables of the hand."""

    row: str
    """A row of the hand's tables, such as `full house`."""
    then: Literal["win", "push", "lose"]
    """What becomes of the bet."""
    clause: str


class Declared(TomlTable):
    """The step at which the hand must have been shown to be paid; a hand that was not loses the bet."""

    step: str
    """The name of the step, as the procedure has it."""
    clause: str


class OneColour(TomlTable):
    """What becomes of a tie of two hands whose cards are all red, or all black."""

    then: Literal["win", "push", "lose"]
    """What becomes of the bet."""
    clause: str


class Doubt(Option):
    """Under this option the text does not say which of two rankings compares the hands: where the other one, of these
    hands, ends otherwise, the bet is held."""

    hand: str
    """The hand that decides the bet, by the other ranking."""
    against: str
    """The hand it is compared with, by the other ranking."""
    clause: str


class Doubled(TomlTable):
    """A note under these tables: what a row pays doubles while the qualifier is not met. Options of the reading: `held`
    while nobody has said whether it is in force, `doubles`, or `plain`."""

    tables: Annotated[tuple[str, ...], Field(min_length=1)]
    """The pay tables that have the note."""
    qualifier: str
    """The name of the qualifier."""
    reading: str
    """The name of the reading."""
    clause: str


class Raised(TomlTable):
    """The hand without which the bet may not be more than another. How much more the procedure says."""

    above: str
    """The name of the other bet."""
    at_least: str
    """The least such hand, as cards: `AS AH`."""
    words: str
    """That hand, in words."""
    clause: str


class Clauses(TomlTable):
    """What decides the bet. `tie`, `unqualified` and `envy` where the bet can tie, meets a hand that does not qualify,
    or earns envy; `below` where another clause than `win` has a winning hand that is in no row push."""

    win: str
    """By which it wins."""
    lose: str
    """By which it loses."""
    fold: str = ""
    """By which a fold decides it."""
    tie: str = ""
    """By which a tie does."""
    unqualified: str = ""
    """By which it ends against a hand that does not qualify."""
    envy: str = ""
    """By which others are paid for the hand."""
    below: str = ""
    """By which a win below the last row of its table ends."""


class Instead(TomlTable):
    """Another hand and table decide the bet of a seat that made this choice; of several tables one is chosen, for a bet
    that has none of its own."""

    choice: str
    """The choice, as the procedure has it."""
    hand: str
    """The hand that then decides."""
    paytables: Annotated[tuple[str, ...], Field(min_length=1)]
    """The tables that then pay."""


class Paired(TomlTable):
    """The tables of this bet and of another are printed in pairs: the first of one goes with the first of the other."""

    bet: str
    """The name of the other bet."""
    clause: str


class RaceSpec(TomlTable):
    """A race of columns, one a suit, which ends as the procedure has it."""

    column: SkipJsonSchema[int] = 0
    """How many cards win in one column, by the procedure."""
    most: SkipJsonSchema[Annotated[int, Field(le=LONGEST_RACE)]] = 0
    """After how many without a winner it is over, by the procedure."""
    clause: str


class EnvyRule(TomlTable):
    """What the envy of a table's rows asks: a bet of at least `least_cents` on this spot. `highest`: only the highest
    hand of the round brings it, none where the hand `board` is as high; `hands`: those of a seat that may, where it has
    several."""

    least_cents: WagerField
    """The least bet on this spot that earns envy."""
    highest: bool = False
    board: str = ""
    """A hand; none is paid where it is as high."""
    hands: tuple[str, ...] = ()
    clause: str


class Charge(TomlTable):
    """The commission that a house may take: at most so many percent, or only these, rounded down to what the pays are
    rounded to, since more would be over the figure."""

    most_percent: Annotated[int, Field(ge=1, le=100)]
    """The most that may be taken of a win, in percent."""
    only: bool = False
    """True where it is that or nothing."""
    clause: str


class ReturnClauses(TomlTable):
    """The clause that gives bets back, by what went wrong; empty where it cannot happen."""

    misdeal: str
    """After a misdeal."""
    defective_deck: str
    """After a defective deck."""
    dead_hand: str = ""
    """Of a dead hand."""
    no_jackpot_hand: str = ""
    """Where a round is played for the progressive alone and nobody has a jackpot hand."""
