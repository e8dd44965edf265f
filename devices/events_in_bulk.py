"""The reports of one round in bulk, for whoever judges a whole round at once instead of report by report.

The fields are those of the bodies in `devices.events`, as plain tuples; faces are bytes of card codes.
"""

from typing import Final, NamedTuple

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


class BulkRound(NamedTuple):
    """What two devices reported from the end of one round to the end of the next, GameEnded last.

    `order` has one letter for each report, `?` for one that no list holds. The lists hold the reports of one kind, in
    order. `sessions` are those of the dealing device and of the table controller; `ended_ns` is the time of the last
    report, `verified_ns` that of the last DeckVerified, 0 without one.
    """

    order: bytes
    sessions: tuple[int, int]
    ended_ns: int
    verified_ns: int
    loaded: list[tuple[int, int]]
    """Deck, back."""
    verified: list[tuple[int, int, int]]
    """Deck, expected, counted."""
    dispensed: list[tuple[int, int, int, int, int]]
    """Deck, ordinal, expected, counted, how many faces were read."""
    lifted: list[int]
    """Ordinals."""
    dumped: list[tuple[int, int, int]]
    """Deck, expected, counted."""
    started: list[int]
    """Numbers of rounds, as in `ended`."""
    ended: list[int]
    sensors: list[tuple[int, int]]
    """Seat, on."""
    wagers: list[tuple[int, int, int]]
    """Seat, spot, cents."""
    decisions: list[tuple[int, int]]
    """Seat, choice."""
    burns: list[tuple[int, tuple[int, ...], str]]
    """Place, positions, direction."""
    shown: list[tuple[int, bytes]]
    """Place, faces."""
    counted: list[tuple[int, int]]
    """Place, cards."""
