"""What can go wrong in a scenario: one entry of `troubles`, its keys by kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from devices.simulator.shuffler_parts import RECOVERY_TRIES, Mishap
from devices.simulator.strict import Section
from protocol.places import Place

DEVICES: Final = ("shuffler", "table-controller")


class What(StrEnum):
    """The kinds of trouble."""

    PACKET = "packet"
    REMAINDER = "remainder"
    JAM = "jam"
    LOST = "lost-card"
    REJECTED = "rejected-card"
    DOOR = "door"
    LIFTED_EARLY = "lifted-early"
    POWER = "power"
    DECK = "deck"
    BURN = "burn"
    REVEAL_BEFORE_BURN = "reveal-before-burn"
    MISDEAL_CALLED = "misdeal-called"
    NOISE = "noise"
    DROP = "drop"
    FLIP = "flip"
    STALL = "stall"


LINE: Final = (What.NOISE, What.DROP, What.FLIP, What.STALL)
AT_A_PACKET: Final = (
    What.PACKET,
    What.JAM,
    What.LOST,
    What.REJECTED,
    What.DOOR,
    What.LIFTED_EARLY,
    What.POWER,
    What.MISDEAL_CALLED,
    *LINE,
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that goes wrong. `ordinal` is the packet it happens at, 0 when at none.

    `amount` counts what the kind counts: cards too many (negative: too few) for packet, cards missing for remainder
    and deck, tries for jam, bytes for noise and drop, bits for flip, milliseconds for stall.
    """

    what: What
    ordinal: int = 0
    amount: int = 0
    noticed: bool = True
    device: str = "shuffler"
    positions: tuple[int, ...] = ()

    def mishap(self) -> Mishap | None:
        """The trouble as something that goes wrong inside the shuffler; None when it happens elsewhere."""
        match self.what:
            case What.PACKET:
                return Mishap(self.ordinal, by=self.amount, noticed=self.noticed)
            case What.JAM:
                return Mishap(self.ordinal, jam_tries=self.amount)
            case What.LOST:
                return Mishap(self.ordinal, lost=1)
            case What.REJECTED:
                return Mishap(self.ordinal, rejected=self.amount)
            case What.REMAINDER:
                return Mishap(0, slipped=self.amount)
            case _:
                return None


def read_trouble(section: Section, order: tuple[Place, ...], packet_size: int) -> Trouble:
    """One entry of `troubles`; `order` is where the round's packets go."""
    what = What(section.text("what", allowed=[kind.value for kind in What]))
    trouble = Trouble(
        what=what,
        ordinal=_ordinal(section, order) if what in AT_A_PACKET else 0,
        amount=_line_amount(section, what) if what in LINE else _amount(section, what, packet_size),
        noticed=section.flag("noticed", True) if what is What.PACKET else True,
        device=section.text("device", "shuffler", allowed=DEVICES) if what in LINE else "shuffler",
        positions=section.integers("positions", 1, packet_size) if what is What.BURN else (),
    )
    section.done()
    return trouble


def _ordinal(section: Section, order: tuple[Place, ...]) -> int:
    if isinstance(section.either("packet"), int):
        return section.integer("packet", 1, len(order))
    names = [place.text for place in order]
    return names.index(section.text("packet", allowed=names)) + 1


def _amount(section: Section, what: What, packet_size: int) -> int:
    match what:
        case What.PACKET:
            by = section.integer("by", 1 - packet_size, packet_size)
            if not by:
                raise section.error("by", "0 cards too many is no trouble; -1 is one too few")
            return by
        case What.JAM:
            return section.integer("tries", 1, RECOVERY_TRIES + 1)
        case What.REMAINDER | What.REJECTED | What.DECK:
            return section.integer("cards", 1, 5)
        case _:
            return 0


def read_line_trouble(section: Section, what: What, ordinal: int, devices: Sequence[str]) -> Trouble:
    """What a line does at the card `ordinal`; `devices` are those on the table, the usual one first."""
    device = section.text("device", devices[0], allowed=devices)
    return Trouble(what, ordinal, _line_amount(section, what), device=device)


def _line_amount(section: Section, what: What) -> int:
    match what:
        case What.NOISE | What.DROP:
            return section.integer("bytes", 1, 1000)
        case What.FLIP:
            return section.integer("bits", 1, 100)
        case _:
            return section.integer("ms", 1, 10_000)
