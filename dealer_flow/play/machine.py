"""`DealerFlow`: reports of the table's devices in, incidents and `RoundResult`s out.

Every report takes the same way: is it in order (`order`), what does it do (`reports`), and does the round stand
elsewhere now (`_advance`). The state machine of the `transitions` library lives in this file only. It is flat and
synchronous; a trigger is fired after the check, never to find out whether it may be.

Reports of two lines are ordered by their arrival. While a line was silent in this round, its reports may come after
those of the other line that answer to them; so from the moment a line is lost, a report that is out of turn is set
aside and tried again after each report of another line, until it fits or the round cannot wait any longer. Within a
line the order is never changed.
"""

import logging
from collections import deque
from collections.abc import Callable, Mapping
from typing import Final

from transitions import Machine

import devices.events as e
from dealer_flow.play import handle_shoe as shoe_reports
from dealer_flow.play.handle_shuffler import HANDLERS
from dealer_flow.play.legal import legal
from dealer_flow.play.legal_item import Legal
from dealer_flow.play.offered import appoint
from dealer_flow.play.order import violation
from dealer_flow.play.order_shoe import draw_done
from dealer_flow.play.publish import result_of
from dealer_flow.play.runs_out import look_ahead
from dealer_flow.play.sessions import Lines
from dealer_flow.play.snapshot import Snapshot, snapshot
from dealer_flow.play.states import BEGIN, KEEPS, LOOSE, STEP_STATES, TRANSITIONS, State
from dealer_flow.play.steps import (
    deal_on,
    done,
    end_step,
    ends_by,
    follow,
    may_open,
    next_step,
    open_step,
    waits_for_cards,
)
from dealer_flow.play.violation import Violation, clause_of
from dealer_flow.procedure.load import Procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.record.incidents import Incident, at
from dealer_flow.record.result import RoundResult
from dealer_flow.table.columns import Draw
from dealer_flow.table.decks import Decks
from dealer_flow.table.ledger import Ledger
from dealer_flow.table.round import Round
from dealer_flow.table.shoe import ShoeLedger, Shoes
from devices.events import Seen
from protocol.places import NOWHERE

HELD_MAX: Final = 256
"""Reports set aside at most; when more come, all are taken as they are."""

_MAY_FIT_LATER: Final = frozenset({"out-of-turn", "reveal-before-burn", "unknown-seat", "draw-before-close"})


# It warns of every convenience method that a declared model leaves out, which is what declaring is for.
logging.getLogger("transitions.core").setLevel(logging.ERROR)


class Phase:
    """The model of the state machine: its state, and the triggers that `transitions` puts in."""

    state: State

    def __init__(self) -> None:
        Machine(
            self,
            states=State,
            initial=State.BETTING,
            transitions=[
                {"trigger": row.trigger, "source": list(row.sources), "dest": row.dest} for row in TRANSITIONS
            ],
            model_override=True,
            queued=True,
            auto_transitions=False,
            send_event=False,
        )

    def start_game(self) -> bool:  # type: ignore[empty-body]
        """START GAME closed the bets."""

    def begin_deal(self) -> bool:  # type: ignore[empty-body]
        """Further cards go out."""

    def begin_burn(self) -> bool:  # type: ignore[empty-body]
        """Cards of a packet are burned."""

    def begin_decisions(self) -> bool:  # type: ignore[empty-body]
        """The players may look."""

    def begin_exchange(self) -> bool:  # type: ignore[empty-body]
        """Discards are replaced."""

    def begin_show(self) -> bool:  # type: ignore[empty-body]
        """Cards are turned face up."""

    def begin_reveal(self) -> bool:  # type: ignore[empty-body]
        """Every step before is done."""

    def start_draw(self) -> bool:  # type: ignore[empty-body]
        """START GAME closed the bets of a game drawn from a shoe."""

    def ask_person(self) -> bool:  # type: ignore[empty-body]
        """A card was not read."""

    def go_on(self) -> bool:  # type: ignore[empty-body]
        """It was named."""

    def begin_extra(self) -> bool:  # type: ignore[empty-body]
        """No column decided."""

    def begin_settle(self) -> bool:  # type: ignore[empty-body]
        """It is decided."""

    def play_progressive(self) -> bool:  # type: ignore[empty-body]
        """The table has a misdeal and plays on for the progressive."""

    def void_round(self) -> bool:  # type: ignore[empty-body]
        """The bets go back."""

    def halt(self) -> bool:  # type: ignore[empty-body]
        """A person decides."""

    def end_game(self) -> bool:  # type: ignore[empty-body]
        """END GAME."""


