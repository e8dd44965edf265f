"""Making something go wrong at a simulated table: for a plan's steps and for the buttons of a console."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.rehearsal.faults import InjectableFault, UnknownAct, fault_named, faults
from dealwire.rehearsal.tables import SHUFFLER, SimulatedTable
from dealwire.rehearsal.trouble import PlannedTrouble, What
from devices.simulator.host import SimulatorHost

MS: Final = 1_000_000

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
