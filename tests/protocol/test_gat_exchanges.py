"""The terminal against the device over a line with faults: the right checksum, or a declared error."""

from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from firmware.same.gat import NAME, EndInPython, GatBench, GatDifferent, inspect, main
from protocol.errors import RemoteError
from protocol.gat import messages as m
from protocol.gat.codec import encode
from protocol.gat.device_end import GatDevice, MeasuredSoftware
from protocol.gat.exchange import MS, Exchange, GatTiming

SOFTWARE = MeasuredSoftware("game", "maker", (("one", b"1" * 3000),))
EXACT = GatTiming(allowance_ns=0)


def test_a_few_hundred_exchanges_with_faults(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--exchanges", "600", "--without-c"]) == 0
    assert "0 differences" in capsys.readouterr().out


class OtherKey(EndInPython):
    """Device that measures one byte less of its image."""

    def start(self, image: bytes) -> None:
        super().start(image[:-1])


class OtherAnswers(EndInPython):
    """Device that says version 3.51."""

    def arrive(self, data: bytes) -> bytes:
        return super().arrive(data).replace(b"\x03\x50", b"\x03\x51")


@pytest.mark.parametrize("ends", [[OtherKey()], [EndInPython(), OtherAnswers()]], ids=["a lie", "two that differ"])
def test_the_comparison_finds_a_device_that_is_wrong(ends: list[EndInPython]) -> None:
    def inspect_often() -> None:
        for seed in range(50):
            inspect(GatBench([*ends], Random(seed)), Exchange(EXACT))

    with pytest.raises(GatDifferent):
        inspect_often()


def test_a_component_is_named_as_the_device_in_c_names_it() -> None:
    assert NAME == "firmware 1.0.0"


class Terminal(RuleBasedStateMachine):
    """A terminal, a device, and a line that loses, damages and delays what it carries."""

    @initialize()
    def begin(self) -> None:
        self.now_ns = 10**12
        self.exchange, self.device = Exchange(EXACT), GatDevice(SOFTWARE, 512)
        self.quiet_ns = 0
        """Earliest time of the next query by the rules."""
        self.on_line: list[bytes] = []
        self.query: m.GatMessage | None = None
        self.queries = 0

    @precondition(lambda self: self.exchange.done)
    @rule(
        query=st.sampled_from(
            [
                m.StatusQueryMessage(),
                m.LastStatusQueryMessage(),
                m.ResultsQueryMessage(2, 1),
                m.ResultsQueryMessage(2, 2),
                m.CalculationQueryMessage(0xBA, b"\0Get Special Functions"),
            ]
        )
    )
    def ask(self, query: m.GatMessage) -> None:
        self.query, self.queries = query, 0
        self.exchange.ask(query, self.now_ns)

    @rule(ms=st.sampled_from([1, 4, 6, 11, 40, 201, 226, 1000]))
    def pass_time(self, ms: int) -> None:
        self.now_ns += ms * MS
        self.device.tick(self.now_ns)
        sent = self.exchange.tick(self.now_ns)
        if sent:
            assert self.query is not None
            assert sent == encode(self.query), "a query is repeated unchanged"
            assert self.now_ns >= self.quiet_ns, "the line was silent long enough"
            self.queries += 1
            self.quiet_ns = self.now_ns + 225 * MS
            self.device.receive(sent, self.now_ns)
            self.on_line += self.device.take_output()

    @precondition(lambda self: self.on_line)
    @rule()
    def deliver(self) -> None:
        before = self.exchange.answer
        self.exchange.receive(self.on_line.pop(0), self.now_ns)
        if self.exchange.answer is not before:
            self.quiet_ns = self.now_ns + 10 * MS

    @precondition(lambda self: self.on_line)
    @rule()
    def lose(self) -> None:
        self.on_line.pop(0)

    @precondition(lambda self: self.on_line)
    @rule(at=st.integers(0, 254), bit=st.integers(0, 7))
    def damage(self, at: int, bit: int) -> None:
        spoilt = bytearray(self.on_line[0])
        spoilt[at % len(spoilt)] ^= 1 << bit
        self.on_line[0] = bytes(spoilt)

    @precondition(lambda self: self.on_line and len(self.on_line[0]) > 3)
    @rule()
    def tear(self) -> None:
        self.on_line[:1] = [self.on_line[0][:3], self.on_line[0][3:]]

    @rule(data=st.binary(min_size=1, max_size=5))
    def noise(self, data: bytes) -> None:
        self.exchange.receive(data, self.now_ns)

    @invariant()
    def an_answer_fits_its_query(self) -> None:
        answer, query = self.exchange.answer, self.query
        assert self.queries <= EXACT.tries
        if answer is None or query is None:
            return
        kinds = {
            m.StatusQueryMessage: m.StatusResponseMessage,
            m.LastStatusQueryMessage: m.LastStatusResponseMessage,
            m.ResultsQueryMessage: m.ResultsResponseMessage,
            m.CalculationQueryMessage: m.CalculationResponseMessage,
        }
        assert type(answer) is kinds[type(query)]
        if isinstance(answer, m.ResultsResponseMessage) and isinstance(query, m.ResultsQueryMessage):
            assert answer.number == query.number
            assert answer.error or answer.data in self.device.results

    @invariant()
    def a_failure_is_declared(self) -> None:
        failure = self.exchange.failure
        assert failure is None or (isinstance(failure, RemoteError) and "\n" not in str(failure))


Terminal.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
test_the_terminal_keeps_its_times_and_takes_no_other_answer = pytest.mark.more(Terminal.TestCase)
