"""Both ends driven at random over a line of changing quality. In all cases an event comes once and in order or is
reported lost, a command is carried out at most once and always ends, and nothing grows without bound."""

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from protocol.tdp import Delivered, Lost, SessionRestarted
from protocol.tdp.commands import QUEUE_MAX
from protocol.tdp.event_order import HELD_MAX
from protocol.tdp.event_store import EventStore
from protocol.tdp.messages import BootedMessage, PacketLiftedMessage, ShowMeterMessage
from protocol.tdp.reply_cache import KEPT_MAX
from tests.support.rigs.links import CLEAN, MS, Faults, Pair, listen, stream

LINES = st.sampled_from(
    [
        CLEAN,
        Faults(cut=1),
        Faults(lose_chunk=0.2),
        Faults(lose_chunk=0.6),
        Faults(lose_byte=0.02),
        Faults(flip_bit=0.02),
        Faults(duplicate=0.5),
        Faults(delay_ms=(1, 80)),
        Faults(lose_chunk=1.0),
    ]
)
COMMAND_NS = 800 * MS
"""Three tries of 250 ms, and 50 ms for detection."""


class Link(RuleBasedStateMachine):
    @initialize(seed=st.integers(0, 2**32), host_first=st.booleans())
    def begin(self, seed: int, host_first: bool) -> None:
        self.pair = Pair(CLEAN, seed)
        if host_first:
            self.pair.start_host()
            self.pair.power_on()
        else:
            self.pair.start()
        self.sessions = [self.pair.session]
        self.made = Counter[int]()
        self.asked: dict[int, tuple[int, ShowMeterMessage]] = {}
        self.marks = 0

    @rule(count=st.integers(1, 40))
    @precondition(lambda self: self.pair.device is not None)
    def events(self, count: int) -> None:
        for _ in range(count):
            self.pair.emit(PacketLiftedMessage, ordinal=self.made[self.pair.session] % 256)
            self.made[self.pair.session] += 1

    @rule()
    @precondition(lambda self: self.pair.host.state == "up" and self.pair.host._commands.waiting < QUEUE_MAX)
    def command(self) -> None:
        self.marks += 1
        waiting = sum(request not in self.pair.answers() for request in self.asked)
        command = ShowMeterMessage(1, self.marks)
        request = self.pair.request(command)
        # Between two commands of ours the link may put one of its own.
        self.asked[request] = self.pair.now_ns + (2 * waiting + 2) * COMMAND_NS, command

    @rule(ms=st.integers(1, 400))
    def time(self, ms: int) -> None:
        self.pair.run(ms)

    @rule(ms=st.integers(2_000, 7_000))
    def long_time(self, ms: int) -> None:
        self.pair.run(ms)

    @rule(to_host=LINES, to_device=LINES)
    def line(self, to_host: Faults, to_device: Faults) -> None:
        self.pair.to_host.faults, self.pair.to_device.faults = to_host, to_device

    @rule(noise=st.binary(min_size=1, max_size=600))
    def noise(self, noise: bytes) -> None:
        self.pair.to_host.inject(noise, self.pair.now_ns)
        self.pair.to_device.inject(noise, self.pair.now_ns)

    @rule(off_ms=st.integers(0, 4_000), memory=st.booleans())
    @precondition(lambda self: len(self.sessions) < 4)
    def power_cut(self, off_ms: int, memory: bool) -> None:
        pair, previous = self.pair, self.pair.session
        pair.power_off()
        pair.run(off_ms)
        if not memory:
            pair.store = EventStore()
        self.sessions.append(previous + 0x1111)
        pair.power_on(previous + 0x1111)
        pair.emit(BootedMessage, boot_count=1, previous_session=previous, cause=1, mid_round=0)
        self.made[pair.session] += 1

    @invariant()
    def events_tile(self) -> None:
        """Delivered and Lost of each session follow each other without a hole, and sessions do not mix."""
        if not hasattr(self, "pair"):
            return
        following = Counter[int]()
        session = None
        for output in self.pair.of(Delivered, Lost, SessionRestarted):
            if isinstance(output, SessionRestarted):
                assert session in (None, output.previous)
                session = output.session
                continue
            assert session in (None, output.session)
            session = output.session
            first = output.first if isinstance(output, Lost) else output.message.number
            last = output.last if isinstance(output, Lost) else first
            assert first == following[session] + 1 <= last + 1
            following[session] = last
            assert last <= self.made[session]

    @invariant()
    def commands_end_and_happen_once(self) -> None:
        if not hasattr(self, "pair"):
            return
        assert all(times == 1 for times in Counter(self.pair.executed).values())
        ends = self.pair.answers()
        for request, (deadline_ns, command) in self.asked.items():
            assert request in ends or self.pair.now_ns <= deadline_ns, f"request {request} is late"
            assert request not in ends or ends[request].command == command

    @invariant()
    def nothing_grows(self) -> None:
        if not hasattr(self, "pair"):
            return
        host, device = self.pair.host, self.pair.device
        assert len(host._in.wanted.held) <= HELD_MAX
        assert len(host._in.order.held) <= HELD_MAX
        assert host._commands.waiting <= QUEUE_MAX
        assert len(host._commands._accepted) <= QUEUE_MAX
        assert host._in.framer.pending <= 300
        if device is not None:
            assert len(device._cache._entries) <= KEPT_MAX
            assert len(device.store._kept) <= device.store.depth
            assert device._framer.pending <= 300

    def teardown(self) -> None:
        """The line heals: all ends agree, and a listener on the received bytes produces the same."""
        if not hasattr(self, "pair"):
            return
        pair = self.pair
        pair.to_host.faults = pair.to_device.faults = CLEAN
        pair.run(20_000)
        assert pair.host.state == "up"
        assert pair.host.session == pair.session
        assert set(pair.answers()) == set(self.asked)
        last = [out for out in pair.of(Delivered, Lost) if out.session == pair.session][-1:]
        ends = {out.last if isinstance(out, Lost) else out.message.number for out in last}
        assert ends == ({self.made[pair.session]} if self.made[pair.session] else set())
        self.events_tile()
        pair.close()
        for cut in (0, 5):
            assert stream(listen(pair.heard, pair.now_ns, cut=cut, expects=pair.expects)) == stream(pair.host_out)


TestLink = Link.TestCase
TestLink.settings = settings(max_examples=60, stateful_step_count=30)
