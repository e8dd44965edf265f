"""Progress of a long computation, and an estimate of the time left, on standard error.

On a terminal it is a line that is overwritten, or a bar if the extra `rich` is installed. Elsewhere a line is printed
every ten seconds, unless the output is for programs.
"""

import importlib.util
import sys
from typing import Any, Final

import click

from dealwire.cli.terminal import echo
from devices.clock import SystemClock
from protocol.printable import printable

_EVERY_S: Final = 10.0
"""Seconds between two lines where none is overwritten."""
_DRAWN_S: Final = 0.1
"""Seconds between two updates of a terminal."""
_QUIET_S: Final = 0.5
"""Seconds before anything is shown; most recordings take less."""
_AFTER_S: Final = 2.0
"""Seconds before the time left is estimated."""


class ProgressLine:
    """Status line that is overwritten if standard error is a terminal. Elsewhere `say` prints a line from time to time,
    unless `silent`."""

    def __init__(self, *, silent: bool = False) -> None:
        self.live = sys.stderr.isatty()
        self._shown, self._silent = False, silent
        self._clock = SystemClock()
        self._spoke_s = self.now_s()

    def now_s(self) -> float:
        """Return the time in seconds."""
        return self._clock.now_ns() / 1e9

    def show(self, text: str) -> None:
        """Replace the status line."""
        if self.live:
            click.echo(f"\r\x1b[K{printable(text, None)}", nl=False, err=True)
            self._shown = True

    def say(self, text: str) -> None:
        """Replace the status line or, where none is overwritten, print one from time to time."""
        self.show(text)
        if not self.live and not self._silent and self.now_s() - self._spoke_s >= _EVERY_S:
            echo(text, err=True)
            self._spoke_s = self.now_s()

    def clear(self) -> None:
        """Erase the status line, to print something that stays."""
        if self._shown:
            click.echo("\r\x1b[K", nl=False, err=True)
            self._shown = False


class CountProgress:
    """Progress of consecutive computations: `begin` names the next, `step` reports its progress. `what` is the verb to
    show.

    Without `bar` a line is used even if `rich` is installed: for a task whose output often interrupts the progress.
    """

    def __init__(self, *, for_programs: bool, what: str = "counting", bar: bool = True) -> None:
        self._what, self._quiet_s = what, 0.0 if bar else _QUIET_S
        self._line = ProgressLine(silent=for_programs)
        self._live, self._silent, self._now = self._line.live, for_programs and not self._line.live, self._line.now_s
        self._name, self._since = "", self._now()
        self._bar: Any = _rich_bar() if bar and self._live and importlib.util.find_spec("rich") is not None else None
        self._task: Any = None
        self._done, self._drawn = 0, float("-inf")

    def begin(self, name: str) -> None:
        """Start the next computation."""
        self.clear()
        self._name, self._since, self._drawn = printable(name, None), self._now(), float("-inf")
        if self._bar is None and self._live and not self._quiet_s:
            self._line.show(f"{self._what} {name} ...")

    def step(self, done: int, of: int) -> None:
        """Report that `done` of `of` steps are done."""
        if self._silent or of <= 0:
            return
        if done < self._done:  # another reading or pay table is counted
            self._since = self._now()
        self._done = done
        now = self._now()
        if self._live and (now - self._drawn < _DRAWN_S or now - self._since < self._quiet_s):
            return
        self._drawn = now
        if self._bar is not None:
            self._draw(done, of)
            return
        self._line.say(f"{self._what} {self._name}: {100 * done // of} %{self._left(now - self._since, done, of)}")

    def _left(self, passed: float, done: int, of: int) -> str:
        if passed < _AFTER_S or not done:
            return ""
        return f", about {in_words(passed * (of - done) / done)} left"

    def _draw(self, done: int, of: int) -> None:
        if self._task is None:
            self._bar.start()
            self._task = self._bar.add_task(self._name)
        self._bar.update(self._task, completed=done, total=of)

    def clear(self) -> None:
        """Erase the progress, to print something that stays."""
        self._line.clear()
        if self._task is not None:
            self._bar.remove_task(self._task)
            self._bar.stop()
            self._task = None


def in_words(seconds: float) -> str:
    """Format a duration as `40 s` or `2 min 5 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _rich_bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    text = TextColumn("{task.description}", markup=False)
    columns = (text, BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
