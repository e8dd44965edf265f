"""An incident: an error or a departure from procedure, as facts. `incidents.toml` has the codes and their sentences."""

import json
from collections.abc import Mapping
from typing import ClassVar, Final, Literal

from dealer_flow.record.base import Cards, LineRecord, Record
from dealer_flow.record.catalogue import sentence
from protocol.places import NOWHERE, Place

UNJUDGED: Final = ""
"""Clause of a finding until the procedure has judged it; no incident is published with it."""


class EventRef(Record, frozen=True):
    """One event a finding is based on: the device's name at the table and the event's number in its session."""

    device: str
    number: int


class Incident(LineRecord, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=False):
    """An error or a departure from procedure, with the clause that gives its consequence.

    A fact that does not apply is absent from the JSON. Two incidents with the same facts are equal. The line also has a
    `text`, one sentence for a reader, built from the facts: it may change, so do not parse it; it is not read back.
    """

    SCHEMA: ClassVar[str] = "dealwire.incident/2"
    TYPE: ClassVar[str] = "incident"
    WRITES: ClassVar[Mapping[str, str]] = {"text": "A sentence for a person; it may change, nothing may parse it."}

    code: str
    """Stable name such as `seat-count-wrong`; listed in `docs/incidents.md`."""
    clause: str
    """Clause that gives the consequence; `procedure` if only the procedure file does."""
    reason: str = ""
    """Case of the code, or the check that a report out of order failed."""
    place: str | None = None
    """Place where it happened, or whose cards they are."""
    called: Literal["supervisor"] | None = None
    """Person who must come at once."""
    unreliable: bool = False
    """True if it makes the round unreliable."""
    cause: "Incident | None" = None
    """Earlier incident that this one is about: the subject of a ruling, or the way a deck was found defective."""
    events: tuple[EventRef, ...] = ()
    """Reports it is based on."""

    # cards by number
    counted: int | None = None
    """Number found: cards; rounds for `deck-too-old`, times for `duplicate-face`."""
    expected: int | None = None
    """Number expected, or the number before; for a round's number the right one."""
    limit: int | None = None
    """Largest number allowed."""
    dealt: int | None = None
    """Number of cards that were dealt."""
    left: int | None = None
    """Number of cards that are left."""
    rejected: int | None = None
    """Number of cards in the reject tray."""
    burned: int | None = None
    """Number of cards that are burned."""
    by_hand: int | None = None
    """Number of cards that are then dealt by hand."""
    setting: int | None = None
    """Number of cards the device was set to."""
    decks: int | None = None
    """Number of decks in the shoe, according to the device."""
    expected_decks: int | None = None
    """Number of decks expected in the shoe."""

    # cards by face and position
    cards: Cards = ()
    """Cards it is about."""
    known: Cards = ()
    """Cards that were known before: shown, dispensed or reported."""
    positions: tuple[int, ...] = ()
    """Positions in a packet, counted as `spread` says."""
    expected_positions: tuple[int, ...] = ()
    """Positions the procedure names, from the dealer's left."""
    spread: str = ""
    """Direction in which positions are counted."""
    other_place: str | None = None
    """Place where the same card was before."""
    due: str | None = None
    """Place whose cards come next."""
    number: int | None = None
    """Number of the card, packet, round or seat."""

    # the table
    seat: int | None = None
    """Seat whose bet or choice it is."""
    bet: str | None = None
    """Name of the bet in the procedure."""
    bets: tuple[str, ...] = ()
    """Bets of the seat, or those that a rule on a bet is about."""
    cents: int | None = None
    """Amount of the bet; the sum of several if a rule is about their sum."""
    wanted: int | None = None
    """Cents that a rule requires: exactly, at most or at least, as `reason` says; a fraction of a cent is dropped."""
    choices: tuple[str, ...] = ()
    """Choices of the seat, in order."""
    badge: int | None = None
    """Number of the badge that was swiped; absent if none was."""
    level: str = ""
    """Level of the badge."""
    how: str = ""
    """Mishap to the card, or the mode of the shoe in which it was drawn."""
    confidence: int | None = None
    """Confidence of the shoe's reader in the card, in percent; absent if it does not report one."""
    flags: tuple[str, ...] = ()
    """Flags that the reader set for the card."""

    # devices and lines
    device: str | None = None
    """Name of the line at the table."""
    fault: int | None = None
    """Number of the device's fault."""
    deck: int | None = None
    """Number that the device gives the deck."""
    shoe: int | None = None
    """Number of the shoe."""
    minutes: int | None = None
    """Minutes that the procedure allows."""
    session: str | None = None
    """Session of the device, eight hex digits."""
    previous: str | None = None
    """Session before."""
    first: int | None = None
    """First event, or round, that is missing."""
    last: int | None = None
    """Last event, or round, that is missing."""
    parts: tuple[str, ...] = ()
    """Parts in which a device differs: `maker`, `model`, `serial`, `firmware`, `firmware-digest`, `key`."""
    was: tuple[str, ...] = ()
    """Values of these parts for the device before, or the values they are pinned to."""
    now: tuple[str, ...] = ()
    """Values of these parts for the device now connected; empty text for one it does not state."""
    words: str = ""
    """Text from a device or a line."""

    # the order of play
    report: str = ""
    """Class of the report that was out of order."""
    allowed: tuple[str, ...] = ()
    """Reports that would have been in order."""
    state: str = ""
    """State of the round."""

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """One sentence for a reader."""
        return sentence(self.code, self.reason, self)

    def body_json(self) -> str:
        """Return the incident as it appears in a round: its facts and a sentence."""
        return f'{super().body_json()[:-1]},"text":{json.dumps(self.text, ensure_ascii=False)}}}'


def at(place: Place) -> str | None:
    """Return the place as an incident has it; None for nowhere."""
    return place.text if place != NOWHERE else None
