"""Parts of the shuffler model: durations, scripted mishaps, counts of a round."""

from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Final

from protocol.tdp.messages import ShufflerState as S

MS: Final = 1_000_000

RECOVERY_TRIES: Final = 3
"""Number of tries to free a jam before the red lamp is lit."""

UNKNOWN_REMAINDER: Final = 0xFFFF
"""Value in a misdeal record if the remainder was not counted."""


class Motion(Enum):
    """Motion of the device during a deal; one at a time."""

    BOOT = S.BOOT
    TEST = S.SELF_TEST
    DISPENSE = S.DISPENSING
    RECOVER = S.RECOVERING
    DUMP = S.DUMPING


class Preparation(Enum):
    """Stage in the preparation of the next deck, which overlaps with the end of a deal."""

    FEED = S.LOADED
    SHUFFLE = S.SHUFFLING
    VERIFY = S.VERIFYING


@dataclass(frozen=True, slots=True)
class Durations:
    """Duration of each motion, in nanoseconds."""

    boot: int = 2_000 * MS
    test: int = 1_500 * MS
    feed: int = 1_000 * MS
    shuffle: int = 30_000 * MS
    verify: int = 3_000 * MS
    dispense: int = 400 * MS
    recover: int = 800 * MS
    dump: int = 900 * MS

    def faster(self, speed: float) -> "Durations":
        """Return the durations of a device that is `speed` times as fast."""
        return Durations(**{item.name: int(getattr(self, item.name) / speed) for item in fields(self)})


@dataclass(frozen=True, slots=True)
class MachineMishap:
    """A mishap inside the device at packet `ordinal` (0: at the remainder).

    - `by`: cards more or fewer than the packet's size; `noticed`: the device's own counter detects it
    - `jam_tries`: number of tries that it takes to free a jam
    - `lost`, `rejected`, `slipped`: cards that are lost with an alarm, go to the reject tray, or are lost unnoticed
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
    """The device's own counts of one round. They may be wrong; the real cards are in `Cards`."""

    deck: int = 0
    loaded: int = 0
    packets: list[tuple[int, int]] = field(default_factory=list)
    group: int = 0
    """Number of the current group of packets, from 0."""
    in_group: int = 0
    """Number of packets of the group so far."""
    closed: bool = False
    """True if no further packet of the group comes."""
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
    """Packets of one size that are dealt without a pause. If `count` is 0, the green button marks the last one."""

    cards: int
    count: int = 0


@dataclass(frozen=True, slots=True)
class ShufflerSetting:
    """Game setting of the shuffler, which survives a power cut.

    `groups` is the device's own program for packets that differ; `packet_size` is then 0.
    """

    packet_size: int = 5
    cards: int = 52
    jokers: int = 0
    name: str = ""
    groups: tuple[PacketGroup, ...] = ()

    def group(self, number: int) -> PacketGroup:
        """Return the group with this number, from 0."""
        return self.groups[number] if self.groups else PacketGroup(self.packet_size)
