"""The reports of one round in bulk, for whoever judges a whole round at once instead of report by report.

The fields are those of the bodies in `devices.events`, as plain tuples; faces are bytes of card codes.
"""

from dataclasses import dataclass, field
from typing import Final

import devices.events as e

LETTERS: Final[dict[type[e.Body], bytes]] = {
    e.DeckLoaded: b"k",
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

    `order` has one letter for each report, `?` for one that no list holds. The lists hold the reports of one kind, in
    order. `sessions` are those of the dealing device and of the table controller; `ended_ns` is the time of the last
    report, `verified_ns` that of the last DeckVerified, 0 without one.
    """

    order: bytes
    sessions: tuple[int, int]
    ended_ns: int
    verified_ns: int
    loaded: list[tuple[int, int]] = field(default_factory=list)
    """Deck, back."""
    verified: list[tuple[int, int, int]] = field(default_factory=list)
    """Deck, expected, counted."""
    dispensed: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    """Deck, ordinal, expected, counted, how many faces were read."""
    lifted: list[int] = field(default_factory=list)
    """Ordinals."""
    dumped: list[tuple[int, int, int]] = field(default_factory=list)
    """Deck, expected, counted."""
    started: list[int] = field(default_factory=list)
    """Numbers of rounds, as in `ended`."""
    ended: list[int] = field(default_factory=list)
    sensors: list[tuple[int, int]] = field(default_factory=list)
    """Seat, on."""
    wagers: list[tuple[int, int, int]] = field(default_factory=list)
    """Seat, spot, cents."""
    decisions: list[tuple[int, int]] = field(default_factory=list)
    """Seat, choice."""
    burns: list[tuple[int, tuple[int, ...], str]] = field(default_factory=list)
    """Place, positions, direction."""
    shown: list[tuple[int, bytes]] = field(default_factory=list)
    """Place, faces."""
    counted: list[tuple[int, int]] = field(default_factory=list)
    """Place, cards."""
