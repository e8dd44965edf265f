"""Acceptance plans: TOML files that say which checks are made, step by step. Strict; see `docs/bench.md`.

A step is one inline table with one verb; the other keys are the verb's. Whatever is wrong with a file comes out as one
`PlanError` that names file, line, key and what is allowed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, InstanceOf, ValidationError, model_validator

from dealer_flow.procedure.tomlfile import locate, names_in, read
from dealwire.bench import steps_device as d
from dealwire.bench import steps_events as e
from dealwire.bench import steps_line as p
from dealwire.bench.record import Area
from dealwire.bench.rules import RULES
from dealwire.bench.soak import Soak
from dealwire.bench.stand import Stand
from dealwire.bench.step import PlanStep, Prepared, Strict
from dealwire.bench.values import BadValue, variables_in
from dealwire.rehearsal.faults import UnknownAct
from protocol.tdp.messages import Capability, Role
from protocol.tomlfile import Key, TomlFileError, line_of, spell, syntax_fault

FOLDER: Final = Path(__file__).parent / "plans"


ALWAYS_KNOWN: Final = ("session", "last", "acked", "request", "boots")
"""What a step may look up without having saved it."""


class PlanError(TomlFileError):
    """A plan cannot be used."""


def _made(value: Any) -> Any:
    """A table as the step of its verb."""
    return VERBS[_verb(value)].model_validate(value) if isinstance(value, dict) else value


BenchStep = Annotated[InstanceOf[PlanStep], BeforeValidator(_made)]


class Repeat(PlanStep):
    """`repeat`: the steps, so many times."""

    repeat: int = Field(ge=1, le=1000)
    steps: tuple[BenchStep, ...]

    def _run(self, stand: Stand) -> None:
        for _ in range(self.repeat):
            for step in self.steps:
                step(stand)


VERBS: Final[dict[str, type[PlanStep]]] = {next(iter(cls.model_fields)): cls for cls in (
    p.Sending, p.Raw, p.Flips, p.Replying, p.Naking, p.Expecting, p.Never, p.Ordered, p.CountMessages,
    e.OldEvents, e.NoEvents, e.Again, e.Newest, e.CaughtUp, p.Greeting, e.AnyStatus, d.StateIs, p.WaitFor, p.Manners,
    p.SessionOpening, d.ActAtDevice, d.Faulting, d.Power, d.Prepare, d.DealPackets, d.WrongPacket, d.Books, d.Poke,
    e.Operate, e.Foreign, e.LostHost, e.HostIsBack, e.HostStaysLost, d.Measuring, p.Save, Soak, Repeat,
)}  # fmt: skip
"""By name. Some are also keys of others: then the first in this order is the verb."""


def _verb(table: Mapping[str, Any]) -> str:
    verb = next((verb for verb in VERBS if verb in table), None)
    if verb is None:
        raise BadValue(f"no verb; a step has one of {', '.join(VERBS)}")
    return verb


class Check(Strict):
    """One check: what it judges (`section` of the protocol's page, `must` in our words) and how."""

    id: str = Field(pattern=r"^[a-z0-9-]+\.[a-z0-9-]+$")
    title: str
    section: str
    area: Area = "conformance"
    must: str
    role: Literal["OBSERVE", "OPERATE", "SERVICE", "none"] | None = None
    """The role the session is opened with first; by default the plan's. none: the check opens it, or not, itself."""
    needs: tuple[str, ...] = ()
    """Capabilities; a device without them is not judged by this check."""
    prepare: Prepared | None = None
    """The state the device is brought into first."""
    steps: tuple[BenchStep, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _known(self) -> Check:
        for name in self.needs:
            if name not in Capability.__members__:
                raise BadValue(f"no such capability: {name!r}; allowed: {', '.join(Capability.__members__)}")
        dumped = [step.model_dump(serialize_as_any=True) for step in self.steps]
        saved = _saved(dumped) | set(ALWAYS_KNOWN)
        for unknown in sorted(variables_in(dumped) - saved):
            raise BadValue(f"nothing is saved as {unknown!r} in this check; allowed: {', '.join(sorted(saved))}")
        return self


def _saved(steps: Iterable[Mapping[str, Any]]) -> set[str]:
    """Every name that these steps save, within others too."""
    return {name for step in steps for name in (*(step.get("save") or {}), *_saved(step.get("steps") or ()))}


class RuleEntry(Strict):
    """One rule that looks on all the time."""

    id: str = Field(pattern=r"^always\.[a-z-]+$")
    title: str
    section: str
    must: str

    @model_validator(mode="after")
    def _known(self) -> RuleEntry:
        if self.rule not in RULES:
            raise BadValue(f"no such rule: {self.rule!r}; allowed: {', '.join(f'always.{name}' for name in RULES)}")
        return self

    @property
    def rule(self) -> str:
        """Its name among the rules."""
        return self.id.removeprefix("always.")


class BenchPlan(Strict):
    """A whole plan. `include` names others of the same device whose rules and checks come first."""

    schema_: Literal["dealwire.plan/1"] = Field(alias="schema")
    id: str
    title: str
    device: Literal["shuffler", "table-controller", "shoe", "any"]
    role: Literal["OBSERVE", "OPERATE", "SERVICE"] = "SERVICE"
    allowance_ms: int = Field(50, ge=0, le=1000)
    """What a real line and this machine may add to every limit."""
    include: tuple[str, ...] = ()
    rule: tuple[RuleEntry, ...] = ()
    check: tuple[Check, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Every check and rule, in the order they are reported."""
        return (*(check.id for check in self.check), *(rule.id for rule in self.rule))

    @property
    def granted(self) -> Role:
        """The role the plan is run with."""
        return Role[self.role]


def known_plans() -> tuple[str, ...]:
    """Ids of the plans that come with the program."""
    return names_in(FOLDER)


def load_plan(source: str | Path) -> BenchPlan:
    """The plan with this id, or in this file, with all it includes. PlanError says in one line what is wrong where."""
    return _load(source, ())


def _load(source: str | Path, above: tuple[str, ...]) -> BenchPlan:
    path = locate(source, FOLDER, "plan", PlanError)
    text = read(path, PlanError)
    plan = parse_plan(text, str(path))
    if plan.id in above:
        raise PlanError(str(path), line_of(text, ("include",)), "include", f"{plan.id!r} includes itself")
    rules, checks = list(plan.rule), list(plan.check)
    for name in reversed(plan.include):
        part = _load(
            path.with_name(f"{name}.toml") if path.with_name(f"{name}.toml").exists() else name, (*above, plan.id)
        )
        if part.device not in ("any", plan.device):
            raise PlanError(str(path), line_of(text, ("include",)), "include", f"{name!r} is for a {part.device}")
        rules[:0], checks[:0] = part.rule, part.check
    ids = [*(rule.id for rule in rules), *(check.id for check in checks)]
    twice = next((one for one in ids if ids.count(one) > 1), None)
    if twice is not None:
        raise PlanError(str(path), None, "check", f"{twice!r} is there twice")
    return plan.model_copy(update={"rule": tuple(rules), "check": tuple(checks)})


def parse_plan(text: str, file: str) -> BenchPlan:
    """A plan's own part, from its text; `file` is the name that errors carry."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line, why = syntax_fault(error, text)
        raise PlanError(file, line, "", why) from None
    try:
        return BenchPlan.model_validate(_tuples(content))
    except ValidationError as error:
        key, why = _first_fault(error, content)
        raise PlanError(file, line_of(text, key), spell(key), why) from None


def _tuples(value: Any, key: str = "") -> Any:
    """Arrays as tuples, which is what a frozen model holds, but for those that stand for `one of`."""
    if isinstance(value, dict):
        return {name: _tuples(item, name) for name, item in value.items()}
    if isinstance(value, list) and key in ("check", "rule", "steps", "include", "needs"):
        return tuple(_tuples(item) for item in value)
    return value


def _first_fault(error: ValidationError, content: dict[str, Any]) -> tuple[Key, str]:
    fault = error.errors(include_url=False)[0]
    key: Key = fault["loc"]
    if fault["type"] == "extra_forbidden":
        fields = _model_of(key[:-1], content).model_fields.items()
        return key, f"unknown key; allowed: {', '.join(str(field.alias or name) for name, field in fields)}"
    if fault["type"] == "missing":
        return key, "missing"
    cause = fault.get("ctx", {}).get("error")
    if isinstance(cause, BadValue | UnknownAct):
        return key[: _step_in(key)], str(cause)
    why = fault["msg"].removeprefix("Input should be ").replace("\n", " ")
    return key, f"must be {why}, not {fault['input']!r}" if why != fault["msg"] else f"{why}, not {fault['input']!r}"


def _step_in(key: Key) -> int | None:
    """How much of `key` names the innermost step; None when it is not in one."""
    return max((at + 2 for at, part in enumerate(key) if part == "steps"), default=None)


def _model_of(key: Key, content: dict[str, Any]) -> type[Strict]:
    """What the table with this key must be."""
    if "steps" in key:
        return VERBS[_verb(reduce(getitem, key, content))]  # type: ignore[arg-type]
    if not key:
        return BenchPlan
    return Check if key[0] == "check" else RuleEntry
