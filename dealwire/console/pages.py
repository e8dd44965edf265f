"""The pages: tables, one table, its bench, recordings. Later changes arrive over the live connection."""

from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from dealwire.console.action_endpoint import ActionEndpoint
from dealwire.console.addresses import whole_number
from dealwire.console.approving import ApprovalDoor
from dealwire.console.board import WALL, Board
from dealwire.console.oidc_door import OidcDoor
from dealwire.console.openapi import document
from dealwire.console.passkey_door import PasskeyDoor
from dealwire.console.rendering import ASSETS, BUILD, MEDIA_TYPES, page, problem, render_sections
from dealwire.console.replays import Replay, ReplayUnusable, Shelf
from dealwire.console.sheet_pages import SheetPages, unavailable
from dealwire.console.sheets import Sheets, SheetUnavailable
from dealwire.console.sign_in import SignIn
from dealwire.console.words import date_time, iso_time
from dealwire.hub.log_view import log_json
from dealwire.hub.view import TableView

NAME_MAX: Final = 200
"""Maximum length of a name in an address, in characters."""
TITLE_MAX: Final = 40
"""Maximum length of a wall's heading, in characters."""


class Pages:
    """Request handlers of all pages."""

    def __init__(
        self,
        board: Board,
        door: SignIn,
        endpoint: ActionEndpoint,
        shelf: Shelf,
        sheets: Sheets,
        passkeys: PasskeyDoor | None = None,
        oidc: OidcDoor | None = None,
        approvals: ApprovalDoor | None = None,
    ) -> None:
        self._board, self._door, self._endpoint, self._shelf = board, door, endpoint, shelf
        self._passkeys, self._oidc, self._approvals = passkeys, oidc, approvals
        self._sheets = SheetPages(sheets, lambda table: table in self._views)

    def app(self) -> Starlette:
        """Return the application behind the guard."""
        app = Starlette(
            routes=[
                Route("/", self.overview),
                Route("/wall", self.wall),
                Route("/log.json", self.log),
                Route("/table/{table}", self.table),
                Route("/table/{table}/replay", self.recordings),
                Route("/table/{table}/act/{action}", self._endpoint.act, methods=["POST"]),
                *(self._approvals.routes() if self._approvals is not None else ()),
                *self._sheets.routes(),
                Route("/bench", self.bench),
                Route("/replay", self.recordings),
                Route("/replay/{recording}", self.replay),
                Route("/replay/{recording}/steps", self.steps),
                Route("/replay/{recording}/step/{number:number}", self.step),
                # One route for both methods: of two, the answer to any other method would name the first one's alone.
                Route("/sign-in", self._door.enter, methods=["GET", "POST"]),
                *(self._passkeys.routes() if self._passkeys is not None else ()),
                *(self._oidc.routes() if self._oidc is not None else ()),
                Route("/sign-out", self._door.sign_out, methods=["POST"]),
                Route("/static/{name}", asset),
                Route("/favicon.ico", favicon),
                Route("/openapi.json", interface),
                WebSocketRoute("/live", self.live),
                WebSocketRoute("/wall/live", self.wall_live),
                WebSocketRoute("/live/{table}", self.live),
            ],
            exception_handlers={
                HTTPException: _problem,
                ReplayUnusable: _bad_recording,
                SheetUnavailable: unavailable,
            },
        )
        app.router.redirect_slashes = False
        return app

    async def overview(self, request: Request) -> Response:
        """GET /: the tiles of the wall for every table, on a page that scrolls."""
        return page(
            request,
            "wall.html",
            live="/wall/live",
            sections=self._board.sections(WALL),
            tables=[*self._views],
            title="Tables",
            fills=False,
        )

    async def wall(self, request: Request) -> Response:
        """GET /wall: the tables of a pit, as large as the screen allows. `tables` names those shown, `title` is the
        heading."""
        named = request.query_params.get("tables", "")
        wanted = [name for name in named.split(",") if name]
        unknown = sorted(set(wanted) - self._views.keys())
        if unknown:
            raise HTTPException(
                404, f"There is no table {unknown[0][:NAME_MAX]!r}; there are {', '.join(self._views)}."
            )
        sections, title = self._board.sections(WALL), request.query_params.get("title", "Tables")[:TITLE_MAX]
        return page(
            request,
            "wall.html",
            live="/wall/live",
            sections=sections,
            tables=wanted or [*self._views],
            title=title,
            fills=True,
        )

    async def log(self, _: Request) -> Response:
        """GET /log.json: the journal's log, its newest checkpoint, and who cosigned it."""
        if self._board.log is None:
            raise HTTPException(404, "The journal of this console signs no checkpoints.")
        return JSONResponse(log_json(self._board.log))

    async def wall_live(self, line: WebSocket) -> None:
        """Live connection of the wall."""
        await self._board.serve(line, WALL, line.state.session)

    async def table(self, request: Request) -> Response:
        """GET /table/NAME: one live table."""
        name = self._table_of(request)
        return self._with_table(request, "table.html", name, two_people=self._endpoint.has_two_people(name))

    async def bench(self, request: Request) -> Response:
        """GET /bench: fault buttons, at simulated tables."""
        benches = [name for name in self._views if self._endpoint.has_bench(name)]
        name = request.query_params.get("table", benches[0] if benches else "")
        if not benches:
            return page(request, "no-bench.html")
        if name not in benches:
            raise HTTPException(404, "There is no bench for a table of that name.")
        return self._with_table(request, "bench.html", name, benches=benches)

    async def recordings(self, request: Request) -> Response:
        """GET /replay: all recordings; for a table, those of its procedure and its own journal."""
        table = self._table_of(request) if "table" in request.path_params else None
        procedure = self._views[table].procedure if table is not None else None
        entries = await self._shelf.entries(table, procedure)
        return page(request, "recordings.html", entries=entries, table=table)

    async def replay(self, request: Request) -> Response:
        """GET /replay/NAME: a recording at one of its steps."""
        replay = await self._replay_of(request, anew=True)
        number = _number(request, "step", 8)
        if "at" in request.query_params:
            found = replay.step_at(_number(request, "at", 15), number)
            if found is None:
                raise HTTPException(404, f"{replay.title} no longer shows that moment.")
            number = found
        number = min(number, len(replay.steps) - 1)
        step = replay.steps[number]
        return page(
            request,
            "replay.html",
            replay=replay,
            number=number,
            step=step,
            view=step.view,
            sections=render_sections(step.view),
        )

    async def steps(self, request: Request) -> Response:
        """Return the index of a recording as JSON: milliseconds of each step from the first, and the steps at which a
        round starts, an incident occurs, or a player acts with chips."""
        replay = await self._replay_of(request)
        return JSONResponse({"build": BUILD, **replay.index})

    async def step(self, request: Request) -> Response:
        """Return the sections of one step as JSON."""
        replay, number = await self._replay_of(request), request.path_params["number"]
        if number >= len(replay.steps):
            raise HTTPException(404, "The recording has no such step.")
        step = replay.steps[number]
        step_words = {"what": step.what, "when": date_time(step.at_ns), "at": iso_time(step.at_ns)}
        return JSONResponse({"build": BUILD, **step_words, "sections": render_sections(step.view)})

    async def live(self, line: WebSocket) -> None:
        """Live connection of a table's page, or of the overview."""
        await self._board.serve(line, line.path_params.get("table", WALL)[:NAME_MAX], line.state.session)

    # ------------------------------------------------------------------ inside

    @property
    def _views(self) -> dict[str, TableView]:
        return self._board.views

    def _table_of(self, request: Request) -> str:
        name: str = request.path_params["table"]
        if name not in self._views:
            raise HTTPException(404, "There is no table of that name.")
        return name

    async def _replay_of(self, request: Request, *, anew: bool = False) -> Replay:
        return await self._shelf.replay(request.path_params["recording"][:NAME_MAX], anew=anew)

    def _with_table(self, request: Request, template: str, name: str, **values: Any) -> Response:
        return page(
            request,
            template,
            live=f"/live/{quote(name, safe='')}",
            view=self._views[name],
            sections=self._board.sections(name),
            has_log=self._board.log is not None,
            **values,
        )


