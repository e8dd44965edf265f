"""The pages of a table's rounds: the list of the newest, and each as a dispute sheet: page, PDF, JSON."""

from collections.abc import Callable
from typing import Final
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dealwire.console.addresses import whole_number
from dealwire.console.rendering import page
from dealwire.console.sheets import Sheets, SheetUnavailable
from dealwire.sheet.pdf import can_draw

NUMBER_MAX: Final = 2**32 - 1
RECORD_MAX: Final = 2**63 - 1


class SheetPages:
    """What a browser may ask for about rounds. `known` says whether there is a table of that name."""

    def __init__(self, sheets: Sheets, known: Callable[[str], bool]) -> None:
        self._sheets, self._known = sheets, known

    def routes(self) -> list[Route]:
        """For the application behind the guard; who may read anything may read these."""
        return [
            Route("/table/{table}/rounds", self.rounds),
            Route("/table/{table}/round", self.find),
            Route("/table/{table}/round/{number:number}", self.sheet),
            Route("/table/{table}/round/{number:number}.pdf", self.pdf),
            Route("/table/{table}/round/{number:number}.json", self.json),
        ]

    async def rounds(self, request: Request) -> Response:
        """The newest rounds, and a field for the number of any."""
        table = self._table_of(request)
        return page(request, "rounds.html", table=table, rounds=await self._sheets.newest(table))

    async def find(self, request: Request) -> Response:
        """What was typed into the field."""
        table, typed = self._table_of(request), request.query_params.get("number", "").strip()
        number = whole_number(typed, NUMBER_MAX)
        if number is None:
            raise HTTPException(400, f"A round's number is a whole number up to {NUMBER_MAX}.")
        return RedirectResponse(f"/table/{quote(table, safe='')}/round/{number}", 303)

    async def sheet(self, request: Request) -> Response:
        """One round."""
        table, number, record = self._wanted(request)
        sheet, body = await self._sheets.html(table, number, record)
        return page(request, "sheet.html", sheet=sheet, body=body, record=record, can_draw=can_draw())

    async def pdf(self, request: Request) -> Response:
        """One round as PDF."""
        table, number, record = self._wanted(request)
        content = await self._sheets.pdf(table, number, record)
        return Response(content, media_type="application/pdf", headers=_named(table, number, "pdf"))

    async def json(self, request: Request) -> Response:
        """One round as JSON."""
        table, number, record = self._wanted(request)
        content = await self._sheets.json(table, number, record)
        return Response(content, media_type="application/json", headers=_named(table, number, "json"))

    def _table_of(self, request: Request) -> str:
        name: str = request.path_params["table"]
        if not self._known(name):
            raise HTTPException(404, "There is no table of that name.")
        return name

    def _wanted(self, request: Request) -> tuple[str, int, int | None]:
        """The table, the round's number, and which of several with that number."""
        table, number, typed = (
            self._table_of(request),
            request.path_params["number"],
            request.query_params.get("record"),
        )
        if number > NUMBER_MAX:
            raise HTTPException(400, f"A round's number is a whole number up to {NUMBER_MAX}.")
        if typed is None:
            return table, number, None
        if not (sequence := whole_number(typed, RECORD_MAX)):
            raise HTTPException(400, "A record's number is a whole number from 1.")
        return table, number, sequence


def _named(table: str, number: int, kind: str) -> dict[str, str]:
    """The name under which a browser keeps it, in letters that every system takes."""
    safe = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_") else "_" for letter in table)
    return {"content-disposition": f'inline; filename="{safe}-round-{number}.{kind}"'}


async def unavailable(request: Request, error: Exception) -> Response:
    """What could not be shown, on a page that says why."""
    assert isinstance(error, SheetUnavailable)
    return page(request, "problem.html", error.status, text=error.why)
