"""Plain `struct` readers and writers, derived from the `construct` declarations.

A payload is read as `fixed part, then tails, then extensions`. The fixed part (integers, bytes, padded text) becomes
one `struct.Struct`. Each tail is a counted run of bytes, of integers or of small integer records.

A declaration of any other shape is rejected when the module is imported, so that none can mean one thing here and
another to `construct`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any, Final

import construct as c
from msgspec import Struct

from protocol.tdp.messages import Message
from protocol.tdp.packets import HEADER, VERSION, DeclaredField
from protocol.tdp.wire import Field as Field
from protocol.tdp.wire import Shape as Shape

HEADER_SIZE: Final = HEADER.sizeof()

Extensions = tuple[tuple[int, bytes], ...]
TailReader = Callable[[bytes, int], tuple[Any, int]]


class Envelope(Struct, frozen=True, gc=False):
    """A message with the frame body it came in. The header fields are read from the body on demand, because few callers
    use them."""

    message: Message
    extensions: Extensions
    body: bytes

    @property
    def version(self) -> int:
        """Major version of the protocol."""
        return self.body[0]

    @property
    def flags(self) -> int:
        """Header flags. The receiver must understand bits 7-4 and may ignore bits 3-0."""
        return self.body[1]

    @property
    def kind(self) -> int:
        """Kind of the frame, a `Kind`."""
        return self.body[2]

    @property
    def link_sequence(self) -> int:
        """Counter of the sender's frames, modulo 256."""
        return self.body[3]

    @property
    def request(self) -> int:
        """Request id of the command that this frame belongs to; 0 for none."""
        return self.body[4] | self.body[5] << 8

    @property
    def message_id(self) -> int:
        """Id of the message. In a Reply, Progress or Nak it is the id of the command or frame that is answered."""
        return self.body[6] | self.body[7] << 8


Values = Callable[[bytes], tuple[Any, ...]]

FastDecoder = tuple[bytes, Values, type[Message]]
"""Fast decoder of a message: the first bytes of a usual frame body (this version, no flags, the message's kind), the
function that unpacks the values, and the class to build. It raises one of `NO_FAST_DECODER` for a body that holds
anything but the message's fields."""

NO_FAST_DECODER: Final = (LookupError, struct.error)
"""Exceptions of a body, or a message id, that has no fast decoder."""

HEAD: Final = slice(3)
"""Slice of a frame's body that holds version, flags and kind."""


class LayoutMismatch(ValueError):
    """Bytes that do not fit a layout, or a value too large for it. The text names the field."""


class Underivable(TypeError):
    """A declaration with a shape that this module does not support."""


FIXED: Final = (Shape.INTEGER, Shape.BYTES, Shape.TEXT)


def fields_of(declaration: Any) -> tuple[Field, ...]:
    """Return the fields of a payload's declaration, without its extensions.

    Raise Underivable if no message declared a field, or if the fields are out of order.
    """
    *fields, extensions, terminated = declaration.subcons
    if terminated is not c.Terminated or extensions.name != "extensions":
        raise Underivable(f"{declaration!r} must end with extensions and Terminated")
    found = tuple(_field(subcon) for subcon in fields)
    shapes = [field.shape in FIXED for field in found]
    if shapes != sorted(shapes, reverse=True):
        raise Underivable(f"{declaration!r}: a fixed field after a counted one")
    return found


def header_fields() -> tuple[Field, ...]:
    """Return the fields of the frame header."""
    return tuple(_field(subcon) for subcon in HEADER.subcons)


def _field(subcon: Any) -> Field:
    declared = subcon.subcon if isinstance(subcon, c.Renamed) else subcon
    if not isinstance(declared, DeclaredField):
        raise Underivable(f"field {subcon.name}: no message declares it")
    return declared.field


HEADER_CODES: Final = "".join(field.code for field in header_fields())
unpack_header: Final = struct.Struct("<" + HEADER_CODES).unpack_from
"""Unpacker of a frame body's header: version, flags, kind, link sequence, request, message id."""


