"""Buttons of a console, in whichever process it runs, and the message that carries them."""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dealwire.config.schema import ConsolePart
from dealwire.hub.actions import Action, ActionField
from dealwire.hub.wire import VERSION, ServiceHello
from dealwire.service.actions import faults, for_house, hindered_by, of_attested, of_table, offered
from dealwire.version import __version__

if TYPE_CHECKING:
    from dealwire.service.service import Service

_HINDERED = "hindered"


def buttons_of(service: "Service") -> dict[str, list[Action]]:
    """Return the buttons of each table."""
    people = service.configuration.people
    policy, proved = (people.second_person, people.is_proved) if people is not None else ((), False)
    found = {
        name: [
            *offered(session.part.device, session.table.flow.procedure),
            *of_attested(service.attested(name)),
            *(of_table() if session.table.terms is not None else ()),
            *(faults(session.bench.table.units) if session.bench is not None else ()),
        ]
        for name, session in service.tables.items()
    }
    return {name: for_house(each, policy, proved=proved) for name, each in found.items()}


def hello_of(service: "Service", part: ConsolePart) -> ServiceHello:
    """Return what a console in another process gets first."""
    found = service.configuration
    people = found.people
    return ServiceHello(
        version=VERSION,
        program=__version__,
        now_ns=service.clock.now_ns(),
        journal=str(found.journal.path.absolute()),
        sealed=(found.journal.key_file or found.journal.auditor_key_file) is not None,
        console=part.model_dump_json(by_alias=True, exclude={"process", "socket"}),
        people=people.model_dump_json(by_alias=True) if people is not None else "",
        actions={name: [*map(packed, each)] for name, each in buttons_of(service).items()},
    )


def packed(action: Action) -> dict[str, Any]:
    """Return an action as values for JSON. When it can be used is left out: that is known from what it does."""
    values = {each.name: getattr(action, each.name) for each in dataclasses.fields(action) if each.name != _HINDERED}
    packed_fields = [dataclasses.asdict(each) for each in action.fields]
    return dict(json.loads(json.dumps({**values, "fields": packed_fields}, default=dict)))


def unpacked(given: Iterable[Mapping[str, Any]]) -> list[Action]:
    """Return the actions that were packed so."""
    return [_action(each) for each in given]


def _action(given: Mapping[str, Any]) -> Action:
    fields = tuple(ActionField(**_tupled(each)) for each in given["fields"])
    action = Action(**{**_tupled(given), "fields": fields})
    device = action.fixed.get("device")
    if device is None:
        return action
    return dataclasses.replace(action, hindered=hindered_by(action.does, str(device)))


def _tupled(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
