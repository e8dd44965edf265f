"""Note in a line's record about the badges that count at its table.

The list belongs to the house and changes while tables deal. A replay has no list: what counted stands in the record,
and applies from there on.
"""

from collections.abc import Iterator
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from devices.events import BadgesListed

_BEGINS: Final = "badges listed: "
PART: Final = 400
"""Most badges in one note: a recording has room for 65,535 bytes in it."""


Standing = Literal["", "over", "away"]
"""`over`: the badge's person may no longer act; `away`: not at this table."""


class ListedBadge(msgspec.Struct, frozen=True, array_like=True):
    """One badge: whose it is, its level, the last day on which it counts (empty: any day), and how it stands."""

    badge: int
    level: str
    person: str
    until: str = ""
    stands: Standing = ""


class NotedBadges(BadgesListed, frozen=True):
    """The fact with the list. What is published is the fact without it."""

    listed: tuple[ListedBadge, ...] = ()

    @property
    def published(self) -> BadgesListed:
        """The fact as everybody may see it."""
        return BadgesListed(self.compared, self.count, self.adds, self.second, self.minutes)

    @property
    def words(self) -> str:
        """The fact as a person reads it."""
        if not self.compared:
            return "any badge counts"
        more = " more" if self.adds else ""
        return f"by the house's list, {self.count}{more} badge{'s count' if self.count != 1 else ' counts'}"

    def after(self, before: "NotedBadges | None") -> "NotedBadges | None":
        """Return what counts after this note; None if any badge does."""
        if not self.compared:
            return None
        if not self.adds or before is None:
            return replace(self, adds=False)
        return replace(before, count=before.count + self.count, listed=(*before.listed, *self.listed))


ANY_BADGE: Final = NotedBadges(False, 0)
"""No badge is compared with a list."""

_DECODER: Final = msgspec.json.Decoder(NotedBadges)


def noted(
    listed: tuple[ListedBadge, ...], second: tuple[str, ...] = (), minutes: int = 0, *, adds: bool = False
) -> NotedBadges:
    """Return the fact that these badges are on the list."""
    count = sum(not each.stands for each in listed)
    return NotedBadges(True, count, adds, second, minutes, listed)


def parts_of(whole: NotedBadges) -> Iterator[NotedBadges]:
    """Yield the list in parts that fit a note each."""
    yield noted(whole.listed[:PART], whole.second, whole.minutes) if whole.compared else whole
    for at in range(PART, len(whole.listed), PART):
        yield noted(whole.listed[at : at + PART], adds=True)


def note_text(found: NotedBadges) -> str:
    """Return the note for `found`."""
    return _BEGINS + msgspec.json.encode(found).decode()


def parse_note(note: str) -> NotedBadges | None:
    """Return the argument of `note_text` for its note; None for any other note."""
    if not note.startswith(_BEGINS):
        return None
    try:
        return _DECODER.decode(note.removeprefix(_BEGINS))
    except msgspec.DecodeError:
        return None
