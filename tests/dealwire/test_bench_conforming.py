"""Devices that follow the page differently from the simulated one are not accused; an obstacle is named once, soon."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from dealwire.bench.hands.operator import SimulatedOperator
from dealwire.bench.plan.plan import load_plan
from dealwire.bench.record import BenchOutcome, HeardFrame, NotRunCause
from dealwire.bench.rules.rule import ALL_RULES, BenchRule, Known
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, BenchRun, run_plan
from dealwire.bench.verbs.probe import MS, Probe
from dealwire.bench.verbs.wire import SimulatedWire
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from devices.simulator.host import TableModel
from protocol.errors import WrongDevice
from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope, decode, encode
from protocol.tdp.framing import encode_frame
from protocol.tdp.messages import Reason, Role, ShufflerState, Status
from tests.support.broken.base import Broken, Rewriting, changed
from tests.support.broken.deals import RecordCountsNothing
from tests.support.broken.devices import caught_by
from tests.support.broken.devices import judge as judge_any
from tests.support.broken.fields import Field
from tests.support.broken.tables import CountsFromRight


def run(table: TableModel, hands: SimulatedOperator, wire: SimulatedWire, *only: str) -> BenchRun:
    return run_plan(load_plan("shuffler"), wire, lambda _: hands, BenchChoices(only))


def judge(device: type[Broken], *only: str) -> BenchRun:
    rig = SimulatedRig("shuffler", speed=20, wrap=device)
    return run_plan(load_plan("shuffler"), rig.wire, lambda _: rig.hands, BenchChoices(only))


def outcomes(found: BenchRun) -> dict[str, tuple[BenchOutcome, str]]:
    return {it.id: (it.outcome, it.why) for it in found.results if it.cause is not NotRunCause.FILTERED}


# ------------------------------------------------------------------ events from before the bench came


class RepeatsAtOpen(Rewriting):
    """Sends every event that is not acknowledged again as soon as a session is opened, before its status; and says
    something new at the first HELLO."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._events: dict[int, bytes] = {}
        self._acked, self._opening, self.acks = 0, False, [0][:0]

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        if isinstance(envelope.message, m.AckMessage):
            self._acked = max(self._acked, envelope.message.up_to)
            self.acks.append(envelope.message.up_to)
        self._opening = self._opening or isinstance(envelope.message, m.OpenSessionMessage)
        return [envelope.body]

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.Event):
            self._events[message.number] = envelope.body
        yield envelope.body
        if isinstance(message, m.ReplyMessage) and self._opening and message.status == Status.DONE:
            self._opening = False
            yield from (self._events[number] for number in sorted(self._events) if number > self._acked)


def lost_its_monitor() -> tuple[RepeatsAtOpen, SimulatedOperator, SimulatedWire]:
    """A device whose host was there, acknowledged nothing of late and left: it holds events, and is in SAFE."""
    table = SimulatedTable(load_scenario("clean-1"), speed=20)
    device = RepeatsAtOpen(table)
    wire = SimulatedWire(device, "shuffler")
    hands = SimulatedOperator(table, "shuffler", wire.now_ns)
    monitor = Probe(wire, role=Role.OBSERVE)
    monitor.open()
    monitor.acks = False
    hands.do("open-door", {})
    hands.do("close-door", {})
    monitor.beats = False
    monitor.run(wire.now_ns() + 10_000 * MS)
    assert monitor.last_event > device._acked
    device.acks.clear()
    return device, hands, wire


def test_a_device_that_repeats_its_events_at_open_is_not_accused() -> None:
    device, hands, wire = lost_its_monitor()
    found = outcomes(run(device, hands, wire, "frame.hello", "events.resend", "always.window", "always.event-order"))
    assert {why for _, why in found.values()} == {""}
    assert {outcome for outcome, _ in found.values()} == {BenchOutcome.PASSED}


def test_nothing_is_acknowledged_before_it_is_known_what_there_is() -> None:
    device, hands, wire = lost_its_monitor()
    run(device, hands, wire, "frame.hello", "commands.reply")
    assert 0 not in device.acks


