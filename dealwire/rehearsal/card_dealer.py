"""The dealer at a card shoe, of any game that goes step by step: each card is drawn and laid where it belongs."""

from collections.abc import Sequence
from random import Random

from dealer_flow.procedure.steps import AnyStep, BurnCardStep, Due
from dealwire.rehearsal import floor_supervisor as supervisor
from dealwire.rehearsal.dealt_table import Counted, Course, DealtTable, Doings
from dealwire.rehearsal.scenario import Scenario
from dealwire.rehearsal.shoe_hands import AT_SHOE, ShoeHands
from dealwire.rehearsal.step_dealer import AT_TABLE, StepDealer
from dealwire.rehearsal.trouble import What
from devices.simulator.deck import Cards, PlayingCard
from devices.simulator.shoe import ShoeModel
from protocol.places import BURN, MUCK, REMAINDER, Place, parse_place
from protocol.tdp.messages import ShoeState as S

SHOE_BACK, HAND_BACK = 1, 2
"""Backs of the cards in the shoe, and of the deck that is dealt by hand."""


class CardDealer(ShoeHands, StepDealer):
    """Plays `scenario` on a card shoe and a table controller."""

    def __init__(self, scenario: Scenario, table: DealtTable, cards: Cards, shoe: ShoeModel, rng: Random) -> None:
        super().__init__(scenario, table, cards)
        self.shoe = shoe
        self._rng = rng
        self._drawn = 0
        """Cards that left the shoe in this round."""
        self._rounds = 0
        """Rounds dealt from this shoe."""
        self._worn = False
        """The cards in the shoe are exchanged before the next round."""

    # -------------------------------------------------------------- the evening

    def _evening(self) -> Doings:
        yield lambda: self.shoe.state is not S.BOOT
        for plan in self._scenario.plans():
            self._begin_plan(plan)
            self._drawn = 0
            yield from self._bets()
            yield from self._round()
            yield from self._clear_table()

    def _make_ready(self) -> Doings:
        """Fill the shoe when it is empty, over, or would not do for the round."""
        yield from self.at(AT_SHOE)
        over = self.shoe.state is S.SHOE_END or len(self.shoe.cards) < self._most_cards()
        plan = self.procedure.plan
        rounds = plan.procedure.deck.rounds
        if over or self._worn or (rounds and self._rounds >= rounds):
            self.shoe.empty()
        self._rounds += 1
        if self.shoe.state is S.EMPTY:
            self._rounds, self._worn = 1, False
            faces = [*plan.faces] * plan.decks
            self._rng.shuffle(faces)
            self.shoe.fill(plan.decks, self._scenario.cut_after, faces)
            yield self.pace.step
            self.shoe.begin()
            yield from self.shown()
        self.cards.remove(REMAINDER)
        self.cards.bring(HAND_BACK, REMAINDER)
        self.cards.shuffle(REMAINDER)

    def _new_deck(self) -> None:
        self._worn = True

    def _most_cards(self) -> int:
        """Cards a round may need at most."""
        plan = self.procedure.plan
        return plan.cards if plan.decks > 1 else plan.cards // 2

    def _clear_table(self) -> Doings:
        for player in self.on_sensors():
            self.controller.sense(player.seat, False)
        yield self.pace.collect
        yield from self.at(AT_SHOE)
        self.shoe.end_round()
        if self.procedure.plan.procedure.deck.fresh == "each-round":
            self.shoe.empty()
        for spot in {spot for spot, _ in self.cards}:
            self.cards.remove(spot)

    # -------------------------------------------------------------- dealing

    def _deal_packets(self, step: AnyStep, packets: Sequence[Due]) -> Doings:
        yield from self.at(AT_SHOE)
        wrong: list[tuple[Place, str]] = []
        if isinstance(step, BurnCardStep):
            self.shoe.burn(len(packets))
        for packet in packets:
            self.ordinal += 1
            if self.plan.find(What.MISDEAL_CALLED, self.ordinal):
                yield from supervisor.call_misdeal(self)
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
            arrived = 0
            for _ in range(packet.cards - (trouble.amount if trouble else 0)):
                arrived += yield from self._draw_to(packet.place)
            self.lay(packet, arrived)
        for place, ruling in sorted(set(wrong)):
            yield from supervisor.judge(self, place, step.name, ruling)
        yield from self.at(AT_SHOE)

    def _draw_to(self, place: Place) -> Counted:
        """Draw the next card and lay it at a place; returns how many came out."""
        yield from self.before_card(self._drawn + 1)
        self._drawn += 1
        card = self.draw_card(self._drawn)
        if card is None:
            return 0
        self.cards.lay(PlayingCard(card, SHOE_BACK), place)
        yield from self.after_card(self._drawn, card)
        return 1

    def _from_hand(self, place: Place, cards: int) -> int:
        return self.cards.deal(REMAINDER, place, cards)

    def _complete(self, place: Place) -> Doings:
        yield from self.at(AT_SHOE)
        yield from self._draw_to(place)

    def _remainder(self) -> Doings:
        if self.procedure.plan.exact_rest is not None:
            yield from self.at(AT_TABLE)
            self.controller.count(REMAINDER, len(self.shoe.cards))
