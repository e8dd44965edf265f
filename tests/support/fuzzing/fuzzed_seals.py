"""Targets of a fuzzer: both ends of a sealed line, in every state, each with its link.

Everything that is put in comes from someone without the keys: random, spoiled, out of another conversation, or
repeated. So nothing may be opened, executed, delivered or paired, in any state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Final

from devices.transport.ciphers import Ciphers
from protocol.tdp import Commanded, Delivered, DeviceLink, HostLink, Output, Send
from protocol.tdp import messages as m
from protocol.tdp.framing import MAX_WIRE, Framer, encode_frame
from protocol.tdp.messages import Role
from protocol.tdp.seal.device_end import DeviceEnd
from protocol.tdp.seal.line_end import (
    HELLO,
    HELLO_REPLY,
    PAIR_ANSWER,
    PAIR_CALL,
    PAIR_PROOF,
    SEAL_ANSWER,
    SEAL_CALL,
    SealEnd,
    SealTiming,
    handshake_id,
    link_frame,
)
from protocol.tdp.seal.pairing import HostPairing
from protocol.tdp.seal.words import code_of, secret_of
from tests.support.fuzzing.fuzz_units import (
    MS,
    FuzzTally,
    TilingCheck,
    Unaccounted,
    line_inputs,
    spoiled,
)
from tests.support.fuzzing.fuzzed_dialects import BODIES, STEPS, tdp_frame
from tests.support.rigs.sealed_links import HOST_KEY, SealedPair, bodies

SHAKES: Final = {HELLO: 12, PAIR_CALL: 32, PAIR_ANSWER: 96, PAIR_PROOF: 81, SEAL_CALL: 56, SEAL_ANSWER: 48}
"""Length of the payload of each handshake message."""
CODE: Final = code_of(0x123456789ABCDEF)


class SeededCiphers(Ciphers):
    """The ciphers with keys from a seed, so that a run can be repeated."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def generate(self) -> bytes:
        """Return the next private key."""
        return self._chance.randbytes(32)


def sealed_pair(chance: Random, **settings: object) -> SealedPair:
    """Return both ends of a sealed line after some work: what went over it is in `tapped`."""
    pair = SealedPair(seed=chance.randrange(1 << 30), suite=SeededCiphers(chance), **settings)  # type: ignore[arg-type]
    pair.start()
    if not pair.run(10_000, lambda: pair.up):
        raise Unaccounted("the genuine ends do not get through")
    for _ in range(40):
        pair.emit(m.GreenButtonMessage)
        pair.request(m.DispenseMessage())
        pair.run(300)
    return pair


def tapped_frames(pair: SealedPair, target: str = "") -> list[bytes]:
    """Return the bodies of all frames that went over a line, or of those to one end."""
    return [body for to, data in pair.tapped if to == target or not target for body in bodies(data)]


class SealState:
    """One end in one state. A subclass brings it there, and names what must stay as it is."""

    end: SealEnd

    def __init__(self, chance: Random) -> None:
        self.pair = sealed_pair(chance)
        self.other = sealed_pair(chance)
        self.now_ns = self.pair.now_ns
        self._framer, self._tiles = Framer(), TilingCheck(MAX_WIRE)
        self._heard = [body for one in (self.pair, self.other) for body in tapped_frames(one)]

    def renew(self) -> None:
        """Bring the end into its state again, if an input ended that state."""

    def facts(self) -> object:
        """Return what no input may change."""
        raise NotImplementedError

    def hear(self, data: bytes) -> list[Output]:
        """Give bytes to the end, and what it passes on to the link above it."""
        raise NotImplementedError

    def refused(self) -> int:
        """Return the number of frames that the end did not take."""
        stats = self.end.stats
        return stats.unopened + stats.clear + stats.naks

    def inputs(self, chance: Random) -> Iterator[bytes]:
        """Yield what someone on the line may send, and in each fourth place handshake messages, one at a time."""
        sample = b"".join(map(encode_frame, self._heard))
        every = self._heard + BODIES
        for number, data in enumerate(line_inputs(sample, every, tdp_frame, chance)):
            yield data
            if number % 4 == 0:
                yield from (_shake(self._heard, chance) for _ in range(8))

    def take(self, data: bytes, chance: Random, tally: FuzzTally) -> None:
        """Take an input. Unaccounted if the end opened, executed, delivered or learned anything."""
        self.renew()
        self.now_ns += (chance.choice(STEPS) if len(data) > 300 else 260) * MS
        self._tiles.book(self._framer.feed(data), len(data), self._framer.pending, tally)
        before = self.facts()
        refused = self.refused()
        out = self.hear(data)
        tally.errors["refused frames"] += self.refused() - refused
        if self.facts() != before:
            raise Unaccounted(f"the end changed from {before} to {self.facts()}")
        if found := [each for each in out if isinstance(each, Commanded | Delivered)]:
            raise Unaccounted(f"the link accepted {found[0]}")


