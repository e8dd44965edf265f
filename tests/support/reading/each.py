"""One test for many cheap cases: all of them are tried, and those that fail are reported together.

An item of pytest costs more than a vector of bytes does to decode. `of_each` is `parametrize` without the items:

    @of_each("vector", FRAMES, ids=name_of)
    def test_vector(vector: Vector) -> None: ...

Cases that cost something to make are given as a function, which is called when the test runs and not when it is found.
A case that needs a fixture of its own, or more than a few milliseconds, stays a parameter.
"""

from __future__ import annotations

import functools
import inspect
import reprlib
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import pytest


def of_each(
    names: str,
    cases: Iterable[Any] | Callable[[], Iterable[Any]],
    *,
    ids: Callable[[Any], object] = reprlib.repr,
    shares: int = 1,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Have a test try every case. `names`: its argument, or several with commas, as for `parametrize`.

    `shares`: items to divide the cases among, where all of them take seconds.
    Raises an `ExceptionGroup` with an error for each case that failed, its name as a note; no case at all fails too.
    """
    named = [name.strip() for name in names.split(",")]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def tries_each(share: int = 0, **fixtures: Any) -> None:
            failed: list[Exception] = []
            number = 0
            for number, case in enumerate(islice(cases() if callable(cases) else cases, share, None, shares), 1):
                values = [case] if len(named) == 1 else case
                try:
                    test(**dict(zip(named, values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    told = error if isinstance(error, Exception) else AssertionError(str(error))
                    told.add_note(f"case {number}: {ids(case)}")
                    failed.append(told.with_traceback(error.__traceback__))
            assert number, "there is no case"
            if failed:
                raise ExceptionGroup(f"of {number} cases", failed)

        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in named]
        if shares > 1:
            left.append(inspect.Parameter("share", inspect.Parameter.KEYWORD_ONLY))
        tries_each.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        if shares > 1:
            tries_each = pytest.mark.parametrize("share", range(shares))(tries_each)
        return tries_each

    return decorate
