"""Conditions in a game file that change how a bet ends: an option of a reading, a minimum hand, a tie, another bet."""

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
    """Name of the reading."""
    is_: str
    """Option of that reading."""

    def holds(self, readings: Mapping[str, str]) -> bool:
        """Return True if the option is in use."""
        return readings.get(self.reading) == self.is_


Fold = Literal["lose", "stands", "absent", "held"]
"""Effect of folding on a bet. `absent`: it is made instead of folding; `held`: a supervisor decides."""
Tie = Literal["push", "lose", "win", "held"]
"""Effect of a tie. `held`: a supervisor decides."""


class ByReading(Option):
    """Change of the bet under this option of a reading, by `clause`, where the bet's own text is silent. It sets
    exactly one of `fold`, `tie`, `unqualified` and `hand`; a `fold` may also set the `hand` that decides a bet that
    survives it."""

    fold: Fold | None = None
    """Effect of folding."""
    made: str = ""
    """Another bet: the `fold` applies only to seats that made that bet too."""
    tie: Tie | None = None
    """Effect of a tie."""
    unqualified: Literal["win", "push", "acts", "held"] | None = None
    """Outcome against a hand that does not qualify."""
    hand: str = ""
    """The hand that decides the bet."""
    clause: str

    @property
    def at(self) -> str:
        """Key that the row changes: `fold`, `tie`, `unqualified` or `hand`."""
        return next(name for name in _CHANGES if getattr(self, name))

    @model_validator(mode="after")
    def _has_single_change(self) -> Self:
        changed = [name for name in _CHANGES if getattr(self, name)]
        if len(changed) != 1 and changed != ["fold", "hand"]:
            raise ValueError(f"a row by a reading changes {' and '.join(changed) or 'nothing'}; allowed: {_ONE_OF}")
        if self.made and not self.fold:
            raise ValueError("made: allowed only with fold")
        return self


_CHANGES: Final = ("fold", "tie", "unqualified", "hand")
_ONE_OF: Final = f"one of {', '.join(_CHANGES)}"


class HandWhen(TomlTable):
    """Another hand decides the bet under this option of a reading, with these pay tables, or under both conditions."""

    hand: str
    """The hand that then decides."""
    reading: str = ""
    """Name of the reading."""
    is_: str = ""
    """Option of that reading."""
    paytables: tuple[str, ...] = ()
    """Pay tables for which it applies."""

    def holds(self, readings: Mapping[str, str], paytable: str | None) -> bool:
        """Return True if it applies under these readings and this pay table."""
        by_reading = not self.reading or readings.get(self.reading) == self.is_
        return by_reading and (not self.paytables or paytable in self.paytables)


class Unless(TomlTable):
    """A minimum hand of the player's, as cards, from which the bet ends differently."""

    at_least: str
    """The lowest such hand, as cards."""
    then: Literal["win", "push", "acts"]
    """Outcome of the bet with such a hand."""
    clause: str


class Unqualified(TomlTable):
    """Outcome of a bet against a hand that does not qualify. `acts`: as if it did qualify; `held`: a supervisor
    decides."""

    qualifier: str = "dealer"
    """Name of the qualifier that the hand does not meet."""
    then: Literal["win", "push", "acts", "held"]
    """Outcome of the bet."""
    unless: tuple[Unless, ...] = ()


class TieRule(TomlTable):
    """Outcome of a tie between hands that make this row of the hand's tables."""

    row: str
    """A row of the hand's tables, such as `full house`."""
    then: Literal["win", "push", "lose"]
    """Outcome of the bet."""
    clause: str


class Declared(TomlTable):
    """The step at which the hand must be shown to be paid; a hand that was not shown loses the bet."""

    step: str
    """Name of the step, as the procedure has it."""
    clause: str


class OneColorTie(TomlTable):
    """Outcome of a tie between two hands whose cards are all red or all black."""

    then: Literal["win", "push", "lose"]
    """Outcome of the bet."""
    clause: str


