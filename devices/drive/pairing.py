"""Pairing of this host with the device on a line, from the code that it shows to the key that is kept."""

from typing import Final

from devices.clock import Clock, SystemClock
from devices.drive.address import line_at
from devices.drive.identify import LineWaiting
from devices.transport.opening import Opener
from protocol.errors import LineMute, LineUnsealed
from protocol.tdp.messages import Role
from protocol.tdp.seal.pairing import HostPairing
from protocol.tdp.seal.suite import SealSuite
from protocol.tdp.seal.words import secret_of

PATIENCE_S: Final = 20.0
"""Time for a whole pairing. A small processor needs a second for its part."""


def pair_with(
    address: str,
    suite: SealSuite,
    own: bytes,
    code: str,
    *,
    role: Role,
    name: str,
    timeout_s: float = PATIENCE_S,
    clock: Clock | None = None,
    opener: Opener | None = None,
) -> HostPairing:
    """Pair with the device at `address`, and return the finished pairing. Nothing is stored here.

    `opener` opens the line, if not what the address alone says does.

    Raise BadCode for a code with a typing mistake, LineError if the line cannot be opened, LineMute if nothing answers
    within `timeout_s`, and LineUnsealed if the device refuses.
    """
    clock = clock or SystemClock()
    pairing = HostPairing(suite, own, secret_of(code), role=role, name=name)
    transport = (opener or line_at(address, clock)).open()
    try:
        end_ns = clock.now_ns() + int(timeout_s * 1e9)
        with LineWaiting(transport) as waiting:
            while not pairing.done and not pairing.problem and clock.now_ns() < end_ns:
                data = transport.read()
                now_ns = clock.now_ns()
                _, out = pairing.receive(data, now_ns) if data else pairing.tick(now_ns)
                while out:
                    out = out[transport.write(out) :]
                if not data:
                    waiting.wait(0.02)
    finally:
        transport.close()
    if pairing.problem:
        raise LineUnsealed(address, pairing.problem)
    if not pairing.done:
        raise LineMute(address, "nothing answers" if pairing.hello is None else "the pairing was not finished")
    return pairing
