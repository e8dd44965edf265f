"""Plans for shoes of other dialects: what can be judged of one that says much and is told little. TOML, strict."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final, Literal, Self

from pydantic import Field, model_validator

from dealer_flow.tomlfile import TOML_MAX_BYTES, files_in, load
from dealwire.bench.plan.plan import PlanFile, plan_digest
from dealwire.bench.record import Area
from dealwire.bench.values import BadValue
from dealwire.bench.verbs.step import Hex, Strict
from dealwire.rehearsal.faults import act_named
from devices.files import read_file

FOLDER: Final = Path(__file__).parent / "dialect_plans"
HEARD_MS: Final = 3_000
"""How long a report may take on its line: far longer than the slowest needs for a frame."""


class DialectStep(Strict):
    """One thing that is done or looked at; which one, the key says that stands first here and is given."""

    do: str = ""
    """Hands do this at the shoe, `repeat` times."""
    fields: dict[str, int | str] = Field(default_factory=dict, alias="with")
    repeat: int = Field(1, ge=1, le=100)
    power: Literal["cycle"] | None = None
    wait: int | None = None
    """Milliseconds; what came before is no answer to what follows."""
    acks: bool | None = None
    """Whether reports are acknowledged from here on."""
    say: Hex = ""
    """Bytes onto the line."""
    command: str = Field("", pattern="^([A-Z]{2}[0-9]{2})?$")
    """A command of the Angel Eye style, its type and two digits."""
    damage: Literal["check", "cut"] | None = None
    answer: Literal["done", "refused", "not done"] | None = None
    """ACK; NAK with a known reason; NAK or nothing."""
    heard: tuple[str, ...] = ()
    """These came since what was done last, each once, in this order; `|` stands between those of which any will do."""
    mode: str = ""
    """The mode that each of them stands in."""
    locked: bool | None = None
    """Of a LockMoved that was heard: which way."""
    within: int = HEARD_MS
    count: int | None = None
    """So many frames `of` a message came since what was done last, repeats too."""
    of: str = ""
    during: int = 0
    never: str = ""
    """This message does not come `during` so long."""
    quiet: int | None = None
    """Nothing at all comes for so long."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        verbs = (self.do, self.power, self.wait is not None, self.acks is not None, self.say, self.command,
                 self.answer, self.heard, self.count is not None, self.never, self.quiet is not None)  # fmt: skip
        if sum(bool(verb) for verb in verbs) != 1:
            raise BadValue("a step does one thing")
        if self.do:
            act_named(self.do).filled(self.fields)
        return self


class DialectEntry(Strict):
    """One rule or check: what it judges (`section` of the dialect's page, `must` in our words)."""

    id: str = Field(pattern=r"^[a-z0-9-]+\.[a-z0-9-]+$")
    title: str
    section: str
    area: Area = "conformance"
    must: str
    steps: tuple[DialectStep, ...] = ()


class DialectPlan(Strict):
    """A whole plan."""

    schema_: Literal["dealwire.dialect-plan/1"] = Field(alias="schema")
    id: Literal["angel-eye", "bee-tek"]
    title: str
    begin: tuple[DialectStep, ...] = ()
    """What is done before the first check, whichever that is."""
    rule: tuple[DialectEntry, ...]
    check: tuple[DialectEntry, ...]

    @property
    def entries(self) -> tuple[DialectEntry, ...]:
        """Checks, then rules, in the order they are reported."""
        return (*self.check, *self.rule)

    @property
    def ids(self) -> tuple[str, ...]:
        """Of all of them."""
        return tuple(entry.id for entry in self.entries)

    @property
    def file(self) -> PlanFile:
        """Its file."""
        data = read_file(FOLDER / f"{self.id}.toml", TOML_MAX_BYTES)
        return PlanFile(f"{self.id}.toml", hashlib.sha256(data).hexdigest())

    @property
    def sha256(self) -> str:
        """As of every plan."""
        return plan_digest([self.file])


@cache
def dialect_plans() -> tuple[str, ...]:
    """Their ids, which are the dialects'."""
    return tuple(files_in(FOLDER))


@cache
def dialect_plan(name: str) -> DialectPlan:
    """The plan for a dialect; KeyError for one that has none."""
    if name not in dialect_plans():
        raise KeyError(name)
    return load(FOLDER / f"{name}.toml", DialectPlan)
