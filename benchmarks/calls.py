"""Count of function calls, Python's and C's: a measure of work that does not depend on the machine or its load."""

import gc
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, Final, Self, TypeVar

M = TypeVar("M", bound="Meter")

OWN: Final = 2
"""Calls that leaving a `Meter` makes while it still counts: its `__exit__`, and `sys.setprofile`."""
PASSES: Final = 8
"""Maximum number of passes; work that is not steady by then never is."""


class Unsteady(RuntimeError):
    """Work whose passes never made the same number of calls twice in a row. It depends on time, on chance, or on
    earlier work. `found` has the calls of each pass."""

    def __init__(self, found: list[int]) -> None:
        self.found = found
        super().__init__(f"no two passes in a row made as many calls: {', '.join(map(str, found))}")


class Meter:
    """Counter of the calls within its `with` blocks, in this thread, as `calls`. A generator counts each time it is
    resumed, as the interpreter reports it."""

    def __init__(self) -> None:
        self.calls = 0

    def __enter__(self) -> Self:
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        self.calls -= OWN

    def _note(self, _: FrameType, event: str, __: Any) -> None:
        if event in ("call", "c_call"):
            self.calls += 1


class Tally(Meter):
    """Counter that also counts by function."""

    def __init__(self) -> None:
        super().__init__()
        self._python: Counter[CodeType] = Counter()
        self._c: Counter[str] = Counter()

    def _note(self, frame: FrameType, event: str, called: Any) -> None:
        super()._note(frame, event, called)
        if event == "call":
            self._python[frame.f_code] += 1
        elif event == "c_call":
            module = getattr(called, "__module__", None)
            self._c[f"{module}.{called.__qualname__}" if module else called.__qualname__] += 1

    @property
    def by_function(self) -> Counter[str]:
        """Return the calls of each function: `file.py:line name`, or the name alone for a C function."""
        found = Counter(self._c)
        for code, count in self._python.items():
            place = "/".join(code.co_filename.replace("\\", "/").split("/")[-2:])
            found[f"{place}:{code.co_firstlineno} {code.co_qualname}"] += count
        for own in ("benchmarks/calls.py", "sys.setprofile"):
            for name in [name for name in found if name.startswith(own)]:
                del found[name]
        return found


@dataclass(frozen=True, slots=True)
class Job:
    """Work of a number of `units`. `play` does the work and counts its own part with the meter it gets; `less` does the
    part to subtract. Both run until two passes agree. With `warm`, which does the same to other input and runs first,
    `play` runs once, so its input is new to every cache, as at a table."""

    units: int
    play: Callable[[Meter], None]
    less: Callable[[Meter], None] | None = None
    warm: Callable[[Meter], None] | None = None


def whole(work: Callable[[], object]) -> Callable[[Meter], None]:
    """Return `work` in the form that a `Job` plays, with all of it counted."""

    def play(meter: Meter) -> None:
        with meter:
            work()

    return play


def calls_of(job: Job) -> float:
    """Return the calls for each unit with warm caches. Raise Unsteady if passes do not agree."""
    if job.warm is not None:
        job.warm(Meter())
        return _counted(job.play, Meter()).calls / job.units
    less = steady(job.less) if job.less is not None else 0
    return (steady(job.play) - less) / job.units


def steady(play: Callable[[Meter], None]) -> int:
    """Return the calls of one pass as soon as two in a row agree. Raise Unsteady if they do not."""
    found: list[int] = []
    while len(found) < 2 or found[-1] != found[-2]:
        if len(found) == PASSES:
            raise Unsteady(found)
        found.append(_counted(play, Meter()).calls)
    return found[-1]


def by_function(job: Job) -> dict[str, float]:
    """Return the calls for each unit by function, most called first. Raise Unsteady if passes do not agree."""
    if job.warm is not None:
        job.warm(Meter())
    else:
        steady(job.play)
    found = _counted(job.play, Tally()).by_function
    if job.less is not None:
        steady(job.less)
        found.subtract(_counted(job.less, Tally()).by_function)
    return {name: count / job.units for name, count in found.most_common() if count}


def _counted(play: Callable[[Meter], None], meter: M) -> M:
    """Run one pass. The garbage collector, whose callbacks come at any time, is off until it ends."""
    gc.collect()
    gc.disable()
    try:
        play(meter)
    finally:
        gc.enable()
    return meter
