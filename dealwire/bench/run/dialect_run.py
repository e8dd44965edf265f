"""Runs a plan for a shoe of another dialect, and makes the same report of it as of any other run."""

import contextlib
from collections.abc import Callable
from typing import Final

from dealwire.bench.hands.hands import OFF_MS, Hands, SimulatedHands
from dealwire.bench.plan.dialect_plan import DialectEntry, DialectPlan, DialectStep
from dealwire.bench.record import Actor, BenchOutcome, Failed, NotRun, Result
from dealwire.bench.report.report import DeviceFacts, PlanFacts, PlanOrigin, ProtocolFacts, Report
from dealwire.bench.run.dialect_probe import PROBES, AngelEyeProbe, DialectProbe, HeardPiece, mode_of
from dealwire.bench.run.reporting import ReportHead, assembled
from dealwire.bench.run.runner import BenchChoices, blank, filtered, judged
from dealwire.bench.verbs.probe import MS
from dealwire.bench.verbs.wire import Wire
from devices.clock import SystemClock
from protocol.angel_eye.messages import AcknowledgedMessage, LockMovedMessage, RejectedMessage
from protocol.errors import LineClosed, LocalError

ANSWER_MS: Final = 1_000
"""How long an answer to a command may take: as long as a host waits before it tries again."""
BREACHES_MAX: Final = 5
"""Breaches of a rule told in full."""
ANSWERS: Final = (AcknowledgedMessage, RejectedMessage)
ASIDE: Final = frozenset({"StandingBy"})
"""Reports of a state, which may stand between others."""


MakeHands = Callable[[DialectProbe], Hands]
"""Who stands at the shoe whose line this is."""


