"""Progress of a count, where a terminal shows it, where it does not, and where programs read."""

import sys

import pytest

from dealwire.cli import progress as module
from dealwire.cli.progress import CountProgress, in_words


class Seconds:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def now_ns(self) -> int:
        return round(self.now_s * 1e9)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Seconds:
    found = Seconds()
    monkeypatch.setattr(module, "SystemClock", lambda: found)
    return found


def test_a_pipe_gets_a_line_every_ten_seconds(clock: Seconds, capsys: pytest.CaptureFixture[str]) -> None:
    progress = CountProgress(for_programs=False)
    progress.begin("ante+play")
    for second in range(1, 25):
        clock.now_s = second
        progress.step(second, 100)
    progress.clear()
    assert capsys.readouterr().err.splitlines() == [
        "counting ante+play: 10 %, about 1 min 30 s left",
        "counting ante+play: 20 %, about 1 min 20 s left",
    ]


def test_programs_get_nothing(clock: Seconds, capsys: pytest.CaptureFixture[str]) -> None:
    progress = CountProgress(for_programs=True)
    progress.begin("ante")
    clock.now_s = 60
    progress.step(1, 2)
    progress.clear()
    assert capsys.readouterr() == ("", "")


def test_a_terminal_sees_it_also_beside_json(
    clock: Seconds, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda _: None)
    progress = CountProgress(for_programs=True)
    progress.begin("ante\x1b[2J")
    clock.now_s = 30
    progress.step(3, 4)
    progress.clear()
    out, err = capsys.readouterr()
    assert (out, "\x1b[2J" in err, ": 75 %, about 10 s left" in err) == ("", False, True)


def test_rich_draws_a_bar_and_takes_it_away(clock: Seconds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = CountProgress(for_programs=True)
    for name in ("ante", "[red]bonus"):
        progress.begin(name)
        progress.step(3, 4)
        (task,) = progress._bar.tasks
        assert (task.description, task.percentage) == (name, 75)
    progress.clear()
    assert progress._bar.tasks == []


def test_seconds_in_words() -> None:
    assert [in_words(each) for each in (0.4, 59.6, 125)] == ["0 s", "1 min 0 s", "2 min 5 s"]
