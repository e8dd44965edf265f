"""Procedures started by a hand button at the controller between rounds, which move money held for the players.

A hand button requests the action. CONFIRM and the card of a supervisor or an executive complete it, as for an award.
The same button again, or START GAME, cancels it. Where the house wants two people for it, a second card follows.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from enum import Enum
from typing import Any, ClassVar, Final, NamedTuple

import devices.events as e
from dealer_flow.record.incidents import EventRef
from devices.events import Level, Seen
from rules.meters.award_record import AwardKind, AwardRecord
from rules.meters.bank import MeterRecord


class _Stage(Enum):
    OPEN = "open"
    PRESSED = "pressed"
    CONFIRMED = "confirmed"
    FIRST = "first"


class _First(NamedTuple):
    """The first of two cards: number, person, time."""

    badge: int
    person: str
    at_ns: int


_NOBODY: Final = _First(0, "", 0)
_MINUTE_NS: Final = 60 * 1_000_000_000


class Words(NamedTuple):
    """Texts of a book. `pressed`, `confirmed`, `off` and `unfinished` are whole sentences; `does` says what the button
    does, `when` that it works between rounds only."""

    pressed: str
    confirmed: str
    off: str
    unfinished: str
    does: str
    when: str


Moved = Iterator[AwardRecord | MeterRecord]


class PressedBook(ABC):
    """Base of the books: records the steps of a request and completes it. Feed it every report."""

    BUTTON: ClassVar[int]
    """The hand button that requests the action."""
    ACT: ClassVar[str] = ""
    """Name of the action where a house may want two people for it."""

    def __init__(self, table: str, meter: str, clause: str, words: Words) -> None:
        self._table, self._meter, self._clause, self._words = table, meter, clause, words
        self._stage, self._first, self._minutes = _Stage.OPEN, _NOBODY, 0
        self.round = 0
        """Number of the round started last."""

    @property
    def at_rest(self) -> bool:
        """True if no award is being entered at the controller."""
        return self._stage is _Stage.OPEN

    def handle(self, seen: Seen, *, between: bool) -> list[AwardRecord | MeterRecord]:
        """Take one report and return the records it leads to; `between`: no round is under way."""
        match seen.body:
            case e.GameStarted(number):
                return [*self._start(seen, number)]
            case e.HandButton(hand, on):
                return [*self._button(seen, hand, on=on, between=between)]
            case e.Confirmed() if self._stage is _Stage.PRESSED:
                self._stage = _Stage.CONFIRMED
                return [self._say("confirmed", seen, self._words.confirmed)]
            case e.BadgeSwiped() as card if self._stage is _Stage.CONFIRMED:
                return [*self._swipe(seen, card)]
            case e.BadgeSwiped() as card if self._stage is _Stage.FIRST:
                return [*self._second(seen, card)]
        return []

    def need_two(self, minutes: int) -> None:
        """Set the time within which a second person's card must follow; 0: one card is enough."""
        self._minutes = minutes

    def list_changed(self, seen: Seen) -> list[AwardRecord]:
        """Cancel a request that waits for its second person: the first badge may count no longer."""
        if self._stage is not _Stage.FIRST:
            return []
        self._rest()
        return [self._say("hand-off", seen, f"{self._words.off}: the list of badges changed")]

    def drop(self, seen: Seen) -> list[AwardRecord]:
        """Cancel the request because something else is requested."""
        if self.at_rest:
            return []
        self._rest()
        return [self._say("hand-off", seen, self._words.off)]

    @abstractmethod
    def _complete(self, seen: Seen, badge: int, level: str, people: str) -> Moved:
        """Complete the action: it was requested, confirmed, and authorized by a card, or by those of two `people`."""

    def _rest(self) -> None:
        self._stage, self._first = _Stage.OPEN, _NOBODY

    def _start(self, seen: Seen, number: int) -> Iterator[AwardRecord]:
        if not self.at_rest:
            yield self._say("unfinished", seen, self._words.unfinished)
        self._rest()
        self.round = number

    def _button(self, seen: Seen, hand: int, *, on: bool, between: bool) -> Iterator[AwardRecord]:
        if not on:
            if hand == self.BUTTON:
                yield from self.drop(seen)
        elif hand != self.BUTTON:
            yield self._say("refused", seen, f"hand button {hand}; allowed: {self.BUTTON}, which {self._words.does}")
        elif not between:
            yield self._say("refused", seen, self._words.when)
        else:
            self._stage, self._first = _Stage.PRESSED, _NOBODY
            yield self._say("hand-on", seen, self._words.pressed)

    def _swipe(self, seen: Seen, card: e.BadgeSwiped) -> Moved:
        if why := _why_not(card):
            yield self._say("refused", seen, why, badge=card.badge, level=card.level)
        elif self._minutes:
            self._stage, self._first = _Stage.FIRST, _First(card.badge, card.person, seen.at_ns)
            why = f"{card.person} swiped badge {card.badge}; another person must swipe one {self._within}"
            yield self._say("waits", seen, why, badge=card.badge, level=card.level)
        else:
            self._rest()
            yield from self._complete(seen, card.badge, card.level, "")

    def _second(self, seen: Seen, card: e.BadgeSwiped) -> Moved:
        """Take a card after the first person's. Too late, it ends the request; it never begins one."""
        first, known = self._first, {"badge": card.badge, "level": card.level}
        if seen.at_ns - first.at_ns > self._minutes * _MINUTE_NS:
            self._rest()
            yield self._say("unfinished", seen, f"no second person swiped a badge {self._within}", **known)
        elif why := _why_not(card):
            yield self._say("refused", seen, why, **known)
        elif card.badge == first.badge or card.person == first.person:
            why = f"badge {card.badge} is {first.person}'s, who swiped first; another person must swipe one"
            yield self._say("refused", seen, why, **known)
        else:
            self._rest()
            yield from self._complete(seen, card.badge, card.level, f"{first.person} and {card.person}")

    @property
    def _within(self) -> str:
        return f"within {self._minutes} minute{'' if self._minutes == 1 else 's'}"

    def _say(self, kind: AwardKind, seen: Seen, why: str, **fields: Any) -> AwardRecord:
        events = (EventRef(device=seen.device, number=seen.number),)
        known = {"meter": self._meter, "clause": self._clause} | fields
        return AwardRecord(kind=kind, table=self._table, round=self.round, why=why, events=events, **known)


def _why_not(card: e.BadgeSwiped) -> str:
    """Return why a card authorizes nothing; empty if it does."""
    if card.refused:
        return f"badge {card.badge} does not count: {card.refused}"
    if card.level not in (Level.SUPERVISOR, Level.EXECUTIVE):
        return f"it needs the card of a supervisor or an executive, not of a {card.level}"
    return ""
