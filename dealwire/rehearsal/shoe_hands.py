"""What hands do at a card shoe with one card, and who comes when it halts."""

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
    """What a dealer at a shoe does with one card. A shoe that is locked is waited for, one that halts is put right: a
    card drawn meanwhile would belong to no game."""

    shoe: ShoeModel
    plan: RoundPlan

    def at(self, device: str) -> Doings:
        """Turn to a device; to the shoe when it may be used."""
        yield from super().at(device)
        if device == AT_SHOE:
            yield from self.free()

    def free(self) -> Doings:
        """Until the shoe may be drawn from, filled or emptied."""
        while self.shoe.state in (S.LOCKED, S.ERROR):
            if self.shoe.state is S.ERROR:
                yield from self.attend()
            else:
                yield lambda: self.shoe.state is not S.LOCKED

    def before_card(self, number: int) -> Doings:
        """What happens while the dealer's hand is at the card and it does not come out."""
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
        """Draw it; None when nothing came out."""
        return self.shoe.draw(readable=self.plan.find(What.UNREAD, number) is None)

    def after_card(self, number: int, card: Card) -> Doings:
        """What the shoe halts for is put right; a card that was not read is named, or nobody names it."""
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
        """The shoe halts: the supervisor comes and puts it right."""
        yield from self.at(AT_TABLE)
        self.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
        yield from self._put_right()

    def shown(self) -> Doings:
        """Give the shoe the time to say what it has to."""
        yield from self.until_shown([AT_SHOE])
        yield self.pace.draw

    def _put_right(self) -> Doings:
        yield from super().at(AT_SHOE)
        self.shoe.clear(BADGE)
        yield from self.shown()
