"""Rounds from the journal of a console's tables: search results, and one round as a dispute sheet.

One thread reads, so that pages stay live. It has no key: a sheet of the console names no face that was not shown.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from dealwire.console.worker import Worker, WorkerBusy
from dealwire.journal.finding import FoundRound, RoundQuery, find_rounds
from dealwire.journal.rounds import RoundReader
from dealwire.sheet.gather import MadeWith, RoundUnknown, gather
from dealwire.sheet.html import body_of
from dealwire.sheet.model import RoundSheet
from dealwire.sheet.pdf import pdf_of
from dealwire.sheet.sections import paper_of
from devices.clock import Clock
from protocol.errors import DealwireError
from rules.errors import ExtraMissing

Result = TypeVar("Result")


class SheetUnavailable(DealwireError):
    """A round or a search result cannot be shown; `status` is the HTTP status."""

    def __init__(self, status: int, why: str) -> None:
        self.status, self.why = status, why
        super().__init__(why)


class Sheets:
    """Reads the journal at `path`, which may be in use; None if this console has none."""

    def __init__(self, path: Path | None, clock: Clock) -> None:
        self._path, self._clock = path, clock
        self._worker = Worker("console-sheets")

    def close(self) -> None:
        """Stop without waiting. Callers that wait for a sheet get SheetUnavailable."""
        self._worker.close()

    async def found(self, query: RoundQuery, most: int) -> list[FoundRound]:
        """Return the rounds that match a query, newest first, at most `most`."""
        return await self._ask(lambda reader: find_rounds(reader, query, most))

    def now_ns(self) -> int:
        """The tables' time, nanoseconds since 1970."""
        return self._clock.now_ns()

    async def html(self, table: str, number: int, record: int | None) -> tuple[RoundSheet, str]:
        """Return a round and the HTML body of its page."""

        def make(reader: RoundReader) -> tuple[RoundSheet, str]:
            sheet = self._sheet(reader, table, number, record)
            return sheet, body_of(paper_of(sheet))

        return await self._ask(make)

    async def pdf(self, table: str, number: int, record: int | None) -> bytes:
        """Return a round as PDF."""
        return await self._ask(lambda reader: pdf_of(paper_of(self._sheet(reader, table, number, record))))

    async def json(self, table: str, number: int, record: int | None) -> str:
        """Return a round as `dealwire.sheet/1`."""
        return await self._ask(lambda reader: self._sheet(reader, table, number, record).to_json())

    def _sheet(self, reader: RoundReader, table: str, number: int, record: int | None) -> RoundSheet:
        return gather(reader, table, number, MadeWith(self._clock.now_ns()), record=record)

    async def _ask(self, make: Callable[[RoundReader], Result]) -> Result:
        path = self._path
        if path is None:
            raise SheetUnavailable(404, "This console has no journal to search.")

        def work() -> Result:
            with RoundReader(path) as reader:
                return make(reader)

        try:
            return await asyncio.wrap_future(self._worker.run(work))
        except RoundUnknown as error:
            raise SheetUnavailable(404, str(error)) from error
        except WorkerBusy as error:
            raise SheetUnavailable(503, str(error)) from error
        except ExtraMissing as error:
            raise SheetUnavailable(501, str(error)) from error
        except DealwireError as error:
            raise SheetUnavailable(500, str(error)) from error
