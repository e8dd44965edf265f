"""An incident: what went wrong or off procedure, as facts. And every code there is: what it means, what follows.

The words for a person are made of the facts by `sentences`. Printed in `docs/incidents.md`.
"""

import json
from collections.abc import Mapping, Set
from typing import ClassVar, Final, Literal, NamedTuple

from msgspec.structs import replace

from dealer_flow.record.base import Cards, LineRecord, Record, hide
from dealer_flow.record.sentences import sentence
from protocol.cards import Card
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
    """The bets the seat has."""
    cents: int | None = None
    """The bet's amount."""
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
    """The first event that is missing."""
    last: int | None = None
    """The last event that is missing."""
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
        return sentence(self)

    def body_json(self) -> str:
        """The incident as it stands in a round: its facts and a sentence."""
        return f'{super().body_json()[:-1]},"text":{json.dumps(self.text, ensure_ascii=False)}}}'

    def redact(self, hidden: Set[Card]) -> "Incident":
        """The incident with these faces unread."""
        cards, known = hide(self.cards, hidden), hide(self.known, hidden)
        cause = self.cause.redact(hidden) if self.cause is not None else None
        return replace(self, cards=cards, known=known, cause=cause)


def at(place: Place) -> str | None:
    """The place as an incident has it; None for nowhere."""
    return place.text if place != NOWHERE else None


class Meaning(NamedTuple):
    """What a code says; `clause` names the part of the procedure whose clause decides."""

    meaning: str
    consequence: str
    clause: str