# ------------------------------------------------------------------ refusals


class RefusesLamp(Rewriting):
    """RAISE-LAMP is refused for any reason, as BAD_PARAMETER. `asks` counts the commands."""

    kinds: tuple[type[m.Message], ...] = (m.RaiseLampMessage,)
    asks = 0

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        self._replies: list[bytes] = []
        type(self).asks = 0

    def heard(self, envelope: Envelope) -> Iterable[bytes]:
        if not isinstance(envelope.message, self.kinds):
            return [envelope.body]
        type(self).asks += isinstance(envelope.message, m.RaiseLampMessage)
        refused = m.ReplyMessage(Status.REFUSED, Reason.BAD_PARAMETER, int(ShufflerState.READY))
        body = encode(refused, request=envelope.request, message_id=envelope.message_id)
        self._replies.append(encode_frame(body, after_silence=True))
        return []

    def say(self, data: bytes) -> Iterable[bytes]:
        replies, self._replies = self._replies, []
        return [*super().say(data), *replies]


class RefusesEmptying(RefusesLamp):
    """Neither by the lamp nor by dealing does it come to be empty."""

    kinds = (m.RaiseLampMessage, m.DispenseMessage)


def test_a_device_that_cannot_be_emptied_by_the_lamp_is_emptied_by_dealing() -> None:
    found = outcomes(judge(RefusesLamp, "deal.lock", "fault.too-few-101"))
    assert found == dict.fromkeys(("deal.lock", "fault.too-few-101"), (BenchOutcome.PASSED, ""))
    assert 0 < RefusesLamp.asks <= 2


def test_a_device_that_refuses_is_quoted_and_not_asked_again_and_again() -> None:
    found = judge(RefusesEmptying, "deal.lock", "fault.too-few-101")
    (check,) = [it for it in found.results if it.id == "fault.too-few-101"]
    assert check.outcome is BenchOutcome.FAILED
    assert check.why.startswith("RaiseLamp fault=505 is refused: Reply status=REFUSED")
    assert "; Dispense is refused: Reply status=REFUSED reason=BAD_PARAMETER" in check.why
    assert RefusesEmptying.asks == 1
    assert check.duration_ms < 30_000


class WrongSession(Broken):
    """HELLO-REPLY gives another session than the device's own."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        return [
            changed(envelope, session=message.session ^ 1)
            if isinstance(message, m.HelloReplyMessage)
            else envelope.body
        ]


def test_a_session_that_is_not_opened_fails_once_and_its_cause_is_named() -> None:
    found = judge(WrongSession, "commands.*", "events.*")
    failed = [it for it in found.results if it.outcome is BenchOutcome.FAILED]
    later = [it for it in found.results if it.cause is NotRunCause.NO_SESSION]
    (first,) = failed
    assert first.id == "commands.reply"
    assert "the session was not opened: refused, NO_SESSION; HELLO-REPLY gives session " in first.why
    assert {it.why for it in later} == {f"same as commands.reply: {first.why}"}
    assert len(later) > 5


def test_another_device_than_was_named_is_said_at_once() -> None:
    rig = SimulatedRig("table-controller")
    began_ns = rig.wire.now_ns()
    with pytest.raises(WrongDevice, match="table-controller"):
        run_plan(load_plan("link"), rig.wire, lambda _: rig.hands, device="shuffler")
    assert rig.wire.now_ns() - began_ns < 5_000 * MS


# ------------------------------------------------------------------ a clock that stands still


def statuses(moments: Iterable[tuple[int, int]]) -> BenchRule:
    """The rule, after a status at each of these moments: when it arrives, and what its own clock says, in ms."""
    rule = ALL_RULES["status-rhythm"]()
    for at_ms, uptime_ms in moments:
        message = m.ControllerStatusMessage(1, 0, uptime_ms, 0, 0, 0, ())
        rule.on_frame(HeardFrame(at_ms * MS, decode(encode(message)), True), Known())
    return rule


@pytest.mark.parametrize("own_ms", [0, 10, 1000, 3000])
def test_a_clock_that_stands_still_or_crawls_excuses_no_late_status(own_ms: int) -> None:
    """A status every three seconds; the device's clock moves on by so much from each to the next."""
    assert statuses((turn * 3_000, 5_000 + turn * own_ms) for turn in range(10)).broken


