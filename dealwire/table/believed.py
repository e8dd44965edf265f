"""Badges that a table believes: those of the house's list, as the record has it."""

from datetime import UTC, datetime
from typing import Final

from msgspec.structs import replace

import devices.events as e
from dealer_flow.play.order.rounds import SUPERVISORS
from devices.events import Seen
from devices.listed import NotedBadges

WITH_BADGE: Final = (e.BadgeSwiped, e.HandCorrected, e.MisdealCalled, e.MisdealCleared)
"""Reports in which a badge decides something."""


class BelievedBadges:
    """A list of badges, applied to reports. A report with a badge that does not count says so."""

    def __init__(self, noted: NotedBadges) -> None:
        self.noted = noted
        self._by_number = {each.badge: each for each in noted.listed}

    def look_up(self, badge: int, level: str | None, at_ns: int) -> tuple[str, str]:
        """Return the name of a badge's person, and why the badge does not count; one of them is empty. `level` is what
        the device reports, None if it reports none."""
        found = self._by_number.get(badge)
        if found is None:
            return "", "it is not in the users file"
        if found.stands == "over" or (found.until and _day_of(at_ns) > found.until):
            return "", f"it is {found.person}'s, who may no longer act"
        if found.stands == "away":
            return "", f"it is {found.person}'s, who may not act at this table"
        if level is not None and level != found.level:
            return "", f"it is {found.person}'s, of level {found.level}; the device reports {level}"
        return found.person, ""

    def person(self, body: e.Body, at_ns: int) -> tuple[str, str]:
        """Return what `look_up` finds about the badge of a report; twice nothing for a report without one."""
        badge = getattr(body, "badge", 0)
        if not badge and not isinstance(body, e.BadgeSwiped):
            return "", ""
        person, why = self.look_up(badge, getattr(body, "level", None), at_ns)
        if person and isinstance(body, e.MisdealCleared) and self._by_number[badge].level not in SUPERVISORS:
            return "", f"it is {person}'s, of level {self._by_number[badge].level}; a supervisor clears a misdeal"
        return person, why

    def judge(self, seen: Seen) -> Seen:
        """Return the report with whose badge it was, or why the badge does not count."""
        body = seen.body
        if not isinstance(body, WITH_BADGE):
            return seen
        person, why = self.person(body, seen.at_ns)
        if isinstance(body, e.BadgeSwiped):
            return replace(seen, body=replace(body, person=person, refused=why))
        return replace(seen, body=replace(body, refused=why)) if why else seen


def _day_of(at_ns: int) -> str:
    return datetime.fromtimestamp(at_ns // 1_000_000_000, UTC).date().isoformat()
