"""Pairing: with the code that a device shows both ends learn each other's keys, once; with a wrong one no one does."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from protocol.tdp.codec import encode
from protocol.tdp.framing import encode_frame
from protocol.tdp.messages import Capability, Kind, Role
from protocol.tdp.seal import pairing as hp
from protocol.tdp.seal.device_end import HOSTS_MAX, DeviceEnd, PairedHost
from protocol.tdp.seal.line_end import link_frame
from protocol.tdp.seal.pairing import HostPairing
from protocol.tdp.seal.words import code_of, secret_of
from tests.support.rigs.links import MS, START_NS, hello_reply, report
from tests.support.rigs.sealed_links import DEVICE_KEY, HOST_KEY, OTHER_KEY, SUITE, bodies

CODE, OTHER_CODE = code_of(0x123456789ABCDEF), code_of(0xFEDCBA987654321)
GREETING = encode(hello_reply(0x1001, capabilities=Capability.SEALING, highest_minor=4))[8:]
Meddler = Callable[[bool, bytes], bytes]
"""Function that may change a frame: True for one to the device, and the frame."""


class Bench:
    """A host that pairs, and a device, on one line that may lose and may be meddled with."""

    def __init__(self, code: str = CODE, *, shown: str = CODE, loss: float = 0.0, seed: int = 0) -> None:
        self.now_ns = START_NS
        self.device = DeviceEnd(SUITE, DEVICE_KEY, GREETING)
        if shown:
            self.device.allow_pairing(shown, self.now_ns)
        self.host = HostPairing(SUITE, HOST_KEY, secret_of(code), role=Role.OPERATE, name="pit-3")
        self.loss, self.chance = loss, Random(seed)
        self.meddle: Meddler = lambda to_device, data: data
        self.reports, self.greeting = 0, GREETING

    def run(self, ms: int = 10_000) -> HostPairing:
        end_ns = self.now_ns + ms * MS
        while self.now_ns < end_ns and not self.host.done and not self.host.problem:
            self._to_device(self.host.tick(self.now_ns).out)
            self._to_host(self.device.tick(self.now_ns).out)
            self.now_ns += 10 * MS
        return self.host

    def _pieces(self, to_device: bool, data: bytes) -> list[bytes]:
        pieces = [self.meddle(to_device, b"\0" + piece + b"\0") for piece in data.split(b"\0") if piece]
        return [piece for piece in pieces if piece and self.chance.random() >= self.loss]

    def _to_device(self, data: bytes) -> None:
        for piece in self._pieces(True, data):
            up, out = self.device.receive(piece, self.now_ns)
            for body in bodies(up):
                if body[2] == Kind.LINK and body[6] == 1:  # the link of an open device answers HELLO itself
                    out += self.device.send(encode_frame(link_frame(2, self.greeting)), self.now_ns)
            if self.device.report_due:
                self.device.report_due = False
                self.reports += 1
                out += self.device.send(encode_frame(encode(report(0x1001, 0, 0))), self.now_ns)
            self._to_host(out)

    def _to_host(self, data: bytes) -> None:
        for piece in self._pieces(False, data):
            self._to_device(self.host.receive(piece, self.now_ns).out)


def test_both_ends_learn_each_other_and_show_the_same_string() -> None:
    bench = Bench()
    host = bench.run()
    assert host.done
    assert host.device == SUITE.public(DEVICE_KEY)
    assert bench.device.hosts == [PairedHost(SUITE.public(HOST_KEY), Role.OPERATE, "pit-3")]
    assert host.short_string == bench.device.short_string != ""
    assert (bench.device.code, bench.device.closed, bench.device.hosts_changed) == ("", True, True)
    assert host.hello is not None
    assert host.hello.serial == "1"


@pytest.mark.parametrize("loss", [0.2, 0.4])
@pytest.mark.parametrize("seed", range(4))
def test_a_line_that_loses_only_takes_longer(loss: float, seed: int) -> None:
    bench = Bench(loss=loss, seed=seed)
    assert bench.run(60_000).done
    assert bench.host.short_string == bench.device.short_string


def test_a_wrong_code_pairs_no_one_and_ends_the_attempt() -> None:
    bench = Bench(OTHER_CODE)
    host = bench.run()
    assert (host.done, host.problem) == (False, hp.NOT_NOW)
    assert (bench.device.hosts, bench.device.code, bench.device.closed) == ([], "", False)
    again = HostPairing(SUITE, HOST_KEY, secret_of(CODE), role=Role.OPERATE, name="pit-3")
    bench.host = again
    bench.now_ns += 1_000 * MS
    assert bench.run().problem == hp.NOT_NOW


def test_without_a_code_no_one_is_paired() -> None:
    assert Bench(shown="").run().problem == hp.NOT_NOW


def test_a_code_is_valid_for_ten_minutes() -> None:
    bench = Bench()
    bench.now_ns += 600_000 * MS
    assert bench.run().problem == hp.NOT_NOW
    assert bench.device.code == ""


def test_a_device_without_seals_cannot_be_paired() -> None:
    bench = Bench()
    bench.device = DeviceEnd(
        SUITE, DEVICE_KEY, encode(hello_reply(0x1001))[8:], [PairedHost(b"x" * 32, Role.OPERATE, "")]
    )
    assert bench.run().problem == hp.NO_SEAL


def test_a_fifth_host_is_refused() -> None:
    bench = Bench()
    bench.device.hosts = [PairedHost(bytes([number]) * 32, Role.OBSERVE, "") for number in range(HOSTS_MAX)]
    assert bench.run().problem == hp.FULL
    assert len(bench.device.hosts) == 4


def test_a_host_that_is_paired_again_takes_no_second_place() -> None:
    bench = Bench()
    bench.run()
    bench.device.allow_pairing(CODE, bench.now_ns, Role.OBSERVE)
    bench.host = HostPairing(SUITE, HOST_KEY, secret_of(CODE), role=Role.SERVICE, name="pit-4")
    bench.now_ns += 1_000 * MS
    assert bench.run().done
    assert bench.device.hosts == [PairedHost(SUITE.public(HOST_KEY), Role.OBSERVE, "pit-4")]


@pytest.mark.parametrize("number", [0x02, 0x08, 0x09, 0x0A])
def test_whoever_changes_a_message_prevents_the_pairing_and_no_more(number: int) -> None:
    """Of HELLO-REPLY, too, which goes in clear: a letter of the serial number."""
    bench, at = Bench(), -1 if number == 0x02 else 20

    def meddle(to_device: bool, data: bytes) -> bytes:
        (body,) = bodies(data) or [b""]
        if body and body[2] == Kind.LINK and body[6] == number and not body[1]:
            changed = bytearray(body)
            changed[at] ^= 1
            return encode_frame(bytes(changed), after_silence=True)
        return data

    bench.meddle = meddle
    host = bench.run()
    assert not host.done
    assert bench.device.hosts == []


@pytest.mark.parametrize("number", [0x08, 0x0A])
def test_a_forged_nak_or_answer_costs_no_pairing(number: int) -> None:
    """Before each answer of the device someone else refuses, and answers with bytes of his own."""
    bench, refused = Bench(), bytes((1, 0, Kind.NAK, 0, 0, 0, number, 0, 5, 0))
    forged = [refused, link_frame(0x09, bytes(range(96)))]

    def meddle(to_device: bool, data: bytes) -> bytes:
        if to_device and [body for body in bodies(data) if body[2] == Kind.LINK and body[6] == number]:
            for each in forged:
                bench.host.receive(encode_frame(each, after_silence=True), bench.now_ns)
        return data

    bench.meddle = meddle
    assert bench.run().done
    assert bench.device.closed


def test_someone_in_between_without_the_code_is_not_paired_and_learns_no_key() -> None:
    """He answers the host himself: he gets its proof, and cannot show that he knows the code."""
    man = DeviceEnd(SUITE, OTHER_KEY, GREETING)
    man.allow_pairing(OTHER_CODE, START_NS)
    bench = Bench()
    bench.device = man
    host = bench.run()
    assert not host.done
    assert man.hosts == []
    assert host.problem == hp.NOT_NOW


def test_a_device_proves_the_code_only_by_its_first_sealed_frame() -> None:
    """An answer without the code holds, but no frame that follows opens."""
    bench = Bench()
    bench.meddle = lambda to_device, data: b"" if not to_device and bodies(data)[0][1] & 0x80 else data
    host = bench.run(3_000)
    assert host.keys is not None
    assert not host.done


def test_a_proof_that_is_repeated_is_answered_by_another_status() -> None:
    bench = Bench()
    lost: list[bytes] = []

    def meddle(to_device: bool, data: bytes) -> bytes:
        if not to_device and bodies(data)[0][1] & 0x80 and len(lost) < 2:
            lost.append(data)
            return b""
        return data

    bench.meddle = meddle
    assert bench.run().done
    assert bench.reports == 3
    assert len(bench.device.hosts) == 1
