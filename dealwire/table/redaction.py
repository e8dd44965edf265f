"""What a table may make known, and when: no face of a card before somebody has shown it.

A device that recognises cards reports faces that lie hidden. Until they are shown they stay in the sealed raw record
and in the flow; everything else gets what `Publisher` gives. END GAME ends the secret of the hands against the house:
their cards are dead then, the settlement rests on them, and the result of the round names them. A burned card decides
nothing: nobody learns its face but who shows it, and so with a hand that folded, or won, unshown among players.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

import devices.events as e
from dealer_flow.play.course.face_up import burned_as_seen
from dealer_flow.play.order.shoe import BURNS
from dealer_flow.play.seen.snapshot import unseen
from dealer_flow.record.details import Stage
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.hub.lines import Topic
from dealwire.table.event_line import event_line
from dealwire.table.state import RedactorState, TableState
from dealwire.table.table import Table, TableOutcome
from devices.events import Seen
from protocol.cards import NONE, UNREAD, Card, parse_card, spell_cards
from rules.meters.award_record import AwardRecord
from rules.settlement import Settlement

_QUOTED: Final = re.compile(r"<[^>]*>|'[^']*'|\"[^\"]*\"")
"""What a device said in words this version does not know may be a card."""


class PublishedLine(NamedTuple):
    """One line to be published, and what it says; `item` None for a report of a device."""

    topic: Topic
    line: str
    item: TableOutcome | None = None


def hidden(seen: Seen) -> Seen:
    """The report without the faces that nobody has shown: packets, rejects, burns, cards of no game.

    A burn that only a report before this one announced cannot be known here; `Redactor` knows it.
    """
    body = _without_faces(seen.body)
    return seen if body is seen.body else replace(seen, body=body)


def _without_faces(body: e.Body) -> e.Body:
    cover = _COVERS.get(type(body))
    return cover(body) if cover is not None else body


def _packet(body: e.PacketDispensed) -> e.Body:
    return replace(body, cards=(UNREAD,) * len(body.cards)) if body.cards else body


def _set_hand(body: e.HandSet) -> e.Body:
    """It is arranged face down."""
    covered = {"low": (UNREAD,) * len(body.low), "rest": (UNREAD,) * len(body.rest)}
    return replace(body, **covered) if body.low or body.rest else body


def _rejected(body: e.CardRejected) -> e.Body:
    return replace(body, card=UNREAD) if body.card != NONE else body


def _of_no_game(body: e.DrawWhileLocked | e.CardDrawnOutside) -> e.Body:
    return replace(body, card=UNREAD)


def _drawn(body: e.CardDrawn | e.CardReportedAgain) -> e.Body:
    return replace(body, card=UNREAD) if body.where in BURNS else body


def _unknown(body: e.UnknownReported) -> e.Body:
    return e.UnknownReported(_QUOTED.sub("...", body.what))


_COVERS: Final[dict[type[e.Body], Callable[[Any], e.Body]]] = {
    e.PacketDispensed: _packet,
    e.HandSet: _set_hand,
    e.CardRejected: _rejected,
    e.DrawWhileLocked: _of_no_game,
    e.CardDrawnOutside: _of_no_game,
    e.CardDrawn: _drawn,
    e.CardReportedAgain: _drawn,
    e.UnknownReported: _unknown,
}
"""Reports in which a face may be that nobody has shown, each with what covers it."""


_OF_A_SHOE: Final = (e.ShoeLoaded, e.BurnStarted, e.CardDrawn, e.CardUnread, e.CardReportedAgain)


class Redactor:
    """What lies hidden at one table. Give `saw` every report, in order, before `incident` or `result`."""

    def __init__(self, table: Table) -> None:
        self._flow = table.flow
        self.restore(RedactorState(0, ()))
        self._face: Card | None = None
        """The face that the last report held and nobody has shown."""

    def state(self) -> RedactorState:
        """All that outlives a round."""
        aside = sorted(self._aside, key=lambda row: (row[0] is not None, row[0] or 0, row[1]))
        return RedactorState(self._burns_due, tuple((ordinal, card.text) for ordinal, card in aside))

    def restore(self, state: RedactorState) -> None:
        """Go on as the one that gave this state."""
        self._burns_due = state.burns_due
        self._aside: set[tuple[int | None, Card]] = {(ordinal, parse_card(card)) for ordinal, card in state.aside}
        """Cards that left this shoe unseen."""

    def saw(self, seen: Seen) -> Seen:
        """The report as it may be published."""
        published, body = hidden(seen), seen.body
        if isinstance(body, _OF_A_SHOE):
            if isinstance(body, e.ShoeLoaded):
                self._burns_due = 0
                self._aside.clear()
            elif isinstance(body, e.BurnStarted):
                self._burns_due = body.count
            elif self._burned(body) or not self._open(body):
                published = turned_over(published)
        self._face = getattr(body, "card", None) if published is not seen else None
        return published

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

    def incident(self, incident: Incident) -> Incident:
        """The incident as it may be published now."""
        return incident.redact(self._flow.snapshot().unshown | ({self._face} if self._face is not None else set()))

    def result(self, result: RoundResult, published: Mapping[Incident, Incident]) -> RoundResult:
        """The result as it may be published: its burned cards as the table has seen them, and no other face of theirs;
        its incidents without any that neither stands in a hand of it nor was shown; of a shoe that goes on, as they
        were `published`."""
        goes_on = self._flow.plan.from_shoe and self._flow.procedure.deck.fresh != "each-round"
        if result.draw is not None or goes_on:
            result = replace(result, incidents=tuple(published.get(each, each) for each in result.incidents))
        round_ = self._flow.closed.pop(0) if self._flow.closed else None
        if round_ is None or not (result.incidents or set(result.burned) - {UNREAD.text}):
            return result  # nothing lies hidden, or it is as it was made known in another process
        burned, incidents, stages = tuple(spell_cards(burned_as_seen(round_))), result.incidents, result.stages
        if stages and (hidden := set(result.burned).difference(burned, result.community)):
            stages = tuple(_covered(stage, hidden) for stage in stages)
        if (named := _faces_of(incidents)) and (doubtful := named.difference(_named(result))):
            hidden_faces = unseen(round_).intersection(map(parse_card, doubtful))
            incidents = tuple(each.redact(hidden_faces) for each in incidents)
        return replace(result, burned=burned, incidents=incidents, stages=stages)


def _faces_of(incidents: Iterable[Incident]) -> set[str]:
    """The faces that incidents name, and those that they are about."""
    found = set[str]()
    for each in incidents:
        found.update(each.cards, each.known)
        if each.cause is not None:
            found |= _faces_of((each.cause,))
    return found


def _covered(stage: Stage, hidden: Set[str]) -> Stage:
    """What lay at a place, without these faces."""
    if hidden.isdisjoint(stage.cards):
        return stage
    return replace(stage, cards=tuple(UNREAD.text if card in hidden else card for card in stage.cards))


def _named(result: RoundResult) -> Iterator[str]:
    """The cards that a result names in hands, on the board or in columns."""
    for hand in (*result.seats, result.dealer, *result.hands):
        if hand is not None:
            yield from hand.cards
            yield from hand.discards
    yield from result.community
    if result.draw is not None:
        yield from result.draw.cards
        yield from result.draw.overdrawn


def turned_over(seen: Seen) -> Seen:
    """The report without the face of a card that left a shoe."""
    body = seen.body
    if not isinstance(body, e.CardDrawn | e.CardReportedAgain) or body.card == UNREAD:
        return seen
    return replace(seen, body=replace(body, card=UNREAD))


class PublishedTable(Table):
    """A table that gives out what may be published, and nothing else: live, and dealt again from the record."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._redactor = Redactor(self)
        self._unshown: frozenset[Card] = frozenset()
        self._published: dict[Incident, Incident] = {}
        """Incidents since the last result of which a face was left out, each as it came out."""
        self.report: Seen | None = None
        """The last report as it may be published."""

    def state(self) -> TableState | None:
        """All that outlives a round, the cards that lie hidden in a shoe among it; None while one is under way."""
        found = super().state()
        return replace(found, redactor=self._redactor.state()) if found is not None else None

    def restore(self, state: TableState) -> None:
        """Go on as the table did that gave this state."""
        super().restore(state)
        if state.redactor is not None:
            self._redactor.restore(state.redactor)

    def handle(self, seen: Seen) -> list[TableOutcome]:
        """Take one report; what it led to, as it may be published."""
        self.report = self._redactor.saw(seen)
        return super().handle(seen)

    def finish(self) -> list[TableOutcome]:
        """No more reports come. A round under way is broken off with its cards still on the table: what nobody has
        shown is not published."""
        self._unshown = self.flow.snapshot().unshown
        out = super().finish()
        self._unshown = frozenset()
        return out

    def shown_incident(self, incident: Incident) -> Incident:
        """The incident as it may be published."""
        shown = self._redactor.incident(incident)
        if shown != incident:
            self._published[incident] = shown
        return shown

    def shown_result(self, result: RoundResult) -> RoundResult:
        """The result as it may be published."""
        shown = self._redactor.result(result, self._published)
        self._published.clear()
        return shown.redact(self._unshown) if self._unshown else shown


