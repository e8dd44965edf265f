"""Procedures started by a hand button at the controller between rounds, which move money held for the players.

A hand button requests the action. CONFIRM and the card of a supervisor or an executive complete it, as for an award.
The same button again, or START GAME, cancels it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from enum import Enum
from typing import Any, ClassVar, NamedTuple

import devices.events as e
from dealer_flow.record.incidents import EventRef
from devices.events import Level, Seen
from rules.meters.award_record import AwardKind, AwardRecord
from rules.meters.bank import MeterRecord


class _Stage(Enum):
    OPEN = "open"
    PRESSED = "pressed"
    CONFIRMED = "confirmed"


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

    def __init__(self, table: str, meter: str, clause: str, words: Words) -> None:
        self._table, self._meter, self._clause, self._words = table, meter, clause, words
        self._stage = _Stage.OPEN
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
            case e.BadgeSwiped(badge, level) if self._stage is _Stage.CONFIRMED:
                return [*self._swipe(seen, badge, level)]
        return []

    def drop(self, seen: Seen) -> list[AwardRecord]:
        """Cancel the request because something else is requested."""
        if self.at_rest:
            return []
        self._stage = _Stage.OPEN
        return [self._say("hand-off", seen, self._words.off)]

    @abstractmethod
    def _complete(self, seen: Seen, badge: int, level: str) -> Moved:
        """Complete the action: it was requested, confirmed, and authorized by a card."""

    def _start(self, seen: Seen, number: int) -> Iterator[AwardRecord]:
        if not self.at_rest:
            yield self._say("unfinished", seen, self._words.unfinished)
        self._stage, self.round = _Stage.OPEN, number

    def _button(self, seen: Seen, hand: int, *, on: bool, between: bool) -> Iterator[AwardRecord]:
        if not on:
            if hand == self.BUTTON:
                yield from self.drop(seen)
        elif hand != self.BUTTON:
            yield self._say("refused", seen, f"hand button {hand}; allowed: {self.BUTTON}, which {self._words.does}")
        elif not between:
            yield self._say("refused", seen, self._words.when)
        else:
            self._stage = _Stage.PRESSED
            yield self._say("hand-on", seen, self._words.pressed)

    def _swipe(self, seen: Seen, badge: int, level: str) -> Moved:
        if level not in (Level.SUPERVISOR, Level.EXECUTIVE):
            why = f"it needs the card of a supervisor or an executive, not of a {level}"
            yield self._say("refused", seen, why, badge=badge, level=level)
            return
        self._stage = _Stage.OPEN
        yield from self._complete(seen, badge, level)

    def _say(self, kind: AwardKind, seen: Seen, why: str, **fields: Any) -> AwardRecord:
        events = (EventRef(device=seen.device, number=seen.number),)
        known = {"meter": self._meter, "clause": self._clause} | fields
        return AwardRecord(kind=kind, table=self._table, round=self.round, why=why, events=events, **known)
