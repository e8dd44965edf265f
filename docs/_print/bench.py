"""Tables of the bench's page: what a device must pass to conform, and what it may lack."""

from collections.abc import Iterator
from typing import Final

from dealwire.bench.report.conformance import conformances
from docs._print import printed, table

_PAGE: Final = "bench.md"


def pages() -> dict[str, str]:
    """Return the page by its path under `docs`."""
    return {_PAGE: printed(_PAGE, _conformances())}


def _conformances() -> Iterator[str]:
    rows = (
        (
            f"`{it.plan}`",
            ", ".join(it.judges),
            " or ".join(it.versions),
            ", ".join(it.may_lack),
            ", ".join(f"`{pattern}`" for pattern in it.beside),
        )
        for it in conformances().values()
    )
    yield from table(("plan", "the sentence names", "of version", "a device may lack", "need not be run"), rows)
