"""`DealerFlow`: reports of the table's devices in, incidents and `RoundResult`s out.

Every report takes the same path: is it in order (`order`), what does it change (the handlers), and which state is the
round in now. The last question belongs to the state machine alone (`machine`): facts about the round change first, then
a trigger is fired. No trigger is fired that no row could take; the same guards are evaluated beforehand. A report
evaluates only the guards that its kind can have changed; what no report changes is looked up once, on the `Plan`.

Reports of two lines are ordered by arrival. While a line was silent in this round, its reports may come after those of
the other line that respond to them. So once a line is lost, a report that is out of turn is set aside and retried after
each report of another line, until it fits or the round cannot wait any longer. The order within a line never changes.
"""

from collections import deque
from collections.abc import Mapping
from copy import copy
from itertools import islice
from typing import Final

import devices.events as e
from dealer_flow.play.course.by_hand import are_out, confirm
from dealer_flow.play.course.identity import AttestedFirmware, Pin
from dealer_flow.play.course.steps import end_step, ends_by, follow, may_open, next_step, open_step, waits_for_cards
from dealer_flow.play.machine.guards import GUARDS
from dealer_flow.play.machine.machine import Phase
from dealer_flow.play.machine.states import BEFORE_REVEAL, LOOSE, STEPS, State
from dealer_flow.play.order.order import WAITING, broken, rules_of, violation
from dealer_flow.play.order.shoe import burned_ahead
from dealer_flow.play.order.violation import Violation, incident_of
from dealer_flow.play.reports import shoe as handle_shoe
from dealer_flow.play.reports.bets import enter
from dealer_flow.play.reports.bypass import PASSES_BY, deal_on, judge_late, pass_by, seats_were_skipped, take_early
from dealer_flow.play.reports.corrections import Amendment, RoundReports, keyed_alone, needs_cure, on_record, refused
from dealer_flow.play.reports.saved_state import ComingRound, FlowState, coming, coming_of, in_order, put_back
from dealer_flow.play.reports.sessions import LINE_REPORTS, Lines, RoundOrigin
from dealer_flow.play.reports.shuffler import HANDLERS
from dealer_flow.play.seen.legal import Legal, legal
from dealer_flow.play.seen.publish import result_of
from dealer_flow.play.seen.snapshot import Snapshot, snapshot
from dealer_flow.play.verdicts.dealing import assign_hands, look_ahead, offer_hand
from dealer_flow.play.verdicts.remedies import at_step, before_last
from dealer_flow.play.verdicts.wagers import hold_late
from dealer_flow.procedure.load import Procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealer_flow.table.columns import Draw
from dealer_flow.table.decks import Decks
from dealer_flow.table.ledger import Ledger
from dealer_flow.table.round import Round
from dealer_flow.table.shoe import LEAST_CONFIDENCE, ShoeLedger, Shoes
from devices.events import Seen
from protocol.places import COMMUNITY

CONCERNED: Final = frozenset({*HANDLERS, *LINE_REPORTS})
"""Reports that change anything."""
_MOVES_NOTHING: Final = frozenset(
    {
        *(e.WagerPlaced, e.WagerOn, e.SensorChanged, e.DeckLoaded, e.DeckVerified, e.PacketDispensed, e.BadgeSwiped),
        *(e.RoundCounted, e.GreenButton),
    }
)
"""Reports that leave the state of a round as it is, unless they are out of order or cause an incident."""

HELD_MAX: Final = 256
"""Most reports that are set aside; when more come, all of them are taken as they are."""

_DRAWN: Final = (State.DRAWING, State.NAMING, State.EXTRA)
# frozensets, because `in` on a tuple compares one by one
_OPEN_STEPS, _STEPS = frozenset(BEFORE_REVEAL), frozenset(STEPS)
_BETTING, _DECIDING, _REVEALING = State.BETTING, State.DECIDING, State.REVEALING
"""Members that every report needs; looked up here once, because attribute access on an enumeration is slow."""
_MAY_FIT_LATER: Final = frozenset(
    {"out-of-turn", "wager-held", "reveal-before-burn", "unknown-seat", "draw-before-close"}
)


