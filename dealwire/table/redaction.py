"""Rules for publishing card faces: no face of a card before someone has shown it.

A device that recognizes cards reports faces that are still hidden. Until they are shown they stay in the sealed raw
record and in the flow; everyone else gets the output of `Publisher`. END GAME ends the secrecy of hands against the
house: their cards are dead, the settlement depends on them, and the round's result names them. A burned card decides
nothing, so its face is published only if someone shows it. The same holds for a hand that folded, or won without being
shown, among players.
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
from devices.listed import NotedBadges
from protocol.cards import NONE, UNREAD, Card, parse_card, spell_cards
from rules.meters.award_record import AwardRecord
from rules.settlement import Settlement

_QUOTED: Final = re.compile(r"<[^>]*>|'[^']*'|\"[^\"]*\"")
"""Quoted text of an unknown report; it may contain a card."""


class PublishedLine(NamedTuple):
    """One line to be published, and its value; `item` is None for a report of a device."""

    topic: Topic
    line: str
    item: TableOutcome | None = None


def hidden(seen: Seen) -> Seen:
    """Return the report without faces that were not shown: packets, rejects, burns, cards outside a game.

    A burn announced only by an earlier report cannot be recognized here; `Redactor` recognizes it.
    """
    body = _without_faces(seen.body)
    return seen if body is seen.body else replace(seen, body=body)


def _without_faces(body: e.Body) -> e.Body:
    cover = _COVERS.get(type(body))
    return cover(body) if cover is not None else body


def _packet(body: e.PacketDispensed) -> e.Body:
    return replace(body, cards=(UNREAD,) * len(body.cards)) if body.cards else body


def _set_hand(body: e.HandSet) -> e.Body:
    """Hide a set hand, which is arranged face down."""
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
    NotedBadges: lambda body: body.published,
}
"""Reports that may contain a hidden face, or a list that is the house's own, each with the function that hides it."""


_OF_A_SHOE: Final = (e.ShoeLoaded, e.BurnStarted, e.CardDrawn, e.CardUnread, e.CardReportedAgain)


class Redactor:
    """Hidden cards of one table. Call `redact` with every report, in order, before `incident` or `result`."""

    def __init__(self, table: Table) -> None:
        self._flow = table.flow
        self.restore(RedactorState(0, ()))
        self._face: Card | None = None
        """Hidden face in the last report."""

    def state(self) -> RedactorState:
        """Return the state that outlives a round."""
        aside = sorted(self._aside, key=lambda row: (row[0] is not None, row[0] or 0, row[1]))
        return RedactorState(self._burns_due, tuple((ordinal, card.text) for ordinal, card in aside))

    def restore(self, state: RedactorState) -> None:
        """Restore a saved state."""
        self._burns_due = state.burns_due
        self._aside: set[tuple[int | None, Card]] = {(ordinal, parse_card(card)) for ordinal, card in state.aside}
        """Cards that left this shoe unseen."""

    def redact(self, seen: Seen) -> Seen:
        """Take one report and return it as it may be published."""
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
        """True if a card from a shoe is dealt face up. A card reported again counts as hidden."""
        if isinstance(body, e.CardReportedAgain):
            return self._flow.plan.shoe is not None
        return self._flow.deals_face_up

    def incident(self, incident: Incident) -> Incident:
        """Return the incident as it may be published now."""
        return incident.redact(self._flow.snapshot().unshown | ({self._face} if self._face is not None else set()))

    def result(self, result: RoundResult, published: Mapping[Incident, Incident]) -> RoundResult:
        """Return the result as it may be published.

        Burned cards appear as the table has seen them and are hidden elsewhere in the result. Incidents lose every face
        that neither is in a hand of the result nor was shown. With a shoe that continues, incidents stay as they were
        `published`.
        """
        goes_on = self._flow.plan.from_shoe and self._flow.procedure.deck.fresh != "each-round"
        if result.draw is not None or goes_on:
            result = replace(result, incidents=tuple(published.get(each, each) for each in result.incidents))
        round_ = self._flow.closed.pop(0) if self._flow.closed else None
        if round_ is None or not (result.incidents or set(result.burned) - {UNREAD.text}):
            return result  # nothing is hidden, or the result was already redacted in another process
        burned, incidents, stages = tuple(spell_cards(burned_as_seen(round_))), result.incidents, result.stages
        if stages and (hidden := set(result.burned).difference(burned, result.community)):
            stages = tuple(_covered(stage, hidden) for stage in stages)
        if (named := _faces_of(incidents)) and (doubtful := named.difference(_named(result))):
            hidden_faces = unseen(round_).intersection(map(parse_card, doubtful))
            incidents = tuple(each.redact(hidden_faces) for each in incidents)
        return replace(result, burned=burned, incidents=incidents, stages=stages)


