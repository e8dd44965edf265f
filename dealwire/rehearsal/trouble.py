"""Faults of a scenario: entries of `troubles`, with the keys of each kind."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.due import Due
from dealwire.rehearsal.parts import FileKey, OpenPart
from devices.simulator.shuffler_parts import RECOVERY_TRIES, MachineMishap
from protocol.places import MUCK


class What(StrEnum):
    """Kinds of faults."""

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
    FOULED_BY_PLAYER = "fouled-by-player"
    FOULED_BY_OTHERS = "fouled-by-others"
    EXPOSED_BY_PLAYER = "exposed-by-player"
    MISPLACED = "misplaced"
    EXTRA = "extra"
    SKIPPED = "skipped"
    DROPPED = "dropped"
    UNREAD = "unread"
    OVERDRAW = "overdraw"
    PUSH_BACK = "push-back"
    PULL_BACK = "pull-back"
    EARLY = "early"
    ERROR = "error"
    LOCKED = "locked"
    OUT_OF_TURN = "out-of-turn"
    WITHDRAWN = "withdrawn"
    STRING_BET = "string-bet"
    SHORT_CALL = "short-call"
    LONG_CALL = "long-call"
    TIME_LIMIT = "time-limit"
    PREMATURE = "premature"


AT_AN_ACTION: Final = (What.OUT_OF_TURN, What.STRING_BET, What.SHORT_CALL, What.LONG_CALL, What.TIME_LIMIT)
"""Mistakes of a player who bets against others."""
AT_THE_BETTING: Final = (*AT_AN_ACTION, What.WITHDRAWN, What.PREMATURE)
"""Also the floor's, an action that it takes back, and the dealer's: community cards dealt before the betting is over.
"""
AT_A_CARD: Final = (What.UNREAD, What.PUSH_BACK, What.PULL_BACK, What.ERROR)
"""Faults at a shoe's reader, in any game."""
AT_A_RACE: Final = (What.UNREAD, What.OVERDRAW, What.PUSH_BACK, What.PULL_BACK, What.EARLY, What.ERROR, What.LOCKED)
LINE: Final = (What.NOISE, What.DROP, What.FLIP, What.STALL)
RACE: Final = (*AT_A_RACE, *LINE)
"""Faults in a race."""
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
HANDS: Final = (
    What.EXPOSED,
    What.OFF_TABLE,
    What.FOULED,
    What.JOKER,
    What.BOXED,
    What.FOULED_BY_PLAYER,
    What.FOULED_BY_OTHERS,
    What.EXPOSED_BY_PLAYER,
)
"""Things that a person sees happen to a card at a place."""
WHILE_DEALT: Final = (What.MISPLACED, What.EXTRA, What.SKIPPED, What.DROPPED)
"""Mistakes while a card is drawn to a place."""
FROM_SHOE: Final = (What.PACKET, *WHILE_DEALT, *HANDS, What.BURN, What.REVEAL_BEFORE_BURN, What.MISDEAL_CALLED, *LINE)
"""Faults without a shuffler."""


ACTIONS_MAX: Final = 200
"""Maximum number of the action at which a fault can happen."""
AMOUNTS: Final = {
    What.JAM: ("tries", 1, RECOVERY_TRIES + 1),
    **dict.fromkeys((What.REMAINDER, What.REJECTED, What.DECK), ("cards", 1, 5)),
    **dict.fromkeys((What.NOISE, What.DROP), ("bytes", 1, 1000)),
    What.FLIP: ("bits", 1, 100),
    What.STALL: ("ms", 1, 10_000),
}
"""Key of the amount, with its bounds."""
KEYS: Final = {
    What.PACKET: ("by", "noticed"),
    What.MISPLACED: ("cards", "to"),
    What.EXTRA: ("cards", "noticed"),
    What.DROPPED: ("noticed",),
    What.OVERDRAW: ("cards",),
    What.BURN: ("positions",),
    What.UNREAD: ("named",),
    **{kind: (key, *(("device",) if kind in LINE else ())) for kind, (key, *_) in AMOUNTS.items()},
}
"""Additional keys, by kind."""


@dataclass(frozen=True, slots=True)
class PlannedTrouble:
    """Planned fault. `ordinal` is its packet, its card (at a shoe's reader) or its action (in the betting, or the next
    possible one); 0 if it has none.

    `amount` depends on the kind: extra cards (negative: missing) for packet and overdraw, missing cards for remainder
    and deck, rejected or misplaced cards, tries for jam, bytes for noise and drop, bits for flip, milliseconds for
    stall.
    """

    what: What
    ordinal: int = 0
    amount: int = 0
    noticed: bool = True
    device: str = "shuffler"
    positions: tuple[int, ...] = ()
    to: str = ""
    """Place of a misplaced card."""
    ruling: str = "misdeal"
    """Supervisor's ruling if a person decides: `misdeal` or `go-on`."""
    named: bool = True
    """True if a supervisor names an unread card."""

    def mishap(self) -> MachineMishap | None:
        """Return the fault as one inside the shuffler; None if it happens elsewhere."""
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


class TroublePart(OpenPart):
    """Entry of `troubles`. Its allowed keys depend on its kind."""

    what: str
    packet: int | str | None = None
    step: str | None = None
    action: int | None = None
    card: int | None = None
    by: int | None = None
    cards: int | None = None
    tries: int | None = None
    bytes: int | None = None
    bits: int | None = None
    ms: int | None = None
    noticed: bool = True
    device: str | None = None
    positions: tuple[int, ...] = ()
    to: str | None = None
    ruling: Literal["misdeal", "go-on"] = "misdeal"
    named: bool = True


