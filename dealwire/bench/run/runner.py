"""Runner of a plan: each check in turn, each from a known state, whatever the one before left behind."""

import contextlib
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from msgspec.structs import replace

from dealwire.bench.hands.operator import Operator
from dealwire.bench.hands.profiles import PROFILES
from dealwire.bench.plan.plan import BenchPlan, Check, DialectPlan, RuleEntry, packaged_plan
from dealwire.bench.record import BenchOutcome, CheckRecord, Failed, NotOpened, NotRun, NotRunCause, RunEnded
from dealwire.bench.report.about import plan_facts
from dealwire.bench.report.report import PlanFacts, RunOptions, only_words
from dealwire.bench.rules import ALL_RULES
from dealwire.bench.rules.rule import BenchRule
from dealwire.bench.values import BadValue, events_of
from dealwire.bench.verbs.context import AnyCheckContext, CheckContext
from dealwire.bench.verbs.dialect import DialectCheckContext
from dealwire.bench.verbs.dialect_probes import PROBES
from dealwire.bench.verbs.probe import MS, Listener, Probe
from dealwire.bench.verbs.wire import Wire
from devices.attestation import Maker
from devices.clock import SystemClock
from protocol.errors import LineClosed, NoAnswer, WrongDevice
from protocol.tdp.messages import Capability, DeviceClass, HelloReplyMessage

TRIES: Final = 3
"""Number of attempts at a check that fails while this machine is too busy."""
DOUBT_MS: Final = 20
"""Milliseconds of the bench's own delay above which a failure is repeated: less than half of the protocol's shortest
time."""
MINUTE_NS: Final = 60_000 * MS
LATE: Final = "this machine was late"


@dataclass(frozen=True, slots=True)
class BenchChoices:
    """Choices of the command line for a run: the checks (`only`, patterns of ids), the rounds of the soak, the seed,
    the image. The others are kept for the report; they were applied to the line, the operator and the clock."""

    only: Sequence[str] = ()
    rounds: int | None = None
    seed: int = 1
    unattended: bool = False
    real_time: bool = False
    speed: float = 1.0
    strict: bool = False
    allowance_ms: int | None = None
    """Milliseconds that a real line and this machine may add to every limit; None for the plan's value."""
    image: bytes | None = None
    """Firmware image from the maker, or None."""
    makers: tuple[Maker, ...] = ()
    """Keys of makers who may certify the device."""
    limit_min: float | None = None
    """Minutes of real time after which the run ends, or None."""

    @property
    def as_options(self) -> RunOptions:
        """Options as a report holds them."""
        return RunOptions(
            tuple(self.only), self.rounds, self.seed, self.unattended, self.real_time, self.speed, self.strict
        )

    def takes(self, name: str) -> bool:
        """Return True if this check is selected."""
        return not self.only or any(fnmatchcase(name, pattern) for pattern in self.only)


@dataclass(slots=True)
class BenchRun:
    """Run of a plan: subject, choices, and the result of every check. `began_ns` and `ended_ns` are real time; the
    times in a check are those of its wire."""

    plan: PlanFacts
    address: str
    hands: Operator
    choices: BenchChoices
    allowance_ms: int
    hello: HelloReplyMessage | None
    """HELLO of the device; None if it uses another dialect."""
    began_ns: int
    ended_ns: int = 0
    results: list[CheckRecord] = field(default_factory=list)
    unseen: tuple[str, ...] | None = None
    """Events of its class that the device never sent; None if the plan is for any class or another dialect."""
    ended_early: str = ""
    """Reason that the run ended before its last check: `SIGTERM`, `--limit 30`."""
    ended_by: BaseException | None = None
    """Exception that interrupted the run, to be raised again after the report is written."""

    def of(self, outcome: BenchOutcome) -> list[CheckRecord]:
        """Return the checks with this outcome."""
        return [result for result in self.results if result.outcome is outcome]


Watching = Callable[[int, int, str], None]
"""Callback before each check: its number, the number of checks to run, its id."""


