"""Watch over the witnesses of the journal's log: a needed one that has not cosigned for a day is a warning."""

from typing import Final

from dealwire.config.schema import WitnessPart
from dealwire.hub.health import LogHealth

OVERDUE_NS: Final = 24 * 3600 * 10**9
"""Time without a needed cosignature after which the tables are warned."""


class CosignWatch:
    """Watches the needed ones of `witnesses`. Call `beat` once a second."""

    def __init__(self, witnesses: tuple[WitnessPart, ...], health: LogHealth, now_ns: int) -> None:
        self._needed = [each.name for each in witnesses if each.needed]
        self._health, self._since_ns = health, now_ns
        self._warned: set[str] = set()

    def beat(self, now_ns: int) -> str | None:
        """Return a warning about a witness that is overdue, once until it signs again."""
        for name in self._needed:
            newest_ns = self._health.cosigned.get(name, 0) * 10**9
            if now_ns - (newest_ns or self._since_ns) < OVERDUE_NS:
                self._warned.discard(name)
            elif name not in self._warned:
                self._warned.add(name)
                return f"the witness {name} has not cosigned a checkpoint for 24 h"
        return None
