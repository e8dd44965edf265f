"""A witness at a device's own connector that reads the traffic by the protocol's page alone and uses no code of the
host.

It counts what the host acknowledged and what the device reported, so that the host can be checked against its
acknowledgments.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final

COMMAND, EVENT, ACK = 1, 4, 5
HELLO_REPLY, EVENTS_GONE, ACKNOWLEDGE, READ_EVENTS, GAME_ENDED = 0x0002, 0x0004, 0x0005, 0x0021, 0x0341
STATUS: Final = (0x0110, 0x0210, 0x0310)
OLD_SESSION: Final = 0x01
"""Extension that names the session of an old event."""


def unstuffed(stuffed: bytes) -> bytes | None:
    """Return the bytes without COBS; None if they are not whole."""
    out, at = bytearray(), 0
    while at < len(stuffed):
        group = stuffed[at]
        if group == 0 or at + group > len(stuffed):
            return None
        out += stuffed[at + 1 : at + group]
        at += group
        if group < 255 and at < len(stuffed):
            out.append(0)
    return bytes(out)


class Frames:
    """Cuts one direction of a line into (kind, message, payload); damaged frames are left out."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[tuple[int, int, bytes]]:
        """Yield the frames that end in `data`."""
        *whole, self._rest = (self._rest + data).split(b"\0")
        for stuffed in whole:
            frame = unstuffed(stuffed) if stuffed else None
            if (
                frame is None
                or not 12 <= len(frame) <= 256
                or zlib.crc32(frame[:-4]) != int.from_bytes(frame[-4:], "little")
            ):
                continue
            (message,) = struct.unpack_from("<H", frame, 6)
            yield frame[2], message, frame[8:-4]


class Witness:
    """Sits at one device's connector. Sessions and event numbers are the device's."""

    def __init__(self) -> None:
        self._to_device, self._to_host = Frames(), Frames()
        self.acknowledged: dict[int, int] = {}
        """Session -> the last event up to which, the host says, every event has arrived."""
        self._ended: dict[tuple[int, int], int] = {}
        self._session = 0

    def to_device(self, data: bytes) -> list[tuple[str, int, int]]:
        """Read bytes from the host; return `("acknowledged", session, up to)` for each new acknowledgment, and
        `("ended", session, round)` for each END GAME among the events."""
        news = []
        for kind, message, payload in self._to_device.feed(data):
            if (kind, message) not in ((ACK, ACKNOWLEDGE), (COMMAND, READ_EVENTS)):
                continue
            session, number = struct.unpack_from("<II", payload)
            up_to = number if message == ACKNOWLEDGE else number - 1  # what it does not ask for, it has
            if up_to > self.acknowledged.get(session, 0):
                self.acknowledged[session] = up_to
                news.append(("acknowledged", session, up_to))
                news += [("ended", session, self._ended.pop(at)) for at in self._at_most(session, up_to)]
        return news

    def _at_most(self, session: int, number: int) -> list[tuple[int, int]]:
        return [at for at in self._ended if at[0] == session and at[1] <= number]

    def to_host(self, data: bytes) -> list[tuple[str, int, int]]:
        """Read bytes of the device; return `("gone", session, number)` for each event that it no longer has."""
        news = []
        for kind, message, payload in self._to_host.feed(data):
            if message in STATUS or message == HELLO_REPLY:
                (self._session,) = struct.unpack_from("<I", payload)
            elif message == EVENTS_GONE:
                session, first_missing, first_kept = struct.unpack_from("<III", payload)
                news += [("gone", session, number) for number in range(first_missing, first_kept)]
                for at in [at for at in self._ended if at[0] == session and first_missing <= at[1] < first_kept]:
                    del self._ended[at]  # it was sent while no host took it in: the host's word is not about this one
            elif kind == EVENT and message == GAME_ENDED:
                number, _, game = struct.unpack_from("<III", payload)
                session = _session_of(payload[12:]) or self._session
                if number > self.acknowledged.get(session, 0):
                    self._ended[session, number] = game
        return news


def _session_of(rest: bytes) -> int | None:
    """Return the session in a report's extensions; None for the current one."""
    while len(rest) >= 2:
        kind, length, rest = rest[0], rest[1], rest[2:]
        if kind == OLD_SESSION and length == 4:
            return int.from_bytes(rest[:4], "little")
        rest = rest[length:]
    return None
