"""The dealer at a packet shuffler: one pair of hands that plays a scenario's rounds on both devices."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from dealer_flow.procedure.steps.due import Due
from dealer_flow.procedure.steps.kinds import AnyStep
from dealwire.rehearsal import floor_supervisor as supervisor
from dealwire.rehearsal.dealt_table import Course, DealtTable, Doings
from dealwire.rehearsal.playing_dealer import AT_TABLE
from dealwire.rehearsal.scenario import Scenario
from dealwire.rehearsal.step_dealer import StepDealer
from dealwire.rehearsal.trouble import PlannedTrouble, What
from devices.simulator.deck import Bay, Cards
from devices.simulator.shuffler import ShufflerModel
from protocol.places import MUCK, REMAINDER, Place
from protocol.tdp.messages import ShufflerState as S

DECKS: Final = (1, 2)
AT_SHUFFLER: Final = "shuffler"


class ShufflerDealer(StepDealer):
    """Plays `scenario` on a packet shuffler and a table controller."""

    def __init__(self, scenario: Scenario, table: DealtTable, cards: Cards, shuffler: ShufflerModel) -> None:
        super().__init__(scenario, table, cards)
        self.shuffler = shuffler
        self.in_round = False
        """From the bets until the cards are gathered."""
        self.dealt = False
        """Every packet of this round has come, or the deal was stopped."""
        self.by_hand = False
        """What is left was shuffled by hand, and is dealt by hand."""
        self._group = -1
        """The group of packets being dealt, -1 before the first."""
        self._next_troubles: list[PlannedTrouble] = []

    def add_trouble(self, trouble: PlannedTrouble) -> bool:
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

    # -------------------------------------------------------------- the evening

    def _evening(self) -> Doings:
        for deck in DECKS:
            self.cards.bring(deck, REMAINDER, self.procedure.plan.jokers)
        yield lambda: self.shuffler.state is not S.BOOT and self.shuffler.state is not S.SELF_TEST
        yield from self.reload()
        for plan in self._scenario.plans():
            self._begin_plan(replace(plan, troubles=(*plan.troubles, *self._next_troubles)))
            self._group, self.in_round, self.dealt, self.by_hand = -1, True, False, False
            self._next_troubles.clear()
            self.shuffler.mishaps = [mishap for trouble in self.plan.troubles if (mishap := trouble.mishap())]
            yield from self._bets()
            yield from self._round()
            yield from self._clear_table()

    def reload(self, overlooked: int = 0) -> Doings:
        """Put every deck that lies on the table into the shuffler as soon as its input is free, all but a few cards."""
        for deck in DECKS:
            if self.cards.count(Bay.CHAMBER) and self.cards.count(Bay.INPUT):
                return
            if deck in self.cards.backs([Bay.CHAMBER, Bay.INPUT, Bay.TRAY]):
                continue
            yield lambda: not self.cards.count(Bay.INPUT)
            self.cards.gather(deck, Bay.INPUT, leave=overlooked)
            self.shuffler.load_deck(deck, self.now_ns)

    def _make_ready(self) -> Doings:
        while self.shuffler.state is not S.READY:
            yield lambda: self.shuffler.state in (S.READY, S.MISDEAL)
            if self.shuffler.state is S.MISDEAL:
                yield from supervisor.attend(self)
                yield from self.reload()

    def put_back(self, place: Place, how: str, step: str) -> Doings:
        """The packet is shuffled by hand with what is left, which comes out for it; the rest is dealt by hand."""
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

    def _goes_on(self, step: AnyStep) -> bool:
        """Whether a later step deals packets of the same group."""
        later = self.procedure.steps[self.procedure.steps.index(step) + 1 :]
        group = self.procedure.group_of(step)
        return any(other.from_device and self.procedure.group_of(other) == group for other in later)

    def _packet(self, packet: Due, *, closes: bool) -> Doings:
        ordinal, place, before = self.ordinal, packet.place, self.cards.count(packet.place)
        self.spoil_line(self.plan.troubles, ordinal)
        yield from self._mishandle(ordinal, place)
        while not self._packet_waits():
            yield lambda: self._packet_waits() or self.shuffler.state is S.MISDEAL or self._ran_out()
            if self._ran_out():
                yield from supervisor.call_misdeal(self)
                self.course = Course.STOP
                return
            if self.shuffler.state is S.MISDEAL:
                yield from supervisor.attend(self)
                if self._is(Course.VOID) or self.cards.count(place) > before:
                    break
        if self._is(Course.VOID):
            return
        if self.cards.count(place) == before:
            yield from self.at(AT_SHUFFLER)
            if closes:
                self.shuffler.press_green(self.now_ns)
            yield self.pace.lift
            self.shuffler.lift(place, self.now_ns)
        self.lay(packet, self.cards.count(place) - before)
        # whoever was called to this packet counts it, and a hand that was grabbed is plainly wrong
        if self._device_saw(ordinal):
            trouble = self.packet_trouble()
            ruling = trouble.ruling if trouble else "misdeal"
            yield from supervisor.judge(self, place, packet.step, ruling)
            yield from self.at(AT_SHUFFLER)

    def _packet_waits(self) -> bool:
        return self.shuffler.state is S.PACKET_WAIT and self.cards.count(Bay.TRAY) > 0

    def _ran_out(self) -> bool:
        """The deck holds no further packet, and nothing moves."""
        resting = self.shuffler.state is S.PACKET_WAIT and self.shuffler.next_deadline_ns is None
        return resting and not self.cards.count(Bay.TRAY)

    def _device_saw(self, ordinal: int) -> bool:
        counts = self.shuffler.round
        if counts is None or len(counts.packets) < ordinal:
            return False
        expected, counted = counts.packets[ordinal - 1]
        return expected != counted

    def _mishandle(self, ordinal: int, place: Place) -> Doings:
        """What people do wrong, and the power, while or when a packet comes."""
        if self.plan.find(What.LIFTED_EARLY, ordinal):
            yield lambda: self.shuffler.state is S.DISPENSING
            yield self.shuffler.durations.dispense * 2 // 3
            self.shuffler.lift(place, self.now_ns)
        if self.plan.find(What.POWER, ordinal):
            yield lambda: self.shuffler.state is S.PACKET_WAIT
            yield self.pace.step
            self.units[AT_SHUFFLER].power_off()
            yield self.pace.power
            self.units[AT_SHUFFLER].power_on(self.now_ns)
            yield lambda: self.shuffler.state is S.MISDEAL and self.units[AT_SHUFFLER].hosted
        if self.plan.find(What.DOOR, ordinal):
            yield self._packet_waits
            self.shuffler.move_door(True, self.now_ns)
            yield self.pace.step
            self.shuffler.move_door(False, self.now_ns)
        if self.plan.find(What.MISDEAL_CALLED, ordinal):
            yield self._packet_waits
            yield from supervisor.call_misdeal(self)
            self.course = Course.STOP

    def _press_green(self) -> Doings:
        """Press, and press again once the host is back: without one the device does nothing new."""
        while not self.shuffler.press_green(self.now_ns) and self.shuffler.state is S.SAFE:
            yield lambda: self.shuffler.state is not S.SAFE

    def _remainder(self) -> Doings:
        self.dealt = True
        if self._group < 0 or self.by_hand:
            return
        yield lambda: self.shuffler.state in (S.PACKET_WAIT, S.MISDEAL)
        if self.shuffler.state is S.MISDEAL:
            yield from supervisor.attend(self)
        if self._is(Course.VOID):
            return
        yield from self.at(AT_SHUFFLER)
        if self.shuffler.game.groups and (self.shuffler.next_group or self.cards.count(Bay.TRAY)):
            self.shuffler.hold_green(self.now_ns)
        else:
            yield from self._press_green()
        yield lambda: self.shuffler.state not in (S.PACKET_WAIT, S.DISPENSING, S.DUMPING)
        if self.shuffler.state is S.MISDEAL:
            yield from supervisor.attend(self)
        if not self._is(Course.VOID):
            yield from self.at(AT_SHUFFLER)
            self.shuffler.lift(REMAINDER, self.now_ns)
            if self.procedure.plan.exact_rest is not None:
                yield from self.at(AT_TABLE)
                self.controller.count(REMAINDER, self.cards.count(REMAINDER))

    def _new_deck(self) -> None:
        backs = self.cards.backs([spot for spot, _ in self.cards if isinstance(spot, Place)])
        for deck in backs:
            self.cards.gather(deck, MUCK)
            self.cards.remove(MUCK)
            self.cards.bring(deck, REMAINDER, self.procedure.plan.jokers)

    def _clear_table(self) -> Doings:
        yield from self.collect_bets()
        yield from self.at(AT_SHUFFLER)
        self.cards.lift(Bay.REJECT, REMAINDER)
        short = self.plan.find(What.DECK)
        self.in_round = False
        yield from self.reload(short.amount if short else 0)
