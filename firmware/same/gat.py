"""Run the GAT terminal against the device in Python and the one in C at once, on a line with faults.

    python -m firmware.same.gat [--exchanges N] [--seed N] [--without-c]

Both devices get the same bytes at the same times, and must answer the same bytes. The terminal must find the right
checksums, or end with a declared error. Exit code 1 at the first difference, with its seed.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final, Protocol

from protocol.errors import RemoteError
from protocol.gat import messages as m
from protocol.gat.device_end import GatDevice, MeasuredSoftware
from protocol.gat.exchange import Exchange, GatTiming
from protocol.gat.framing import encode_frame
from protocol.gat.functions import SpecialFunction
from protocol.gat.inspection import Inspection

PROGRAM: Final = Path(__file__).parents[2] / "build/firmware/gat-script"
MS: Final = 1_000_000
STEP_MS: Final = 5
IMAGE_MAX: Final = 3000
NAME: Final = "firmware 1.0.0"
PORTION: Final = 512
FAULTS: Final = 0.04
"""Share of the pieces on the line that are damaged, in each direction."""


class GatDifferent(Exception):
    """The devices, or the result and the truth, differ."""


class GatEnd(Protocol):
    """A device's end of the line."""

    def start(self, image: bytes) -> None:
        """Begin with a new device."""

    def arrive(self, data: bytes) -> bytes:
        """Return the output after these bytes."""

    def wait(self, step_ms: int, times: int) -> bytes:
        """Let time pass, with a tick after each step, and return the output."""


class EndInPython:
    """Device in Python, with a clock that the script moves."""

    def __init__(self) -> None:
        self._now_ms = 0
        self.start(b"")

    def start(self, image: bytes) -> None:
        """Begin with a new device."""
        self._device = GatDevice(MeasuredSoftware("toy", "dealwire", ((NAME, image),)), PORTION)

    def arrive(self, data: bytes) -> bytes:
        """Return the output after these bytes."""
        self._device.receive(data, self._now_ms * MS)
        return b"".join(self._device.take_output())

    def wait(self, step_ms: int, times: int) -> bytes:
        """Let time pass, with a tick after each step."""
        for _ in range(times):
            self._now_ms += step_ms
            self._device.tick(self._now_ms * MS)
        return b"".join(self._device.take_output())


class EndInC:
    """Device in C, as a program on a pipe."""

    def __init__(self, program: Path = PROGRAM) -> None:
        self._running = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def start(self, image: bytes) -> None:
        """Begin with a new device."""
        self._do(b"N" + len(image).to_bytes(2, "little") + image)

    def arrive(self, data: bytes) -> bytes:
        """Return the output after these bytes."""
        return self._do(b"B" + len(data).to_bytes(2, "little") + data)

    def wait(self, step_ms: int, times: int) -> bytes:
        """Let time pass, with a tick after each step."""
        return self._do(b"W" + step_ms.to_bytes(2, "little") + times.to_bytes(2, "little"))

    def close(self) -> None:
        """End the program."""
        assert self._running.stdin is not None
        assert self._running.stdout is not None
        self._running.stdin.close()
        self._running.stdout.close()
        self._running.wait()

    def _do(self, record: bytes) -> bytes:
        given, taken = self._running.stdin, self._running.stdout
        assert given is not None
        assert taken is not None
        given.write(record)
        given.flush()
        return taken.read(int.from_bytes(taken.read(4), "little"))


