"""Badges at the table, as the users file lists them."""

from dealwire.people.users import UserPart, Users, may_at
from devices.listed import ListedBadge, NotedBadges, Standing, noted


class BadgeList:
    """The badges of a users file, with the acts at the table that need the badges of two people."""

    def __init__(self, users: Users, second: tuple[str, ...] = (), minutes: int = 0) -> None:
        self._users, self._second, self._minutes = users, second, minutes if second else 0

    def at(self, table: str) -> NotedBadges:
        """Return the list as the record of a table gets it. Badges that do not count there are on it, so that a
        refusal can name the reason."""
        listed = [_listed(person, table) for person in self._users.file.user if person.badge is not None]
        return noted(tuple(sorted(listed, key=lambda each: each.badge)), self._second, self._minutes)


def _listed(person: UserPart, table: str) -> ListedBadge:
    assert person.badge is not None
    assert person.level is not None, "badge and level are given together"
    stands: Standing = "over" if person.disabled else "" if may_at(person, table) else "away"
    return ListedBadge(person.badge, person.level, person.name, person.until or "", stands)
