"""Received state of a line as values, enough for a listener's feed to resume as if it had received everything itself.

It contains only received data and times. Output never depends on sent data, so a live line and a listener on its record
have equal values, and equal JSON.
"""

from msgspec import Struct

from protocol.angel_eye.heard import AngelEyeHeard
from protocol.bee_tek.heard import BeeTekHeard
from protocol.tdp.heard import TdpHeard


class FeedState(Struct, frozen=True):
    """State of one feed, between two chunks."""

    session: int
    """The device's session as far as it is known; 0 before."""
    lost: str | None
    """Reason why the link was last reported lost; None once it is up again."""
    link: TdpHeard | AngelEyeHeard | BeeTekHeard
    book: dict[str, int] = {}
    """Values that a status must show according to the events."""
    judge_at: int = 0
    """Event by which the next status is checked; 0 for none."""


class LineStanding(Struct, frozen=True):
    """State of one line."""

    open: bool
    """True if bytes have arrived on the current line. Otherwise the next line resumes from `feed`."""
    feed: FeedState | None
    """None for a line on which nothing ever arrived, or that ended for good."""
