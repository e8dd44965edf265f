"""What was heard on a line, as values: enough for a listener's feed to go on from, as if it had heard it all.

It says only what was heard and when. What is delivered never depends on what was sent, so a live line and a listener
over its record give equal values, and equal JSON.
"""

from msgspec import Struct

from protocol.angel_eye.heard import AngelEyeHeard
from protocol.bee_tek.heard import BeeTekHeard
from protocol.tdp.heard import TdpHeard


class FeedState(Struct, frozen=True):
    """Of one feed, between two things that it heard."""

    session: int
    """The device's session as far as it was heard; 0 before."""
    lost: str | None
    """Why the link was last reported lost; None once it is up again."""
    link: TdpHeard | AngelEyeHeard | BeeTekHeard
    book: dict[str, int] = {}
    """What the events said that a status must show."""
    judge_at: int = 0
    """The event by which the next status is judged; 0 for none."""


class LineStanding(Struct, frozen=True):
    """Where one line stands."""

    open: bool
    """Bytes came on the line that is there now. Else the line that comes next goes on from `feed`."""
    feed: FeedState | None
    """None for a line on which nothing ever came, and for one that ended for good."""
