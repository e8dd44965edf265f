"""The dealer persona: one pair of hands that plays a scenario's rounds on both devices.

The dealer reacts to the devices' lamps and trays, never to what the scenario knows,
and reveals the cards that really lie there.
"""

from dataclasses import replace
from typing import Final

from devices.simulator import supervisor
from devices.simulator.deck import Bay, Cards
from devices.simulator.line_faults import LineFaults
from devices.simulator.persona import Persona
from devices.simulator.scenario import Game, Player, Scenario, places
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.steps import Pace, Steps, Verdict
from devices.simulator.table_controller import TableControllerModel
from devices.simulator.trouble import Trouble, What
from devices.simulator.unit import Unit
from protocol.cards import RANKS, Card
from protocol.places import BURN, COMMUNITY, DEALER, REMAINDER, Place, seat
from protocol.tdp.messages import ControllerState as C
from protocol.tdp.messages import ShufflerState as S
from protocol.tdp.messages import Spread

DECKS: Final = (1, 2)


class Dealer(Persona):
    """Plays `scenario` on a packet shuffler and a table controller."""

    def __init__(
        self,
        scenario: Scenario,
        cards: Cards,
        shuffler: ShufflerModel,
        controller: TableControllerModel,
        units: dict[str, Unit],
        lines: dict[str, LineFaults],
        pace: Pace,
    ) -> None:
        super().__init__(units, lines, pace)
        self.game: Game = scenario.game
        self.cards, self.shuffler, self.controller = cards, shuffler, controller
        self.plan = scenario.rounds[0]
        self.verdict = Verdict.PLAY
        self.in_round = False
        """From the bets until the cards are gathered."""
        self.dealt = False
        """Every packet of this round has come, or the deal was stopped."""
        self._folded: set[int] = set()
        self._scenario = scenario
        self._next_troubles: list[Trouble] = []

    def add_trouble(self, trouble: Trouble) -> bool:
        """One thing more goes wrong: in this round (True) while its packet is still to come, else in the next."""
        to_come = not self.dealt or trouble.what is What.DECK
        now = self.in_round and to_come and trouble.ordinal not in range(1, self.next_packet)
        if now:
            self.plan = replace(self.plan, troubles=(*self.plan.troubles, trouble))
            mishap = trouble.mishap()
            self.shuffler.mishaps += [mishap] if mishap else []
        else:
            self._next_troubles.append(trouble)
        return now

    @property
    def next_packet(self) -> int:
        """The packet that is still to come out whole: 1 when none has."""
        counts = self.shuffler.round
        coming = self.shuffler.motion is not None
        return len(counts.packets) + 1 + coming if counts is not None and self.in_round and not self.dealt else 1

    # -------------------------------------------------------------- what every step is made of

    def fix(self, what: What, ordinal: int = 0) -> Trouble | None:
        """The trouble of a kind that the scenario has at a packet, if any."""
        return next((t for t in self.plan.troubles if t.what is what and t.ordinal == ordinal), None)

    def on_sensors(self) -> list[Player]:
        """The players with a progressive bet."""
        return [player for player in self.plan.players if self.game.progressive in player.wagers]

    def right(self, place: Place) -> bool:
        """Whether the right number of cards lies at a place."""
        return self.cards.count(place) == self.game.packet_size

    def _is(self, *verdicts: Verdict) -> bool:
        return self.verdict in verdicts

    # -------------------------------------------------------------- the evening

    def _evening(self) -> Steps:
        for deck in DECKS:
            self.cards.bring(deck, REMAINDER, self.game.jokers)
        yield lambda: self.shuffler.state is not S.BOOT and self.shuffler.state is not S.SELF_TEST
        yield from self.reload()
        for plan in self._scenario.rounds:
            self.plan, self.verdict = replace(plan, troubles=(*plan.troubles, *self._next_troubles)), Verdict.PLAY
            self.in_round, self.dealt = True, False
            self._next_troubles.clear()
            self._folded.clear()
            self.shuffler.mishaps = [mishap for trouble in self.plan.troubles if (mishap := trouble.mishap())]
            yield from self._bets()
            yield from self._round()
            yield from self._clear_table()

    def reload(self, overlooked: int = 0) -> Steps:
        """Put every deck that lies on the table into the shuffler as soon as its input is free, all but a few cards."""
        for deck in DECKS:
            if self.cards.count(Bay.CHAMBER) and self.cards.count(Bay.INPUT):
                return
            if deck in self.cards.backs([Bay.CHAMBER, Bay.INPUT, Bay.TRAY]):
                continue
            yield lambda: not self.cards.count(Bay.INPUT)
            self.cards.gather(deck, Bay.INPUT, leave=overlooked)
            self.shuffler.load_deck(deck, self.now_ns)

    def _bets(self) -> Steps:
        yield from self.at("table-controller")
        for player in self.plan.players:
            for bet, cents in player.wagers.items():
                self.controller.place_wager(player.seat, self.game.bets[bet], cents)
                if bet == self.game.progressive:
                    self.controller.sense(player.seat, True)
                yield self.pace.bet

    def _round(self) -> Steps:
        yield from self._wait_ready()
        yield from self.at("table-controller")
        while not self.controller.start_game() and self.controller.state is C.SAFE:
            yield lambda: self.controller.state is not C.SAFE
        yield from self.at("shuffler")
        yield from self._press_green()
        for ordinal, place in enumerate(places(self.game, self.plan), 1):
            yield from self._packet(ordinal, place)
            if self._is(Verdict.STOP, Verdict.VOID):
                break
        if not self._is(Verdict.VOID):
            yield from self._remainder()
        self.dealt = True
        if self._is(Verdict.PLAY):
            yield from self._play()
        elif self._is(Verdict.PROGRESSIVE):
            yield from self._show_seats(self.on_sensors())
            yield from self._count_hands()
        if self._is(Verdict.PLAY, Verdict.PROGRESSIVE):
            yield from supervisor.award(self)
        yield from self.at("table-controller")
        self.controller.end_game()
        yield self.pace.step

    def _press_green(self) -> Steps:
        """Press, and press again once the host is back: without one the device does nothing new."""
        while not self.shuffler.press_green(self.now_ns) and self.shuffler.state is S.SAFE:
            yield lambda: self.shuffler.state is not S.SAFE

    def _wait_ready(self) -> Steps:
        while self.shuffler.state is not S.READY:
            yield lambda: self.shuffler.state in (S.READY, S.MISDEAL)
            if self.shuffler.state is S.MISDEAL:
                yield from supervisor.attend(self)
                yield from self.reload()

    # -------------------------------------------------------------- dealing

    def _packet(self, ordinal: int, place: Place) -> Steps:
        self.spoil_line([trouble for trouble in self.plan.troubles if trouble.ordinal == ordinal])
        yield from self._mishandle(ordinal, place)
        while not self._packet_waits():
            yield lambda: self._packet_waits() or self.shuffler.state is S.MISDEAL
            if self.shuffler.state is S.MISDEAL:
                yield from supervisor.attend(self)
                if self._is(Verdict.VOID) or self.cards.count(place):
                    break
        if self._is(Verdict.VOID):
            return
        if not self.cards.count(place):
            yield from self.at("shuffler")
            yield self.pace.lift
            self.shuffler.lift(place, self.now_ns)
        # whoever was called to this packet counts it, and a hand that was grabbed is plainly wrong
        if self._device_saw(ordinal):
            yield from supervisor.judge(self, place)

    def _packet_waits(self) -> bool:
        return self.shuffler.state is S.PACKET_WAIT and self.cards.count(Bay.TRAY) > 0

    def _device_saw(self, ordinal: int) -> bool:
        counts = self.shuffler.round
        if counts is None or len(counts.packets) < ordinal:
            return False
        expected, counted = counts.packets[ordinal - 1]
        return expected != counted

    def _mishandle(self, ordinal: int, place: Place) -> Steps:
        """What people do wrong, and the power, while or when a packet comes."""
        if self.fix(What.LIFTED_EARLY, ordinal):
            yield lambda: self.shuffler.state is S.DISPENSING
            yield self.shuffler.durations.dispense * 2 // 3
            self.shuffler.lift(place, self.now_ns)
        if self.fix(What.POWER, ordinal):
            yield lambda: self.shuffler.state is S.PACKET_WAIT
            yield self.pace.step
            self.units["shuffler"].power_off()
            yield self.pace.power
            self.units["shuffler"].power_on(self.now_ns)
            yield lambda: self.shuffler.state is S.MISDEAL and self.units["shuffler"].hosted
        if self.fix(What.DOOR, ordinal):
            yield self._packet_waits
            self.shuffler.move_door(True, self.now_ns)
            yield self.pace.step
            self.shuffler.move_door(False, self.now_ns)
        if self.fix(What.MISDEAL_CALLED, ordinal):
            yield self._packet_waits
            yield from supervisor.call_misdeal(self)
            self.verdict = Verdict.STOP

    def _remainder(self) -> Steps:
        yield lambda: self.shuffler.state in (S.PACKET_WAIT, S.MISDEAL)
        if self.shuffler.state is S.MISDEAL:
            yield from supervisor.attend(self)
        if self._is(Verdict.VOID):
            return
        yield from self.at("shuffler")
        yield from self._press_green()
        yield lambda: self.shuffler.state in (S.REMAINDER_WAIT, S.MISDEAL)
        if self.shuffler.state is S.MISDEAL:
            yield from supervisor.attend(self)
        if not self._is(Verdict.VOID):
            yield from self.at("shuffler")
            self.shuffler.lift(REMAINDER, self.now_ns)

    # -------------------------------------------------------------- playing

    def _play(self) -> Steps:
        yield from self.at("table-controller")
        if COMMUNITY in places(self.game, self.plan) and self.game.burn:
            yield from self._burn()
        for player in self.plan.players:
            yield self.pace.think
            if self.right(seat(player.seat)):
                self._decide(player)
        for target in self.game.reveal:
            if target == "seats":
                yield from self._show_seats([p for p in self.plan.players if self._is_shown(p)])
            else:
                place = COMMUNITY if target == "community" else DEALER
                yield self.pace.show
                self.controller.reveal(place, self.cards.faces(place))
        yield from self._count_hands()

    def _burn(self) -> Steps:
        yield self.pace.show
        if self.fix(What.REVEAL_BEFORE_BURN):
            self.controller.reveal(COMMUNITY, self.cards.faces(COMMUNITY))
            yield self.pace.step
        wrong = self.fix(What.BURN)
        positions = wrong.positions if wrong else self.game.burn
        size = self.cards.count(COMMUNITY)
        from_top = (self.game.top_card == "left") == (self.game.spread is Spread.LEFT_TO_RIGHT)
        indices = [position - 1 if from_top else size - position for position in positions]
        self.cards.pick(COMMUNITY, BURN, indices)
        self.controller.confirm_burn(COMMUNITY, positions, self.game.spread)

    def _decide(self, player: Player) -> None:
        choice = player.decision if player.decision != "basic" else self._basic(self.cards.faces(seat(player.seat)))
        if choice == "play":
            cents = player.wagers[self.game.play_of] * self.game.play_times
            self.controller.place_wager(player.seat, self.game.bets[self.game.play_bet], cents)
        self.controller.decide(player.seat, self.game.decisions[choice])
        if choice == "fold":
            self._folded.add(player.seat)

    def _basic(self, faces: tuple[Card, ...]) -> str:
        wild = [card for card in faces if card.rank and RANKS[card.rank - 1] == self.game.wild]
        suits = [card.suit for card in faces if card.suit and card not in wild]
        longest = max((suits.count(suit) for suit in suits), default=0) + len(wild)
        return "play" if longest >= self.game.least else "fold"

    def _is_shown(self, player: Player) -> bool:
        kept = any(bet in player.wagers for bet in self.game.shown_when_folded)
        return player.seat not in self._folded or kept

    def _show_seats(self, players: list[Player]) -> Steps:
        yield from self.at("table-controller")
        for player in reversed(players):
            if self.right(seat(player.seat)):
                yield self.pace.show
                self.controller.reveal(seat(player.seat), self.cards.faces(seat(player.seat)))

    def _count_hands(self) -> Steps:
        for player in reversed(self.plan.players):
            yield self.pace.bet
            self.controller.count(seat(player.seat), self.cards.count(seat(player.seat)))
        self.controller.count(DEALER, self.cards.count(DEALER))

    def _clear_table(self) -> Steps:
        for player in self.on_sensors():
            self.controller.sense(player.seat, False)
        yield self.pace.collect
        yield from self.at("shuffler")
        self.cards.lift(Bay.REJECT, REMAINDER)
        short = self.fix(What.DECK)
        self.in_round = False
        yield from self.reload(short.amount if short else 0)
