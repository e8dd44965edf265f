"""Dealer at a packet shuffler: one person who plays a scenario's rounds on both devices."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from dealer_flow.procedure.steps.due import Due
from dealer_flow.procedure.steps.kinds import AnyStep
from dealwire.rehearsal.dealt_table import Course, DealtTable, Doings
from dealwire.rehearsal.floor_supervisor import BADGE, CARDS_ASTRAY, DEAL_ON, OTHER_DECK
from dealwire.rehearsal.scenario import RoundPlan, Scenario
from dealwire.rehearsal.step_dealer import StepDealer
from dealwire.rehearsal.trouble import PlannedTrouble, What
from devices.simulator.deck import Bay, Cards
from devices.simulator.shuffler import ShufflerModel
from protocol.faults import Fault
from protocol.places import MUCK, REMAINDER, Place
from protocol.tdp.messages import BadgeLevel, Resolution
from protocol.tdp.messages import ShufflerState as S

DECKS: Final = (1, 2)
AT_SHUFFLER: Final = "shuffler"
SETTABLE: Final = (S.EMPTY, S.READY)
"""States in which a person may select another game at the device."""
TAKES_GREEN: Final = (S.READY, S.PACKET_WAIT, S.DISPENSING)
"""States in which the green button has an effect."""
UNDER_WAY: Final = (S.PACKET_WAIT, S.DISPENSING, S.RECOVERING, S.DUMPING, S.MISDEAL)
"""States until the remainder is in the tray."""
RESTING: Final = (S.PACKET_WAIT, S.REMAINDER_WAIT)
"""States in which the device waits for a person in the middle of a round."""


class ShufflerDealer(StepDealer):
    """Dealer who plays `scenario` on a packet shuffler and a table controller.

    While the dealer waits (`until`), a lit lamp, a deck that came out, or a wrong game on the display is handled, since
    a host may request anything at any moment.
    """

    def __init__(self, scenario: Scenario, table: DealtTable, cards: Cards, shuffler: ShufflerModel) -> None:
        super().__init__(scenario, table, cards)
        self.shuffler = shuffler
        self.in_round = False
        """True from the bets until the cards are collected."""
        self.dealt = False
        """True if every packet of this round was dealt or the deal was stopped."""
        self.by_hand = False
        """True if the rest was shuffled by hand and is dealt by hand."""
        self._laid = False
        """True if cards of this round may be on the table."""
        self._dealing = False
        """True while the deck is in the shuffler, from the first packet until the remainder is lifted."""
        self._removals = 0
        """Number of removed decks when this deal began."""
        self._game = shuffler.game
        """Game that the shuffler should be set to."""
        self._group = -1
        """Index of the current group of packets, -1 before the first."""
        self._next_troubles: list[PlannedTrouble] = []

    def add_trouble(self, trouble: PlannedTrouble) -> bool:
        """Add a fault. Return True if it happens in this round, since its packet is still to come; else it happens in
        the next."""
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
        """Number of the next packet that has not begun to come out; 1 if there was none."""
        counts = self.shuffler.round
        coming = self.shuffler.motion is not None
        return len(counts.packets) + 1 + coming if counts is not None and self.in_round and not self.dealt else 1

    # -------------------------------------------------------------- the evening

    def _sit_down(self) -> Doings:
        for deck in DECKS:
            self.cards.bring(deck, REMAINDER, self.procedure.plan.jokers)
        yield lambda: self.shuffler.state is not S.BOOT and self.shuffler.state is not S.SELF_TEST
        yield from self.reload()

    def _begin_round(self, plan: RoundPlan) -> None:
        super()._begin_round(replace(plan, troubles=(*plan.troubles, *self._next_troubles)))
        self._group, self.in_round, self.dealt, self.by_hand = -1, True, False, False
        self._next_troubles.clear()
        self.shuffler.mishaps = [mishap for trouble in self.plan.troubles if (mishap := trouble.mishap())]

    def reload(self, overlooked: int = 0) -> Doings:
        """Load every deck on the table into the shuffler as soon as its input is free, except for `overlooked`
        cards."""
        for deck in DECKS:
            if self.cards.count(Bay.CHAMBER) and self.cards.count(Bay.INPUT):
                return
            if deck in self.cards.backs([Bay.CHAMBER, Bay.INPUT, Bay.TRAY]):
                continue
            yield from self.until(lambda: not self.cards.count(Bay.INPUT))
            self.cards.gather(deck, Bay.INPUT, leave=overlooked)
            self.shuffler.load_deck(deck, self.now_ns)

    def _make_ready(self) -> Doings:
        yield from self.until(lambda: self.shuffler.state is S.READY and not self._held_up())

    # -------------------------------------------------------------- what the shuffler needs hands for

    def until(self, holds: Callable[[], bool]) -> Doings:
        """Wait for a condition at the shuffler, and meanwhile do what it needs."""
        while not holds():
            yield lambda: holds() or self._needs_hands()
            if not holds():
                yield from self._lend_a_hand()

    def _deal_until(self, holds: Callable[[], bool]) -> Doings:
        """Wait during a deal; the deal may be over afterwards."""
        yield from self.until(lambda: self._is(Course.VOID) or (holds() and not self._held_up()))

    def _held_up(self) -> bool:
        """Return True if green would deal something else: the deck of this round is out, or another game is
        selected."""
        return self.shuffler.removals != self._removals if self._dealing else self._wrong_game()

    def _wrong_game(self) -> bool:
        return not self._laid and self.shuffler.game != self._game

    def _needs_hands(self) -> bool:
        state = self.shuffler.state
        if state is S.MISDEAL or (self._dealing and self._held_up()):
            return True
        nothing_in = state is S.EMPTY and not self.cards.count(Bay.INPUT) and not self._laid
        return nothing_in or (self._wrong_game() and state in SETTABLE)

    def _lend_a_hand(self) -> Doings:
        if self.shuffler.state is S.MISDEAL:
            yield from self.attend()
        elif self._dealing:
            yield from self.deck_is_out()
        else:
            yield from self.at(AT_SHUFFLER)
        if self._wrong_game() and self.shuffler.state in SETTABLE:
            self.shuffler.choose_game(self._game, self.now_ns)
        if not self._laid and not self._wrong_game():
            yield from self.reload()

    def put_back(self, place: Place, how: str, step: str) -> Doings:
        """Shuffle the packet by hand with the remainder, which comes out for it; the rest is dealt by hand."""
        size = self._due[place]
        if not self.by_hand:
            yield from self._remainder()
        self.by_hand = True
        self.cards.lift(place, REMAINDER)
        self.cards.shuffle(REMAINDER)
        self.cards.deal(REMAINDER, place, size)

    # -------------------------------------------------------------- dealing

    def _deal_packets(self, step: AnyStep, packets: Sequence[Due]) -> Doings:
        group = self.procedure.group_of(step)
        if group != self._group and not self.by_hand:
            self._group = group
            yield from self.at(AT_SHUFFLER)
            yield from self._press_green()
            self._begin_deal()
        if self._is(Course.VOID):
            return
        groups = self.shuffler.game.groups
        ends_group = bool(groups) and not groups[group].count and not self._goes_on(step)
        for number, packet in enumerate(packets, 1):
            self.ordinal += 1
            if self.by_hand:
                yield self.pace.lift
                self.lay(packet, self.cards.deal(REMAINDER, packet.place, packet.cards))
                continue
            yield from self._packet(packet, closes=ends_group and number == len(packets))
            if self._is(Course.STOP, Course.VOID):
                break

    def _begin_deal(self) -> None:
        """Record that the first packet of the round, or of another group, comes."""
        if not self._dealing and not self._is(Course.VOID):
            self._laid = self._dealing = True
            self._removals = self.shuffler.removals

    def _goes_on(self, step: AnyStep) -> bool:
        """Return True if a later step deals packets of the same group."""
        later = self.procedure.steps[self.procedure.steps.index(step) + 1 :]
        group = self.procedure.group_of(step)
        return any(other.from_device and self.procedure.group_of(other) == group for other in later)

    def _packet(self, packet: Due, *, closes: bool) -> Doings:
        ordinal, place, before = self.ordinal, packet.place, self.cards.count(packet.place)
        self.spoil_line(self.plan.troubles, ordinal)
        yield from self._mishandle(ordinal, place)

        def taken() -> bool:
            return self.cards.count(place) > before and self.shuffler.state is not S.MISDEAL

        yield from self._deal_until(lambda: taken() or self._packet_waits() or self._ran_out())
        if self._is(Course.VOID):
            return
        if self.cards.count(place) == before:
            if self._ran_out():
                yield from self.call_misdeal()
                self.course = Course.STOP
                return
            yield from self.at(AT_SHUFFLER)
            if closes:
                yield from self._press_green()
            yield self.pace.lift
            self.shuffler.lift(place, self.now_ns)
        self.lay(packet, self.cards.count(place) - before)
        # whoever was called to this packet counts it, and a hand that was grabbed is plainly wrong
        if self._device_saw(ordinal):
            trouble = self.packet_trouble()
            ruling = trouble.ruling if trouble else "misdeal"
            yield from self.judge(place, packet.step, ruling)
            yield from self.at(AT_SHUFFLER)

    def _packet_waits(self) -> bool:
        return self.shuffler.state is S.PACKET_WAIT and self.cards.count(Bay.TRAY) > 0

    def _ran_out(self) -> bool:
        """Return True if the deck holds no further packet and nothing moves."""
        resting = self.shuffler.state is S.PACKET_WAIT and self.shuffler.next_deadline_ns is None
        return resting and not self.cards.count(Bay.TRAY)

    def _device_saw(self, ordinal: int) -> bool:
        counts = self.shuffler.round
        if counts is None or len(counts.packets) < ordinal:
            return False
        expected, counted = counts.packets[ordinal - 1]
        return expected != counted

    def _mishandle(self, ordinal: int, place: Place) -> Doings:
        """Do what people do wrong, and cut the power, at this packet."""
        if self.plan.find(What.LIFTED_EARLY, ordinal):
            yield from self._deal_until(lambda: self.shuffler.state is S.DISPENSING or self._is_there())
            if self.shuffler.state is S.DISPENSING:
                yield self.shuffler.durations.dispense * 2 // 3
                self.shuffler.lift(place, self.now_ns)
        if self.plan.find(What.POWER, ordinal):
            yield from self._deal_until(lambda: self.shuffler.state is S.PACKET_WAIT)
            if self._is(Course.VOID):
                return
            yield self.pace.step
            self.units[AT_SHUFFLER].power_off()
            yield self.pace.power
            self.units[AT_SHUFFLER].power_on(self.now_ns)
            yield lambda: self.shuffler.state not in (S.BOOT, S.SELF_TEST) and self.units[AT_SHUFFLER].hosted
        if self.plan.find(What.DOOR, ordinal):
            yield from self._deal_until(self._is_there)
            if self._is(Course.VOID):
                return
            self.shuffler.move_door(True, self.now_ns)
            yield self.pace.step
            self.shuffler.move_door(False, self.now_ns)
        if self.plan.find(What.MISDEAL_CALLED, ordinal):
            yield from self._deal_until(self._is_there)
            if not self._is(Course.VOID):
                yield from self.call_misdeal()
                self.course = Course.STOP

    def _is_there(self) -> bool:
        """Return True if the next packet is in the tray, or none will be."""
        return self._packet_waits() or self._ran_out()

    def _press_green(self, press: Callable[[int], bool] | None = None) -> Doings:
        """Press green, and again after a hold-up: without a host, locked, or with a lit lamp it has no effect. Also
        return if the round is void."""
        press = press or self.shuffler.press_green
        while not self._is(Course.VOID) and (self._held_up() or not press(self.now_ns)):
            if self.shuffler.state is S.READY and self._dealing and not self._held_up():
                return  # it restarted and knows of no deal: no button brings anything of this one
            yield from self._until_otherwise(self._standing())

    def _until_otherwise(self, before: tuple[object, ...]) -> Doings:
        yield from self._deal_until(lambda: self.shuffler.state in TAKES_GREEN and self._standing() != before)

    def _standing(self) -> tuple[object, ...]:
        """Return the facts that decide whether green has an effect. While they are unchanged, pressing again changes
        nothing."""
        shuffler = self.shuffler
        return shuffler.state, shuffler.verified, shuffler.powered, self._held_up()

    def _remainder(self) -> Doings:
        self.dealt = True
        if self._group < 0 or self.by_hand:
            return
        yield from self._deal_until(lambda: self.shuffler.state is S.PACKET_WAIT)
        yield from self.at(AT_SHUFFLER)
        held = bool(self.shuffler.game.groups) and (self.shuffler.next_group or self.cards.count(Bay.TRAY) > 0)
        yield from self._press_green(self.shuffler.hold_green if held else None)
        yield from self._deal_until(lambda: self.shuffler.state not in UNDER_WAY)
        if not self._is(Course.VOID):
            yield from self.at(AT_SHUFFLER)
            self.shuffler.lift(REMAINDER, self.now_ns)
            self._dealing = False
            yield from super()._remainder()

    def _bring_out(self) -> Doings:
        """Take out the rest of a round that ended early."""
        while self.shuffler.round is not None:
            yield from self.until(lambda: self.shuffler.round is None or self.shuffler.state in RESTING)
            yield from self.at(AT_SHUFFLER)
            self.shuffler.hold_green(self.now_ns)
            if self.shuffler.state is S.REMAINDER_WAIT:
                self.shuffler.lift(REMAINDER, self.now_ns)

    def _new_deck(self) -> None:
        backs = self.cards.backs([spot for spot, _ in self.cards if isinstance(spot, Place)])
        for deck in backs:
            self.cards.gather(deck, MUCK)
            self.cards.remove(MUCK)
            self.cards.bring(deck, REMAINDER, self.procedure.plan.jokers)

    def _clear_table(self) -> Doings:
        yield from self.at(AT_SHUFFLER)
        self.cards.lift(Bay.REJECT, REMAINDER)
        short = self.plan.find(What.DECK)
        self.in_round = self._dealing = False
        yield from self._bring_out()
        self._laid = False
        yield from self.reload(short.amount if short else 0)

    # -------------------------------------------------------------- the red lamp

    def attend(self) -> Doings:
        """Handle the red lamp: the supervisor comes, looks, acknowledges it and decides about the deck."""
        yield from self.at("table-controller")
        yield from self._come()
        self.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
        faults = tuple(self.shuffler.latched)
        if not faults:
            return  # whoever lit it has put it out
        resume = DEAL_ON.issuperset(faults)
        uncounted = Fault.REMAINDER_COUNT_WRONG in faults
        if uncounted:
            for place in self.hands():
                yield self.pace.bet
                self.controller.count(place, self.cards.count(place))
            resume = self._hands_explain() and (DEAL_ON | {Fault.REMAINDER_COUNT_WRONG}).issuperset(faults)
        if resume:
            yield from self.at("shuffler")
            self.shuffler.turn_key(Resolution.RESUME, self.now_ns)
            if uncounted:
                yield from self._judge_uncounted()
            return
        if self.controller.in_game and not OTHER_DECK.issuperset(faults):
            self.controller.call_misdeal(BADGE, faults[0])
            self.course = Course.VOID
            self.defective = not CARDS_ASTRAY.isdisjoint(faults)
        yield from self.at("shuffler")
        self.shuffler.turn_key(Resolution.REMOVE_DECK, self.now_ns)
        yield self.pace.step

    def deck_is_out(self) -> Doings:
        """Handle a deck that came out because somebody else ended the deal: no hand can be completed."""
        yield from self.at("table-controller")
        self.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
        if self.controller.in_game:
            self.controller.call_misdeal(BADGE, Fault.MISDEAL_CALLED_BY_HOST)
        self.course = Course.VOID

    def _come(self) -> Doings:
        """Wait for a host that lit the lamp to put it out again; otherwise the table does."""
        give_up_ns = self.now_ns + self.pace.come
        while Fault.MISDEAL_CALLED_BY_HOST in self.shuffler.latched and self.now_ns < give_up_ns:
            yield self.pace.step

    def _hands_explain(self) -> bool:
        """Return True if every card of the deck is present, so that only hands are wrong."""
        deck = self.shuffler.round.deck if self.shuffler.round else 0
        outside = (Bay.TRAY, Bay.REJECT)
        there = [card for spot, card in self.cards if isinstance(spot, Place) or spot in outside]
        return sum(card.back == deck for card in there) == self.procedure.plan.cards