def topic_of(item: TableOutcome) -> Topic:
    """What a result is made known as."""
    if isinstance(item, Incident):
        return "incident"
    if isinstance(item, RoundResult):
        return "round"
    if isinstance(item, Settlement):
        return "settlement"
    return "award" if isinstance(item, AwardRecord) else "meter"


class Publisher:
    """A table whose reports go in and whose lines come out, live and from the record alike, byte for byte."""

    def __init__(self, table: PublishedTable) -> None:
        self.table = table

    def publish(self, seen: Seen) -> list[PublishedLine]:
        """Take one report; the lines it leads to: its own first, then what the table made of it."""
        outcomes = self.table.handle(seen)
        assert self.table.report is not None
        return [PublishedLine("event", event_line(self.table.report)), *published_lines(outcomes)]

    def finish(self) -> list[PublishedLine]:
        """No more reports come; the lines of what was under way."""
        return published_lines(self.table.finish())


def published_lines(outcomes: Iterable[TableOutcome]) -> list[PublishedLine]:
    """What came of a table, as lines."""
    return [PublishedLine(topic_of(item), item.to_json(), item) for item in outcomes]


def outcomes_of(lines: Iterable[PublishedLine]) -> list[TableOutcome]:
    """What the lines say, reports of devices left out."""
    return [each.item for each in lines if each.item is not None]