class Layout:
    """Reader and writer of the payload of one message class."""

    def __init__(self, cls: type[Message], declaration: Any) -> None:
        self.cls = cls
        self.fields = fields_of(declaration)
        names = [field.name for field in self.fields]
        if list(cls.__struct_fields__) != names:
            raise Underivable(f"{cls.__name__} has fields {list(cls.__struct_fields__)}, its declaration {names}")
        self._fixed = tuple(field for field in self.fields if field.shape in FIXED)
        self._tails = tuple(field for field in self.fields if field.shape not in FIXED)
        self._texts = tuple((i, field.name) for i, field in enumerate(self._fixed) if field.shape is Shape.TEXT)
        self._tail_readers = tuple(_tail_reader(field) for field in self._tails)
        self._head = struct.Struct("<" + "".join(field.code for field in self._fixed))

    def fast_decoder(self, kind: int) -> FastDecoder | None:
        """Return the fast decoder for frame bodies of `kind`, or None.

        Most messages have only integers and at most one counted field after them. Other messages have no fast decoder.
        """
        if self._texts or len(self._tails) > 1:
            return None
        head = bytes((VERSION, 0, kind))
        codes = f"<{HEADER_SIZE}x{self._head.format[1:]}"
        if not self._tails:
            return head, struct.Struct(codes).unpack, self.cls
        blob = self._tails[0].shape is Shape.BLOB
        return head, (_blob_reader if blob else _empty_reader)(codes), self.cls

    def read(self, body: bytes) -> Envelope:
        """Decode a whole frame body without checking its kind and message id. Raise LayoutMismatch if the
        payload does not fit."""
        at = HEADER_SIZE + self._head.size
        if len(body) < at:
            raise LayoutMismatch(f"{len(body) - HEADER_SIZE} bytes where at least {at - HEADER_SIZE} are needed")
        values = list(self._head.unpack_from(body, HEADER_SIZE))
        for i, name in self._texts:
            values[i] = _read_text(values[i], name)
        for read_tail in self._tail_readers:
            value, at = read_tail(body, at)
            values.append(value)
        return Envelope(self.cls(*values), tuple(_read_extensions(body, at)) if at < len(body) else (), body)

    def write(self, message: Message) -> bytes:
        """Return the payload of `message`, without extensions. Raise LayoutMismatch if a value does not fit."""
        values = [_fixed_value(field, getattr(message, field.name)) for field in self._fixed]
        try:
            head = self._head.pack(*values)
        except struct.error:
            raise LayoutMismatch(self._out_of_range(message)) from None
        return head + b"".join(_write_tail(field, getattr(message, field.name)) for field in self._tails)

    def _out_of_range(self, message: Message) -> str:
        for field in self._fixed:
            value, top = getattr(message, field.name), (1 << 8 * field.size) - 1
            if field.shape is Shape.INTEGER and not (isinstance(value, int) and 0 <= value <= top):
                return f"{field.name} is {value!r}; it takes 0 to {top}"
        return "a value does not fit its field"


_NO_ITEMS: Final = ((),)


def _blob_reader(codes: str) -> Values:
    """Return a reader of integers by their `codes`, then counted bytes."""
    head = struct.Struct(codes)
    unpack, end, begin = head.unpack_from, head.size, head.size + 1

    def values(body: bytes) -> tuple[Any, ...]:
        if body[end] != len(body) - begin:
            raise struct.error("the count does not match the number of bytes")
        return unpack(body) + (body[begin:],)  # noqa: RUF005  # which would make a list first

    return values


def _empty_reader(codes: str) -> Values:
    """Return a reader of integers by their `codes`, then an empty counted run. A run of faults is nearly always
    empty."""
    unpack = struct.Struct(f"{codes}x").unpack

    def values(body: bytes) -> tuple[Any, ...]:
        found = unpack(body)
        if body[-1]:
            raise struct.error("the count is not 0")
        return found + _NO_ITEMS

    return values


def _read_text(raw: bytes, name: str) -> str:
    try:
        return raw.rstrip(b"\0").decode("ascii")
    except UnicodeDecodeError:
        raise LayoutMismatch(f"{name} is not ASCII") from None


def _tail_converter(field: Field) -> Callable[[bytes], Any]:
    """Return the function that converts the bytes after a count into the field's value."""
    size, code = field.size, field.code
    if field.shape is Shape.BLOB:
        return bytes
    if field.shape is Shape.RUN:
        return lambda raw: struct.unpack(f"<{len(raw) // size}{code}", raw)
    return lambda raw: tuple(struct.iter_unpack("<" + code, raw))


def _tail_reader(field: Field) -> TailReader:
    """Return a reader of a counted field at a position, which returns its value and the position after it.

    The reader raises LayoutMismatch if the field is truncated.
    """
    name, size, convert = field.name, field.size, _tail_converter(field)

    def read(body: bytes, at: int) -> tuple[Any, int]:
        if at >= len(body):
            raise LayoutMismatch(f"{name} is missing")
        end = at + 1 + body[at] * size
        if end > len(body):
            raise LayoutMismatch(f"{name} counts {body[at]}, more than the payload holds")
        return convert(body[at + 1 : end]), end

    return read


def _read_extensions(body: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    while at < len(body):
        start = at + 2
        end = start + body[at + 1] if start <= len(body) else start
        if end > len(body):
            raise LayoutMismatch(f"{len(body) - at} bytes at the end are not a complete extension")
        yield body[at], body[start:end]
        at = end


def _fixed_value(field: Field, value: Any) -> Any:
    if field.shape is Shape.BYTES and (not isinstance(value, bytes) or len(value) != field.size):
        raise LayoutMismatch(f"{field.name} takes {field.size} bytes")
    if field.shape is not Shape.TEXT:
        return value
    if not isinstance(value, str) or not value.isascii() or len(value) > field.size:
        raise LayoutMismatch(f"{field.name} is {value!r}; it takes up to {field.size} ASCII characters")
    return value.encode("ascii")


def _write_tail(field: Field, value: Any) -> bytes:
    try:
        count = bytes((len(value),))
        if field.shape is Shape.BLOB:
            return count + bytes(memoryview(value))
        if field.shape is Shape.RUN:
            return count + struct.pack(f"<{len(value)}{field.code}", *value)
        return count + b"".join(struct.pack("<" + field.code, *record) for record in value)
    except (ValueError, TypeError, struct.error) as error:
        raise LayoutMismatch(f"{field.name} is {value!r}: {error}") from None


def write_extensions(extensions: Extensions) -> bytes:
    """Return the encoded extensions. Raise LayoutMismatch if a type or a length is over 255."""
    try:
        return b"".join(bytes((type_, len(value))) + value for type_, value in extensions)
    except (ValueError, TypeError) as error:
        raise LayoutMismatch(f"extensions: {error}") from None
