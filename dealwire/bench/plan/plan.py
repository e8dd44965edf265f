"""Acceptance plans: TOML files that list checks step by step. See `docs/bench.md`.

A step is an inline table with one verb; the other keys belong to the verb.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import BeforeValidator, Field, InstanceOf, PrivateAttr, model_validator

from dealer_flow.record.base import Record
from dealer_flow.tomlfile import TOML_MAX_BYTES, fault_in, files_in, load, locate
from dealwire.bench.hands.profiles import PROFILES
from dealwire.bench.record import Area
from dealwire.bench.rules import ALL_RULES
from dealwire.bench.values import BadValue, Wanted, check_wanted, variables_in
from dealwire.bench.verbs import device as d
from dealwire.bench.verbs import events as e
from dealwire.bench.verbs import instruments as i
from dealwire.bench.verbs import line as p
from dealwire.bench.verbs.context import CheckContext
from dealwire.bench.verbs.device import Sweep
from dealwire.bench.verbs.dialect import DIALECT_VERBS
from dealwire.bench.verbs.dialect_probes import PROBES
from dealwire.bench.verbs.soak import Soak
from dealwire.bench.verbs.step import HandNeed, PlanStep, Prepared, Strict
from devices.files import read_file
from protocol.tdp.messages import Capability, Role
from protocol.tomlfile import Key

FOLDER: Final = Path(__file__).parent / "plans"
DIALECTS: Final = Path(__file__).parent / "dialect_plans"


ALWAYS_KNOWN: Final = ("session", "last", "acked", "request", "boots", "depth", "newest")
"""Variables that a step may use without saving them first."""


def _made(value: Any, verbs: Mapping[str, type[PlanStep]] | None = None) -> Any:
    """Convert a table to the step of its verb."""
    if not isinstance(value, dict):
        return value
    cls = _verb(value, verbs or VERBS)
    known = [str(part.alias or name) for name, part in cls.model_fields.items()]
    if unknown := [key for key in value if key not in known]:
        raise BadValue(f"unknown key {unknown[0]!r}; allowed: {', '.join(known)}")
    return cls.model_validate(value)


BenchStep = Annotated[InstanceOf[PlanStep], BeforeValidator(_made)]
DialectStep = Annotated[InstanceOf[PlanStep], BeforeValidator(lambda value: _made(value, DIALECT_VERBS))]


class Repeat(PlanStep):
    """`repeat`: run the steps this many times."""

    repeat: int = Field(ge=1, le=1000)
    steps: tuple[BenchStep, ...]
    """Steps to run, in order."""

    @property
    def needs(self) -> Sequence[HandNeed]:
        """Manual actions of its steps."""
        return [need for step in self.steps for need in step.needs]

    def _run(self, context: CheckContext) -> None:
        for _ in range(self.repeat):
            for step in self.steps:
                step(context)


VERBS: Final[dict[str, type[PlanStep]]] = {next(iter(cls.model_fields)): cls for cls in (
    p.Sending, p.Raw, p.Flips, p.Replying, p.Naking, p.Expecting, p.Never, p.Ordered, p.CountMessages,
    e.OldEvents, e.NoEvents, e.Again, e.Newest, e.CaughtUp, p.Greeting, e.AnyStatus, d.StateIs, p.WaitFor, p.Manners,
    p.SessionOpening, d.ActAtDevice, d.Faulting, d.Power, d.Cable, d.Reopen, d.Prepare, d.DealPackets, d.WrongPacket,
    d.Books, d.Poke,
    e.Operate, e.Foreign, e.LostHost, e.HostIsBack, e.HostStaysLost, d.Measuring,
    i.ReadMeters, i.MetersSince, i.Challenging, i.Attesting, p.Save, Sweep, Soak, Repeat,
)}  # fmt: skip
"""Steps by verb. Some names are also keys of other verbs: the first in this order is the verb."""


def _verb(table: Mapping[str, Any], verbs: Mapping[str, type[PlanStep]]) -> type[PlanStep]:
    verb = next((verb for verb in verbs if verb in table), None)
    if verb is None:
        raise BadValue(f"no verb; a step has one of {', '.join(verbs)}")
    return verbs[verb]


class Check(Strict):
    """Check: what it verifies (`section` of the protocol specification, `must` in plain words) and how."""

    id: str = Field(pattern=r"^[a-z0-9-]+\.[a-z0-9-]+$")
    """Id in the report and for `--only`."""
    title: str
    section: str
    """Section of the protocol specification that the check verifies, by its anchor."""
    area: Area = "conformance"
    """Heading of the check in the report."""
    must: str
    """Requirement in plain words."""
    role: Literal["OBSERVE", "OPERATE", "SERVICE", "none"] | None = None
    """Role in the first session; by default the plan's. `none`: the check opens the session itself, or does not."""
    needs: tuple[str, ...] = ()
    """Capabilities that the check needs; it does not apply to a device without them."""
    since: str = Field("1.0", pattern=r"^1\.[0-9]$")
    """Version of the protocol that introduced the requirement; the check does not apply to a device with an older one.
    """
    prepare: Prepared | None = None
    """State that the device is brought into first."""
    limit_s: int = Field(900, ge=0, le=86_400)
    """Maximum duration of the check in seconds, without manual steps; 0 for no limit."""
    steps: tuple[BenchStep, ...] = Field(min_length=1)
    """Steps to run, in order."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        for name in self.needs:
            if name not in Capability.__members__:
                raise BadValue(f"no such capability: {name!r}; allowed: {', '.join(Capability.__members__)}")
        dumped = [step.model_dump(serialize_as_any=True) for step in self.steps]
        saved = _saved(dumped) | set(ALWAYS_KNOWN)
        for unknown in sorted(variables_in(dumped) - saved):
            raise BadValue(f"nothing is saved as {unknown!r} in this check; allowed: {', '.join(sorted(saved))}")
        return self


def _saved(steps: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return every variable that these steps save, including nested steps."""
    return {name for step in steps for name in (*(step.get("save") or {}), *_saved(step.get("steps") or ()))}