class DialectRun:
    """One shoe under judgement."""

    def __init__(self, plan: DialectPlan, wire: Wire, make_hands: MakeHands, choices: BenchChoices) -> None:
        self.plan, self.choices = plan, choices
        self.probe: DialectProbe = PROBES[plan.id](wire)
        self.hands = make_hands(self.probe)
        self._acting = False
        """Hands did something last: what follows at once belongs to it."""

    def results(self, watching: Callable[[int, int, str], None] = lambda *_: None) -> list[Result]:
        """Every check and rule of the plan, in its order."""
        found = []
        with contextlib.suppress(NotRun):  # then nor is any check that needs hands
            for step in self.plan.begin:
                self._do(step)
        for number, check in enumerate(self.plan.check, start=1):
            if not self.choices.takes(check.id):
                found.append(filtered(blank(check), self.choices))
                continue
            watching(number, len(self.plan.check), check.id)
            found.append(self._make(check, blank(check)))
        return [*found, *(self._rule(entry) for entry in self.plan.rule)]

    def _rule(self, entry: DialectEntry) -> Result:
        if not self.choices.takes(entry.id):
            return filtered(blank(entry), self.choices)
        wrong = self.probe.wrong[entry.id]
        return judged(blank(entry), len(wrong), self.probe.seen[entry.id], wrong[:BREACHES_MAX])

    def _make(self, check: DialectEntry, result: Result) -> Result:
        probe, wire = self.probe, self.probe.wire
        probe.acks = True
        probe.listen(100)
        probe.heard.clear()
        probe.look_from_here()
        probe.timeline.take()
        wire.own_delay_ms()
        result.began_ns = wire.now_ns()
        try:
            for step in check.steps:
                if step.do:
                    self.hands.ready_for(step.do, step.fields)
            for step in check.steps:
                self._do(step)
        except NotRun as reason:
            result.not_run(reason.cause, str(reason))
        except (Failed, LineClosed) as failed:
            result.outcome, result.why = BenchOutcome.FAILED, str(failed)
            self._put_right()
        result.ended_ns, result.late_ms = wire.now_ns(), wire.own_delay_ms()
        result.timeline = probe.timeline.take()
        return result

    def _put_right(self) -> None:
        """What a check that failed left behind is no fault of the next one."""
        if isinstance(self.hands, SimulatedHands):
            for act, fields in (("clear-error", {}), ("lock-key", {"locked": 0})):
                with contextlib.suppress(Failed, NotRun, LocalError):
                    self.hands.act(act, fields)
            self.probe.acks = True
            self.probe.listen(2_000)

    # ------------------------------------------------------------------ steps

    def _do(self, step: DialectStep) -> None:
        probe = self.probe
        if step.do:
            self._act(step)
            self._acting = True
            return
        self._acting = False
        if step.power:
            self._cycle()
        elif step.wait is not None:
            probe.listen(step.wait)
            probe.look_from_here()
        elif step.acks is not None:
            probe.acks = step.acks
        elif step.say:
            probe.look_from_here()
            probe.say(bytes.fromhex(step.say), f"{len(step.say.split())} bytes that mean nothing", bad=True)
        elif step.command:
            assert isinstance(probe, AngelEyeProbe)
            probe.look_from_here()
            probe.command(step.command, step.damage)
        elif step.answer:
            self._answer(step.answer)
        else:
            self._look(step)

    def _act(self, step: DialectStep) -> None:
        for turn in range(step.repeat):
            if not turn and not self._acting:
                self.probe.look_from_here()
            text = self.hands.act(step.do, step.fields)
            self.probe.timeline.add(self.probe.wire.now_ns(), Actor.HANDS, text)
            self.probe.listen(20)

    def _cycle(self) -> None:
        probe = self.probe
        self.hands.power(False)
        with contextlib.suppress(LineClosed):
            probe.listen(OFF_MS)
        probe.look_from_here()
        probe.started_over()
        self.hands.power(True)
        if not probe.wire.reopen(probe.wire.now_ns() + (5_000 + self.hands.patience_ms) * MS):
            raise Failed("the line did not come back with the power")

    def _answer(self, wanted: str) -> None:
        probe = self.probe
        came: list[HeardPiece] = []

        def answered() -> bool:
            came[:] = [one for one in probe.heard[probe.mark :] if isinstance(one.message, ANSWERS)]
            return bool(came)

        probe.listen(ANSWER_MS, answered)
        message = came[0].message if came else None
        answer = "no answer" if message is None else "ACK" if isinstance(message, AcknowledgedMessage) else "NAK"
        fine = {"done": answer == "ACK", "refused": answer == "NAK", "not done": answer != "ACK"}[wanted]
        if not fine:
            words = {"done": "an ACK", "refused": "a NAK with its reason", "not done": "no ACK"}[wanted]
            raise Failed(f"the command should have brought {words} within {ANSWER_MS} ms; came: {answer}")

    def _look(self, step: DialectStep) -> None:
        probe = self.probe
        if step.heard:
            patience_ms = step.within + self.hands.patience_ms
            probe.listen(patience_ms, lambda: len(self._reports()) >= len(step.heard))
            probe.listen(100)
            self._compare(step)
        elif step.count is not None:
            probe.listen(step.during)
            found = sum(one.name == step.of for one in probe.heard[probe.mark :])
            if found != step.count:
                raise Failed(f"{step.of} came {found} times, not {step.count}")
        else:
            start = len(probe.heard)
            probe.listen(step.during if step.quiet is None else step.quiet)
            came = [one.name for one in probe.heard[start:] if step.quiet is not None or one.name == step.never]
            if came:
                raise Failed(f"{came[0]} came, which was not to come")

    def _reports(self) -> list[HeardPiece]:
        """What was reported since the last thing done, each once."""
        came = [one for one in self.probe.heard[self.probe.mark :] if not isinstance(one.message, ANSWERS)]
        return [one for one in came if not one.again and one.name not in ASIDE]

    def _compare(self, step: DialectStep) -> None:
        came = self._reports()
        fits = len(came) >= len(step.heard) and all(
            one.name in wanted.split("|") for one, wanted in zip(came, step.heard, strict=False)
        )
        if not fits:
            names = ", ".join(one.name for one in came) or "nothing"
            raise Failed(f"{', '.join(step.heard)} should have come within {step.within} ms; came: {names}")
        turned = next((one.message for one in came if isinstance(one.message, LockMovedMessage)), None)
        if step.locked is not None and turned is not None and turned.locked is not step.locked:
            raise Failed(f"LockMoved says {'locked' if turned.locked else 'unlocked'}, and it was the other way")
        other = next((one for one in came if step.mode and mode_of(one.message) != step.mode), None)
        if other is not None:
            raise Failed(f"{other.name} stands in the mode {mode_of(other.message)!r}, not {step.mode!r}")


# ------------------------------------------------------------------ the report


def report_of_shoe(
    run: DialectRun, head: ReportHead, watching: Callable[[int, int, str], None] = lambda *_: None
) -> Report:
    """Make every check that the choices take, and report."""
    plan, clock = run.plan, SystemClock()
    began_ns = clock.now_ns()
    results = run.results(watching)
    return assembled(
        dialect_plan_facts(plan), ProtocolFacts(plan.id, "", "", "", ""),
        DeviceFacts("shoe", "", "", "", "", "", (), 0, 0, 0), run.probe.wire.name, run.hands.whose, run.choices, 0,
        head, results, began_ns, clock.now_ns(),
    )  # fmt: skip


def dialect_plan_facts(plan: DialectPlan) -> PlanFacts:
    """The plan, which always is the one that comes with the program."""
    return PlanFacts(
        plan.id, plan.title, "shoe", "OBSERVE" if plan.id == "bee-tek" else "OPERATE", 0, PlanOrigin.PACKAGED,
        plan.sha256, (plan.file,), len(plan.ids), (), (),
    )  # fmt: skip
