"""Rounds as lines of JSON: what is read of them, and in which words one is refused."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

import msgspec

from dealer_flow.record.result import RoundResult

LINE_MAX_BYTES: Final = 256 * 1024
"""Longest line that is read: a round of 32 seats takes six thousand bytes, one of a whole shoe less."""

PASSED_OVER: Final = frozenset(
    {"incident", "settlement", "meter", "award", "event", "gap", "head", "status", "summary", "total"}
)
"""What this program writes beside rounds: no line of these types was meant to be settled."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_HEAD: Final = f'{{"schema":"{RoundResult.SCHEMA}","type":"{RoundResult.TYPE}",'.encode()
_BODY: Final = msgspec.json.Decoder(RoundResult)
_NO_SUCH_TEXT: Final = "Invalid enum value"
_NO_CARDS: Final = ("outcome", "status", "called")
"""Keys of the few other texts of which there are not many."""
_A_CARD: Final = "not a card; allowed: rank then suit, such as AS, TD or 2C, and ?? for one that was not read"


class UnknownType(ValueError):
    """An object of a type that this program never wrote: a round whose type is misspelt, perhaps."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        super().__init__(f"unknown type {kind!r}")


def lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of `stream`; of one that is too long its beginning, which `read_round` refuses."""
    while line := stream.readline(LINE_MAX_BYTES + 1):
        yield line
        rest = line
        while len(rest) > LINE_MAX_BYTES and not rest.endswith(b"\n"):
            rest = stream.readline(LINE_MAX_BYTES + 1)


def read_round(line: bytes) -> RoundResult | None:
    """The round on this line; None for an object of another type that this program writes.

    ValueError says what is wrong: msgspec's ValidationError names the key, UnknownType the type. A key that stands
    twice is refused: which of the two was meant is not known, and money would hang on the choice.
    """
    if len(line) > LINE_MAX_BYTES:
        raise ValueError(f"longer than {LINE_MAX_BYTES:,} bytes, the most that is read")
    line = line.strip().removeprefix(_BYTE_ORDER_MARK)
    if (found := _as_written(line)) is not None:
        return found
    content = read_object(line)
    kind = content.get("type", RoundResult.TYPE)
    if kind != RoundResult.TYPE and isinstance(kind, str):
        if kind in PASSED_OVER:
            return None
        raise UnknownType(kind)
    return RoundResult.from_object(content)


def _as_written(line: bytes) -> RoundResult | None:
    """The round on a line that is what this program writes, to the byte, and so has no key twice: found in a third of
    the time that key by key takes. None for any other line, also for one of a round with incidents."""
    if not line.startswith(_HEAD):
        return None
    body = b"{" + line[len(_HEAD) :]
    try:
        found = _BODY.decode(body)
    except (ValueError, RecursionError):  # said in other words where it is read key by key
        return None
    return found if msgspec.json.encode(found) == body else None


def read_object(line: bytes) -> dict[str, Any]:
    """The object on this line, each of its keys once."""
    found = msgspec.json.decode(line)
    content = msgspec.convert(found, dict[str, Any])
    if msgspec.json.encode(found) != line:  # it has spaces, escapes, or a key that stands twice
        json.JSONDecoder(object_pairs_hook=_once).decode(line.decode())
    return content


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise ValueError(f"key {twice!r} stands twice in one object")
    return found


def one_line(error: Exception) -> str:
    """The first thing wrong, with its key."""
    if isinstance(error, RecursionError):
        return "tables or lists too deep within each other"
    what, _, key = str(error).splitlines()[0].partition(" - at `$")
    if what.startswith(_NO_SUCH_TEXT) and not key.rstrip("`").endswith(_NO_CARDS):
        what = _A_CARD
    return f"{key.strip('.`') or 'the object'}: {what}" if isinstance(error, msgspec.ValidationError) else what