def run_plan(
    plan: BenchPlan,
    wire: Wire,
    make_hands: Callable[[Listener], Operator],
    choices: BenchChoices = BenchChoices(),
    watching: Watching = lambda _number, _of, _name: None,
    device: str = "any",
    interruptions: Mapping[type[BaseException], str] = {},
) -> BenchRun:
    """Run every check of `plan` on `wire` that `choices` select; the others are *not run*.

    Raise NoAnswer if nothing answers the first HELLO, WrongDevice if the device is not the one that the plan or
    `device` requires. If the line is lost for good, the remaining checks are not run. `interruptions` are exceptions
    that end the run, each with a name for the report: the current check and those after it are not run, and the run so
    far is returned.
    """
    allowance_ms = 0 if wire.exact else plan.allowance_ms if choices.allowance_ms is None else choices.allowance_ms
    choices = choices if choices.image is not None else dataclasses.replace(choices, image=wire.image)
    clock = SystemClock()
    began_ns = clock.now_ns()
    context, hello = _stand(plan, wire, make_hands, choices, allowance_ms, device)
    context.probe.contact_ns += context.hands.patience_ms * MS
    context.probe.ended = _limit(choices, began_ns, clock)
    run = BenchRun(plan_facts(plan), wire.name, context.hands, choices, allowance_ms, hello, began_ns)
    if isinstance(plan, DialectPlan):
        with contextlib.suppress(NotRun):  # then nor is any check that needs hands
            for step in plan.begin:
                step(context)
    try:
        _run_checks(context, plan, run, watching)
    except RunEnded as ended:
        run.ended_early = str(ended)
    except tuple(interruptions) as interruption:
        run.ended_early, run.ended_by = interruptions[type(interruption)], interruption
    _not_reached(plan, run)
    for entry in plan.rule:
        result = blank(entry)
        taken = choices.takes(entry.id)
        run.results.append(judged(result, context.probe.rules[entry.rule]) if taken else filtered(result, choices))
    run.results += _left_out(run.plan)
    if isinstance(context, CheckContext) and plan.device != "any":
        run.unseen = tuple(name for name in events_of(context.profile.number) if name not in context.probe.seen)
    run.ended_ns = clock.now_ns()
    return run


def _stand(
    plan: BenchPlan,
    wire: Wire,
    make_hands: Callable[[Listener], Operator],
    choices: BenchChoices,
    allowance_ms: int,
    device: str,
) -> tuple[AnyCheckContext, HelloReplyMessage | None]:
    """Return the check context for a device that has answered. A device of another dialect cannot identify itself."""
    if isinstance(plan, DialectPlan):
        listening = PROBES[plan.id](wire)
        return DialectCheckContext(listening, make_hands(listening)), None
    rules = {entry.rule: ALL_RULES[entry.rule]() for entry in plan.rule}
    probe = Probe(wire, rules, allowance_ms=allowance_ms, role=plan.granted)
    hello = probe.meet()
    profile = PROFILES[_device(plan.device if plan.device != "any" else device, hello.device_class)]
    given = choices.rounds, choices.seed, choices.image, choices.makers
    return CheckContext(probe, make_hands(probe), profile, *given), hello


def _limit(choices: BenchChoices, began_ns: int, clock: SystemClock) -> Callable[[], str]:
    """Return a function that gives the reason the run is over, empty while it is not."""
    if choices.limit_min is None:
        return lambda: ""
    end_ns, words = began_ns + int(choices.limit_min * MINUTE_NS), f"--limit {choices.limit_min:g}"
    return lambda: words if clock.now_ns() >= end_ns else ""


def _not_reached(plan: BenchPlan, run: BenchRun) -> None:
    """Add the checks that a run did not reach; the first of them was interrupted."""
    why = f"the run was ended by {run.ended_early} before this check"
    for check in plan.check[len(run.results) :]:
        result = blank(check).not_run(NotRunCause.ENDED, why)
        run.results.append(result if run.choices.takes(check.id) else filtered(blank(check), run.choices))


def _run_checks(context: AnyCheckContext, plan: BenchPlan, run: BenchRun, watching: Watching) -> None:
    number, wire = 0, context.probe.wire
    of = sum(map(run.choices.takes, plan.ids))
    gone = ""
    for check in plan.check:
        if not run.choices.takes(check.id):
            run.results.append(filtered(blank(check), run.choices))
            continue
        number += 1
        watching(number, of, check.id)
        result = _run_fairly(context, check, gone)
        failed = result.outcome is BenchOutcome.FAILED
        if failed and not gone and not wire.reopen(wire.now_ns() + context.probe.contact_ns):
            gone = result.why
        run.results.append(result)


def blank(entry: Check | RuleEntry) -> CheckRecord:
    """Return the record of a plan's entry before it is run."""
    words = entry.id, entry.title, entry.area, entry.section, entry.must
    return CheckRecord(*words, BenchOutcome.PASSED, None, "", 0.0, 0.0, (), (), ())


def filtered(result: CheckRecord, choices: BenchChoices) -> CheckRecord:
    """Return a check that the choices exclude."""
    return result.not_run(NotRunCause.FILTERED, f"filtered by {only_words(choices.only)}")


def _left_out(facts: PlanFacts) -> list[CheckRecord]:
    """Return the checks of the included plan with the same id that this plan leaves out, since a reader who knows the
    id expects them."""
    if not facts.left_out:
        return []
    packaged = packaged_plan(facts.id)
    why = f"left out of this plan, but in the included plan {facts.id!r}"
    missing = [entry for entry in packaged.entries if entry.id in facts.left_out]
    return [blank(entry).not_run(NotRunCause.LEFT_OUT, why) for entry in missing]


