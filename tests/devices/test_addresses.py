"""Lines without a port: simulated devices and recordings, as an address gives them."""

import shutil
from pathlib import Path

import pytest

from devices.clock import ManualClock
from devices.events import GameEnded, LinkUp, Seen
from devices.loop import Owner
from devices.session import Session
from devices.shuffler import ShufflerDriver
from devices.table_controller import TableControllerDriver
from devices.transport.address import line_at, open_transport
from protocol.errors import LineUnusable
from protocol.tdp.link import HostLink
from tests.support.lines import run_manual

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


def test_two_simulated_devices_with_equal_settings_share_a_table() -> None:
    clock, seen = ManualClock(), []
    query = "scenario=clean-1&seed=5&speed=50"
    shuffler = session("shuffler", f"sim:shuffler?{query}", ShufflerDriver(), clock, seen)
    controller = session("controller", f"sim:table-controller?{query}", TableControllerDriver(), clock, seen)
    assert play(clock, shuffler, controller, until=lambda: any(isinstance(one.body, GameEnded) for one in seen))
    assert {one.device for one in seen} == {"shuffler", "controller"}


def test_a_simulated_device_alone_is_dealt_with_all_the_same() -> None:
    clock, seen = ManualClock(), []
    alone = session("shuffler", "sim:shuffler?scenario=clean-1&seed=6&speed=50", ShufflerDriver(), clock, seen)
    assert play(clock, alone, until=lambda: seen != [] and seen[-1].number >= 30)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("sim:roulette", "simulated devices: shuffler, table-controller"),
        ("sim:shuffler?pace=3", "allowed settings: scenario, seed, speed"),
        ("sim:shuffler?seed=x", "seed is a whole number"),
        ("sim:shuffler?speed=0", "allowed: 0.01 to 1000"),
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
