"""The simulated GAT device on a clock of the test: every fault is survived or reported."""

import hashlib

import pytest

from devices.simulator.gat import FAULTS, GatTable, SimulatedGat, software
from protocol.errors import BadAnswer, NoAnswer, RemoteError, Unfinished, VersionMismatch
from protocol.gat.documents import ComponentSum
from protocol.gat.exchange import MS, Exchange, GatTiming
from protocol.gat.inspection import Inspection
from protocol.gat.messages import GatMessage

IMAGE = b"an image of a few bytes"
NAME = "firmware 1.0.0"


class Inspector:
    """A terminal at a simulated device, in its time."""

    def __init__(self, fault: str) -> None:
        self.unit, self.now_ns = SimulatedGat(software("device", IMAGE), fault), 10**15
        self.unit.power_on(self.now_ns)
        self.exchange = Exchange(GatTiming(allowance_ns=0))
        self.inspection = Inspection(self.ask, self.rest, lambda: self.now_ns, limit_s=30)

    def ask(self, query: GatMessage) -> GatMessage:
        self.exchange.ask(query, self.now_ns)
        while (due_ns := self.exchange.next_deadline_ns) is not None:
            self.pass_until(due_ns)
            if not self.exchange.done and (sent := self.exchange.tick(self.now_ns)):
                self.unit.receive(sent, self.now_ns)
                self.deliver()
        if self.exchange.failure is not None:
            raise self.exchange.failure
        assert self.exchange.answer is not None
        return self.exchange.answer

    def rest(self, pause_ns: int) -> None:
        self.pass_until(self.now_ns + pause_ns)

    def pass_until(self, until_ns: int) -> None:
        """Let time pass from one action of the device to the next, until a response is complete."""
        idle = self.exchange.done
        while self.now_ns < until_ns and self.exchange.done is idle:
            due_ns = self.unit.next_deadline_ns
            self.now_ns = min(until_ns, max(self.now_ns + MS, due_ns or until_ns))
            self.unit.tick(self.now_ns)
            self.deliver()

    def deliver(self) -> None:
        for piece in self.unit.take_output():
            self.exchange.receive(piece, self.now_ns)


REPORTED: dict[str, type[RemoteError]] = {
    "silence": NoAnswer,
    "crc": BadAnswer,
    "gaps": BadAnswer,
    "number": BadAnswer,
    "busy": Unfinished,
    "error": BadAnswer,
    "changed": BadAnswer,
    "long": BadAnswer,
    "old": VersionMismatch,
}
SURVIVED = ("", "late")


@pytest.mark.parametrize("fault", SURVIVED)
def test_a_fault_is_survived(fault: str) -> None:
    digest = hashlib.sha1(IMAGE).hexdigest().upper()
    assert Inspector(fault).inspection.components(b"") == (ComponentSum("device", "dealwire", NAME, digest),)


@pytest.mark.parametrize("fault", REPORTED)
def test_a_fault_is_reported(fault: str) -> None:
    with pytest.raises(REPORTED[fault]):
        Inspector(fault).inspection.components(b"")


def test_every_fault_is_one_of_them() -> None:
    assert {*FAULTS} == {*REPORTED, *SURVIVED} - {""}


def test_a_result_without_an_end_is_given_up_at_its_limit() -> None:
    with pytest.raises(BadAnswer, match="more than 4229 frames"):
        Inspector("long").inspection.components(b"")


def test_a_power_cut_forgets_the_result() -> None:
    inspector = Inspector("")
    inspector.inspection.components(b"")
    assert inspector.inspection.status().available
    inspector.unit.power_off()
    inspector.unit.power_on(inspector.now_ns)
    assert not inspector.inspection.status().available
    assert inspector.inspection.part(1).error
    assert GatTable(inspector.unit).units == {"gat": inspector.unit}
