"""What `docs/protocol.json` tells of how devices behave, from what the simulated ones run on; and whose numbers are."""

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
    """What a device does at a fault. `events` in this order; `state` it comes into, null: the one it was in. `lamp`: a
    shuffler's red lamp is lit; `halts`: a shoe does nothing more until a person puts it right. `resume`: a person may
    decide to go on; `ends` says how it ends. `value` is that of *FaultRaised*."""

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
    """A reason to refuse a command; the first of them that holds is given."""

    what: str
    reason: str


class TransitionSpec(msgspec.Struct, frozen=True):
    """From any of `sources`, by `cause`, to one of `targets`; `note` says which."""

    device_class: str
    sources: tuple[str, ...]
    cause: str
    targets: tuple[str, ...]
    note: str


class CommandRuleSpec(msgspec.Struct, frozen=True):
    """Where a device does a command: in `states`, none for any, which `also` narrows or widens. `bad_parameter` and
    `not_supported`: what is refused so. `ends_with`: what ends it when it is accepted first; empty: done at once."""

    command: str
    device_class: str
    states: tuple[str, ...]
    also: str
    bad_parameter: str
    not_supported: str
    ends_with: str


class RangeSpec(msgspec.Struct, frozen=True):
    """Numbers, both ends included, and whose they are."""

    first: int
    last: int
    about: str


class Ranges(msgspec.Struct, frozen=True):
    """Who may give which numbers a meaning, as the registry has it; `fault_classes` are the hundreds of the protocol's
    faults, so that an unknown one still says something."""

    messages: tuple[RangeSpec, ...]
    extensions: tuple[RangeSpec, ...]
    faults: tuple[RangeSpec, ...]
    fault_classes: tuple[RangeSpec, ...]
    capability_bits: tuple[RangeSpec, ...]
    meters_components_regions: tuple[RangeSpec, ...]


class MakerSpec(msgspec.Struct, frozen=True):
    """A registered maker: the text of HELLO-REPLY, and its block of messages."""

    number: int
    maker: str
    first_message: int
    last_message: int
    contact: str


class Behaviour(msgspec.Struct, frozen=True):
    """How devices behave. Words between asterisks are messages."""

    faults: tuple[FaultSpec, ...]
    refusals: tuple[RefusalSpec, ...]
    commands: tuple[CommandRuleSpec, ...]
    transitions: tuple[TransitionSpec, ...]


_SHUFFLER, _SHOE, _CONTROLLER = DeviceClass.SHUFFLER.name, DeviceClass.SHOE.name, DeviceClass.TABLE_CONTROLLER.name


def behaviour() -> Behaviour:
    """Every table."""
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
    """Whose a number is."""
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
    """Who is registered."""
    return tuple(
        MakerSpec(one["number"], one["maker"], *registry.messages_of(one["number"]), one["contact"])
        for one in registry.registry()["maker"]
    )
