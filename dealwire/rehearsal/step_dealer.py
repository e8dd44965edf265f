"""Dealer of games that go step by step, with any device: course of the round, cards of each step, and what happens to
them.

The dealer reacts to what the devices show and to the cards on the table, never to the scenario.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from dealer_flow.procedure.must_draw import must_draw
from dealer_flow.procedure.steps.assign import AssignStep
from dealer_flow.procedure.steps.bet import BetStep
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
from dealwire.rehearsal.dealt_table import Course, DealtTable, Doings
from dealwire.rehearsal.floor_supervisor import BADGE, SupervisedDealer
from dealwire.rehearsal.playing_dealer import AT_TABLE
from dealwire.rehearsal.rehearsed import packets_of
from dealwire.rehearsal.scenario import RoundPlan, Scenario
from dealwire.rehearsal.trouble import HANDS, PlannedTrouble, What
from devices.simulator.deck import FIRST_JOKER, Cards
from protocol.cards import CARDS, UNREAD
from protocol.places import COMMUNITY, DEALER, MUCK, REMAINDER, Place
from protocol.tdp.messages import BadgeLevel, Mishandling
from protocol.tdp.messages import ControllerState as C

STRAY: Final = CARDS[FIRST_JOKER]
"""Joker that is not a card of the deck."""
MISHANDLED: Final = {what: Mishandling[what.name] for what in HANDS}


class StepDealer(SupervisedDealer):
    """Dealer who plays `scenario`. A subclass prepares the device, deals packets, and handles the remainder."""

    def __init__(self, scenario: Scenario, table: DealtTable, cards: Cards) -> None:
        self.ordinal = 0
        """Number of packets dealt in this round."""
        self._dealt_in: set[int] = set()
        """Seats that played when the current cards began to go out."""
        self._goes_around = False
        """True while the recipients of the next cards are determined."""
        super().__init__(scenario, table, cards)  # begins the first plan

    def packet_trouble(self) -> PlannedTrouble | None:
        """Return the planned fault of the packet just dealt."""
        return self.plan.find(What.PACKET, self.ordinal)

    def lay(self, packet: Due, arrived: int) -> None:
        """Put the cards that arrived at a place behind the others, so that they stay in order."""
        self.cards.put_under(packet.place, arrived)
        self._due[packet.place] += packet.cards
        step = next(each for each in self.procedure.steps if each.name == packet.step)
        if isinstance(step, DealStep) and step.face == "up" and arrived:
            self.up[packet.place] += self.cards.faces(packet.place)[-arrived:]

    # -------------------------------------------------------------- for the device at the table

    def _evening(self) -> Doings:
        yield from self._sit_down()
        for plan in self._scenario.plans():
            self._begin_round(plan)
            yield from self._bets()
            yield from self._round()
            yield from self.collect_bets()
            yield from self._clear_table()

    def _sit_down(self) -> Doings:
        """Wait until the first round may begin."""
        yield from ()

    def _begin_round(self, plan: RoundPlan) -> None:
        """Begin this round."""
        self._begin_plan(plan)

    def _clear_table(self) -> Doings:
        """Remove the cards of the round from the table."""
        for spot in {spot for spot, _ in self.cards}:
            self.cards.remove(spot)
        yield from ()

    def _make_ready(self) -> Doings:
        """Wait until cards may be dealt."""
        raise NotImplementedError

    def _deal_packets(self, step: AnyStep, packets: Sequence[Due]) -> Doings:
        """Deal these packets."""
        raise NotImplementedError

    def _complete(self, place: Place) -> Doings:
        """Deal one more card to a hand that is short."""
        raise NotImplementedError

    def _remainder(self) -> Doings:
        """Handle the remainder after all cards are dealt; here it is counted if the procedure sets its size."""
        if self.procedure.plan.exact_rest is not None:
            yield from self.at(AT_TABLE)
            self.controller.count(REMAINDER, self._left())

    def _left(self) -> int:
        """Return the number of cards left in the deck."""
        return self.cards.count(REMAINDER)

    def _new_deck(self) -> None:
        """Replace the deck that was dealt."""
        raise NotImplementedError

    def _from_hand(self, place: Place, cards: int) -> int:
        """Deal cards from the deck in the dealer's hand to a place, and return their number."""
        return self.cards.deal(REMAINDER, place, cards)

    # -------------------------------------------------------------- the round

    def _begin_plan(self, plan: RoundPlan) -> None:
        super()._begin_plan(plan)
        self.ordinal = 0

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
            if not self.won:
                yield from self._count_hands()
            yield from self.award()
        yield from self._award_pots()
        yield from self.at(AT_TABLE)
        self.controller.end_game()
        yield self.pace.step
        if self.defective:
            self.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
            self._new_deck()
            yield self.pace.step

    def _step(self, step: AnyStep) -> Doings:
        played_out = bool(self.view.made) and not self.view.live
        if self.won or (played_out and not isinstance(step, RevealStep)):
            return
        playing = self._is(Course.PLAY)
        match step:
            case DealStep() | BurnCardStep():
                yield from self._deal(step)
            case RevealStep():
                yield from self._reveal(step)
            case ExchangeStep() if playing:
                yield from self._deal(step)
            case BetStep() if playing:
                yield from self._betting(step)
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

    # -------------------------------------------------------------- dealing

    def _deal(self, step: AnyStep) -> Doings:
        first = self.ordinal + 1
        packets = self._packets(step)
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
        while self.short and not self._is(Course.STOP, Course.VOID):
            yield from self._complete(self.short.pop(0))
        while self.owed and not self._is(Course.STOP, Course.VOID) and not self._deals_on(step):
            yield from self._complete(self.owed.pop(0))

    def _packets(self, step: AnyStep) -> list[Due]:
        """Return the packets of a step. A hand that died or became short since the cards of one deal began to go out
        still gets its others."""
        before = self.procedure.steps[: self.procedure.steps.index(step)]
        if not (before and self._one_deal(before[-1], step)):
            self._dealt_in = {*self.view.live}
        self._goes_around = True
        packets = packets_of(step, self.view, self.plan.house_draws)
        self._goes_around = False
        return packets

    def _plays(self, number: int) -> bool:
        return number in self._dealt_in if self._goes_around else super()._plays(number)

    def _must(self, step: ExchangeStep, packets: list[Due]) -> list[Due]:
        """Return the cards that the house must draw by its hand, and discard those that they replace."""
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

    def _expose(self, step: ExchangeStep, packets: Sequence[Due]) -> Doings:
        """Turn up each hand before its card; one that needs none gets none."""
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
        """Return True if the device also deals the next step: a hand is completed after all others have their cards
        and before the next burn. In games between players, before the next street."""
        after = self.procedure.steps[self.procedure.steps.index(step) + 1]
        return after.from_device and self._one_deal(step, after)

    def _one_deal(self, step: AnyStep, after: AnyStep) -> bool:
        """Return True if the cards of both steps go out as one deal, whose order is not disturbed (47.1-1021)."""
        if self.procedure.plan.betting is not None and isinstance(after, DealStep) and COMMUNITY.text in after.to:
            return False
        return step.deals and after.foreseen and not isinstance(after, BurnCardStep)

    def _deal_by_hand(self, packets: Sequence[Due]) -> Doings:
        """Deal from a deck in the dealer's hand, which no device sees."""
        yield from self.at(AT_TABLE)
        wrong: list[tuple[Place, str]] = []
        for packet in packets:
            yield self.pace.lift
            self.ordinal += 1
            trouble = self.packet_trouble()
            self.lay(packet, self._from_hand(packet.place, packet.cards + (trouble.amount if trouble else 0)))
            wrong += [(packet.place, trouble.ruling)] if trouble and trouble.noticed else []
        yield from self._are_out(packets)
        for place, ruling in wrong:
            yield from self.judge(place, packets[0].step, ruling)

    def _are_out(self, packets: Sequence[Due]) -> Doings:
        """Report that cards are dealt by hand."""
        self.controller.confirm()
        yield from ()

    def _mishandled(self, packets: Sequence[Due], first: int) -> Doings:
        """Report what a person saw happen to cards of this step, whose first packet has the number `first`."""
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
            self.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
            yield from self.rule(place, trouble.what, packets[0].step, trouble.ruling)