class DealerFlow:
    """One table's rounds, one after the other. ProcedureError when an option is not the procedure's."""

    def __init__(
        self, procedure: Procedure, *, table: str = "table-1", options: Mapping[str, str] | None = None
    ) -> None:
        self._plan = Plan(procedure, options or {})
        self._table = table
        self._phase = Phase()
        self._begin: dict[State, Callable[[], bool]] = {
            stage: getattr(self._phase, trigger) for stage, trigger in BEGIN.items()
        }
        self._decks = Decks()
        self._shoes = Shoes(self._plan.decks, self._plan.faces) if self._plan.from_shoe else None
        self._round = self._open()
        self._reported = 0
        self._lines = Lines()
        self._last: Seen | None = None
        self._held: deque[Seen] = deque()

    @property
    def state(self) -> State:
        """Where the round stands."""
        return self._phase.state

    @property
    def procedure(self) -> Procedure:
        """The procedure that is followed."""
        return self._plan.procedure

    @property
    def plan(self) -> Plan:
        """The procedure with its options chosen."""
        return self._plan

    @property
    def table(self) -> str:
        """The table's name."""
        return self._table

    @property
    def decks(self) -> Decks:
        """What is remembered of the decks."""
        return self._decks

    @property
    def at_rest(self) -> bool:
        """Nothing is known of a round, and nothing waits: the next one may be judged by somebody else."""
        waits = bool(self._held) or self._lines.patient
        return self._phase.state is State.BETTING and not waits and self._round == self._open()

    def concerns(self, body: type[e.Body]) -> bool:
        """False for reports that change nothing."""
        return body in HANDLERS or self._lines.concerns(body)

    @property
    def shoe(self) -> ShoeLedger | None:
        """The bookkeeping of the shoe on the table; None before its first report, and in games without one."""
        return self._shoes.current if self._shoes else None

    def legal(self) -> tuple[Legal, ...]:
        """What may happen next: who, what, where. Never empty."""
        return legal(self._phase.state, self._round)

    @property
    def deals_face_up(self) -> bool:
        """True when the next card out of the device lies open as it is dealt."""
        if self._round.draw is not None:
            return True
        due = self._round.next_due
        steps = {step.name: step for step in self._plan.steps}
        return due is not None and getattr(steps[due.step], "face", "down") == "up"

    def snapshot(self) -> Snapshot:
        """The table at this moment, with the faces that were shown and no other."""
        return snapshot(self._phase.state, self._round)

    def handle(self, seen: Seen) -> list[RoundResult | Incident]:
        """Take one report. Incidents come out as they are found, the result when the round ends."""
        self._last = seen
        out: list[RoundResult | Incident] = []
        if not self.concerns(seen.body.__class__):
            self._lines.meet(self._round, seen)
        else:
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
        """The input ended: a round that is under way comes out as unreliable. Another input may follow: nothing of
        this one is carried over."""
        out: list[RoundResult | Incident] = []
        self._release(out)
        if self._round.in_play and self._last is not None:
            self._round.report(Incident(code="recording-ended", clause="procedure", unreliable=True), self._last)
            self._close(out)
        self._decks = Decks()
        self._lines = Lines()
        self._round, self._reported = self._open(), 0
        return [item for item in out if isinstance(item, RoundResult)]

    # ------------------------------------------------------------------ one report

    def _take(self, seen: Seen, out: list[RoundResult | Incident]) -> None:
        round_, body, kind = self._round, seen.body, type(seen.body)
        self._lines.meet(round_, seen)
        handler = HANDLERS.get(kind)
        if handler is None:
            self._lines.take(round_, seen)
        else:
            round_.devices.add(seen.device)
            if self._pass_over(body):
                self._flush(out)
                return
            found = violation(self._phase.state, round_, body)
            if found is not None:
                self._accuse(found, seen)
                if kind is e.GameStarted and round_.in_play:
                    self._close(out)
                    round_ = self._round
                elif not found.take:
                    self._flush(out)
                    self._advance()
                    return
            handler(round_, seen, body)
            if kind is e.GameStarted:
                if round_.draw is not None:
                    self._phase.start_draw()
                else:
                    self._phase.start_game()
            elif kind is e.GameEnded:
                self._close(out)
                return
        self._advance()
        self._flush(out)

    def _watch(self, seen: Seen, out: list[RoundResult | Incident]) -> None:
        """Ask for the count of the deck when it is due."""
        every = self._plan.count_every
        if every is not None and self._decks.watch(seen.at_ns, every.minutes):
            self._round.report(Incident(code="deck-count-due", clause=every.clause, minutes=every.minutes), seen)
            self._flush(out)

    def _accuse(self, found: Violation, seen: Seen) -> None:
        allowed = dict.fromkeys(item.event for item in self.legal()) if found.code == "out-of-turn" else {}
        incident = Incident(
            code=found.code,
            clause=clause_of(found, self._plan),
            reason="out-of-order",
            place=at(found.place or NOWHERE),
            unreliable=found.harmful,
            report=type(seen.body).__name__,
            allowed=tuple(allowed),
            detail=found.why,
        )
        self._round.report(incident, seen)

    def _pass_over(self, body: e.Body) -> bool:
        """A step that ends by the report of a later one is over. CONFIRM ends one, and is used up: True."""
        round_, ended = self._round, False
        while (
            not ended
            and self._phase.state not in LOOSE
            and round_.in_play
            and not round_.rulings
            and ends_by(round_, body)
        ):
            end_step(round_)
            self._advance()
            ended = isinstance(body, e.Confirmed)
        return ended and not round_.by_hand

    def _advance(self) -> None:
        """Go where the round now stands, past stages whose work is already done."""
        round_, phase = self._round, self._phase
        state = phase.state
        if state is State.BETTING:
            return
        if state is State.HALTED:
            pass
        elif round_.unreliable:
            phase.halt()
        elif state is State.VOID:
            pass
        elif round_.misdeal or round_.defective or (round_.house_wrong and not round_.for_progressive):
            phase.void_round()
        elif not round_.house_wrong:
            self._step()
            if round_.over:  # the deck ran out
                phase.void_round()
        elif state is not State.PROGRESSIVE and deal_on(round_):
            phase.play_progressive()
        if phase.state in LOOSE:
            follow(round_)

    def _step(self) -> None:
        """To the stage that is not yet done; a card that waits to be named comes before any."""
        if self._round.draw is not None:
            self._step_draw(self._round.draw)
            return
        assert self._last is not None
        round_, phase = self._round, self._phase
        while True:
            if not round_.opened and may_open(round_):
                open_step(round_)
                appoint(round_, self._last)
            look_ahead(round_, self._last)
            if not done(round_):
                break
            next_step(round_)
        step = round_.step
        assert step is not None
        state = State.DEALING if round_.next_due is not None and step.do not in KEEPS else STEP_STATES[step.do]
        if phase.state is not state:
            self._begin[state]()

    def _step_draw(self, draw: Draw) -> None:
        round_, phase = self._round, self._phase
        if draw.unread is not None:
            if phase.state is not State.NAMING:
                phase.ask_person()
            return
        if phase.state is State.NAMING:
            phase.go_on()
        stages = self._plan.draw_stages
        while draw_done(phase.state, round_, draw):
            self._begin[stages[stages.index(phase.state) + 1]]()

    def _close(self, out: list[RoundResult | Incident]) -> None:
        self._flush(out)
        shoe_reports.close(self._round)
        out.append(result_of(self._round, self._table))
        self._phase.end_game()
        self._round = self._open()
        self._reported = 0
        self._lines.patient = False

    def _open(self) -> Round:
        draw = Draw(self._plan.shoe) if self._plan.shoe else None
        return Round(self._plan, Ledger(self._plan), self._decks, self._shoes, draw)

    def _flush(self, out: list[RoundResult | Incident]) -> None:
        out += self._round.incidents[self._reported :]
        self._reported = len(self._round.incidents)

    # ------------------------------------------------------------------ reports set aside

    def _waits(self, seen: Seen) -> bool:
        """True when this report is to be set aside: it is out of turn, or follows one of its line that is."""
        if type(seen.body) not in HANDLERS:
            return False
        if any(held.device == seen.device for held in self._held):
            return True
        return self._phase.state not in LOOSE and self._out_of_turn(seen)

    def _out_of_turn(self, seen: Seen) -> bool:
        if ends_by(self._round, seen.body):
            return waits_for_cards(self._round, seen.body)
        found = violation(self._phase.state, self._round, seen.body)
        return found is not None and found.code in _MAY_FIT_LATER

    def _retry(self, out: list[RoundResult | Incident]) -> None:
        """Take what fits now, line by line, first come first."""
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
        """Waiting is over: what was set aside is taken as it is."""
        self._lines.patient = False
        while self._held:
            self._take(self._held.popleft(), out)
