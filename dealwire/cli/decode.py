"""Command `dealwire decode`: decode raw bytes."""

import json
import os
import sys
from collections.abc import Iterator
from typing import Final

import click

from dealwire.cli.exits import Exit, Stop
from dealwire.cli.options import DIALECT, FLAG, declared
from dealwire.cli.terminal import echo_json
from devices.dialects.dialect import Dialect, Explainer
from devices.dialects.known import dialect_named
from devices.line.session import BARREN_MAX

CHUNK: Final = 65536


@click.command("decode")
@declared(
    ("--dialect", DIALECT, "Dialect: tdp, angel-eye, bee-tek, gat or an added one."),
    ("--hex as_hex", FLAG, "Read hexadecimal text instead of bytes; white space is ignored."),
)
def command(dialect: str, as_hex: bool) -> None:
    """Read raw bytes on standard input and print one JSON object per frame or piece of noise.

    Each object has `offset`, `length` and `kind`; together they cover the input without gaps. The exit code is 6 if the
    input holds no frame.
    """
    spoken = dialect_named(dialect)
    explainer, looked = Explainer(spoken), BarrenInput()
    if sys.stdin is None:
        raise Stop(Exit.USAGE, "standard input is closed")
    for chunk in _hex_chunks() if as_hex else iter(lambda: os.read(sys.stdin.fileno(), CHUNK), b""):
        _say(looked.at(chunk, explainer.feed(chunk)))
    _say(looked.at(b"", explainer.flush()))
    if why := looked.why(spoken):
        raise Stop(Exit.PROTOCOL, why)


class BarrenInput:
    """Input in which no frame was found so far. Its beginning is kept for the error message."""

    def __init__(self) -> None:
        self._length, self._begun, self._barren = 0, b"", True

    def at(self, chunk: bytes, pieces: list[dict[str, object]]) -> list[dict[str, object]]:
        """Note a chunk and its pieces, and return the pieces unchanged."""
        self._length += len(chunk)
        self._barren = self._barren and all(piece["kind"] == "noise" for piece in pieces)
        self._begun += chunk[: BARREN_MAX - len(self._begun)]
        return pieces

    def why(self, dialect: Dialect) -> str:
        """Return the reason that no frame was found, or an empty string if there was a frame or no input."""
        if not self._barren or not self._length:
            return ""
        mistake = dialect.why_barren(self._begun) or f"is it {dialect.name}, and is it all of it?"
        return f"{self._length:,} bytes, no frame: {mistake}"


def _hex_chunks() -> Iterator[bytes]:
    """Yield bytes from hexadecimal text; an odd digit is carried over to the next chunk. Raise Stop at the first
    character that is neither a digit nor white space."""
    carried, position = "", 0
    for text in iter(lambda: sys.stdin.read(CHUNK), ""):
        for index, character in enumerate(text):
            if character not in "0123456789abcdefABCDEF" and not character.isspace():
                raise Stop(Exit.USAGE, f"character {position + index + 1} of the input is not a hexadecimal digit")
        position += len(text)
        digits = carried + "".join(text.split())
        even = len(digits) & ~1
        carried = digits[even:]
        yield bytes.fromhex(digits[:even])
    if carried:
        raise Stop(Exit.USAGE, "the input ends in the middle of a byte: an odd number of hexadecimal digits")


def _say(pieces: list[dict[str, object]]) -> None:
    for piece in pieces:
        echo_json(json.dumps(piece))
