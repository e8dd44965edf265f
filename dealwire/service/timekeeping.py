"""Rules for the host's clock, and its messages to operators.

Journal time never runs backward while tables are served. A clock set forward is followed; one set back is waited for.
Whether a clock far from the record is right, only a person can tell, at the start.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from devices.clock import STEP_NS, ClockStep
from protocol.errors import DealwireError

DAY_NS: Final = 86_400_000_000_000
FAR_NS: Final = 400 * DAY_NS
"""Beyond this distance from the record a clock is believed only if the operator confirms it: no table rests for over a
year, and a clock that was never set is decades off."""

BACK_NS: Final = DAY_NS
"""A clock behind the record by no more than this is waited for, as one that is set back during service. So a crash
after that, or a slow clock, keeps no table down."""


class ClockDoubtful(DealwireError):
    """The host's clock and the newest record of the journal at `path` do not fit together."""

    def __init__(self, path: Path, wall_ns: int, newest_ns: int) -> None:
        self.path, self.wall_ns, self.newest_ns = path, wall_ns, newest_ns
        if goes_back(wall_ns, newest_ns):
            what = "is before its newest record"
            then = "starts every table over at the clock's time"
        else:
            what = f"is {(wall_ns - newest_ns) // DAY_NS} days after its newest record"
            then = "resumes"
        super().__init__(
            f"{path}: the host clock shows {written(wall_ns)}, which {what} ({written(newest_ns)}); "
            f"set the clock, or confirm it: `dealwire run --trust-clock` {then}"
        )


def goes_back(wall_ns: int, newest_ns: int) -> bool:
    """True if a record that continues at `wall_ns` would run backward."""
    return newest_ns - wall_ns > BACK_NS


def behind(wall_ns: int, newest_ns: int) -> str | None:
    """Return the note for a start with a clock that is waited for; None if it is not behind."""
    if not STEP_NS < newest_ns - wall_ns <= BACK_NS:
        return None
    how = f"the host's clock is {(newest_ns - wall_ns) / 1e9:,.1f} s behind the newest record, {written(newest_ns)}"
    return f"{how}: journal time continues from there, a tenth slower, until the clock catches up"


def doubtful(wall_ns: int, newest_ns: int) -> bool:
    """True if clock and record disagree and a program cannot tell which is wrong. `newest_ns` 0: there is no record."""
    return newest_ns > 0 and (goes_back(wall_ns, newest_ns) or wall_ns - newest_ns > FAR_NS)


def follows(step: ClockStep) -> bool:
    """True if journal time follows a clock that was set during service."""
    return 0 < step.by_ns <= FAR_NS and step.wall_ns > step.carried_ns


def sentence_of(step: ClockStep) -> str:
    """Return the sentence for operators about a clock step."""
    way = "forward" if step.by_ns > 0 else "back"
    how = f"the host's clock was set {way} by {abs(step.by_ns) / 1e9:,.1f} s to {written(step.wall_ns)}"
    if follows(step):
        then = "journal time follows it"
    elif step.wall_ns < step.carried_ns:
        then = "journal time continues, a tenth slower, until the clock catches up"
    else:
        then = "that is too far to follow; journal time continues as it was until a restart adopts the clock"
    return f"{how}; journal time was {written(step.carried_ns)}: {then}"


def written(ns: int) -> str:
    """Return a time as text, in UTC."""
    return datetime.fromtimestamp(ns // 1_000_000_000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
