"""What can go wrong in a scenario: one entry of `troubles`, its keys by kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps import Due
from dealwire.rehearsal.strict import Section
from devices.simulator.shuffler_parts import RECOVERY_TRIES, MachineMishap
from protocol.places import MUCK


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
    EXPOSED = "exposed"
    OFF_TABLE = "off-table"
    FOULED = "fouled"
    JOKER = "joker"
    BOXED = "boxed"
    MISPLACED = "misplaced"
    UNREAD = "unread"
    OVERDRAW = "overdraw"
    PUSH_BACK = "push-back"
    PULL_BACK = "pull-back"
    EARLY = "early"
    ERROR = "error"
    LOCKED = "locked"


AT_A_CARD: Final = (What.UNREAD, What.PUSH_BACK, What.PULL_BACK, What.ERROR)
"""What can go wrong at a shoe's reader, whatever game is dealt."""
AT_A_RACE: Final = (What.UNREAD, What.OVERDRAW, What.PUSH_BACK, What.PULL_BACK, What.EARLY, What.ERROR, What.LOCKED)
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
HANDS: Final = (What.EXPOSED, What.OFF_TABLE, What.FOULED, What.JOKER, What.BOXED)
"""What a person sees happen to a card at a place."""
FROM_SHOE: Final = (What.PACKET, What.MISPLACED, *HANDS, What.BURN, What.REVEAL_BEFORE_BURN, What.MISDEAL_CALLED, *LINE)
"""What can go wrong without a shuffler."""


AMOUNTS: Final = {
    What.JAM: ("tries", 1, RECOVERY_TRIES + 1),
    **dict.fromkeys((What.REMAINDER, What.REJECTED, What.DECK), ("cards", 1, 5)),
    **dict.fromkeys((What.NOISE, What.DROP), ("bytes", 1, 1000)),
    What.FLIP: ("bits", 1, 100),
    What.STALL: ("ms", 1, 10_000),
}
"""The key that says how much, and its bounds."""


@dataclass(frozen=True, slots=True)
class PlannedTrouble:
    """One thing that goes wrong. `ordinal` is the packet it happens at, at a shoe's reader the card; 0 when at none.

    `amount` counts what the kind counts: cards too many (negative: too few) for packet and overdraw, cards missing for
    remainder and deck, cards rejected or misplaced, tries for jam, bytes for noise and drop, bits for flip,
    milliseconds for stall.
    """

    what: What
    ordinal: int = 0
    amount: int = 0
    noticed: bool = True
    device: str = "shuffler"
    positions: tuple[int, ...] = ()
    to: str = ""
    """Where a misplaced card is laid."""
    ruling: str = "misdeal"
    """What the supervisor says where a person rules: `misdeal` or `go-on`."""
    named: bool = True
    """Whether a supervisor says what an unread card is."""

    def mishap(self) -> MachineMishap | None:
        """The trouble as something that goes wrong inside the shuffler; None when it happens elsewhere."""
        match self.what:
            case What.PACKET:
                return MachineMishap(self.ordinal, by=self.amount, noticed=self.noticed)
            case What.JAM:
                return MachineMishap(self.ordinal, jam_tries=self.amount)
            case What.LOST:
                return MachineMishap(self.ordinal, lost=1)
            case What.REJECTED:
                return MachineMishap(self.ordinal, rejected=self.amount)
            case What.REMAINDER:
                return MachineMishap(0, slipped=self.amount)
            case _:
                return None


def read_trouble(section: Section, packets: Sequence[Due], plan: Plan) -> PlannedTrouble:
    """One entry of `troubles`. `packets` are the round's in their order, which is dealt by `plan`."""
    source = "shoe" if plan.from_shoe else "shuffler"
    kinds = [*FROM_SHOE, *AT_A_CARD] if plan.from_shoe else [kind for kind in What if kind not in AT_A_RACE]
    what = What(section.text("what", allowed=kinds))
    if what in AT_A_CARD:
        return read_card_trouble(section, what, sum(packet.cards for packet in packets))
    at_packet = what in AT_A_PACKET or what in HANDS or what is What.MISPLACED
    ordinal = _ordinal(section, packets) if at_packet else 0
    packet = packets[ordinal - 1] if ordinal else None
    by_hand = packet is not None and packet.step in _by_hand(plan)
    if what is What.MISPLACED and (by_hand or source != "shoe"):
        raise section.error("what", "a card is misplaced when it is drawn from a shoe; here a packet is short or long")
    if what is What.PACKET and source == "shoe" and not by_hand:
        raise section.error("what", "a card drawn from a shoe is misplaced: one hand is short and another long")
    most = max((each.cards for each in packets), default=1)
    places = dict.fromkeys(each.place.text for each in packets)
    return PlannedTrouble(
        what=what,
        ordinal=ordinal,
        amount=_amount(section, what, packet, source),
        noticed=section.flag("noticed", True) if what is What.PACKET else True,
        device=section.text("device", source, allowed=(source, "table-controller")) if what in LINE else source,
        positions=section.integers("positions", 1, most) if what is What.BURN else (),
        to=section.text("to", allowed=(*places, MUCK.text)) if what is What.MISPLACED else "",
        ruling=section.text("ruling", "misdeal", allowed=("misdeal", "go-on")),
    )


def read_card_trouble(section: Section, what: What, last: int) -> PlannedTrouble:
    """What goes wrong at a shoe or on a line, at a card from 1 to `last` where it is at one."""
    return PlannedTrouble(
        what,
        section.integer("card", 1, last) if what not in (What.OVERDRAW, What.EARLY) else 0,
        section.integer("cards", 1, 5, 1) if what is What.OVERDRAW else _amount(section, what, None, "shoe"),
        device=section.text("device", "shoe", allowed=("shoe", "table-controller")) if what in LINE else "shoe",
        named=section.flag("named", True) if what is What.UNREAD else True,
    )


def _by_hand(plan: Plan) -> list[str]:
    """The steps whose cards no device sees."""
    return [step.name for step in plan.steps if step.deals and not step.from_device]


def _ordinal(section: Section, packets: Sequence[Due]) -> int:
    """The packet's number, or the first one that goes to a place, in the step of that name where one is given."""
    if isinstance(section.either("packet"), int):
        return section.integer("packet", 1, len(packets))
    step = section.text("step", "", allowed=["", *dict.fromkeys(packet.step for packet in packets)])
    found: dict[str, int] = {}
    for ordinal, packet in enumerate(packets, 1):
        if step in ("", packet.step):
            found.setdefault(packet.place.text, ordinal)
    return found[section.text("packet", allowed=found)]


def _amount(section: Section, what: What, packet: Due | None, source: str) -> int:
    if what is What.PACKET and packet is not None:
        by = section.integer("by", 1 - packet.cards if source == "shuffler" else -packet.cards, packet.cards)
        if not by:
            raise section.error("by", "0 cards too many is no trouble; -1 is one too few")
        return by
    if what is What.MISPLACED and packet is not None:
        return section.integer("cards", 1, packet.cards, 1)
    return section.integer(*AMOUNTS[what]) if what in AMOUNTS else 0
