"""A relay board as hands: a real pseudo-terminal plays the board, and keeps what it is sent."""

import contextlib
import json
import os
import select
import subprocess
import sys
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dealwire.bench.hands.actions import hand_task
from dealwire.bench.hands.command import OperatorChannel, OperatorGone, ProgramOperator
from dealwire.bench.record import NotRun
from dealwire.bench.run.relay import load_relay
from docs._print import DOCS
from protocol.tomlfile import TomlFileError

pytestmark = pytest.mark.more

PROGRAM = Path(sys.executable).with_name("dealwire")
ON_1, OFF_1 = bytes.fromhex("A0 01 01 A2"), bytes.fromhex("A0 01 00 A1")
"""As the seller's page of the LCUS-1 gives them."""
ON_4, OFF_4 = bytes.fromhex("A0 04 01 A5"), bytes.fromhex("A0 04 00 A4")
QUIET_S = 0.2
HEAD = 'schema = "dealwire.relay/1"\nname = "jig"\nport = "{port}"\npatience-ms = 40\n'
ACTS = """[[act]]
action = "green"
steps = [{ channel = 1, for-ms = 20 }]
[[act]]
action = "lift"
with = { to = "remainder" }
steps = [{ channel = 1, on = true }, { wait-ms = 5 }, { channel = 1, on = false }, { channel = 4, for-ms = 1 }]
[[act]]
action = "power-off"
steps = [{ channel = 4, on = true }]
"""


class Board:
    """The board's end of the line."""

    def __init__(self) -> None:
        self.end, self._port = os.openpty()
        tty.setraw(self._port)
        self.port = os.ttyname(self._port)

    def take(self) -> bytes:
        """Return the bytes received since the last call, once the line is quiet: a pseudo-terminal passes data on in
        its own time."""
        sent = b""
        while select.select([self.end], [], [], QUIET_S)[0]:
            sent += os.read(self.end, 4096)
        return sent

    def unplug(self) -> None:
        os.close(self.end)
        os.close(self._port)


@pytest.fixture
def board() -> Iterator[Board]:
    board = Board()
    yield board
    with contextlib.suppress(OSError):
        board.unplug()


@pytest.fixture
def hands(board: Board, tmp_path: Path) -> Iterator[ProgramOperator]:
    """The program as the bench starts it."""
    file = tmp_path / "board.toml"
    file.write_text(HEAD.format(port=board.port) + ACTS)
    channel = OperatorChannel(f"{PROGRAM} operator relay {file}")
    yield ProgramOperator(channel, "shuffler", "/dev/x")
    channel.close()


def test_a_button_is_pressed_and_let_go(board: Board, hands: ProgramOperator) -> None:
    assert (hands.name, hands.patience_ms) == ("jig", 40)
    hands.begin("deal.green-button")
    assert board.take() == b""
    hands.do("green", {})
    assert board.take() == ON_1 + OFF_1


def test_fields_choose_and_what_fits_none_is_beyond_the_board(board: Board, hands: ProgramOperator) -> None:
    hands.do("lift", {"to": "remainder"})
    assert board.take() == ON_1 + OFF_1 + ON_4 + OFF_4
    with pytest.raises(NotRun, match="jig, 'lift': cannot: jig has no channel for 'lift' with these fields"):
        hands.do("lift", {"to": "seat 1"})
    with pytest.raises(NotRun, match="jig cannot do 'open-door'"):
        hands.ready_for("open-door", {})
    assert board.take() == b""


def test_when_the_run_ends_no_coil_has_current(board: Board, hands: ProgramOperator) -> None:
    hands.do("power-off")
    assert board.take() == ON_4
    hands._channel.close()
    assert board.take() == OFF_4


def test_a_board_that_is_unplugged_is_a_failure_with_its_reason(board: Board, hands: ProgramOperator) -> None:
    board.unplug()
    with pytest.raises(NotRun, match=r"jig, 'green': failed: relay board /dev/pts/\d+: "):
        hands.do("green", {})
    assert hands.gone is None


def test_a_board_that_is_not_there_ends_the_bench_before_it_begins(tmp_path: Path) -> None:
    file = tmp_path / "board.toml"
    file.write_text(HEAD.format(port="/dev/ttyNONE") + ACTS)
    channel = OperatorChannel(f"{PROGRAM} operator relay {file}")
    with pytest.raises(OperatorGone, match="it ended with exit code 3 at 'hello'"):
        ProgramOperator(channel, "shuffler", "/dev/x")
    channel.close()
    done = subprocess.run([PROGRAM, "operator", "relay", file], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert "relay board /dev/ttyNONE" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "green",
            "press",
            r"x.toml:6: act\[1\].action: no such action: 'press'; allowed: power-off, power-on, cable-out",
        ),
        ("remainder", "moon", r"x.toml:10: act\[2\].with: lift: to: not a place: 'moon'"),
        (
            "channel = 1, for-ms = 20",
            "channel = 1",
            r"a step is \{ channel, on \}, \{ channel, for-ms \} or \{ wait-ms \}",
        ),
        (
            "channel = 1, for-ms = 20",
            "channel = 300, for-ms = 2",
            "x.toml:7: act.* must be at most 255|less than or equal",
        ),
        ("[[act]]", "[[acts]]", "unknown key"),
    ],
)
def test_a_wrong_file_is_one_line(old: str, new: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(HEAD.format(port="/dev/x") + ACTS.replace(old, new, 1))
    with pytest.raises(TomlFileError, match=says) as caught:
        load_relay(file)
    assert "\n" not in str(caught.value)


def test_the_example_can_be_used() -> None:
    file = load_relay(DOCS / "examples/relay-board.toml")
    asked: list[Any] = [json.loads(json.dumps(dict(hand_task(act.action, act.with_).fields))) for act in file.act]
    assert asked[3] == {"to": "remainder"}