class RuleEntry(Strict):
    """Rule that is monitored during all checks."""

    id: str = Field(pattern=r"^always\.[a-z-]+$")
    """`always.` and the name of the rule."""
    title: str
    section: str
    """Section of the protocol specification that the rule verifies."""
    must: str
    """Requirement in plain words."""
    RULES: ClassVar[Collection[str]] = ALL_RULES

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.rule not in self.RULES:
            allowed = ", ".join(f"always.{name}" for name in self.RULES)
            raise BadValue(f"no such rule: {self.rule!r}; allowed: {allowed}")
        return self

    @property
    def area(self) -> Area:
        """Area of all rules."""
        return "conformance"

    @property
    def rule(self) -> str:
        """Name among the rules."""
        return self.id.removeprefix("always.")


class PlanFile(Record, frozen=True):
    """File of a plan."""

    name: str
    sha256: str
    """SHA-256 of its bytes."""


def plan_digest(files: Iterable[PlanFile]) -> str:
    """Return the SHA-256 over the files of a plan: over each file's digest in hexadecimal plus a line feed, in
    order."""
    return hashlib.sha256("".join(f"{file.sha256}\n" for file in files).encode()).hexdigest()


class BenchPlan(Strict):
    """Acceptance plan. The rules and checks of the plans in `include`, for the same device, come first."""

    schema_: Literal["dealwire.plan/1"] = Field(alias="schema")
    id: str
    title: str
    device: Literal["shuffler", "table-controller", "shoe", "any"]
    """Kind of device that the plan tests."""
    role: Literal["OBSERVE", "OPERATE", "SERVICE"] = "SERVICE"
    """Role in which sessions are opened."""
    allowance_ms: int = Field(50, ge=0, le=1000)
    """Milliseconds that a real line and this machine may add to every limit."""
    include: tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")], ...] = ()
    """Names of plans in the same folder, or of included plans."""
    rule: tuple[RuleEntry, ...] = ()
    check: tuple[Check, ...] = ()
    _files: tuple[PlanFile, ...] = PrivateAttr(default=())

    @property
    def files(self) -> tuple[PlanFile, ...]:
        """The plan's file, then those of the plans it includes, each before its own includes."""
        return self._files

    @property
    def sha256(self) -> str:
        """SHA-256 of the plan's files, by `plan_digest`."""
        return plan_digest(self._files)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all checks and rules, in the order of the report."""
        return tuple(entry.id for entry in self.entries)

    @property
    def entries(self) -> tuple[Check | RuleEntry, ...]:
        """Checks and rules, in the order of the report."""
        return (*self.check, *self.rule)

    @property
    def granted(self) -> Role:
        """Role in which the plan is run."""
        return Role[self.role]

    @property
    def dialect(self) -> str:
        """Dialect of the devices."""
        return "tdp"


# ------------------------------------------------------------------ plans for shoes of other dialects


class DialectCheck(Check):
    """Check of a shoe with another dialect."""

    steps: tuple[DialectStep, ...] = Field(min_length=1)


class DialectRule(RuleEntry):
    """Rule that a probe monitors."""

    RULES = frozenset(name for probe in PROBES.values() for name in probe.RULES)


class DialectPlan(BenchPlan):
    """Plan for a shoe of another dialect, or for a GAT line. Its id is the dialect's name."""

    schema_: Literal["dealwire.dialect-plan/1"] = Field(alias="schema")  # type: ignore[assignment]
    id: Literal["angel-eye", "bee-tek", "gat"]
    device: Literal["shoe", "gat"] = "shoe"  # type: ignore[assignment]
    """A shoe, or any device's GAT line."""
    allowance_ms: int = 0
    begin: tuple[DialectStep, ...] = ()
    """Steps before the first check, whichever it is."""
    rule: tuple[DialectRule, ...]
    check: tuple[DialectCheck, ...]

    @property
    def granted(self) -> Role:
        """Role in which the plan is run. Only an Angel Eye style shoe takes commands."""
        return Role.OPERATE if self.id == "angel-eye" else Role.OBSERVE

    @property
    def dialect(self) -> str:
        """Name of the dialect."""
        return self.id


