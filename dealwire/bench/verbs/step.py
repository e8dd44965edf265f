"""Base of a plan's steps, and the types of their keys. A step is validated when its plan is loaded, and run when it is
called."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, StringConstraints, WithJsonSchema

from dealer_flow.tomlfile import TomlTable
from dealwire.bench.values import STATES, TIME_NAMES, TIMES, BadValue, Wanted, milliseconds, number, variables_in
from protocol.tdp.messages import Reason

if TYPE_CHECKING:
    from dealwire.bench.verbs.context import AnyCheckContext


HandNeed = tuple[str, Mapping[str, Any]]
"""Action of `hand_actions`, and the fields from the plan."""


class Strict(TomlTable):
    """Base class of everything in a plan."""

    model_config = ConfigDict(alias_generator=None, populate_by_name=True)


class PlanStep(Strict):
    """Step with one verb, which is the first field of its class."""

    def __call__(self, context: AnyCheckContext) -> None:
        """Run the step. Raise Failed if the device does not behave as required, NotRun if the step cannot be done
        here."""
        self._run(context)
        context.last_step = self

    @abstractmethod
    def _run(self, context: Any) -> None:
        """Run the step; `context` is one of the plan's dialect."""

    @property
    def needs(self) -> Sequence[HandNeed]:
        """Manual actions in the step: acts, faults, power and cable. Actions that bring a device into a state are not
        included, since they depend on its state."""
        return ()

    @property
    def of_status(self) -> Mapping[str, Wanted]:
        """Fields that the step requires of a status."""
        return {}


def _check_hex(text: str) -> str:
    try:
        bytes.fromhex(text)
    except ValueError:
        raise BadValue(f"{text!r} is not hex, such as '00 FF'") from None
    return text


def _check_number(value: int | str) -> int | str:
    number(value, dict.fromkeys(variables_in(value), 0))
    return value


def _one_of(kind: str, *names: str) -> Callable[[str], str]:
    """Return a validator that accepts only these names."""

    def check(name: str) -> str:
        if name not in names:
            raise BadValue(f"{kind.format(repr(name))}; allowed: {', '.join(names)}")
        return name

    return check


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


def _one_or_many(of: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [of, {"type": "array", "items": of}]}


STATE_NAMES = tuple(dict.fromkeys(name for states in STATES.values() for name in states.__members__))
"""States of all classes of device."""

_SUM = "({0})( *[+] *({0}))*".format("|".join(["[0-9]+", *TIME_NAMES]))
Time = Annotated[
    int,
    BeforeValidator(milliseconds),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": f"^{_SUM}$"}]}),
]
"""Milliseconds. A file has a number, or a sum of names of the protocol's times and the bench's own."""
RETRY_MS, STATUS_MS = TIMES["retry"], TIMES["status"]
Hex = Annotated[
    str, AfterValidator(_check_hex), WithJsonSchema({"type": "string", "pattern": "^([ ]*[0-9A-Fa-f]{2})*[ ]*$"})
]
State = Annotated[
    str, AfterValidator(_one_of("no such state: {}", *STATE_NAMES)), WithJsonSchema({"enum": [*STATE_NAMES]})
]
Prepared = Annotated[
    str,
    AfterValidator(_one_of("no such state: {}", *STATE_NAMES, "ready")),
    WithJsonSchema({"enum": [*STATE_NAMES, "ready"]}),
]
"""State, or `ready` for the one in which the device's class is at rest."""
_REASON_NAMES = {"enum": [*Reason.__members__]}
ReasonName = Annotated[
    str, AfterValidator(_one_of("{} is no Reason", *Reason.__members__)), WithJsonSchema(_REASON_NAMES)
]
ReasonNames = Annotated[tuple[ReasonName, ...], BeforeValidator(_as_tuple), WithJsonSchema(_one_or_many(_REASON_NAMES))]
States = Annotated[
    tuple[State, ...], BeforeValidator(_as_tuple), WithJsonSchema(_one_or_many({"enum": [*STATE_NAMES]}))
]
"""State, or several alternatives."""
Variable = Annotated[str, StringConstraints(pattern=r"^\$[a-z_]+$")]
Number = Annotated[int | str, AfterValidator(_check_number)]
"""Number, variable, or comparison with one."""
