"""Base of all records: values that read and write themselves as JSON."""

import ast
import inspect
import json
from collections.abc import Mapping, Set
from copy import copy
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, TypeVar, get_args, get_type_hints

import msgspec
from msgspec.structs import replace

from protocol.cards import CARDS, RANKS, SUITS, UNREAD, Card

_CARD_PATTERN: Final = rf"^([{RANKS}][{SUITS}]|X[1-4]|\?\?|\?\^|\?#|\|\||__|==|--|0x[0-9A-F]{{2}})$"

if TYPE_CHECKING:
    CardText = str
else:  # a pattern would take as long for thirty cards as all else in a round
    CardText = Annotated[
        Literal[tuple({card.text for card in CARDS} | {f"0x{code:02X}" for code in range(256)})],
        msgspec.Meta(extra_json_schema={"type": "string", "pattern": _CARD_PATTERN}),
    ]
"""A card as text, rank then suit; `??` if its face was not read, `0xNN` for an unknown code."""

Cards = tuple[CardText, ...]

T = TypeVar("T")

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Base of everything in a result: immutable, and strict about unknown keys."""

    def redact(self, hidden: Set[Card]) -> Self:
        """Return a copy with these faces replaced by `??` in every field of cards, or of records that hold cards."""
        found: Self = _unread(self, {card.text for card in hidden})
        return found


class LineRecord(Record, frozen=True):
    """A record that is a JSON line of its own: `schema` and `type` come first."""

    SCHEMA: ClassVar[str]
    TYPE: ClassVar[str]
    READS: ClassVar[frozenset[str]] = frozenset()
    """Older schemas that can be read, too."""
    WRITES: ClassVar[Mapping[str, str]] = {}
    """Keys that are written but not read -> their meaning."""

    def to_json(self) -> str:
        """Return the record as one line of JSON, keys in the order of the schema."""
        return f'{{"schema":"{self.SCHEMA}","type":"{self.TYPE}",{self.body_json()[1:]}'

    def body_json(self) -> str:
        """Return the line without `schema` and `type`, as it appears inside another."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, line: str | bytes) -> Self:
        """Parse one line; msgspec's ValidationError names the key that is wrong."""
        return cls.from_object(msgspec.json.decode(line, type=dict[str, Any]))

    @classmethod
    def from_object(cls, content: dict[str, Any]) -> Self:
        """Convert the object of a line, from which `schema` and `type` are removed."""
        schema, kind = content.pop("schema", cls.SCHEMA), content.pop("type", cls.TYPE)
        if schema != cls.SCHEMA and schema not in [*cls.READS]:  # a list, since the value may be unhashable
            raise msgspec.ValidationError(f"Expected `{cls.SCHEMA}`, got `{schema}` - at `$.schema`")
        if kind != cls.TYPE:
            raise msgspec.ValidationError(f"Expected `{cls.TYPE}`, got `{kind}` - at `$.type`")
        found = msgspec.convert(content, cls)
        return found if schema == cls.SCHEMA else found.renewed()

    def renewed(self) -> Self:
        """Return the record of an older schema converted to this one."""
        return self


def written(default: T) -> T:
    """Return a field whose default is written to the line; other defaults are left out by records that omit them."""
    return msgspec.field(default_factory=lambda: copy(default))


def _unread(value: Any, faces: Set[str]) -> Any:
    """Return a card, a record, or a collection of either, with these faces replaced by `??`."""
    if isinstance(value, str):
        return UNREAD.text if value in faces else value
    if isinstance(value, dict):
        return {name: _unread(each, faces) for name, each in value.items()}
    if isinstance(value, tuple):
        return tuple([_unread(each, faces) for each in value])
    kind: type[Record] = value.__class__
    named = {name: each for name in _naming_cards(kind) if (each := getattr(value, name))}
    return replace(value, **{name: _unread(each, faces) for name, each in named.items()}) if named else value


@cache
def _naming_cards(kind: type[Record]) -> tuple[str, ...]:
    """Return the fields of a record that may hold cards, directly or in a record."""
    return tuple(name for name, hint in get_type_hints(kind, include_extras=True).items() if _of_cards(hint, {kind}))


def _of_cards(hint: Any, within: Set[type[Record]]) -> bool:
    """Return True if a field of this type may hold cards; `within` stops the recursion of records that hold their own
    kind."""
    if isinstance(hint, type) and issubclass(hint, Record):
        fields = get_type_hints(hint, include_extras=True).values()
        return hint in within or any(_of_cards(each, {*within, hint}) for each in fields)
    return bool(hint == CardText) or any(_of_cards(each, within) for each in get_args(hint))


def line_schema(kind: type[LineRecord]) -> dict[str, Any]:
    """Return the JSON Schema of one type of line."""
    (root,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    name = root["$ref"].rpartition("/")[2]
    found = parts[name]
    for part in parts.values():
        part["description"] = inspect.cleandoc(part["description"])
    for field, meaning in field_docs(kind).items():
        found["properties"][field]["description"] = meaning
    written = {key: {"type": "string", "description": meaning} for key, meaning in kind.WRITES.items()}
    if root["$ref"] not in json.dumps(parts):  # no field refers to the record itself
        parts.pop(name)
    head = {"schema": {"const": kind.SCHEMA}, "type": {"const": kind.TYPE}}
    whole = {"$schema": DIALECT, **found, "properties": head | found["properties"] | written}
    whole["required"] = [*head, *found["required"], *written]
    plain: dict[str, Any] = json.loads(json.dumps(whole | ({"$defs": parts} if parts else {})), object_hook=_printed)
    return plain


def _printed(schema: dict[str, Any]) -> dict[str, Any]:
    """Normalize one part of a schema, so that the printed text does not depend on the version of msgspec.

    A card has its pattern instead of all texts; a table of counts has no `propertyNames`, which only msgspec 0.23
    writes.
    """
    if schema.get("pattern") == _CARD_PATTERN:
        schema.pop("enum", None)
    schema.pop("propertyNames", None)
    return schema


def field_docs(kind: type[Record]) -> dict[str, str]:
    """Return the docstring below each field of a record."""
    (body,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(body, ast.ClassDef)
    found = {}
    for field, below in pairwise(body.body):
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            found[ast.unparse(field.target)] = inspect.cleandoc(str(below.value.value)).replace("\n", " ")
    return {name: text for name, text in found.items() if name in kind.__struct_fields__}