def judged(result: CheckRecord, rule: BenchRule) -> CheckRecord:
    """Return the result of a rule over the whole run."""
    if rule.broken:
        why = f"{rule.broken} of {rule.seen}: {'; '.join(rule.breaches)}"
        return replace(result, outcome=BenchOutcome.FAILED, why=why)
    if not rule.seen:
        return result.not_run(NotRunCause.UNSEEN, "nothing arrived that it applies to")
    return replace(result, notes=(f"checked {rule.seen} times",))


def _device(wanted: str, number: int) -> str:
    """Return the profile of the device that answered. Raise WrongDevice if another one is required."""
    names = {int(profile.number): name for name, profile in PROFILES.items()}
    if wanted == "any":
        if number not in names:
            raise WrongDevice(" or a ".join(names.values()), f"device of class {number}")
        return names[number]
    if number not in (PROFILES[wanted].number, DeviceClass.EMULATOR):
        raise WrongDevice(wanted, names.get(number, f"device of class {number}"))
    return wanted


def _run_fairly(context: AnyCheckContext, check: Check, gone: str) -> CheckRecord:
    """Run one check, and repeat it if it failed while this machine was busy."""
    result, tries = _run(context, check, gone), 1
    first_why = result.why
    while _in_doubt(result, DOUBT_MS) and tries < TRIES and not context.hands.patience_ms:
        result, tries = _run(context, check, gone), tries + 1
    if tries > 1:
        notes = [f"run {tries} times, because {LATE}"]
        if result.outcome is BenchOutcome.FAILED and result.why != first_why:
            # what the first making left behind may be all that the last one stumbled over
            notes.append(f"first attempt: {first_why}")
        result = replace(result, notes=(*result.notes, *notes))
    if not _in_doubt(result, max(context.allowance_ms, DOUBT_MS)):
        return result
    why = f"{LATE} by {result.late_ms:.0f} ms, too busy to test a device: {result.why}"
    return result.not_run(NotRunCause.LATE, why)


def _in_doubt(result: CheckRecord, late_ms: float) -> bool:
    """Return True if the check failed while this program was later than `late_ms`."""
    return result.outcome is BenchOutcome.FAILED and result.late_ms > late_ms


def _run(context: AnyCheckContext, check: Check, gone: str) -> CheckRecord:
    """Run one check. `gone` is the reason that the line is lost for good, or empty."""
    result = blank(check)
    if gone:
        return result.not_run(NotRunCause.LINE_GONE, f"the line is gone: {gone}")
    probe, wire = context.probe, context.probe.wire
    began_ns = wire.now_ns()
    probe.timeline.take(began_ns)
    probe.limit_ns = began_ns + check.limit_s * 1000 * MS if check.limit_s else None
    context.begin(check.id)
    try:
        _check_needs(context, check)
        context.set_out(check.role, check.prepare)
        wire.own_delay_ms()
        began_ns = wire.now_ns()
        # the report says how the device was brought there only if it did not get there
        probe.timeline.take(began_ns)
        for step in check.steps:
            step(context)
    except NotRun as reason:
        result = result.not_run(reason.cause, str(reason))
    except BadValue as reason:  # a plan for any device may ask what another kind says
        result = result.not_run(NotRunCause.NOT_OFFERED, str(reason))
    except (Failed, NoAnswer, LineClosed) as failed:
        result = replace(result, outcome=BenchOutcome.FAILED, why=str(failed))
        if isinstance(failed, NotOpened):
            result = _fails_once(context, result)
        if isinstance(failed, LineClosed):
            probe.started_over(off=False)
        context.put_right()
    ended_ns = wire.now_ns()
    return replace(
        result,
        duration_ms=round((ended_ns - began_ns) / MS, 3),
        late_ms=round(wire.own_delay_ms(), 3),
        measures=tuple(measure.record for measure in context.measures),
        notes=tuple(context.notes),
        timeline=probe.timeline.take(ended_ns),
    )


def _fails_once(context: AnyCheckContext, result: CheckRecord) -> CheckRecord:
    """Report a session that does not open as a failure once; later checks are not run for the same reason."""
    first = context.unopened.setdefault(result.why, result.id)
    return result if first == result.id else result.not_run(NotRunCause.NO_SESSION, f"same as {first}: {result.why}")


def _check_needs(context: AnyCheckContext, check: Check) -> None:
    for name in check.needs:
        if not context.capabilities & Capability[name]:
            raise NotRun(f"the device has no {name}", NotRunCause.NOT_OFFERED)
    speaks = context.version
    if speaks is not None and speaks < tuple(map(int, check.since.split("."))):
        spoken = ".".join(map(str, speaks))
        raise NotRun(
            f"the device supports {spoken}; the requirement was added in {check.since}", NotRunCause.NOT_OFFERED
        )
    # what hands have to do is known beforehand: no check is left half done
    for step in check.steps:
        for action, fields in step.needs:
            context.hands.ready_for(action, fields)
