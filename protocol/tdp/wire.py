"""Wire forms of values, used where a field is declared. `Annotated[U16, Fault, "the fault that was fixed"]` is an
integer of two bytes whose known values `Fault` lists, with a phrase about it."""

from collections.abc import Mapping
from enum import IntEnum, IntFlag, StrEnum
from typing import Annotated, Any, Final

from msgspec import Struct


class Shape(StrEnum):
    """Shape of a field on the wire."""

    INTEGER = "integer"
    BYTES = "bytes"
    TEXT = "text"
    BLOB = "counted bytes"
    RUN = "counted integers"
    RECORDS = "counted records"


class Form(Struct, frozen=True):
    """A shape with its size in bytes (of one element, for counted shapes). `parts` are the fields of a record."""

    shape: Shape
    size: int = 1
    parts: Mapping[str, Any] = {}


class CodeTable(StrEnum):
    """Codes that are not an enumeration."""

    CARD = "card"
    PLACE = "place"


class Field(Struct, frozen=True):
    """One declared field.

    - `code`: its `struct` format without byte order (of one element, for a counted run)
    - `size`: its bytes (of one element)
    - `names`: the meaning of its values
    - `doc`: a phrase about it
    - `parts`: the fields of a record
    """

    name: str
    shape: Shape
    code: str
    size: int
    names: type[IntEnum] | type[IntFlag] | str | None
    doc: str
    parts: tuple["Field", ...] = ()


_INTEGERS: Final = {1: "B", 2: "H", 4: "L", 8: "Q"}


def field_of(name: str, declared: Any) -> Field:
    """Return the field that an annotation declares. The meaning of its values and the phrase are optional."""
    form, *notes = declared.__metadata__
    doc = "".join(note for note in notes if type(note) is str)
    names = next((note for note in notes if type(note) is not str), None)
    parts = tuple(field_of(*part) for part in form.parts.items())
    match form.shape:
        case Shape.INTEGER | Shape.RUN:
            code = _INTEGERS[form.size]
        case Shape.BYTES | Shape.TEXT:
            code = f"{form.size}s"
        case _:
            code = "".join(part.code for part in parts)
    size = sum(part.size for part in parts) or form.size
    return Field(name, form.shape, code, size, names, doc, parts)


CARDS: Final[str] = CodeTable.CARD
PLACES: Final[str] = CodeTable.PLACE

U8 = Annotated[int, Form(Shape.INTEGER, 1)]
U16 = Annotated[int, Form(Shape.INTEGER, 2)]
U32 = Annotated[int, Form(Shape.INTEGER, 4)]
U64 = Annotated[int, Form(Shape.INTEGER, 8)]
Bytes8 = Annotated[bytes, Form(Shape.BYTES, 8)]
Bytes16 = Annotated[bytes, Form(Shape.BYTES, 16)]
Bytes32 = Annotated[bytes, Form(Shape.BYTES, 32)]
Bytes33 = Annotated[bytes, Form(Shape.BYTES, 33)]
Bytes48 = Annotated[bytes, Form(Shape.BYTES, 48)]
Text16 = Annotated[str, Form(Shape.TEXT, 16)]
Text32 = Annotated[str, Form(Shape.TEXT, 32)]
Text40 = Annotated[str, Form(Shape.TEXT, 40)]
Blob = Annotated[bytes, Form(Shape.BLOB)]
Run16 = Annotated[tuple[int, ...], Form(Shape.RUN, 2)]
