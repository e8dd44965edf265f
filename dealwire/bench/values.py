"""Values in a plan: requirements on the fields of a message, and durations.

4              equal            "DONE"        the name of an enumeration's value
[1, 2]         one of           "+RED"        the flag, or the number, is in it;  "-RED" it is not
"<=5" "!=0"    compared         "$session"    what was saved under that name;     "$last+1"
"""

import operator
import re
from collections.abc import Callable, Mapping
from enum import Enum, IntEnum
from typing import Any, Final

from msgspec.structs import fields as struct_fields

from protocol.cards import spell_cards
from protocol.errors import CannotEncode
from protocol.faults import Fault
from protocol.message import message_name
from protocol.places import PLACES
from protocol.tdp import messages as m
from protocol.tdp.codec import encode
from protocol.tdp.derive import Field, Shape, fields_of
from protocol.tdp.outputs import Timing
from protocol.tdp.packets import ANSWERS, PACKETS

Scalar = int | str
Wanted = int | str | tuple[int | str, ...]
"""Value that a plan writes for a field."""

_PACKETS: Final = (*PACKETS.values(), *ANSWERS.values())
MESSAGES: Final[dict[str, type[m.Message]]] = {message_name(cls): cls for cls, _ in _PACKETS}
"""Message classes by their name in the protocol specification."""
_FIELDS: Final = {message_name(cls): {field.name: field for field in fields_of(packet)} for cls, packet in _PACKETS}
TIMES: Final[dict[str, int]] = {
    item.name.removesuffix("_ns"): getattr(Timing(), item.name) // 1_000_000
    for item in struct_fields(Timing)
    if item.name.endswith("_ns")
}
"""Times of the protocol, in milliseconds."""
PATIENCE: Final[dict[str, int]] = {"patience": 60_000, "shuffle": 300_000, "change": 500}
"""Times that the bench waits where the protocol sets no limit, in milliseconds. All are longer than a device takes.

- `patience`: a motion, a start or a measurement.
- `shuffle`: loading, shuffling and counting a deck.
- `change`: the STATUS after a change.
"""
_ALL_TIMES: Final = {**TIMES, **PATIENCE}
TIME_NAMES: Final = tuple(_ALL_TIMES)
"""Names that a duration may be written with."""

_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}
_VARIABLE: Final = re.compile(r"\$([a-z_]+)([+-]\d+)?")
_COMPARISON: Final = re.compile(r"(<=|>=|!=|<|>)(.+)")


class BadValue(ValueError):
    """Error: a plan requires something impossible of a field. The text says what is allowed."""


def fields_of_message(name: str) -> dict[str, Field]:
    """Return the declared fields of a message. Raise BadValue with the known messages if there is no such message."""
    if name not in MESSAGES:
        raise BadValue(f"no such message: {name!r}; allowed: {', '.join(MESSAGES)}")
    return _FIELDS[name]


def field_of(message: str, name: str) -> Field:
    """Return one field of a message. Raise BadValue with the known fields if there is no such field."""
    known = fields_of_message(message)
    if name not in known:
        raise BadValue(f"{message!r} has no field {name!r}; allowed: {', '.join(known) or 'none'}")
    return known[name]


def constant(field: Field, value: Any, variables: Mapping[str, int]) -> Any:
    """Return the value of a plan's constant: a number, a text, a name of the field's enumeration, or a variable."""
    if not isinstance(value, str):
        return value
    if found := _VARIABLE.fullmatch(value):
        if found[1] not in variables:
            raise BadValue(f"nothing was saved as {found[1]!r}")
        return variables[found[1]] + int(found[2] or 0)
    names = field.names
    if isinstance(names, type) and issubclass(names, Enum):
        if value in names.__members__:
            return int(names[value].value)
        raise BadValue(f"{value!r} is not a {names.__name__}; allowed: {', '.join(names.__members__)}, or a number")
    return value


def in_words(wanted: Mapping[str, Wanted]) -> str:
    """Format requirements, such as `state READY or EMPTY, lamps +RED`."""
    return ", ".join(f"{k} {' or '.join(map(str, v)) if isinstance(v, tuple) else v}" for k, v in wanted.items())


def check_wanted(message: str, wanted: Mapping[str, Wanted]) -> None:
    """Raise BadValue if `message` can never meet the requirements, whatever the values of variables."""
    fields_of_message(message)
    variables = dict.fromkeys(variables_in(wanted), 0)
    for name, value in wanted.items():
        for item in value if isinstance(value, tuple) else [value]:
            _matcher(field_of(message, name), item, variables)


def fits(message: m.Message, wanted: Mapping[str, Wanted], variables: Mapping[str, int]) -> bool:
    """Return True if every field meets the requirements."""
    name = message_name(message)
    for key, value in wanted.items():
        field, actual = field_of(name, key), getattr(message, key)
        choices = value if isinstance(value, tuple) else [value]
        if not any(_matcher(field, item, variables)(actual) for item in choices):
            return False
    return True


def nothing(field: Field) -> Any:
    """Return the empty value of a field."""
    empty = {Shape.INTEGER: 0, Shape.TEXT: "", Shape.BYTES: bytes(field.size), Shape.BLOB: b""}
    return empty.get(field.shape, ())


