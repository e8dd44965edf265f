"""Dealer of a game without a dealing device: cards are dealt by hand, and only the controller reports."""

from collections.abc import Sequence
from typing import Final

from dealer_flow.procedure.steps.due import Due
from dealer_flow.procedure.steps.kinds import AnyStep
from dealwire.rehearsal.dealt_table import Course, Doings
from dealwire.rehearsal.playing_dealer import AT_TABLE
from dealwire.rehearsal.step_dealer import StepDealer
from dealwire.rehearsal.trouble import What
from protocol.places import REMAINDER, Place

BACK: Final = 1


class HandDealer(StepDealer):
    """Dealer who plays `scenario` with a deck in hand and a table controller."""

    def _make_ready(self) -> Doings:
        """Bring a complete deck, shuffled and cut."""
        self.cards.bring(BACK, REMAINDER, self.procedure.plan.jokers)
        self.cards.shuffle(REMAINDER)
        yield self.pace.step

    def _new_deck(self) -> None:
        """Do nothing: every round has a complete deck."""

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
        yield from super()._deal_by_hand(packets)

    def _complete(self, place: Place) -> Doings:
        yield from self.at(AT_TABLE)
        yield self.pace.lift
        self.cards.put_under(place, self._from_hand(place, 1))
        self.controller.confirm()
