"""Builds the view of a table from its reports and results, without faces that were not shown."""

from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

import devices.events as e
from dealer_flow.play.machine.states import LOOSE, State
from dealer_flow.play.seen.legal import Legal, awaited
from dealer_flow.play.seen.snapshot import HandNow, SeatNow, Snapshot
from dealer_flow.procedure.load import Procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealer_flow.table.shoe import ShoeLedger
from dealwire.hub.view import (
    DeviceView,
    HandView,
    HeldView,
    LastingKind,
    LegalView,
    LogLine,
    PendingView,
    SeatView,
    ShoeView,
    TableView,
    TroubleView,
)
from dealwire.table.cautions import cautions_of
from dealwire.table.chips import betting_view, chips_view, without_mucked
from dealwire.table.held import HeldBook
from dealwire.table.id_words import Speech, id_words, next_words
from dealwire.table.money import Money, summary
from dealwire.table.open_cards import OpenCards
from dealwire.table.pots_won import BY_THE_CARDS, ShownHands
from dealwire.table.redaction import Redactor
from dealwire.table.room import room_of
from dealwire.table.standing import TableStanding
from dealwire.table.state import LoggedLine, ShownDevice, ViewerState
from dealwire.table.table import Table, TableOutcome
from dealwire.table.trouble import Cause, Facts, held_troubles, troubles
from devices.events import Seen
from protocol.cards import spell_cards
from protocol.faults import fault_text
from rules.meters.award_record import AwardRecord
from rules.meters.jackpot_book import posting
from rules.settlement import Settlement

LOG_MAX: Final = 200
"""Maximum number of lines of the log in a view."""
SAME_MAX: Final = 1024
"""Maximum number of view parts cached because most views share them."""

USUAL_SEATS: Final = 7
"""Seats of a table in a pit; the deck is mostly enough for more."""


def usual_seats(procedure: Procedure) -> int:
    """Return the number of seats of a table without a configured number: the usual one, or the procedure's maximum if
    lower."""
    return min(USUAL_SEATS, procedure.seats.most)


