"""Faults of the memory line: seeded, so that a failure can be reproduced, and each does what it is meant to."""

import pytest

from devices.clock import ManualClock
from devices.transport.base import LineClosed
from devices.transport.memory import CAPACITY, Faults, memory_pair
from tests.support.rigs.lines import MS

WORDS = [bytes([65 + n % 26]) * (n % 7 + 1) for n in range(200)]


def carried(faults: Faults) -> list[bytes]:
    """Return what arrives, read by read, if every word is written a millisecond apart."""
    clock = ManualClock()
    host, device = memory_pair(clock, to_host=faults)
    out = []
    for word in WORDS:
        assert device.write(word) == len(word)
        clock.advance(MS)
        while piece := host.read():
            out.append(piece)
    clock.advance(1000 * MS)
    while piece := host.read():
        out.append(piece)
    return out


def test_a_clean_line_changes_nothing():
    assert carried(Faults()) == WORDS


@pytest.mark.parametrize(
    "faults",
    [
        {"lose_chunk": 0.3},
        {"lose_byte": 0.3},
        {"flip_bit": 0.3},
        {"duplicate": 0.3},
        {"reorder": 0.3},
        {"cut": (1, 3)},
        {"delay_ns": (0, 5 * MS)},
    ],
    ids=lambda faults: next(iter(faults)),
)
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(faults):
    assert carried(Faults(seed=7, **faults)) == carried(Faults(seed=7, **faults))
    assert carried(Faults(seed=7, **faults)) != carried(Faults(seed=8, **faults))


def test_each_fault_does_what_it_says():
    whole = b"".join(WORDS)
    assert len(carried(Faults(lose_chunk=0.3))) < len(WORDS) * 0.85
    assert len(whole) * 0.6 < len(b"".join(carried(Faults(lose_byte=0.3)))) < len(whole) * 0.8
    flipped = b"".join(carried(Faults(flip_bit=0.3)))
    changed = [a ^ b for a, b in zip(flipped, whole, strict=True) if a != b]
    assert len(whole) * 0.2 < len(changed) < len(whole) * 0.4
    assert all(difference.bit_count() == 1 for difference in changed)
    doubled = carried(Faults(duplicate=0.3))
    assert len(b"".join(doubled)) > len(whole) * 1.2
    shuffled = b"".join(carried(Faults(reorder=0.3)))
    assert shuffled != whole
    cut = carried(Faults(cut=(1, 3)))
    assert b"".join(cut) == whole
    assert max(map(len, cut)) == 3


def test_reordered_chunks_are_only_exchanged_with_their_neighbour():
    arrived = b"".join(carried(Faults(reorder=0.3)))
    whole = b"".join(WORDS)
    held_back = len(whole) - len(arrived)
    assert 0 <= held_back <= 7
    assert sorted(arrived + WORDS[-1][:held_back]) == sorted(whole)


def test_a_delayed_chunk_arrives_at_its_deadline_and_in_order():
    clock = ManualClock(1000)
    host, device = memory_pair(clock, to_host=Faults(delay_ns=(50, 50)))
    device.write(b"a")
    assert host.read() == b""
    assert host.next_deadline_ns == 1050
    clock.set(1049)
    assert host.read() == b""
    clock.set(1050)
    assert host.read() == b"a"
    assert host.next_deadline_ns is None


def test_a_stalled_line_gives_all_of_it_afterwards():
    clock = ManualClock(1000)
    host, device = memory_pair(clock)
    host.stall(5000)
    device.write(b"a")
    clock.set(4000)
    assert host.read() == b""
    assert host.next_deadline_ns == 5000
    clock.set(5000)
    assert host.read() == b"a"


def test_unplugged_both_ends_are_gone_at_once_with_what_was_on_its_way():
    host, device = memory_pair(ManualClock())
    woken: list[str] = []
    host.on_ready(lambda: woken.append("host"))
    device.on_ready(lambda: woken.append("device"))
    device.write(b"never read")
    host.unplug()
    for end in (host, device):
        with pytest.raises(LineClosed, match="unplugged"):
            end.read()
        with pytest.raises(LineClosed, match="unplugged"):
            end.write(b"x")
    assert woken == ["host", "host", "device"]


def test_room_again_wakes_the_writer():
    host, device = memory_pair(ManualClock())
    woken: list[str] = []
    device.on_ready(lambda: woken.append("device"))
    assert device.write(bytes(CAPACITY + 10)) == CAPACITY
    assert device.write(b"x") == 0
    assert woken == []
    assert len(host.read()) == CAPACITY
    assert woken == ["device"]
    assert device.write(b"x") == 1
