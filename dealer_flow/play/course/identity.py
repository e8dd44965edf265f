"""Which device is on a line, by its own word: whether it is another one than before, and the one it should be."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec import Struct

from devices.events import LinkUp

PARTS: Final = {
    "maker": "maker",
    "model": "model",
    "serial": "serial",
    "firmware": "firmware",
    "firmware-digest": "firmware_digest",
}
"""What tells a device from others, by the name it has in settings and incidents, and its field."""


class DeviceIdentity(Struct, frozen=True):
    """A device by its own word; a part is empty when it does not say."""

    maker: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    firmware_digest: str = ""

    @classmethod
    def of(cls, body: LinkUp) -> "DeviceIdentity":
        """What it says as its line comes up."""
        return cls(body.maker, body.model, body.serial, body.firmware, body.firmware_digest)

    @property
    def text(self) -> str:
        """The device for as long as it lives, whatever firmware it gets; empty when it says nothing of itself."""
        return "/".join((self.maker, self.model, self.serial)) if self.maker or self.model or self.serial else ""


class Pin(Struct, frozen=True):
    """The device that a line must have; None where any will do."""

    maker: str | None = None
    model: str | None = None
    serial: str | None = None
    firmware: str | None = None
    firmware_digest: str | None = None


class Unlike(NamedTuple):
    """The parts in which two devices differ, and what each is of the one and of the other."""

    parts: tuple[str, ...]
    one: tuple[str, ...]
    other: tuple[str, ...]


def unlike(one: DeviceIdentity | Pin, other: DeviceIdentity) -> Unlike | None:
    """Where they differ; None when they are the same, as far as `one` says what it must be."""
    rows = list(_rows(one, other))
    if not rows:
        return None
    parts, before, now = zip(*rows, strict=True)
    return Unlike(parts, before, now)


def _rows(one: DeviceIdentity | Pin, other: DeviceIdentity) -> Iterator[tuple[str, str, str]]:
    for part, field in PARTS.items():
        wanted, found = getattr(one, field), getattr(other, field)
        if wanted is not None and wanted != found:
            yield part, wanted, found
