"""Dealer's handling of single cards at a card shoe, and the response when it halts."""

from typing import Final

from dealwire.rehearsal.dealt_table import Doings, SimulatedDealer
from dealwire.rehearsal.floor_supervisor import BADGE
from dealwire.rehearsal.playing_dealer import AT_TABLE
from dealwire.rehearsal.scenario import RoundPlan
from dealwire.rehearsal.trouble import What
from devices.simulator.shoe import ShoeModel
from protocol.cards import Card
from protocol.faults import Fault
from protocol.places import SHOE
from protocol.tdp.messages import BadgeLevel, RevealSource
from protocol.tdp.messages import ShoeState as S

AT_SHOE: Final = "shoe"


class ShoeHands(SimulatedDealer):
    """Dealer at a shoe. A locked shoe is waited for, and a halted one is cleared: a card drawn in between would belong
    to no game."""

    shoe: ShoeModel
    plan: RoundPlan

    def at(self, device: str) -> Doings:
        """Turn to a device; to the shoe once it may be used."""
        yield from super().at(device)
        if device == AT_SHOE:
            yield from self.free()

    def free(self) -> Doings:
        """Wait until the shoe may be drawn from, filled or emptied."""
        while self.shoe.state in (S.LOCKED, S.ERROR):
            if self.shoe.state is S.ERROR:
                yield from self.attend()
            else:
                yield lambda: self.shoe.state is not S.LOCKED

    def before_card(self, number: int) -> Doings:
        """Do what happens before the card comes out."""
        yield from self.shown()
        yield from self.free()
        if self.plan.find(What.ERROR, number):
            self.shoe.trouble(Fault.DRAW_TOO_SLOW)
            yield from self.attend()
        if self.plan.find(What.PULL_BACK, number):
            self.shoe.pull_back()
            yield from self.attend()
        if self.plan.find(What.LOCKED, number):
            self.shoe.lock(True)
            yield from self.shown()
            self.shoe.draw()
            yield from self.shown()
            self.shoe.lock(False)
            yield from self.shown()
        yield from self.free()

    def draw_card(self, number: int) -> Card | None:
        """Draw the card. Return None if nothing came out."""
        return self.shoe.draw(readable=self.plan.find(What.UNREAD, number) is None)

    def after_card(self, number: int, card: Card) -> Doings:
        """Clear a halt of the shoe. An unread card is named, or stays unnamed."""
        unread = self.plan.find(What.UNREAD, number)
        if unread is not None:
            yield from self.at(AT_TABLE)
            self.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
            if unread.named:
                yield self.pace.show
                self.controller.reveal(SHOE, (card,), RevealSource.KEYED)
            yield from self._put_right()
        elif self.shoe.state is S.ERROR:
            yield from self.attend()
        if self.plan.find(What.PUSH_BACK, number):
            yield from self.shown()
            yield from self.free()
            self.shoe.push_back()
            yield from self.attend()
            yield from self.free()
            self.shoe.draw()

    def attend(self) -> Doings:
        """Call the supervisor to a halted shoe, and clear it."""
        yield from self.at(AT_TABLE)
        self.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
        yield from self._put_right()

    def shown(self) -> Doings:
        """Give the shoe time to report."""
        yield from self.until_shown([AT_SHOE])
        yield self.pace.draw

    def _put_right(self) -> Doings:
        yield from super().at(AT_SHOE)
        self.shoe.clear(BADGE)
        yield from self.shown()
