"""Knowledge of one log since a witness's start, beside its memory: the topics of its checkpoints, and its doubts.

Nothing here is evidence. A checkpoint is signed, but where and when it comes is not: an older one can be sent again by
anyone, at any table's topic, and a proof can be altered on its way. So a log is asked, and only one that goes on to
sign, and never shows a fitting proof, is reported.
"""

from dataclasses import dataclass, field
from typing import Final

from dealwire.export.topics import Address
from dealwire.journal.signing import TreeHead

AGAIN_S: Final = 2.0
"""Seconds after which a log is first asked again for a proof of growth; messages may be lost."""
AGAIN_MOST_S: Final = 60.0
"""Most seconds between two such requests."""
PROOF_S: Final = 60.0
"""Seconds that a log is asked in vain before that is an alarm."""
SIGNED_LEAST: Final = 3
"""Larger checkpoints that it signed meanwhile, each after a request in vain: a table that is off signs none."""
PLACES_MOST: Final = 16
"""Most topics at which a log is asked."""
FIRST_MOST: Final = 8
"""Number of topics that came first and keep their place: whoever sends a checkpoint again everywhere moves none."""
TRIES_MOST: Final = 3
"""Requests in vain after which another topic may take a later place."""


@dataclass
class FollowedLog:
    """A log of which a signed checkpoint came."""

    places: dict[Address, int] = field(default_factory=dict)
    """Topics at which its checkpoints came, with the requests in vain."""
    at: Address | None = None
    """Topics of its newest fitting proof."""
    newest: TreeHead | None = None
    """Largest checkpoint that waits for a proof; or an older one than what is kept, while nothing larger came."""
    note: str = ""
    """Its note."""
    mine: str = ""
    """Note of what is kept, as far as it came since the start."""
    other: str = ""
    """A note that contradicts what is kept, while the note of that is unknown."""
    signed_s: float = float("-inf")
    """Time of the newest cosignature."""
    _request_s: float = float("-inf")
    _pause_s: float = 0.0
    _since_s: float = 0.0
    _signed: int = 0
    _counted_s: float = 0.0

    def met(self, at: Address) -> None:
        """Take note of where a checkpoint came."""
        if at in self.places:
            return
        if len(self.places) >= PLACES_MOST:
            later = list(self.places.items())[FIRST_MOST:]
            tried = [each for each, tries in later if tries >= TRIES_MOST]
            if not tried:
                return
            del self.places[tried[0]]
        self.places[at] = 0

    def wants(self, head: TreeHead, note: str, seen: TreeHead | None, now_s: float) -> None:
        """Take note of a checkpoint that needs a proof, or of an older one than `seen`, which needs an answer."""
        size = seen.size if seen is not None else 0
        before = self.newest.size if self.newest is not None else None
        if before is None or before <= size < head.size:  # another doubt, or the first
            self._since_s = self._counted_s = now_s
            self._signed = 0
        elif head.size <= before:
            self._pause_s = AGAIN_S  # whoever has it may answer now
            return
        elif self._counted_s < self._request_s <= now_s - AGAIN_S:
            self._signed, self._counted_s = self._signed + 1, now_s
        self.newest, self.note, self._pause_s = head, note, AGAIN_S

    def settle(self, head: TreeHead, at: Address | None = None) -> None:
        """Take note that the log showed `head`: by a proof at `at`, or again what is kept. Anyone can send that again,
        so it answers an older checkpoint only."""
        if at is not None:
            self.at, self.places = at, {at: 0}
        elif self.newest is not None and self.newest.size > head.size:
            return
        self._signed = 0
        if self.newest is None or self.newest.size <= head.size:
            self.newest, self.note = None, ""

    def asks(self, now_s: float) -> list[Address]:
        """Return where to ask now; nothing if there is nothing to ask, or it is too soon."""
        if self.newest is None or now_s < self._request_s + self._pause_s:
            return []
        self.places = {at: tries + 1 for at, tries in self.places.items()}
        self._request_s, self._pause_s = now_s, min(2 * self._pause_s, AGAIN_MOST_S)
        return list(self.places)

    def is_overdue(self, now_s: float, patience_s: float) -> bool:
        """True if the log was asked in vain for long enough and goes on to sign."""
        if self.newest is None or self._signed < SIGNED_LEAST:
            return False
        return now_s >= max(self._since_s + patience_s, self._counted_s + AGAIN_S)