class Viewer:
    """Builds the views of one table. Call `update` with every report and its outcomes, then `view`.

    `name` is the table's name, `seats` its number of seats (default `usual_seats`). A seat beyond them is shown as soon
    as it has a bet.
    """

    def __init__(self, table: Table, name: str, *, seats: int | None = None) -> None:
        self._table, self._name = table, name
        procedure = table.flow.procedure
        self._procedure = procedure
        self.seats = seats or usual_seats(procedure)
        self._room = room_of(table.flow.plan)
        self._redactor = Redactor(table)
        self._standing = TableStanding(from_shuffler=not (table.flow.plan.from_shoe or table.flow.plan.from_hand))
        self._speech = Speech.of(procedure)
        self._money = Money(table.meters, self._speech.say)
        self._cautions = tuple(cautions_of(table.terms)) if table.terms is not None else ()
        self._log: deque[LogLine] = deque(maxlen=LOG_MAX)
        self._written = self._deck = self._round = 0
        self._shuffler = ""
        self._open_cards = OpenCards()
        self._between_players = table.flow.plan.betting is not None
        self._ended: RoundResult | None = None
        """The round that just ended, until it is settled; in games between players."""
        self._stopped: tuple[str, int] | None = None
        self._badge: tuple[str, int] | None = None
        self._pending: tuple[PendingView, ...] = ()
        self._lasting: dict[LastingKind, tuple[str, int]] = {}
        """Problems of the journal and since when; the service reports them again after a restart."""
        self._cause: Cause | None = None
        """Reason why the round under way is void or halted."""
        self._last_cause: Cause | None = None
        """Reason why the last round was unreliable."""
        self._held: tuple[tuple[HeldView, ...], tuple[TroubleView, ...]] = (), ()

    # ------------------------------------------------------------------ what happens

    def update(self, seen: Seen, outcomes: Sequence[TableOutcome], sequences: Sequence[int] = ()) -> None:
        """Take one report, its outcomes, and the sequence numbers under which those were journaled."""
        shown = self._redactor.redact(seen)
        reported = any(isinstance(item, Incident) and item.code == "link-lost" for item in outcomes)
        self._report(shown, reported=reported)
        self.add(outcomes, seen.at_ns, sequences)

    def add(self, outcomes: Sequence[TableOutcome], at_ns: int, sequences: Sequence[int] = ()) -> None:
        """Take outcomes without a report, such as those of a round that was interrupted."""
        for index, item in enumerate(outcomes):
            self._outcome(item, at_ns, sequences[index] if index < len(sequences) else None)
        self._judge(outcomes, at_ns)

    def device(self, view: DeviceView) -> bool:
        """Set the state of a device and its line; True if it changed."""
        return self._standing.line(view)

    @property
    def lamp_lit_ns(self) -> int | None:
        """Time since when the red lamp is on; None if it is off or unknown."""
        lamp, since_ns = self._standing.lamp(None)
        return since_ns if lamp == "lit" else None

    def lamp_in_status(self, lit: bool, fault: int, at_ns: int) -> bool:
        """Set the red lamp from the shuffler's status; True if it was not known."""
        return self._standing.lamp_in_status(lit, fault, at_ns)

    def safe_stop(self, why: str, at_ns: int) -> None:
        """Set the safe stop: the table deals no more."""
        self._stopped = why, at_ns

    def lasting(self, kind: LastingKind, problem: str | None, at_ns: int) -> bool:
        """Set or clear a problem of the journal that is not the table's own; True if it changed."""
        before, since_ns = self._lasting.get(kind, (None, at_ns))
        if problem is None:
            self._lasting.pop(kind, None)
        else:
            self._lasting[kind] = problem, since_ns
        return problem != before

    def badge(self, problem: tuple[str, int] | None) -> None:
        """Set or clear the badge that does not count, and the time at which it was used."""
        self._badge = problem

    def pend(self, pending: tuple[PendingView, ...]) -> None:
        """Set the acts that wait for another person; the service finds them in the journal after a restart."""
        self._pending = pending

    def hold(self, book: HeldBook) -> None:
        """Use the journal's book of held money from now on."""
        self._money.hold(book)

    # ------------------------------------------------------------------ between rounds

    def state(self) -> ViewerState:
        """Return the state of the view after a restart, without the table's own."""
        standing = self._standing
        devices = standing.devices.values()
        return ViewerState(
            redactor=self._redactor.state(),
            devices=tuple(_shown_device(view) for view in devices),
            log=tuple(_logged(line) for line in self._log),
            written=self._written,
            lamp=standing.fault,
            deck=self._deck,
            round=self._round,
            shuffler=self._shuffler,
            meters=tuple(self._money.meters.items()),
            safe_stop=self._stopped[0] if self._stopped is not None else None,
            lamp_known=standing.lamp_known,
            lamp_ns=standing.lamp_ns,
            reported_ns=standing.reported_ns,
            last_cause=self._last_cause,
            money=self._money.state(),
        )

    def restore(self, state: ViewerState) -> None:
        """Restore a saved state; the table must be restored too."""
        self._redactor.restore(state.redactor)
        devices = [DeviceView(**msgspec.structs.asdict(each)) for each in state.devices]
        self._standing.restore(devices, state)
        self._last_cause = Cause(*state.last_cause) if state.last_cause is not None else None
        self._log = deque((LogLine(**msgspec.structs.asdict(line)) for line in state.log), maxlen=LOG_MAX)
        self._written, self._deck = state.written, state.deck
        self._round, self._shuffler = state.round, state.shuffler
        self._money.restore(state.money, dict(state.meters))
        self._stopped = (state.safe_stop, 0) if state.safe_stop is not None else None

    # ------------------------------------------------------------------ what there is to see

    def view(self, sequence: int, at_ns: int) -> TableView:
        """Return the table now. `sequence` is the newest journal number it includes, `at_ns` nanoseconds since 1970."""
        flow, now = self._table.flow, self._table.flow.snapshot()
        legal = () if self._stopped else flow.legal()
        waits = without_mucked(now, legal, awaited(now.state, legal))
        expected = frozenset(item.place for item in waits)
        taken = {seat.number: seat for seat in now.seats}
        numbers = sorted({*range(1, self.seats + 1), *taken})
        return TableView(
            sequence=sequence,
            at_ns=at_ns,
            table=self._name,
            procedure=self._procedure.id,
            title=self._procedure.title,
            clause=self._procedure.clause,
            edition=self._procedure.edition.id if self._procedure.edition is not None else "",
            round=now.number or self._round,
            state=now.state.value,
            seats=tuple(self._seat(number, taken.get(number), now, expected) for number in numbers),
            dealer=_hand_view(now.dealer, "dealer") if now.dealer is not None else None,
            community=tuple(_hands(now)),
            columns=tuple(_hand_view(hand, hand.place) for hand in now.columns),
            won=now.won,
            betting=betting_view(now.betting) if now.betting is not None else None,
            room=self._room,
            packets=now.packets,
            remainder=now.remainder,
            deck=now.deck or self._deck,
            shoe=_shoe_view(flow.shoe),
            next=tuple(_legal_view(self._speech, item, item in waits) for item in legal),
            log=tuple(self._log),
            pending=self._pending,
            **self._of_devices(),
            **self._of_money(),
            trouble=troubles(self._facts(now.state, legal)) + self._held_trouble(),
        )

    def _of_devices(self) -> dict[str, Any]:
        """Return the view's fields about devices and lamp."""
        standing, stopped = self._standing, self._stopped
        lamp, lamp_ns = standing.lamp(stopped[1] if stopped else None)
        fault = standing.fault if lamp == "lit" else 0
        return {
            "unknown": standing.unknown(stopped),
            "lamp": lamp,
            "lamp_since_ns": lamp_ns,
            "red_lamp": fault,
            "red_lamp_text": fault_text(fault) if fault else "",
            "safe_stop": stopped[0] if stopped else None,
            "shuffler": self._shuffler,
            "reported_ns": standing.reported_ns,
            "devices": tuple(standing.devices.values()),
        }

    def _of_money(self) -> dict[str, Any]:
        money, terms = self._money, self._table.terms
        jackpot = terms.jackpot if terms is not None else None
        return {
            "outcomes": tuple(money.outcomes),
            "currency": money.currency,
            "meters": money.meters,
            "moved": dict(money.moved),
            "posting": posting(jackpot) if jackpot is not None else (),
            "cautions": self._cautions,
            "settlement": money.settlement,
            "held": money.held.shown,
            "held_count": len(money.held),
            "held_cents": dict(money.held.cents),
        }

    def _facts(self, state: State, legal: Sequence[Legal]) -> Facts:
        standing, money = self._standing, self._money
        lamp, lamp_ns = standing.lamp(self._stopped[1] if self._stopped else None)
        return Facts(
            state=state,
            cause=self._cause,
            stopped=self._stopped,
            away=standing.away,
            devices=tuple(standing.devices.values()),
            lamp=lamp,
            lamp_ns=lamp_ns,
            fault=standing.fault,
            legal=legal,
            last=money.outcomes[-1] if money.outcomes else None,
            last_cause=self._last_cause,
            held=money.held.shown[-1].round if money.held else None,
            count_due=self._count_due(),
            archive=self._lasting.get("archive"),
            witness=self._lasting.get("witness"),
            badge=self._badge,
            say=self._speech.say,
        )

    def _held_trouble(self) -> tuple[TroubleView, ...]:
        """Return held money as problems, rebuilt only on a change: every view may contain fifty."""
        held = self._money.held.shown
        if held is not self._held[0]:
            self._held = held, held_troubles(held)
        return self._held[1]

    def _count_due(self) -> Cause | None:
        every = self._table.flow.plan.count_every
        if every is None or not self._table.flow.decks.count_due:
            return None
        return Cause(f"{every.minutes} minutes have passed since it was last counted", every.clause, 0)

    def _seat(self, number: int, seat: SeatNow | None, now: Snapshot, expected: frozenset[str]) -> SeatView:
        terms = self._table.terms
        pool = terms is not None and terms.game.spec.pool is not None
        runners = terms.runners.get(number, 0) if terms is not None and pool else None
        if seat is None:
            return _empty_seat(number, runners)
        hand, chips = seat.hand, now.betting.chips.get(number) if now.betting is not None else None
        return SeatView(
            seat=number,
            status=seat.status or "betting",
            wagers=dict(seat.wagers),
            decision=seat.decision,
            next=f"seat {number}" in expected,
            cards=tuple(spell_cards(hand.cards)) if hand else (),
            counted=hand.counted if hand else None,
            expected=hand.expected if hand else None,
            chips=chips_view(chips) if chips is not None else None,
            runners=runners,
        )

    # ------------------------------------------------------------------ inside

    def _report(self, seen: Seen, *, reported: bool) -> None:
        """Update from one report; `reported`: an incident already covers the lost line."""
        body = seen.body
        if isinstance(body, e.DeckLoaded | e.DeckVerified | e.ShuffleStarted):
            self._deck = body.deck
        elif self._between_players and isinstance(body, e.GameStarted | e.HandRevealed):
            self._open_cards.update(body)
        self._standing.update(seen)
        if isinstance(body, e.LinkLost) and not reported:
            self.log("link-lost", f"{seen.device}: {body.why}", seen.at_ns, None, place=seen.device)
        if isinstance(body, e.StateChanged) and self._standing.deals(seen.device):
            self._shuffler = body.state

    def _hands_of(self, settlement: Settlement) -> ShownHands:
        """Return the shown hands that won pots."""
        result, terms = self._ended, self._table.terms
        won = {each.seat for pot in settlement.pots for each in pot.winners if each.won_with in BY_THE_CARDS}
        if not won or terms is None or result is None or result.round != settlement.round:
            return {}
        return terms.hands_in_words(result, self._open_cards.seats(result) & won)

    def _judge(self, outcomes: Sequence[TableOutcome], at_ns: int) -> None:
        """Remember why the round is void or unreliable."""
        incidents = [item for item in outcomes if isinstance(item, Incident)]
        worst = next((each for each in incidents if each.unreliable), incidents[-1] if incidents else None)
        found = None
        if worst is not None:
            shown = self._redactor.incident(worst)
            found = Cause(self._speech.say(shown.text), shown.clause, at_ns)
        if any(isinstance(item, RoundResult) for item in outcomes):
            self._last_cause, self._cause = found or self._cause, None
        elif self._table.flow.state not in LOOSE:
            self._cause = None
        elif worst is not None and (self._cause is None or worst.unreliable):
            self._cause = found

    def _outcome(self, item: TableOutcome, at_ns: int, sequence: int | None) -> None:
        if isinstance(item, Incident):
            shown = self._redactor.incident(item)
            if item.code == "round-repeated":
                self._money.repeated()
            text = self._speech.say(shown.text)
            self.log(shown.code, text, at_ns, sequence, clause=shown.clause, place=shown.place)
        elif isinstance(item, RoundResult):
            self._round = item.round
            if self._between_players and self._table.terms is not None:
                self._ended = item
            else:
                self._open_cards.over()
            self._money.ended(item, at_ns)
            text = f"round {item.round} ends: {id_words(item.outcome)}"
            self.log("round", text, at_ns, sequence, round_=item.round)
        elif isinstance(item, Settlement):
            hands = self._hands_of(item) if self._between_players else None
            self._ended = None
            self._open_cards.over()
            shown_money = self._money.settled(item, at_ns, hands)
            words = summary(shown_money, of_players=self._between_players)
            self.log("settlement", words, at_ns, sequence, round_=item.round)
            self._money.stand(self._table.meters)
        elif isinstance(item, AwardRecord):
            self.log(f"award-{item.kind}", self._speech.say(item.why), at_ns, sequence, clause=item.clause)
            self._money.stand(self._table.meters)
        else:
            self._money.stand({**self._money.meters, item.meter: item.meter_cents})

    def log(
        self,
        code: str,
        text: str,
        at_ns: int,
        sequence: int | None = None,
        *,
        clause: str | None = None,
        place: str | None = None,
        round_: int | None = None,
    ) -> None:
        """Add a line to the log, under its journal number if it has one."""
        self._written += 1
        number = self._written if sequence is None else sequence
        line = LogLine(sequence=number, at_ns=at_ns, code=code, text=text, clause=clause, place=place, round=round_)
        self._log.append(line)


