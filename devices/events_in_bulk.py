"""The reports of one round in bulk, for whoever judges a whole round at once instead of report by report.

The fields are those of the bodies in `devices.events`, as plain tuples; faces are bytes of card codes.
"""

from dataclasses import dataclass, field
from typing import Final

from devices import events as e

LETTERS: Final[dict[type[e.Body], bytes]] = {
    e.DeckVerified: b"v",
    e.PacketDispensed: b"d",
    e.PacketLifted: b"l",
    e.RemainderDumped: b"r",
    e.GameStarted: b"S",
    e.GameEnded: b"E",
    e.SensorChanged: b"s",
    e.WagerPlaced: b"w",
    e.DecisionMade: b"c",
    e.BurnConfirmed: b"b",
    e.HandRevealed: b"h",
    e.CardsCounted: b"n",
}
"""The letter of each report that a round in bulk can hold."""


@dataclass(slots=True)
class BulkRound:
    """What two devices reported from the end of one round to the end of the next, GameEnded last.

    `order` has one letter for each report. The lists hold the reports of one kind, in order; `sessions` are those of
    the dealing device and of the table controller, `devices` their names.
    """

    order: bytes
    devices: tuple[str, str]
    sessions: tuple[int, int]
    last_at_ns: int
    verified: list[tuple[int, int, int]] = field(default_factory=list)
    """Deck, expected, counted."""
    dispensed: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    """Deck, ordinal, expected, counted, how many faces were read."""
    lifted: list[int] = field(default_factory=list)
    """Ordinals."""
    dumped: list[tuple[int, int, int]] = field(default_factory=list)
    """Deck, expected, counted."""
    started: list[int] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    sensors: list[tuple[int, int]] = field(default_factory=list)
    """Seat, on."""
    wagers: list[tuple[int, int, int]] = field(default_factory=list)
    """Seat, spot, cents."""
    decisions: list[tuple[int, int]] = field(default_factory=list)
    """Seat, choice."""
    burns: list[tuple[int, int, int]] = field(default_factory=list)
    """Place, positions as bits, 0 for left to right and 1 for right to left."""
    shown: list[tuple[int, bytes]] = field(default_factory=list)
    """Place, faces."""
    counted: list[tuple[int, int]] = field(default_factory=list)
    """Place, cards."""
