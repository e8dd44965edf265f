"""What a round at the table is written with: waits, how long people take, what was decided."""

from collections.abc import Callable, Generator
from dataclasses import dataclass, fields
from enum import Enum, auto
from typing import Final

from devices.simulator.shuffler_parts import MS

Wait = int | Callable[[], bool]
"""A pause in nanoseconds, or something that must come true."""
Doings = Generator[Wait, None, None]
Counted = Generator[Wait, None, int]
"""Steps that say how many cards they moved."""

PATIENCE_NS: Final = 2_000 * MS
"""How long the dealer waits for a display to catch up before going on all the same. Not scaled with people's pace:
a line's resends are not either, and people are slower than those."""


@dataclass(frozen=True, slots=True)
class PeoplePace:
    """Nanoseconds people take."""

    bet: int = 300 * MS
    step: int = 500 * MS
    lift: int = 500 * MS
    draw: int = 800 * MS
    think: int = 1_500 * MS
    show: int = 800 * MS
    collect: int = 2_000 * MS
    power: int = 1_500 * MS

    def faster(self, speed: float) -> "PeoplePace":
        """The same people, `speed` times as fast."""
        return PeoplePace(**{item.name: int(getattr(self, item.name) / speed) for item in fields(self)})


class Course(Enum):
    """What the table has decided about the round so far."""

    PLAY = auto()
    """It is played."""
    PROGRESSIVE = auto()
    """The hands are dealt out and shown for the progressive only."""
    STOP = auto()
    """No further packet is dealt."""
    VOID = auto()
    """The deck has come out of the shuffler."""
