"""Messages of others that are not believed: each is counted, and few of them cost a line in the log.

Whoever may publish decides how many come and what they say. So the log gets the first, then at most one a minute.
"""

from collections.abc import Callable
from typing import Final

REPORT_S: Final = 60.0
"""Minimum seconds between two reports."""
TEXT_MOST: Final = 200
"""Most characters of a reason in the log."""


class RefusedMessages:
    """Counts refused messages, and reports some of them by `report`."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self.count = 0
        self._report, self._next_s = report, float("-inf")

    def add(self, why: str, now_s: float) -> None:
        """Count one, at a time in seconds of any clock."""
        self.count += 1
        if now_s < self._next_s:
            return
        self._next_s = now_s + REPORT_S
        text = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in why[:TEXT_MOST])
        self._report(f"{text}; refused, {self.count} so far" if self.count > 1 else f"{text}; refused")


class TimeShare:
    """A share of a loop's time for what others send: `seconds` after each `begin`."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._until_s = seconds, 0.0

    def begin(self, now_s: float) -> None:
        """Begin another turn."""
        self._until_s = now_s + self._seconds

    def is_spent(self, now_s: float) -> bool:
        """True if nothing more is to be taken in this turn."""
        return now_s >= self._until_s
