"""Fields of TDP for Wireshark, where a name has one type and one table of values in all messages."""

import re
from collections.abc import Iterator, Mapping
from enum import IntEnum, IntFlag
from typing import Final

from docs._print.wireshark_words import (
    BITS_FROM_ONE,
    CARD_CODES,
    IN_HEX,
    LABELS,
    NUMBERS_WITH_NAMES,
    TWO_WAYS,
    UNITS,
)
from protocol.faults import Fault
from protocol.message import message_name
from protocol.tdp.derive import FIXED, Field, Shape, fields_of, header_fields
from protocol.tdp.messages import ControllerState, ShoeState, ShufflerState
from protocol.tdp.packets import ANSWERS, CARDS, PACKETS, PLACES

BY_CLASS: Final = {each.__name__: each for each in (ShufflerState, ShoeState, ControllerState)}
"""Meanings of a state by the class of the device."""
_STATES: Final = frozenset({"state", "previous"})
"""Names of fields that hold a state: the bare name filters by number, the name with the device class by state name."""


class Fields:
    """Fields to register, and the dissector's entry for each field of a message."""

    def __init__(self) -> None:
        self.values: dict[str, Mapping[int, str]] = {}
        self.flags: dict[str, list[tuple[int, str]]] = {}
        self.rows: dict[str, dict[object, object]] = {}
        self.states: dict[str, dict[str, str]] = {}
        """Key of a state's field, by the table of its values."""
        self._uses: dict[str, set[str | None]] = {}
        self._widths: dict[tuple[str, str | None], int] = {}
        for message, field in _every_field():
            values = self._table(field, message)
            named = field.name if field.shape in FIXED else item_of(field)
            if field.shape in FIXED or not field.parts:
                self._uses.setdefault(named, set()).add(values)
                self._widths[named, values] = max(field.size, self._widths.get((named, values), 0))

    def describe(self, field: Field, message: str = "") -> dict[str, object]:
        """Register a field of that message and return the dissector's entry for it."""
        values, flags = self._table(field, message), _flags(field)
        if flags:
            self.flags[flags.__name__] = [(int(each), str(each.name)) for each in flags]
        said: dict[str, object] = {
            "name": field.name,
            "label": LABELS.get(field.name, field.name.replace("_", " ").capitalize()),
            "size": field.size,
            "values": values,
            "flags": flags and flags.__name__,
            "unit": UNITS.get(field.name),
            "hex": True if field.name in IN_HEX else None,
            "bits": True if field.name in BITS_FROM_ONE else None,
            "as_is": True if values in (CARDS, PLACES) else None,
            "lists_codes": True if values in (CARDS, PLACES) else None,
            "by_class": True if field.name in _STATES else None,
        }
        if field.shape not in FIXED:
            return {**said, "shape": "list", **self._add_list(field, values)}
        shape = {Shape.INTEGER: "u", Shape.BYTES: "bytes", Shape.TEXT: "text"}[field.shape]
        if field.name in _STATES:
            self.states[field.name] = {each: self._add(field.name, field, each) for each in BY_CLASS}
            return {**said, "shape": shape, "key": self._add(field.name, field, None)}
        return {**said, "shape": shape, "key": self._add(field.name, field, values)}

    def _add(self, name: str, field: Field, values: str | None) -> str:
        """Register a field under that name once, and return its key: its name in filters without `tdp.`."""
        key = name if self._is_plain(name, values) else f"{name}.{_short(values, name)}"
        flags = _flags(field)
        about = field.doc if field.name == name else ""
        kind = self._kind(name, field, values)
        if self.rows.setdefault(key, {}) == {}:
            label = LABELS.get(name, name.replace("_", " ").capitalize())
            row: dict[object, object] = {1: key, 2: f"tdp.{key}", 3: label, 4: kind, 5: values}
            self.rows[key] = {**row, 6: None, "hex": True if flags or name in IN_HEX else None}
            for flag in flags or ():
                label = str(flag.name).replace("_", " ").capitalize()
                own: dict[object, object] = {1: f"{key}.{flag.name}", 2: f"tdp.{key}.{str(flag.name).lower()}"}
                self.rows[f"{key}.{flag.name}"] = {
                    **own,
                    3: label,
                    4: "bool",
                    "width": 8 * field.size,
                    "mask": int(flag),
                }
        elif self.rows[key][4] != kind:
            raise TypeError(f"tdp.{key} is {self.rows[key][4]} in one message and {kind} in another")
        known = str(self.rows[key][6] or "")
        if about and about not in known.split(" / "):
            self.rows[key][6] = f"{known} / {about}" if known else about
        return key

    def _kind(self, name: str, field: Field, values: str | None) -> str:
        if field.shape is Shape.BYTES or field.shape is Shape.TEXT:
            return "bytes" if field.shape is Shape.BYTES else "string"
        if values in TWO_WAYS:
            return "bool"
        return f"uint{8 * max(field.size, self._widths.get((name, values), 0))}"

    def _is_plain(self, name: str, values: str | None) -> bool:
        """Return True if this field owns the bare name: no other has it, or it is a number, or a flag."""
        return values is None or values == name or (name not in _STATES and len(self._uses[name]) == 1)

    def _add_list(self, field: Field, values: str | None) -> dict[str, object]:
        key = f"{field.name}.list"
        name, item = f"tdp.{field.name}", item_of(field)
        if key not in self.rows:
            label = LABELS.get(field.name, field.name.replace("_", " ").capitalize())
            self.rows[key] = {1: key, 2: f"{name}.list", 3: label, 4: "none", 6: field.doc or None}
            self.rows[f"{field.name}.count"] = {1: f"{field.name}.count", 2: f"{name}.count", 3: "Count", 4: "uint8"}
            if field.parts:
                row = f"{field.name}.row"
                self.rows[row] = {1: row, 2: f"tdp.{row}", 3: item.capitalize(), 4: "none"}
        if field.parts:
            return {"key": key, "parts": [self.describe(part) for part in field.parts]}
        return {"key": key, "item": self._add(item, field, values)}

    def _table(self, field: Field, message: str) -> str | None:
        """Return the name of the table of a field's values; None for a number, flags, bytes and text."""
        names = field.names
        if (message, field.name) in CARD_CODES:
            return CARDS
        if isinstance(names, str):
            return names
        if names is not None:
            if issubclass(names, IntFlag):
                return None
            if names is not Fault:
                self.values[names.__name__] = values_of(names)
            return names.__name__
        if field.name in TWO_WAYS and field.shape is Shape.INTEGER and field.size == 1:
            self.values[field.name] = dict(enumerate(TWO_WAYS[field.name]))
        elif field.name in NUMBERS_WITH_NAMES:
            self.values[field.name] = NUMBERS_WITH_NAMES[field.name]
        else:
            return None
        return field.name


def values_of(names: type[IntEnum]) -> dict[int, str]:
    """Return the names of an enumeration by their numbers."""
    return {int(each): each.name for each in names}


def item_of(field: Field) -> str:
    """Return the name of one entry of a list."""
    return field.name.removesuffix("s")


def _flags(field: Field) -> type[IntFlag] | None:
    names = field.names
    return names if isinstance(names, type) and issubclass(names, IntFlag) else None


def _short(values: str | None, name: str) -> str:
    """Return the word that tells fields of one name apart: `shuffler` for `state` and `ShufflerState`."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", values or "").lower()
    return words.removesuffix(f"_{name}").removesuffix("_state")


def _every_field() -> Iterator[tuple[str, Field]]:
    """Yield each field of each message, of the header, and of list entries, with the message's name."""
    for field in header_fields():
        yield "", field
    for cls, packet in [*PACKETS.values(), *ANSWERS.values()]:
        for field in fields_of(packet):
            yield message_name(cls), field
            for part in field.parts or ():
                yield "", part
