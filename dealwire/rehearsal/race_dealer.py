"""The dealer at a card shoe: draws until the race is over, calls a supervisor when the shoe halts.

The dealer goes by the cards that lie on the table, whatever the shoe has read, and by the shoe's own lamp.
"""

from collections.abc import Mapping
from random import Random

from dealwire.rehearsal.pace import Doings, PeoplePace
from dealwire.rehearsal.race_scenario import RaceScenario
from dealwire.rehearsal.shoe_hands import AT_SHOE, AT_TABLE, ShoeHands
from dealwire.rehearsal.stack import stack
from dealwire.rehearsal.trouble import At, ShoeTrouble
from devices.simulator.line_faults import LineFaults
from devices.simulator.shoe import ShoeModel
from devices.simulator.table_controller import TableControllerModel
from devices.simulator.unit import TableUnit
from protocol.cards import Card
from protocol.tdp.messages import ShoeState as S


class RaceDealer(ShoeHands):
    """Plays `scenario` on a card shoe and a table controller."""

    def __init__(
        self,
        scenario: RaceScenario,
        shoe: ShoeModel,
        controller: TableControllerModel,
        units: Mapping[str, TableUnit],
        lines: Mapping[str, LineFaults],
        pace: PeoplePace,
        rng: Random,
    ) -> None:
        super().__init__(units, lines, pace)
        self.game, self.shoe, self.controller = scenario.game, shoe, controller
        self.plan = scenario.rounds[0]
        self.race: list[Card] = []
        """The cards on the table, as they lie there."""
        self._scenario, self._rng = scenario, rng
        self._shoes = 0
        self._stopped = False

    def _evening(self) -> Doings:
        yield lambda: self.shoe.state is not S.BOOT
        for number, plan in enumerate(self._scenario.rounds):
            self.plan, self._stopped = plan, False
            self.race.clear()
            yield from self._fill(number)
            yield from self._bets()
            yield from self._draw_race()
            yield self.pace.collect

    def trouble_at(self, what: At, card: int) -> ShoeTrouble | None:
        """What goes wrong of a kind at this card of the race, if anything."""
        return self.plan.find(what, card)

    # -------------------------------------------------------------- the shoe

    def _fill(self, number: int) -> Doings:
        """Fill the shoe when it is empty, over, or will not do for a race."""
        shoe = self.shoe
        yield from self.at(AT_SHOE)
        if shoe.state is S.SHOE_END or len(shoe.cards) <= self.game.all:
            shoe.empty()
        if shoe.state is not S.EMPTY:
            return
        first = self._scenario.cards if not self._shoes else ()
        self._shoes += 1
        cards = stack(self._scenario, self._scenario.rounds[number:], self._rng, first)
        shoe.fill(self._scenario.decks, self._scenario.cut_after, cards)
        yield self.pace.step
        shoe.begin(self._scenario.burn)
        for _ in range(self._scenario.burn):
            yield from self.shown()
            shoe.draw()

    # -------------------------------------------------------------- the race

    def _bets(self) -> Doings:
        yield from self.at(AT_TABLE)
        for player in self.plan.players:
            for bet, cents in player.wagers.items():
                self.controller.place_wager(player.seat, self.game.bets[bet], cents)
                yield self.pace.bet

    def _draw_race(self) -> Doings:
        if self.plan.find(At.EARLY):
            yield from self.at(AT_SHOE)
            yield from self._card(1)
        yield from self.at(AT_TABLE)
        self.controller.start_game()
        yield from self.at(AT_SHOE)
        while not self._stopped and not self.game.end_of(self.race):
            yield from self._card(len(self.race) + 1)
        if self.plan.switched and not self._stopped and self.game.end_of(self.race) > self.game.all:
            yield from self._switch()
        too_many = self.plan.find(At.OVERDRAW)
        for _ in range(too_many.amount if too_many else 0):
            yield from self._card(0)
        yield from self.at(AT_TABLE)
        self.controller.end_game()
        yield from self.at(AT_SHOE)
        self.shoe.end_round()

    def _switch(self) -> Doings:
        """No column is full: money is moved, and one more card comes."""
        yield from self.at(AT_TABLE)
        for player in self.plan.players:
            for bet, cents in player.switch.items():
                self.controller.place_wager(player.seat, self.game.bets[bet], cents)
                yield self.pace.bet
        yield from self.at(AT_SHOE)
        yield from self._card(self.game.all + 1)

    def _card(self, number: int) -> Doings:
        """Draw the next card, with all that goes wrong at it; 0 for one that is too many."""
        yield from self.before_card(number)
        self.spoil_line([trouble for trouble in self.plan.line if trouble.ordinal == number])
        card = self.draw_card(number)
        if card is None:
            self._stopped = True
            return
        self.race.append(card)
        unread = self.trouble_at(At.UNREAD, number)
        self._stopped = unread is not None and not unread.named
        yield from self.after_card(number, card)
