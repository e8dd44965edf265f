"""Dealer at a card shoe, for games that are dealt step by step."""

from collections.abc import Iterable, Sequence
from itertools import takewhile
from random import Random

from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.procedure.steps.burn_card import BurnCardStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.due import Due
from dealer_flow.procedure.steps.kinds import AnyStep
from dealwire.rehearsal.dealt_table import Counted, Course, DealtTable, Doings
from dealwire.rehearsal.playing_dealer import AT_TABLE
from dealwire.rehearsal.scenario import RoundPlan, Scenario, SimulatedPlayer
from dealwire.rehearsal.shoe_hands import AT_SHOE, ShoeHands
from dealwire.rehearsal.step_dealer import StepDealer
from dealwire.rehearsal.trouble import What
from devices.simulator.deck import Cards, PlayingCard
from devices.simulator.shoe import ShoeModel
from protocol.places import BURN, COMMUNITY, MUCK, REMAINDER, SHOE, Place, parse_place
from protocol.tdp.messages import Mishandling
from protocol.tdp.messages import ShoeState as S

SHOE_BACK, HAND_BACK = 1, 2
"""Backs of the cards in the shoe, and of the deck that is dealt by hand."""


class CardDealer(ShoeHands, StepDealer):
    """Dealer who plays `scenario` on a card shoe and a table controller."""

    def __init__(self, scenario: Scenario, table: DealtTable, cards: Cards, shoe: ShoeModel, rng: Random) -> None:
        super().__init__(scenario, table, cards)
        self.shoe = shoe
        self._rng = rng
        self._drawn = 0
        """Cards that left the shoe in this round."""
        self._rounds = 0
        """Rounds dealt from this shoe."""
        self._unburned = False
        """True if a burn was forgotten, which is noticed after the next cards are dealt."""
        self._worn = False
        """True if the cards in the shoe are replaced before the next round."""
        self._burned_early = False
        """True if the cards after the next burn are already dealt."""
        self._turned = False
        """True if a community card was dealt by hand; it is revealed with the hands."""

    # -------------------------------------------------------------- the evening

    def _sit_down(self) -> Doings:
        yield lambda: self.shoe.state is not S.BOOT

    def _begin_round(self, plan: RoundPlan) -> None:
        super()._begin_round(plan)
        self._drawn, self._burned_early, self._turned = 0, False, False

    def _make_ready(self) -> Doings:
        """Fill the shoe if it is empty, finished, or too short for the round."""
        yield from self.at(AT_SHOE)
        plan = self.procedure.plan
        most = plan.cards if plan.decks > 1 else plan.cards // 2
        over = self.shoe.state is S.SHOE_END or len(self.shoe.cards) < most
        old = plan.shuffle is not None and self._rounds >= plan.shuffle.rounds
        if over or self._worn or old:
            self.shoe.empty()
        self._rounds += 1
        if self.shoe.state is S.EMPTY:
            self._rounds, self._worn = 1, False
            faces = [*plan.faces] * plan.decks
            self._rng.shuffle(faces)
            self.shoe.fill(plan.decks, self._scenario.cut_after, faces)
            yield from self.at(AT_SHOE)
            self.shoe.begin()
            yield from self.shown()
        self.cards.remove(REMAINDER)
        self.cards.bring(HAND_BACK, REMAINDER)
        self.cards.shuffle(REMAINDER)

    def _new_deck(self) -> None:
        self._worn = True

    def _clear_table(self) -> Doings:
        yield from self.at(AT_SHOE)
        self.shoe.end_round()
        if self.procedure.plan.procedure.deck.fresh == "each-round":
            self.shoe.empty()
        self._worn |= self._alike()
        yield from super()._clear_table()

    def _alike(self) -> bool:
        """Return True if a hand holds identical cards, after which the shoe is shuffled."""
        plan = self.procedure.plan
        places = [plan.place(name) for name in plan.shuffle.identical] if plan.shuffle else []
        cards = [card for place in places for card in self.cards.faces(place)]
        return len({*cards}) < len(cards)

    # -------------------------------------------------------------- dealing

    def _deal_packets(self, step: AnyStep, packets: Sequence[Due]) -> Doings:
        if self.procedure.plan.runs_out is not None and len(self.shoe.cards) < sum(due.cards for due in packets):
            yield from self._run_out(step, packets, self.procedure.plan.runs_out.then)
        else:
            yield from self._deal_from_shoe(step, packets)

    def _run_out(self, step: AnyStep, packets: Sequence[Due], then: str) -> Doings:
        """Deal from a shoe with too few cards. All but the last card are dealt; that one and the burned cards are
        scrambled and dealt by hand. If these are too few, one card is turned up that plays in every hand
        (47.1-1009(2)), or the round is a misdeal."""
        left, burned = len(self.shoe.cards), self.cards.count(BURN)
        whole = max(left - 1, 0)
        if then.startswith("scramble") and burned + min(left, 1) >= len(packets) - whole:
            rest = packets[whole:]
            yield from self._deal_from_shoe(step, packets[:whole])
            if left:
                yield from self._burn_last()
        elif then == "scramble-or-community" and left + burned > 1:
            rest = [Due(COMMUNITY, 1, step.name)] if left < 2 else []
            if left:
                yield from self._burn_last()
            if not rest:
                yield from self._draw_to(COMMUNITY)
        else:
            yield from self.call_misdeal()
            self.course = Course.STOP
            return
        self.cards.shuffle(BURN)
        if rest and not self._is(Course.STOP):
            yield from self.at(AT_TABLE)
            for packet in rest:
                yield self.pace.lift
                self.lay(packet, self.cards.deal(BURN, packet.place, 1))
                self._turned |= packet.place == COMMUNITY
            self.controller.confirm()

    def _burn_last(self) -> Doings:
        """Move a card to the burned cards."""
        yield from self.at(AT_SHOE)
        self.shoe.burn(1)
        yield from self._draw_to(BURN)

    def _deal_from_shoe(self, step: AnyStep, packets: Sequence[Due]) -> Doings:
        yield from self.at(AT_SHOE)
        wrong: list[tuple[Place, str]] = []
        if isinstance(step, BurnCardStep) and (self._burned_early or self._forgets(packets)):
            self._burned_early = False
            return
        for packet in packets:
            self.ordinal += 1
            if self.plan.find(What.MISDEAL_CALLED, self.ordinal):
                yield from self.call_misdeal()
                self.course = Course.STOP
                return
            self.spoil_line(self.plan.troubles, self.ordinal)
            trouble = self.plan.find(What.MISPLACED, self.ordinal)
            if trouble:
                astray = parse_place(trouble.to)
                for _ in range(trouble.amount):
                    yield from self._draw_to(astray)
                places = [place for place in (packet.place, astray) if place not in (BURN, MUCK)]
                wrong += [(place, trouble.ruling) for place in places]
            if self.plan.find(What.DROPPED, self.ordinal):
                yield from self._drop(packet.place)
            skipped = self.plan.find(What.SKIPPED, self.ordinal)
            wrong += [(packet.place, skipped.ruling)] if skipped else []
            arrived = 0
            for _ in range(packet.cards - (trouble.amount if trouble else 0) - (skipped is not None)):
                arrived += yield from self._draw_to(packet.place)
            self.lay(packet, arrived)
            extra = self.plan.find(What.EXTRA, self.ordinal)
            for _ in range(extra.amount if extra else 0):
                self.cards.put_under(packet.place, (yield from self._draw_to(packet.place)))
            if extra and extra.noticed:
                yield from self.judge(packet.place, step.name, extra.ruling)
                yield from self.at(AT_SHOE)
            elif extra:
                wrong.append((packet.place, extra.ruling))
            if self._is(Course.STOP):
                break
        yield from self._after_deal(step, wrong)

    def _show_seats(self, players: list[SimulatedPlayer]) -> Doings:
        if self._turned and self._is(Course.PLAY):
            self._turned = False
            yield self.pace.show
            self.controller.reveal(COMMUNITY, self.cards.faces(COMMUNITY))
        yield from super()._show_seats(players)

    def _deal_early(self, step: BetStep) -> Doings:
        """Deal community cards before the betting is over. They go back into the deck; the cards burned before them
        stay burned."""
        yield from self.at(AT_SHOE)
        after = self._after(step)
        burned = takewhile(lambda each: not isinstance(each, DealStep), after)
        burns = sum(each.cards for each in burned if isinstance(each, BurnCardStep))
        cards = next(each.cards for each in after if isinstance(each, DealStep))
        if burns:
            self.shoe.burn(burns)
        for place in [BURN] * burns + [COMMUNITY] * cards:
            yield from self._draw_to(place)
        self._burned_early = burns > 0
        yield from self.at(AT_TABLE)
        self.controller.mishandle(COMMUNITY, Mishandling.EARLY)
        self.cards.pick(COMMUNITY, SHOE, range(cards))
        yield from self.refill()
        yield from self.at(AT_TABLE)

    def _forgets(self, burned: Sequence[Due]) -> bool:
        """Return True if the dealer forgets to burn. If not, tell the shoe what the next cards are for."""
        self._unburned = self.plan.find(What.SKIPPED, self.ordinal + 1) is not None
        if self._unburned:
            self.ordinal += len(burned)
        else:
            self.shoe.burn(len(burned))
        return self._unburned

    def _after_deal(self, step: AnyStep, wrong: Iterable[tuple[Place, str]]) -> Doings:
        """Judge what went wrong in a step after its cards are dealt."""
        for place, ruling in sorted(set(wrong)):
            yield from self.judge(place, step.name, ruling)
        if self._unburned:
            self._unburned = False
            yield from self.at(AT_TABLE)
            self.controller.mishandle(BURN, Mishandling.NOT_BURNED)
        yield from self.at(AT_SHOE)

    def _draw_to(self, place: Place) -> Counted:
        """Draw the next card to a place, and return the number of cards that came out."""
        yield from self.before_card(self._drawn + 1)
        self._drawn += 1
        card = self.draw_card(self._drawn)
        if card is None:
            return 0
        self.cards.lay(PlayingCard(card, SHOE_BACK), place)
        yield from self.after_card(self._drawn, card)
        return 1

    def _drop(self, place: Place) -> Doings:
        """Drop a card on its way to a place and return it to the deck; the place gets the next one."""
        yield from self._draw_to(place)
        self.cards.put_under(place, 1)
        yield from self.at(AT_TABLE)
        self.controller.mishandle(place, Mishandling.DROPPED, self.cards.faces(place)[-1])
        self.cards.pick(place, SHOE, [self.cards.count(place) - 1])
        yield from self.refill()

    def _complete(self, place: Place) -> Doings:
        yield from self.at(AT_SHOE)
        if place == BURN:
            self.shoe.burn(1)
        yield from self._draw_to(place)

    def put_back(self, place: Place, how: str, step: str) -> Doings:
        """Put the cards back into the shoe with the rest, shuffled."""
        plan, there = self.procedure.plan, self.cards.count(place)
        policy = plan.wrong(plan.kind(place), how, step)
        too_many = max(there - self._due[place], 0)
        whole = policy is not None and policy.back != "card"
        if policy is not None and policy.back == "step-and-burn" and self.cards.count(BURN):
            self.cards.pick(BURN, SHOE, [self.cards.count(BURN) - 1])
            self.owed.append(BURN)
        self.owed += [place] * (self._due[place] if whole else not too_many)
        for _ in range(there if whole else too_many or 1):
            self.cards.pick(place, SHOE, [0 if how == What.EXPOSED else self.cards.count(place) - 1])
        yield from self.refill()

    def refill(self) -> Doings:
        """Shuffle the rest with the returned cards and refill the shoe."""
        yield from self.at(AT_SHOE)
        stub = [*self.shoe.cards, *self.cards.faces(SHOE)]
        self.cards.remove(SHOE)
        self._rng.shuffle(stub)
        self.shoe.empty()
        yield from self.at(AT_SHOE)
        self.shoe.fill(self.procedure.plan.decks, None, stub)
        yield from self.at(AT_SHOE)
        self.shoe.begin()
        yield from self.shown()

    def _left(self) -> int:
        return len(self.shoe.cards) + self.replaced  # dead cards are spread with them
