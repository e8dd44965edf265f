"""What a table may make known, and when: no face of a card before somebody has shown it.

A device that recognises cards reports faces that lie hidden. Until they are shown they stay in the sealed raw record
and in the flow; everything else gets what `Teller` gives. END GAME ends the secret of a dealt deck: its cards are dead
then, the settlement rests on them, and the result of the round names them all. Cards burned from a shoe stay hidden,
because the shoe goes on.
"""

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

import devices.events as e
from dealer_flow.play.order import BURNS
from dealer_flow.record.result import Incident, RoundResult
from dealwire.hub.publication import Topic
from dealwire.table.event_line import event_line
from dealwire.table.table import Table, TableOutcome
from devices.events import Seen
from protocol.cards import NONE, UNREAD, Card
from rules.award_records import AwardRecord
from rules.settlement import Settlement

_QUOTED: Final = re.compile(r"<[^>]*>|'[^']*'|\"[^\"]*\"")
"""What a device said in words this version does not know may be a card."""


class Told(NamedTuple):
    """One line to be made known, and what it says; `item` None for a report of a device."""

    topic: Topic
    line: str
    item: TableOutcome | None = None


def hidden(seen: Seen) -> Seen:
    """The report without the faces that nobody has shown: packets, rejects, burns, cards of no game.

    A burn that only a report before this one announced cannot be known here; `Teller` knows it.
    """
    body = _without_faces(seen.body)
    return seen if body is seen.body else replace(seen, body=body)


def _without_faces(body: e.Body) -> e.Body:
    if isinstance(body, e.PacketDispensed):
        return replace(body, cards=(UNREAD,) * len(body.cards)) if body.cards else body
    if isinstance(body, e.CardRejected):
        return replace(body, card=UNREAD) if body.card != NONE else body
    if isinstance(body, e.DrawWhileLocked | e.CardDrawnOutside):
        return replace(body, card=UNREAD)
    if isinstance(body, e.CardDrawn | e.CardReportedAgain) and body.where in BURNS:
        return replace(body, card=UNREAD)
    if isinstance(body, e.UnknownReported):
        return e.UnknownReported(_QUOTED.sub("...", body.what))
    return body


def scrubbed(text: str, faces: Iterable[Card]) -> str:
    """`text` with these faces unread."""
    for card in faces:
        text = re.sub(rf"(?<!\w){re.escape(card.text)}(?!\w)", UNREAD.text, text)
    return text


class Veil:
    """What lies hidden at one table. Give `saw` every report, in order, before `incident` or `result`."""

    def __init__(self, table: Table) -> None:
        self._flow = table.flow
        self._burns_due = 0
        self._aside: set[tuple[int | None, Card]] = set()
        """Cards that left this shoe unseen."""
        self._face: Card | None = None
        """The face that the last report held and nobody has shown."""
        self._changed: dict[Incident, Incident] = {}

    def saw(self, seen: Seen) -> Seen:
        """The report as it may be told."""
        told, body = hidden(seen), seen.body
        if isinstance(body, e.ShoeLoaded):
            self._burns_due = 0
            self._aside.clear()
        elif isinstance(body, e.BurnStarted):
            self._burns_due = body.count
        elif isinstance(body, e.CardDrawn | e.CardUnread | e.CardReportedAgain) and (
            self._burned(body) or not self._open(body)
        ):
            told = turned_over(told)
        self._face = getattr(body, "card", None) if told is not seen else None
        return told

    def _burned(self, body: e.CardDrawn | e.CardUnread | e.CardReportedAgain) -> bool:
        card = UNREAD if isinstance(body, e.CardUnread) else body.card
        if (body.ordinal, card) in self._aside:
            return True
        if isinstance(body, e.CardReportedAgain):
            return body.where in BURNS or any(card == each for _, each in self._aside)
        if body.where not in BURNS and not self._burns_due:
            return False
        self._burns_due = max(self._burns_due - 1, 0)
        if card != UNREAD:
            self._aside.add((body.ordinal, card))
        return True

    def _open(self, body: e.CardDrawn | e.CardUnread | e.CardReportedAgain) -> bool:
        """Whether a card of a shoe lies face up where it is dealt; one that is reported again is taken for hidden."""
        if isinstance(body, e.CardReportedAgain):
            return self._flow.plan.shoe is not None
        return self._flow.deals_face_up

    def incident(self, incident: Incident, faces: frozenset[Card] | None = None) -> Incident:
        """The incident as it may be told; `faces` are those that lie hidden, now unless given."""
        unshown = self._flow.snapshot().unshown if faces is None else faces
        text = scrubbed(incident.text, unshown | ({self._face} if self._face is not None else frozenset()))
        if text == incident.text:
            return incident
        self._changed[incident] = incident.model_copy(update={"text": text})
        return self._changed[incident]

    def result(self, result: RoundResult) -> RoundResult:
        """The result as it may be told: of a dealt deck whole, of a shoe that goes on without what it burned."""
        changed, self._changed = self._changed, {}
        goes_on = self._flow.plan.from_shoe and self._flow.procedure.deck.fresh != "each-round"
        if result.draw is None and not goes_on:
            return result
        burned = (UNREAD.text,) * len(result.burned)
        incidents = tuple(changed.get(each, each) for each in result.incidents)
        return result.model_copy(update={"burned": burned, "incidents": incidents})