def _shake(heard: list[bytes], chance: Random) -> bytes:
    """Return a handshake message: one that went over the line, spoiled, or one of random keys."""
    if chance.random() < 0.5:
        known = [body for body in heard if handshake_id(body)]
        return tdp_frame(spoiled(chance.choice(known), chance, 1))
    number, size = chance.choice(list(SHAKES.items()))
    size += chance.choice((0, 0, 0, -1, 1, 40))
    return encode_frame(link_frame(number, chance.randbytes(size)), after_silence=True)


# ------------------------------------------------------------------ the device's end


class DeviceState(SealState):
    """A device's end and its link."""

    end: DeviceEnd
    link: DeviceLink

    def facts(self) -> object:
        """Return its hosts, the frames it opened and the keys in use."""
        stats = self.end.stats
        return list(self.end.hosts), stats.opened, stats.handshakes, self.end.keys, self.end.role

    def hear(self, data: bytes) -> list[Output]:
        """Give bytes to the end and to the link."""
        up, _ = self.end.receive(data, self.now_ns)
        self.end.report_due = self.end.hosts_changed = False
        out = self.link.receive(up, self.now_ns) if up else []
        out += self.link.tick(self.now_ns)
        for each in out:
            if isinstance(each, Send):
                self.end.send(each.data, self.now_ns)
        return out

    def _new_end(self, hosts: bool) -> DeviceEnd:
        pair = self.pair
        assert pair.device is not None
        return DeviceEnd(pair.suite, pair.device_key, pair.device.greeting(), pair.hosts if hosts else ())

    def _open_device(self, *, hosts: bool) -> None:
        assert self.pair.device is not None
        self.end, self.link = self._new_end(hosts), self.pair.device


class DeviceUnpaired(DeviceState):
    """Paired with no one: frames in clear are for the link, so that it may be commanded, and nothing is sealed."""

    def __init__(self, chance: Random) -> None:
        super().__init__(chance)
        self._open_device(hosts=False)

    def hear(self, data: bytes) -> list[Output]:
        """Give bytes to the end and to the link, which takes frames in clear."""
        return [each for each in super().hear(data) if not isinstance(each, Commanded)]


class DevicePairing(DeviceUnpaired):
    """Shows a code, and has answered a call."""

    def renew(self) -> None:
        """Show the code again, and answer a genuine call."""
        if self.end.code and self.end._pairing is not None:
            return
        self.now_ns += 300 * MS
        self.end.allow_pairing(CODE, self.now_ns)
        host = HostPairing(self.pair.suite, HOST_KEY, secret_of(CODE), role=Role.OPERATE, name="pit-3")
        assert self.pair.device is not None
        call = host.receive(encode_frame(link_frame(HELLO_REPLY, self.pair.device.greeting())), self.now_ns).out
        self.end.receive(call, self.now_ns)


class DeviceClosed(DeviceState):
    """Paired, before a handshake."""

    def __init__(self, chance: Random) -> None:
        super().__init__(chance)
        self._open_device(hosts=True)


class DeviceCalled(DeviceClosed):
    """Paired, and has answered a genuine call; nothing is sealed yet."""

    def renew(self) -> None:
        """Answer a genuine call, again if another one was answered since."""
        if self.end._new is None:
            _call(self)


class DeviceSealed(DeviceState):
    """Keys are in use."""

    def __init__(self, chance: Random) -> None:
        super().__init__(chance)
        assert self.pair.device_end is not None
        assert self.pair.device is not None
        self.end, self.link = self.pair.device_end, self.pair.device


class DeviceChangeover(DeviceSealed):
    """Keys are in use, and a genuine call for others was answered."""

    def renew(self) -> None:
        """Answer a genuine call."""
        if self.end._new is None:
            _call(self)


def _call(state: DeviceState) -> None:
    """Let the device answer a genuine call of its host."""
    pair = state.pair
    state.now_ns += 300 * MS
    host = pair._new_host_end()
    assert pair.device is not None
    call = host.receive(encode_frame(link_frame(HELLO_REPLY, pair.device.greeting())), state.now_ns).out
    state.end.receive(call, state.now_ns)


