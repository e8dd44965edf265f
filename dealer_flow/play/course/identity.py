"""Identity of the device on a line as the device itself states it, compared with earlier and expected devices."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from devices.events import FirmwareAttested, LinkUp

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


class AttestedFirmware(Struct, frozen=True):
    """Standing of a device that must prove its firmware: since when (its session), and what it proved last.

    `why` is the reason of a failure, empty for any other state.
    """

    session: int
    proved: bool = False
    why: str = ""
    sha256: str = ""
    version: str = ""
    key: str = ""

    def after(self, session: int, body: FirmwareAttested) -> "AttestedFirmware":
        """Return the standing after the next verdict; what was proved before stays known for comparison."""
        if body.state != "proved":
            return replace(self, session=session, proved=False, why=body.why)
        return AttestedFirmware(session, True, "", body.sha256, body.version, body.key)

    def changed_to(self, now: "AttestedFirmware") -> Unlike | None:
        """Return the difference between two proofs; None if they are equal or one of them is missing."""
        if not (self.sha256 and now.proved):
            return None
        rows = [
            (part, was, is_)
            for part, was, is_ in (("firmware-digest", self.sha256, now.sha256), ("key", self.key, now.key))
            if was != is_
        ]
        return Unlike(*zip(*rows, strict=True)) if rows else None


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
