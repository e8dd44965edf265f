"""Received state of a link, as far as it decides the link's further output."""

from msgspec import Struct


class AngelEyeHeard(Struct, frozen=True, tag="angel-eye"):
    """State of a link. The default is the state after a line is gone."""

    session: int = 0
    number: int = 0
    """Number of reports delivered in the session."""
    memory: tuple[bytes, ...] = ()
    """Last reports, with which a possible repeat is compared."""
    spoiled: bool = False
    """True if unexplained bytes follow the last report."""
    last: int | None = None
    """Sequence character of the last report."""
    following: tuple[tuple[int, int], ...] = ()
    """Pairs of sequence characters that were seen in succession, sorted."""
