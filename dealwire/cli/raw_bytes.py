"""Raw bytes of lines, before any decoding: the output of `monitor --hex`.

Each read and write is printed as it happens, in rows of sixteen bytes with their offset in the stream of that
direction. Below a read come the pieces that it completed: frames of the line's dialect, and bytes that belong to none,
with the reason. If no dialect fits, all bytes are of the second kind.
"""

import datetime
import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from dealwire.cli.output import OutputFailed
from devices.dialects.dialect import DialectFramer
from devices.dialects.known import dialect_named
from protocol.cutting import Noise, Piece
from protocol.printable import printable

ROW: Final = 16
SCHEMA: Final = "dealwire.bytes/1"
NS: Final = 1_000_000_000
NO_TIME: Final = -1
Stamp = Callable[[int], str]
"""Function that formats a time in nanoseconds since 1970, relative to the last one if wanted."""


class RawBytes:
    """Recorder that prints reads and writes with `say`, one line each, up to `most` of them. `stamp` formats the times
    of text lines."""

    def __init__(self, say: Callable[[str], None], stamp: Stamp, *, most: int | None, as_json: bool) -> None:
        self.most = most
        self.chunks = 0
        """Number of reads and writes so far."""
        self.received_ns = 0
        """Time of the last read. Bytes that this program sends into silence do not show that a device exists."""
        self.failure: BrokenPipeError | OutputFailed | None = None
        """Error that ended the output. A line ignores errors of its recorder, so the caller has to check this."""
        self._print, self._stamp, self._as_json = say, stamp, as_json
        self._names: list[str] = []
        self._framers: list[DialectFramer] = []
        self._explains: list[Callable[[Any], dict[str, object]]] = []
        self._passed: dict[tuple[int, bool], int] = {}

    def interface(self, name: str, *, device: str, dialect: str = "tdp", line: str = "", baud: int = 115200) -> int:
        """Add a line and return its number."""
        self._names.append(name)
        self._framers.append(dialect_named(dialect).make_framer())
        self._explains.append(dialect_named(dialect).explain)
        return len(self._names) - 1

    def chunk(self, interface: int, at_ns: int, sent: bool, data: bytes, /) -> None:
        """Print one read or write."""
        if self.full:
            return
        self.chunks += 1
        offset = self._passed.get((interface, sent), 0)
        self._passed[interface, sent] = offset + len(data)
        self._say_bytes(interface, at_ns, sent, offset, data)
        if not sent:
            self.received_ns = at_ns
            self._say_pieces(interface, self._framers[interface].feed(data))

    @property
    def full(self) -> bool:
        """True if as many reads and writes were printed as requested."""
        return self.most is not None and self.chunks >= self.most

    def note(self, interface: int, at_ns: int, text: str, /) -> None:
        """Print an event of the line itself."""
        name = self._names[interface]
        if self._as_json:
            self._say_object(type="note", line=name, at_ns=at_ns, text=text)
        else:
            self._say(f"{self._stamp(at_ns)}{name:<11} * {text}")

    def end(self) -> None:
        """Flush the framers: bytes that waited for the rest of a frame are noise."""
        for interface, framer in enumerate(self._framers):
            self._say_pieces(interface, framer.flush())

    def _say(self, line: str) -> None:
        if self.failure is not None:
            return
        try:
            self._print(line)
        except (BrokenPipeError, OutputFailed) as error:
            self.failure = error

    def _say_bytes(self, interface: int, at_ns: int, sent: bool, offset: int, data: bytes) -> None:
        name = self._names[interface]
        if self._as_json:
            way = "sent" if sent else "received"
            self._say_object(type="bytes", line=name, direction=way, at_ns=at_ns, offset=offset, data=data.hex())
            return
        time = self._stamp(at_ns)
        for start in range(0, len(data), ROW):
            row = data[start : start + ROW]
            text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)
            first = f"{time}{name:<11} {'>' if sent else '<'}" if not start else " " * (len(time) + 13)
            self._say(f"{first} {offset + start:06x}  {row.hex(' '):<{3 * ROW - 1}}  |{text}|")

    def _say_pieces(self, interface: int, pieces: Sequence[Piece]) -> None:
        name = self._names[interface]
        for piece in pieces:
            why = str(piece.reason) if isinstance(piece, Noise) else None
            what = str(self._explains[interface](piece)["kind"]) if why is None else why
            if self._as_json:
                kind, key = ("frame", "kind") if why is None else ("noise", "reason")
                self._say_object(
                    type=kind, line=name, offset=piece.offset, length=piece.length, **{key: printable(what)}
                )
                continue
            sign, belongs = ("=", "a frame") if why is None else ("!", "not a frame")
            count = f"{piece.length} byte{'' if piece.length == 1 else 's'}"
            self._say(f"{self._stamp(NO_TIME)}{name:<11} {sign} {piece.offset:06x}  {count}, {belongs}: {what}")

    def _say_object(self, **facts: object) -> None:
        self._say(json.dumps({"schema": SCHEMA, **facts}, separators=(",", ":")))


def stamps(form: str, started_ns: int) -> Stamp:
    """Return a time formatter: `a` absolute, `d` since the last, `z` since the start, `n` none. A negative time is left
    blank."""
    last_ns = started_ns

    def stamp(at_ns: int) -> str:
        nonlocal last_ns
        if form == "n":
            return ""
        if at_ns < 0:
            return " " * (14 if form == "a" else 12)
        before_ns, last_ns = last_ns, at_ns
        if form == "a":
            moment = datetime.datetime.fromtimestamp(at_ns / NS).astimezone()
            return moment.strftime("%H:%M:%S.%f")[:-3] + "  "
        return f"{(at_ns - (before_ns if form == 'd' else started_ns)) / NS:10.3f}  "

    return stamp
