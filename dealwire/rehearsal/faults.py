"""What hands can do at a device and what can be made to go wrong: one list for plans, buttons and documentation."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.rehearsal.tables import SHUFFLER, SimulatedTable
from dealwire.rehearsal.trouble import PlannedTrouble, What
from devices.simulator.host import SimulatorHost
from devices.simulator.shuffler_parts import MS
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
        """Every field, the given ones checked; UnknownAct says which cannot be."""
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
    """One act; UnknownAct names those there are."""
    if name not in acts():
        raise UnknownAct(name, f"no such act; allowed: {', '.join(acts())}")
    return acts()[name]


def fault_named(name: str) -> InjectableFault:
    """One fault; UnknownAct names those there are."""
    if name not in faults():
        raise UnknownAct(name, f"no such fault; allowed: {', '.join(faults())}")
    return faults()[name]


@cache
def _content() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


# ------------------------------------------------------------------ letting one happen

_AT_A_PACKET: Final = {
    "packet-count": What.PACKET,
    "jam": What.JAM,
    "lost-card": What.LOST,
    "rejected-card": What.REJECTED,
    "door": What.DOOR,
    "lifted-early": What.LIFTED_EARLY,
    "power": What.POWER,
}
_OF_THE_ROUND: Final = {"remainder-short": What.REMAINDER, "deck-short": What.DECK}
_OF_THE_LINE: Final = ("line-noise", "line-drop", "line-flip", "line-stall")


def injectable() -> tuple[InjectableFault, ...]:
    """Every fault that can be injected: name, title and fields, in the order of the catalogue."""
    return tuple(faults().values())


def inject(bench: SimulatorHost, name: str, fields: Mapping[str, object], *, device: str = "") -> str:
    """Let the fault `name` happen at the table behind `bench`; says in one line what will happen.

    `device` is whose line it is, for the faults of a line. A packet of 0 is the next one. UnknownAct names what is
    allowed when the table, the fault or a field cannot be. Call it from the thread that runs the bench.
    """
    return arm(bench.table, name, fields, device=device)


def arm(table: object, name: str, fields: Mapping[str, object], *, device: str = "") -> str:
    """As `inject`, at a table that has no line."""
    fault = fault_named(name)
    filled = fault.filled(fields)
    if name in _OF_THE_LINE:
        return _spoil(table, name, filled, device)
    if not isinstance(table, SimulatedTable):
        raise UnknownAct(name, "only a table with a packet shuffler can do this")
    trouble = _trouble(table, name, filled)
    if name not in _OF_THE_ROUND and trouble.ordinal > table.packets_of_round:
        raise UnknownAct(name, f"packet {trouble.ordinal}: the round has {table.packets_of_round}")
    when = table.add_trouble(trouble)
    where = f" at packet {trouble.ordinal}" if trouble.ordinal else ""
    return f"{fault.title}{where}, in {when}"


def _trouble(table: SimulatedTable, name: str, filled: Mapping[str, Any]) -> PlannedTrouble:
    if name in _OF_THE_ROUND:
        return PlannedTrouble(_OF_THE_ROUND[name], amount=filled["cards"])
    ordinal = filled["packet"] or table.next_packet
    amount = next((filled[key] for key in ("by", "tries", "cards") if key in filled), 0)
    return PlannedTrouble(_AT_A_PACKET[name], ordinal, amount, noticed=bool(filled.get("noticed", 1)))


def _spoil(table: object, name: str, filled: Mapping[str, Any], device: str) -> str:
    if not isinstance(table, DealtTable):
        raise UnknownAct(name, "this table has no line that can be spoiled")
    device = device or (SHUFFLER if SHUFFLER in table.lines else next(iter(table.lines)))
    if device not in table.lines:
        raise UnknownAct(name, f"no such device: {device!r}; there are {', '.join(table.lines)}")
    line = table.lines[device]
    match name:
        case "line-noise":
            line.insert_noise(filled["bytes"])
        case "line-drop":
            line.drop(filled["bytes"])
        case "line-flip":
            line.flip(filled["bits"])
        case _:
            line.stall(table.now_ns + filled["ms"] * MS)
    return f"{faults()[name].title}, at {device}"
