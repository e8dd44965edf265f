"""What a dealer does at every table where a game goes step by step, whatever device the cards come from.

The dealer reacts to what the devices show and to what lies on the table, never to what the scenario knows, and reveals
the cards that really lie there.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from dealwire.rehearsal import floor_supervisor as supervisor
from dealwire.rehearsal.game import Game, Packet, Step, exchanged, packets_of, place_of
from dealwire.rehearsal.pace import Course, Doings, PeoplePace
from dealwire.rehearsal.scenario import RoundPlan, Scenario, SimulatedPlayer, with_bet
from dealwire.rehearsal.simulated_dealer import SimulatedDealer
from dealwire.rehearsal.trouble import HANDS, PlannedTrouble, What
from devices.simulator.deck import FIRST_JOKER, Cards
from devices.simulator.line_faults import LineFaults
from devices.simulator.table_controller import TableControllerModel
from devices.simulator.unit import SimulatedDevice
from protocol.cards import CARDS, RANKS, UNREAD, Card
from protocol.places import BURN, COMMUNITY, DEALER, MUCK, Place, seat
from protocol.tdp.messages import BadgeLevel, Mishandling, Spread
from protocol.tdp.messages import ControllerState as C

AT_TABLE: Final = "table-controller"
STRAY: Final = CARDS[FIRST_JOKER]
"""A joker that is no card of the deck."""
MISHANDLED: Final = {
    What.EXPOSED: Mishandling.EXPOSED,
    What.OFF_TABLE: Mishandling.OFF_TABLE,
    What.FOULED: Mishandling.FOULED,
    What.JOKER: Mishandling.JOKER,
    What.BOXED: Mishandling.BOXED,
}


class StepDealer(SimulatedDealer):
    """Plays `scenario`. A subclass gets the device ready, deals packets, and brings what is left."""

    def __init__(
        self,
        scenario: Scenario,
        cards: Cards,
        controller: TableControllerModel,
        units: Mapping[str, SimulatedDevice],
        lines: Mapping[str, LineFaults],
        pace: PeoplePace,
    ) -> None:
        super().__init__(units, lines, pace)
        self.game: Game = scenario.game
        self.cards, self.controller = cards, controller
        self.plan: RoundPlan = scenario.rounds[0]
        self.verdict = Course.PLAY
        self.dead: set[Place] = set()
        """Hands that are out of play."""
        self.owed: list[Place] = []
        """Hands that are completed when all others have their cards."""
        self.defective = False
        """The deck leaves the table after this round."""
        self.ordinal = 0
        """Packets of this round that were dealt."""
        self._due: Counter[Place] = Counter()
        self._open: Counter[Place] = Counter()
        self._made: Counter[int] = Counter()
        self._draws: dict[int, int] = {}
        self._staked: dict[int, set[str]] = {}
        self._folded: set[int] = set()
        self._done: set[int] = set()
        self._scenario = scenario

    # -------------------------------------------------------------- what every step is made of

    def fix(self, what: What, ordinal: int = 0) -> PlannedTrouble | None:
        """The trouble of a kind that the scenario has at a packet, if any."""
        return next((t for t in self.plan.troubles if t.what is what and t.ordinal == ordinal), None)

    def on_sensors(self) -> list[SimulatedPlayer]:
        """The players with a progressive bet."""
        return [player for player in self.plan.players if self.game.progressive in player.wagers]

    def right(self, place: Place) -> bool:
        """Whether the right number of cards lies at a place."""
        return self.cards.count(place) == self._due[place]

    def short(self, place: Place) -> bool:
        """Whether cards are missing at a place."""
        return self.missing(place) > 0

    def missing(self, place: Place) -> int:
        """Cards that are missing at a place."""
        return max(0, self._due[place] - self.cards.count(place))

    def accept(self, place: Place) -> None:
        """The hand is played as it is."""
        self._due[place] = self.cards.count(place)

    def packet_trouble(self) -> PlannedTrouble | None:
        """What the scenario has wrong with the packet just dealt."""
        return self.fix(What.PACKET, self.ordinal)

    def hands(self) -> list[Place]:
        """Every hand that has cards: the community's, the seats', the dealer's, the game's own."""
        own = [place for place in self._due if place not in (COMMUNITY, DEALER, BURN) and place.seat is None]
        hands = (COMMUNITY, *sorted(place for place in self._due if place.seat), DEALER, *sorted(own))
        return [place for place in hands if self.cards.count(place)]

    def live(self) -> list[int]:
        """The seats that have neither folded nor a dead hand."""
        seats = (player.seat for player in self.plan.players)
        return [n for n in seats if n not in self._folded and seat(n) not in self.dead and self.right(seat(n))]

    def lay(self, packet: Packet, arrived: int) -> None:
        """The cards that came to lie on a place go behind those that lie there, so that they lie as they came."""
        self.cards.put_under(packet.place, arrived)
        self._due[packet.place] += packet.cards

    def _is(self, *verdicts: Course) -> bool:
        return self.verdict in verdicts

    def _places(self, target: str, seats: Iterable[int]) -> list[Place]:
        return [seat(number) for number in seats] if target == "seats" else [place_of(target)]

    # -------------------------------------------------------------- for the device at the table

    def _make_ready(self) -> Doings:
        """Until cards may be dealt."""
        raise NotImplementedError

    def _deal_packets(self, step: Step, packets: Sequence[Packet]) -> Doings:
        """Bring these packets to their places."""
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
        self.plan, self.verdict, self.ordinal, self.defective = plan, Course.PLAY, 0, False
        for kept in (self.dead, self.owed, self._due, self._open, self._made, self._draws, self._folded, self._done):
            kept.clear()
        self._staked = {player.seat: set(player.wagers) for player in plan.players}

    def _bets(self) -> Doings:
        yield from self.at(AT_TABLE)
        for player in self.plan.players:
            for bet, cents in player.wagers.items():
                self.controller.place_wager(player.seat, self.game.bets[bet], cents)
                if bet == self.game.progressive:
                    self.controller.sense(player.seat, True)
                yield self.pace.bet

    def _round(self) -> Doings:
        yield from self._make_ready()
        yield from self.at(AT_TABLE)
        if self.plan.number is not None:
            self.controller.select_spot(self.plan.number)
            yield self.pace.step
        while not self.controller.start_game() and self.controller.state is C.SAFE:
            yield lambda: self.controller.state is not C.SAFE
        dealt_out = False
        for step in self.game.steps:
            if self._is(Course.STOP, Course.VOID):
                break
            yield from self._step(step)
            if step.name == self.game.last_deal and not self._is(Course.VOID):
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

    def _step(self, step: Step) -> Doings:
        doings: Mapping[str, Callable[[Step], Doings]] = {
            "deal": self._deal,
            "burn-card": self._deal,
            "exchange": self._deal,
            "burn": self._burn,
            "decide": self._decide,
            "show": self._show,
            "reveal": self._reveal,
        }
        played_out = bool(self._made) and not self.live()
        if played_out and step.do != "reveal":
            return
        if self._is(Course.PLAY) or step.do in ("deal", "burn-card", "reveal"):
            yield from doings[step.do](step)

    # -------------------------------------------------------------- dealing

    def _deal(self, step: Step) -> Doings:
        first = self.ordinal + 1
        packets = self._exchange(step) if step.do == "exchange" else self._packets(step)
        if step.by_hand:
            yield from self._deal_by_hand(packets)
        elif packets:
            yield from self._deal_packets(step, packets)
        if not self._is(Course.STOP, Course.VOID):
            yield from self._mishandled(packets, first)
        while self.owed and not self._is(Course.STOP, Course.VOID) and not self._deals_on(step):
            yield from self._complete(self.owed.pop(0))

    def _deals_on(self, step: Step) -> bool:
        """Whether cards go out in the next step too: a hand is completed when all others have theirs."""
        after = self.game.steps[self.game.steps.index(step) + 1]
        return after.do in ("deal", "burn-card") and after.from_device

    def _packets(self, step: Step) -> list[Packet]:
        if step.if_drawn and not any(self._draws.get(number) for number in self.live()):
            return []
        entered = with_bet(step, [player.seat for player in self.plan.players], self._staked)
        live = with_bet(step, [number for number in self.live() if number not in self._done], self._staked)
        if step.only and not live and self.live():
            return []
        return packets_of(step, entered, live, self.game.most, self.plan.number)

    def _exchange(self, step: Step) -> list[Packet]:
        """Discards leave their hands; what replaces them."""
        packets = exchanged(step, {n: self._draws.get(n, 0) for n in self.live()}, self.plan.house_draws)
        discards: Counter[Place] = Counter()
        for packet in packets if not step.adds else ():
            discards[packet.place] += packet.cards
        for place, count in discards.items():
            self._lay_down(place, count)
        return packets

    def _lay_down(self, place: Place, count: int) -> None:
        """So many cards of a hand go to the discards."""
        self.cards.pick(place, MUCK, range(count))
        self._due[place] -= count

    def _deal_by_hand(self, packets: Sequence[Packet]) -> Doings:
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
            yield from supervisor.judge(self, place, packets[0].step.name, ruling)

    def _from_hand(self, place: Place, cards: int) -> int:
        """Lay so many cards of the deck in the dealer's hand at a place; says how many there were."""
        raise NotImplementedError

    def _mishandled(self, packets: Sequence[Packet], first: int) -> Doings:
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
            yield from supervisor.rule(self, place, trouble.what, packets[0].step.name, trouble.ruling)

    # -------------------------------------------------------------- playing

    def _burn(self, step: Step) -> Doings:
        place = place_of(step.to[0])
        yield from self.at(AT_TABLE)
        yield self.pace.show
        if self.fix(What.REVEAL_BEFORE_BURN):
            self.controller.reveal(place, self.cards.faces(place))
            yield self.pace.step
        wrong = self.fix(What.BURN)
        positions = wrong.positions if wrong else step.positions
        size = self.cards.count(place)
        left_to_right = step.top_left if step.spread == "from-top" else step.spread == "left-to-right"
        from_top = step.top_left == left_to_right
        indices = [position - 1 if from_top else size - position for position in positions if position <= size]
        self.cards.pick(place, BURN, indices)
        self._due[place] -= len(indices)
        self.controller.confirm_burn(place, positions, Spread.LEFT_TO_RIGHT if left_to_right else Spread.RIGHT_TO_LEFT)

    def _decide(self, step: Step) -> Doings:
        yield from self.at(AT_TABLE)
        for player in self.plan.players:
            yield self.pace.think
            asked = not step.only or step.only in self._staked[player.seat]
            if asked and player.seat in self.live() and player.seat not in self._done:
                self._choose(step, player)

    def _choose(self, step: Step, player: SimulatedPlayer) -> None:
        name = player.chooses(step.choices, self._made[player.seat])
        self._made[player.seat] += 1
        if name == "basic":
            name = self._basic(step, self.cards.faces(seat(player.seat)))
        choice = self.game.decisions.get(name)
        if choice is None:
            return
        for bet in choice.bets:
            cents = player.wagers.get(choice.of, 0) * choice.times
            self.controller.place_wager(player.seat, self.game.bets[bet], cents)
            self._staked[player.seat].add(bet)
        self.controller.decide(player.seat, choice.number)
        if choice.takes_back:
            self.controller.place_wager(player.seat, self.game.bets[choice.takes_back], 0)
            self._staked[player.seat].discard(choice.takes_back)
        self._draws[player.seat] = choice.draws
        self._lay_down(seat(player.seat), choice.discards)
        if choice.folds:
            self._folded.add(player.seat)
        if choice.last:
            self._done.add(player.seat)

    def _basic(self, step: Step, faces: tuple[Card, ...]) -> str:
        """The first choice that is no fold, unless the game says how good a hand must be."""
        folds = [name for name in step.choices if self.game.decisions[name].folds]
        plays = [name for name in step.choices if name not in folds] or folds
        if not self.game.least or not folds:
            return plays[0]
        wild = [card for card in faces if card.rank and RANKS[card.rank - 1] == self.game.wild]
        suits = [card.suit for card in faces if card.suit and card not in wild]
        longest = max((suits.count(suit) for suit in suits), default=0) + len(wild)
        return plays[0] if longest >= self.game.least else folds[0]

    def _show(self, step: Step) -> Doings:
        yield from self.at(AT_TABLE)
        for target in step.to:
            for place in self._places(target, self.live()):
                faces = self.cards.faces(place)
                self._open[place] = step.cards or len(faces)
                if faces:
                    yield self.pace.show
                    shown = faces[-self._open[place] :] if step.bottom else faces[: self._open[place]]
                    self.controller.reveal(place, shown)

    def _reveal(self, step: Step) -> Doings:
        yield from self.at(AT_TABLE)
        if self._is(Course.PROGRESSIVE):
            yield from self._show_seats(self.on_sensors())
            return
        for target in step.to:
            if target == "seats":
                yield from self._show_seats([player for player in self.plan.players if self._is_shown(player)])
                continue
            place = place_of(target)
            yield self.pace.show
            if place not in self.dead and self.cards.count(place):
                self.controller.reveal(place, self.cards.faces(place))

    def _is_shown(self, player: SimulatedPlayer) -> bool:
        kept = any(bet in player.wagers for bet in self.game.shown_when_folded)
        return player.seat not in self._folded or kept

    def _show_seats(self, players: list[SimulatedPlayer]) -> Doings:
        yield from self.at(AT_TABLE)
        for player in reversed(players):
            place = seat(player.seat)
            if self.right(place) and place not in self.dead and self.cards.count(place):
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
