"""Behavior of devices and owners of number ranges, as `docs/protocol.json` has them, from the data of the simulated
devices."""

from collections.abc import Iterable
from enum import IntEnum

import msgspec

from devices.simulator import shoe_states, table_controller
from devices.simulator.command_rules import CONTROLLER_RULES, SHOE_RULES, SHUFFLER_RULES
from devices.simulator.device_faults import CONTROLLER_FAULTS, SHOE_FAULTS
from devices.simulator.shuffler_faults import FAULTS as SHUFFLER_FAULTS
from devices.simulator.shuffler_states import ROWS as SHUFFLER_ROWS
from docs._print import registry
from protocol.faults import CLASSES
from protocol.message import message_name
from protocol.tdp.messages import DeviceClass, Event
from protocol.tdp.refusals import ORDER


class FaultSpec(msgspec.Struct, frozen=True):
    """Reaction of a device to a fault: the `events` it sends, in this order, and its new `state` (null if it keeps the
    old one).

    - `lamp`: a shuffler's red lamp is lit.
    - `halts`: a shoe stops until an operator fixes it.
    - `resume`: a supervisor may decide to continue.
    - `ends`: how the fault ends.
    - `value`: the value in *FaultRaised*.
    """

    device_class: str
    fault: int
    name: str
    when: str
    events: tuple[str, ...]
    state: str | None
    lamp: bool
    halts: bool
    resume: bool
    ends: str
    value: str


class RefusalSpec(msgspec.Struct, frozen=True):
    """Reason to refuse a command. The first one that applies is given."""

    what: str
    reason: str


class TransitionSpec(msgspec.Struct, frozen=True):
    """Transition from any of `sources`, by `cause`, to one of `targets`; `note` says to which."""

    device_class: str
    sources: tuple[str, ...]
    cause: str
    targets: tuple[str, ...]
    note: str


class CommandRuleSpec(msgspec.Struct, frozen=True):
    """Rule for a command: the `states` in which a device accepts it, empty for any, narrowed or widened by `also`.

    - `bad_parameter` and `not_supported`: the parameters that are refused with these reasons.
    - `ends_with`: the message that ends a command which is accepted first; empty if it is done at once.
    """

    command: str
    device_class: str
    states: tuple[str, ...]
    also: str
    bad_parameter: str
    not_supported: str
    ends_with: str


class RangeSpec(msgspec.Struct, frozen=True):
    """Range of numbers, both ends included, and its owner."""

    first: int
    last: int
    about: str


class Ranges(msgspec.Struct, frozen=True):
    """Number ranges by owner, from the registry. `fault_classes` are the hundreds of the protocol's faults, so that an
    unknown fault still has a class."""

    messages: tuple[RangeSpec, ...]
    extensions: tuple[RangeSpec, ...]
    faults: tuple[RangeSpec, ...]
    fault_classes: tuple[RangeSpec, ...]
    capability_bits: tuple[RangeSpec, ...]
    meters_components_regions: tuple[RangeSpec, ...]


class MakerSpec(msgspec.Struct, frozen=True):
    """Registered maker: the text of HELLO-REPLY, and its block of messages."""

    number: int
    maker: str
    first_message: int
    last_message: int
    contact: str


class Behaviour(msgspec.Struct, frozen=True):
    """Behavior of devices. Words between asterisks are messages."""

    faults: tuple[FaultSpec, ...]
    refusals: tuple[RefusalSpec, ...]
    commands: tuple[CommandRuleSpec, ...]
    transitions: tuple[TransitionSpec, ...]


_SHUFFLER, _SHOE, _CONTROLLER = DeviceClass.SHUFFLER.name, DeviceClass.SHOE.name, DeviceClass.TABLE_CONTROLLER.name


def behaviour() -> Behaviour:
    """Return every table of behavior."""
    return Behaviour(
        faults=_faults(),
        refusals=tuple(RefusalSpec(row.what, row.reason.name) for row in ORDER),
        commands=_commands(),
        transitions=_transitions(),
    )


def _names(states: Iterable[IntEnum]) -> tuple[str, ...]:
    return tuple(state.name for state in states)


def _events(events: Iterable[type[Event]]) -> tuple[str, ...]:
    return tuple(message_name(event) for event in events)


def _faults() -> tuple[FaultSpec, ...]:
    shuffler = [
        FaultSpec(
            device_class=_SHUFFLER,
            fault=int(row.fault),
            name=row.fault.name,
            when=row.when,
            events=_events(row.events),
            state=row.state.name,
            lamp=row.lamp,
            halts=False,
            resume=row.may_resume,
            ends=row.resume,
            value=row.value,
        )
        for row in SHUFFLER_FAULTS
    ]
    others = [
        FaultSpec(
            device_class=of_class,
            fault=int(row.fault),
            name=row.fault.name,
            when=row.when,
            events=_events(row.events),
            state=None if row.state is None else row.state.name,
            lamp=False,
            halts=row.halts,
            resume=row.halts,
            ends=row.cleared,
            value="0",
        )
        for of_class, rows in ((_SHOE, SHOE_FAULTS), (_CONTROLLER, CONTROLLER_FAULTS))
        for row in rows
    ]
    return (*shuffler, *others)


def _commands() -> tuple[CommandRuleSpec, ...]:
    return tuple(
        CommandRuleSpec(
            command=message_name(rule.command),
            device_class=of_class,
            states=_names(rule.states),
            also=rule.also,
            bad_parameter=rule.parameters,
            not_supported=rule.support,
            ends_with=rule.accepted,
        )
        for of_class, rules in ((_SHUFFLER, SHUFFLER_RULES), (_SHOE, SHOE_RULES), (_CONTROLLER, CONTROLLER_RULES))
        for rule in rules
    )


def _transitions() -> tuple[TransitionSpec, ...]:
    shuffler = [
        TransitionSpec(_SHUFFLER, _names(row.sources), row.cause.value, _names(row.targets), row.note)
        for row in SHUFFLER_ROWS
    ]
    steps: dict[tuple[IntEnum, str], list[IntEnum]] = {}
    for source, cause, target in sorted(shoe_states.ARCS, key=lambda arc: (int(arc[0]), arc[1].value, int(arc[2]))):
        steps.setdefault((source, cause.value), []).append(target)
    shoe = [TransitionSpec(_SHOE, (at.name,), cause, _names(to), "") for (at, cause), to in steps.items()]
    controller = [
        TransitionSpec(_CONTROLLER, _names(sources), cause.value, _names(targets), "")
        for sources, cause, targets in table_controller.ROWS
    ]
    return (*shuffler, *shoe, *controller)


def ranges() -> Ranges:
    """Return the number ranges with their owners."""
    found: dict[str, list[RangeSpec]] = {}
    for one in registry.registry()["range"]:
        found.setdefault(one["of"], []).append(RangeSpec(one["first"], one["last"], one["owner"]))
    return Ranges(
        messages=tuple(found.pop("message")),
        extensions=tuple(found.pop("extension")),
        faults=tuple(found.pop("fault")),
        fault_classes=tuple(RangeSpec(100 * number, 100 * number + 99, about) for number, about in CLASSES.items()),
        capability_bits=tuple(found.pop("capability bit")),
        meters_components_regions=tuple(found.pop("meter, component or region")),
    )


def makers() -> tuple[MakerSpec, ...]:
    """Return the registered makers."""
    return tuple(
        MakerSpec(one["number"], one["maker"], *registry.messages_of(one["number"]), one["contact"])
        for one in registry.registry()["maker"]
    )
