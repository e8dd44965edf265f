"""Random hands, doors, jams, power cuts and hosts on the shuffler model: invariants that hold in all cases."""

from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from devices.simulator.deck import Bay, Cards
from devices.simulator.device_model import EventDraft
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.shuffler_parts import MS, MachineMishap, Motion
from protocol.places import MUCK, REMAINDER, Place, seat
from protocol.tdp import messages as m
from protocol.tdp.messages import Resolution
from protocol.tdp.messages import ShufflerState as S


class Hands(RuleBasedStateMachine):
    @initialize(
        seed=st.integers(0, 1000),
        loaded=st.booleans(),
        mishaps=st.lists(
            st.builds(
                MachineMishap,
                st.integers(0, 9),
                by=st.sampled_from([0, 0, -1, 1, 2]),
                jam_tries=st.sampled_from([0, 0, 1, 4]),
                lost=st.sampled_from([0, 0, 1]),
                rejected=st.sampled_from([0, 0, 1]),
                slipped=st.sampled_from([0, 0, 1]),
            ),
            max_size=2,
        ),
    )
    def set_up(self, seed: int, loaded: bool, mishaps: list[MachineMishap]) -> None:
        self.cards = Cards(Random(seed))
        self.cards.bring(1, MUCK)
        self.cards.bring(2, MUCK)
        self.model = ShufflerModel(self.cards, recognition=True)
        self.model.mishaps = mishaps
        self.now = 0
        self.model.power_on(0)
        self.shown, self.lamp = S.BOOT, False
        self.run_until_rest()
        if loaded:
            for deck in (1, 2):
                self.cards.gather(deck, Bay.INPUT)
                self.model.load_deck(deck, self.now)
                self.run_until_rest()

    def run_until_rest(self) -> None:
        while (due := self.model.next_deadline_ns) is not None:
            self.now = due
            self.model.tick(due)

    def watch(self, *, may_clear: bool = False, may_begin: bool = False) -> "Hands.Watch":
        return Hands.Watch(self, may_clear, may_begin)

    class Watch:
        """Invariants: only a person's decision puts out the lamp; without a host no motion begins."""

        def __init__(self, hands: "Hands", may_clear: bool, may_begin: bool) -> None:
            self.hands, self.may_clear, self.may_begin = hands, may_clear, may_begin

        def __enter__(self) -> None:
            model = self.hands.model
            self.latched, self.lost = list(model.latched), model.host_lost
            self.motion, self.stage = model.motion, model.stage

        def __exit__(self, *failure: object) -> None:
            model = self.hands.model
            if failure[0] is not None:
                return
            if self.latched and not self.may_clear:
                assert model.latched[: len(self.latched)] == self.latched
            if self.lost and not self.may_begin:
                assert model.motion is None or self.motion is not None
                assert model.stage is None or self.stage is not None
            self.hands.listen()

    def listen(self) -> None:
        for word in self.model.outbox:
            if isinstance(word, EventDraft) and word.event is m.StateChangedMessage:
                assert word.fields["previous"] == self.shown
                self.shown = word.fields["state"]
            if isinstance(word, EventDraft) and word.event is m.RedLampMessage:
                assert bool(word.fields["lit"]) is not self.lamp
                self.lamp = not self.lamp
        self.model.outbox.clear()
        if self.model.powered:
            assert self.shown is self.model.state
            assert self.lamp is bool(self.model.latched)

    @rule(ms=st.sampled_from([1, 250, 400, 5_000, 60_000]))
    def wait(self, ms: int) -> None:
        with self.watch():
            self.now += ms * MS
            self.model.tick(self.now)

    @rule()
    def rest(self) -> None:
        with self.watch():
            self.run_until_rest()

    @rule()
    def green(self) -> None:
        with self.watch():
            self.model.press_green(self.now)

    @rule(to=st.integers(1, 8))
    def lift(self, to: int) -> None:
        with self.watch():
            before = self.cards.count(seat(to))
            taken = self.model.lift(seat(to), self.now)
            assert self.cards.count(seat(to)) == before + taken

    @rule(packets=st.integers(1, 9), finish=st.booleans())
    def deal(self, packets: int, finish: bool) -> None:
        with self.watch():
            self.model.press_green(self.now)
            for number in range(packets):
                self.run_until_rest()
                if self.model.state is S.PACKET_WAIT:
                    self.model.lift(seat(number + 1), self.now)
        if finish:
            self.rest()
            self.green()
            self.rest()

    @rule(resolution=st.sampled_from(Resolution))
    def put_in_order(self, resolution: Resolution) -> None:
        self.host_back()
        self.command(m.SetLockMessage(0))
        with self.watch():
            self.model.close_setup(self.now)
            self.model.move_door(False, self.now)
            self.run_until_rest()
        self.key(resolution)
        for deck in (1, 2):
            self.load(deck)
            self.rest()

    @rule(is_open=st.booleans())
    def door(self, is_open: bool) -> None:
        with self.watch():
            self.model.move_door(is_open, self.now)

    @rule(deck=st.sampled_from([1, 2]))
    def load(self, deck: int) -> None:
        spots = {spot for spot, card in self.cards if card.back == deck}
        if self.cards.count(Bay.INPUT) == 0 and all(isinstance(spot, Place) for spot in spots):
            with self.watch():
                self.cards.gather(deck, Bay.INPUT)
                self.model.load_deck(deck, self.now)

    @rule(resolution=st.sampled_from(Resolution))
    def key(self, resolution: Resolution) -> None:
        with self.watch(may_clear=True):
            cleared = self.model.turn_key(resolution, self.now)
            assert not cleared or not self.model.latched
            assert cleared or bool(self.model.latched) is self.lamp

    @rule()
    def power_cycle(self) -> None:
        latched = list(self.model.latched)
        self.listen()
        self.model.power_off()
        self.model.power_on(self.now)
        self.shown = S.BOOT
        assert self.model.latched == latched
        self.listen()

    @rule()
    def host_gone(self) -> None:
        if not self.model.host_lost:
            with self.watch():
                self.model.host_gone(self.now)

    @rule()
    def host_back(self) -> None:
        with self.watch(may_begin=True):
            self.model.host_back(self.now)

    @rule(
        command=st.sampled_from(
            [
                m.DispenseMessage(),
                m.DumpMessage(),
                m.RaiseLampMessage(0),
                m.RaiseLampMessage(299),
                m.ClearMisdealMessage(5, 1),
                m.ClearMisdealMessage(5, 2),
                m.ClearMisdealMessage(5, 9),
                m.SetLockMessage(1),
                m.SetLockMessage(0),
                m.SelfTestMessage(),
                m.SelectGameMessage(5, 52, 0, "g"),
                m.SelectGameMessage(7, 53, 1, "pai"),
                m.SelectGameMessage(0, 52, 0, "g"),
                m.ReportStatusMessage(),
            ]
        )
    )
    def command(self, command: m.Message) -> None:
        if not self.model.host_lost:
            with self.watch(may_clear=isinstance(command, m.ClearMisdealMessage)):
                reply = self.model.answer(1, command, self.now)
                assert reply.state == self.model.state
                assert (reply.status == m.Status.REFUSED) is (reply.reason != m.Reason.NONE)

    @rule()
    def set_up_menu(self) -> None:
        with self.watch():
            if not self.model.open_setup(self.now):
                self.model.close_setup(self.now)

    @precondition(lambda self: self.model.mishaps)
    @rule()
    def mend(self) -> None:
        self.model.mishaps = []

    @invariant()
    def every_card_is_in_one_place(self) -> None:
        seen = [card for _, card in self.cards]
        assert len(seen) == len({id(card) for card in seen}) == len({(c.card, c.back) for c in seen}) == 104

    @invariant()
    def the_book_agrees_with_the_cards(self) -> None:
        model, counts = self.model, self.model.round
        if counts is None or counts.remainder is not None or model.state is S.BOOT:
            return
        # a card of the other deck that stayed stuck in an earlier round is in no book of this one
        stuck = sum(card.back == counts.deck for card in self.cards.at(Bay.STUCK))
        assert counts.left == self.cards.count(Bay.CHAMBER) + stuck
        assert counts.loaded == counts.dispensed + counts.rejected + counts.left

    @invariant()
    def moving_states_move(self) -> None:
        if self.model.state in (S.DISPENSING, S.DUMPING, S.RECOVERING):
            assert self.model.motion in (Motion.DISPENSE, Motion.DUMP, Motion.RECOVER)
        if self.model.state in (S.MISDEAL, S.SAFE, S.OPEN, S.LOCKED, S.READY):
            assert self.model.motion is None


