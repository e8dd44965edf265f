"""Devices whose GAT line is broken on purpose, each in one way, with the checks that must catch each."""

from typing import Final

from tests.support.broken.shoe_base import BrokenShoe
from tests.support.oracles.gat_by_hand import crc_by_bits


def resealed(frame: bytes, at: int, byte: int) -> bytes:
    """Return a frame with one byte replaced, and a valid CRC that is worked out independently."""
    body = frame[:at] + bytes((byte,)) + frame[at + 1 : -2]
    return body + crc_by_bits(body)


def with_data(frame: bytes, data: bytes) -> bytes:
    """Return a frame with other data, and its length and CRC."""
    body = bytes((frame[0], len(data) + 4)) + data
    return body + crc_by_bits(body)


class WrongByteOrder(BrokenShoe):
    """The CRC is sent low byte first."""

    def say(self, frame: bytes) -> list[bytes]:
        return [frame[:-2] + frame[:-3:-1]]


class AnswersDamage(BrokenShoe):
    """It does not look at the CRC of a query."""

    def hear(self, data: bytes) -> list[bytes]:
        whole = len(data) > 3 and data[1] == len(data)
        return [data[:-2] + crc_by_bits(data[:-2]) if whole else data]


class NeverForgets(BrokenShoe):
    """It puts a query that was cut off together with the next one."""

    held = b""

    def hear(self, data: bytes) -> list[bytes]:
        data, self.held = self.held + data, b""
        if len(data) > 1 and data[0] == 3 and len(data) < data[1]:
            self.held = data
            return []
        return [data[: data[1]]] if data[0] == 3 else [data]


class OldVersion(BrokenShoe):
    """It says version 3.49."""

    def say(self, frame: bytes) -> list[bytes]:
        return [resealed(frame, 3, 0x49) if frame[0] == 0x81 else frame]


class NotDecimal(BrokenShoe):
    """The version in its status is not decimal."""

    def say(self, frame: bytes) -> list[bytes]:
        return [resealed(frame, 3, 0x5A) if frame[0] == 0x81 else frame]


class AnswersTwice(BrokenShoe):
    """It sends each status twice."""

    def say(self, frame: bytes) -> list[bytes]:
        return [frame, frame] if frame[0] == 0x81 else [frame]


class FromZero(BrokenShoe):
    """It counts the frames of a result from 0."""

    def hear(self, data: bytes) -> list[bytes]:
        query = data[:2] == b"\x03\x07" and len(data) == 7
        number = int.from_bytes(data[3:5]) + 1 if query else 0
        return [with_data(data, data[2:3] + (number % 65536).to_bytes(2)) if query else data]

    def say(self, frame: bytes) -> list[bytes]:
        if frame[0] != 0x83:
            return [frame]
        number = (int.from_bytes(frame[3:5]) - 1) % 65536
        return [with_data(frame, frame[2:3] + number.to_bytes(2) + frame[5:-2])]


class StillRunning(BrokenShoe):
    """A finished calculation still counts as running in its status."""

    def say(self, frame: bytes) -> list[bytes]:
        finished = frame[0] == 0x81 and frame[4] == 6
        return [resealed(frame, 4, 7) if finished else frame]


class KeyIgnored(BrokenShoe):
    """It leaves the key of a component's checksum out."""

    def hear(self, data: bytes) -> list[bytes]:
        text = data[2:-2]
        if data[:1] != b"\x04" or text.count(b"\t") != 2 or data[1] != len(data):
            return [data]
        return [with_data(data, text.rpartition(b"\t")[0] + b"\t(none)")]


class AllWhenOne(BrokenShoe):
    """It knows no single component."""

    def hear(self, data: bytes) -> list[bytes]:
        return [with_data(data, data[2:-2].replace(b"Component\t", b"Komponent\t")) if b"Component\t" in data else data]


class StartsAnything(BrokenShoe):
    """It acknowledges every function, known or not."""

    def say(self, frame: bytes) -> list[bytes]:
        return [resealed(frame, 2, 3) if frame[0] == 0x84 else frame]


class Ageless(BrokenShoe):
    """The age of a result is always 0."""

    def say(self, frame: bytes) -> list[bytes]:
        return [with_data(frame, frame[2:3] + bytes(4)) if frame[0] == 0x82 else frame]


class EndsEarly(BrokenShoe):
    """The first frame of a result is marked as the last."""

    def say(self, frame: bytes) -> list[bytes]:
        return [resealed(frame, 2, 2) if frame[0] == 0x83 and frame[3:5] == b"\0\1" and frame[2] == 0 else frame]


