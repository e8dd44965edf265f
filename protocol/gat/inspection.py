"""Inspection of a device: start a calculation, wait until it is finished, read its results frame by frame.

The line is a function that asks one query and returns its response, and one that lets time pass.
"""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, TypeVar, cast

from protocol.errors import BadAnswer, Refused, Unfinished, VersionMismatch
from protocol.gat import documents, functions
from protocol.gat import messages as m
from protocol.gat.codec import encode
from protocol.gat.documents import DOCUMENT_MAX, ComponentSum
from protocol.gat.exchange import MS
from protocol.gat.framing import CHUNK, HEAD
from protocol.gat.functions import SpecialFunction

POLL_NS: Final = 1000 * MS
"""Time between two status queries while a device calculates, as a public implementation has it."""
FIRST_POLL_NS: Final = 50 * MS
"""Time to the first of them; it doubles from there."""
CALCULATION_S: Final = 1200
"""Seconds after which a calculation is given up, as a public implementation has it."""
FRAMES_MAX: Final = -(-DOCUMENT_MAX // CHUNK)
AGE_DOUBT_S: Final = 2
"""Difference between two ages of a result that counting whole seconds, and the wait for the line, can cause."""

CHANGED: Final = "the result changed while it was read: the device calculated once more"

M = TypeVar("M", bound=m.GatMessage)


class GatDifference(NamedTuple):
    """A component that is not as expected. An empty text stands for a component that is not there."""

    name: str
    expected: str
    found: str


class Inspection:
    """Terminal at a device. Every method raises NoAnswer, or a RemoteError for a device that breaks the protocol."""

    def __init__(
        self,
        ask: Callable[[m.GatMessage], m.GatMessage],
        rest: Callable[[int], None],
        now_ns: Callable[[], int],
        limit_s: float = CALCULATION_S,
    ) -> None:
        self._ask, self._rest, self._now_ns, self._limit_s = ask, rest, now_ns, limit_s

    def status(self) -> m.StatusResponseMessage:
        """Return the status. Raise VersionMismatch for a device before 3.50."""
        status = self._answer(m.StatusQueryMessage(), m.StatusResponseMessage)
        if (status.major, status.minor) < m.VERSION:
            raise VersionMismatch(m.version_text(*m.VERSION), status.version)
        return status

    def last(self) -> m.LastStatusResponseMessage:
        """Return the level and the age of the last calculation."""
        return self._answer(m.LastStatusQueryMessage(), m.LastStatusResponseMessage)

    def functions(self) -> tuple[SpecialFunction, ...]:
        """Return the special functions that the device offers."""
        return documents.read_functions(self.run(SpecialFunction(functions.LIST)))

    def components(self, key: bytes) -> tuple[ComponentSum, ...]:
        """Return the checksums of all components."""
        return documents.read_components(self.file(functions.ALL_COMPONENTS, key))

    def component(self, name: str, key: bytes) -> ComponentSum:
        """Return the checksum of one component. Raise BadAnswer if the result is not about it."""
        function = SpecialFunction(functions.COMPONENT, (name, functions.key_text(key)))
        found = documents.read_components(self.run(function))
        if [each.name for each in found] != [name]:
            raise BadAnswer(functions.COMPONENT, f"the result is not about the component {name!r} alone")
        return found[0]

    def file(self, name: str, key: bytes) -> bytes:
        """Return a file of the device."""
        return self.run(SpecialFunction(functions.FILE, (name, functions.key_text(key))))

    def run(self, function: SpecialFunction) -> bytes:
        """Carry out a special function and return its result. Raise Refused, or Unfinished after the limit."""
        self.begin(function)
        self._await(function.feature)
        return self._read(function.feature)

    def begin(self, function: SpecialFunction) -> None:
        """Start a special function. Raise Refused."""
        started = self._answer(functions.calculation(function), m.CalculationResponseMessage)
        if not (started.acknowledged and started.started) or started.bad_level:
            why = "the level is not allowed" if started.bad_level else "not acknowledged and started"
            raise Refused(function.feature, why, f"{encode(started)[HEAD]:02X}h")

    def _await(self, feature: str) -> None:
        end_ns, pause_ns = self._now_ns() + int(self._limit_s * 1e9), FIRST_POLL_NS
        while True:
            status = self.status()
            if not status.running and status.calculation is m.Calculation.FINISHED and status.available:
                break
            if not status.running or status.calculation in (m.Calculation.FAILED, m.Calculation.FINISHED):
                running = "running" if status.running else "not running"
                raise BadAnswer(feature, f"the calculation ended as {status.calculation.name.lower()}, {running}")
            if self._now_ns() >= end_ns:
                raise Unfinished(feature, f"still calculating after {self._limit_s:g} s")
            self._rest(pause_ns)
            pause_ns = min(2 * pause_ns, POLL_NS)
        if not status.forms & m.XML_FORM:
            raise BadAnswer(feature, f"the device does not offer XML (forms {status.forms:02X}h)")

    def _read(self, feature: str) -> bytes:
        """Return the result, frame by frame. Raise BadAnswer if another calculation replaced it meanwhile."""
        before, began_ns, parts = self.last(), self._now_ns(), list[bytes]()
        if before.level != m.SPECIAL_FUNCTION:
            raise BadAnswer(feature, f"the last calculation was of level {before.level:02X}h")
        for number in range(1, FRAMES_MAX + 1):
            part = self.part(number)
            if part.error:
                raise BadAnswer(feature, f"the device has no frame {number} of the result")
            parts.append(part.data)
            if part.last:
                break
        else:
            raise BadAnswer(feature, f"the result has more than {FRAMES_MAX} frames")
        after, passed_s = self.last(), (self._now_ns() - began_ns) / 1e9
        if after.level != before.level or abs(after.age_s - before.age_s - passed_s) > AGE_DOUBT_S:
            raise BadAnswer(feature, CHANGED)
        if len(parts) > 1 and self.part(1).data != parts[0]:
            raise BadAnswer(feature, CHANGED)
        return b"".join(parts)

    def part(self, number: int) -> m.ResultsResponseMessage:
        """Return one frame of the last result, or an error in its place."""
        return self._answer(m.ResultsQueryMessage(m.ResultForm.XML, number), m.ResultsResponseMessage)

    def _answer(self, query: m.GatMessage, kind: type[M]) -> M:
        return cast(M, self._ask(query))  # an exchange takes no response of another code


def differences(found: Iterable[ComponentSum], expected: Iterable[tuple[str, str]]) -> list[GatDifference]:
    """Return every component that is missing, not expected, named twice, or has another checksum."""
    left = dict(expected)
    bad = list[GatDifference]()
    for each in found:
        wanted = left.pop(each.name, "")
        if wanted.upper() != each.checksum.upper():
            bad.append(GatDifference(each.name, wanted, each.checksum))
    return bad + [GatDifference(name, wanted, "") for name, wanted in left.items()]
