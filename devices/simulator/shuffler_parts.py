"""What the shuffler model keeps and how long it takes: durations, mishaps by script, counts of a round."""

from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Final

from protocol.tdp.messages import ShufflerState as S

MS: Final = 1_000_000

RECOVERY_TRIES: Final = 3
"""Tries to free a jam before the red lamp is lit."""

UNKNOWN_REMAINDER: Final = 0xFFFF
"""In a misdeal record: the remainder was not counted."""


class Motion(Enum):
    """What the device does of itself during a deal; one at a time."""

    BOOT = S.BOOT
    TEST = S.SELF_TEST
    DISPENSE = S.DISPENSING
    RECOVER = S.RECOVERING
    DUMP = S.DUMPING


class Preparation(Enum):
    """How far the preparation of the next deck is; it runs beside the end of a deal."""

    FEED = S.LOADED
    SHUFFLE = S.SHUFFLING
    VERIFY = S.VERIFYING


@dataclass(frozen=True, slots=True)
class Durations:
    """Nanoseconds each motion takes."""

    boot: int = 2_000 * MS
    test: int = 1_500 * MS
    feed: int = 1_000 * MS
    shuffle: int = 30_000 * MS
    verify: int = 3_000 * MS
    dispense: int = 400 * MS
    recover: int = 800 * MS
    dump: int = 900 * MS

    def faster(self, speed: float) -> "Durations":
        """The same device, `speed` times as fast."""
        return Durations(**{item.name: int(getattr(self, item.name) / speed) for item in fields(self)})


@dataclass(frozen=True, slots=True)
class MachineMishap:
    """Something that goes wrong inside at packet `ordinal` (0: at the remainder).

    `by` cards more or fewer than the packet's size; `noticed`: the device's own counter sees it; `jam_tries`: tries
    it takes to free a jam; `lost`, `rejected`, `slipped`: cards that go astray with an alarm, into the reject tray,
    or unnoticed.
    """

    ordinal: int
    by: int = 0
    noticed: bool = True
    jam_tries: int = 0
    lost: int = 0
    rejected: int = 0
    slipped: int = 0


@dataclass(slots=True)
class RoundCounts:
    """The device's own book of one round. Its counter may be wrong; the cards are elsewhere."""

    deck: int = 0
    loaded: int = 0
    packets: list[tuple[int, int]] = field(default_factory=list)
    group: int = 0
    """Which group of packets is being dealt, from 0."""
    in_group: int = 0
    """Packets of it that have come."""
    closed: bool = False
    """No further packet of it comes."""
    rejected: int = 0
    remainder: int | None = None

    @property
    def dispensed(self) -> int:
        """Cards in all packets, as counted."""
        return sum(counted for _, counted in self.packets)

    @property
    def left(self) -> int:
        """Cards that must still be inside if none is lost."""
        return self.loaded - self.dispensed - self.rejected


@dataclass(frozen=True, slots=True)
class PacketGroup:
    """Packets of one size that are dealt without a pause; `count` 0: until the green button says which is the last."""

    cards: int
    count: int = 0


@dataclass(frozen=True, slots=True)
class ShufflerSetting:
    """What the shuffler is set to deal. It survives a power cut. `groups`: where packets differ, the device's own
    program; `packet_size` is 0 then."""

    packet_size: int = 5
    cards: int = 52
    jokers: int = 0
    name: str = ""
    groups: tuple[PacketGroup, ...] = ()

    def group(self, number: int) -> PacketGroup:
        """The group with this number, from 0."""
        return self.groups[number] if self.groups else PacketGroup(self.packet_size)