class NoEnd(BrokenShoe):
    """The frame after the last has no error, and no data."""

    def say(self, frame: bytes) -> list[bytes]:
        beyond = frame[0] == 0x83 and frame[2] == 3
        return [resealed(frame, 2, 2) if beyond else frame]


class Greets(BrokenShoe):
    """It sends its status without a query when it is silent for long."""

    heard = 0

    def hear(self, data: bytes) -> list[bytes]:
        self.heard += 1
        return [data]

    def take_output(self, device: str, now_ns: int) -> bytes:
        out = super().take_output(device, now_ns)
        if not out and self.heard == 5:
            self.heard += 1
            return bytes.fromhex("81 08 03 50 04 02 9F 7C")
        return out


class AnswersUnknown(BrokenShoe):
    """It takes an unknown code for a status query."""

    def hear(self, data: bytes) -> list[bytes]:
        return [bytes.fromhex("01 04 E3 01") if data[:1] == b"\x05" else data]


class AnswersLength(BrokenShoe):
    """It does not look at the length of a query."""

    def hear(self, data: bytes) -> list[bytes]:
        return [bytes.fromhex("01 04 E3 01") if data[:2] == b"\x01\x05" else data]


class RefusesWhileRunning(BrokenShoe):
    """It does not answer the start of a calculation while another one runs."""

    def hear(self, data: bytes) -> list[bytes]:
        return [] if data[:1] == b"\x04" and self._table.unit.device._running else [data]


class Late(BrokenShoe):
    """Its responses begin after 300 ms."""

    def power_on(self, now_ns: int) -> None:
        self._table.unit.fault = "late"
        super().power_on(now_ns)


class Twins(BrokenShoe):
    """Two of its components have one name."""

    def power_on(self, now_ns: int) -> None:
        super().power_on(now_ns)
        device = self._table.unit.device
        device.software = device.software._replace(components=device.software.components * 2)


class EmptyList(BrokenShoe):
    """Its list names no function."""

    def power_on(self, now_ns: int) -> None:
        super().power_on(now_ns)
        self._table.unit.device._functions = list


class NamelessFunction(BrokenShoe):
    """Its list has the function for a component without the component's name."""

    def power_on(self, now_ns: int) -> None:
        super().power_on(now_ns)
        device = self._table.unit.device
        device._functions = lambda: [each._replace(parameters=()) for each in type(device)._functions(device)]


class ForeignName(BrokenShoe):
    """Its component has a name that is not ASCII, so that no query can name it."""

    def power_on(self, now_ns: int) -> None:
        super().power_on(now_ns)
        device = self._table.unit.device
        components = tuple((f"{name} \u00fc", data) for name, data in device.software.components)
        device.software = device.software._replace(components=components)


_READING: Final = (
    "functions.list", "functions.components", "functions.each", "functions.keys", "functions.unknown",
    "functions.replaced", "results.reread", "results.number-0", "results.age",
)  # fmt: skip
"""Checks that read a result."""
GAT_DEVICES: Final[tuple[tuple[type[BrokenShoe], tuple[str, ...]], ...]] = (
    (WrongByteOrder, ("frames.status", "frames.last", "frames.crc", "frames.cut", "frames.length", "frames.unknown",
                      *_READING, "functions.level", "always.clean")),
    (AnswersDamage, ("frames.crc", "always.silent")),
    (NeverForgets, ("frames.cut", "always.silent")),
    (AnswersLength, ("frames.length", "always.silent")),
    (AnswersUnknown, ("frames.unknown", "always.silent")),
    (OldVersion, ("frames.status", *_READING)),
    (NotDecimal, ("frames.status", "frames.crc", "frames.cut", "frames.unknown", *_READING, "always.known")),
    (AnswersTwice, ("always.silent",)),
    (Greets, ("always.silent",)),
    (Late, ("always.in-time",)),
    (FromZero, _READING),
    (StillRunning, (*_READING, "always.status")),
    (EmptyList, ("functions.list", "functions.each", "functions.unknown", "results.number-0")),
    (NamelessFunction, ("functions.each",)),
    (ForeignName, ("functions.each",)),
    (Twins, ("functions.components", "functions.each")),
    (KeyIgnored, ("functions.keys",)),
    (AllWhenOne, ("functions.each",)),
    (StartsAnything, ("functions.unknown", "functions.level")),
    (RefusesWhileRunning, ("functions.replaced",)),
    (Ageless, ("results.age",)),
    (EndsEarly, _READING),
    (NoEnd, ("functions.unknown", "results.reread", "results.number-0")),
)  # fmt: skip
"""Every broken device, and the checks that must catch it: these and no other."""
