"""The file of `dealwire bench --conditions`: where and with what it is judged, for every report of a laboratory."""

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from dealer_flow.tomlfile import load
from dealwire.bench.values import BadValue
from dealwire.bench.verbs.step import Strict
from protocol.printable import TEXT_MAX


def _printable(text: str) -> str:
    if not text.isprintable() or len(text) > TEXT_MAX:
        raise BadValue(f"must be printable, {TEXT_MAX} characters at most")
    return text.strip()


MOST_INSTRUMENTS: Final = 40
"""Named in one report, whose page is one of at most 400 kB."""
Text = Annotated[str, AfterValidator(_printable)]


class Instrument(Strict):
    """One thing that was measured with."""

    name: Text
    """What it is: a thermometer, a clock, a power supply, this machine."""
    number: Text = ""
    """Its number in the laboratory's books."""
    calibrated: Text = ""
    """When and by whom it was calibrated last, or until when that holds."""

    @property
    def words(self) -> str:
        """As a report has it."""
        number = f" {self.number}" if self.number else ""
        return f"{self.name}{number}, calibrated {self.calibrated}" if self.calibrated else f"{self.name}{number}"


def _few(instruments: tuple[Instrument, ...]) -> tuple[Instrument, ...]:
    if len(instruments) > MOST_INSTRUMENTS:
        raise BadValue(f"{len(instruments)} instruments; a report has room for {MOST_INSTRUMENTS}")
    return instruments


class BenchConditions(Strict):
    """The whole file. What the command line says takes its place."""

    schema_: Literal["dealwire.conditions/1"] = Field(alias="schema")
    number: Text = ""
    """The report's own, in the laboratory's books."""
    laboratory: Text = ""
    """Who judges."""
    operator: Text = ""
    """Who stands at the bench."""
    ticket: Text = ""
    """What it is done for."""
    sample: Text = ""
    """The device that lies there: hardware revision, seals, photographs."""
    environment: Text = ""
    """Temperature, humidity, supply."""
    instrument: Annotated[tuple[Instrument, ...], AfterValidator(_few)] = ()
    """What is measured with."""


def load_conditions(path: Path) -> BenchConditions:
    """The file. TomlFileError says in one line what is wrong where."""
    return load(path, BenchConditions)
