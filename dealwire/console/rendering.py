"""Views to HTML, section by section. A section is rendered anew only when what it shows has changed, once for all who
look at it. Everything a page shows goes through templates that escape it.
"""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from dealwire.console import words
from dealwire.hub.view import TableView

HERE: Final = Path(__file__).parent

MEDIA_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

ASSETS: Final[dict[str, bytes]] = {
    path.name: path.read_bytes() for path in sorted((HERE / "static").iterdir()) if path.suffix in MEDIA_TYPES
}
"""What pages load, by name. A request is looked up here and never becomes a path."""

BUILD: Final = hashlib.sha256(
    b"".join(path.read_bytes() for path in sorted(HERE.rglob("*")) if path.suffix in {*MEDIA_TYPES, ".html"})
).hexdigest()[:16]
"""Names the pages and what they load; a page of another build loads itself again."""

Pick = Callable[[Any], object]

SECTIONS: Final[dict[str, Pick]] = {
    "headline": lambda v: (v.title, v.procedure, v.clause, v.round, v.state, v.last_outcome, v.safe_stop),
    "lamp": lambda v: (v.red_lamp, v.red_lamp_text, v.safe_stop),
    "felt": lambda v: (v.seats, v.dealer, v.community, v.columns, v.state, words.awaited(v)),
    "packets": lambda v: (v.packets, v.remainder, v.deck, v.shuffler),
    "meters": lambda v: v.meters,
    "devices": lambda v: v.devices,
    "next": lambda v: v.next,
    "log": lambda v: v.log,
}
"""The parts of a table's page, each with what it depends on."""
OVERVIEW: Final[dict[str, Pick]] = {
    "tables": lambda views: [v.model_copy(update={"sequence": 0, "at_ns": 0, "log": ()}) for v in views.values()]
}
"""Of the page of all tables, which shows a view of each by name."""


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    for function in (words.face, words.hand_words, words.money, words.clock_time, words.iso_time, words.count_words):
        made.filters[function.__name__] = function
    for other in (words.is_wrong, words.by_actor, words.troubled, words.stake, words.awaited):
        made.filters[other.__name__] = other
    made.globals |= {"BUILD": BUILD, "SEAT_SIGNS": words.SEAT_SIGNS, "LINK_SIGNS": words.LINK_SIGNS}
    return made


_ENVIRONMENT: Final = _environment()


def compile_all() -> None:
    """Compile every template now: when the first page asks for it, it would take the tables' time, 0.1 s in all."""
    for name in _ENVIRONMENT.list_templates(extensions=["html"]):
        _ENVIRONMENT.get_template(name)


def render(template: str, **values: object) -> str:
    """One template, with `values`."""
    return _ENVIRONMENT.get_template(template).render(values)


def page(request: Request, template: str, status: int = 200, live: str = "", **values: object) -> HTMLResponse:
    """A whole page; `live` is the address of its live line, if it has one."""
    known = {"role": request.state.role, "path": request.url.path, "live": live}
    return HTMLResponse(render(template, **known | values), status)


def render_sections(view: TableView) -> dict[str, str]:
    """Every section of one view."""
    return {name: render(f"sections/{name}.html", view=view) for name in SECTIONS}


class Sheet:
    """A page's sections as they are now, each with a number that rises whenever it changes."""

    def __init__(self, sections: Mapping[str, Pick] = SECTIONS) -> None:
        self._sections, self._view = sections, object()
        self._parts: dict[str, tuple[object, int, str]] = {}
        self._version = 0

    def show(self, view: object) -> None:
        """Render what differs from the view before."""
        if view is self._view:
            return
        self._view = view
        for name, pick in self._sections.items():
            shown = pick(view)
            before = self._parts.get(name)
            if before is None or before[0] != shown:
                self._version += 1
                self._parts[name] = shown, self._version, render(f"sections/{name}.html", view=view)

    def changes(self, sent: Mapping[str, int]) -> dict[str, tuple[int, str]]:
        """Sections newer than a reader's, by name: the number and the HTML."""
        return {
            name: (version, html) for name, (_, version, html) in self._parts.items() if sent.get(name, 0) < version
        }

    @property
    def html(self) -> dict[str, str]:
        """Every section."""
        return {name: html for name, (_, _, html) in self._parts.items()}
