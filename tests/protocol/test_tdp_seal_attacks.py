"""Attacks on sealed lines and on pairing that an attacker tried: recordings put back at the worst moment, another host
on the line, keys that agree on nothing, lines that are crossed."""

from __future__ import annotations

from random import Random

import pytest

from devices.transport.ciphers import Ciphers
from protocol.tdp import messages as m
from protocol.tdp.codec import encode
from protocol.tdp.framing import encode_frame
from protocol.tdp.messages import Capability, Role
from protocol.tdp.seal.device_end import DeviceEnd, PairedHost
from protocol.tdp.seal.host_end import HostEnd
from protocol.tdp.seal.keyset import KeySet
from protocol.tdp.seal.line_end import PAIR_ANSWER, PAIR_CALL, PAIR_PROLOGUE, PAIR_PROOF, SealTiming, link_frame
from protocol.tdp.seal.noise import Handshake, NoisePattern
from protocol.tdp.seal.pairing import HostPairing
from protocol.tdp.seal.words import code_of, secret_of
from tests.support.rigs.links import MS, hello_reply
from tests.support.rigs.sealed_links import DEVICE_KEY, HOST_KEY, OTHER_KEY, PAIRED, SUITE, SealedPair, bodies

CODE = code_of(0x123456789ABCDEF)
REPLY = encode(hello_reply(0x1001, capabilities=Capability.SEALING, highest_minor=4))
LOW = [
    *(number.to_bytes(32, "little") for number in (0, 1, 2**255 - 20, 2**255 - 19, 2**255 - 18, 2**255)),
    bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
]
"""Points of low order (RFC 7748, section 6.1), some of them not reduced or with the top bit set."""


def started(**more: object) -> SealedPair:
    pair = SealedPair(**more)  # type: ignore[arg-type]
    pair.start()
    assert pair.run(10_000, lambda: pair.up)
    return pair


def worked(pair: SealedPair) -> SealedPair:
    """Let the two ends exchange events and a command."""
    for _ in range(10):
        pair.emit(m.GreenButtonMessage)
        pair.run(50)
    pair.request(m.DispenseMessage())
    pair.run(300)
    return pair


def counts(pair: SealedPair) -> tuple[int, ...]:
    assert pair.device_end is not None
    ends = pair.host_end.stats, pair.device_end.stats
    return (*(each.opened for each in ends), *(each.handshakes for each in ends), len(pair.executed))


def calls(pair: SealedPair) -> list[bytes]:
    return [data for to, data in pair.tapped if to == "device" and bodies(data)[0][6] == 0x0B]


def test_a_recorded_call_while_keys_are_renewed_does_not_leave_the_device_deaf() -> None:
    """The device then has keys that no one has, still uses those before, and the host hears that it lives."""
    pair = started(seal_timing=SealTiming(rekey_ns=20_000 * MS))
    (call,) = calls(pair)
    assert pair.run(30_000, lambda: pair.host_end.stats.handshakes == 2)
    pair.to_device.clear()
    pair.to_device.open = False
    pair.run(300)
    pair.to_device.open = True
    pair.to_the_device(call)
    pair.run(6_000)
    assert pair.device_end is not None
    assert pair.host_end.sealed
    assert pair.device_end.stats.handshakes == 2
    pair.request(m.DispenseMessage())
    pair.run(500)
    assert pair.executed == [m.DispenseMessage()]


def test_a_host_gets_no_role_from_the_session_of_another_that_it_takes_over() -> None:
    watcher = PairedHost(SUITE.public(OTHER_KEY), Role.OBSERVE, "watch")
    pair = started(hosts=(PAIRED, watcher))
    pair.host_end = HostEnd(SUITE, OTHER_KEY, pair.find)
    pair.run(5_000, lambda: pair.host_end.sealed)
    assert pair.device_end is not None
    assert pair.device_end.role is Role.OBSERVE
    assert pair.device is not None
    assert pair.device.role is Role.OPERATE  # the session that the other host opened
    body = encode(m.DispenseMessage(), request=77)
    pair.to_the_device(pair.host_end.send(encode_frame(body), pair.now_ns))
    pair.run(300)
    assert pair.executed == []


