"""USB bulk over a bus in this process: packets, stalls, overruns, timeouts, unplugging, one at a time and at random."""

import errno
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devices.transport.base import LineClosed
from devices.transport.usb_bulk import UsbBulk, open_usb
from tests.support.rigs.patience import wait_until
from tests.support.rigs.usb_backend import FakeBus, Gadget
from tests.support.rigs.usb_descriptors import BULK, INTERRUPT, Description

IN, OUT = 0x81, 0x01


def eventually(condition: Callable[[], object]) -> None:
    wait_until(condition, "the transfer", pause_s=0.0005)


class Plugged:
    """A device on its bus and the open line to it."""

    def __init__(self, gadget: Gadget | None = None) -> None:
        self.gadget = gadget or Gadget()
        self.bus = FakeBus(self.gadget)
        self.line = open_usb("usb:1209:0005", backend=self.bus)
        self.heard, self.received = bytearray(), bytearray()

    def hears(self, data: bytes) -> None:
        """Assert that the host receives exactly this next."""
        eventually(lambda: self.heard.extend(self.line.read()) or len(self.heard) >= len(data))
        assert bytes(self.heard[: len(data)]) == data
        del self.heard[: len(data)]

    def device_gets(self, data: bytes) -> None:
        """Assert that the device receives exactly this next."""
        eventually(lambda: self.received.extend(self.gadget.read()) or len(self.received) >= len(data))
        assert bytes(self.received[: len(data)]) == data
        del self.received[: len(data)]

    def gone(self) -> LineClosed:
        found: list[LineClosed] = []

        def closed() -> bool:
            try:
                self.heard.extend(self.line.read())
            except LineClosed as error:
                found.append(error)
            return bool(found)

        eventually(closed)
        return found[0]