class Doubt(Option):
    """Under this option the regulation does not say which of two rankings compares the hands. If the other ranking, of
    these hands, gives a different outcome, the bet is held."""

    hand: str
    """The hand that decides the bet by the other ranking."""
    against: str
    """The hand it is compared with by the other ranking."""
    clause: str


class DoublingNote(TomlTable):
    """A note under these tables: a row's pay doubles while the qualifier is not met. Options of the reading: `held`
    until the house says whether the note is in force, `doubles`, or `plain`."""

    tables: Annotated[tuple[str, ...], Field(min_length=1)]
    """Pay tables that have the note."""
    qualifier: str
    """Name of the qualifier."""
    reading: str
    """Name of the reading."""
    clause: str


class RaiseRequirement(TomlTable):
    """The hand without which the bet may not exceed another bet. The procedure says by how much it may."""

    above: str
    """Name of the other bet."""
    at_least: str
    """The lowest such hand, as cards: `AS AH`."""
    words: str
    """That hand, in words."""
    clause: str


class Clauses(TomlTable):
    """Clauses that decide the bet. `tie`, `unqualified` and `envy` are needed if the bet can tie, meet a hand that does
    not qualify, or earn envy; `below` if a winning hand in no row pushes by a different clause than `win`."""

    win: str
    """Clause by which it wins."""
    lose: str
    """Clause by which it loses."""
    fold: str = ""
    """Clause for a fold."""
    tie: str = ""
    """Clause for a tie."""
    unqualified: str = ""
    """Clause for a hand that does not qualify."""
    envy: str = ""
    """Clause by which other players are paid for the hand."""
    below: str = ""
    """Clause for a win below the last row of its table."""


class ChoiceOverride(TomlTable):
    """Another hand and pay table decide the bet of a seat that made this choice. Of several tables one is chosen, for a
    bet that has none of its own."""

    choice: str
    """The choice, as the procedure has it."""
    hand: str
    """The hand that then decides."""
    paytables: Annotated[tuple[str, ...], Field(min_length=1)]
    """The tables that then pay."""


class PairedTables(TomlTable):
    """The pay tables of this bet and another, printed in pairs: the first of one goes with the first of the other."""

    bet: str
    """Name of the other bet."""
    clause: str


class RaceSpec(TomlTable):
    """A race of columns, one per suit, which ends as the procedure defines."""

    column: SkipJsonSchema[int] = 0
    """Number of cards in one column that wins, from the procedure."""
    most: SkipJsonSchema[Annotated[int, Field(le=LONGEST_RACE)]] = 0
    """Number of cards after which the race is over without a winner, from the procedure."""
    clause: str


class EnvyRule(TomlTable):
    """Conditions for the envy of a table's rows."""

    least_cents: WagerField
    """The lowest bet on this spot that earns envy."""
    highest: bool = False
    """True if only the highest hand of the round earns envy; none does if the hand `board` is as high."""
    board: str = ""
    """A hand; no envy is paid if it is as high."""
    hands: tuple[str, ...] = ()
    """Hands of a seat that can earn envy, if it has several."""
    clause: str


class Charge(TomlTable):
    """The commission that a house may take: at most this percentage, or exactly this or none (`only`). It is rounded
    down to the unit of the pays, because rounding up would exceed the percentage."""

    most_percent: Annotated[int, Field(ge=1, le=100)]
    """The highest percentage of a win that may be taken."""
    only: bool = False
    """True if the house takes either this percentage or nothing."""
    most_cents: Annotated[int, Field(ge=1)] | None = None
    """The highest amount that may be taken of each pot; none if absent."""
    clause: str


class ReturnClauses(TomlTable):
    """Clauses that give bets back, by cause; empty if the cause cannot occur."""

    misdeal: str
    """After a misdeal."""
    defective_deck: str
    """After a defective deck."""
    dead_hand: str = ""
    """For a dead hand."""
    no_jackpot_hand: str = ""
    """For a round played for the progressive alone in which no seat has a jackpot hand."""
