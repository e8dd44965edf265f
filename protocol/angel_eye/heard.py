"""What a link heard, as far as it decides what the link will deliver."""

from msgspec import Struct


class AngelEyeHeard(Struct, frozen=True, tag="angel-eye"):
    """Of a line that is gone nothing is left: the default."""

    session: int = 0
    number: int = 0
    """Reports delivered in it."""
    memory: tuple[bytes, ...] = ()
    """The last reports, which a repeat is compared with."""
    spoiled: bool = False
    """Something unexplained lies behind the last report."""
    last: int | None = None
    """Its sequence character."""
    following: tuple[tuple[int, int], ...] = ()
    """Which sequence character was heard to follow which, sorted."""
