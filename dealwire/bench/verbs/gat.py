"""Steps of the plan for a device that answers GAT."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Final, Literal, cast

from pydantic import Field

from dealwire.bench.record import Failed
from dealwire.bench.verbs.context import AnyCheckContext
from dealwire.bench.verbs.gat_probe import LIVE_MS, GatProbe
from dealwire.bench.verbs.probe import MS
from dealwire.bench.verbs.step import PlanStep
from protocol.errors import CannotEncode, RemoteError
from protocol.gat import functions
from protocol.gat import messages as m
from protocol.gat.codec import answer_code, encode
from protocol.gat.documents import ComponentSum, read_components, read_functions
from protocol.gat.exchange import MS as GAT_MS
from protocol.gat.exchange import USUAL
from protocol.gat.functions import SpecialFunction, calculation
from protocol.gat.inspection import FRAMES_MAX, Inspection
from protocol.message import message_name

RESPONSE_MS: Final = USUAL.answer_ns // GAT_MS + 300 + LIVE_MS
"""Milliseconds until a response is complete: 300 for the longest frame at 9600 baud."""
RESPONSES: Final = {"SR": "StatusResponse", "LASR": "LastStatusResponse", "LARR": "ResultsResponse",
                    "IACR": "CalculationResponse"}  # fmt: skip
KEYS: Final = (bytes(range(1, 21)), bytes(range(101, 121)))
"""Keys of the checks that compare two."""
DIGITS: Final = frozenset("0123456789ABCDEF")


def _probe(context: AnyCheckContext) -> GatProbe:
    assert isinstance(context.probe, GatProbe)
    return context.probe


class Querying(PlanStep):
    """`query`: one query, right or damaged. `function` is the text of a calculation, with | between its fields."""

    query: Literal["SQ", "LASQ", "LARQ", "IACQ"]
    number: int = Field(1, ge=0, le=65_535)
    form: int = Field(2, ge=0, le=255)
    level: int = Field(0xBA, ge=0, le=255)
    function: str = functions.LIST
    damage: Literal["crc", "cut", "length"] | None = None
    """Wrong CRC; the last byte is missing; the length is one more than the frame's."""

    def _run(self, context: AnyCheckContext) -> None:
        message = self._message()
        data, name = encode(message), message_name(message)
        if self.damage == "crc":
            data = data[:-1] + bytes((data[-1] ^ 0x5A,))
        elif self.damage == "cut":
            data = data[:-1]
        elif self.damage == "length":
            data = bytes((data[0], data[1] + 1)) + data[2:]
        text = f"{name}{' damaged: ' + self.damage if self.damage else ''}"
        _probe(context).query(data, text, awaited=0 if self.damage else answer_code(message))

    def _message(self) -> m.GatMessage:
        if self.query == "SQ":
            return m.StatusQueryMessage()
        if self.query == "LASQ":
            return m.LastStatusQueryMessage()
        if self.query == "LARQ":
            return m.ResultsQueryMessage(self.form, self.number)
        feature, *parameters = self.function.split("|")
        return m.CalculationQueryMessage(self.level, calculation(SpecialFunction(feature, tuple(parameters))).parameter)


class Responding(PlanStep):
    """`response`: this response comes to the last query, with these values of its fields."""

    response: Literal["SR", "LASR", "LARR", "IACR"]
    fields: dict[str, bool | int | str] = Field(default={}, alias="with")

    def _run(self, context: AnyCheckContext) -> None:
        found = _response(context)
        if message_name(found) != RESPONSES[self.response]:
            raise Failed(f"{RESPONSES[self.response]} should have come; came: {message_name(found)}")
        for name, wanted in self.fields.items():
            value = getattr(found, name, None)
            shown = value.name if isinstance(value, m.Calculation) else value
            if shown != wanted:
                raise Failed(f"{name} should be {wanted}; it is {shown}")


def _response(context: AnyCheckContext) -> m.GatMessage:
    """Return the response to the last query. Raise Failed without one."""
    probe = _probe(context)
    probe.run(probe.wire.carried_ns() + RESPONSE_MS * MS, lambda: len(probe.heard) > probe.mark)
    if len(probe.heard) == probe.mark:
        raise Failed("no response came")
    message = probe.heard[probe.mark].message
    if message is None:
        raise Failed("the response cannot be read")
    return cast(m.GatMessage, message)


