"""The reference device on a bare Cortex-M3 that QEMU plays: power, watchdog, randomness, store, stack."""

import re

import pytest

from protocol.tdp import messages as m
from tests.support.firmware import Asked, board, devices, make

pytestmark = pytest.mark.firmware

ACTS = ("fill 1 0", "begin 1", "draw", "draw-unread", "start-game", "wager 1 1 500", "bet-on 3", "load 0 0", "green")


def test_every_image_is_within_its_budget_of_flash_ram_and_stack() -> None:
    said = make("cross")
    assert re.findall(r"^([\w-]+): flash", said, re.MULTILINE)
    assert "above the budget" not in said


def test_a_program_that_hangs_is_started_anew_by_the_watchdog_and_says_so() -> None:
    with board("shoe") as playing, Asked(str(playing.line)) as host:
        before = host.greet()
        assert host.booted(before.session).cause == m.BootCause.POWER_ON
        playing.send_keys("hang")
        while (after := host.greet()).session == before.session:
            pass
        assert after.boot_count == before.boot_count + 1
        event = host.booted(after.session)
        assert event.cause == m.BootCause.WATCHDOG
        assert event.previous_session == before.session


def test_no_two_power_ups_draw_the_same_session() -> None:
    seen = []
    for _ in range(3):
        with board("shoe") as playing:
            for _ in range(4):
                with Asked(str(playing.line)) as host:
                    seen.append(host.greet().session)
                playing.power(False)
                playing.power(True)
    assert 0 not in seen
    assert len(set(seen)) == len(seen) == 12


def test_events_and_cards_are_kept_through_a_power_cut() -> None:
    with board("shoe") as playing, Asked(str(playing.line)) as host:
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


@pytest.mark.parametrize("device", devices())
def test_the_measured_stack_is_within_the_computed_one(device: str) -> None:
    said = make("cross")
    image = {"table-controller": "controller"}.get(device, device)
    computed = int(re.search(rf"^{image}: .*\n.* \+ (\d+) stack", said, re.MULTILINE)[1])
    with board(device) as playing, Asked(str(playing.line)) as host:
        host.booted(host.greet().session)
        for act in ACTS:
            playing.keys(act)
        used = int(playing.keys("stack"))
    print(f"{device}: {used} bytes of stack used, {computed} computed")
    assert 0 < used <= computed
