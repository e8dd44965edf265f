"""File of `dealwire bench --conditions`: place and equipment of a laboratory, for all its reports."""

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from dealer_flow.tomlfile import load
from dealwire.bench.values import BadValue
from dealwire.bench.verbs.step import Strict
from protocol.printable import TEXT_MAX


def _printable(text: str) -> str:
    if not text.isprintable() or len(text) > TEXT_MAX:
        raise BadValue(f"must be printable, at most {TEXT_MAX} characters")
    return text.strip()


MOST_INSTRUMENTS: Final = 40
"""Maximum number of instruments in one report, whose HTML page has at most 400 kB."""
Text = Annotated[str, AfterValidator(_printable)]


class Instrument(Strict):
    """Measuring instrument."""

    name: Text
    """Kind of instrument: a thermometer, a clock, a power supply, this machine."""
    number: Text = ""
    """Inventory number in the laboratory."""
    calibrated: Text = ""
    """Date and place of the last calibration, or its expiry."""

    @property
    def words(self) -> str:
        """Text of the instrument in a report."""
        number = f" {self.number}" if self.number else ""
        return f"{self.name}{number}, calibrated {self.calibrated}" if self.calibrated else f"{self.name}{number}"


def _few(instruments: tuple[Instrument, ...]) -> tuple[Instrument, ...]:
    if len(instruments) > MOST_INSTRUMENTS:
        raise BadValue(f"{len(instruments)} instruments; a report holds at most {MOST_INSTRUMENTS}")
    return instruments


class BenchConditions(Strict):
    """Conditions file. Options of the command line override its entries."""

    schema_: Literal["dealwire.conditions/1"] = Field(alias="schema")
    number: Text = ""
    """Report number of the laboratory."""
    laboratory: Text = ""
    """Name of the laboratory."""
    operator: Text = ""
    """Name of the operator."""
    ticket: Text = ""
    """Reference of the test, such as an order."""
    sample: Text = ""
    """Description of the sample: hardware revision, seals, photographs."""
    environment: Text = ""
    """Temperature, humidity, supply voltage."""
    instrument: Annotated[tuple[Instrument, ...], AfterValidator(_few)] = ()
    """Measuring instruments."""


def load_conditions(path: Path) -> BenchConditions:
    """Load the file. Raise TomlFileError for an error in it."""
    return load(path, BenchConditions)