def _shown_device(view: DeviceView) -> ShownDevice:
    return ShownDevice(view.name, view.kind, view.address, view.link, view.state, view.problem, view.since_ns)


def _logged(line: LogLine) -> LoggedLine:
    return LoggedLine(line.sequence, line.at_ns, line.code, line.text, line.clause, line.place, line.round)


@lru_cache(SAME_MAX)
def _empty_seat(number: int, runners: int | None) -> SeatView:
    return SeatView(seat=number, status="empty", runners=runners)


@lru_cache(SAME_MAX)
def _legal_view(speech: Speech, item: Legal, awaited: bool) -> LegalView:
    what = speech.say(next_words(item.event, item.what))
    return LegalView(actor=speech.say(item.actor), what=what, place=item.place, awaited=awaited)


def _shoe_view(shoe: ShoeLedger | None) -> ShoeView | None:
    if shoe is None:
        return None
    return ShoeView(loaded=shoe.loaded, drawn=shoe.drawn, left=shoe.left, cut_card=shoe.cut_card)


def _hands(now: Snapshot) -> Iterator[HandView]:
    """Return the community hand, the named hands, and the cards burned off the deck."""
    if now.community is not None:
        yield _hand_view(now.community, "community")
    for hand in now.hands:
        yield _hand_view(hand, hand.place)
    if now.burned:
        yield HandView(name="burned", burned=tuple(spell_cards(now.burned)), counted=len(now.burned))


def _hand_view(hand: HandNow, name: str) -> HandView:
    return HandView(
        name=name,
        cards=tuple(spell_cards(hand.cards)),
        counted=hand.counted,
        expected=hand.expected or None,
        burned=tuple(spell_cards(hand.burned)),
    )