def _number(request: Request, name: str, digits: int) -> int:
    """Return a number from the query; 0 if it is missing, not a number, or longer than `digits`."""
    return whole_number(request.query_params.get(name, "0"), 10**digits - 1) or 0


async def asset(request: Request) -> Response:
    """GET /static/NAME: a style sheet, script or image, looked up by name. Browsers cache it for the current build."""
    name = request.path_params["name"]
    if name not in ASSETS:
        raise HTTPException(404, "There is no such file.")
    media_type = MEDIA_TYPES[f".{name.rpartition('.')[2]}"]
    kept = "public, max-age=31536000, immutable" if request.query_params.get("v") == BUILD else "no-cache"
    return Response(ASSETS[name], media_type=media_type, headers={"cache-control": kept})


async def favicon(_: Request) -> Response:
    """GET /favicon.ico: the icon at its traditional address."""
    return Response(ASSETS["icon.svg"], media_type="image/svg+xml")


async def interface(_: Request) -> Response:
    """Serve the description of this console's addresses."""
    return JSONResponse(document())


async def _problem(request: Request, error: Exception) -> Response:
    status, text = (error.status_code, error.detail) if isinstance(error, HTTPException) else (500, "")
    if status == 404 and text == HTTPStatus.NOT_FOUND.phrase:
        text = "There is no such page."
    return problem(request, status, text, error.headers if isinstance(error, HTTPException) else None)


async def _bad_recording(request: Request, error: Exception) -> Response:
    assert isinstance(error, ReplayUnusable)
    return problem(request, error.status, str(error))
