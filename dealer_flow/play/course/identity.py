"""Identity of the device on a line as the device itself states it, compared with earlier and expected devices."""

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
"""Name of each part of a device's identity in settings and incidents -> its field."""


class DeviceIdentity(Struct, frozen=True):
    """Identity of a device as it states it; a part is empty if the device does not give it."""

    maker: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    firmware_digest: str = ""

    @classmethod
    def of(cls, body: LinkUp) -> "DeviceIdentity":
        """Return the identity in the report that the line is up."""
        return cls(body.maker, body.model, body.serial, body.firmware, body.firmware_digest)

    @property
    def text(self) -> str:
        """Name of the device, which does not depend on its firmware; empty if the device gives no identity."""
        return "/".join((self.maker, self.model, self.serial)) if self.maker or self.model or self.serial else ""


class Pin(Struct, frozen=True):
    """Identity required of the device on a line; None in a part that may be anything."""

    maker: str | None = None
    model: str | None = None
    serial: str | None = None
    firmware: str | None = None
    firmware_digest: str | None = None


class Unlike(NamedTuple):
    """Parts in which two devices differ, and the values of the one and of the other."""

    parts: tuple[str, ...]
    one: tuple[str, ...]
    other: tuple[str, ...]


def unlike(one: DeviceIdentity | Pin, other: DeviceIdentity) -> Unlike | None:
    """Compare two identities; None if they are equal in every part that `one` requires."""
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
