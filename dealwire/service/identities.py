"""Who speaks on which line of the house: one device, in one session, can be on one line at a time.

On two at once one of them is a copy, or old bytes that somebody plays; no table can tell which, so both are told.
"""

from typing import NamedTuple

from devices.events import LinkUp

Place = tuple[str, str]
"""A table and a device of it, by their names."""


class _Identity(NamedTuple):
    device_class: str
    maker: str
    model: str
    serial: str
    session: int


class Identities:
    """Told of every line that comes up or is lost. `take` gives what is new for which place: where else its device
    speaks, in words, or an empty text once it does no more."""

    def __init__(self) -> None:
        self._at: dict[Place, _Identity] = {}
        self._places: dict[_Identity, list[Place]] = {}
        self._news: dict[Place, str] = {}

    def up(self, place: Place, body: LinkUp) -> None:
        """A device says who it is and in which session it speaks; one without a number of its own may be any."""
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
        """The line is gone."""
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
        """What is new since it was taken last."""
        found, self._news = self._news, {}
        return found

    def _spread(self, places: list[Place]) -> None:
        for place in places:
            others = [f"table {table}, {device}" for table, device in places if (table, device) != place]
            self._news[place] = " and ".join(others)
