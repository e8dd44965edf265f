"""Closing of a pool without a winner: when the table closes it is shared, on request at the controller between rounds.

The pool is divided by the runners in front of the seats, without those of players who left since the last round. CO
47.1-1017.30(11), (12).
"""

from collections.abc import Iterator, Mapping
from typing import Protocol

import devices.events as e
from dealer_flow.english import dollars
from dealwire.table.pressed_book import PressedBook, Words
from devices.events import Seen
from rules.game.pool_spec import PoolSpec
from rules.meters.award_record import AwardRecord
from rules.meters.bank import MeterRecord
from rules.pots.pool_closing import shares_of


class PoolHolder(Protocol):
    """Terms with a pool: its amount, and the runners in front of the seats."""

    meters: dict[str, int]
    runners: dict[int, int]
    token_cents: int

    def stand(self, meters: Mapping[str, int], runners: Mapping[int, int]) -> None:
        """Set the amounts of the meters and the runners."""


class PoolBook(PressedBook):
    """Records the closing of a pool and moves the pool and the runners of `terms`. Feed it every report."""

    BUTTON = 1

    def __init__(self, spec: PoolSpec, terms: PoolHolder, table: str) -> None:
        meter = spec.meter
        words = Words(
            pressed=f"the table is closing: the {meter} pool is to be shared",
            confirmed=f"sharing of the {meter} pool is confirmed",
            off="pressed again: the pool is not shared",
            unfinished=f"the {meter} pool was not shared: play continues",
            does="shares the pool",
            when="a pool can be shared only between rounds, and a round is under way",
        )
        super().__init__(table, meter, spec.clauses.closing, words)
        self._terms = terms
        self._left = set[int]()

    def handle(self, seen: Seen, *, between: bool) -> list[AwardRecord | MeterRecord]:
        """Take one report; `between`: no round is under way."""
        match seen.body:
            case e.StakeShown(seat, cents) if between:
                (self._left.discard if cents else self._left.add)(seat)
        return super().handle(seen, between=between)

    def _start(self, seen: Seen, number: int) -> Iterator[AwardRecord]:
        yield from super()._start(seen, number)
        self._left.clear()  # from here on the round tells who plays

    def _complete(self, seen: Seen, badge: int, level: str, people: str) -> Iterator[AwardRecord]:
        meter = self._meter
        runners = {seat: number for seat, number in self._terms.runners.items() if seat not in self._left}
        cents = self._terms.meters.get(meter)
        if cents is None or not runners:
            why = (
                "the amount in it is unknown"
                if cents is None
                else f"no seat has a runner: {dollars(cents)} stays in it"
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
