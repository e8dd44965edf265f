"""Rendering of views as HTML, section by section.

A section is rendered again only when its data changed, once for all pages that show it. Everything that a page shows
passes through autoescaping templates.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.filters import do_urlencode
from markupsafe import Markup, escape
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from dealwire.console import betting, scene, wall, words
from dealwire.hub.actions import Action
from dealwire.hub.log_view import LogView
from dealwire.hub.view import TableView
from dealwire.sheet.html import STYLE as SHEET_STYLE
from dealwire.table.action_words import pots_words, won_words
from dealwire.table.id_words import id_words
from dealwire.table.pots_won import pots_won
from rules.settlement import amount

HERE: Final = Path(__file__).parent

MEDIA_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

ASSETS: Final[dict[str, bytes]] = {
    path.name: path.read_bytes() for path in sorted((HERE / "static").iterdir()) if path.suffix in MEDIA_TYPES
} | {"sheet.css": SHEET_STYLE.encode()}
"""Files that pages load, by name. A request is looked up here and never becomes a path."""

BUILD: Final = hashlib.sha256(
    b"".join(path.read_bytes() for path in sorted(HERE.rglob("*")) if path.suffix in {*MEDIA_TYPES, ".html"})
    + ASSETS["sheet.css"]
).hexdigest()[:16]
"""Identifies the version of pages and assets; a page of another build reloads itself."""

Actions = Sequence[Action]
Pick = Callable[[Any, Actions], object]

SECTIONS: Final[dict[str, Pick]] = {
    "headline": lambda v, _: (
        v.title,
        v.procedure,
        v.clause,
        v.edition,
        v.round,
        v.state,
        v.unknown,
        not v.reported_ns,
    ),
    "trouble": lambda v, _: (v.trouble, v.devices, v.unknown is None, v.outcomes[-1:]),
    "heard": lambda v, _: v.reported_ns,
    "lamp": lambda v, _: (v.lamp, v.lamp_since_ns, v.red_lamp, v.red_lamp_text),
    "calls": lambda v, actions: scene.offers(actions, v, "calls"),
    "felt": lambda v, _: (
        *(v.seats, v.dealer, v.community, v.columns, v.state, v.won, v.next, v.room),
        *(v.betting, v.unknown, not v.reported_ns, v.safe_stop, v.settlement, v.outcomes[-1:], scene.halted_by(v)),
    ),
    "money": lambda v, actions: (
        *(v.settlement, v.held, v.held_count, v.unknown is None),
        scene.offers(actions, v, "held"),
    ),
    "outcomes": lambda v, _: v.outcomes,
    "packets": lambda v, _: (v.packets, v.remainder, v.deck, v.shuffler, v.shoe, v.unknown is None),
    "meters": lambda v, _: (v.meters, v.moved, v.posting, v.cautions),
    "devices": lambda v, _: v.devices,
    "next": lambda v, _: (v.next, v.unknown, v.safe_stop, v.state, scene.halted_by(v)),
    "log": lambda v, _: v.log,
    "pending": lambda v, actions: (v.pending, scene.offers(actions, v, "pending")),
    "acts": lambda v, actions: scene.offers(actions, v, "acts"),
    "faults": lambda v, actions: scene.offers(actions, v, "faults"),
}
"""Sections of a table's page, each with the data that it depends on."""
ENDING: Final = ("money", "outcomes")
"""Sections that show how a round ended and what is paid."""
ROWS_MAX: Final = 256
"""Maximum number of rendered list rows that a page caches: more than it shows."""


def round_link(text: object, table: str, number: int, live: bool) -> object:
    """Return `text` as a link to a round of a live table."""
    if not live:
        return text
    return Markup(f'<a href="/table/{escape(do_urlencode(table))}/round/{number}">{escape(text)}</a>')


_FILTERS: Final = (
    round_link,
    *(words.face, words.hand_words, amount, words.figure, words.brief_figure, words.signed),
    *(words.clock, words.clock_time, words.date_time, words.iso_time, words.since, words.age, words.count_words),
    *(words.is_wrong, words.by_actor, words.numbers_words, words.about_device, words.seal_words),
    *(scene.prompt, scene.places, scene.columns_of, scene.bets_shown, scene.banners, scene.nets),
    *(
        wall.alarms,
        wall.groupby_table,
        wall.first_words,
        wall.pace,
        wall.penetration,
        wall.on_tile,
        wall.spots,
        wall.road,
        wall.last_words,
    ),
    *(
        betting.is_in_turn,
        betting.last_action,
        betting.chip_lines,
        betting.is_wide,
        betting.pot_lines,
        betting.recent_actions,
        betting.street,
    ),
    *(betting.pot_title, betting.pot_winners, pots_won, pots_words, won_words, id_words),
    *(scene.may_continue, scene.is_next, scene.may_happen, scene.result_words, scene.bets_scroll, scene.held_words),
    *(scene.ending, scene.net_of, scene.bets_of, scene.newest, scene.offers, scene.grouped),
)
"""Functions that templates may call, by name."""


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {function.__name__: function for function in _FILTERS}
    made.globals |= {"BUILD": BUILD, "SEAT_SIGNS": words.SEAT_SIGNS, "LINK_SIGNS": words.LINK_SIGNS}
    made.globals |= {"STATES": scene.STATES, "POTS_SHOWN": betting.POTS_SHOWN}
    return made


_ENVIRONMENT: Final = _environment()


def compile_all() -> None:
    """Compile every template now. On first use this would delay the tables by 0.1 s in all."""
    for name in _ENVIRONMENT.list_templates(extensions=["html"]):
        _ENVIRONMENT.get_template(name)


def render(template: str, **values: object) -> str:
    """Render one template with `values`."""
    return _ENVIRONMENT.get_template(template).render(values)


