"""State table of the packet shuffler as data: the model allows no other step, and docs/simulator.md prints it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from protocol.tdp.messages import ShufflerState as S


class ShufflerCause(StrEnum):
    """Causes of a state change."""

    BOOTED = "started"
    TESTED = "self-test ended"
    TEST_REQUESTED = "self-test requested"
    LOADED = "deck put into the input"
    FED = "deck taken in"
    SHUFFLED = "shuffle ended"
    VERIFIED = "deck counted"
    GREEN = "green button or its command"
    OUT = "packet in the tray"
    LIFTED = "tray emptied"
    JAMMED = "cards jammed"
    RECOVERED = "jam freed or given up"
    DUMPED = "remainder in the tray"
    ALARM = "red lamp lit"
    CLEARED = "a person cleared the misdeal"
    DOOR_OPENED = "door opened"
    DOOR_CLOSED = "door closed"
    HOST_LOST = "host lost"
    HOST_BACK = "host back"
    LOCK = "lock changed"
    SETUP = "set-up opened or closed"
    RECOUNT = "another deck composition"


C: Final = ShufflerCause


@dataclass(frozen=True, slots=True)
class ShufflerRow:
    """Row of the table: from any of `sources`, `cause` leads to one of `targets`; `note` explains which."""

    sources: tuple[S, ...]
    cause: ShufflerCause
    targets: tuple[S, ...]
    note: str


_IDLE: Final = (S.EMPTY, S.LOADED, S.SHUFFLING, S.VERIFYING, S.READY)
_DEALING: Final = (S.DISPENSING, S.PACKET_WAIT, S.RECOVERING, S.DUMPING, S.REMAINDER_WAIT)
_ON: Final = (*_IDLE, S.DISPENSING, S.PACKET_WAIT, S.DUMPING, S.REMAINDER_WAIT)
_AFTER_SETUP: Final = (S.EMPTY, S.LOADED, S.SHUFFLING, S.READY, S.SAFE)

ROWS: Final = (
    ShufflerRow((S.BOOT,), C.BOOTED, (S.SELF_TEST,), "always"),
    ShufflerRow(
        (S.SELF_TEST,),
        C.TESTED,
        (S.EMPTY, S.LOADED, S.SHUFFLING, S.READY, S.MISDEAL, S.OPEN, S.FAULT, S.SAFE),
        "FAULT if a sensor failed, MISDEAL after a power loss in a round, otherwise by the cards in the device",
    ),
    ShufflerRow((S.EMPTY, S.READY, S.FAULT), C.TEST_REQUESTED, (S.SELF_TEST,), "service role"),
    ShufflerRow((S.EMPTY,), C.LOADED, (S.LOADED,), "no change of state while the other deck is in use"),
    ShufflerRow((S.LOADED,), C.FED, (S.SHUFFLING,), "the cards are in the chamber"),
    ShufflerRow((S.SHUFFLING,), C.SHUFFLED, (S.VERIFYING,), "always"),
    ShufflerRow((S.VERIFYING,), C.VERIFIED, (S.READY, S.MISDEAL, S.SAFE), "MISDEAL on a wrong total"),
    ShufflerRow((S.REMAINDER_WAIT, S.SAFE), C.VERIFIED, (S.MISDEAL,), "the other deck has a wrong total"),
    ShufflerRow((S.READY,), C.GREEN, (S.DISPENSING,), "the first packet"),
    ShufflerRow(
        (S.PACKET_WAIT,),
        C.GREEN,
        (S.DUMPING, S.DISPENSING),
        "a packet that was not lifted goes with the remainder; DISPENSING if the game has another group of packets",
    ),
    ShufflerRow((S.DISPENSING,), C.OUT, (S.PACKET_WAIT, S.DUMPING, S.MISDEAL, S.SAFE), "MISDEAL on a wrong count"),
    ShufflerRow((S.DISPENSING,), C.JAMMED, (S.RECOVERING,), "the first of a few tries"),
    ShufflerRow((S.RECOVERING,), C.RECOVERED, (S.DISPENSING, S.MISDEAL), "MISDEAL after the last try"),
    ShufflerRow((S.PACKET_WAIT,), C.LIFTED, (S.DISPENSING,), "no change if the deck has no further packet"),
    ShufflerRow((S.DISPENSING,), C.LIFTED, (S.MISDEAL,), "a packet is lifted early"),
    ShufflerRow(
        (S.DUMPING,),
        C.DUMPED,
        (S.REMAINDER_WAIT, S.MISDEAL, S.SAFE, S.EMPTY, S.LOADED),
        "MISDEAL if cards are missing",
    ),
    ShufflerRow((S.REMAINDER_WAIT,), C.LIFTED, _IDLE, "by the progress of the other deck"),
    ShufflerRow(
        (S.SAFE,),
        C.LIFTED,
        (S.LOADED, S.SHUFFLING, S.VERIFYING),
        "the other deck's shuffle is being finished",
    ),
    ShufflerRow((*_IDLE, S.PACKET_WAIT, S.REMAINDER_WAIT), C.ALARM, (S.MISDEAL,), "latched; requested by the host"),
    ShufflerRow((S.MISDEAL,), C.CLEARED, (*_ON, S.SAFE, S.FAULT), "never on its own; back to the previous activity"),
    ShufflerRow(
        (*_IDLE, *_DEALING, S.MISDEAL, S.SAFE, S.FAULT, S.LOCKED, S.SETUP),
        C.DOOR_OPENED,
        (S.OPEN,),
        "every motion stops; during a round the red lamp is lit",
    ),
    ShufflerRow(
        (S.OPEN,),
        C.DOOR_CLOSED,
        (S.EMPTY, S.LOADED, S.SHUFFLING, S.SAFE, S.MISDEAL, S.FAULT, S.LOCKED, S.SETUP),
        "MISDEAL while the lamp is lit; a ready deck is shuffled and counted again",
    ),
    ShufflerRow(
        (S.EMPTY, S.READY, S.PACKET_WAIT, S.REMAINDER_WAIT),
        C.HOST_LOST,
        (S.SAFE,),
        "a motion is finished first",
    ),
    ShufflerRow(
        (S.SAFE,),
        C.HOST_BACK,
        (S.EMPTY, S.LOADED, S.SHUFFLING, S.READY, S.DISPENSING, S.PACKET_WAIT, S.DUMPING, S.REMAINDER_WAIT),
        "continues with the next step",
    ),
    ShufflerRow((S.EMPTY, S.READY), C.LOCK, (S.LOCKED,), "refused during a round"),
    ShufflerRow((S.LOCKED,), C.LOCK, (S.EMPTY, S.LOADED, S.SHUFFLING, S.READY), "unlocked"),
    ShufflerRow((S.EMPTY, S.READY), C.SETUP, (S.SETUP,), "by a person at the device"),
    ShufflerRow((S.SETUP,), C.SETUP, _AFTER_SETUP, "closed"),
    ShufflerRow((S.READY,), C.RECOUNT, (S.SHUFFLING,), "the deck is counted against the new composition"),
)

ARCS: Final = frozenset((source, row.cause, target) for row in ROWS for source in row.sources for target in row.targets)
"""Every step that the model may take."""
