"""Messages of others that are not believed: each is counted, and few of them cost a line in the log.

Whoever may publish decides how many come and what they say. So the log gets the first, then at most one a minute.
"""

from collections import deque
from collections.abc import Callable
from typing import Final

from paho.mqtt.client import MQTTMessage

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


class WaitingMessages:
    """Messages of others that wait to be taken: at most `most`, and `most_bytes` of them."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most, self._most_bytes, self._bytes = most, most_bytes, 0
        self._messages: deque[MQTTMessage] = deque()

    def __bool__(self) -> bool:
        return bool(self._messages)

    def add(self, message: MQTTMessage) -> bool:
        """Have a message wait; False if there is no room."""
        held = self._bytes + len(message.payload)
        if len(self._messages) >= self._most or held > self._most_bytes:
            return False
        self._messages.append(message)
        self._bytes = held
        return True

    def take(self) -> MQTTMessage:
        """Return the message that waits longest. IndexError if none does."""
        message = self._messages.popleft()
        self._bytes -= len(message.payload)
        return message


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