def _impossible(plan: BenchPlan) -> Iterator[tuple[Key, str]]:
    """Yield every step that requires a status that no device of the plan's kind can have."""
    if isinstance(plan, DialectPlan):
        return
    devices: list[str] = [*PROFILES] if plan.device == "any" else [plan.device]
    for at, check in enumerate(plan.check):
        yield from _of_steps(check.steps, ("check", at, "steps"), devices)


def _of_steps(steps: Iterable[PlanStep], key: Key, devices: list[str]) -> Iterator[tuple[Key, str]]:
    for at, step in enumerate(steps):
        if isinstance(step, Repeat):
            yield from _of_steps(step.steps, (*key, at, "steps"), devices)
        why = [_why_not(PROFILES[device].status, step.of_status) for device in devices]
        if all(why):
            yield (*key, at), why[0]


def _why_not(status: str, wanted: Mapping[str, Wanted]) -> str:
    try:
        check_wanted(status, wanted)
    except BadValue as error:
        return str(error)
    return ""


def known_plans() -> tuple[str, ...]:
    """Return the ids of the included plans for TDP devices."""
    return tuple(files_in(FOLDER))


def dialect_plans() -> tuple[str, ...]:
    """Return the ids of the included plans for shoes of other dialects."""
    return tuple(files_in(DIALECTS))


def packaged_plans() -> tuple[str, ...]:
    """Return the ids of all included plans."""
    return (*known_plans(), *dialect_plans())


@cache
def packaged_plan(name: str) -> BenchPlan:
    """Return the included plan with this id. Raise TomlFileError if there is none."""
    return load_plan(name)


def load_plan(source: str | Path) -> BenchPlan:
    """Load a plan by id or from a file, with everything it includes. Raise TomlFileError for an error in a file."""
    return _load(source, ())


def _load(source: str | Path, above: tuple[str, ...]) -> BenchPlan:
    dialects = files_in(DIALECTS)
    path = dialects[str(source)] if source in dialects else locate(source, files_in(FOLDER), "plan")
    plan = load(path, DialectPlan if source in dialects else BenchPlan, _impossible)
    if plan.id in above:
        raise fault_in(path, ("include",), f"{plan.id!r} includes itself")
    rules, checks = list(plan.rule), list(plan.check)
    parts: list[BenchPlan] = []
    for name in reversed(plan.include):
        beside = path.with_name(f"{name}.toml")
        if not beside.exists() and name not in known_plans():
            why = f"no such plan: {name!r}; it must be in the same folder, or one of {', '.join(known_plans())}"
            raise fault_in(path, ("include",), why)
        part = _load(beside if beside.exists() else name, (*above, plan.id))
        if part.device not in ("any", plan.device):
            raise fault_in(path, ("include",), f"{name!r} is for a {part.device}")
        rules[:0], checks[:0] = part.rule, part.check
        parts.insert(0, part)
    ids = [*(rule.id for rule in rules), *(check.id for check in checks)]
    twice = next((one for one in ids if ids.count(one) > 1), None)
    if twice is not None:
        own = [at for at, check in enumerate(plan.check) if check.id == twice]
        raise fault_in(path, ("check", own[-1], "id") if own else ("include",), f"{twice!r} appears twice")
    whole = plan.model_copy(update={"rule": tuple(rules), "check": tuple(checks)})
    first = PlanFile(path.name, hashlib.sha256(read_file(path, TOML_MAX_BYTES)).hexdigest())
    whole._files = (first, *(file for part in parts for file in part.files))
    return whole


def checks_for_hands(plan: BenchPlan) -> list[str]:
    """Return the checks that need an operator. Others may need one to bring the device into a state."""
    return [check.id for check in plan.check if any(step.needs or isinstance(step, Soak) for step in check.steps)]
