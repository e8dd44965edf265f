"""What is right about the host's clock, and what a person has to be told of it.

The record's time never runs backwards while tables are served. A clock that was set forward is followed; one that was
set back is waited for. What cannot be told by a program alone, whether a clock far from the record is right, a person
says at the start.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from devices.clock import STEP_NS, ClockStep
from protocol.errors import DealwireError

DAY_NS: Final = 86_400_000_000_000
FAR_NS: Final = 400 * DAY_NS
"""Further from the record a clock is believed only when a person says so: no table rests for over a year, and a clock
that was never set is decades away."""

BACK_NS: Final = DAY_NS
"""A clock that is no further behind the record is waited for, as one is that was set back while tables are served: a
crash after that, or a clock that is slow without power, keeps no table down."""


class ClockDoubtful(DealwireError):
    """The host's clock and the newest record of the journal at `path` do not fit together."""

    def __init__(self, path: Path, wall_ns: int, newest_ns: int) -> None:
        self.path, self.wall_ns, self.newest_ns = path, wall_ns, newest_ns
        if goes_back(wall_ns, newest_ns):
            what = "is before its newest record"
            then = "begins every table anew at the clock's time"
        else:
            what = f"is {(wall_ns - newest_ns) // DAY_NS} days after its newest record"
            then = "goes on"
        super().__init__(
            f"{path}: the clock says {written(wall_ns)}, which {what} ({written(newest_ns)}); "
            f"set the clock, or say that it is right: `dealwire run --trust-clock` {then}"
        )


def goes_back(wall_ns: int, newest_ns: int) -> bool:
    """A record that goes on at `wall_ns` would run backwards."""
    return newest_ns - wall_ns > BACK_NS


def behind(wall_ns: int, newest_ns: int) -> str | None:
    """What a person should know of a start with a clock that is waited for; None when it is not behind."""
    if not STEP_NS < newest_ns - wall_ns <= BACK_NS:
        return None
    how = f"the host's clock is {(newest_ns - wall_ns) / 1e9:,.1f} s behind the newest record, {written(newest_ns)}"
    return f"{how}: the record's time goes on from there, a tenth slower, until the clock has caught up with it"


def doubtful(wall_ns: int, newest_ns: int) -> bool:
    """Nobody can tell which of the two is wrong. `newest_ns` 0: there is no record."""
    return newest_ns > 0 and (goes_back(wall_ns, newest_ns) or wall_ns - newest_ns > FAR_NS)


def follows(step: ClockStep) -> bool:
    """Whether the record's time goes with a clock that was set while tables are served."""
    return 0 < step.by_ns <= FAR_NS and step.wall_ns > step.carried_ns


def sentence_of(step: ClockStep) -> str:
    """What a person should know of it."""
    way = "forward" if step.by_ns > 0 else "back"
    how = f"the host's clock was set {way} by {abs(step.by_ns) / 1e9:,.1f} s to {written(step.wall_ns)}"
    if follows(step):
        then = "the record follows it"
    elif step.wall_ns < step.carried_ns:
        then = "the record's time goes on, a tenth slower, until the clock has caught up with it"
    else:
        then = "that is too far to follow; the record's time goes on as it was, and a restart takes the clock's"
    return f"{how}; the record was at {written(step.carried_ns)}: {then}"


def written(ns: int) -> str:
    """A time for a person, in UTC."""
    return datetime.fromtimestamp(ns // 1_000_000_000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