def check_sent(message: str, given: Mapping[str, Scalar]) -> None:
    """Raise BadValue if the message cannot be sent with these fields, as far as that is known without variables."""
    check_wanted(message, dict(given))
    values = {name: nothing(field) for name, field in fields_of_message(message).items()}
    for name, value in given.items():
        if not str(value).startswith("$"):
            values[name] = constant(field_of(message, name), value, {})
    cls = MESSAGES[message]
    try:
        encode(cls(**values), message_id=0x22 if cls in (m.NakMessage, m.ReplyMessage, m.ProgressMessage) else None)
    except CannotEncode as error:
        raise BadValue(f"it cannot be sent: {error}") from None


def variables_in(value: object) -> set[str]:
    """Return the names of variables in a plan's values."""
    if isinstance(value, str):
        return {found[1] for found in re.finditer(r"\$([a-z_]+)", value)}
    if isinstance(value, Mapping):
        return set().union(*(variables_in(item) for item in value.values()))
    return set().union(*(variables_in(item) for item in value)) if isinstance(value, list | tuple) else set()


def compares(actual: int, wanted: Scalar, variables: Mapping[str, int]) -> bool:
    """Return True if a number equals the wanted one, or satisfies the comparison."""
    return _matcher(_NUMBER, wanted, variables)(actual)


def number(wanted: Scalar, variables: Mapping[str, int]) -> int:
    """Return the number in a plan's value: `7`, `"$last-2"`, or the number of a comparison."""
    found = _COMPARISON.fullmatch(str(wanted))
    text = found[2] if found else str(wanted)
    value = int(text) if text.isdecimal() else constant(_NUMBER, text, variables)
    if not isinstance(value, int):
        raise BadValue(f"{wanted!r} is not a number")
    return value


def spell(message: m.Message, states: type[IntEnum] | None = None) -> str:
    """Describe a message in a few words, without the face of any card. `states` is the device's enumeration of
    states."""
    name = message_name(message)
    if name not in MESSAGES:
        return name
    shown = []
    for key, field in _FIELDS[name].items():
        if key in _UNSAID or key in _FACES:
            continue
        value = getattr(message, key)
        if states is not None and key in ("state", "previous") and value in states._value2member_map_:
            shown.append(f"{key}={states(value).name}")
        else:
            shown.append(f"{key}={_spell(field, value)}")
    return " ".join([name, *shown])


STATES: Final[dict[int, type[IntEnum]]] = {
    m.DeviceClass.SHUFFLER: m.ShufflerState,
    m.DeviceClass.SHOE: m.ShoeState,
    m.DeviceClass.TABLE_CONTROLLER: m.ControllerState,
}
"""Enumeration of states, by class of device."""


def events_of(device_class: int) -> tuple[str, ...]:
    """Return the events that only this class of device sends, in the order of their numbers."""
    numbers = sorted((number, cls) for (_, number), (cls, _) in PACKETS.items() if number >> 8 == device_class)
    return tuple(message_name(cls) for _, cls in numbers if issubclass(cls, m.Event))


def milliseconds(text: Scalar) -> int:
    """Convert a duration such as `250`, `"reply"` or `"lost+status+100"` to milliseconds. Raise BadValue with the known
    names."""
    total = 0
    for part in str(text).split("+"):
        part = part.strip()
        if part.isdecimal():
            total += int(part)
        elif part in _ALL_TIMES:
            total += _ALL_TIMES[part]
        else:
            raise BadValue(f"{part!r} is not a time; allowed: milliseconds, {', '.join(TIME_NAMES)}, or a sum of them")
    return total


_FACES: Final = frozenset({"cards", "card"})
_UNSAID: Final = frozenset(
    {"number", "device_ms", "session", "uptime_ms", "digest", "serial", "maker", "model", "host"}
)


def _spell(field: Field, value: Any) -> str:
    names = field.names
    if isinstance(names, type) and issubclass(names, Enum):
        if isinstance(value, tuple):
            return "[" + " ".join(str(item) for item in value) + "]"
        known = {member.value: member.name for member in names}
        return str(known.get(value, value)) if names is not Fault else str(value)
    if names is not None and not isinstance(value, tuple | bytes):
        return PLACES[value].text if field.name == "place" else spell_cards([value])[0]
    if isinstance(value, tuple):
        return (
            "[" + " ".join("/".join(map(str, item)) if isinstance(item, tuple) else str(item) for item in value) + "]"
        )
    return value.hex() if isinstance(value, bytes) else str(value)


_NUMBER: Final = Field("number", Shape.INTEGER, "I", 4, None, "")


def _matcher(field: Field, wanted: Scalar, variables: Mapping[str, int]) -> Callable[[Any], bool]:
    if isinstance(wanted, str) and wanted[:1] in "+-" and wanted[1:]:
        member = constant(field, int(wanted[1:]) if wanted[1:].isdecimal() else wanted[1:], variables)
        contained = wanted[0] == "+"
        return lambda actual: (member in actual if isinstance(actual, tuple) else bool(actual & member)) is contained
    if isinstance(wanted, str) and (found := _COMPARISON.fullmatch(wanted)):
        limit = int(found[2]) if found[2].isdecimal() else constant(field, found[2], variables)
        if not isinstance(limit, int):
            raise BadValue(f"{wanted!r}: {field.name} can be compared with a number, one of its names or a variable")
        compare = _COMPARE[found[1]]
        return lambda actual: compare(actual, limit)
    value = constant(field, wanted, variables)
    return lambda actual: bool(actual == value)
