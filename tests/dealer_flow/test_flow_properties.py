"""For arbitrary reports in any order the flow answers, publishes only valid rounds and settles no broken one."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from dealer_flow.play.machine.states import LOOSE, State
from dealer_flow.record.catalogue import INCIDENTS
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import CARDS, DECK
from protocol.places import COMMUNITY, DEALER, PLACES, seat
from tests.support.dealing.flow_points import held_reports, round_of
from tests.support.dealing.hand_table import CONTROLLER, DEVICE, HandTable

seats = st.integers(1, 3)
any_place = st.sampled_from(
    [PLACES[code] for code in (0, 1, 2, 3, 9, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x99, 255)]
)
byte, word = st.integers(0, 255), st.integers(0, 65535)
any_cards = st.lists(st.sampled_from(CARDS), max_size=8).map(tuple)
any_body = st.one_of(
    st.builds(e.PacketDispensed, byte, byte, byte, byte, any_cards),
    st.builds(e.PacketLifted, byte),
    st.builds(e.RemainderDumped, byte, word, word),
    st.builds(e.CardRejected, byte, st.sampled_from(CARDS), word),
    st.builds(e.DeckVerified, byte, word, word),
    st.builds(e.RedLamp, st.booleans(), word),
    st.builds(e.FaultRaised, word, any_place, word),
    st.builds(e.MisdealReported, byte, word, word, st.none() | word, byte, st.just(((5, 4),))),
    st.builds(e.MisdealCleared, word, word, st.booleans()),
    st.builds(e.DeckRemoved, byte),
    st.builds(e.DoorMoved, st.booleans()),
    st.builds(e.GameStarted, st.integers(0, 2**32 - 1)),
    st.builds(e.GameEnded, st.integers(0, 2**32 - 1)),
    st.builds(e.WagerPlaced, byte, byte, st.integers(0, 2**32 - 1)),
    st.builds(e.SensorChanged, byte, st.booleans()),
    st.builds(e.DecisionMade, byte, byte),
    st.builds(e.BurnConfirmed, any_place, st.lists(st.integers(1, 16), max_size=16).map(tuple), st.text(max_size=3)),
    st.builds(e.HandRevealed, any_place, any_cards, st.booleans()),
    st.builds(e.CardsCounted, any_place, byte),
    st.builds(e.MisdealCalled, word, word),
    st.builds(e.EventsLost, word, word),
    st.builds(e.LinkLost, st.just("silent")),
    st.builds(e.Booted, word, st.booleans()),
    st.builds(e.SessionChanged, word, word),
    st.builds(e.UnknownReported, st.just("0x9999")),
)


class AnyEvening(RuleBasedStateMachine):
    """A dealer who mostly does what is due, at a table where anything may be reported."""

    def __init__(self) -> None:
        super().__init__()
        self.table = HandTable()
        self.published = 0
        self.burned = False
        self.shown_early = False

    @rule(seat=seats, bet=st.sampled_from(["ante", "blind", "progressive", "flush-rush"]))
    def bet(self, seat: int, bet: str) -> None:
        self.table.controller(e.WagerPlaced(seat, self.table.spots[bet], 500))

    @rule(pick=st.integers(0, 999))
    def do_what_is_legal(self, pick: int) -> None:
        """One thing that `legal()` lists never is out of turn."""
        options = self.table.flow.legal()
        item = options[pick % len(options)]
        body = self._make(item.event, item.place, item.value)
        before, held = len(self.table.incidents), held_reports(self.table.flow)
        self._see(body)
        codes = {incident.code for incident in self.table.incidents[before:]}
        assert held or not codes & {"out-of-turn", "reveal-before-burn", "wrong-burn", "unknown-seat"}, (item, codes)

    def _make(self, event: str, place: str, value: int) -> e.Body:
        left = 52 - round_of(self.table.flow).ledger.dealt - round_of(self.table.flow).ledger.rejected
        number = int(place.removeprefix("seat ")) if place.startswith("seat ") else 0
        where = seat(number) if number else {"community": COMMUNITY, "dealer": DEALER}.get(place, PLACES[0x43])
        faces = {"community": DECK[2:4], "dealer": DECK[45:50]}.get(place, DECK[5 * number : 5 * number + 5])
        makers: dict[str, e.Body] = {
            "GameStarted": e.GameStarted(len(self.table.results) + 1),
            "GameEnded": e.GameEnded(round_of(self.table.flow).number),
            "PacketDispensed": e.PacketDispensed(1, value, 5, 5, ()),
            "PacketLifted": e.PacketLifted(value),
            "RemainderDumped": e.RemainderDumped(round_of(self.table.flow).ledger.deck, left, left),
            "BurnConfirmed": e.BurnConfirmed(COMMUNITY, (1, 2, 5), "left-to-right"),
            "HandRevealed": e.HandRevealed(where, faces, False),
            "CardsCounted": e.CardsCounted(where, 2 if where == COMMUNITY and self.burned else 5),
            "WagerPlaced": e.WagerPlaced(number, value, 500),
            "DecisionMade": e.DecisionMade(number, value),
            "MisdealCalled": e.MisdealCalled(7, 0),
            "BadgeSwiped": e.BadgeSwiped(7, e.Level.SUPERVISOR),
            "Confirmed": e.Confirmed(),
        }
        return makers[event]

    @precondition(lambda self: self.table.flow.state is not State.BETTING)
    @rule(body=any_body, device=st.sampled_from([DEVICE, CONTROLLER]))
    def anything(self, body: e.Body, device: str) -> None:
        self._see(body, device)

    def _see(self, body: e.Body, device: str = CONTROLLER) -> None:
        if isinstance(body, e.BurnConfirmed):
            self.burned = True
        if isinstance(body, e.HandRevealed) and body.place in (COMMUNITY, DEALER) and not self.burned:
            self.shown_early = True
        self.table.see(device, body)
        for result in self.table.results[self.published :]:
            self._judge(result)
        if len(self.table.results) > self.published:
            self.published, self.burned, self.shown_early = len(self.table.results), False, False

    def _judge(self, result: RoundResult) -> None:
        assert RoundResult.from_json(result.to_json()) == result
        assert {incident.code for incident in result.incidents} <= set(INCIDENTS)
        if result.outcome != "complete":
            return
        assert not self.shown_early
        assert result.burn is not None
        assert result.remainder is not None
        assert result.remainder.counted == result.remainder.expected
        assert not {"reveal-before-burn", "wrong-burn", "burned-card-in-play", "events-lost", "session-changed"} & {
            incident.code for incident in result.incidents
        }
        for seat_ in result.seats:
            assert seat_.status == "dead" or (seat_.counted == seat_.expected and seat_.decision)

    @invariant()
    def always_answers(self) -> None:
        assert self.table.flow.legal()
        assert (
            self.table.flow.state in LOOSE
            or not round_of(self.table.flow).unreliable
            or not (round_of(self.table.flow).in_play)
        )

    def teardown(self) -> None:
        for result in self.table.flow.finish():
            assert result.outcome == "unreliable"


AnyEvening.TestCase.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
TestAnyEvening = pytest.mark.more(AnyEvening.TestCase)


def test_an_incident_is_a_value() -> None:
    table = HandTable().start()
    assert all(isinstance(incident, Incident) and incident.clause for incident in table.incidents)
