"""Times as a person enters them: the minute of 21:05, the second of 21:05:30, a day."""

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final, NamedTuple

from protocol.errors import DealwireError

SECOND_NS: Final = 1_000_000_000
_AHEAD_NS: Final = 3600 * SECOND_NS


class NoSuchTime(DealwireError):
    """A text that is not a time."""

    def __init__(self, text: str) -> None:
        self.text = text
        allowed = "21:05, 21:05:30, 2026-11-28 or 2026-11-28 21:05, with Z or +01:00 after it for another zone's clock"
        super().__init__(f"{text[:40]!r} is not a time; allowed: {allowed}")


class Span(NamedTuple):
    """Span of an entered time, nanoseconds since 1970: the minute of 21:05, the second of 21:05:30, a day."""

    begin_ns: int
    end_ns: int


_TIME: Final = re.compile(
    r"(?:(\d{4}-\d{2}-\d{2})(?:[T ]|(?=Z|[+-]|$)))?"
    r"(?:(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?",
    re.ASCII,
)


def span_of(text: str, newest_ns: int, zone: tzinfo | None = None) -> Span:
    """Return the span of an entered time. Without a date it is the latest such time up to an hour after `newest_ns`:
    22:00, entered two minutes before, means this evening.

    `zone` is for a time without one; None for this machine's. NoSuchTime if the text is not a time.
    """
    found = _TIME.fullmatch(text.strip())
    if found is None or not (found[1] or found[2]):
        raise NoSuchTime(text)
    day, hour, minute, second, fraction, offset = found.groups()
    try:
        where = datetime.fromisoformat(f"2000-01-01T00:00{offset}").tzinfo if offset else zone
        on = date.fromisoformat(day) if day else _local(newest_ns + _AHEAD_NS, where).date()
        at = datetime(on.year, on.month, on.day, int(hour or 0), int(minute or 0), int(second or 0))
        begin_ns = _ns(at, where)
        if not day and begin_ns > newest_ns + _AHEAD_NS:
            begin_ns = _ns(at - timedelta(days=1), where)
    except (ValueError, OverflowError, OSError) as error:
        raise NoSuchTime(text) from error
    if fraction:
        begin_ns += int(fraction.ljust(9, "0"))
        return Span(begin_ns, begin_ns + 10 ** (9 - len(fraction)) - 1)
    if hour is None:
        return Span(begin_ns, _ns(at + timedelta(days=1), where) - 1)
    return Span(begin_ns, begin_ns + (SECOND_NS if second else 60 * SECOND_NS) - 1)


def _local(at_ns: int, zone: tzinfo | None) -> datetime:
    return datetime.fromtimestamp(at_ns // SECOND_NS, UTC).astimezone(zone)


def _ns(at: datetime, zone: tzinfo | None) -> int:
    """Return the instant of a time on a clock of `zone`, None for this machine's."""
    moment = at.replace(tzinfo=zone) if zone is not None else at.astimezone()
    return int(moment.timestamp()) * SECOND_NS
