"""Dealer of a race at a card shoe.

The dealer follows the cards on the table, whatever the shoe has read, and the shoe's own lamp.
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Final

from dealwire.rehearsal.dealt_table import DealtTable, Doings
from dealwire.rehearsal.playing_dealer import AT_TABLE
from dealwire.rehearsal.scenario import RaceGame, RaceScenario, RoundPlan
from dealwire.rehearsal.shoe_hands import AT_SHOE, ShoeHands
from dealwire.rehearsal.trouble import LINE, What
from devices.simulator.shoe import ShoeModel
from protocol.cards import DECK, Card
from protocol.tdp.messages import ShoeState as S
from protocol.tomlfile import TomlFileError

TRIES: Final = 200_000
"""Maximum number of attempts. The rarest end, five of a suit in five cards of one deck, comes once in 505 attempts."""


class RaceDealer(ShoeHands):
    """Dealer who plays `scenario` on a card shoe and a table controller."""

    def __init__(self, scenario: RaceScenario, table: DealtTable, shoe: ShoeModel, rng: Random) -> None:
        super().__init__(table)
        self.game, self.shoe = scenario.game, shoe
        self.plan = scenario.rounds[0]
        self.race: list[Card] = []
        """Cards on the table, in order."""
        self._scenario, self._rng = scenario, rng
        self._shoes = 0
        self._stopped = False

    def _evening(self) -> Doings:
        yield lambda: self.shoe.state is not S.BOOT
        for number, plan in enumerate(self._scenario.plans()):
            self.plan, self._stopped = plan, False
            self.race.clear()
            yield from self._fill(number)
            yield from self._bets()
            yield from self._draw_race()
            yield self.pace.collect

    # -------------------------------------------------------------- the shoe

    def _fill(self, number: int) -> Doings:
        """Fill the shoe if it is empty, finished, or too short for a race."""
        shoe = self.shoe
        yield from self.at(AT_SHOE)
        if shoe.state is S.SHOE_END or len(shoe.cards) <= self.game.all:
            shoe.empty()
        if shoe.state is not S.EMPTY:
            return
        first = self._scenario.cards if not self._shoes else ()
        self._shoes += 1
        cards = stack(self._scenario, self._scenario.plans_from(number), self._rng, first)
        shoe.fill(self._scenario.decks, self._scenario.cut_after, cards)
        yield from self.at(AT_SHOE)
        shoe.begin(self._scenario.burn)
        for _ in range(self._scenario.burn):
            yield from self.shown()
            yield from self.free()
            shoe.draw()

    # -------------------------------------------------------------- the race

    def _bets(self) -> Doings:
        yield from self.at(AT_TABLE)
        for player in self.plan.players:
            yield from self.bet(player.seat, player.wagers, self.game.bets)

    def _draw_race(self) -> Doings:
        if self.plan.find(What.EARLY):
            yield from self.at(AT_SHOE)
            yield from self._card(1)
        yield from self.at(AT_TABLE)
        self.controller.start_game()
        yield from self.at(AT_SHOE)
        while not self._stopped and not self.game.end_of(self.race):
            yield from self._card(len(self.race) + 1)
        if _switched(self.plan) and not self._stopped and self.game.end_of(self.race) > self.game.all:
            yield from self._switch()
        too_many = self.plan.find(What.OVERDRAW)
        for _ in range(too_many.amount if too_many else 0):
            yield from self._card(0)
        yield from self.at(AT_TABLE)
        self.controller.end_game()
        yield from self.at(AT_SHOE)
        self.shoe.end_round()

    def _switch(self) -> Doings:
        """Move money after no column was filled, and draw the extra card."""
        yield from self.at(AT_TABLE)
        for player in self.plan.players:
            yield from self.bet(player.seat, player.switch, self.game.bets)
        yield from self.at(AT_SHOE)
        yield from self._card(self.game.all + 1)

    def _card(self, number: int) -> Doings:
        """Draw the next card with its faults; number 0 is an extra card."""
        yield from self.before_card(number)
        self.spoil_line(self.plan.troubles, number)
        card = self.draw_card(number)
        if card is None:
            self._stopped = True
            return
        self.race.append(card)
        unread = self.plan.find(What.UNREAD, number)
        self._stopped = unread is not None and not unread.named
        yield from self.after_card(number, card)


def _switched(plan: RoundPlan) -> bool:
    """Return True if any player moves money to the extra card."""
    return any(player.switch for player in plan.players)


# ------------------------------------------------------------------ a shoe whose races end where wanted


def stack(scenario: RaceScenario, plans: Sequence[RoundPlan], rng: Random, first: Sequence[Card] = ()) -> list[Card]:
    """Return all cards of a shoe, ordered for the races `plans` as far as it goes. `first` are its first cards.

    Raise TomlFileError if no order was found in which a race ends as required and the races have an end.
    """
    rest = list(DECK) * scenario.decks
    rng.shuffle(rest)
    for card in first:
        rest.remove(card)
    if first:
        return [*first, *rest]
    order = [rest.pop() for _ in range(scenario.burn)]
    for number, plan in enumerate(plans, 1):
        spare = sum(1 + trouble.amount for trouble in plan.troubles if trouble.what not in LINE)
        if len(rest) < scenario.game.all + 1 + spare:
            break
        race = _race(scenario.game, plan, rest, rng)
        if race is None and scenario.forever:
            race = _race(scenario.game, replace(plan, ends=0), rest, rng)  # an evening goes on all the same
        if race is None:
            why = f"no race was found that ends after {plan.ends} cards; {len(rest)} are left in the shoe"
            raise TomlFileError(scenario.id, None, f"rounds[{number}].ends", why)
        for card in race:
            rest.remove(card)
        for position, card in enumerate(race, 1):
            if plan.find(What.LOCKED, position):
                order.append(rest.pop())
            order.append(card)
        overdrawn = plan.find(What.OVERDRAW)
        order += [rest.pop() for _ in range(overdrawn.amount if overdrawn else 0)]
    return order + rest


def _race(game: RaceGame, plan: RoundPlan, rest: list[Card], rng: Random) -> list[Card] | None:
    """Return the cards that leave the shoe in this race, in order; None if no random attempt gave any."""
    for _ in range(TRIES):
        cards = rng.sample(rest, game.all + 1)
        end = game.end_of(cards)
        if plan.ends in (0, end):
            if end > game.all and not _switched(plan):
                end = game.all
            stopped = [t.ordinal for t in plan.troubles if t.what is What.UNREAD and not t.named and t.ordinal < end]
            return cards[: min([end, *stopped])]
    return None
