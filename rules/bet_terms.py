"""What a bet of a game file may hang on: an option of a reading, a hand from which on it ends otherwise, a tie, another
bet."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from dealer_flow.procedure.tomlfile import TomlTable
from rules.amounts import MOST_TIMES


class Option(TomlTable):
    """An option of a reading."""

    reading: str
    is_: str

    def holds(self, readings: Mapping[str, str]) -> bool:
        """Whether it is in use."""
        return readings.get(self.reading) == self.is_


class HandWhen(TomlTable):
    """Another hand decides the bet: under this option of a reading, by these of its pay tables, where both are so."""

    hand: str
    reading: str = ""
    is_: str = ""
    paytables: tuple[str, ...] = ()

    def holds(self, readings: Mapping[str, str], paytable: str | None) -> bool:
        """Whether it is so under these readings and by this pay table."""
        by_reading = not self.reading or readings.get(self.reading) == self.is_
        return by_reading and (not self.paytables or paytable in self.paytables)


class Unless(TomlTable):
    """A hand of the player's, as cards, from which on something else becomes of the bet."""

    at_least: str
    then: Literal["win", "push", "acts"]
    clause: str


class Unqualified(TomlTable):
    """What becomes of a bet against a hand that does not qualify. `acts`: as if it did."""

    qualifier: str = "dealer"
    then: Literal["win", "push", "acts"]
    unless: tuple[Unless, ...] = ()


class TieRule(TomlTable):
    """What becomes of a tie that holds this row of the tables of the hand."""

    row: str
    then: Literal["win", "push", "lose"]
    clause: str


class Declared(TomlTable):
    """The step at which the hand must have been shown to be paid; a hand that was not loses the bet."""

    step: str
    clause: str


class OneColour(TomlTable):
    """What becomes of a tie of two hands whose cards are all red, or all black."""

    then: Literal["win", "push", "lose"]
    clause: str


class Doubt(Option):
    """Under this option the text does not say which of two rankings compares the hands: where the other one, of these
    hands, ends otherwise, the bet is held."""

    hand: str
    against: str
    clause: str


class Doubled(TomlTable):
    """A note under these tables: what a row pays doubles while the qualifier is not met. Options of the reading: `held`
    while nobody has said whether it is in force, `doubles`, or `plain`."""

    tables: Annotated[tuple[str, ...], Field(min_length=1)]
    qualifier: str
    reading: str
    clause: str


class Raised(TomlTable):
    """Up to how many times another bet this one may be, and with which hand, as cards and in `words`, the least one."""

    up_to: Annotated[int, Field(ge=2, le=MOST_TIMES)]
    at_least: str = ""
    words: str = ""


class Equals(TomlTable):
    """This bet must be `times` another, together `with` a third where one is named, or more where it may be raised.
    `optional`: where it is made."""

    bet: str
    times: Annotated[int, Field(ge=1, le=MOST_TIMES)]
    clause: str
    with_: str = ""
    raised: Raised | None = None
    optional: bool = False


class Beside(TomlTable):
    """This bet may only be made beside another."""

    bet: str
    clause: str


class Clauses(TomlTable):
    """What decides the bet. `tie`, `unqualified` and `envy` where the bet can tie, meets a hand that does not qualify,
    or earns envy."""

    win: str
    lose: str
    fold: str = ""
    tie: str = ""
    unqualified: str = ""
    envy: str = ""


class Instead(TomlTable):
    """Another hand and table decide the bet of a seat that made this choice; of several tables one is chosen, for a bet
    that has none of its own."""

    choice: str
    hand: str
    paytables: Annotated[tuple[str, ...], Field(min_length=1)]


class Paired(TomlTable):
    """The tables of this bet and of another are printed in pairs: the first of one goes with the first of the other."""

    bet: str
    clause: str
