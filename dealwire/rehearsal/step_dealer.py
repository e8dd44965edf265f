"""What a dealer does at every table where a game goes step by step, whatever device the cards come from.

The dealer reacts to what the devices show and to what lies on the table, never to what the scenario knows, and reveals
the cards that really lie there.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from dealer_flow.procedure.must_draw import must_draw
from dealer_flow.procedure.steps.assign import AssignStep
from dealer_flow.procedure.steps.burn import BurnStep
from dealer_flow.procedure.steps.burn_card import BurnCardStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.due import Due
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.procedure.steps.reveal import RevealStep
from dealer_flow.procedure.steps.set_hand import SetStep
from dealer_flow.procedure.steps.show import ShowStep
from dealwire.rehearsal import floor_supervisor as supervisor
from dealwire.rehearsal.dealt_table import Course, DealtTable, Doings, SimulatedDealer
from dealwire.rehearsal.rehearsed import packets_of
from dealwire.rehearsal.scenario import RoundPlan, RoundUnderWay, Scenario, SimulatedPlayer
from dealwire.rehearsal.trouble import HANDS, PlannedTrouble, What
from devices.simulator.deck import FIRST_JOKER, Cards
from protocol.cards import CARDS, RANKS, UNREAD, Card
from protocol.places import BURN, COMMUNITY, DEALER, MUCK, Place, pile, seat
from protocol.tdp.messages import BadgeLevel, Mishandling, SetBy, Spread
from protocol.tdp.messages import ControllerState as C

AT_TABLE: Final = "table-controller"
NAMED: Final = {None: 0x00, "card": 0x2A, "rank": 0x0A, "suit": 0x20}
"""What a proposition is on, as the table controller sends it: nothing, the ten of diamonds, any ten, any diamond."""
STRAY: Final = CARDS[FIRST_JOKER]
"""A joker that is no card of the deck."""
MISHANDLED: Final = {
    What.EXPOSED: Mishandling.EXPOSED,
    What.OFF_TABLE: Mishandling.OFF_TABLE,
    What.FOULED: Mishandling.FOULED,
    What.JOKER: Mishandling.JOKER,
    What.BOXED: Mishandling.BOXED,
    What.FOULED_BY_PLAYER: Mishandling.FOULED_BY_PLAYER,
    What.FOULED_BY_OTHERS: Mishandling.FOULED_BY_OTHERS,
    What.EXPOSED_BY_PLAYER: Mishandling.EXPOSED_BY_PLAYER,
}


class StepDealer(SimulatedDealer):
    """Plays `scenario`. A subclass gets the device ready, deals packets, and brings what is left."""

    def __init__(self, scenario: Scenario, table: DealtTable, cards: Cards) -> None:
        super().__init__(table)
        self.procedure, self.cards = scenario.procedure, cards
        self.dead: set[Place] = set()
        """Hands that are out of play."""
        self.owed: list[Place] = []
        """Hands that are completed when all others have their cards."""
        self.defective = False
        """The deck leaves the table after this round."""
        self.apart: dict[Place, tuple[Card, ...]] = {}
        """Cards that lie apart from a hand, which is shown without them first."""
        self.ordinal = 0
        """Packets of this round that were dealt."""
        self.replaced = 0
        """Dead cards of this round for which the next one came."""
        self._due: Counter[Place] = Counter()
        self._scenario = scenario
        self._begin_plan(scenario.rounds[0])

    # -------------------------------------------------------------- what every step is made of

    def on_sensors(self) -> list[SimulatedPlayer]:
        """The players with a progressive bet."""
        return [player for player in self.plan.players if self.procedure.plan.progressive in player.wagers]

    def collect_bets(self) -> Doings:
        """The bets leave the sensors, and the cards the table."""
        for player in self.on_sensors():
            self.controller.sense(player.seat, False)
        yield self.pace.collect

    def right(self, place: Place) -> bool:
        """Whether the right number of cards lies at a place."""
        return self.cards.count(place) == self._due[place]

    def missing(self, place: Place) -> int:
        """Cards that are missing at a place."""
        return max(0, self._due[place] - self.cards.count(place))

    def accept(self, place: Place) -> None:
        """The hand is played as it is."""
        self._due[place] = self.cards.count(place)

    def packet_trouble(self) -> PlannedTrouble | None:
        """What the scenario has wrong with the packet just dealt."""
        return self.plan.find(What.PACKET, self.ordinal)

    def hands(self) -> list[Place]:
        """Every hand that has cards: the community's, the seats', the dealer's, the game's own."""
        own = [place for place in self._due if place not in (COMMUNITY, DEALER, BURN) and place.seat is None]
        hands = (COMMUNITY, *sorted(place for place in self._due if place.seat), DEALER, *sorted(own))
        return [place for place in hands if self.cards.count(place)]

    def lay(self, packet: Due, arrived: int) -> None:
        """The cards that came to lie on a place go behind those that lie there, so that they lie as they came."""
        self.cards.put_under(packet.place, arrived)
        self._due[packet.place] += packet.cards

    def _is(self, *courses: Course) -> bool:
        return self.course in courses

    def _plays(self, number: int) -> bool:
        return seat(number) not in self.dead and self.right(seat(number))

    # -------------------------------------------------------------- for the device at the table

    def _make_ready(self) -> Doings:
        """Until cards may be dealt."""
        raise NotImplementedError

    def _deal_packets(self, step: AnyStep, packets: Sequence[Due]) -> Doings:
        """Bring these packets to their places."""
        raise NotImplementedError

    def put_back(self, place: Place, how: str, step: str) -> Doings:
        """Cards of a place go back into the deck, which is shuffled: those too many, or one that another replaces."""
        raise NotImplementedError

    def _complete(self, place: Place) -> Doings:
        """Bring one more card to a hand that is short."""
        raise NotImplementedError

    def _remainder(self) -> Doings:
        """All cards are out: what is left is dealt with."""
        raise NotImplementedError

    def _new_deck(self) -> None:
        """Put another deck in the place of the one that was dealt."""
        raise NotImplementedError

    # -------------------------------------------------------------- the round

    def _begin_plan(self, plan: RoundPlan) -> None:
        self.plan, self.course, self.ordinal, self.replaced, self.defective = plan, Course.PLAY, 0, 0, False
        for kept in (self.dead, self.owed, self.apart, self._due):
            kept.clear()
        self.view = RoundUnderWay(self.procedure, plan, self._plays)

    def _bets(self) -> Doings:
        yield from self.at(AT_TABLE)
        for player in self.plan.players:
            for bet, cents in player.wagers.items():
                self._put(player.seat, bet, cents)
                if bet == self.procedure.plan.progressive:
                    self.controller.sense(player.seat, True)
                yield self.pace.bet

    def _put(self, number: int, bet: str, cents: int) -> None:
        """Money of a seat on a spot; where that has propositions, the seats are on one after the other."""
        spot = self.procedure.plan.bets[self.procedure.bets[bet]]
        if not spot.propositions:
            self.controller.place_wager(number, spot.number, cents)
            return
        row = spot.propositions[(number - 1) % len(spot.propositions)]
        self.controller.place_wager_on(number, spot.number, row.number, NAMED[row.on], cents)

    def _round(self) -> Doings:
        yield from self._make_ready()
        yield from self.at(AT_TABLE)
        if self.plan.number is not None and self.procedure.plan.counted is None:
            self.controller.select_spot(self.plan.number)
            yield self.pace.step
        while not self.controller.start_game() and self.controller.state is C.SAFE:
            yield lambda: self.controller.state is not C.SAFE
        assign = self.procedure.plan.assign
        if self.procedure.plan.counted is not None and (assign is None or assign.early):
            yield from self._draw_number()
        dealt_out = False
        for step in self.procedure.steps:
            if self._is(Course.STOP, Course.VOID):
                break
            yield from self._step(step)
            if step.name == self.procedure.last_deal and not self._is(Course.VOID):
                dealt_out = True
                yield from self._remainder()
        if not dealt_out and not self._is(Course.VOID):
            yield from self._remainder()
        if self._is(Course.PLAY, Course.PROGRESSIVE):
            yield from self._count_hands()
            yield from supervisor.award(self)
        yield from self.at(AT_TABLE)
        self.controller.end_game()
        yield self.pace.step
        if self.defective:
            self.controller.swipe(supervisor.BADGE, BadgeLevel.SUPERVISOR)
            self._new_deck()
            yield self.pace.step

    def _step(self, step: AnyStep) -> Doings:
        played_out = bool(self.view.made) and not self.view.live
        if played_out and not isinstance(step, RevealStep):
            return
        playing = self._is(Course.PLAY)
        match step:
            case DealStep() | BurnCardStep():
                yield from self._deal(step)
            case RevealStep():
                yield from self._reveal(step)
            case ExchangeStep() if playing:
                yield from self._deal(step)
            case BurnStep() if playing:
                yield from self._burn(step)
            case DecideStep() if playing:
                yield from self._decide(step)
            case ShowStep() if playing:
                yield from self._show(step)
            case AssignStep(early=False) if playing:
                yield from self._assign()
            case SetStep() if playing:
                yield from self._set(step)

    # -------------------------------------------------------------- the number, and hands arranged

    def _draw_number(self) -> Doings:
        """The number that names the place which gets the first cards."""
        plan, wanted = self.procedure.plan, self.plan.number or 0
        yield from self.at(AT_TABLE)
        yield self.pace.step
        self.controller.draw_number(next(drawn for drawn in range(1, 100) if plan.numbered(drawn) == wanted))

    def _assign(self) -> Doings:
        """The hands in front of the tray go to the places that the number counts out."""
        deal = self.procedure.plan.counted
        assert deal is not None
        yield from self._draw_number()
        self.view.first = self.plan.number or 0
        for number, place in enumerate(deal.turns(self.view), 1):
            self.cards.lift(pile(number), place)
            self._due[place] += self._due.pop(pile(number), 0)
            yield self.pace.lift

    def _set(self, step: SetStep) -> Doings:
        """Every player arranges the hand; the low one is of the cards that came first."""
        yield from self.at(AT_TABLE)
        for player in self.plan.players:
            place = seat(player.seat)
            sets = not step.choices or not self.view.chosen[player.seat].isdisjoint(step.choices)
            if "seats" in step.of and player.seat in self.view.live and self.cards.count(place) and sets:
                yield self.pace.think
                faces = self.cards.faces(place)
                self.controller.set_hand(place, SetBy.PLAYER, faces[: step.low], faces[step.low :])

    # -------------------------------------------------------------- dealing

    def _deal(self, step: AnyStep) -> Doings:
        first = self.ordinal + 1
        packets = packets_of(step, self.view, self.plan.house_draws)
        if isinstance(step, ExchangeStep) and step.must:
            packets = self._must(step, packets)
        replaced = (due for due in packets if due.why == "exchange")
        for place, dues in groupby(replaced, key=lambda due: due.place):
            self._lay_down(place, sum(due.cards for due in dues))
        if isinstance(step, ExchangeStep) and step.exposes:
            yield from self._expose(step, packets)
        elif not step.from_device:
            yield from self._deal_by_hand(packets)
        elif packets:
            yield from self._deal_packets(step, packets)
        if not self._is(Course.STOP, Course.VOID):
            yield from self._mishandled(packets, first)
        while self.owed and not self._is(Course.STOP, Course.VOID) and not self._deals_on(step):
            yield from self._complete(self.owed.pop(0))

    def _must(self, step: ExchangeStep, packets: list[Due]) -> list[Due]:
        """The cards that the house must draw by what it holds; those it lays down for them lie first in its hand."""
        found = [due for due in packets if due.place.seat is not None]
        for to in step.to:
            place = DEALER if to == "seats" else self.procedure.plan.place(to)
            must = must_draw(step.must, self._held(step, place)) if to != "seats" else None
            if must is not None and must.row.draws:
                faces = self.cards.faces(place)
                down = [index for index, card in enumerate(faces) if card not in must.keeps[0]]
                self.cards.pick(place, MUCK, down)
                self._due[place] -= len(down)
                found += [Due(place, 1, step.name, "deal")] * must.row.draws
        return found

    def _held(self, step: ExchangeStep, place: Place) -> tuple[Card, ...]:
        """The cards at a place, with those that count with them."""
        others = [self.procedure.plan.place(to) for to in step.counting]
        return tuple(card for at in (place, *others) for card in self.cards.faces(at))

    def _expose(self, step: ExchangeStep, packets: Sequence[Due]) -> Doings:
        """Each hand is turned up before its card; one that needs none gets none."""
        for packet in packets:
            yield from self.at(AT_TABLE)
            yield self.pace.show
            self.controller.reveal(packet.place, self.cards.faces(packet.place))
            must = must_draw(step.must, self._held(step, packet.place))
            choice = self.procedure.plan.choices.get(step.unless or "")
            if must is None or must.row.draws or choice is None:
                yield from self._deal_packets(step, [packet])
                continue
            self.controller.decide(packet.place.seat or 0, choice.number)
            if choice.takes_back:
                self.controller.place_wager(packet.place.seat or 0, self.procedure.bets[choice.takes_back], 0)

    def _deals_on(self, step: AnyStep) -> bool:
        """Whether cards go out in the next step too: a hand is completed when all others have theirs."""
        after = self.procedure.steps[self.procedure.steps.index(step) + 1]
        return after.foreseen and after.from_device

    def _lay_down(self, place: Place, count: int) -> None:
        """So many cards of a hand go to the discards."""
        self.cards.pick(place, MUCK, range(count))
        self._due[place] -= count

    def _deal_by_hand(self, packets: Sequence[Due]) -> Doings:
        """Cards from a deck in the dealer's hand, which no device sees."""
        yield from self.at(AT_TABLE)
        wrong: list[tuple[Place, str]] = []
        for packet in packets:
            yield self.pace.lift
            self.ordinal += 1
            trouble = self.packet_trouble()
            self.lay(packet, self._from_hand(packet.place, packet.cards + (trouble.amount if trouble else 0)))
            wrong += [(packet.place, trouble.ruling)] if trouble and trouble.noticed else []
        self.controller.confirm()
        for place, ruling in wrong:
            yield from supervisor.judge(self, place, packets[0].step, ruling)

    def _from_hand(self, place: Place, cards: int) -> int:
        """Lay so many cards of the deck in the dealer's hand at a place; says how many there were."""
        raise NotImplementedError

    def _mishandled(self, packets: Sequence[Due], first: int) -> Doings:
        """What a person saw happen to cards of this step, whose first packet has the number `first`."""
        for trouble in self.plan.troubles:
            if trouble.what not in HANDS or not first <= trouble.ordinal < first + len(packets):
                continue
            place = packets[trouble.ordinal - first].place
            if not self.cards.count(place):
                continue
            yield from self.at(AT_TABLE)
            yield self.pace.show
            seen = {What.EXPOSED: self.cards.faces(place)[0], What.BOXED: self.cards.faces(place)[0]}
            card = STRAY if trouble.what is What.JOKER else seen.get(trouble.what, UNREAD)
            self.controller.mishandle(place, MISHANDLED[trouble.what], card)
            self.controller.swipe(supervisor.BADGE, BadgeLevel.SUPERVISOR)
            yield from supervisor.rule(self, place, trouble.what, packets[0].step, trouble.ruling)

    # -------------------------------------------------------------- playing

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

    def _decide(self, step: DecideStep) -> Doings:
        yield from self.at(AT_TABLE)
        for player in self.plan.players:
            yield self.pace.think
            if self.view.chooses(step, player.seat):
                self._choose(step, player)

    def _choose(self, step: DecideStep, player: SimulatedPlayer) -> None:
        name = player.chooses(step.choices, self.view.made[player.seat])
        if name == "basic":
            name = self._basic(self._open_to(step, player), self.cards.faces(seat(player.seat)))
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

    def _open_to(self, step: DecideStep, player: SimulatedPlayer) -> list[str]:
        """The choices that a player with these bets has."""
        choices, bets = self.procedure.plan.choices, player.wagers.keys()
        fits = (name for name in step.choices if bets >= {*choices[name].needs})
        return [name for name in fits if bets.isdisjoint(choices[name].unless)]

    def _basic(self, offered: Sequence[str], faces: tuple[Card, ...]) -> str:
        """The first choice that is no fold, unless the scenario says how good a hand must be."""
        basic = self._scenario.basic
        folds = [name for name in offered if name in self.procedure.plan.folds]
        plays = [name for name in offered if name not in folds] or folds
        if basic is None or not folds:
            return plays[0]
        wild = [card for card in faces if card.rank and RANKS[card.rank - 1] == basic.wild]
        suits = [card.suit for card in faces if card.suit and card not in wild]
        longest = max((suits.count(suit) for suit in suits), default=0) + len(wild)
        return plays[0] if longest >= basic.least else folds[0]

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
