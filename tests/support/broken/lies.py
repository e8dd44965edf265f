"""Devices that lie in one field: between a simulated device and the bench, every message of one kind has another value
in one of its fields, and is a valid frame otherwise.

The lies are made from the declarations, so a new field is lied about from then on. `lies.toml` has the lies that
nothing can name, and the reasons. `python -m tests.support.broken.lies DEVICE [FIELD…]` plays each lie against the
whole plan and prints the checks that name it.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, TypeVar

from dealwire.bench.plan.plan import load_plan
from dealwire.bench.record import BenchOutcome
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, run_plan
from devices.simulator.host import TableModel
from protocol.errors import DealwireError
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope
from protocol.tdp.derive import Field, Shape, fields_of
from protocol.tdp.packets import ANSWERS, PACKETS
from tests.support.broken.base import Broken, changed

T = TypeVar("T", bound=Broken)
UNNAMED: Final = Path(__file__).with_name("lies.toml")
"""Lies that nothing can name, each with the reason."""
DEVICES: Final = {"shuffler": 1, "shoe": 2, "table-controller": 3}
"""Devices that lie, with the first byte of their messages' numbers."""
_SAID_BY_ANY: Final = (m.HelloReplyMessage, m.GapMessage, m.MetersMessage, m.MeasuredMessage)
_STATUSES: Final = (m.ShufflerStatusMessage, m.ShoeStatusMessage, m.ControllerStatusMessage)


def said_by(device: str) -> dict[str, tuple[Field, ...]]:
    """Return the messages that a device of this class may send, each with its declared fields."""
    classes = (*_SAID_BY_ANY, *_STATUSES)
    found = {
        message_name(cls): fields_of(packet)
        for (_, number), (cls, packet) in PACKETS.items()
        if number >> 8 in (0, DEVICES[device]) and (issubclass(cls, m.Event) or cls in classes)
    }
    return found | {message_name(cls): fields_of(packet) for cls, packet in ANSWERS.values()}


@dataclass(frozen=True, slots=True)
class Lie:
    """One field of one message, and the lie: `make` gets the true value and the first one of the run."""

    message: str
    field: str
    how: str
    make: Callable[[Any, Any], Any]

    @property
    def name(self) -> str:
        """Name such as `Reply.state zero`."""
        return f"{self.message}.{self.field} {self.how}"


def lies_of(device: str) -> Iterator[Lie]:
    """Yield every lie that a device of this class can tell in one field."""
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
        yield "unknown", lambda _true, _first: max(members) + 1 & top - 1
        yield "constant", lambda _true, first: first
        return
    yield "one more", lambda true, _first: (true + 1) % top
    yield "one less", lambda true, _first: (true - 1) % top
    yield "zero", lambda _true, _first: 0
    yield "constant", lambda _true, first: first


def _first_raised(true: Any, field: Field) -> Any:
    """Return the value with its first item raised by one; in a record, the last part."""
    if not true:
        return true
    head = true[0]
    raised = (*head[:-1], head[-1] + 1 & 0xFF) if isinstance(head, tuple) else (head + 1) % (1 << 8 * field.size)
    rest = true[1:]
    return bytes([raised]) + rest if isinstance(true, bytes) else (raised, *rest)


class Liar(Broken):
    """Tells one lie; `told` counts the frames in which it differed from the truth."""

    def __init__(self, table: TableModel, lie: Lie) -> None:
        super().__init__(table)
        self._lie, self.told = lie, 0
        self._first: list[Any] = []

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
    """A lie as a device told it: the number of frames that carried it, and the checks that named it."""

    lie: Lie
    frames: int
    by: tuple[str, ...]


class _Listening(Broken):
    """Tells no lie; keeps each value of a field, the first one first."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self.values: dict[tuple[str, str], dict[Any, None]] = {}

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        for name in message.__struct_fields__:
            self.values.setdefault((message_name(message), name), {})[getattr(message, name)] = None
        return [envelope.body]


@cache
def spoken(device: str) -> dict[tuple[str, str], tuple[Any, ...]]:
    """Return every value of each field of each message during the plan, with a device that does not lie."""
    found, by = _judged(device, _Listening)
    assert by == (), by
    return {key: tuple(values) for key, values in found.values.items()}


def is_told(device: str, lie: Lie) -> bool:
    """Return True if the lie differs from the truth in any frame."""
    values = spoken(device).get((lie.message, lie.field), ())
    return any(lie.make(value, values[0]) != value for value in values)


def tell(device: str, lie: Lie) -> Told:
    """Run the device's plan, without the soak, on the device that lies."""
    liar, by = _judged(device, partial(Liar, lie=lie))
    return Told(lie, liar.told, by)


def _judged(device: str, wrapping: Callable[[TableModel], T]) -> tuple[T, tuple[str, ...]]:
    """Return the wrapper that stood between the device and its line, and the names of the failed checks."""
    plan = load_plan(device)
    plan = plan.model_copy(update={"check": tuple(check for check in plan.check if check.area != "soak")})
    between: list[T] = []

    def wrap(table: TableModel) -> TableModel:
        between.append(wrapping(table))
        return between[0]

    rig = SimulatedRig(device, speed=10, wrap=wrap)
    try:
        run = run_plan(plan, rig.wire, lambda _: rig.hands, BenchChoices())
    except DealwireError as refused:
        return between[0], (f"refused at once, {type(refused).__name__}",)
    return between[0], tuple(result.id for result in run.of(BenchOutcome.FAILED))


@cache
def unnamed() -> dict[str, dict[str, str]]:
    """Return the lies that no check can name, with the reason, by device and `any`."""
    with UNNAMED.open("rb") as file:
        return {str(key): dict(value) for key, value in tomllib.load(file).items()}


def why_unnamed(device: str, lie: Lie) -> str:
    """Return the reason in the data file; empty if there is none."""
    keys = (lie.name, f"{lie.message}.{lie.field}", lie.message, f"*.{lie.field} {lie.how}")
    return next((reasons[key] for part in (device, "any") for key in keys if key in (reasons := unnamed()[part])), "")


def told_lies(device: str) -> list[Lie]:
    """Return the lies that differ from the truth somewhere in the plan."""
    return [lie for lie in lies_of(device) if is_told(device, lie)]


def main() -> None:
    """Print the checks that name each lie of a device, or those in fields with the given prefixes."""
    device, *parts = sys.argv[1:]
    for each in told_lies(device):
        if not parts or any(each.name.startswith(part) for part in parts):
            found = tell(device, each)
            by = ", ".join(found.by[:3]) + (f" and {len(found.by) - 3} more" if len(found.by) > 3 else "")
            print(f"{each.name} | {by or 'nothing: ' + why_unnamed(device, each)}", flush=True)


if __name__ == "__main__":
    main()
