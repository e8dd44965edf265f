"""Every page and every trouble of the console as pictures for people to look at, in `build/screenshots/gallery`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, Final

import pytest

from dealwire.config.table_parts import DevicePart
from dealwire.hub.hub import Hub
from dealwire.hub.view import TableView
from dealwire.service.actions import faults, of_table, offered
from tests.support.dealing.full_tables import full_table
from tests.support.evenings.reported_table import colorado, reading
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.browser import SCREENSHOTS, TEST_S, at_most, chromium, needs_browser, watched
from tests.support.rigs.consoles import TOKENS, running

pytestmark = [needs_browser, pytest.mark.slow]

SIZES: Final = {390: 844, 1400: 900, 2560: 1440, 3840: 2160}
Until = Callable[[TableView], bool]

TABLES: Final[dict[str, tuple[Any, Until]]] = {
    "deciding": (reading("clean-8"), lambda view: view.state == "deciding" and view.seats[2].decision is not None),
    "shown": (reading("clean-8"), lambda view: view.state == "revealing" and "??" not in view.seats[2].cards),
    "won": (reading("clean-8"), lambda view: view.settlement is not None),
    "red-lamp": ("dealer-long", lambda view: view.lamp == "lit"),
    "dead-hand": ("player-short", lambda view: any(seat.status == "dead" for seat in view.seats)),
    "void": ("community-short", lambda view: view.state == "void"),
    "halted": ("wrong-burn", lambda view: view.state == "halted"),
    "held": ("wrong-burn", lambda view: bool(view.held)),
    "safe-stop": ("clean-3", lambda view: view.state == "deciding"),
    "supervisor": ("lost-card", lambda view: any(each.kind == "supervisor" for each in view.trouble)),
}
FULL: Final = ("ultimate-texas-holdem.co", "race-to-the-flush", "pai-gow.co", "208.co", "players-choice.co")
PAGES: Final = (
    *("replay", "replay/race-11.tdp.pcapng?step=40", "replay/clean-8.pcapng?step=90", "sign-in", "bench", "nowhere"),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


def photograph(browser: Any, address: str, width: int, scheme: str, paths: dict[str, str]) -> None:
    """Every page as a supervisor sees it on a screen of this width; on a phone's also the whole of it."""
    folder = SCREENSHOTS / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    options = {"viewport": {"width": width, "height": SIZES[width]}, "color_scheme": scheme}
    with watched(browser, address, forgive="status of 40", reduced_motion="reduce", **options) as window:
        page = window.page(f"{address}sign-in")
        page.get_by_label("Token").fill(TOKENS["supervisor"])
        page.get_by_label("Token").press("Enter")
        page.get_by_role("button", name="Sign out").wait_for()
        for name, path in paths.items():
            page.goto(address + path)
            (folder / f"{name}-{width}-{scheme}.png").write_bytes(page.screenshot())
            if width == min(SIZES):
                (folder / f"{name}-{width}-{scheme}-whole.png").write_bytes(page.screenshot(full_page=True))


def test_pictures_of_every_page_and_trouble(browser: Any) -> None:
    device = DevicePart.model_validate(
        {"name": "shuffler", "kind": "shuffler", "address": "serial:/dev/ttyUSB0", "role": "control"}
    )
    buttons = [*offered([device], colorado().flow.procedure), *of_table(), *faults()]
    hub = Hub()
    with at_most(20 * TEST_S), ExitStack() as stack:
        console = stack.enter_context(running(hub, actions=dict.fromkeys((*TABLES, *FULL), buttons)))
        for name, (scenario, until) in TABLES.items():
            table = stack.enter_context(WatchedTable(hub, scenario, name=name))
            view = table.go(until)
            if name == "safe-stop":
                why = "the journal cannot be written: No space left on device"
                table.do(lambda viewer, why=why, at_ns=view.at_ns: viewer.safe_stop(why, at_ns))
        for name in FULL:
            hub.show(full_table(name, shown=True, name=name))
        paths = {"tables": "", **{name: f"table/{name}" for name in (*TABLES, *FULL)}}
        paths |= {"page-" + path.partition("?")[0].replace("/", "-"): path for path in PAGES}
        for width in SIZES:
            for scheme in ("light", "dark"):
                photograph(browser, console.address, width, scheme, paths)
