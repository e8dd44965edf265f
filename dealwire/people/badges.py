"""Badges at the table, compared with the users file."""

from dealwire.people.users import Users, is_in_force, may_at


class BadgeList:
    """The badges of a users file. A badge that is not on it stays what the device reports: the list says so on record
    and on the page, and changes no result."""

    def __init__(self, users: Users) -> None:
        self._users = users

    def look_up(self, table: str, badge: int, level: str | None, now_ns: int) -> tuple[str, str]:
        """Return the name of a badge's person, and why the badge does not count; one of them is empty. `level` is what
        the device reports, None if it reports none."""
        person = self._users.badge(badge)
        if person is None:
            return "", "it is not in the users file"
        if not is_in_force(person, now_ns):
            return "", f"it is {person.name}'s, who may no longer act"
        if not may_at(person, table):
            return "", f"it is {person.name}'s, who may not act at this table"
        if level is not None and level != person.level:
            return "", f"it is {person.name}'s, of level {person.level}; the device reports {level}"
        return person.name, ""
