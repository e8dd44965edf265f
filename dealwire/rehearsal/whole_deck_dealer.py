"""Dealer by hand at a shuffler that hands out whole decks: it shuffles and counts one while another is dealt."""

from typing import Final

from dealwire.rehearsal.dealt_table import DealtTable, Doings
from dealwire.rehearsal.hand_dealer import HandDealer
from dealwire.rehearsal.scenario import Scenario
from devices.simulator.deck import Bay, Cards
from devices.simulator.shuffler import ShufflerModel
from protocol.places import REMAINDER, Place
from protocol.tdp.messages import ShufflerState as S

DECKS: Final = (1, 2)
AT_SHUFFLER: Final = "shuffler"


class WholeDeckDealer(HandDealer):
    """Dealer who plays `scenario` with decks out of a shuffler, each as one packet of all its cards."""

    def __init__(self, scenario: Scenario, table: DealtTable, cards: Cards, shuffler: ShufflerModel) -> None:
        super().__init__(scenario, table, cards)
        self.shuffler = shuffler

    def _sit_down(self) -> Doings:
        for deck in DECKS:
            self.cards.bring(deck, REMAINDER, self.procedure.plan.jokers)
        yield lambda: self.shuffler.state not in (S.BOOT, S.SELF_TEST)
        for deck in DECKS:
            yield from self._load(deck)

    def _load(self, deck: int) -> Doings:
        """Put a deck into the shuffler as soon as its input is free."""
        yield lambda: not self.cards.count(Bay.INPUT)
        self.cards.gather(deck, Bay.INPUT)
        self.shuffler.load_deck(deck, self.now_ns)

    def _make_ready(self) -> Doings:
        """Take the next deck out of the shuffler."""
        yield from self.at(AT_SHUFFLER)
        yield lambda: self.shuffler.press_green(self.now_ns) if self.shuffler.state is S.READY else False
        yield lambda: self.shuffler.state is S.PACKET_WAIT and self.cards.count(Bay.TRAY) > 0
        yield self.pace.lift
        self.shuffler.lift(REMAINDER, self.now_ns)

    def _clear_table(self) -> Doings:
        """Put the deck that was dealt back into the shuffler, which is done with it."""
        yield from self.at(AT_SHUFFLER)
        while self.shuffler.round is not None:
            yield lambda: self.shuffler.round is None or self.shuffler.state in (S.PACKET_WAIT, S.REMAINDER_WAIT)
            self.shuffler.hold_green(self.now_ns)
            self.shuffler.lift(REMAINDER, self.now_ns)
        deck = self.cards.backs([spot for spot, _ in self.cards if isinstance(spot, Place)])
        for each in deck:
            yield from self._load(each)
