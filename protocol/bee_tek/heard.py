"""Received state of a link, as far as it decides the link's further output."""

from msgspec import Struct


class BeeTekHeard(Struct, frozen=True, gc=False, tag="bee-tek"):
    """State of a link. The default is the state after a line is gone."""

    session: int = 0
    number: int = 0
    """Number of items delivered in the session."""
    spoiled: bool = False
    """True if bytes that may have been items were reported missed and no item has arrived since."""
