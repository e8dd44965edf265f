"""The amounts of a jackpot are posted: at least once a gaming day a person says so at the controller of any table that
shares it, between two rounds, after the count. CO 47.1-1060(2), (7).
"""

from dealer_flow.english import dollars
from dealwire.table.pressed_book import Moved, PressedBook, Words
from devices.events import Seen
from rules.meters.jackpot_book import JackpotBook


class PostingBook(PressedBook):
    """Feed it every report; it answers with records of the posting, and posts what the pools hold."""

    BUTTON = 2

    def __init__(self, jackpot: JackpotBook, table: str) -> None:
        name = jackpot.setup.id
        words = Words(
            pressed=f"what the pools of jackpot {name} hold is to be posted",
            confirmed=f"that jackpot {name} is posted is confirmed",
            off=f"the posting of jackpot {name} is not asked for any more",
            unfinished=f"jackpot {name} was not posted: play goes on",
            does=f"posts jackpot {name}",
            when="a jackpot is posted between two rounds, and one is under way",
        )
        super().__init__(table, jackpot.setup.pools[0].name, "47.1-1060(2)", words)
        self._jackpot = jackpot

    def _complete(self, seen: Seen, badge: int, level: str) -> Moved:
        before = self._jackpot.award_cents
        records = self._jackpot.post(badge)
        yield from records
        now = self._jackpot.award_cents
        why = f"the award is posted at {dollars(now)}; it was {dollars(before)}"
        own = next(record.number for record in records if (record.kind, record.meter) == ("posted", self._meter))
        yield self._say("posted", seen, why, cents=now, record=own, badge=badge, level=level)
