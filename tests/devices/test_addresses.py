"""Lines without a port: simulated devices and recordings, by address."""

import shutil
from pathlib import Path

import pytest

from devices.clock import ManualClock
from devices.dialects.shoe import ShoeDriver
from devices.dialects.shuffler import ShufflerDriver
from devices.drive.address import line_at, open_transport
from devices.events import CardDrawn, LinkUp, Seen
from devices.line.loop import Owner
from devices.line.session import Session
from protocol.errors import LineUnusable
from protocol.tdp import HostLink
from tests.support.rigs.lines import run_manual

CAPTURE = Path(__file__).parents[2] / "captures" / "clean-1.pcapng"


def session(name: str, address: str, driver, clock: ManualClock, seen: list[Seen]) -> Session:
    return Session(name, line_at(address, clock).open(), HostLink(), driver, clock, seen.append)


def play(clock: ManualClock, *sessions: Session, until) -> bool:
    owner = Owner(clock)
    for member in sessions:
        owner.add(member)
        member.start()
    done = run_manual(owner, clock, until, 600_000_000_000)
    owner.close()
    return done


def test_a_simulated_device_goes_on_while_its_line_is_away() -> None:
    clock, seen = ManualClock(), []
    opener = line_at("sim:shoe?speed=10&cards=13", clock)
    for number in (1, 2):
        line = opener.open()
        session = Session("shoe", line, HostLink(), ShoeDriver(), clock, seen.append)
        assert play(clock, session, until=lambda number=number: cards(seen) >= 3 * number)
        clock.advance(1_000_000_000)
    drawn = [one.body.ordinal for one in seen if isinstance(one.body, CardDrawn)]
    assert sorted(set(drawn)) == list(range(1, max(drawn) + 1)), "none is missing, those drawn meanwhile neither"
    assert len({one.session for one in seen}) == 1


def cards(seen: list[Seen]) -> int:
    return sum(isinstance(one.body, CardDrawn) for one in seen)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        (f"replay:{CAPTURE}", "lines in this recording: shuffler, controller"),
        (f"replay:{CAPTURE}#wheel", "lines in this recording: shuffler, controller"),
    ],
)
def test_a_wrong_address_says_what_there_is(address: str, says: str) -> None:
    with pytest.raises(LineUnusable) as caught:
        open_transport(address, ManualClock())
    assert says in str(caught.value)


def test_a_recorded_line_is_a_line(tmp_path: Path) -> None:
    shutil.copy(CAPTURE, tmp_path / "a.pcapng")
    clock, seen = ManualClock(), []
    address = f"replay:{tmp_path}/a.pcapng#shuffler"
    assert line_at(address, clock).final
    recorded = session("shuffler", address, ShufflerDriver(), clock, seen)
    assert play(clock, recorded, until=lambda: recorded.closed is not None)
    assert any(isinstance(one.body, LinkUp) for one in seen)
    assert max(one.number for one in seen) > 30