def test_a_late_machine_is_not_the_device() -> None:
    """Statuses a second apart by the device's clock; three of them arrive at once, three seconds late."""
    rule = statuses((at_s * 1000, turn * 1000) for turn, at_s in enumerate((0, 1, 2, 3, 4, 5, 6, 9, 9, 9, 10, 11)))
    assert (rule.seen, rule.broken) == (11, 0)


# ------------------------------------------------------------------ what the page leaves to a shuffler


def judge_table(change: Callable[[SimulatedTable], None], *only: str) -> dict[str, tuple[BenchOutcome, str]]:
    """The plan on the simulated shuffler after a change to it; only what did not pass."""

    def changed_table(table: TableModel) -> TableModel:
        assert isinstance(table, SimulatedTable)
        change(table)
        return table

    rig = SimulatedRig("shuffler", speed=20, wrap=changed_table)
    found = outcomes(run_plan(load_plan("shuffler"), rig.wire, lambda _: rig.hands, BenchChoices(only)))
    assert len(found) >= len(only)
    return {name: how for name, how in found.items() if how[0] is BenchOutcome.FAILED}


def lets_packets_stay(table: SimulatedTable) -> None:
    """A packet that was not lifted stays a packet."""
    table.shuffler.packet_stays = True


def takes_its_time(table: SimulatedTable) -> None:
    """A packet takes a second, the remainder 15, a self-test 25."""
    durations = table.shuffler.durations
    table.shuffler.durations = replace(durations, dispense=1_000 * MS, dump=15_000 * MS, test=25_000 * MS)


def shuffles_slowly(table: SimulatedTable) -> None:
    """A shuffle takes two and a half minutes, each packet fifteen seconds."""
    durations = table.shuffler.durations
    table.shuffler.durations = replace(durations, shuffle=150_000 * MS, dispense=15_000 * MS)


def test_a_packet_that_nobody_lifted_may_stay_a_packet() -> None:
    checks = "fault.remainder-305", "count.unnoticed-*", "count.two-missing", "status.remainder", "deal.green-button"
    assert judge_table(lets_packets_stay, *checks, "always.unlifted") == {}


def test_a_slow_mechanism_is_waited_for() -> None:
    checks = "deal.whole", "deal.green-button", "deal.two-decks", "deal.meters", "deal.self-test", "fault.sensor-205"
    assert judge_table(takes_its_time, *checks, "count.first-short") == {}


def test_the_page_sets_no_limit_to_a_motion() -> None:
    assert judge_table(shuffles_slowly, "deal.green-on-the-way", "deal.recount", "fault.resume-303") == {}


class StartsSlowly(Broken):
    """It says nothing for half a minute after the power came back."""

    session, silent_until_ns = 0, 0

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        session = getattr(envelope.message, "session", self.session)
        if isinstance(envelope.message, m.HelloReplyMessage | m.ShufflerStatusMessage) and session != self.session:
            self.silent_until_ns = self.now_ns + 30_000 * MS if self.session else 0
            self.session = session
        return [] if self.now_ns < self.silent_until_ns else [envelope.body]


def test_the_page_sets_no_limit_to_a_start() -> None:
    found = outcomes(judge(StartsSlowly, "session.power-up", "session.previous-apart", "meters.power-cut"))
    assert {outcome for outcome, _ in found.values()} == {BenchOutcome.PASSED}


@pytest.mark.more
@pytest.mark.parametrize("plan", ["shuffler", "table-controller", "shoe"])
def test_a_device_four_times_as_slow_passes_the_whole_plan(plan: str) -> None:
    rig = SimulatedRig(plan, speed=0.25)
    found = run_plan(load_plan(plan), rig.wire, lambda _: rig.hands, BenchChoices(rounds=2))
    assert [it.id for it in found.of(BenchOutcome.FAILED)] == []


