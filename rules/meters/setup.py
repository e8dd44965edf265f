"""Schema of a house's progressive, a strict TOML file: its meters with rates and seeds, and the limits of awards."""

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from dealer_flow.tomlfile import TomlTable, load
from protocol.tomlfile import Key
from rules.paytables.amounts import AmountField, WagerField
from rules.paytables.paytable import PayTable

ADVICE: Final = "WA progressive systems flexibility and recommendations"
_RATE: Final = re.compile(r"(\d{1,3})(?:\.(\d{1,6}))? %")


def parse_rate(value: object) -> Fraction:
    """Parse `"21.5 %"` to an exact part of the wager; ValueError names the allowed form."""
    if isinstance(value, Fraction):
        return value
    found = _RATE.fullmatch(value) if isinstance(value, str) else None
    if found is not None:
        rate = Fraction(f"{found[1]}.{found[2] or 0}") / 100
        if rate <= 1:
            return rate
    raise ValueError("not a rate; allowed: 'N %' from 0 % to 100 %, such as '21.5 %'")


RateField = Annotated[
    Any, BeforeValidator(parse_rate), WithJsonSchema({"type": "string", "pattern": f"^{_RATE.pattern}$"})
]


class MeterPart(TomlTable):
    """One meter. `contribution` and `reserve` are the parts of every progressive wager that go onto it and into its
    reserve.

    A 100 % award resets the meter to the seed, which the house puts up, plus the reserve.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z-]*$")]
    """Name in the pay tables: `100 % of NAME`."""
    seed_cents: AmountField
    """Amount to which it is reset after all of it was paid, without the reserve."""
    start_cents: AmountField | None = None
    """Amount when the books are opened; the seed unless given."""
    contribution: RateField
    """The part of every progressive wager that goes onto it: `21.5 %`."""
    reserve: RateField = Fraction(0)
    """The part that is set aside for the next seed."""


class ProgressiveSetup(TomlTable):
    """A progressive setup file. An award of `executive_from_cents` or more needs an executive's card."""

    schema_: Literal["dealwire.progressive/1"] = Field(alias="schema")
    id: str
    executive_from_cents: WagerField
    """Minimum award that needs an executive's card; a smaller one needs a supervisor's."""
    sensor_cents: WagerField | None = None
    """Wager on a lit sensor whose amount was not reported; None if unknown."""
    meters: Annotated[tuple[MeterPart, ...], Field(min_length=1)]


def load_setup(path: str | Path) -> ProgressiveSetup:
    """Load the setup file at `path`; TomlFileError names the file, line, key and allowed values."""
    return load(Path(path), ProgressiveSetup, _faults)


def _faults(setup: ProgressiveSetup) -> Iterator[tuple[Key, str]]:
    names = [meter.name for meter in setup.meters]
    for index, name in enumerate(names):
        if name in names[:index]:
            yield ("meters", index, "name"), f"meter {name!r} appears twice"
    taken = sum((meter.contribution + meter.reserve for meter in setup.meters), Fraction(0))
    if taken > 1:
        yield ("meters",), "contributions and reserves add up to more than 100 % of a wager"


def cautions(setup: ProgressiveSetup, table: PayTable, wager_cents: int) -> list[str]:
    """Return the objections of the maker's recommendations (WA) to this setup and pay table, one sentence each."""
    fixed = max((row.pays.amount for row in table.rows if row.pays.unit == "for"), default=Fraction(0)) * wager_cents
    paying = {row.pays.meter for row in table.rows}
    found = []
    for meter in setup.meters:
        if meter.name not in paying:
            continue
        if meter.seed_cents == 0:
            found.append(f"meter {meter.name}: a seed of 0 is not recommended  [{ADVICE}, seed amount]")
        elif meter.seed_cents < fixed:
            found.append(
                f"meter {meter.name}: the seed of {meter.seed_cents} cents is below the largest fixed award, "
                f"{int(fixed)} cents  [{ADVICE}, seed amount]"
            )
    return found
