"""Devices that lie in one field: between a simulated device and the bench every message of one kind says something
else in one of its fields, and is a valid frame otherwise.

The lies are made from the declarations, so a field that is added is lied about from then on. `lies.toml` says which
lies nothing can name, and why. `python -m tests.support.lies DEVICE [FIELD…]` tells each lie against the whole plan and
prints which checks name it.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

from dealwire.bench.hands import SimulatedHands
from dealwire.bench.plan import load_plan
from dealwire.bench.record import BenchOutcome
from dealwire.bench.rig import SimulatedRig
from dealwire.bench.runner import BenchChoices, run_plan
from devices.simulator.host import TableModel
from protocol.errors import DealwireError
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope
from protocol.tdp.derive import Field, Shape, fields_of
from protocol.tdp.packets import ANSWERS, PACKETS
from tests.support.broken_base import Broken, changed

UNNAMED: Final = Path(__file__).with_name("lies.toml")
"""Which lies nothing can name, and why."""
DEVICES: Final = {"shuffler": 1, "shoe": 2, "table-controller": 3}
"""The devices that are made to lie, with the first byte of their messages' numbers."""
_SAID_BY_ANY: Final = (m.HelloReplyMessage, m.GapMessage, m.MetersMessage, m.MeasuredMessage)
_STATUSES: Final = (m.ShufflerStatusMessage, m.ShoeStatusMessage, m.ControllerStatusMessage)


def said_by(device: str) -> dict[str, tuple[Field, ...]]:
    """The messages that a device of this class may send, each with its declared fields."""
    classes = (*_SAID_BY_ANY, *_STATUSES)
    found = {
        message_name(cls): fields_of(packet)
        for (_, number), (cls, packet) in PACKETS.items()
        if number >> 8 in (0, DEVICES[device]) and (issubclass(cls, m.Event) or cls in classes)
    }
    return found | {message_name(cls): fields_of(packet) for cls, packet in ANSWERS.values()}


@dataclass(frozen=True, slots=True)
class Lie:
    """One field of one message, and what is said instead: `make` gets the true value and the first one of the run."""

    message: str
    field: str
    how: str
    make: Callable[[Any, Any], Any]

    @property
    def name(self) -> str:
        """`Reply.state zero`."""
        return f"{self.message}.{self.field} {self.how}"


def lies_of(device: str) -> Iterator[Lie]:
    """Every lie that a device of this class can tell in one field."""
    for message, fields in said_by(device).items():
        for field in fields:
            for how, make in _ways(field):
                yield Lie(message, field.name, how, make)


def _ways(field: Field) -> Iterator[tuple[str, Callable[[Any, Any], Any]]]:
    match field.shape:
        case Shape.INTEGER:
            yield from _of_numbers(field)
        case Shape.TEXT:
            yield "empty", lambda _true, _first: ""
            yield "other", lambda true, _first: chr(ord(true[:1] or "@") ^ 1) + true[1:]
        case Shape.BYTES:
            yield "zero", lambda true, _first: bytes(len(true))
            yield "other", lambda true, _first: bytes([true[0] ^ 1]) + true[1:]
        case _:
            yield "empty", lambda true, _first: type(true)()
            yield "shorter", lambda true, _first: true[:-1]
            yield "more", lambda true, _first: _first_raised(true, field)


def _of_numbers(field: Field) -> Iterator[tuple[str, Callable[[Any, Any], Any]]]:
    top = 1 << 8 * field.size
    names = field.names
    if isinstance(names, type) and issubclass(names, IntEnum):
        members = [int(member) for member in names]
        after = dict(zip(members, members[1:] + members[:1], strict=True))
        yield "another", lambda true, _first: after.get(true, 0)
        yield "constant", lambda _true, first: first
        return
    yield "one more", lambda true, _first: (true + 1) % top
    yield "one less", lambda true, _first: (true - 1) % top
    yield "zero", lambda _true, _first: 0
    yield "constant", lambda _true, first: first


def _first_raised(true: Any, field: Field) -> Any:
    """The first item one more; of a record its last part."""
    if not true:
        return true
    head = true[0]
    raised = (*head[:-1], head[-1] + 1 & 0xFF) if isinstance(head, tuple) else (head + 1) % (1 << 8 * field.size)
    rest = true[1:]
    return bytes([raised]) + rest if isinstance(true, bytes) else (raised, *rest)


class Liar(Broken):
    """Tells one lie; `told` counts the frames in which it was none of the truth."""

    def __init__(self, table: TableModel, lie: Lie) -> None:
        super().__init__(table)
        self._lie, self._first, self.told = lie, [], 0
        self._bodies: dict[bytes, bytes] = {}

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        lie, message = self._lie, envelope.message
        if message_name(message) != lie.message:
            return [envelope.body]
        true = getattr(message, lie.field)
        self._first = self._first or [true]
        instead = lie.make(true, self._first[0])
        if instead == true:
            return [envelope.body]
        self.told += 1
        return [changed(envelope, **{lie.field: instead})]


@dataclass(frozen=True, slots=True)
class Told:
    """A lie that was told: in how many frames, and which checks named it."""

    lie: Lie
    frames: int
    by: tuple[str, ...]


def tell(device: str, lie: Lie, only: Iterable[str] = ()) -> Told:
    """The device's plan, but for the soak, on the device that lies."""
    plan = load_plan(device)
    plan = plan.model_copy(update={"check": tuple(check for check in plan.check if check.area != "soak")})
    liars: list[Liar] = []

    def wrap(table: TableModel) -> TableModel:
        liars.append(Liar(table, lie))
        return liars[0]

    rig = SimulatedRig(device, speed=10, wrap=wrap)
    assert isinstance(rig.hands, SimulatedHands)
    try:
        run = run_plan(plan, rig.wire, lambda _: rig.hands, BenchChoices(tuple(only)))
    except DealwireError as refused:
        return Told(lie, liars[0].told, (f"refused: {type(refused).__name__}",))
    return Told(lie, liars[0].told, tuple(result.id for result in run.of(BenchOutcome.FAILED)))


def unnamed() -> dict[str, dict[str, str]]:
    """By device: `Message.field how`, or `Message.field`, or `Message`, and why no check can name the lie."""
    with UNNAMED.open("rb") as file:
        return {str(key): dict(value) for key, value in tomllib.load(file).items()}


def why_unnamed(device: str, lie: Lie) -> str:
    """The reason in the data file, empty when there is none."""
    known = unnamed()
    keys = (lie.name, f"{lie.message}.{lie.field}", lie.message)
    return next((known[part][key] for key in keys for part in ("any", device) if key in known.get(part, {})), "")


if __name__ == "__main__":
    for each in lies_of(sys.argv[1]):
        if len(sys.argv) < 3 or any(each.name.startswith(part) for part in sys.argv[2:]):
            found = tell(sys.argv[1], each)
            print(f"{each.name} | {found.frames} | {len(found.by)} | {', '.join(found.by[:4])}", flush=True)