def row(name: str, line: object, table: str, live: bool, currency: str = "", first: bool = False) -> Markup:
    """Render one list row. It depends on its arguments alone, so it can be cached."""
    return Markup(render(f"rows/{name}.html", line=line, table=table, live=live, currency=currency, first=first))


def page(request: Request, template: str, status: int = 200, live: str = "", **values: object) -> HTMLResponse:
    """Return a whole page; `live` is the address of its live connection, if it has one."""
    session = request.state.session
    user = session.user if session is not None else ""
    known = {"role": request.state.role, "user": user, "path": request.url.path, "live": live}
    return HTMLResponse(render(template, **known | values), status)


def as_json(headers: Headers, status: int, text: str, more: Mapping[str, str] | None = None) -> Response | None:
    """Return an answer as JSON for a client that asks for it, else None."""
    if "application/json" not in headers.get("accept", ""):
        return None
    return JSONResponse({"good": status == 200, "text": text}, status, more)


def problem(request: Request, status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error: JSON for a client that asks for it, else a page."""
    if answer := as_json(request.headers, status, text or HTTPStatus(status).phrase, headers):
        return answer
    shown = page(request, "problem.html", status, text=text)
    shown.headers.update(headers or {})
    return shown


def render_sections(view: TableView) -> dict[str, str]:
    """Render every section of a recorded view: without actions and without links to live tables."""
    return {name: render(f"sections/{name}.html", view=view, actions=(), live=False, row=row) for name in SECTIONS}


TILE: Final[dict[str, Pick]] = {
    "tile": lambda v, _: v.model_copy(update={"sequence": 0, "at_ns": 0, "log": (), "reported_ns": 0, "devices": ()})
}
"""Section of one table on the wall."""
LOG: Final[dict[str, Pick]] = {"witnesses": lambda shown, _: (shown.log, shown.minute)}
"""Section of the overview with the journal's log and its witnesses."""
RIBBON: Final[dict[str, Pick]] = {"ribbon": lambda views, _: [(view.table, view.trouble) for view in views.values()]}
"""Section of the wall with the problems of all tables."""


class LogShown(NamedTuple):
    """The state of the journal's log as a page shows it at a time: ages are in minutes."""

    log: LogView | None
    now_ns: int

    @property
    def minute(self) -> int:
        """Number of the minute, with which its ages change."""
        return self.now_ns // (60 * 10**9) if self.log is not None else 0


NO_LOG: Final = LogShown(None, 0)


class PageSections:
    """The sections of a page as last rendered, each with a version number that rises on every change.

    `actions` are the actions of the table. `yield_to_owner` is called before each section is rendered, and may wait.
    """

    def __init__(
        self,
        sections: Mapping[str, Pick] = SECTIONS,
        actions: Actions = (),
        yield_to_owner: Callable[[], None] = lambda: None,
    ) -> None:
        self._sections, self._actions, self._view = sections, actions, object()
        self._yield_to_owner = yield_to_owner
        self._parts: dict[str, tuple[object, int, str]] = {}
        self._version = 0
        self._row = lru_cache(ROWS_MAX)(row)
        """Cached rows: a list gains a row and keeps the others."""

    def show(self, view: object, only: Collection[str] = ()) -> None:
        """Render what changed since the last view; only the sections named in `only`, if any."""
        if view is self._view:
            return
        if not only:
            self._view = view
        for name in only or self._sections:
            shown = self._sections[name](view, self._actions)
            before = self._parts.get(name)
            if before is None or before[0] != shown:
                self._yield_to_owner()
                self._version += 1
                template = f"sections/{name}.html"
                html = render(template, view=view, actions=self._actions, live=True, row=self._row)
                self._parts[name] = shown, self._version, html

    def changes(self, sent: Mapping[str, int]) -> dict[str, tuple[int, str]]:
        """Return the sections newer than those a page has, by name: version and HTML."""
        return {
            name: (version, html) for name, (_, version, html) in self._parts.items() if sent.get(name, 0) < version
        }

    @property
    def html(self) -> dict[str, str]:
        """Every section, by name."""
        return {name: html for name, (_, _, html) in self._parts.items()}


class WallSections:
    """The sections of the wall: `tile-NAME` for each table, the `ribbon`, and the `witnesses` of the overview. Each is
    rendered again only when its data changed."""

    def __init__(self, yield_to_owner: Callable[[], None] = lambda: None) -> None:
        self._ribbon, self._yield_to_owner = PageSections(RIBBON, yield_to_owner=yield_to_owner), yield_to_owner
        self._log = PageSections(LOG, yield_to_owner=yield_to_owner)
        self._tiles: dict[str, PageSections] = {}
        self._views: dict[str, TableView] = {}

    def show(self, views: Mapping[str, TableView], log: LogShown = NO_LOG) -> None:
        """Render what changed since the last views."""
        self._log.show(log)
        for name, view in views.items():
            if self._views.get(name) is not view:
                self._views[name] = view
                self._tiles.setdefault(name, PageSections(TILE, yield_to_owner=self._yield_to_owner)).show(view)
        self._ribbon.show(dict(views))

    def changes(self, sent: Mapping[str, int]) -> dict[str, tuple[int, str]]:
        """Return the sections newer than those a page has, by name: version and HTML."""
        found = self._ribbon.changes(sent) | self._log.changes(sent)
        for name, tile in self._tiles.items():
            key = f"tile-{name}"
            for each in tile.changes({"tile": sent.get(key, 0)}).values():
                found[key] = each
        return found

    @property
    def html(self) -> dict[str, str]:
        """Every section, by name."""
        return (
            self._ribbon.html
            | self._log.html
            | {f"tile-{name}": tile.html["tile"] for name, tile in self._tiles.items()}
        )
