"""The pages of a table's rounds: the list with its search, and each round as a dispute sheet (page, PDF, JSON)."""

from collections.abc import Callable
from typing import Final
from urllib.parse import quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dealwire.console.addresses import whole_number
from dealwire.console.rendering import page, problem
from dealwire.console.round_list import (
    EXPORTED,
    FIELDS,
    LISTED,
    BadSearch,
    as_csv,
    incident_choices,
    listed,
    outcome_choices,
    query_of,
)
from dealwire.console.sheets import Sheets, SheetUnavailable
from dealwire.journal.finding import FoundRound
from dealwire.journal.times import NoSuchTime
from dealwire.sheet.pdf import can_draw

FIELD_MAX: Final = 60
"""Maximum length of a field that the form shows again, in characters."""
NUMBER_MAX: Final = 2**32 - 1
RECORD_MAX: Final = 2**63 - 1


class SheetPages:
    """Request handlers for rounds. `known` tells whether a table of that name exists."""

    def __init__(self, sheets: Sheets, known: Callable[[str], bool]) -> None:
        self._sheets, self._known = sheets, known

    def routes(self) -> list[Route]:
        """Return the routes behind the guard; anyone who may read anything may read these."""
        return [
            Route("/table/{table}/rounds", self.rounds),
            Route("/table/{table}/rounds.csv", self.export),
            Route("/table/{table}/round", self.find),
            Route("/table/{table}/round/{number:number}", self.sheet),
            Route("/table/{table}/round/{number:number}.pdf", self.pdf),
            Route("/table/{table}/round/{number:number}.json", self.json),
        ]

    async def rounds(self, request: Request) -> Response:
        """GET: the newest rounds or the search result, and a field for a round number."""
        table, given = self._table_of(request), request.query_params
        problem, found = "", list[FoundRound]()
        try:
            found = await self._sheets.found(query_of(table, given, self._sheets.now_ns()), LISTED + 1)
        except (BadSearch, NoSuchTime) as error:
            problem = f"{str(error)[:1].upper()}{str(error)[1:]}."
        filled = {name: given.get(name, "")[:FIELD_MAX] for name in FIELDS}
        search = urlencode({name: text for name, text in filled.items() if text})
        return page(
            request,
            "rounds.html",
            400 if problem else 200,
            table=table,
            rounds=listed(found[:LISTED]),
            more=len(found) > LISTED,
            problem=problem,
            filled=filled,
            search=search,
            outcomes=outcome_choices(),
            incidents=incident_choices(),
        )

    async def export(self, request: Request) -> Response:
        """GET: the same rounds as CSV."""
        table = self._table_of(request)
        try:
            query = query_of(table, request.query_params, self._sheets.now_ns())
        except (BadSearch, NoSuchTime) as error:
            raise HTTPException(400, f"{error}.") from error
        content = as_csv(await self._sheets.found(query, EXPORTED))
        return Response(content, media_type="text/csv", headers=_named(table, "rounds", "csv", kept=True))

    async def find(self, request: Request) -> Response:
        """GET: redirect to the round whose number was entered."""
        table, typed = self._table_of(request), request.query_params.get("number", "").strip()
        number = whole_number(typed, NUMBER_MAX)
        if number is None:
            raise HTTPException(400, f"A round's number is a whole number up to {NUMBER_MAX}.")
        return RedirectResponse(f"/table/{quote(table, safe='')}/round/{number}", 303)

    async def sheet(self, request: Request) -> Response:
        """GET: one round as a page."""
        table, number, record = self._wanted(request)
        sheet, body = await self._sheets.html(table, number, record)
        return page(request, "sheet.html", sheet=sheet, body=body, record=record, can_draw=can_draw())

    async def pdf(self, request: Request) -> Response:
        """GET: one round as PDF."""
        table, number, record = self._wanted(request)
        content = await self._sheets.pdf(table, number, record)
        return Response(content, media_type="application/pdf", headers=_named(table, f"round-{number}", "pdf"))

    async def json(self, request: Request) -> Response:
        """GET: one round as JSON."""
        table, number, record = self._wanted(request)
        content = await self._sheets.json(table, number, record)
        return Response(content, media_type="application/json", headers=_named(table, f"round-{number}", "json"))

    def _table_of(self, request: Request) -> str:
        name: str = request.path_params["table"]
        if not self._known(name):
            raise HTTPException(404, "There is no table of that name.")
        return name

    def _wanted(self, request: Request) -> tuple[str, int, int | None]:
        """Return the table, the round's number, and the record that selects one of several rounds with that number."""
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


def _named(table: str, what: str, kind: str, *, kept: bool = False) -> dict[str, str]:
    """Return the header with a file name that every system accepts; `kept`: download instead of display."""
    safe = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_") else "_" for letter in table)
    return {"content-disposition": f'{"attachment" if kept else "inline"}; filename="{safe}-{what}.{kind}"'}


async def unavailable(request: Request, error: Exception) -> Response:
    """Show why a round cannot be displayed."""
    assert isinstance(error, SheetUnavailable)
    return problem(request, error.status, error.why)