@pytest.fixture
def plugged() -> Iterator[Plugged]:
    made = Plugged()
    yield made
    made.line.close()
    assert made.bus.open_handles == 0


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set timeouts so long that a test which depends on one fails."""
    monkeypatch.setattr(UsbBulk, "TIMEOUT_MS", 60_000)


# ------------------------------------------------------------------ packets


@pytest.mark.parametrize("size", [1, 63, 64, 65, 128, 1000, 1024])
def test_a_transfer_of_full_packets_is_ended_by_an_empty_one(plugged, size):
    data = bytes(value % 251 for value in range(size))
    assert plugged.line.write(data) == size
    plugged.device_gets(data)
    assert plugged.gadget.transfers_out == [size]


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("size", [64, 128, 640])
def test_a_device_that_forgets_the_empty_packet_delays_nothing(size):
    plugged = Plugged()
    plugged.gadget.forgets_empty_packets = True
    plugged.gadget.write(bytes(size))
    plugged.hears(bytes(size))
    plugged.gadget.unplug()
    plugged.line.close()


def test_one_write_is_one_transfer_however_long_they_wait(plugged):
    plugged.gadget.let(takes_data=False)
    for size in 3, 5, 64, 7:
        plugged.line.write(bytes(size))
    plugged.gadget.let(takes_data=True)
    plugged.device_gets(bytes(79))
    assert plugged.gadget.transfers_out == [3, 5, 64, 7]


def test_more_than_one_transfer_of_the_system_goes_out_whole(plugged):
    data = bytes(range(256)) * 200
    plugged.gadget.room = 1 << 20
    assert plugged.line.write(data) == len(data)
    plugged.device_gets(data)


# ------------------------------------------------------------------ time-out is not the end


def test_an_idle_line_stays_open_through_its_time_outs(monkeypatch):
    monkeypatch.setattr(UsbBulk, "TIMEOUT_MS", 1)
    plugged = Plugged()
    time.sleep(0.03)
    assert plugged.line.read() == b""
    plugged.gadget.write(b"late")
    plugged.hears(b"late")
    plugged.line.close()


def test_a_device_that_takes_nothing_for_a_while_loses_nothing(monkeypatch):
    monkeypatch.setattr(UsbBulk, "TIMEOUT_MS", 2)
    plugged = Plugged(Gadget(room=256))
    plugged.gadget.let(takes_data=False)
    data = bytes(value % 253 for value in range(2048))
    assert plugged.line.write(data) == len(data)
    time.sleep(0.02)
    assert plugged.gadget.read() == b""
    plugged.gadget.let(takes_data=True)
    plugged.device_gets(data)
    plugged.line.close()


# ------------------------------------------------------------------ stall and overrun


def test_a_stall_on_the_way_in_is_cleared_and_loses_nothing_the_device_kept(plugged):
    plugged.gadget.halt(IN)
    plugged.gadget.write(b"kept")
    plugged.hears(b"kept")
    assert plugged.gadget.calls.count("clear_halt 0x81") == 1
    assert plugged.line.spoiled_transfers == 1


def test_a_stall_on_the_way_out_costs_that_transfer_and_no_other(plugged):
    plugged.gadget.next_errors[OUT].append(errno.EPIPE)
    plugged.line.write(b"spoiled")
    eventually(lambda: plugged.line.spoiled_transfers == 1)
    plugged.line.write(b"whole")
    plugged.device_gets(b"whole")
    assert plugged.gadget.calls.count("clear_halt 0x01") == 1


def test_a_packet_longer_than_declared_is_lost_and_the_next_is_not(plugged):
    plugged.gadget.send_packet(bytes(65))
    plugged.gadget.write(b"next")
    plugged.hears(b"next")
    assert plugged.line.spoiled_transfers == 1


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (errno.EPIPE, "the device stalled 3 transfers in a row"),
        (errno.EOVERFLOW, "the device sent packets longer than it declares, 3 in a row"),
    ],
)
def test_three_spoiled_transfers_in_a_row_end_the_line(plugged, number, why):
    plugged.gadget.next_errors[IN].extend([number] * 3)
    plugged.gadget.write(b"wakes the waiting read")
    error = plugged.gone()
    assert error.why == why
    assert error.line == "usb:1209:0005"
    assert error.__cause__ is not None
    assert error.__cause__.errno == number


def test_a_good_transfer_in_between_starts_the_count_anew(plugged):
    for number in range(4):
        plugged.gadget.send_packet(bytes(65))
        plugged.gadget.send_packet(bytes(65))
        plugged.gadget.write(bytes([number]))
        plugged.hears(bytes([number]))
    assert plugged.line.spoiled_transfers == 8


def test_a_good_write_in_between_starts_the_count_anew_too(plugged):
    for number in range(1, 4):
        for _ in range(2):
            spoiled = plugged.line.spoiled_transfers
            plugged.gadget.next_errors[OUT].append(errno.EPIPE)
            plugged.line.write(b"spoiled")
            eventually(lambda before=spoiled: plugged.line.spoiled_transfers == before + 1)
        plugged.line.write(bytes([number]))
        plugged.device_gets(bytes([number]))


# ------------------------------------------------------------------ gone


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (errno.ENODEV, "unplugged"),
        (errno.EIO, "unplugged, or a bad cable: transfers fail"),
        (0, "Other error"),
    ],
)
def test_a_pulled_plug_ends_the_line_whichever_error_comes_first(plugged, number, why):
    eventually(lambda: IN in plugged.gadget.waiting)
    plugged.gadget.unplug(blocked=number)
    assert plugged.gone().why == why
    with pytest.raises(LineClosed):
        plugged.line.write(b"x")


def test_what_had_arrived_before_the_plug_was_pulled_is_read_first(plugged):
    plugged.gadget.write(b"last words")
    eventually(lambda: bool(plugged.line._inbox))
    plugged.gadget.unplug()
    plugged.gone()
    assert plugged.heard == b"last words"


def test_unplugged_while_a_write_waits(plugged):
    plugged.gadget.let(takes_data=False)
    while plugged.line.write(bytes(65536)):
        pass
    plugged.gadget.unplug()
    assert plugged.gone().why == "unplugged"


def test_plugged_in_again_it_is_another_line(plugged):
    plugged.gadget.unplug()
    plugged.gone()
    plugged.gadget.plug()
    again = open_usb("usb:1209:0005", backend=plugged.bus)
    again.write(b"hello")
    plugged.device_gets(b"hello")
    with pytest.raises(LineClosed):
        plugged.line.read()
    again.close()


# ------------------------------------------------------------------ giving back


def test_closing_gives_back_what_was_taken_and_no_more(plugged):
    plugged.line.close()
    assert plugged.gadget.calls == ["claim 0", "release 0"]
    assert plugged.gadget.claimed_by is None


def test_a_driver_that_was_there_is_there_again():
    gadget = Gadget()
    gadget.kernel_driver = True
    plugged = Plugged(gadget)
    assert not gadget.kernel_driver
    plugged.line.close()
    assert gadget.calls == ["detach 0", "claim 0", "release 0", "attach 0"]
    assert gadget.kernel_driver


def test_a_set_configuration_is_left_alone_and_a_missing_one_set():
    gadget = Gadget()
    gadget.configured = False
    plugged = Plugged(gadget)
    plugged.line.close()
    assert gadget.calls == ["set_configuration 1", "claim 0", "release 0"]


def test_interrupt_endpoints_beside_the_bulk_ones_are_left_alone():
    ends = ((0x82, INTERRUPT, 8), (0x03, BULK, 32), (0x81, BULK, 16))
    gadget = Gadget(Description(endpoints=ends))
    plugged = Plugged(gadget)
    pipes = plugged.line._pipes
    assert (pipes.bulk_in, pipes.in_packet, pipes.bulk_out, pipes.out_packet) == (0x81, 16, 0x03, 32)
    plugged.line.close()


# ------------------------------------------------------------------ at random

PIECES = st.lists(st.integers(1, 700), min_size=1, max_size=8)


@given(
    packet=st.sampled_from([8, 16, 64, 512]),
    room=st.integers(1, 600),
    out=PIECES,
    back=PIECES,
    forgets=st.booleans(),
    pauses=st.sets(st.integers(0, 7)),
)
@settings(max_examples=60)
def test_every_byte_arrives_once_and_in_order_however_it_is_cut(packet, room, out, back, forgets, pauses):
    gadget = Gadget(Description(endpoints=((OUT, BULK, packet), (IN, BULK, packet))), room=room)
    gadget.forgets_empty_packets = forgets
    plugged = Plugged(gadget)
    plugged.line.TIMEOUT_MS = 1  # type: ignore[misc]
    stream = bytes(range(256)) * 44
    sent = received = 0
    for turn in range(max(len(out), len(back))):
        gadget.let(takes_data=turn not in pauses)
        for size in out[turn : turn + 1]:
            assert plugged.line.write(stream[sent : sent + size]) == size
            sent += size
        for size in back[turn : turn + 1]:
            gadget.write(stream[received : received + size])
            received += size
        plugged.heard += plugged.line.read()
        plugged.received += gadget.read()
    gadget.let(takes_data=True)
    plugged.hears(stream[:received])
    plugged.device_gets(stream[:sent])
    assert plugged.line.read() == gadget.read() == b""
    assert plugged.line.spoiled_transfers == 0
    gadget.unplug()
    plugged.line.close()
    assert plugged.bus.open_handles == 0


TROUBLES = st.sampled_from(["in", "out", "stall in", "stall out", "overrun", "nothing taken", "taken again"])


@given(script=st.lists(TROUBLES, max_size=24))
@settings(max_examples=80)
def test_troubles_cost_only_what_they_spoil_and_never_hang_the_line(script):
    plugged = Plugged()
    gadget, line = plugged.gadget, plugged.line
    line.TIMEOUT_MS = 1  # type: ignore[misc]
    said, overruns, stalls, written, gone = [], 0, 0, [], False
    for number, trouble in enumerate(script):
        try:
            if trouble == "in":
                gadget.write(bytes([number, number]))
                said.append(number)
            elif trouble == "out":
                written.append(number)
                line.write(bytes([number, number]))
            elif trouble == "stall in":
                gadget.halt(IN)
            elif trouble == "stall out":
                gadget.next_errors[OUT].append(errno.EPIPE)
                stalls += 1
            elif trouble == "overrun":
                gadget.send_packet(bytes(65))
                overruns += 1
            else:
                gadget.let(takes_data=trouble == "taken again")
        except LineClosed:
            gone = True
            break
        plugged.received += gadget.read()
    gadget.let(takes_data=True)
    if not gone:
        gone = not _marker_passes(plugged)
    if not gone and not stalls:
        expected = bytes(value for value in written for _ in range(2))
        eventually(lambda: plugged.received.extend(gadget.read()) or len(plugged.received) >= len(expected))
        assert plugged.received == expected
    heard, got = bytes(plugged.heard)[::2], bytes(plugged.received)[::2]
    assert bytes(plugged.heard) == bytes(value for value in heard for _ in range(2))
    assert _in_order(heard, said)
    assert _in_order(got, written)
    if not gone:
        assert list(heard) == said
        assert line.spoiled_transfers >= overruns
    else:
        assert line.spoiled_transfers >= 3
    gadget.unplug()
    line.close()
    assert plugged.bus.open_handles == 0


def _marker_passes(plugged: Plugged) -> bool:
    """Return True if the line carries two last bytes from the device; False if it reports that it is gone."""
    plugged.gadget.write(b"\xff\xff")
    try:
        eventually(lambda: plugged.heard.extend(plugged.line.read()) or plugged.heard.endswith(b"\xff\xff"))
    except LineClosed:
        return False
    del plugged.heard[-2:]
    plugged.received += plugged.gadget.read()
    return True


def _in_order(found: bytes, of: list[int]) -> bool:
    """Return True if `found` is `of` with some elements left out."""
    rest = iter(of)
    return all(value in rest for value in found)
