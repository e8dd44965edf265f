"""Tables of `docs/protocol.md` about the behavior of devices, printed from the data that the simulated devices use."""

from collections.abc import Iterable
from enum import IntEnum

from devices.simulator.command_rules import CONTROLLER_RULES, SHOE_RULES, SHUFFLER_RULES
from devices.simulator.device_faults import CONTROLLER_FAULTS, SHOE_FAULTS, DeviceFault
from devices.simulator.shuffler_faults import FAULTS
from devices.simulator.shuffler_states import ROWS
from docs._print import table as lines_of
from protocol.message import message_name
from protocol.tdp.messages import Event
from protocol.tdp.refusals import ORDER


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    return "".join(f"{line}\n" for line in lines_of(head, rows))


def _names(states: Iterable[IntEnum]) -> str:
    return ", ".join(state.name for state in states)


def _reports(events: Iterable[type[Event]]) -> str:
    return ", ".join(f"*{message_name(event)}*" for event in events)


def state_table() -> str:
    """Return every state transition of a packet shuffler."""
    rows = [(_names(row.sources), row.cause.value, _names(row.targets), row.note) for row in ROWS]
    return _table(("from", "by", "to", ""), rows)


def fault_table() -> str:
    """Return the reaction of a packet shuffler to each fault."""
    rows = [
        (
            int(row.fault),
            row.when,
            _reports(row.events),
            row.state.name,
            "lit" if row.lamp else "dark",
            row.value,
            row.resume or ("refused: the deck comes out" if row.lamp else "nothing to decide"),
        )
        for row in FAULTS
    ]
    return _table(("fault", "when", "events, in this order", "state", "red lamp", "`value`", "RESUME"), rows)


def shoe_fault_table() -> str:
    """Return the reaction of a card shoe to each fault."""
    return _device_faults(SHOE_FAULTS)


def controller_fault_table() -> str:
    """Return the reaction of a table controller to each fault."""
    return _device_faults(CONTROLLER_FAULTS)


def _device_faults(faults: Iterable[DeviceFault]) -> str:
    rows = [
        (
            int(row.fault),
            row.when,
            _reports(row.events),
            "yes" if row.halts else "no",
            "unchanged" if row.state is None else row.state.name,
            row.cleared or "nothing to clear",
        )
        for row in faults
    ]
    return _table(("fault", "when", "events, in this order", "halted", "state", "cleared by"), rows)


def refusal_table() -> str:
    """Return every reason for a refusal, in the order in which it is checked."""
    return _table(("", "condition", "reason"), [(at, row.what, row.reason.name) for at, row in enumerate(ORDER, 1)])


def command_table() -> str:
    """Return the states in which the devices accept each command."""
    rows = [
        (
            f"*{message_name(rule.command)}*",
            device,
            "; ".join(part for part in (_names(rule.states) or "any", rule.also) if part),
            rule.parameters,
            rule.support,
            f"*accepted*; ends with {rule.accepted}" if rule.accepted else "*done*",
        )
        for device, rules in (
            ("shuffler", SHUFFLER_RULES),
            ("shoe", SHOE_RULES),
            ("table controller", CONTROLLER_RULES),
        )
        for rule in rules
    ]
    return _table(("command", "device", "allowed states", "BAD_PARAMETER", "NOT_SUPPORTED", "reply"), rows)
