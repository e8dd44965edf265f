"""What a link heard, as far as it decides what the link will deliver."""

from msgspec import Struct


class BeeTekHeard(Struct, frozen=True, gc=False, tag="bee-tek"):
    """Of a line that is gone nothing is left: the default."""

    session: int = 0
    number: int = 0
    """Items delivered in it."""
    spoiled: bool = False
    """Bytes that may have been items were reported missed, and no item was heard since."""