def planned(trouble: TroublePart, here: FileKey, packets: Sequence[Due], plan: Plan) -> PlannedTrouble:
    """Return the planned fault of one entry. `packets` are those of the round in order, dealt by `plan`."""
    source = "shoe" if plan.from_shoe else "table-controller" if plan.from_hand else "shuffler"
    of_shoe = {*AT_A_RACE, *WHILE_DEALT, *AT_THE_BETTING} - {What.MISPLACED}
    kinds: list[What] = [*FROM_SHOE, *AT_A_CARD] if plan.from_shoe else [kind for kind in What if kind not in of_shoe]
    if plan.from_hand:
        kinds = [kind for kind in FROM_SHOE if kind not in WHILE_DEALT]
    kinds += AT_THE_BETTING if plan.betting is not None else ()
    what = _kind(trouble, here, kinds)
    if what in AT_THE_BETTING:
        _check(trouble, what, here, source, "action")
        return PlannedTrouble(what, here.at("action").number(trouble.action, 1, ACTIONS_MAX), device=source)
    if what in AT_A_CARD:
        return planned_at_card(trouble, here, kinds, sum(packet.cards for packet in packets))
    at_packet = what in AT_A_PACKET or what in HANDS or what in WHILE_DEALT
    keys = ("packet", *(("step",) if isinstance(trouble.packet, str) else ())) if at_packet else ()
    _check(trouble, what, here, source, *keys, "ruling")
    here.needs(trouble, *keys[:1], *(key for key in ("positions", "to") if key in KEYS.get(what, ())))
    ordinal = _ordinal(trouble, here, packets) if at_packet else 0
    packet = packets[ordinal - 1] if ordinal else None
    by_hand = packet is not None and any(step.name == packet.step and not step.from_device for step in plan.steps)
    if what in WHILE_DEALT and (by_hand or source != "shoe"):
        raise here.at("what").error("a card is misplaced when it is drawn from a shoe; here a packet is short or long")
    if what is What.PACKET and source == "shoe" and not by_hand:
        raise here.at("what").error("a card drawn from a shoe is misplaced: one hand is short and another long")
    most = max((each.cards for each in packets), default=1)
    found = {*trouble.positions}
    if what is What.BURN and not (found <= {*range(1, most + 1)} and 0 < len(found) == len(trouble.positions)):
        raise here.at("positions").error(f"{[*trouble.positions]} are not different positions from 1 to {most}")
    if what is What.MISPLACED:
        here.at("to").among([str(trouble.to)], [*dict.fromkeys(each.place.text for each in packets), MUCK.text])
    return PlannedTrouble(
        what=what,
        ordinal=ordinal,
        amount=_amount(trouble, what, here, packet, source),
        noticed=trouble.noticed,
        device=trouble.device or source,
        positions=trouble.positions,
        to=trouble.to or "",
        ruling=trouble.ruling,
    )


def planned_at_card(trouble: TroublePart, here: FileKey, kinds: Collection[str], last: int) -> PlannedTrouble:
    """Return a fault at a shoe or on a line, at a card from 1 to `last` if it is at one."""
    what = _kind(trouble, here, kinds)
    at_card = what not in (What.OVERDRAW, What.EARLY)
    _check(trouble, what, here, "shoe", *(("card",) if at_card else ()))
    return PlannedTrouble(
        what,
        here.at("card").number(trouble.card, 1, last) if at_card else 0,
        _amount(trouble, what, here, None, "shoe"),
        device=trouble.device or "shoe",
        named=trouble.named,
    )


def _kind(trouble: TroublePart, here: FileKey, kinds: Collection[str]) -> What:
    """Return the kind, which must be one of `kinds`."""
    here.at("what").among([trouble.what], kinds)
    return What(trouble.what)


def _check(trouble: TroublePart, what: What, here: FileKey, source: str, *keys: str) -> None:
    """Check that the entry has only these keys and those of its kind, and a device that exists."""
    here.only(trouble, "what", *keys, *KEYS.get(what, ()))
    here.at("device").among([trouble.device or source], (source, "table-controller"))


def _ordinal(trouble: TroublePart, here: FileKey, packets: Sequence[Due]) -> int:
    """Return the packet's number: as given, or the first packet to a place, in the named step if one is given."""
    if isinstance(trouble.packet, int):
        return here.at("packet").number(trouble.packet, 1, len(packets))
    if trouble.step is not None:
        here.at("step").among([trouble.step], dict.fromkeys(packet.step for packet in packets))
    found: dict[str, int] = {}
    for ordinal, packet in enumerate(packets, 1):
        if trouble.step in (None, packet.step):
            found.setdefault(packet.place.text, ordinal)
    here.at("packet").among([str(trouble.packet)], found)
    return found[str(trouble.packet)]


def _amount(trouble: TroublePart, what: What, here: FileKey, packet: Due | None, source: str) -> int:
    if what is What.PACKET and packet is not None:
        least = 1 - packet.cards if source == "shuffler" else -packet.cards
        if not here.at("by").number(trouble.by, least, packet.cards):
            raise here.at("by").error("0 cards too many is no trouble; -1 is one too few")
        return trouble.by or 0
    if what in (What.MISPLACED, What.EXTRA, What.OVERDRAW):
        return here.at("cards").number(trouble.cards or 1, 1, packet.cards if packet else 5)
    if what not in AMOUNTS:
        return 0
    key, low, high = AMOUNTS[what]
    return here.at(key).number(getattr(trouble, key), low, high)
