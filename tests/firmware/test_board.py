"""The reference device on a bare Cortex-M3 in QEMU: power, watchdog, randomness, store, stack."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest

from protocol.tdp import messages as m
from protocol.tdp.messages import Message
from tests.support.rigs.firmware import BOARDS, IMAGES, ROOT, Asked, board, devices, make

pytestmark = pytest.mark.firmware

PLAYED: dict[str, tuple[tuple[str, type[Message]], ...]] = {
    "shoe": (
        ("fill 1 0", m.ShoeLoadedMessage),
        ("begin 1", m.BurnStartedMessage),
        ("draw", m.CardDrawnMessage),
        ("draw-unread", m.CardUnreadableMessage),
    ),
    "table-controller": (
        ("start-game", m.GameStartedMessage),
        ("wager 1 1 500", m.WagerPlacedMessage),
        ("hand-button 3", m.HandButtonMessage),
        ("end-game", m.GameEndedMessage),
    ),
    "shuffler": (
        ("speed 20", m.ShufflerStatusMessage),
        ("load 0 0", m.DeckVerifiedMessage),
        ("packet-count 1 -1 1", m.ShufflerStatusMessage),
        ("green", m.MisdealMessage),
        ("clear-remove", m.DeckRemovedMessage),
    ),
}
"""Acts of the hands, and the device's events for them."""


def test_every_image_is_within_its_budget_of_flash_ram_and_stack() -> None:
    said = make("cross")
    told = re.findall(r"^([\w-]+) ([\w-]+): flash", said, re.MULTILINE)
    assert len(told) == len(BOARDS) * len(devices())
    assert {name for name, _ in told} == {*BOARDS}
    assert "above the budget" not in said


MEASURED = re.compile(
    r"^([\w-]+) ([\w-]+): flash (\d+) core \+ (\d+) class = \d+ of \d+ bytes; image (\d+)\n"
    r"  sealed line (\d+) of \d+ bytes\n"
    r"  RAM (\d+) store \+ (\d+) working \+ (\d+) stack",
    re.MULTILINE,
)


def test_without_the_sealed_line_nothing_of_it_is_left() -> None:
    said = make("plain")
    found = MEASURED.findall(said)
    assert len(found) == len(devices())
    readme = (ROOT / "firmware/README.md").read_text()
    for board_name, image, core, own, size, sealed, store, *_ in found:
        assert (board_name, sealed) == (BOARDS[0], "0")
        assert int(core) + int(own) <= 12 * 1024
        assert int(store) < 13_300
        assert f"{int(size):,}" in readme, image


def test_what_it_takes_is_told_as_it_is_measured() -> None:
    said = make("cross")
    readme = (ROOT / "firmware/README.md").read_text()
    told = re.search(r"compiled with zig ([\d.]+) ", readme)
    assert told is not None
    if not version("ziglang").startswith(f"{told[1]}."):
        pytest.skip(f"not here: the table is of zig {told[1]}, and another is installed")
    names = {"lm3s6965": "LM3S6965", "mps2-an385": "MPS2 AN385"}
    device_of = {image: device.replace("-", " ") for device, image in IMAGES.items()}
    rows, name = [], ""
    for row in readme.partition("| board | device |")[2].partition("\n\n")[0].splitlines()[2:]:
        first, *rest = (cell.strip() for cell in row.strip("|").split("|"))
        name = first or name
        rows.append((name, rest[0], *(int(number.replace(",", "")) for number in rest[1:])))
    found = [(names[n], device_of[image], *map(int, rest)) for n, image, *rest in MEASURED.findall(said)]
    assert sorted(rows) == sorted(found)
    left = 12 * 1024 - max(core + own for _, _, core, own, *_ in found)
    assert f"has {left} bytes of flash left" in readme


@pytest.mark.parametrize("name", BOARDS)
def test_a_program_that_hangs_is_started_anew_by_the_watchdog_and_says_so(name: str) -> None:
    with board("shoe", name) as playing, Asked(str(playing.line)) as host:
        before = host.greet()
        assert host.booted(before.session).cause == m.BootCause.POWER_ON
        playing.send_keys("hang")
        while (after := host.greet()).session == before.session:
            pass
        assert after.boot_count == before.boot_count + 1
        event = host.booted(after.session)
        assert event.cause == m.BootCause.WATCHDOG
        assert event.previous_session == before.session


@pytest.mark.parametrize("name", BOARDS)
def test_no_two_power_ups_draw_the_same_session(name: str) -> None:
    seen = []
    for _ in range(3):
        with board("shoe", name) as playing:
            for _ in range(4):
                with Asked(str(playing.line)) as host:
                    seen.append(host.greet().session)
                playing.power(False)
                playing.power(True)
    assert 0 not in seen
    assert len(set(seen)) == len(seen) == 12


@pytest.mark.parametrize("name", BOARDS)
def test_events_and_cards_are_kept_through_a_power_cut(name: str) -> None:
    with board("shoe", name) as playing, Asked(str(playing.line)) as host:
        before = host.greet()
        host.booted(before.session)
        host.hear(m.StateChangedMessage)
        for act in ("fill 2 0", "begin 0", "draw", "draw"):
            assert playing.keys(act) == "ok"
        drawn = host.hear(m.CardDrawnMessage, lambda each: each.ordinal == 2)
        playing.power(False)
        assert playing.keys("draw") == "no power"
        playing.power(True)
        after = host.greet()
        assert host.booted(after.session).mid_round == 1
        host.say(m.ReadEventsMessage(before.session, drawn.number))
        assert host.hear(m.GapMessage).last == drawn.number
        assert host.hear(m.CardDrawnMessage) == drawn
        host.hear(m.StateChangedMessage)
        assert playing.keys("draw") == "ok"
        assert host.hear(m.CardDrawnMessage, lambda each: each.ordinal == 3)


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("device", devices())
def test_the_measured_stack_is_within_the_computed_one(device: str, name: str) -> None:
    said = make("cross")
    image = {"table-controller": "controller"}.get(device, device)
    computed = int(re.search(rf"^{name} {image}: (?:.*\n){{2}}.* \+ (\d+) stack", said, re.MULTILINE)[1])
    with board(device, name) as playing, Asked(str(playing.line)) as host:
        host.booted(host.greet().session)
        host.hear(
            m.StateChangedMessage,
            lambda event: event.previous == {"shuffler": m.ShufflerState.SELF_TEST}.get(device, 0),
        )
        for act, said in PLAYED[device]:
            host.say(m.HeartbeatMessage(0))
            assert playing.keys(act) == "ok", act
            host.hear(said)
        used = int(playing.keys("stack"))
    print(f"{device} on {name}: {used} bytes of stack used, {computed} computed")
    assert 0 < used <= computed


def test_the_fram_of_the_second_board_outlives_the_emulator(tmp_path: Path) -> None:
    """Meters, events and boots are in the part on the two-wire bus, not in directly addressable memory."""
    with board("table-controller", "mps2-an385", tmp_path) as playing, Asked(str(playing.line)) as host:
        before = host.greet()
        host.booted(before.session)
        host.hear(m.StateChangedMessage)
        assert playing.keys("start-game") == "ok"
        started = host.hear(m.GameStartedMessage)
    with board("table-controller", "mps2-an385", tmp_path) as playing, Asked(str(playing.line)) as host:
        after = host.greet()
        assert after.boot_count == before.boot_count + 1
        booted = host.booted(after.session)
        assert (booted.previous_session, booted.mid_round) == (before.session, 1)
        host.say(m.ReadEventsMessage(before.session, started.number))
        assert host.hear(m.GameStartedMessage) == started
