"""Detects a device on two lines: one device in one session can be on one line at a time.

If it appears on two, one is a copy or a playback of old bytes. No table can tell which, so both are notified.
"""

from typing import NamedTuple

from devices.events import LinkUp

Place = tuple[str, str]
"""Table and device, by name."""


class _Identity(NamedTuple):
    device_class: str
    maker: str
    model: str
    serial: str
    session: int


class Identities:
    """Tracks the identity on each line. `take` returns the changes by place: the other places of its device as text,
    empty once there are none."""

    def __init__(self) -> None:
        self._at: dict[Place, _Identity] = {}
        self._places: dict[_Identity, list[Place]] = {}
        self._news: dict[Place, str] = {}

    def up(self, place: Place, body: LinkUp) -> None:
        """Record that a device identified itself on a line. A device without serial number or session cannot be
        compared."""
        self.lost(place)
        if not (body.serial and body.session):
            return
        identity = _Identity(body.device_class, body.maker, body.model, body.serial, body.session)
        places = self._places.setdefault(identity, [])
        self._at[place] = identity
        places.append(place)
        if len(places) > 1:
            self._spread(places)

    def lost(self, place: Place) -> None:
        """Record that the line is gone."""
        identity = self._at.pop(place, None)
        self._news.pop(place, None)
        if identity is None:
            return
        places = self._places[identity]
        places.remove(place)
        if places:
            self._spread(places)
        else:
            del self._places[identity]

    def take(self) -> dict[Place, str]:
        """Return and clear the changes."""
        found, self._news = self._news, {}
        return found

    def _spread(self, places: list[Place]) -> None:
        for place in places:
            others = [f"table {table}, {device}" for table, device in places if (table, device) != place]
            self._news[place] = " and ".join(others)