# ------------------------------------------------------------------ the host's end


class HostState(SealState):
    """A host's end and its link."""

    def __init__(self, chance: Random) -> None:
        super().__init__(chance)
        self.end = self.pair._new_host_end()
        self.link = HostLink(expects=self.pair.expects, role=Role.OPERATE)
        self._pass(self.link.start(self.now_ns))

    def facts(self) -> object:
        """Return the frames it opened, and the keys in use."""
        return self.end.stats.opened, self.end.stats.handshakes, self.end.keys, self.end.sealed

    def hear(self, data: bytes) -> list[Output]:
        """Give bytes to the end and to the link."""
        up, _ = self.end.receive(data, self.now_ns)
        out = self.link.receive(up, self.now_ns) if up else []
        out += self.link.tick(self.now_ns)
        self._pass(out)
        return out

    def _pass(self, out: list[Output]) -> None:
        for each in out:
            if isinstance(each, Send):
                self.end.send(each.data, self.now_ns)


class HostCalling(HostState):
    """Has called a genuine device, which did not answer yet."""

    def renew(self) -> None:
        """Call again, if it gave up."""
        if not self.end._calls.busy:
            self.now_ns += 300 * MS
            assert self.pair.device is not None
            self.end.receive(encode_frame(link_frame(HELLO_REPLY, self.pair.device.greeting())), self.now_ns)


class HostSealed(HostState):
    """Keys are in use."""

    def __init__(self, chance: Random) -> None:
        super().__init__(chance)
        self.end, self.link = self.pair.host_end, self.pair.host


class HostChangeover(HostSealed):
    """New keys are there, under which nothing opened yet."""

    def __init__(self, chance: Random) -> None:
        super().__init__(chance)
        pair = self.pair
        pair.host_end._timing = SealTiming(rekey_ns=1)
        pair.to_host.open = False
        pair.run(100, lambda: pair.host_end._calls.busy)
        pair.run(150)  # the device answers the same call again only then
        pair.to_host.open = True
        answers = [body for to, data in pair.tapped[-20:] if to == "device" for body in bodies(data)]
        calls = [body for body in answers if handshake_id(body) == SEAL_CALL]
        self.now_ns = pair.now_ns
        assert pair.device_end is not None
        answer = pair.device_end.receive(encode_frame(calls[-1]), self.now_ns).out
        self.end.receive(answer, self.now_ns)
        pair.host_end._timing = SealTiming()
        if self.end._old is None:
            raise Unaccounted("the host has no new keys")


class HostPairs(SealState):
    """A host that pairs; each input meets it before HELLO-REPLY, after its call, or after its proof."""

    def __init__(self, chance: Random) -> None:
        super().__init__(chance)
        self._stage, self._chance = 0, chance
        self.renew()

    def renew(self) -> None:
        """Begin a pairing and bring it into the next of its three states."""
        pair = self.pair
        assert pair.device is not None
        greeting = pair.device.greeting()
        self._stage = (self._stage + 1) % 3
        self.now_ns += 300 * MS
        self.end = HostPairing(pair.suite, HOST_KEY, secret_of(CODE), role=Role.OPERATE, name="pit-3")
        self.end.tick(self.now_ns)
        if self._stage:
            call = self.end.receive(encode_frame(link_frame(HELLO_REPLY, greeting)), self.now_ns).out
            if self._stage == 2:
                device = DeviceEnd(pair.suite, pair.device_key, greeting)
                device.allow_pairing(CODE, self.now_ns)
                self.end.receive(device.receive(call, self.now_ns).out, self.now_ns)

    def facts(self) -> object:
        """Return whether the pairing is done."""
        return self.end.done

    def hear(self, data: bytes) -> list[Output]:
        """Give bytes to the end."""
        self.end.receive(data, self.now_ns)
        self.end.tick(self.now_ns)
        return []


STATES: Final[dict[str, Callable[[Random], SealState]]] = {
    "device, unpaired": DeviceUnpaired,
    "device, pairing": DevicePairing,
    "device, closed": DeviceClosed,
    "device, called": DeviceCalled,
    "device, sealed": DeviceSealed,
    "device, changeover": DeviceChangeover,
    "host, clear": HostState,
    "host, calling": HostCalling,
    "host, sealed": HostSealed,
    "host, changeover": HostChangeover,
    "host, pairing": HostPairs,
}
"""Every state of both ends."""