INCIDENTS: Final = {
    # the order of play
    "out-of-turn": Meaning(
        "something was reported that may not happen now; `allowed` names what was in order",
        "unreliable when money or hidden cards depend on it, otherwise recorded only; `unreliable` says which",
        "the procedure's section",
    ),
    "no-entering-bet": Meaning("START GAME with no seat that has the entering bet", "unreliable", "the entering bet"),
    "side-bet-alone": Meaning(
        "a seat has bets but not the one that enters it into the deal", "unreliable", "the entering bet"
    ),
    "unknown-seat": Meaning(
        "a seat the procedure has no cards for, or that was not dealt in", "unreliable", "the seats"
    ),
    "unknown-bet": Meaning("a wager on a spot the procedure does not name", "unreliable", "the procedure's section"),
    "unknown-decision": Meaning("a choice the procedure does not name", "unreliable", "the procedure's section"),
    "decision-bet-differs": Meaning(
        "at END GAME a seat's choice and the bet that goes with it do not agree", "unreliable", "the decision"
    ),
    "bet-amount-unknown": Meaning(
        "a seat's sensor shows the progressive bet, its amount was not reported",
        "recorded only; the result has no such wager",
        "the progressive bet",
    ),
    "round-number-differs": Meaning(
        "END GAME names another round than START GAME", "unreliable", "the procedure's section"
    ),
    # burn and reveal
    "reveal-before-burn": Meaning(
        "community, dealer's or burned cards were shown before the burn was confirmed", "unreliable", "the burn"
    ),
    "wrong-burn": Meaning("other cards were burned than the procedure names", "unreliable", "the burn"),
    "burned-card-in-play": Meaning(
        "a burned card lies in a hand or among the community cards", "unreliable", "the burn"
    ),
    "reveal-count-wrong": Meaning(
        "another number of community cards was shown than the burn leaves", "unreliable", "the burn"
    ),
    "faces-disagree": Meaning(
        "two reports of the same cards name different faces", "unreliable", "the procedure's section"
    ),
    # counts
    "seat-count-wrong": Meaning("a player has a wrong number of cards", "as the wrong row says", "wrong"),
    "dealer-count-wrong": Meaning("the dealer has a wrong number of cards", "as the wrong row says", "wrong"),
    "community-count-wrong": Meaning("the community has a wrong number of cards", "as the wrong row says", "wrong"),
    "hand-count-wrong": Meaning(
        "a hand that the game names, or another place, has a wrong number of cards",
        "as the wrong row says, otherwise a supervisor rules",
        "wrong",
    ),
    "burn-count-wrong": Meaning("another number of cards was burned off the deck", "a supervisor rules", "procedure"),
    "remainder-count-wrong": Meaning(
        "another number of cards is left than the procedure says",
        "as the wrong row says, judged at END GAME: a person's count can still correct the device's",
        "wrong",
    ),
    "deck-count-wrong": Meaning(
        "the deck was dealt although its count before the deal was wrong, or the shoe has other decks",
        "as care.deck says",
        "care.deck",
    ),
    "cards-not-conserved": Meaning(
        "cards loaded are not packets + remainder + rejected, or a shoe's cards not those drawn + left",
        "as care.deck says, judged at END GAME for a deck: a person's count can still explain the difference",
        "care.deck",
    ),
    "counts-differ": Meaning(
        "a person's count or the faces shown differ from the device's count; the person's count holds",
        "recorded only; the count that holds is judged by itself",
        "the procedure's section",
    ),
    "duplicate-face": Meaning(
        "one face in two places, or more often than the shoe has decks",
        "as face.duplicate says",
        "face.duplicate",
    ),
    "foreign-card": Meaning("a card that is not of this deck", "as face.foreign says", "face.foreign"),
    # what a person sees happen to a card
    "card-exposed": Meaning(
        "a card was seen that should not be", "as the wrong row says, otherwise a supervisor rules", "wrong"
    ),
    "card-off-table": Meaning(
        "a card fell from the table", "as the wrong row says, otherwise a supervisor rules", "wrong"
    ),
    "hand-fouled": Meaning(
        "a hand touched discards or another hand", "as fouled says, otherwise a supervisor rules", "fouled"
    ),
    "stray-joker": Meaning(
        "a joker came out of a deck that has none", "as face.joker says, otherwise a supervisor rules", "face.joker"
    ),
    "boxed-card": Meaning(
        "a card lay face up in the deck", "as face.boxed says, otherwise a supervisor rules", "face.boxed"
    ),
    "card-mishandled": Meaning("something else happened to a card", "a supervisor rules", "procedure"),
    "burned-card-in-muck": Meaning(
        "a burned card touched the discards, or lies among them, before all cards are dealt",
        "as care.burned says, otherwise recorded only",
        "care.burned",
    ),
    "burned-card-put-back": Meaning(
        "the card burned last was laid back on top of the deck",
        "recorded only; it is burned again",
        "care.burned",
    ),
    "deck-runs-out": Meaning(
        "fewer cards are left than are due",
        "as care.runs-out says, otherwise the table waits for the shoe",
        "care.runs-out",
    ),
    # the decks
    "deck-not-alternated": Meaning("the same of two decks was dealt twice running", "recorded only", "deck"),
    "deck-not-fresh": Meaning("a round was dealt from a deck that another began", "unreliable", "deck"),
    "deck-too-old": Meaning("a deck was dealt more often than it may", "recorded only", "care.age"),
    "defective-deck-again": Meaning("a deck found defective was dealt again", "unreliable", "care.deck"),
    "deck-count-due": Meaning(
        "no deck was counted for as long as the procedure allows", "recorded only; the count is asked for", "care"
    ),
    # cards drawn one at a time
    "draw-before-close": Meaning("a card was drawn before bets were closed", "unreliable", "shoe.bets-closed"),
    "draw-before-named": Meaning(
        "a card was drawn while another waits to be named", "recorded only; it is taken in its place", "shoe.unread"
    ),
    "card-unread": Meaning(
        "the shoe did not read a card", "a person names it, or the round is unreliable", "shoe.unread"
    ),
    "card-doubtful": Meaning(
        "the shoe's reader is less sure of a card than the table asks, or its readers disagree: it counts as not read",
        "as card-unread where a card's face decides; in a game of steps recorded only",
        "shoe.unread",
    ),
    "card-named": Meaning("a person named a card the shoe did not read, or not surely", "recorded only", "shoe.unread"),
    "naming-refused": Meaning(
        "a card was named without the badge the procedure asks for", "recorded only; it still waits", "shoe.unread"
    ),
    "card-missing": Meaning(
        "by the shoe's own count cards left it that were not reported",
        "unreliable from START GAME to END GAME, otherwise recorded only",
        "the procedure's section",
    ),
    "drawn-outside": Meaning(
        "a card was drawn in a mode of the shoe in which it belongs to no game",
        "unreliable until the race is decided, otherwise recorded only",
        "the procedure's section",
    ),
    "burned-mid-race": Meaning("a card was burned between the first card and the last", "unreliable", "shoe.columns"),
    "card-overdrawn": Meaning("a card was drawn after the end", "as shoe.overdraw says", "shoe.overdraw"),
    "cut-card": Meaning("the cut card came out", "as shoe.cut-card says of the rounds that follow", "shoe.cut-card"),
    "other-shoe": Meaning("cards of one race came out of two shoes", "unreliable", "procedure"),
    "shoe-over": Meaning("a round was dealt from a shoe that is over", "unreliable", "shoe.cut-card"),
    "shoe-ended": Meaning("the shoe ended in the middle of a round", "misdeal", "misdeal"),
    # a person's ruling
    "misdeal-called": Meaning("a person called a misdeal, or ruled one", "misdeal", "misdeal"),
    "ruled-on": Meaning("a supervisor ruled that play goes on", "recorded only", "as the finding's"),
    "misdeal-refused": Meaning(
        "a misdeal was called after substantial action", "recorded only; the round goes on", "misdeal"
    ),
    "deck-removed": Meaning(
        "the deck was taken out, or the round ended under the red lamp, before the deal was complete",
        "misdeal",
        "misdeal",
    ),
    # devices and lines
    "device-fault": Meaning("a device reported a fault or lit its red lamp", "as the fault's row says", "fault"),
    "jam": Meaning("a card jam was reported", "as the fault's row says", "fault"),
    "door-opened": Meaning("the door was opened while the deck was in the device", "as the fault's row says", "fault"),
    "power-lost": Meaning("a device lost power during a round", "unreliable when a round is under way", "fault"),
    "session-changed": Meaning("a device with a part in the round started anew", "unreliable", "procedure"),
    "events-lost": Meaning("reports of a device are gone for ever", "unreliable", "procedure"),
    "link-lost": Meaning(
        "a line was silent during a round", "recorded only, when the same session goes on without a gap", "procedure"
    ),
    "recording-ended": Meaning("the input ended in the middle of a round", "unreliable", "procedure"),
}


def may_break_a_round(code: str) -> bool:
    """True for the incidents after which a round cannot be relied on, so that a reader can name the cause."""
    return code in INCIDENTS and INCIDENTS[code].consequence.startswith("unreliable")
