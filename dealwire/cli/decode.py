"""`dealwire decode`: explain raw bytes."""

import json
import os
import sys
from typing import Any, Final

import click

from dealwire.cli.exits import Exit
from protocol.errors import BadPayload
from protocol.tdp.codec import decode, describe
from protocol.tdp.framing import Frame, Framer, Noise

CHUNK: Final = 65536


@click.command("decode")
@click.option("--dialect", type=click.Choice(["tdp"]), default="tdp", show_default=True, help="What the bytes speak.")
@click.option("--hex", "as_hex", is_flag=True, help="Standard input is hexadecimal text; white space is ignored.")
def command(dialect: str, as_hex: bool) -> None:
    """Read raw bytes on standard input; print one JSON object per frame or piece of noise.

    Every object has `offset`, `length` and `kind`; together they tile the input exactly.
    """
    del dialect  # one so far; the choice is there so that scripts name it
    framer = Framer()
    noise: list[Noise] = []
    for chunk in _hex_chunks() if as_hex else _raw_chunks():
        for piece in framer.feed(chunk):
            _say(piece, noise)
    for piece in framer.flush():
        _say(piece, noise)
    _say_noise(noise)


def _raw_chunks() -> Any:
    return iter(lambda: os.read(sys.stdin.fileno(), CHUNK), b"")


def _hex_chunks() -> Any:
    """Bytes of hexadecimal text, an odd digit carried over; the first character that is neither ends the run."""
    carried, position = "", 0
    for text in iter(lambda: sys.stdin.read(CHUNK), ""):
        for index, character in enumerate(text):
            if character not in "0123456789abcdefABCDEF" and not character.isspace():
                click.echo(f"dealwire: character {position + index + 1} of the input is no hexadecimal digit", err=True)
                raise SystemExit(Exit.USAGE)
        position += len(text)
        digits = carried + "".join(text.split())
        even = len(digits) & ~1
        carried = digits[even:]
        yield bytes.fromhex(digits[:even])
    if carried:
        click.echo("dealwire: the input ends in the middle of a byte: an odd number of hexadecimal digits", err=True)
        raise SystemExit(Exit.USAGE)


def _say(piece: Frame | Noise, noise: list[Noise]) -> None:
    """Print a frame at once; hold noise back so that how the input was cut does not show in the output."""
    if isinstance(piece, Noise):
        if noise and noise[-1].reason != piece.reason:
            _say_noise(noise)
        noise.append(piece)
        return
    _say_noise(noise)
    click.echo(json.dumps({"offset": piece.offset, "length": piece.length, **explain(piece.body)}))


def _say_noise(noise: list[Noise]) -> None:
    if not noise:
        return
    data = b"".join(piece.data for piece in noise)
    click.echo(
        json.dumps(
            {
                "offset": noise[0].offset,
                "length": len(data),
                "kind": "noise",
                "reason": str(noise[0].reason),
                "data": data.hex(),
            }
        )
    )
    noise.clear()


def explain(body: bytes) -> dict[str, object]:
    """What a frame's body says; a good frame whose payload does not fit its layout is kind `bad payload`."""
    try:
        return describe(decode(body))
    except BadPayload as error:
        return {"kind": "bad payload", "message_id": error.message_id, "why": error.why, "data": body.hex()}
