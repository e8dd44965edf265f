"""An incident: what went wrong or off procedure, as facts. `incidents.toml` has the codes and their words."""

import json
from collections.abc import Mapping
from typing import ClassVar, Final, Literal

from dealer_flow.record.base import Cards, LineRecord, Record
from dealer_flow.record.catalogue import sentence
from protocol.places import NOWHERE, Place

UNJUDGED: Final = ""
"""The clause of a finding until the procedure has judged it; no incident comes out with it."""


class EventRef(Record, frozen=True):
    """One event a finding rests on: the device's name at the table and the event's number in its session."""

    device: str
    number: int


class Incident(LineRecord, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=False):
    """Something that went wrong or off procedure, with the clause that says what it means.

    A fact that does not apply is absent from the JSON. Two incidents with the same facts are equal. The line also has
    a `text`, one sentence for a person, made of the facts: nothing may parse it, it may change, and it is not read.
    """

    SCHEMA: ClassVar[str] = "dealwire.incident/2"
    TYPE: ClassVar[str] = "incident"
    WRITES: ClassVar[Mapping[str, str]] = {"text": "A sentence for a person; it may change, nothing may parse it."}

    code: str
    """A stable name such as `seat-count-wrong`; listed in `docs/incidents.md`."""
    clause: str
    """Where the consequence is written; `procedure` when only the procedure file says so."""
    reason: str = ""
    """Which of several cases of the code it is, or what a report out of order did not wait for."""
    place: str | None = None
    """Where it happened, or whose cards they are."""
    called: Literal["supervisor"] | None = None
    """Who must come at once."""
    unreliable: bool = False
    """The round cannot be relied on for it."""
    cause: "Incident | None" = None
    """The earlier incident that this one is about: what a supervisor ruled on, how a deck was found defective."""
    events: tuple[EventRef, ...] = ()
    """The reports it rests on."""

    # cards by number
    counted: int | None = None
    """How many there are or were: cards; rounds for `deck-too-old`, times for `duplicate-face`."""
    expected: int | None = None
    """How many there should be, or were before; for a round's number the one it should be."""
    limit: int | None = None
    """The most there may be."""
    dealt: int | None = None
    """Cards that were dealt."""
    left: int | None = None
    """Cards that are left."""
    rejected: int | None = None
    """Cards in the reject tray."""
    burned: int | None = None
    """Cards that are burned."""
    by_hand: int | None = None
    """Cards that are then dealt by hand."""
    setting: int | None = None
    """How many cards the device was set to."""
    decks: int | None = None
    """Decks in the shoe, as the device says."""
    expected_decks: int | None = None
    """Decks there should be in it."""

    # cards by face and position
    cards: Cards = ()
    """The cards it is about."""
    known: Cards = ()
    """What they were before: shown, dispensed or reported."""
    positions: tuple[int, ...] = ()
    """Positions in a packet, counted as `spread` says."""
    expected_positions: tuple[int, ...] = ()
    """The positions the procedure names, from the dealer's left."""
    spread: str = ""
    """The direction positions are counted in."""
    other_place: str | None = None
    """Where the same card was before."""
    due: str | None = None
    """The place whose cards come next."""
    number: int | None = None
    """Which card, packet, round or seat it was, by its number."""

    # the table
    seat: int | None = None
    """Whose bet or choice it is."""
    bet: str | None = None
    """The bet by its name in the procedure."""
    bets: tuple[str, ...] = ()
    """The bets the seat has, or those that a rule of a bet is about."""
    cents: int | None = None
    """The bet's amount; that of several together where a rule is about them."""
    wanted: int | None = None
    """The cents that a rule wants: exactly, at most or at least, as `reason` says; a fraction of a cent is left off."""
    choices: tuple[str, ...] = ()
    """What the seat chose, in its order."""
    badge: int | None = None
    """Whose badge was swiped; absent when none was."""
    level: str = ""
    """What the badge entitles to."""
    how: str = ""
    """What happened to the card, or the mode of the shoe it came out in."""
    confidence: int | None = None
    """How sure the shoe's reader is of the card, in percent; absent when it does not say."""
    flags: tuple[str, ...] = ()
    """What the reader noticed about the card."""

    # devices and lines
    device: str | None = None
    """The line's name at the table."""
    fault: int | None = None
    """The device's fault by its number."""
    deck: int | None = None
    """The deck by the number the device gives it."""
    shoe: int | None = None
    """The shoe by its number."""
    minutes: int | None = None
    """The minutes the procedure allows."""
    session: str | None = None
    """The device's session, eight hex digits."""
    previous: str | None = None
    """Its session before."""
    first: int | None = None
    """The first event, or round, that is missing."""
    last: int | None = None
    """The last event, or round, that is missing."""
    parts: tuple[str, ...] = ()
    """In what a device is another one: `maker`, `model`, `serial`, `firmware`, `firmware-digest`."""
    was: tuple[str, ...] = ()
    """What the device before it said of these parts, or what they are pinned to."""
    now: tuple[str, ...] = ()
    """What the device that is there says of them; an empty text when nothing."""
    words: str = ""
    """What a device or a line said in words of its own."""

    # the order of play
    report: str = ""
    """The class of the report that was out of order."""
    allowed: tuple[str, ...] = ()
    """The reports that were in order instead."""
    state: str = ""
    """Where the round stood."""

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """One sentence for a person."""
        return sentence(self.code, self.reason, self)

    def body_json(self) -> str:
        """The incident as it stands in a round: its facts and a sentence."""
        return f'{super().body_json()[:-1]},"text":{json.dumps(self.text, ensure_ascii=False)}}}'


def at(place: Place) -> str | None:
    """The place as an incident has it; None for nowhere."""
    return place.text if place != NOWHERE else None
