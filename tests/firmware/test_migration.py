"""A firmware update: stores written by the program of commit 1872ceff continue in today's program, which has another
layout: meters, events, the round in progress. That program's own reports are next to them in `stores/`; the power cuts
are in checks/migration.c."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from protocol.tdp import messages as m
from protocol.tdp.codec import encode
from tests.support.rigs.firmware import Asked, devices, make, order, program

pytestmark = pytest.mark.firmware

STORES = Path(__file__).parent / "stores"
TOLD: dict[str, Any] = json.loads((STORES / "told.json").read_text())["told"]
STATUS: dict[str, type[m.Message]] = {
    "shoe": m.ShoeStatusMessage, "shuffler": m.ShufflerStatusMessage,
    "table-controller": m.ControllerStatusMessage,
}  # fmt: skip
COUNTED = (
    "ROUNDS", "PACKETS", "CARDS", "UNREAD_CARDS", "DECKS", "SHOES", "SHUFFLES_DONE", "SHUFFLES_FAILED",
    "CARDS_SHUFFLED", "COMMANDS_REFUSED",
)  # fmt: skip
"""Meters that a start does not count itself (unlike a shuffler's self-test, and the fault and misdeal of an interrupted
round)."""


def meters(host: Asked) -> dict[str, int]:
    host.say(m.ReadMetersMessage(0))
    told = host.hear(m.MetersMessage)
    assert isinstance(told, m.MetersMessage)
    return {m.DeviceMeter(number).name: count for number, _, count in told.meters}


@pytest.mark.parametrize("device", devices())
def test_meters_events_and_the_round_go_on_after_the_update(device: str, tmp_path: Path) -> None:
    make("host")
    told = TOLD[device]
    store = shutil.copy(STORES / f"{device}.store", tmp_path / "store")
    with program(device, tmp_path, "tdp-device", store) as line, Asked(line) as host:
        hello = host.greet()
        booted = host.booted(hello.session)
        assert (hello.boot_count, booted.previous_session) == (told["boots"] + 1, told["session"])
        assert booted.mid_round == told["mid_round"] == 1
        after = meters(host)
        assert {name: after[name] for name in COUNTED if name in after} == {
            name: told["meters"][name] for name in COUNTED if name in after
        }
        assert after["POWER_CYCLES"] == told["meters"]["POWER_CYCLES"] + 1
        host.say(m.ReadEventsMessage(told["session"], 1))
        gap = host.hear(m.GapMessage)
        assert (gap.first_missing, gap.first_kept, gap.last) == (1, 1, told["last"])
        events: list[str] = []
        while len(events) < told["last"]:
            event = host.hear(m.Event)
            if encode(event, request=0).hex() == told["events"][len(events)]:
                events.append(encode(event, request=0).hex())
        status = host.hear(STATUS[device])
        fields = [
            name for name in status.__struct_fields__ if name not in ("session", "uptime_ms", "last_event", "state")
        ]
        shown = {name: str(getattr(status, name)) for name in fields}
        assert shown == {name: told["status"][name] for name in fields}
        host.say(m.ReadEventsMessage(0, 1))
        host.hear(m.ReplyMessage, lambda reply: reply.status == m.Status.REFUSED)
        refused = meters(host)["COMMANDS_REFUSED"]
        assert refused == told["meters"]["COMMANDS_REFUSED"] + 1
    with program(device, tmp_path, "tdp-device", store) as line, Asked(line) as host:
        assert host.booted(host.greet().session).previous_session == hello.session
        assert meters(host)["POWER_CYCLES"] == told["meters"]["POWER_CYCLES"] + 2
        assert meters(host)["COMMANDS_REFUSED"] == refused


def test_refused_commands_do_not_wear_the_store(tmp_path: Path) -> None:
    """They are counted, and written with the next event, or before they are reported."""
    make("host")
    store = tmp_path / "store"
    with program("shoe", tmp_path, "tdp-device", store) as line, Asked(line) as host:
        host.booted(host.greet().session)
        host.hear(m.StateChangedMessage)
        for _ in range(3):
            before = store.read_bytes()
            for _ in range(20):
                host.say(m.ReadEventsMessage(0, 1))
                host.hear(m.ReplyMessage, lambda reply: reply.status == m.Status.REFUSED)
            assert store.read_bytes() == before
            assert order(tmp_path / "control", "wrong-button") == "ok"
            host.hear(m.ShoeErrorMessage)
            assert store.read_bytes() != before
        host.say(m.ReadEventsMessage(0, 1))
        host.hear(m.ReplyMessage, lambda reply: reply.status == m.Status.REFUSED)
        told = meters(host)["COMMANDS_REFUSED"]
        assert told == 61
        assert order(tmp_path / "control", "power off") == "ok"
        assert order(tmp_path / "control", "power on") == "ok"
        host.booted(host.greet().session)
        assert meters(host)["COMMANDS_REFUSED"] == told
