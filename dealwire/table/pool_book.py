"""A pool that nobody has won is shared when the table closes: a person says so at the controller, between two rounds.

Hand button 1 asks for it, CONFIRM and the card of a supervisor or an executive complete it, as of an award; the button
pressed again, or START GAME, and it was not asked for. The pool is then shared by the runners before the seats, without
those of players who have left since the last round. CO 47.1-1017.30(11), (12).
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, Final, Protocol

import devices.events as e
from dealer_flow.procedure.english import dollars
from dealer_flow.record.incidents import EventRef
from devices.events import Level, Seen
from rules.award_record import AwardKind, AwardRecord
from rules.pool_closing import shares_of
from rules.pool_spec import PoolSpec

CLOSE: Final = 1
"""The hand button that asks for it."""


class PoolHolder(Protocol):
    """Terms with a pool: what lies in it, and the runners that lie before the seats."""

    meters: dict[str, int]
    runners: dict[int, int]
    token_cents: int

    def stand(self, meters: Mapping[str, int], runners: Mapping[int, int]) -> None:
        """They stand here now."""


class _Stage(Enum):
    OPEN = "open"
    ASKED = "asked for"
    CONFIRMED = "confirmed"


class PoolBook:
    """Feed it every report; it answers with records of the closing, and moves the pool and the runners of `terms`."""

    def __init__(self, spec: PoolSpec, terms: PoolHolder, table: str) -> None:
        self._spec, self._terms, self._table = spec, terms, table
        self._stage = _Stage.OPEN
        self._left = set[int]()
        self.round = 0
        """The round that was started last."""

    @property
    def at_rest(self) -> bool:
        """True when nothing was asked for."""
        return self._stage is _Stage.OPEN

    def handle(self, seen: Seen, *, between: bool) -> list[AwardRecord]:
        """Take one report; `between`: no round is under way."""
        match seen.body:
            case e.GameStarted(number):
                return [*self._start(seen, number)]
            case e.StakeShown(seat, cents) if between:
                (self._left.discard if cents else self._left.add)(seat)
            case e.HandButton(hand, on):
                return [*self._button(seen, hand, on=on, between=between)]
            case e.Confirmed() if self._stage is _Stage.ASKED:
                self._stage = _Stage.CONFIRMED
                return [self._say("confirmed", seen, f"that the {self._spec.meter} pool is shared is confirmed")]
            case e.BadgeSwiped(badge, level) if self._stage is _Stage.CONFIRMED:
                return [*self._swipe(seen, badge, level)]
        return []

    def _start(self, seen: Seen, number: int) -> Iterator[AwardRecord]:
        if not self.at_rest:
            yield self._say("unfinished", seen, f"the {self._spec.meter} pool was not shared: play goes on")
        self._stage, self.round = _Stage.OPEN, number
        self._left.clear()  # the round says it from here on

    def _button(self, seen: Seen, hand: int, *, on: bool, between: bool) -> Iterator[AwardRecord]:
        if not on:
            if hand == CLOSE and not self.at_rest:
                self._stage = _Stage.OPEN
                yield self._say("hand-off", seen, "pressed again: the pool is not shared")
        elif hand != CLOSE:
            yield self._say("refused", seen, f"hand button {hand}; allowed: {CLOSE}, which shares the pool")
        elif not between:
            yield self._say("refused", seen, "a pool is shared between two rounds, and one is under way")
        else:
            self._stage = _Stage.ASKED
            yield self._say("hand-on", seen, f"the table is to close, and the {self._spec.meter} pool to be shared")

    def _swipe(self, seen: Seen, badge: int, level: str) -> Iterator[AwardRecord]:
        if level not in (Level.SUPERVISOR, Level.EXECUTIVE):
            why = f"it needs the card of a supervisor or an executive, not of a {level}"
            yield self._say("refused", seen, why, badge=badge, level=level)
            return
        self._stage = _Stage.OPEN
        meter = self._spec.meter
        runners = {seat: number for seat, number in self._terms.runners.items() if seat not in self._left}
        cents = self._terms.meters.get(meter)
        if cents is None or not runners:
            why = (
                "what lies in it is not known" if cents is None else f"nobody has a runner: {dollars(cents)} stay in it"
            )
            yield self._say("refused", seen, why, badge=badge, level=level)
            return
        whole, known = sum(runners.values()), {"meter": meter, "badge": badge, "level": level}
        for seat, share in shares_of(cents, runners, self._terms.token_cents).items():
            why = f"{runners[seat]} of {whole} runners: {dollars(share)} of the {meter} pool of {dollars(cents)}"
            yield self._say("awarded", seen, why, seat=seat, cents=share, **known)
        self._terms.stand(self._terms.meters | {meter: 0}, {})
        why = f"the {meter} pool of {dollars(cents)} is shared, and all runners are collected: the table may close"
        yield self._say("closed", seen, why, cents=cents, **known)

    def _say(self, kind: AwardKind, seen: Seen, why: str, **fields: Any) -> AwardRecord:
        events = (EventRef(device=seen.device, number=seen.number),)
        known = {"meter": self._spec.meter, "clause": self._spec.clauses.closing} | fields
        return AwardRecord(kind=kind, table=self._table, round=self.round, why=why, events=events, **known)