class SeesAllFive(Broken):
    """The hand that takes a packet on its way gets all its cards: the sensor had seen them pass."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        match envelope.message:
            case m.PacketDispensedMessage(expected=expected):
                return [changed(envelope, counted=expected)]
            case m.FaultRaisedMessage(fault=Fault.PACKET_LIFTED_EARLY):
                return [changed(envelope, value=5)]
            case m.MisdealMessage(packets=packets):
                return [changed(envelope, packets=tuple((expected, expected) for expected, _ in packets))]
        return [envelope.body]


class RejectsForAnotherReason(Broken):
    """It rejects a card because the card is there twice."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        rejected = isinstance(envelope.message, m.CardRejectedMessage)
        return [changed(envelope, fault=Fault.DUPLICATE_CARD) if rejected else envelope.body]


@pytest.mark.parametrize(
    ("device", "check"), [(SeesAllFive, "fault.lifted-early-303"), (RejectsForAnotherReason, "fault.rejected-104")]
)
def test_what_a_device_counts_and_rejects_is_its_own(device: type[Broken], check: str) -> None:
    assert outcomes(judge(device, check)) == {check: (BenchOutcome.PASSED, "")}


class RoundsSeen(Broken):
    """Nothing is broken; `longest` is the most cards that were drawn in one round."""

    longest = 0

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        if isinstance(envelope.message, m.ShoeStatusMessage):
            type(self).longest = max(self.longest, envelope.message.in_round)
        return [envelope.body]


def test_no_check_draws_more_cards_in_a_round_than_a_game_of_few_cards_takes() -> None:
    """A shoe that knows its game halts for a card beyond a round's limit (402), six in baccarat."""
    assert caught_by(judge_any(RoundsSeen, ("shoe.*",), "shoe")) == ()
    assert 3 <= RoundsSeen.longest <= 6


class SeesNoBacks(Field):
    """It cannot see backs, and sends 0."""

    message = m.DeckLoadedMessage

    def instead(self, message: object) -> dict[str, object]:
        return {"back": 0}


def test_a_device_that_cannot_see_backs_sends_0() -> None:
    found = outcomes(judge(SeesNoBacks, "status.decks", "deal.two-decks", "always.backs"))
    assert {outcome for outcome, _ in found.values()} == {BenchOutcome.PASSED}


def test_a_remainder_that_was_not_counted_is_named_so() -> None:
    found = outcomes(judge(RecordCountsNothing, "fault.packet-short-301"))
    why = "the misdeal record has a remainder of 0; none was counted yet, which is FFFFh"
    assert found == {"fault.packet-short-301": (BenchOutcome.FAILED, why)}


# ------------------------------------------------------------------ what the page leaves open


def test_burned_cards_may_be_counted_from_either_side() -> None:
    assert caught_by(judge_any(CountsFromRight, ("game.keys", "always.*"), "table-controller")) == ()


class OwnNumbers(Rewriting):
    """Claims a capability of its maker's own, and shows a meter and a component of its maker's own."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        match envelope.message:
            case m.HelloReplyMessage(capabilities=claimed):
                return [changed(envelope, capabilities=claimed | 1 << 24)]
            case m.MetersMessage(meters=meters) if meters:
                return [changed(envelope, meters=(*meters[:-1], (0x80, 0x80, meters[-1][2])))]
        return [envelope.body]


class LaterVersion(Rewriting):
    """Speaks a later version too, which has one more cause of a start."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        match envelope.message:
            case m.HelloReplyMessage(highest_minor=minor):
                return [changed(envelope, highest_minor=minor + 1)]
            case m.BootedMessage():
                return [changed(envelope, cause=99)]
        return [envelope.body]


@pytest.mark.parametrize("device", [OwnNumbers, LaterVersion])
def test_numbers_of_a_maker_or_of_a_later_version_are_no_codes_that_do_not_exist(device: type[Broken]) -> None:
    found = judge(device, "frame.hello", "meters.read", "session.power-up", "always.codes")
    assert outcomes(found)["always.codes"][0] is not BenchOutcome.FAILED