def turned_over(seen: Seen) -> Seen:
    """The report without the face of a card that left a shoe."""
    body = seen.body
    if not isinstance(body, e.CardDrawn | e.CardReportedAgain) or body.card == UNREAD:
        return seen
    return replace(seen, body=replace(body, card=UNREAD))


class ToldTable(Table):
    """A table that gives out what may be told, and nothing else: live, and dealt again from the record."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._veil = Veil(self)
        self.report: Seen | None = None
        """The last report as it may be told."""

    def handle(self, seen: Seen) -> list[TableOutcome]:
        """Take one report; what it led to, as it may be told."""
        self.report = self._veil.saw(seen)
        return [self._told(item) for item in super().handle(seen)]

    def finish(self) -> list[TableOutcome]:
        """No more reports come. A round under way is broken off with its cards still on the table: what nobody has
        shown is not told."""
        faces = self.flow.snapshot().unshown
        return [_broken_off(self._told(item), faces) for item in super().finish()]

    def _told(self, item: TableOutcome) -> TableOutcome:
        if isinstance(item, Incident):
            return self._veil.incident(item)
        return self._veil.result(item) if isinstance(item, RoundResult) else item


def _broken_off(item: TableOutcome, faces: frozenset[Card]) -> TableOutcome:
    line = item.to_json()
    clean = scrubbed(line, faces)
    if clean == line or not isinstance(item, RoundResult | Settlement):
        return item
    return type(item).from_json(clean)


def topic_of(item: TableOutcome) -> Topic:
    """What a result is made known as."""
    if isinstance(item, Incident):
        return "incident"
    if isinstance(item, RoundResult):
        return "round"
    if isinstance(item, Settlement):
        return "settlement"
    return "award" if isinstance(item, AwardRecord) else "meter"


class Teller:
    """A table whose reports go in and whose lines come out, live and from the record alike, byte for byte."""

    def __init__(self, table: ToldTable) -> None:
        self.table = table

    def publish(self, seen: Seen) -> list[Told]:
        """Take one report; the lines it leads to: its own first, then what the table made of it."""
        outcomes = self.table.handle(seen)
        assert self.table.report is not None
        return [Told("event", event_line(self.table.report)), *_lines(outcomes)]

    def finish(self) -> list[Told]:
        """No more reports come; the lines of what was under way."""
        return _lines(self.table.finish())


def _lines(outcomes: Iterable[TableOutcome]) -> list[Told]:
    return [Told(topic_of(item), item.to_json(), item) for item in outcomes]


def outcomes_of(told: Iterable[Told]) -> list[TableOutcome]:
    """What the lines say, reports of devices left out."""
    return [each.item for each in told if each.item is not None]
