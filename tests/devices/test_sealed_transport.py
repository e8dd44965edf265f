"""The sealed transport: partial writes, its deadlines, refusals; and simulated devices behind a door."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from devices.clock import ManualClock
from devices.dialects.known import dialect_named
from devices.events import LinkUp, Seen
from devices.line.session import Session
from devices.simulator.identity import IdentityProblem
from devices.simulator.table_controller import TableControllerModel
from devices.simulator.unit import Unit, controller_unit
from devices.simulator.unit_seal import UnitSeal
from devices.transport.base import OpenLine
from devices.transport.sealed import Sealed
from protocol.errors import LineClosed, LineUnsealed, NotOpen
from protocol.tdp.framing import encode_frame
from protocol.tdp.host_link import HostLink
from protocol.tdp.messages import Kind, Role
from protocol.tdp.seal.device_end import PairedHost
from protocol.tdp.seal.host_end import NO_SEAL, HostEnd
from tests.support.rigs.links import MS, START_NS
from tests.support.rigs.sealed_links import HOST_KEY, SUITE

HOST = PairedHost(SUITE.public(HOST_KEY), Role.OPERATE, "pit-3")


class UnitLine(OpenLine):
    """A line to a unit that takes at most `most` bytes a write."""

    def __init__(self, unit: Unit, clock: ManualClock, most: int = 1 << 16) -> None:
        super().__init__("unit")
        self.unit, self.clock, self.most = unit, clock, most
        self.writes: list[int] = []

    def fileno(self) -> int | None:
        return None

    def on_ready(self, wake: object) -> None:
        pass

    def read(self) -> bytes:
        self._check()
        self.unit.tick(self.clock.now_ns())
        return b"".join(self.unit.take_output())

    def write(self, data: bytes) -> int:
        self._check()
        taken = data[: self.most]
        self.writes.append(len(taken))
        self.unit.receive(taken, self.clock.now_ns()) if taken else None
        return len(taken)


def sealed_unit(*, paired: bool = True, sealed: bool = True) -> Unit:
    unit = controller_unit(TableControllerModel(boot_ns=0), Random(1))
    if sealed:
        unit.seal = UnitSeal(SUITE)
        unit.seal._hosts = [HOST] if paired else []
    unit.power_on(START_NS)
    return unit


def served(
    unit: Unit, most: int = 1 << 16, ms: int = 4_000, kind: type[UnitLine] = UnitLine
) -> tuple[Session, Sealed, list[Seen], ManualClock]:
    clock, seen = ManualClock(START_NS), list[Seen]()
    key = unit.seal.public if unit.seal is not None else bytes(32)
    line = Sealed(kind(unit, clock, most), HostEnd(SUITE, HOST_KEY, lambda hello: key), clock)
    driver = dialect_named("tdp").driver("table-controller", where="test")
    session = Session("controller", line, HostLink(role=Role.OPERATE), driver, clock, seen.append)
    session.start()
    for _ in range(ms // 5):
        clock.advance(5 * MS)
        now_ns = clock.now_ns()
        session.on_deadline(now_ns)
        session.on_readable(now_ns)
        if session.closed is not None:
            break
    return session, line, seen, clock


@pytest.mark.parametrize("most", [1 << 16, 40, 7, 1])
def test_a_line_that_takes_few_bytes_at_a_time_is_served(most: int) -> None:
    session, line, seen, _ = served(sealed_unit(), most, 6_000)
    assert session.closed is None
    assert [each.body.serial for each in seen if isinstance(each.body, LinkUp)] == ["SIM-0001"]
    assert line.end.sealed
    assert session.link.stats.noise_bytes == 0


def test_a_line_that_takes_nothing_leaves_the_rest_with_the_caller() -> None:
    unit = sealed_unit()
    clock = ManualClock(START_NS)
    inner = UnitLine(unit, clock, 0)
    line = Sealed(inner, HostEnd(SUITE, HOST_KEY, lambda hello: unit.seal.public), clock)  # type: ignore[union-attr]
    hello = b"".join(out.data for out in HostLink().start(START_NS))  # type: ignore[attr-defined]
    assert line.write(hello) == len(hello) - 1
    assert line.write(hello[-1:]) == 0
    assert line.next_deadline_ns == START_NS + 10 * MS
    inner.most = 1 << 16
    assert line.write(hello[-1:]) == 1
    assert sum(inner.writes) > 30


class ForgedLine(UnitLine):
    """A line on which someone refuses every call in clear, before and after whatever the device sends."""

    def read(self) -> bytes:
        refused = [bytes((1, 0, Kind.NAK, 0, 0, 0, 0x0B, 0, reason, 0)) for reason in (5, 11)]
        before, after = (encode_frame(body, after_silence=True) for body in refused)
        return before + super().read() + after


def test_refusals_in_clear_all_the_time_close_no_line() -> None:
    session, line, seen, _ = served(sealed_unit(), ms=8_000, kind=ForgedLine)
    assert session.closed is None
    assert [each.body.serial for each in seen if isinstance(each.body, LinkUp)] == ["SIM-0001"]
    assert line.end.sealed
    assert line.end.stats.handshakes == 1


def test_a_plain_device_ends_the_line_with_one_sentence() -> None:
    session, _, seen, _ = served(sealed_unit(sealed=False))
    assert isinstance(session.closed, LineUnsealed)
    assert str(session.closed) == f"unit: not sealed: {NO_SEAL}"
    assert not [each for each in seen if isinstance(each.body, LinkUp)]


def test_a_sealed_device_that_is_paired_with_no_one_does_not_know_the_host() -> None:
    session, _, _, _ = served(sealed_unit(paired=False))
    assert isinstance(session.closed, LineUnsealed)
    assert "does not know this host" in str(session.closed)


def test_a_plain_host_is_refused_by_a_paired_device_in_one_line() -> None:
    unit, clock, seen = sealed_unit(), ManualClock(START_NS), list[Seen]()
    driver = dialect_named("tdp").driver("table-controller", where="test")
    session = Session("controller", UnitLine(unit, clock), HostLink(), driver, clock, seen.append)
    session.start()
    for _ in range(400):
        clock.advance(5 * MS)
        session.on_deadline(clock.now_ns())
        session.on_readable(clock.now_ns())
    assert str(session.link.problem) == (  # type: ignore[attr-defined]
        "the device is paired and takes only sealed frames; use its keys, or have it forget its hosts"
    )
    assert len([each for each in seen if type(each.body).__name__ == "LinkLost"]) == 1
    assert not [each for each in seen if isinstance(each.body, LinkUp)]


def test_a_closed_line_stays_closed() -> None:
    _, line, _, _ = served(sealed_unit())
    line.close()
    line.close()
    with pytest.raises(LineClosed):
        line.read()
    line.abandon("no longer trusted")


# ------------------------------------------------------------------ the simulated device


def test_a_power_cut_ends_the_keys_of_the_line_and_keeps_the_hosts(tmp_path: Path) -> None:
    unit = controller_unit(TableControllerModel(boot_ns=0), Random(1))
    unit.seal = UnitSeal(SUITE, tmp_path / "c.identity")
    unit.seal._hosts = [HOST]
    unit.power_on(START_NS)
    served(unit)
    assert unit.seal.end.keys is not None
    unit.power_off()
    unit.power_on(START_NS + 9_000_000 * MS)
    assert unit.seal.end.keys is None
    assert unit.seal.hosts == (HOST,)


def test_the_keys_are_made_once_private_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "shoe.identity"
    first = UnitSeal(SUITE, path)
    assert UnitSeal(SUITE, path).public == first.public
    assert UnitSeal(SUITE, tmp_path / "other.identity").public != first.public, "each device has a key of its own"
    assert path.stat().st_mode & 0o777 == 0o600
    words = path.read_text().split()
    assert (words[0], len(words[1]), len(words[2]), words[3]) == ("tdp-identity", 64, 64, "-")


@pytest.mark.parametrize(
    ("text", "mode", "why"),
    [
        ("tdp-identity 00 00 -\n", 0o600, "not an identity"),
        ("something else\n", 0o600, "not an identity"),
        (f"tdp-identity {'11' * 32} {'22' * 32} -\n", 0o644, "others may use it"),
    ],
)
def test_a_file_that_is_no_identity_is_named(tmp_path: Path, text: str, mode: int, why: str) -> None:
    path = tmp_path / "shoe.identity"
    path.write_text(text)
    path.chmod(mode)
    with pytest.raises(IdentityProblem, match=why):
        UnitSeal(SUITE, path)


def test_a_file_that_cannot_be_looked_at_is_named(tmp_path: Path) -> None:
    with pytest.raises(IdentityProblem, match=r"x: identity cannot be written: File name too long"):
        UnitSeal(SUITE, tmp_path / ("x" * 300))


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe", b"tdp-host 0011 operate pit-3\n", b"tdp-host\n", f"tdp-host {'11' * 32} king pit-3\n".encode()],
)
def test_a_list_of_hosts_that_cannot_be_used_is_named(tmp_path: Path, content: bytes) -> None:
    hosts = tmp_path / "shoe.identity.hosts"
    hosts.write_bytes(content)
    with pytest.raises(IdentityProblem, match=r"shoe\.identity\.hosts: not a list of hosts; allowed: lines 'tdp-host"):
        UnitSeal(SUITE, tmp_path / "shoe.identity")


def test_a_door_must_be_open_to_pair_and_to_forget() -> None:
    unit = sealed_unit()
    seal = unit.seal
    assert seal is not None
    with pytest.raises(NotOpen, match="door"):
        seal.allow_pairing(START_NS)
    with pytest.raises(NotOpen, match="door"):
        seal.forget_hosts()
    seal.open_door()
    code = seal.allow_pairing(START_NS)
    assert seal.face() == (f"pairing code {code}",)
    seal.open_door(False)
    assert seal.face() == ()
    seal.open_door()
    seal.forget_hosts()
    assert seal.hosts == ()
    assert not seal.end.closed