@dataclass
class GatBench:
    """Terminal, line and devices on one clock in milliseconds."""

    ends: list[GatEnd]
    chance: Random
    now_ms: int = 1_000
    on_way: list[tuple[int, bytes]] = field(default_factory=list)
    """Bytes on their way to the terminal, with the times of their arrival."""
    damaged: int = 0
    heard: list[bytes] = field(default_factory=list)
    """Everything that went over the line undamaged, both ways."""

    def start(self, image: bytes) -> None:
        """Begin with new devices."""
        self.on_way.clear()
        for end in self.ends:
            end.start(image)

    def pass_time(self, ms: int) -> None:
        """Let time pass at all devices."""
        steps, rest = divmod(ms, STEP_MS)
        for step_ms, times in ((STEP_MS, steps), (rest, int(rest > 0))):
            if times:
                self._take([end.wait(step_ms, times) for end in self.ends])
        self.now_ms += ms

    def send(self, data: bytes) -> None:
        """Send bytes to the devices, damaged at times."""
        self.heard.append(data)
        for piece, gap_ms in self._spoiled(data):
            if gap_ms:
                self.pass_time(gap_ms)
            if piece:
                self._take([end.arrive(piece) for end in self.ends])

    def arrived(self) -> bytes:
        """Return what the terminal has received by now."""
        found = b"".join(data for at_ms, data in self.on_way if at_ms <= self.now_ms)
        self.on_way = [each for each in self.on_way if each[0] > self.now_ms]
        return found

    def _take(self, outputs: list[bytes]) -> None:
        if any(one != outputs[0] for one in outputs):
            raise GatDifferent("the devices answer " + " and ".join(one.hex(" ") or "nothing" for one in outputs))
        at_ms = self.now_ms
        self.heard.append(outputs[0])
        for piece, gap_ms in self._spoiled(outputs[0]) if outputs[0] else ():
            at_ms += gap_ms
            self.on_way.append((at_ms, piece))

    def _spoiled(self, data: bytes) -> list[tuple[bytes, int]]:
        """Return pieces, each with the silence before it. At most three bits are turned: a CRC finds them, if none is
        in the length."""
        chance, at = self.chance, self.chance.randrange(len(data))
        if chance.random() >= FAULTS:
            return [(data, 0)]
        self.damaged += 1
        spoilt = bytearray(data)
        match chance.randrange(7):
            case 0:
                return []
            case 1:
                for _ in range(chance.randint(1, 3)):
                    spoilt[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            case 2:
                del spoilt[at:]
            case 3:
                spoilt[:0] = chance.randbytes(chance.randint(1, 4))
            case 4:
                return [(data[:at], 0), (data[at:], chance.choice((3, 40, 70, 300)))]
            case 5:
                return [(data, chance.choice((30, 190, 260, 700)))]
            case _:
                return [(data, 0), (data, chance.choice((0, 5, 100)))]
        return [(bytes(spoilt), 0)]


def terminal(bench: GatBench, exchange: Exchange) -> Inspection:
    """Return a terminal on the bench's line."""

    def ask(query: m.GatMessage) -> m.GatMessage:
        exchange.ask(query, bench.now_ms * MS)
        while (due_ns := exchange.next_deadline_ns) is not None:
            nearest = min((at_ms for at_ms, _ in bench.on_way), default=1 << 62)
            until_ms = min(-(-due_ns // MS), nearest)
            bench.pass_time(max(0, until_ms - bench.now_ms))
            exchange.receive(bench.arrived(), bench.now_ms * MS)
            if not exchange.done and (data := exchange.tick(bench.now_ms * MS)):
                bench.send(data)
        if exchange.failure is not None:
            raise exchange.failure
        assert exchange.answer is not None
        return exchange.answer

    def rest(pause_ns: int) -> None:
        bench.pass_time(pause_ns // MS)
        bench.arrived()

    return Inspection(ask, rest, lambda: bench.now_ms * MS, limit_s=20)


def inspect(bench: GatBench, exchange: Exchange) -> bool:
    """Start with a new image, ask for its checksum, and compare. Return False for a declared error."""
    chance = bench.chance
    image = chance.randbytes(chance.choice((0, 1, 55, 56, 64, 511, 512, 513, chance.randrange(IMAGE_MAX))))
    key = chance.randbytes(chance.choice((0, 1, 20, 63, 64, 65, 100)))
    inspection = terminal(bench, exchange)
    if chance.random() < 0.5:
        bench.start(image)
    else:
        bench.start(image)
        _strange(bench)
    plain = hashlib.sha1(image).hexdigest().upper()
    truth = hmac.new(key, image, hashlib.sha1).hexdigest().upper() if key else plain
    try:
        match chance.randrange(4):
            case 0:
                if [each.feature for each in inspection.functions()] != ["Get File", "Component"]:
                    raise GatDifferent("the list of functions is another")
            case 1:
                if inspection.component(NAME, key).checksum != truth:
                    raise GatDifferent("the component's checksum is not that of its image")
            case 2:
                inspection.run(SpecialFunction("Component", ("another",)))
                raise GatDifferent("a component that is not there was measured")
            case _:
                if [each.checksum for each in inspection.components(key)] != [truth]:
                    raise GatDifferent("the checksum is not that of the image")
    except RemoteError:
        return False
    return True


TEXTS: Final = (
    *("Get File", "Component", "Get Special Functions", NAME, "AuthenticationResponse.xml", "(none)", ""),
    *("0x", "0x1F", "1f2", "GG", "1F" * 70, "\u00e9"),
)


def _strange(bench: GatBench) -> None:
    """Send what no terminal sends: the devices must agree on that too."""
    chance = bench.chance
    for _ in range(chance.randint(1, 6)):
        match chance.randrange(5):
            case 0:
                bench.send(chance.randbytes(chance.randint(1, 20)))
            case 1:
                number = chance.choice((0, 1, 2, 3, 4, 65535))
                bench.send(encode_frame(3, bytes((chance.choice((1, 2, 2, 2, 9)),)) + number.to_bytes(2)))
            case 2:
                text = "\t".join(chance.choice(TEXTS) for _ in range(chance.randint(1, 4))).encode("latin-1")[:240]
                bench.send(encode_frame(4, chance.choice((b"\xba\0", b"\xba\0", b"\xba\x01", b"\x01\0")) + text))
            case 3:
                bench.send(encode_frame(chance.choice((1, 2))))
            case _:
                text = f"Component\t{NAME}\t{chance.choice(TEXTS)}".encode("latin-1")
                bench.send(encode_frame(4, b"\xba\0" + text))
        bench.pass_time(chance.choice((1, 5, 49, 50, 60, 1000, 3500)))
    bench.pass_time(1000)
    bench.arrived()


def main(words: list[str]) -> int:
    """Run the command and return its exit code."""
    given = argparse.ArgumentParser(prog="python -m firmware.same.gat")
    given.add_argument("--exchanges", type=int, default=100_000)
    given.add_argument("--seed", type=int, default=0)
    given.add_argument("--without-c", action="store_true")
    options = given.parse_args(words)
    in_c = None if options.without_c else EndInC()
    ends: list[GatEnd] = [EndInPython(), *([in_c] if in_c else [])]
    began, seed, sent, fine, damaged = time.monotonic(), options.seed, 0, 0, 0
    try:
        while sent < options.exchanges:
            bench, exchange = GatBench(ends, Random(seed)), Exchange(GatTiming(allowance_ns=0))
            fine += inspect(bench, exchange)
            sent, damaged, seed = sent + exchange.sent, damaged + bench.damaged, seed + 1
    except GatDifferent as different:
        print(f"seed {seed}, after {sent} exchanges: {different}")
        return 1
    finally:
        if in_c is not None:
            in_c.close()
    runs, took = seed - options.seed, time.monotonic() - began
    print(f"{sent:,} exchanges in {runs:,} inspections, {damaged:,} damaged; {fine:,} ended with the right result, "
          f"{runs - fine:,} with a declared error; 0 differences, {took:.0f} s")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