def _faces_of(incidents: Iterable[Incident]) -> set[str]:
    """Return the faces in incidents and their causes."""
    found = set[str]()
    for each in incidents:
        found.update(each.cards, each.known)
        if each.cause is not None:
            found |= _faces_of((each.cause,))
    return found


def _covered(stage: Stage, hidden: Set[str]) -> Stage:
    """Return the cards of a place without these faces."""
    if hidden.isdisjoint(stage.cards):
        return stage
    return replace(stage, cards=tuple(UNREAD.text if card in hidden else card for card in stage.cards))


def _named(result: RoundResult) -> Iterator[str]:
    """Return the cards in a result's hands, community and columns."""
    for hand in (*result.seats, result.dealer, *result.hands):
        if hand is not None:
            yield from hand.cards
            yield from hand.discards
    yield from result.community
    if result.draw is not None:
        yield from result.draw.cards
        yield from result.draw.overdrawn


def turned_over(seen: Seen) -> Seen:
    """Return the report without the face of a card that left a shoe."""
    body = seen.body
    if not isinstance(body, e.CardDrawn | e.CardReportedAgain) or body.card == UNREAD:
        return seen
    return replace(seen, body=replace(body, card=UNREAD))


class PublishedTable(Table):
    """A table that outputs only what may be published, live and in a replay."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._redactor = Redactor(self)
        self._unshown: frozenset[Card] = frozenset()
        self._published: dict[Incident, Incident] = {}
        """Published form of each incident that lost a face, by the incident with the face, since the last result."""
        self.report: Seen | None = None
        """The last report as it may be published."""

    def state(self) -> TableState | None:
        """Return the state that outlives a round, with the hidden cards of a shoe; None during a round."""
        found = super().state()
        return replace(found, redactor=self._redactor.state()) if found is not None else None

    def restore(self, state: TableState) -> None:
        """Restore a saved state."""
        super().restore(state)
        if state.redactor is not None:
            self._redactor.restore(state.redactor)

    def handle(self, seen: Seen) -> list[TableOutcome]:
        """Take one report and return its outcomes as they may be published."""
        if self.badges is not None:
            seen = self.badges.judge(seen)
        self.report = self._redactor.redact(seen)
        return super().handle(seen)

    def finish(self) -> list[TableOutcome]:
        """End the input. A round under way ends with its cards still on the table; cards not shown stay hidden."""
        self._unshown = self.flow.snapshot().unshown
        out = super().finish()
        self._unshown = frozenset()
        return out

    def shown_incident(self, incident: Incident) -> Incident:
        """Return the incident as it may be published."""
        shown = self._redactor.incident(incident)
        if shown != incident:
            self._published[incident] = shown
        return shown

    def shown_result(self, result: RoundResult) -> RoundResult:
        """Return the result as it may be published."""
        shown = self._redactor.result(result, self._published)
        self._published.clear()
        return shown.redact(self._unshown) if self._unshown else shown


def topic_of(item: TableOutcome) -> Topic:
    """Return the topic under which an outcome is published."""
    if isinstance(item, Incident):
        return "incident"
    if isinstance(item, RoundResult):
        return "round"
    if isinstance(item, Settlement):
        return "settlement"
    return "award" if isinstance(item, AwardRecord) else "meter"


class Publisher:
    """A table with reports as input and lines as output, the same bytes live and in a replay."""

    def __init__(self, table: PublishedTable) -> None:
        self.table = table

    def publish(self, seen: Seen) -> list[PublishedLine]:
        """Take one report; return its own line first, then the lines of its outcomes."""
        outcomes = self.table.handle(seen)
        assert self.table.report is not None
        return [PublishedLine("event", event_line(self.table.report)), *published_lines(outcomes)]

    def finish(self) -> list[PublishedLine]:
        """End the input; return the lines of the round under way."""
        return published_lines(self.table.finish())


def published_lines(outcomes: Iterable[TableOutcome]) -> list[PublishedLine]:
    """Return the outcomes of a table as lines."""
    return [PublishedLine(topic_of(item), item.to_json(), item) for item in outcomes]


def outcomes_of(lines: Iterable[PublishedLine]) -> list[TableOutcome]:
    """Return the outcomes in lines, without reports of devices."""
    return [each.item for each in lines if each.item is not None]
