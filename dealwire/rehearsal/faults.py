"""What hands can do at a device and what can be made to go wrong: one list for plans, buttons and documentation."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from protocol.errors import LocalError
from protocol.places import parse_place

FILE: Final = Path(__file__).with_name("faults.toml")

DeviceName = Literal["shuffler", "table-controller", "shoe", "any"]


class UnknownAct(LocalError, ValueError):
    """A plan or a button asks for something that the catalogue does not have, or with a field that cannot be."""

    def __init__(self, name: str, why: str) -> None:
        self.name, self.why = name, why
        super().__init__(f"{name}: {why}")


class ActField(BaseModel):
    """One field: a whole number from `low` to `high`, or with `place` the name of a place."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    low: int = 0
    high: int = 0
    default: int | str
    place: bool = False
    nonzero: bool = False

    def why_not(self, value: object) -> str | None:
        """Why a value cannot be; None when it can."""
        if self.place:
            try:
                parse_place(str(value))
            except ValueError as error:
                return str(error)
            return None
        whole = isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high
        if whole and (value or not self.nonzero):
            return None
        return f"{value!r} is not a whole number from {self.low} to {self.high}{', without 0' if self.nonzero else ''}"


class HandAct(BaseModel):
    """Something that hands do. `ask` is the instruction for a person."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    name: str
    device: DeviceName
    ask: str
    fields: Mapping[str, ActField] = Field(default_factory=dict)

    def filled(self, given: Mapping[str, object]) -> dict[str, Any]:
        """Every field, the given ones checked; UnknownDoing says which cannot be."""
        for name, value in given.items():
            if name not in self.fields:
                raise UnknownAct(self.name, f"no field {name!r}; allowed: {', '.join(self.fields) or 'none'}")
            why = self.fields[name].why_not(value)
            if why is not None:
                raise UnknownAct(self.name, f"{name}: {why}")
        return {name: given.get(name, part.default) for name, part in self.fields.items()}

    def instruction(self, given: Mapping[str, object]) -> str:
        """What a person is told."""
        return self.ask.format(**self.filled(given))


class InjectableFault(HandAct):
    """Something that can be made to go wrong; `numbers` are the fault numbers a device raises for it."""

    title: str
    numbers: tuple[int, ...]


@cache
def acts() -> Mapping[str, HandAct]:
    """Everything hands can do, by name."""
    return {item["name"]: HandAct.model_validate(item) for item in _content()["act"]}


@cache
def faults() -> Mapping[str, InjectableFault]:
    """Everything that can be made to go wrong, by name."""
    found = [item | {"numbers": tuple(item["numbers"])} for item in _content()["fault"]]
    return {item["name"]: InjectableFault.model_validate(item) for item in found}


def act_named(name: str) -> HandAct:
    """One act; UnknownDoing names those there are."""
    if name not in acts():
        raise UnknownAct(name, f"no such act; allowed: {', '.join(acts())}")
    return acts()[name]


def fault_named(name: str) -> InjectableFault:
    """One fault; UnknownDoing names those there are."""
    if name not in faults():
        raise UnknownAct(name, f"no such fault; allowed: {', '.join(faults())}")
    return faults()[name]


@cache
def _content() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
