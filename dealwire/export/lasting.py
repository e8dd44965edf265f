"""Work beside the lanes of an exporter: it lasts until it is stopped, and never ends without a word."""

import asyncio
import traceback
from collections.abc import Callable, Coroutine

from dealwire.export.broker import Retry, pause
from protocol.errors import DealwireError

Beside = Callable[[asyncio.Event], Coroutine[object, object, None]]
"""Function that runs in a loop until the event is set."""


def place_of(error: BaseException) -> str:
    """Return kind and place of an internal error. Its message may contain anything, so it is left out."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    name = at.filename.rsplit("/", 1)[-1]
    return f"internal error: {type(error).__name__} at {name}:{at.lineno}"


async def lasting(
    work: Beside,
    stop: asyncio.Event,
    report: Callable[[str], None],
    ended: Callable[[], None] = lambda: None,
    *,
    raises: type[Exception] | None = None,
) -> None:
    """Run `work` until it returns; after an error, report it once, call `ended`, and run it again. `raises` is a kind
    of error that ends it."""
    retry, before = Retry(), ""
    while not stop.is_set():
        try:
            await work(stop)
            return
        except Exception as error:
            if raises is not None and isinstance(error, raises):
                raise
            ended()
            what = str(error) if isinstance(error, DealwireError) else place_of(error)
            if what != before:
                report(f"{what}; begun again")
            before = what
        await pause(stop, retry.next_s())