Hands.TestCase.settings = settings(
    max_examples=300, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestHands = pytest.mark.more(Hands.TestCase)


def test_gathering_takes_a_deck_from_everywhere_on_the_table() -> None:
    cards = Cards(Random(1))
    cards.bring(1, REMAINDER)
    cards.bring(2, MUCK)
    cards.deal(REMAINDER, seat(3), 7)
    assert cards.gather(1, Bay.INPUT) == 52
    assert cards.count(Bay.INPUT) == 52
    assert cards.backs([Bay.INPUT]) == [1]
    assert cards.count(MUCK) == 52


def test_cards_dealt_one_by_one_turn_their_order_and_a_lifted_packet_keeps_it() -> None:
    cards = Cards(Random(1))
    cards.bring(1, REMAINDER)
    top = cards.at(REMAINDER)[:3]
    assert cards.deal(REMAINDER, Bay.TRAY, 3) == 3
    assert cards.at(Bay.TRAY) == top[::-1]
    under = cards.deal(REMAINDER, seat(1), 1)
    assert cards.lift(Bay.TRAY, seat(1)) == 3
    assert cards.at(seat(1))[:3] == top[::-1]
    assert cards.count(seat(1)) == 3 + under
    assert cards.deal(Bay.TRAY, seat(2), 5) == 0


def test_a_pile_that_leaves_the_table_is_nowhere() -> None:
    cards = Cards(Random(1))
    cards.bring(1, REMAINDER)
    cards.pick(REMAINDER, MUCK, [0, 51, 99])
    assert cards.remove(MUCK) == 2
    assert len(list(cards)) == 50