def test_frames_of_one_line_do_nothing_on_another_line_of_the_same_host() -> None:
    keys = [Random(seed).randbytes(32) for seed in (11, 12)]
    one, other = (worked(started(device_key=key, pinned=SUITE.public(key))) for key in keys)
    for source, target in ((one, other), (other, one)):
        before = counts(target)
        for _, data in list(source.tapped):
            target.to_the_device(data)
            target.to_the_host(data)
        assert counts(target) == before
        target.emit(m.GreenButtonMessage)
        assert target.run(20_000, target.whole)


@pytest.mark.parametrize("before", [0, 254, 255, 2**32 - 1, 2**63 - 1, 2**64 - 400])
@pytest.mark.parametrize(
    ("ahead", "opens"), [(1, True), (100, True), (127, True), (128, False), (200, False), (256, False)]
)
def test_a_counter_at_any_wrap_is_rebuilt_up_to_127_ahead(before: int, ahead: int, opens: bool) -> None:
    out, into = bytes([1]) * 32, bytes([2]) * 32
    sender, receiver = KeySet(SUITE, out, into), KeySet(SUITE, into, out)
    sender._base = 0
    receiver._top, receiver._seen = before, 1
    body = encode(m.GreenButtonMessage(1, 5))
    sealed = sender.seal(body, before + ahead)
    assert (receiver.open(sealed) is not None) is opens
    assert receiver.open(sealed) is None


class LowSuite(Ciphers):
    """The cipher of an attacker whose own key is a point of low order: its secret with every key is zero."""

    def __init__(self, point: bytes) -> None:
        self.point, self.own = point, b"L" * 32

    def public(self, private: bytes) -> bytes:
        return self.point if private == self.own else super().public(private)

    def exchange(self, private: bytes, public: bytes) -> bytes:
        return bytes(32) if private == self.own else super().exchange(private, public)

    def shake(self, *, initiator: bool) -> Handshake:
        return Handshake(
            self,
            NoisePattern.PAIR,
            initiator=initiator,
            own=self.own,
            prologue=PAIR_PROLOGUE + REPLY[8:],
            code=secret_of(CODE),
        )


@pytest.mark.parametrize("point", LOW, ids=range(len(LOW)))
def test_no_one_is_paired_with_a_key_that_agrees_on_nothing_even_with_the_code(point: bytes) -> None:
    host = HostPairing(SUITE, HOST_KEY, secret_of(CODE), role=Role.OPERATE, name="pit-3")
    host.tick(10)
    (call,) = bodies(host.receive(encode_frame(REPLY), 20).out)
    man = LowSuite(point).shake(initiator=False)
    man.read(call[8:])
    host.receive(encode_frame(link_frame(PAIR_ANSWER, man.write())), 30)
    assert (host.keys, host.done, host.device) == (None, False, b"")
    device = DeviceEnd(SUITE, DEVICE_KEY, REPLY[8:])
    device.allow_pairing(CODE, 0)
    man = LowSuite(point).shake(initiator=True)
    (answer,) = bodies(device.receive(encode_frame(link_frame(PAIR_CALL, man.write())), 1_000 * MS).out)
    man.read(answer[8:])
    device.receive(encode_frame(link_frame(PAIR_PROOF, man.write(b"\2" + bytes(16)))), 2_000 * MS)
    assert (device.hosts, device.code) == ([], "")


def test_a_recorded_proof_makes_no_more_than_four_reports_a_second() -> None:
    device = DeviceEnd(SUITE, DEVICE_KEY, REPLY[8:])
    device.allow_pairing(CODE, 0)
    host = Handshake(
        SUITE,
        NoisePattern.PAIR,
        initiator=True,
        own=HOST_KEY,
        prologue=PAIR_PROLOGUE + REPLY[8:],
        code=secret_of(CODE),
    )
    (answer,) = bodies(device.receive(encode_frame(link_frame(PAIR_CALL, host.write())), 1_000 * MS).out)
    host.read(answer[8:])
    proof = encode_frame(link_frame(PAIR_PROOF, host.write(b"\1" + bytes(16))))
    reports = 0
    for number in range(1_000):
        device.receive(proof, (2_000 + number) * MS)
        reports += device.report_due
        device.report_due = False
    assert reports == 4
