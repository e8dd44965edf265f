"""A whole table on two FTDI adapters: `dealwire record` in the guest deals a round of simulated devices outside."""

import sys
from collections.abc import Iterator

import pytest

from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import CONTROLLER, SHUFFLER, SimulatedTable
from devices.simulator.host import SimulatorHost
from protocol.tdp.messages import ShufflerState

pytestmark = pytest.mark.hardware

SERIALS = {SHUFFLER: "RIG001", CONTROLLER: "RIG002"}
PORTS = {SHUFFLER: "1", CONTROLLER: "2"}
LINKS = {name: f"/dev/serial/by-id/usb-QEMU_QEMU_USB_SERIAL_{serial}-if00-port0" for name, serial in SERIALS.items()}


def plug(guest, bench, name):
    host, _, port = bench.addresses[name].removeprefix("tcp://").rpartition(":")
    guest.plug_ftdi_to((host, int(port)), name, SERIALS[name], port=PORTS[name])


@pytest.fixture
def bench(guest) -> Iterator[SimulatorHost]:
    """Yield the simulated table behind both adapters, plugged in and recognized."""
    made = SimulatorHost(SimulatedTable(load_scenario("clean-1"), speed=10), dict.fromkeys(SERIALS, "tcp:0"))
    for member in (made, *made.lines.values()):
        guest.owner.add(member)
    made.start(guest.clock.now_ns())
    for name in SERIALS:
        plug(guest, made, name)
    guest.order("await_files", paths=list(LINKS.values()))
    guest.obeyed()
    yield made
    made.close()


def record(guest):
    """Start the command in the guest."""
    lines = ("--shuffler", f"serial://{LINKS[SHUFFLER]}", "--controller", f"serial://{LINKS[CONTROLLER]}")
    command = (sys.executable, "-m", "dealwire", "record", "-o", "/run/round.pcapng", "--overwrite", "--json")
    guest.run_other(*command, "--rounds", "1", "--timeout", "50", *lines)


def said(guest, kind):
    return [item for item in guest.said if item.get("type") == kind]


def is_the_whole_round(guest):
    """Assert that the round is clean, as in the scenario, with every card counted, and settled."""
    guest.until(lambda: guest.exit is not None and bool(said(guest, "summary")))
    assert guest.exit == 0, guest.console()
    (dealt,), (settled,) = said(guest, "round"), said(guest, "settlement")
    assert dealt["outcome"] == "complete"
    assert {seat["seat"]: seat["status"] for seat in dealt["seats"]} == {4: "live"}
    hands = [packet["counted"] for packet in dealt["packets"]]
    assert hands == [5, 5, 5]
    assert sum(hands) + dealt["remainder"]["counted"] == 52
    assert settled["round"] == dealt["round"]


def test_a_round_is_dealt_and_settled(guest, bench):
    record(guest)
    is_the_whole_round(guest)
    assert said(guest, "incident") == []


def test_a_round_goes_on_when_its_shuffler_was_pulled_out_in_the_middle(guest, bench):
    """The supervisor finds the adapter under its new name; the device still has the events that were missed."""
    record(guest)
    guest.until(lambda: bench.table.shuffler.state == ShufflerState.PACKET_WAIT)
    guest.unplug_ftdi(SHUFFLER)
    guest.owner.run(timeout_s=1.0)
    plug(guest, bench, SHUFFLER)
    is_the_whole_round(guest)