class DealerFlow:
    """The rounds of one table, one after another.

    ProcedureError if an option is not the procedure's. A card that its reader is less sure of than `least_confidence`
    percent, or that two readers disagree on, counts as not read; 0 trusts every single reader. `pins` are the devices
    required on the lines, by the lines' names: a round played while another device is connected is unreliable.
    """

    def __init__(
        self,
        procedure: Procedure,
        *,
        table: str = "table-1",
        options: Mapping[str, str] | None = None,
        least_confidence: int = LEAST_CONFIDENCE,
        pins: Mapping[str, Pin] | None = None,
    ) -> None:
        self._plan = Plan(procedure, options or {})
        self._rules = rules_of(self._plan)
        self._table = table
        self._least_confidence, self._pins = least_confidence, pins or {}
        self._begin()
        self._phase = Phase(self._open())
        self._next_round()
        self.origins: list[RoundOrigin] = []
        """Origins of the rounds that ended at the last report, in order."""
        self.closed: list[Round] = []
        """The rounds that ended at the last report."""
        self._last: Seen | None = None
        self._held: deque[Seen] = deque()

    def _begin(self) -> None:
        """Reset everything that outlives a round. `FlowState` saves it, so it is kept nowhere else."""
        self._decks, self._shoes, self._lines = Decks(), self._new_shoes(), Lines(self._pins)
        self._reports = RoundReports()

    @property
    def _round(self) -> Round:
        return self._phase.round_

    @_round.setter
    def _round(self, round_: Round) -> None:
        self._phase.round_ = round_

    @property
    def attested(self) -> Mapping[str, AttestedFirmware]:
        """Standing of each device that must prove its firmware, by line."""
        return self._lines.attested

    @property
    def state(self) -> State:
        """State that the round is in."""
        return self._phase.state

    @property
    def between_rounds(self) -> bool:
        """True if no round is under way and no report is set aside."""
        return self._phase.state is _BETTING and not self._held

    @property
    def procedure(self) -> Procedure:
        """Procedure that the table follows."""
        return self._plan.procedure

    @property
    def plan(self) -> Plan:
        """Procedure with its options chosen."""
        return self._plan

    @property
    def table(self) -> str:
        """Name of the table."""
        return self._table

    @property
    def decks(self) -> Decks:
        """Record of the table's decks."""
        return self._decks

    @property
    def shoe(self) -> ShoeLedger | None:
        """Ledger of the shoe on the table; None before its first report, and in games without a shoe."""
        return self._shoes.current if self._shoes else None

    def legal(self) -> tuple[Legal, ...]:
        """Return the reports that the procedure allows next, with their actor and place. Never empty."""
        return legal(self._phase.state, self._round)

    @property
    def deals_face_up(self) -> bool:
        """True if the next card out of the device is dealt face up."""
        if self._round.draw is not None:
            return True
        due = self._round.next_due
        if due is not None and self._round.common_card and due.place == COMMUNITY:
            return True
        steps = {step.name: step for step in self._plan.steps}
        return due is not None and getattr(steps[due.step], "face", "down") == "up"

    def snapshot(self) -> Snapshot:
        """Return the state of the table at this moment, with no faces but those that were shown."""
        return snapshot(self._phase.state, self._round)

    # ------------------------------------------------------------------ between rounds

    def kept(self) -> FlowState | None:
        """Return everything that outlives a round, or None while it cannot be saved.

        It can be saved when no round is under way, no bets for the next one are placed and no report is set aside; this
        is so right after END GAME.
        """
        if self._phase.state is not _BETTING or self._held or self._lines.patient:
            return None
        kept = coming_of(self._round, self._open())
        return in_order(self._at_rest(kept)) if kept is not None else None

    def _at_rest(self, coming: ComingRound) -> FlowState:
        """Return the state between two rounds. Reports are kept from here on, as a correction never goes back
        further."""
        shoes = self._shoes.state() if self._shoes is not None else None
        state = FlowState(decks=self._decks.state(), shoes=shoes, lines=self._lines.state(), coming=coming)
        if not self._reports.again:
            self._reports = RoundReports(state)
        return state

    def restore(self, state: FlowState) -> None:
        """Resume from the state saved by a flow with the same procedure and options."""
        self._begin()
        self._decks, self._lines = Decks.restore(state.decks), Lines.restore(state.lines, self._pins)
        if self._shoes is not None and state.shoes is not None:
            self._shoes.restore(state.shoes)
        self._next_round()
        put_back(self._round, state.coming)
        self._reports = RoundReports(state)

    # ------------------------------------------------------------------ reports

    def handle(self, seen: Seen) -> list[RoundResult | Incident]:
        """Take one report and return what it causes: incidents as they are found, and the result when the round
        ends."""
        self._last = seen
        if self.origins:
            self.origins.clear()
        if self.closed:
            self.closed.clear()
        out: list[RoundResult | Incident] = []
        kind = seen.body.__class__
        if kind not in CONCERNED or (kind is e.GreenButton and not self._phase.round_.red_lamp):
            sessions = self._lines.sessions
            if seen.device not in sessions or sessions[seen.device] != seen.session:
                self._reports.reports.append(seen)
                self._lines.meet(self._round, seen)
        else:
            if self._phase.round_.rulings:
                self._reports.note_ruling(seen.body)
            self._reports.reports.append(seen)
            if seen.at_ns >= self._decks.quiet_until_ns:
                self._watch(seen, out)
            if (self._lines.patient or self._held) and self._waits(seen):
                self._held.append(seen)
                if len(self._held) >= HELD_MAX or isinstance(seen.body, e.GameStarted):
                    self._release(out)
                return out
            self._take(seen, out)
        if self._held:
            self._retry(out)
        return out

    def finish(self) -> list[RoundResult]:
        """End the input; a round that is under way comes out as unreliable.

        Another input may follow: nothing is carried over to it.
        """
        out: list[RoundResult | Incident] = []
        self.origins.clear()
        self.closed.clear()
        self._release(out)
        if self._round.in_play and self._last is not None:
            self._round.report(Incident(code="recording-ended", clause="procedure", unreliable=True), self._last)
            self._close(out)
        self._begin()
        self._next_round()
        return [item for item in out if isinstance(item, RoundResult)]

    def _watch(self, seen: Seen, out: list[RoundResult | Incident]) -> None:
        """Report that no deck was counted for as long as the procedure allows."""
        every = self._plan.count_every
        if every is not None and self._decks.watch(seen.at_ns, every.minutes):
            due = Incident(code="deck-count-due", clause=every.clause, minutes=every.minutes)
            self._round.report(due, seen)
            self._flush(out)

    # ------------------------------------------------------------------ one report

    def _take(self, seen: Seen, out: list[RoundResult | Incident]) -> None:
        phase, body, sessions = self._phase, seen.body, self._lines.sessions
        round_, kind = phase.round_, body.__class__
        round_.heard = body
        if seen.device not in sessions or sessions[seen.device] != seen.session:
            self._lines.meet(round_, seen)
        if kind not in HANDLERS:
            self._lines.take(round_, seen)
        else:
            if seen.device not in round_.devices:
                round_.devices.add(seen.device)
            if phase.state is _DECIDING and kind in PASSES_BY:
                self._pass_by(seen)
            if round_.ends_early and phase.state in _OPEN_STEPS and self._pass_over(body):
                self._flush(out)
                return
            if kind is e.HandCorrected and self._corrected(seen, out):
                return
            if round_.by_hand and self._plan.from_hand:
                self._deal_out(body)
            rules = self._rules[phase.state]
            found = broken(rules[kind], phase.state, round_, body) if kind in rules else None
            if found is not None:
                self._report(found, seen)
                if kind is e.GameStarted and round_.in_play:
                    self._close(out)
                    round_ = phase.round_
                elif not found.taken:
                    self._set_aside(seen, out)
                    return
            HANDLERS[kind](round_, seen, body)
            if kind is e.GameStarted:
                self._started(seen)
            elif kind is e.GameEnded:
                self._ended(seen, out)
                return
        if kind not in _MOVES_NOTHING or round_.incidents:
            self._go_on()
        if round_.incidents:
            self._flush(out)

    def _ended(self, seen: Seen, out: list[RoundResult | Incident]) -> None:
        """Close the round after END GAME."""
        self._close(out)
        if self._lines.gaps and self._end_unheard(seen, out):
            self._lines.doubt_cards(self._round, seen)
            self._flush(out)

    def _set_aside(self, seen: Seen, out: list[RoundResult | Incident]) -> None:
        """Continue the round without a report that was not taken."""
        self._go_on()
        self._flush(out)
        if self._lines.gaps:
            self._end_unheard(seen, out)

    def _end_unheard(self, seen: Seen, out: list[RoundResult | Incident]) -> bool:
        """Publish a round whose START GAME was lost when its END GAME comes, with the bets that were placed; True if it
        did so.

        It cannot be known which cards belonged to it: they stay with the round that follows, as the lost events do.
        """
        if not isinstance(seen.body, e.GameEnded) or not self._lines.began_unheard(seen, seen.body.round):
            return False
        number = seen.body.round
        coming, round_ = self._round, self._open()
        round_.in_play, round_.number, round_.started_by = True, number, (seen.device, seen.session)
        round_.wagers, coming.wagers = coming.wagers, round_.wagers
        round_.propositions, coming.propositions = coming.propositions, round_.propositions
        round_.staked = {seat: bets.copy() for seat, bets in round_.wagers.items() if bets}
        enter(round_)
        self._lines.doubt_unheard(round_, seen)
        out += round_.incidents
        out.append(result_of(round_, self._table))
        self.origins.append(self._lines.origin(round_))
        self.closed.append(round_)
        return True

    def _started(self, seen: Seen) -> None:
        """Start the round after START GAME has closed the bets."""
        round_ = self._phase.round_
        round_.started_by = (seen.device, seen.session)
        self._lines.doubt(round_, seen)
        self._phase.start_game()
        self._shown_at = (-1, False)

    def _corrected(self, seen: Seen, out: list[RoundResult | Incident]) -> bool:
        """Apply a correction; True if the round continues as if the cards had been keyed right.

        If nothing needs to be undone, the reports are not replayed: what was keyed is replaced directly.
        """
        round_, body, kept = self._round, seen.body, self._reports
        assert isinstance(body, e.HandCorrected)
        round_.uncorrected = ""
        if kept.again or violation(self.state, round_, body) is not None or not keyed_alone(round_, body):
            return False
        change, why = Amendment.of(round_, body), "round_on_record"
        again = self._gone_through(change, seen) if kept.whole and not self._held else None
        if again is not None:
            why = refused(round_, again._round, change)
        if again is None or why:
            round_.uncorrected = why if needs_cure(round_, body) else ""
            if round_.uncorrected:
                kept.drop(seen)
            return False
        on_record(round_, again._round, body, seen)
        self._decks, self._shoes, self._lines = again._decks, again._shoes, again._lines
        self._phase, self._shown_at, self._reports = again._phase, again._shown_at, again._reports
        self._reports.again = False
        self._flush(out)
        return True

    def _gone_through(self, change: Amendment, correction: Seen) -> "DealerFlow | None":
        """Return another flow that took the same reports with the correction applied; None if it still has reports set
        aside."""
        again, kept = copy(self), self._reports
        again._phase, again._held, again.origins, again.closed = Phase(self._open()), deque(), [], []
        if kept.base is None:
            again._begin()
            again._next_round()
        else:
            again.restore(kept.base)
        again._reports.again = True
        for place, seen in enumerate(islice(kept.reports, len(kept.reports) - 1)):
            report = change.report(again._round, seen, ruled=place in kept.ruled)
            if report is not None:
                again.handle(report)
        every = self._plan.count_every
        if every is not None:
            again._decks.watch(correction.at_ns, every.minutes)
        again._lines.meet(again._round, correction)
        again._round.devices.add(correction.device)
        again._round.heard = correction.body
        return None if again._held else again

    def _deal_out(self, body: e.Body) -> None:
        """Deal the cards due by hand that must be out; with everybody all-in, those of several steps at once."""
        round_ = self._phase.round_
        while round_.by_hand and are_out(round_, body):
            confirm(round_)
            self._go_on()

    def _report(self, found: Violation, seen: Seen) -> None:
        """Report a violation as an incident; a harmful one makes the round unreliable, a late wager is held."""
        allowed = dict.fromkeys(item.event for item in self.legal()) if found.code == "out-of-turn" else ()
        incident = incident_of(found, self.state, self._round, seen.body, tuple(allowed))
        self._round.report(incident, seen)
        if found.code == "wager-held":
            hold_late(self._round, seen.body, incident.clause)

    def _pass_by(self, seen: Seen) -> None:
        """End the steps that waited for seats that have not chosen, since play continues without them."""
        if deal_on(self._round, seen.body):
            self._go_on()
        while self._phase.state is _DECIDING and seats_were_skipped(self._round, seen.body):
            pass_by(self._round, seen)
            self._go_on()
            take_early(self._round)
            self._go_on()

    def _pass_over(self, body: e.Body) -> bool:
        """End steps that end by the report of a later one; True if the report was a CONFIRM and did no more than
        that."""
        phase, ended = self._phase, False
        round_ = phase.round_
        while not ended and phase.state in _OPEN_STEPS and GUARDS["later_step_begun"].holds(round_):
            if not phase.pass_step():
                break
            end_step(round_)
            self._go_on()
            ended = isinstance(body, e.Confirmed)
        return ended and not round_.by_hand

    def _go_on(self) -> None:
        """Advance the machine to the round's present state, past steps that are already done."""
        phase = self._phase
        round_ = phase.round_
        if phase.state is _BETTING:
            return
        if round_.incidents:  # without findings nothing can end the play
            self._judge()
        if round_.draw is not None:
            while phase.state in _DRAWN and phase.draw_on():
                pass
        else:
            while phase.state in _STEPS and self._step_on(phase, round_):
                pass
        if phase.state in LOOSE:
            follow(round_)

    def _judge(self) -> None:
        phase = self._phase
        if phase.state is not State.HALTED and (phase.round_.house_wrong or phase.round_.over):
            phase.judge()

    def _step_on(self, phase: Phase, round_: Round) -> bool:
        """Advance by one step; False if the step under way still waits."""
        assert self._last is not None
        if not round_.opened and may_open(round_):
            open_step(round_)
            if round_.marks or round_.to_bury:
                at_step(round_)
            if round_.doing == "offer-hand":
                offer_hand(round_, self._last)
        if round_.marks:
            before_last(round_, self._last)
        if round_.plan.assign is not None:
            assign_hands(round_, self._last)
        if self._plan.runs_out is not None and not round_.house_wrong:
            look_ahead(round_, self._last)
        over = False
        if phase.state is not _REVEALING or not GUARDS["step_reveals"].holds(round_):
            waiting = WAITING[round_.doing]
            if waiting is not None and GUARDS[waiting].holds(round_) and phase.end_step():
                if round_.late:
                    judge_late(round_, self._last)
                next_step(round_)
                over = True
            elif not round_.house_wrong and self._shown_at != (stands := (round_.at, round_.card_owed)):
                # the rows of `begin_step` depend only on the step and on whether a card is owed
                was = phase.state
                phase.begin_step()
                self._shown_at = stands
                over = was is _REVEALING and phase.state is not was  # play returned to a step, which may be over, too
        if round_.incidents:
            self._judge()
        return over

    def _close(self, out: list[RoundResult | Incident]) -> None:
        phase = self._phase
        round_ = phase.round_
        if self._lines.attested:
            assert self._last is not None, "something ends it"
            self._lines.doubt_at_end(round_, self._last)
        if round_.incidents:
            self._flush(out)
        if round_.shoes is not None:
            handle_shoe.close(round_)
        result = result_of(round_, self._table, self._lines.firmware() if self._lines.attested else ())
        out.append(result)
        self.origins.append(self._lines.origin(round_))
        self.closed.append(round_)
        if round_.incidents:
            self._judge()
        ended = phase.end_game()
        assert ended, "a round ends in a state from which END GAME leads to the next"
        button = round_.first if self._plan.button is not None and result.outcome == "complete" else None
        self._next_round()
        following = phase.round_
        following.button_was, following.red_lamp = button, round_.red_lamp
        self._lines.patient = False
        if not self._held and round_.started_by[0] not in self._lines.gaps:  # gaps are closed later, in `_ended`
            self._at_rest(coming(following))

    def _next_round(self) -> None:
        self._round = self._open()
        self._reported, self._shown_at = 0, (0, True)

    def _new_shoes(self) -> Shoes | None:
        plan = self._plan
        return Shoes(plan.decks, plan.faces, self._least_confidence) if plan.from_shoe else None

    def _open(self) -> Round:
        draw = Draw(self._plan.shoe) if self._plan.shoe else None
        return Round(self._plan, Ledger(self._plan), self._decks, self._shoes, draw)

    def _flush(self, out: list[RoundResult | Incident]) -> None:
        found = self._phase.round_.incidents
        out += found[self._reported :]
        self._reported = len(found)

    # ------------------------------------------------------------------ reports set aside

    def _waits(self, seen: Seen) -> bool:
        """Return True if this report must be set aside: it is out of turn, or follows one of its line that is."""
        if type(seen.body) not in HANDLERS:
            return False
        if any(held.device == seen.device for held in self._held):
            return True
        return self._phase.state not in LOOSE and self._out_of_turn(seen)

    def _out_of_turn(self, seen: Seen) -> bool:
        if ends_by(self._round, seen.body):
            return waits_for_cards(self._round, seen.body)
        found = violation(self._phase.state, self._round, seen.body)
        return burned_ahead(self._round, seen.body) if found is None else found.code in _MAY_FIT_LATER

    def _retry(self, out: list[RoundResult | Incident]) -> None:
        """Take the reports set aside that fit now, each line in its order."""
        moved = True
        while moved and self._held:
            moved = False
            blocked: set[str] = set()
            for held in list(self._held):
                if held.device not in blocked and not self._out_of_turn(held):
                    self._held.remove(held)
                    self._take(held, out)
                    moved = True
                else:
                    blocked.add(held.device)

    def _release(self, out: list[RoundResult | Incident]) -> None:
        """Take everything that was set aside as it is, since waiting is over."""
        self._lines.patient = False
        while self._held:
            self._take(self._held.popleft(), out)
