"""Posting of a jackpot's amounts: at least once a gaming day, after the count, at the controller of any table that
shares the jackpot, between rounds. CO 47.1-1060(2), (7)."""

from dealer_flow.english import dollars
from dealwire.table.pressed_book import Moved, PressedBook, Words
from devices.events import Seen
from rules.meters.jackpot_book import JackpotBook


class PostingBook(PressedBook):
    """Records the posting of a jackpot and posts the pools. Feed it every report."""

    BUTTON = 2
    ACT = "post"

    def __init__(self, jackpot: JackpotBook, table: str) -> None:
        name = jackpot.setup.id
        words = Words(
            pressed=f"the pools of jackpot {name} are to be posted",
            confirmed=f"posting of jackpot {name} is confirmed",
            off=f"posting of jackpot {name} is canceled",
            unfinished=f"jackpot {name} was not posted: play continues",
            does=f"posts jackpot {name}",
            when="a jackpot can be posted only between rounds, and a round is under way",
        )
        super().__init__(table, jackpot.setup.pools[0].name, "47.1-1060(2)", words)
        self._jackpot = jackpot

    def _complete(self, seen: Seen, badge: int, level: str, people: str) -> Moved:
        before = self._jackpot.award_cents
        records = self._jackpot.post(badge)
        yield from records
        now = self._jackpot.award_cents
        why = f"the award is posted at {dollars(now)}; it was {dollars(before)}{people and f', by {people}'}"
        own = next(record.number for record in records if (record.kind, record.meter) == ("posted", self._meter))
        yield self._say("posted", seen, why, cents=now, record=own, badge=badge, level=level)
