"""Builds what a person sees of a table out of its reports and results. No face before it was shown."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

import devices.events as e
from dealer_flow.play.snapshot import HandNow, Snapshot
from dealer_flow.play.states import State
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.hub.view import (
    DeviceView,
    HandView,
    LegalView,
    LogLine,
    SeatView,
    TableView,
)
from dealwire.table.redaction import Redactor
from dealwire.table.state import LoggedLine, ShownDevice, ViewerState
from dealwire.table.table import Table, TableOutcome
from devices.events import Seen
from protocol.cards import spell_cards
from protocol.faults import fault_text
from rules.award_record import AwardRecord
from rules.settlement import Settlement

LOG_MAX: Final = 200
"""Lines of the log that a view holds."""

CONTROLLER: Final = "table-controller"


class Viewer:
    """One table. Give `saw` every report and what the table made of it, then ask for a `view`.

    `name` is what the table is called, `seats` how many it has; by default as many as the procedure allows.
    """

    def __init__(self, table: Table, name: str, *, seats: int | None = None) -> None:
        self._table, self._name = table, name
        procedure = table.flow.procedure
        self._procedure = procedure
        self.seats = seats or procedure.seats.most
        self._redactor = Redactor(table)
        self._devices: dict[str, DeviceView] = {}
        self._log: deque[LogLine] = deque(maxlen=LOG_MAX)
        self._written = 0
        self._lamp = self._deck = self._round = 0
        self._last_outcome: str | None = None
        self._shuffler = ""
        self._meters = dict(table.meters)
        self._safe_stop: str | None = None

    # ------------------------------------------------------------------ what happens

    def saw(self, seen: Seen, outcomes: Sequence[TableOutcome], sequences: Sequence[int] = ()) -> None:
        """One report, and what the table made of it, with the numbers under which that was journalled."""
        self._report(self._redactor.saw(seen))
        self.add(outcomes, seen.at_ns, sequences)

    def add(self, outcomes: Sequence[TableOutcome], at_ns: int, sequences: Sequence[int] = ()) -> None:
        """Results that no report led to, such as those of a round that was broken off."""
        for index, item in enumerate(outcomes):
            self._outcome(item, at_ns, sequences[index] if index < len(sequences) else None)

    def device(self, view: DeviceView) -> bool:
        """What is known of a device and its line, from whoever runs the line; True when it is something new."""
        before = self._devices.get(view.name)
        now = view.model_copy(update={"state": before.state}) if before else view
        self._devices[view.name] = now
        return now != before

    def safe_stop(self, why: str) -> None:
        """The table deals no more."""
        self._safe_stop = why

    # ------------------------------------------------------------------ between rounds

    def state(self) -> ViewerState:
        """All that is not the table's own, and that a view shows again after a restart."""
        return ViewerState(
            redactor=self._redactor.state(),
            devices=tuple(msgspec.convert(view.model_dump(), ShownDevice) for view in self._devices.values()),
            log=tuple(msgspec.convert(line.model_dump(), LoggedLine) for line in self._log),
            written=self._written,
            lamp=self._lamp,
            deck=self._deck,
            round=self._round,
            last_outcome=self._last_outcome,
            shuffler=self._shuffler,
            meters=tuple(self._meters.items()),
            safe_stop=self._safe_stop,
        )

    def restore(self, state: ViewerState) -> None:
        """Show what the viewer showed that gave this state; its table must be restored, too."""
        self._redactor.restore(state.redactor)
        self._devices = {each.name: DeviceView(**msgspec.structs.asdict(each)) for each in state.devices}
        self._log = deque((LogLine(**msgspec.structs.asdict(line)) for line in state.log), maxlen=LOG_MAX)
        self._written, self._lamp, self._deck = state.written, state.lamp, state.deck
        self._round, self._last_outcome, self._shuffler = state.round, state.last_outcome, state.shuffler
        self._meters, self._safe_stop = dict(state.meters), state.safe_stop

    # ------------------------------------------------------------------ what there is to see

    def view(self, sequence: int, at_ns: int) -> TableView:
        """The table now. `sequence` is the newest journalled number it includes, `at_ns` nanoseconds since 1970."""
        flow, now = self._table.flow, self._table.flow.snapshot()
        procedure = self._procedure
        legal = () if self._safe_stop else flow.legal()
        expected = frozenset(item.place for item in legal) if now.state is not State.BETTING else frozenset()
        numbers = sorted({*range(1, self.seats + 1), *(seat.number for seat in now.seats)})
        return TableView(
            sequence=sequence,
            at_ns=at_ns,
            table=self._name,
            procedure=procedure.id,
            title=procedure.title,
            clause=procedure.clause,
            round=now.number or self._round,
            state=now.state.value,
            last_outcome=self._last_outcome,
            red_lamp=self._lamp,
            red_lamp_text=fault_text(self._lamp) if self._lamp else "",
            safe_stop=self._safe_stop,
            seats=tuple(self._seat(number, now, expected) for number in numbers),
            dealer=_hand_view(now.dealer, "dealer") if now.dealer is not None else None,
            community=tuple(_hands(now)),
            columns=tuple(_hand_view(hand, hand.place) for hand in now.columns),
            packets=now.packets,
            remainder=now.remainder,
            deck=now.deck or self._deck,
            shuffler=self._shuffler,
            meters=self._meters,
            devices=tuple(self._devices.values()),
            next=tuple(LegalView(actor=item.actor, what=item.what, place=item.place) for item in legal),
            log=tuple(self._log),
        )

    def _seat(self, number: int, now: Snapshot, expected: frozenset[str]) -> SeatView:
        seat = next((each for each in now.seats if each.number == number), None)
        if seat is None:
            return SeatView(seat=number, status="empty")
        hand = seat.hand
        return SeatView(
            seat=number,
            status=seat.status or "betting",
            wagers=dict(seat.wagers),
            decision=seat.decision,
            next=f"seat {number}" in expected,
            cards=tuple(spell_cards(hand.cards)) if hand else (),
            counted=hand.counted if hand else None,
            expected=hand.expected if hand else None,
        )

    # ------------------------------------------------------------------ inside

    def _report(self, seen: Seen) -> None:
        body = seen.body
        if isinstance(body, e.RedLamp):
            self._lamp = body.fault if body.lit else 0
        elif isinstance(body, e.MisdealCleared):
            self._lamp = 0
        elif isinstance(body, e.DeckLoaded | e.DeckVerified | e.ShuffleStarted):
            self._deck = body.deck
        if isinstance(body, e.Booted | e.SessionChanged) and self._deals(seen.device):
            self._lamp = 0
        self._line(seen, body)

    def _line(self, seen: Seen, body: e.Body) -> None:
        """What the report says of the device and its line."""
        before = self._devices.get(seen.device) or DeviceView(name=seen.device, kind="", address="", link="unknown")
        if isinstance(body, e.BytesDropped):
            return  # it says nothing of the device
        update: dict[str, Any] = {"link": "up"}
        if isinstance(body, e.LinkUp):
            update["kind"] = before.kind or body.device_class
            update["problem"] = None
        elif isinstance(body, e.LinkLost):
            update = {"link": "waiting", "problem": body.why}
            self.log("link-lost", f"{seen.device}: {body.why}", seen.at_ns, None, place=seen.device)
        elif isinstance(body, e.StateChanged):
            update["state"] = body.state
        self._devices[seen.device] = before.model_copy(update=update)
        if isinstance(body, e.StateChanged) and self._deals(seen.device):
            self._shuffler = body.state

    def _deals(self, device: str) -> bool:
        known = self._devices.get(device)
        return known is not None and known.kind not in ("", CONTROLLER)

    def _outcome(self, item: TableOutcome, at_ns: int, sequence: int | None) -> None:
        if isinstance(item, Incident):
            shown = self._redactor.incident(item)
            self.log(shown.code, shown.text, at_ns, sequence, clause=shown.clause, place=shown.place)
        elif isinstance(item, RoundResult):
            self._last_outcome, self._round = item.outcome, item.round
            self.log("round", f"round {item.round} ends: {item.outcome}", at_ns, sequence)
        elif isinstance(item, Settlement):
            if item.why:
                self.log("settlement", f"round {item.round} is {item.status}: {item.why}", at_ns, sequence)
            self._meters = dict(self._table.meters)
        elif isinstance(item, AwardRecord):
            self.log(f"award-{item.kind}", item.why, at_ns, sequence, clause=item.clause)
            self._meters = dict(self._table.meters)
        else:
            self._meters[item.meter] = item.meter_cents

    def log(
        self,
        code: str,
        text: str,
        at_ns: int,
        sequence: int | None = None,
        *,
        clause: str | None = None,
        place: str | None = None,
    ) -> None:
        """A line of the log, under the number by which the journal knows it, if it does."""
        self._written += 1
        number = self._written if sequence is None else sequence
        self._log.append(LogLine(sequence=number, at_ns=at_ns, code=code, text=text, clause=clause, place=place))


def _hands(now: Snapshot) -> Iterator[HandView]:
    """The community's cards, the hands that the game names, and what was burned off the deck."""
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
