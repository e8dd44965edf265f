"""Dealer of a game without a dealing device: cards are dealt by hand, and only the controller reports."""

from collections.abc import Sequence
from typing import Final

from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.procedure.steps.burn_card import BurnCardStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.due import Due
from dealer_flow.procedure.steps.kinds import AnyStep
from dealwire.rehearsal.dealt_table import Course, Doings
from dealwire.rehearsal.playing_dealer import AT_TABLE
from dealwire.rehearsal.scenario import RoundPlan
from dealwire.rehearsal.step_dealer import StepDealer
from dealwire.rehearsal.trouble import What
from protocol.places import BURN, COMMUNITY, REMAINDER, Place
from protocol.tdp.messages import Mishandling

BACK: Final = 1


class HandDealer(StepDealer):
    """Dealer who plays `scenario` with a deck in hand and a table controller."""

    _burned_early = False
    """True if the cards after the next burn were dealt, and put back."""
    _at = ""
    """Step that dealt last."""

    def _begin_plan(self, plan: RoundPlan) -> None:
        super()._begin_plan(plan)
        self._burned_early = False

    def _make_ready(self) -> Doings:
        """Bring a complete deck, shuffled and cut."""
        self.cards.bring(BACK, REMAINDER, self.procedure.plan.jokers)
        self.cards.shuffle(REMAINDER)
        yield self.pace.step

    def _new_deck(self) -> None:
        """Do nothing: every round has a complete deck."""

    def _remainder(self) -> Doings:
        """Count the cards that are left of a deck that may run out: the stub lies there until the pot is pushed."""
        if self.procedure.plan.runs_out is None:
            yield from super()._remainder()
        else:
            yield from self.at(AT_TABLE)
            self.controller.count(REMAINDER, self._left())

    def _left(self) -> int:
        """Return the number of cards left; one that lies in for a stray joker was none of the deck.

        Dead cards are spread with them where a certain number must be left.
        """
        strays = (each for each in self.plan.troubles if each.what is What.JOKER and each.ordinal <= self.ordinal)
        dead = self.replaced if self.procedure.plan.exact_rest is not None else 0
        return super()._left() + sum(1 for _ in strays) + dead

    # -------------------------------------------------------------- dealing

    def _deal_packets(self, step: AnyStep, packets: Sequence[Due]) -> Doings:
        yield from self._deal_by_hand(packets)

    def _deal_by_hand(self, packets: Sequence[Due]) -> Doings:
        ordinals = range(self.ordinal + 1, self.ordinal + len(packets) + 1)
        for ordinal in ordinals:
            self.spoil_line(self.plan.troubles, ordinal)
            if self.plan.find(What.MISDEAL_CALLED, ordinal):
                yield from self.call_misdeal()
                self.course = Course.STOP
                return
        runs_out, left = self.procedure.plan.runs_out, self.cards.count(REMAINDER)
        if runs_out is not None and left < sum(packet.cards for packet in packets):
            yield from self._run_out(packets, runs_out.then)
        elif self._burned_early and packets[0].place == BURN:
            self._burned_early = False
        elif packets:
            self._at = packets[0].step
            yield from super()._deal_by_hand(packets)

    def _are_out(self, packets: Sequence[Due]) -> Doings:
        """Report the cards of a step: those dealt face up are keyed, those burned go with the next."""
        step = self._step_of(packets)
        if isinstance(step, BurnCardStep):
            return
        if not isinstance(step, DealStep) or step.face == "down":
            self.controller.confirm()
            return
        for place in dict.fromkeys(packet.place for packet in packets):
            yield self.pace.show
            self._key(place)

    def _key(self, place: Place) -> None:
        """Key the cards that lie open at a place."""
        self.controller.reveal(place, self.cards.faces(place) if place == COMMUNITY else tuple(self.up[place]))

    def _step_of(self, packets: Sequence[Due]) -> AnyStep:
        return next(step for step in self.procedure.steps if step.name == packets[0].step)

    def _run_out(self, packets: Sequence[Due], then: str) -> Doings:
        """Deal from a deck with too few cards: all but the last are dealt, that one and the burned ones are scrambled.

        If these are too few, one card is turned up that plays in every hand (47.1-1009(2)), or the round is a misdeal.
        """
        left, burned = self.cards.count(REMAINDER), self.cards.count(BURN)
        whole = max(left - 1, 0)
        yield from self.at(AT_TABLE)
        if then.startswith("scramble") and burned + min(left, 1) >= len(packets) - whole:
            for packet in packets[:whole]:
                self.lay(packet, self._from_hand(packet.place, packet.cards))
            self._from_hand(BURN, min(left, 1))
            self.cards.shuffle(BURN)
            for packet in packets[whole:]:
                self.lay(packet, self.cards.deal(BURN, packet.place, 1))
            yield from self._are_out(packets)
        elif then == "scramble-or-community" and left + burned > 1:
            self._from_hand(BURN, min(left, 1))
            self.cards.shuffle(BURN)
            self.cards.deal(REMAINDER if left > 1 else BURN, COMMUNITY, 1)
            yield self.pace.show
            self.controller.reveal(COMMUNITY, self.cards.faces(COMMUNITY))
        else:
            yield from self.call_misdeal()
            self.course = Course.STOP

    def _complete(self, place: Place) -> Doings:
        yield from self.at(AT_TABLE)
        yield self.pace.lift
        self.cards.put_under(place, self._from_hand(place, 1))
        self.controller.confirm()
        if place == COMMUNITY and self._keyed(self._at):
            yield self.pace.show
            self._key(place)

    # -------------------------------------------------------------- cards that go back

    def judge(self, place: Place, step: str, ruling: str) -> Doings:
        """Count a hand that is known to be wrong; too many open cards were counted as they were keyed."""
        if self._keyed(step) and self.procedure.then(place, "long", step) == "reshuffle" and not self.missing(place):
            yield from self.put_back(place, "long", step)
        else:
            yield from super().judge(place, step, ruling)

    def put_back(self, place: Place, how: str, step: str) -> Doings:
        """Put the cards that are too many, or all of the step, back into the deck, and deal those of the step again."""
        plan = self.procedure.plan
        policy, there = plan.wrong(plan.kind(place), how, step), self.cards.count(place)
        cards = next(each.cards for each in self.procedure.steps if isinstance(each, DealStep) and each.name == step)
        again = cards if policy is not None and policy.back != "card" else 0
        gone = there - self._due[place] + again
        self.cards.pick(place, REMAINDER, range(there - gone, there))
        self.cards.shuffle(REMAINDER)
        self.cards.put_under(place, self._from_hand(place, again))
        if self._keyed(step):
            yield self.pace.show
            self._key(place)

    def _keyed(self, step: str) -> bool:
        """Return True if the cards of a step are dealt face up."""
        return any(
            isinstance(each, DealStep) and each.name == step and each.face == "up" for each in self.procedure.steps
        )

    def _deal_early(self, step: BetStep) -> Doings:
        """Deal community cards before the betting is over; they go back, and the card burned before stays burned."""
        yield from self.at(AT_TABLE)
        burn = self._after(step)[0]
        if isinstance(burn, BurnCardStep):
            self._from_hand(BURN, burn.cards)
            self._burned_early = True
        self.controller.mishandle(COMMUNITY, Mishandling.EARLY)
        self.cards.shuffle(REMAINDER)