def _inspection(context: AnyCheckContext) -> Inspection:
    """Return a terminal that asks each query once."""
    probe = _probe(context)

    def ask(query: m.GatMessage) -> m.GatMessage:
        probe.query(encode(query), message_name(query), awaited=answer_code(query))
        found = _response(context)
        number = getattr(query, "number", None)
        if number is not None and getattr(found, "number", None) != number:
            raise Failed(f"the response to the query for frame {number} has another number")
        return found

    return Inspection(ask, lambda ns: context.pause(ns // MS), probe.wire.now_ns, limit_s=600)


@contextlib.contextmanager
def _judged() -> Iterator[None]:
    """Turn an answer that a terminal would refuse, or a name that no query can have, into a failure of the check."""
    try:
        yield
    except (RemoteError, CannotEncode) as error:
        raise Failed(str(error)) from None


class Obtaining(PlanStep):
    """`obtain`: judge the version, or carry out a function and judge its result: the list, all components, each
    component by its name, the same components with other keys, or the list in place of components."""

    obtain: Literal["version", "functions", "components", "each", "keys", "replaced"]

    def _run(self, context: AnyCheckContext) -> None:
        with _judged():
            _JUDGES[self.obtain](_inspection(context))


def _functions(inspection: Inspection) -> None:
    found = {each.feature for each in inspection.functions()}
    if missing := {functions.FILE, functions.COMPONENT} - found:
        raise Failed(f"the list lacks {', '.join(sorted(missing))}")


def _components(inspection: Inspection) -> tuple[ComponentSum, ...]:
    found = inspection.components(KEYS[0])
    if not found:
        raise Failed("the result names no component")
    names = [each.name for each in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise Failed(f"the component {twice!r} is there twice")
    wrong = next((each for each in found if len(each.checksum) != 40 or set(each.checksum.upper()) - DIGITS), None)
    if wrong is not None:
        raise Failed(f"the checksum of {wrong.name!r} is not that of a SHA-1")
    return found


def _each(inspection: Inspection) -> None:
    whole = {each.name: each.checksum for each in _components(inspection)}
    offered = {each.parameters[:1] for each in inspection.functions() if each.feature == functions.COMPONENT}
    if offered != {(name,) for name in whole}:
        raise Failed(f"the list offers {len(offered)} components, the result has {len(whole)}, and they differ")
    for name, checksum in whole.items():
        if inspection.component(name, KEYS[0]).checksum != checksum:
            raise Failed(f"alone, {name!r} has another checksum than among all, with the same key")


def _keys(inspection: Inspection) -> None:
    first, again = inspection.components(KEYS[0]), inspection.components(KEYS[0])
    if {*first} != {*again}:
        raise Failed("with the same key it gave other checksums")
    other, plain = inspection.components(KEYS[1]), inspection.components(b"")
    for one, two in ((first, other), (first, plain), (other, plain)):
        if {each.checksum for each in one} & {each.checksum for each in two}:
            raise Failed("with another key, or none, it gave the same checksum")


def _replaced(inspection: Inspection) -> None:
    """Start all components, and at once the list, which takes their place."""
    inspection.begin(SpecialFunction(functions.FILE, (functions.ALL_COMPONENTS, functions.key_text(KEYS[0]))))
    read_functions(inspection.run(SpecialFunction(functions.LIST)))


class Rereading(PlanStep):
    """`reread`: each frame of a result is the same when it is read once more, from the last to the first, and the frame
    after the last is an error."""

    reread: Literal["components"]

    def _run(self, context: AnyCheckContext) -> None:
        inspection = _inspection(context)
        with _judged():
            whole = inspection.file(functions.ALL_COMPONENTS, KEYS[0])
            read_components(whole)
            first = inspection.part(1)
            parts, last = [first.data], first.last
            while not last:
                part = inspection.part(len(parts) + 1)
                parts, last = [*parts, part.data], part.last or len(parts) >= FRAMES_MAX
            again = [inspection.part(number).data for number in range(len(parts), 0, -1)]
            beyond = inspection.part(len(parts) + 1)
        if b"".join(parts) != whole or again[::-1] != parts:
            raise Failed("a frame had other bytes when it was read once more")
        if not beyond.error or beyond.data:
            raise Failed("the frame after the last is not an error")


class Aging(PlanStep):
    """`ages`: the age of the last calculation grows by these seconds while they pass."""

    ages: int = Field(ge=2, le=60)

    def _run(self, context: AnyCheckContext) -> None:
        inspection = _inspection(context)
        with _judged():
            inspection.functions()
            before = inspection.last()
            context.pause(self.ages * 1000)
            after = inspection.last()
        if before.age_s > 5 or not self.ages - 1 <= after.age_s - before.age_s <= self.ages + 1:
            raise Failed(f"{before.age_s} s old at once, and {after.age_s} s after {self.ages} s")
        if after.level != m.SPECIAL_FUNCTION:
            raise Failed(f"the level is {after.level:02X}h, not BAh")


_JUDGES: Final[dict[str, Callable[[Inspection], object]]] = {
    "version": Inspection.status,
    "functions": _functions,
    "components": _components,
    "each": _each,
    "keys": _keys,
    "replaced": _replaced,
}
GAT_VERBS: Final[dict[str, type[PlanStep]]] = {
    next(iter(cls.model_fields)): cls for cls in (Querying, Responding, Obtaining, Rereading, Aging)
}
"""Steps by verb."""
