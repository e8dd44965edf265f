"""Dealer's handling of dealt hands in any game: bets, decisions, burns, arranged and revealed hands.

The dealer reacts to the cards on the table, never to the scenario, and reveals the cards that are really there.
`step_dealer` deals them.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Final

from dealer_flow.procedure.steps.burn import BurnStep
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.due import in_turn
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.steps.reveal import RevealStep
from dealer_flow.procedure.steps.set_hand import SetStep
from dealer_flow.procedure.steps.show import ShowStep
from dealwire.rehearsal.arranging import arranged
from dealwire.rehearsal.bettors import STYLES, chooses
from dealwire.rehearsal.dealt_table import Course, DealtTable, Doings, SimulatedDealer
from dealwire.rehearsal.scenario import RoundPlan, RoundUnderWay, Scenario, SimulatedPlayer
from dealwire.rehearsal.trouble import What
from devices.simulator.deck import Cards
from protocol.cards import RANKS, Card
from protocol.places import BURN, COMMUNITY, DEALER, MUCK, Place, pile, seat
from protocol.tdp.messages import SetBy, Spread

AT_TABLE: Final = "table-controller"
NAMED: Final = {None: 0x00, "card": 0x2A, "rank": 0x0A, "suit": 0x20}
"""Subject of a proposition as the table controller sends it: none, the ten of diamonds, any ten, any diamond."""


class PlayingDealer(SimulatedDealer):
    """Dealer who plays what the players of `scenario` do. A subclass deals."""

    def __init__(self, scenario: Scenario, table: DealtTable, cards: Cards) -> None:
        super().__init__(table)
        self.procedure, self.cards = scenario.procedure, cards
        self.dead: set[Place] = set()
        """Hands that are out of play."""
        self.apart: dict[Place, tuple[Card, ...]] = {}
        """Cards laid apart from a hand, which is first revealed without them."""
        self._due: Counter[Place] = Counter()
        """Expected number of cards at each place."""
        self.chance = Random(f"{scenario.seed} people")
        """Source of the choices of players with a style."""
        self._scenario = scenario
        self._begin_plan(scenario.rounds[0])

    # -------------------------------------------------------------- what lies there

    def hands(self) -> list[Place]:
        """Return every hand that has cards: the community's, the seats', the dealer's, the game's own."""
        own = [place for place in self._due if place not in (COMMUNITY, DEALER, BURN) and place.seat is None]
        hands = (COMMUNITY, *sorted(place for place in self._due if place.seat), DEALER, *sorted(own))
        return [place for place in hands if self.cards.count(place)]

    def right(self, place: Place) -> bool:
        """Return True if a place has the right number of cards."""
        return self.cards.count(place) == self._due[place]

    def missing(self, place: Place) -> int:
        """Return the number of cards missing at a place."""
        return max(0, self._due[place] - self.cards.count(place))

    def accept(self, place: Place) -> None:
        """Accept the hand as it is."""
        self._due[place] = self.cards.count(place)

    def _plays(self, number: int) -> bool:
        return seat(number) not in self.dead and self.right(seat(number))

    def _held(self, step: ExchangeStep, place: Place) -> tuple[Card, ...]:
        """Return the cards at a place, with those that count with them."""
        others = [self.procedure.plan.place(to) for to in step.counting]
        return tuple(card for at in (place, *others) for card in self.cards.faces(at))

    def _lay_down(self, place: Place, count: int) -> None:
        """Discard the first `count` cards of a hand."""
        self.cards.pick(place, MUCK, range(count))
        self._due[place] -= count

    def _is(self, *courses: Course) -> bool:
        return self.course in courses

    def _begin_plan(self, plan: RoundPlan) -> None:
        self.plan, self.course = plan, Course.PLAY
        for kept in (self.dead, self.apart, self._due):
            kept.clear()
        self.view = RoundUnderWay(self.procedure, plan, self._plays)

    # -------------------------------------------------------------- bets

    def on_sensors(self) -> list[SimulatedPlayer]:
        """Return the players with a progressive bet."""
        return [player for player in self.plan.players if self.procedure.plan.progressive in player.wagers]

    def collect_bets(self) -> Doings:
        """Take the bets off the sensors and the cards off the table."""
        for player in self.on_sensors():
            self.controller.sense(player.seat, False)
        yield self.pace.collect

    def _bets(self) -> Doings:
        yield from self.at(AT_TABLE)
        for player in self.plan.players:
            for bet, cents in player.wagers.items():
                self._put(player.seat, bet, cents)
                if bet == self.procedure.plan.progressive:
                    self.controller.sense(player.seat, True)
                yield self.pace.bet

    def _put(self, number: int, bet: str, cents: int) -> None:
        """Place money of a seat on a spot. If it has propositions, the seats take them in turn."""
        spot = self.procedure.plan.bets[self.procedure.bets[bet]]
        if not spot.propositions:
            self.controller.place_wager(number, spot.number, cents)
            return
        row = spot.propositions[(number - 1) % len(spot.propositions)]
        self.controller.place_wager_on(number, spot.number, row.number, NAMED[row.on], cents)

    # -------------------------------------------------------------- the number, and hands arranged

    def _draw_number(self) -> Doings:
        """Draw the number of the place that gets the first cards."""
        plan, wanted = self.procedure.plan, self.plan.number or 0
        yield from self.at(AT_TABLE)
        yield self.pace.step
        self.controller.draw_number(next(drawn for drawn in range(1, 100) if plan.numbered(drawn) == wanted))

    def _assign(self) -> Doings:
        """Assign the hands in front of the tray to the places that the number counts out."""
        deal = self.procedure.plan.counted
        assert deal is not None
        yield from self._draw_number()
        self.view.first = self.plan.number or 0
        for number, place in enumerate(deal.turns(self.view), 1):
            self.cards.lift(pile(number), place)
            self._due[place] += self._due.pop(pile(number), 0)
            yield self.pace.lift

    def _set(self, step: SetStep) -> Doings:
        """Have every player arrange the hand, and the dealer after them."""
        yield from self.at(AT_TABLE)
        for player in self.plan.players:
            place = seat(player.seat)
            sets = not step.choices or not self.view.chosen[player.seat].isdisjoint(step.choices)
            if "seats" in step.of and player.seat in self.view.live and self.cards.count(place) and sets:
                yield self.pace.think
                faces = self.cards.faces(place)
                set_ = arranged(self.procedure.id, faces, step.low)
                self.controller.set_hand(place, SetBy.PLAYER, set_.low, set_.rest)
        if "dealer" in step.of and self.cards.count(DEALER) and DEALER not in self.dead:
            yield self.pace.think
            own = arranged(self.procedure.id, self.cards.faces(DEALER), step.low)
            self.controller.set_hand(DEALER, SetBy.DEALER, own.low, own.rest)

    # -------------------------------------------------------------- choices

    def _decide(self, step: DecideStep) -> Doings:
        yield from self.at(AT_TABLE)
        players = {player.seat: player for player in self.plan.players}
        for player in map(players.__getitem__, in_turn(self.view, [*players])):
            yield self.pace.think
            if self.view.chooses(step, player.seat):
                self._choose(step, player)

    def _choose(self, step: DecideStep, player: SimulatedPlayer) -> None:
        name = player.chooses(step.choices, self.view.made[player.seat])
        if name == "basic":
            name = self._unplanned(player, self._open_to(step, player), self.cards.faces(seat(player.seat)))
        choice = self.procedure.plan.choices.get(name)
        self.view.choose(player.seat, choice)
        if choice is None:
            return
        for bet in choice.stakes:
            cents = self.procedure.cents(bet, player.wagers, choice.name)
            self._put(player.seat, bet, cents)
        self.controller.decide(player.seat, choice.number)
        if choice.takes_back:
            tips = [tip for tip, own in self.procedure.plan.tips.items() if own == choice.takes_back]
            for bet in (choice.takes_back, *(tip for tip in tips if tip in player.wagers)):
                self.controller.place_wager(player.seat, self.procedure.bets[bet], 0)
        self._lay_down(seat(player.seat), choice.discards)
        if choice.lays_aside:
            self.apart[seat(player.seat)] = self.cards.faces(seat(player.seat))[: choice.lays_aside]

    def _unplanned(self, player: SimulatedPlayer, offered: Sequence[str], faces: tuple[Card, ...]) -> str:
        """Return the decision of a player without a plan: by style and at random, or by the cards."""
        if player.style:
            alone = self.procedure.shares_pot and len(self.view.live) == 1  # who has won does not give it up
            return chooses(STYLES["" if alone else player.style], offered, self.procedure.plan.folds, self.chance)
        return self._basic(offered, faces)

    def _open_to(self, step: DecideStep, player: SimulatedPlayer) -> list[str]:
        """Return the choices of a player with these bets."""
        choices, bets = self.procedure.plan.choices, player.wagers.keys()
        fits = (name for name in step.choices if bets >= {*choices[name].needs})
        return [name for name in fits if bets.isdisjoint(choices[name].unless)]

    def _basic(self, offered: Sequence[str], faces: tuple[Card, ...]) -> str:
        """Return the first choice that is not a fold, unless the scenario sets a minimum hand."""
        basic = self._scenario.basic
        folds = [name for name in offered if name in self.procedure.plan.folds]
        plays = [name for name in offered if name not in folds] or folds
        if basic is None or not folds:
            return plays[0]
        wild = [card for card in faces if card.rank and RANKS[card.rank - 1] == basic.wild]
        suits = [card.suit for card in faces if card.suit and card not in wild]
        longest = max((suits.count(suit) for suit in suits), default=0) + len(wild)
        return plays[0] if longest >= basic.least else folds[0]

    # -------------------------------------------------------------- burns, and hands shown

    def _burn(self, step: BurnStep) -> Doings:
        plan = self.procedure.plan
        place, top_left = plan.place(step.of), plan.options[step.top_card] == "left"
        yield from self.at(AT_TABLE)
        yield self.pace.show
        if self.plan.find(What.REVEAL_BEFORE_BURN):
            self.controller.reveal(place, self.cards.faces(place))
            yield self.pace.step
        wrong = self.plan.find(What.BURN)
        positions = wrong.positions if wrong else step.positions
        size = self.cards.count(place)
        left_to_right = top_left if step.spread == "from-top" else step.spread == "left-to-right"
        from_top = top_left == left_to_right
        indices = [position - 1 if from_top else size - position for position in positions if position <= size]
        self.cards.pick(place, BURN, indices)
        self._due[place] -= len(indices)
        self.controller.confirm_burn(place, positions, Spread.LEFT_TO_RIGHT if left_to_right else Spread.RIGHT_TO_LEFT)

    def _show(self, step: ShowStep) -> Doings:
        showing = {player.seat for player in self.plan.players if player.declares or not step.optional}
        if step.optional and not showing:
            return
        yield from self.at(AT_TABLE)
        for target in step.of:
            seats = [seat(number) for number in self.view.live if number in showing]
            for place in seats if target == "seats" else [self.procedure.plan.place(target)]:
                faces = self.cards.faces(place)
                count = step.cards or len(faces)
                if faces:
                    yield self.pace.show
                    self.controller.reveal(place, faces[-count:] if step.which == "bottom" else faces[:count])

    def _reveal(self, step: RevealStep) -> Doings:
        yield from self.at(AT_TABLE)
        if self._is(Course.PROGRESSIVE):
            yield from self._show_seats(self.on_sensors())
            return
        for target in step.order:
            if target == "seats":
                yield from self._show_seats([player for player in self.plan.players if self._is_shown(player)])
                continue
            place = self.procedure.plan.place(target)
            yield self.pace.show
            if place not in self.dead and self.cards.count(place):
                self.controller.reveal(place, self.cards.faces(place))

    def _is_shown(self, player: SimulatedPlayer) -> bool:
        kept = any(bet in player.wagers for bet in self.procedure.kept_when_folded)
        return player.seat not in self.view.folded or kept

    def _show_seats(self, players: list[SimulatedPlayer]) -> Doings:
        yield from self.at(AT_TABLE)
        last = self.procedure.plan.reveal
        by_seat = {player.seat: player for player in players}
        for number in last.in_order([*by_seat]) if last is not None else by_seat:
            place = seat(number)
            if self.right(place) and place not in self.dead and self.cards.count(place):
                yield self.pace.show
                apart = self.apart.get(place, ())
                if apart:
                    self.controller.reveal(place, tuple(card for card in self.cards.faces(place) if card not in apart))
                    yield self.pace.show
                self.controller.reveal(place, self.cards.faces(place))

    def _count_hands(self) -> Doings:
        yield from self.at(AT_TABLE)
        for place in reversed(self.hands()):
            if place.seat is not None:
                yield self.pace.bet
                self.controller.count(place, self.cards.count(place))
        for place in self.hands():
            if place.seat is None and place != COMMUNITY:
                self.controller.count(place, self.cards.count(place))
