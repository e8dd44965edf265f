"""Catalog of manual actions and injectable faults, used by plans, buttons and documentation."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from dealwire.hub.actions import ActionField, FieldRefused
from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.rehearsal.tables import SHUFFLER, SimulatedTable
from dealwire.rehearsal.trouble import PlannedTrouble, What
from devices.simulator.host import SimulatorHost
from devices.simulator.shuffler_parts import MS
from protocol.errors import LocalError

FILE: Final = Path(__file__).with_name("faults.toml")


class UnknownAct(LocalError, ValueError):
    """Error: unknown action or fault, or an impossible field."""

    def __init__(self, name: str, why: str) -> None:
        self.name, self.why = name, why
        super().__init__(f"{name}: {why}")


@dataclass(frozen=True, slots=True)
class HandAct:
    """Manual action at a `device`. `ask` is the instruction for a person."""

    name: str
    device: str
    ask: str
    fields: Mapping[str, ActionField]
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Text that replaces a value in the instruction, by field and value."""

    def filled(self, given: Mapping[str, object]) -> dict[str, Any]:
        """Return every field, with the given ones checked. Raise UnknownAct for an impossible one."""
        unknown = next((name for name in given if name not in self.fields), None)
        if unknown is not None:
            raise UnknownAct(self.name, f"no field {unknown!r}; allowed: {', '.join(self.fields) or 'none'}")
        for name, value in given.items():
            if value == "" or (isinstance(value, str) and self.fields[name].kind == "number"):
                raise UnknownAct(self.name, f"{name}: {value!r} is no {self.fields[name].kind}")
        try:
            return {name: part.read(self.name, str(given.get(name, ""))) for name, part in self.fields.items()}
        except FieldRefused as error:
            raise UnknownAct(self.name, f"{error.name}: {error.why}") from None

    def instruction(self, given: Mapping[str, object]) -> str:
        """Return the instruction for a person."""
        filled = self.filled(given)
        return self.ask.format(
            **{name: self.words.get(name, {}).get(str(value), value) for name, value in filled.items()}
        )


@dataclass(frozen=True, slots=True)
class InjectableFault(HandAct):
    """Fault that can be injected. `numbers` are the fault codes that a device raises for it."""

    title: str = ""
    numbers: Sequence[int] = ()


@cache
def acts() -> Mapping[str, HandAct]:
    """Return all manual actions by name."""
    return {item["name"]: HandAct(**item, fields=fields) for item, fields in _content("act")}


@cache
def faults() -> Mapping[str, InjectableFault]:
    """Return all injectable faults by name."""
    return {item["name"]: InjectableFault(**item, fields=fields) for item, fields in _content("fault")}


def act_named(name: str) -> HandAct:
    """Return one action. Raise UnknownAct with the known names."""
    if name not in acts():
        raise UnknownAct(name, f"no such act; allowed: {', '.join(acts())}")
    return acts()[name]


def fault_named(name: str) -> InjectableFault:
    """Return one fault. Raise UnknownAct with the known names."""
    if name not in faults():
        raise UnknownAct(name, f"no such fault; allowed: {', '.join(faults())}")
    return faults()[name]


def _content(kind: str) -> list[tuple[dict[str, Any], dict[str, ActionField]]]:
    """Return the entries of a kind with their fields."""
    items = tomllib.loads(FILE.read_text(encoding="utf-8"))[kind]
    return [(item, {name: _field(name, part) for name, part in item.pop("fields", {}).items()}) for item in items]


def _field(name: str, part: dict[str, Any]) -> ActionField:
    title = part.get("title") or name.replace("_", " ").capitalize()
    words = part.get("says", {})
    if "place" in part:
        return ActionField(name, title, "place", default=part["place"])
    if "choices" in part:
        return ActionField(name, title, "choice", tuple(part["choices"]), default=part["default"], words=words)
    return ActionField(
        name, title, "number", least=part["low"], most=part["high"], default=str(part["default"]), words=words
    )


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
    """Return every injectable fault with name, title and fields, in the order of the catalog."""
    return tuple(faults().values())


def inject(bench: SimulatorHost, name: str, fields: Mapping[str, object], *, device: str = "") -> str:
    """Inject the fault `name` at the table behind `bench`, and return when and where it will happen.

    `device` selects the line for line faults. Packet 0 means the next packet. Raise UnknownAct with what is allowed if
    the table, the fault or a field does not fit. Call this in the thread that runs the bench.
    """
    return arm(bench.table, name, fields, device=device)


def arm(table: object, name: str, fields: Mapping[str, object], *, device: str = "") -> str:
    """Inject a fault at a table that has no line; see `inject`."""
    fault = fault_named(name)
    filled = fault.filled(fields)
    if name in _OF_THE_LINE:
        return _spoil(table, name, filled, device)
    if not isinstance(table, SimulatedTable):
        raise UnknownAct(name, "only a table with a packet shuffler can do this")
    trouble = _trouble(table, name, filled)
    if name not in _OF_THE_ROUND:
        _check_packet(table, name, trouble)
    when = table.add_trouble(trouble)
    return f"at packet {trouble.ordinal}, in {when}" if trouble.ordinal else f"in {when}"


def _check_packet(table: SimulatedTable, name: str, trouble: PlannedTrouble) -> None:
    """Raise UnknownAct if the round has no packet of that number, or the packet has too few cards for the fault."""
    if trouble.ordinal > table.packets_of_round:
        raise UnknownAct(name, f"packet {trouble.ordinal}: the round has {table.packets_of_round}")
    cards = table.cards_of_packet(trouble.ordinal)
    if trouble.what is What.PACKET and trouble.amount <= -cards:
        of_how_many = "one card" if cards == 1 else f"{cards} cards"
        raise UnknownAct(
            name, f"by {trouble.amount}: packet {trouble.ordinal} has {of_how_many}, and one at least comes"
        )


def _trouble(table: SimulatedTable, name: str, filled: Mapping[str, Any]) -> PlannedTrouble:
    if name in _OF_THE_ROUND:
        return PlannedTrouble(_OF_THE_ROUND[name], amount=filled["cards"])
    ordinal = filled["packet"] or table.next_packet
    amount = next((filled[key] for key in ("by", "tries", "cards") if key in filled), 0)
    return PlannedTrouble(_AT_A_PACKET[name], ordinal, int(amount), noticed=bool(filled.get("noticed", 1)))


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
            return f"{device} is not heard for the next {filled['ms']} ms"
    return f"with what {device} says next"
