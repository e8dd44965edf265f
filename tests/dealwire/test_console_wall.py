"""The wall of a pit in a real browser: it fills the screen, faces can be read from afar, and what is new is heard."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from dealwire.console.replays import deal_capture, recorded_procedure
from dealwire.console.server import Console
from dealwire.console.wall import pace, penetration
from dealwire.hub.hub import Hub
from dealwire.hub.view import OutcomeView, ShoeView, TableView, TroubleView, UnknownView
from dealwire.table.replay import usual_table
from devices.record.capture import Capture
from tests.support.rigs.browser import TEST_S, at_most, chromium, needs_browser, picture, watched
from tests.support.rigs.consoles import CAPTURES, running

SIZES = ((1920, 1080), (2560, 1440), (3840, 2160))
GAMES = (
    *("clean-8", "race-11", "three-card", "ultimate", "crazy-4", "pai-gow", "let-it-ride"),
    *("mississippi-stud", "caribbean-stud", "208", "boston-7", "champion"),
)


@cache
def views_of(name: str) -> tuple[TableView, ...]:
    """Every view of a recorded round."""
    found = [path for path in sorted(CAPTURES.glob("*.pcapng")) if path.stem.startswith(name)]
    capture = Capture.read(found[0])
    views: list[TableView] = []
    deal_capture(capture, usual_table(recorded_procedure(capture)), name, lambda _, view: views.append(view))
    return tuple(views)


def fullest(name: str) -> TableView:
    """The moment at which most cards lie open."""

    def shown(view: TableView) -> int:
        places = [*view.community, *view.columns, *([view.dealer] if view.dealer else [])]
        return sum(len([card for card in place.cards if card != "??"]) for place in places)

    return max(views_of(name), key=shown)


def pit(hub: Hub, count: int) -> list[str]:
    """So many different tables, named by their games."""
    names = [f"pit-{number}" for number in range(1, count + 1)]
    for number, name in enumerate(names):
        hub.show(fullest(GAMES[number % len(GAMES)]).model_copy(update={"table": name}))
    return names


def lost(view: TableView) -> TableView:
    """The table once its shuffler's line is gone."""
    trouble = TroubleView(kind="line", title="shuffler is not responding", cause="the line closed", since_ns=view.at_ns)
    unknown = UnknownView(since_ns=view.at_ns, why="shuffler is not responding")
    return view.model_copy(update={"unknown": unknown, "trouble": (trouble,), "lamp": "unknown"})


def test_pace_and_penetration_are_said_only_where_they_are_known() -> None:
    view = fullest("clean-8")
    hour = 3600 * 10**9
    rounds = tuple(OutcomeView(round=n, at_ns=n * hour // 60, outcome="complete") for n in range(1, 11))
    assert pace(view.model_copy(update={"outcomes": rounds})) == 60
    assert pace(view.model_copy(update={"outcomes": rounds[:2]})) is None
    assert pace(view.model_copy(update={"outcomes": rounds[:1] * 3})) is None, "all at one moment"
    shoe = ShoeView(loaded=312, drawn=78, left=234)
    assert penetration(view.model_copy(update={"shoe": shoe})) == 25
    assert penetration(view.model_copy(update={"shoe": shoe.model_copy(update={"left": None})})) is None
    assert penetration(view.model_copy(update={"shoe": None})) is None


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
def console(hub: Hub) -> Iterator[Console]:
    with at_most(TEST_S), running(hub) as shown:
        yield shown


def look(page: Any, console: Console, path: str = "wall") -> Any:
    page.goto(console.address + path)
    page.locator("#connection[data-state=live]").wait_for(state="attached")
    return page


FACES = "all => all.map(one => one.getBoundingClientRect()).map(b => [b.height, b.left, b.right, b.top, b.bottom])"
COVERED = """() => [...document.querySelectorAll(".wall > li:not([hidden])")].flatMap((tile) => {
  const below = tile.querySelector(".tile-seats").getBoundingClientRect().top;
  const above = tile.querySelector(".tile-now, .tile-alarm").getBoundingClientRect().bottom;
  return [...tile.querySelectorAll(".card")].filter((one) => {
    const at = one.getBoundingClientRect();
    return at.bottom > below + 1 || at.top < above - 1;
  }).map((one) => `${tile.id}: ${one.textContent}`);
})"""
OUTSIDE = """() => [...document.querySelectorAll(".wall > li:not([hidden])")].flatMap((tile) => {
  const box = tile.getBoundingClientRect();
  return [...tile.querySelectorAll(".card, h2, .tile-lamp, .tile-seats li, .ticks li")].filter((one) => {
    const at = one.getBoundingClientRect();
    return at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1 || at.bottom > box.bottom + 1;
  }).map((one) => `${tile.id}: ${one.className} ${one.textContent.trim().slice(0, 20)}`);
})"""


@pytest.mark.more
@pytest.mark.every(2)
@needs_browser
@pytest.mark.parametrize("count", [1, 2, 4, 6, 8, 9, 12, 16, 20])
def test_faces_can_be_read_from_afar_and_nothing_leaves_its_tile(
    browser: Any, hub: Hub, console: Console, count: int
) -> None:
    pit(hub, count)
    for width, height in SIZES if count <= 12 else SIZES[-1:]:
        with watched(browser, console.address, viewport={"width": width, "height": height}) as window:
            page = look(window.page(), console)
            faces = page.locator(".wall .card").evaluate_all(FACES)
            assert len(faces) >= 2 * count
            assert min(face[0] for face in faces) >= height / 20 - 0.5
            assert page.evaluate(OUTSIDE) == []
            assert page.evaluate(COVERED) == [], (width, count)
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            picture(page, f"wall-{count}-{width}")


@pytest.mark.more
@needs_browser
def test_what_is_new_is_heard_once_and_stays_in_the_title(browser: Any, hub: Hub, console: Console) -> None:
    names = pit(hub, 8)
    calm = hub.views()[names[2]].model_copy(update={"trouble": (), "unknown": None})
    hub.show(calm)
    with watched(browser, console.address, viewport={"width": 1920, "height": 1080}) as window:
        page = look(window.page(), console)
        before = page.locator("[data-alarm]").count()
        page.locator("#sound").click()
        assert page.locator("#sound").inner_text() == "Sound: on"
        beeps = int(page.locator("body").get_attribute("data-beeps"))
        hub.show(lost(calm))
        page.locator(f"body[data-beeps='{beeps + 1}']").wait_for()
        assert page.title().startswith(f"({before + 1}) ")
        assert "unknown" in page.locator(f"#tile-{names[2]} .tile-lamp").inner_text()
        assert "shuffler is not responding" in page.locator(f"#tile-{names[2]} .tile-alarm").inner_text()
        assert page.locator(f"#tile-{names[2]} .next").count() == 0, "nobody knows who is to act"
        hub.show(lost(calm).model_copy(update={"round": 99}))
        page.get_by_text("was round 99").wait_for()
        assert page.locator("body").get_attribute("data-beeps") == str(beeps + 1), "the same trouble is called once"
        picture(page, "wall-8-trouble")


@pytest.mark.more
@needs_browser
def test_more_tables_than_places_take_turns_and_those_with_trouble_stay(
    browser: Any, hub: Hub, console: Console
) -> None:
    names = pit(hub, 30)
    hub.show(lost(hub.views()[names[-1]]))
    with watched(browser, console.address, viewport={"width": 1920, "height": 1080}) as window:
        page = look(window.page(), console)
        assert page.locator(".wall > li:visible").count() == 12
        assert page.locator(f"#tile-{names[-1]}").is_visible()
        assert "page 1 of 3" in page.locator("#wall-page").inner_text()
        look(page, console, f"wall?tables={names[3]},{names[4]}&title=Pit%202")
        assert page.locator(".wall > li").count() == 2
        assert page.locator("h1").inner_text() == "Pit 2"


@pytest.mark.more
@needs_browser
def test_nothing_moves_while_rounds_are_played(browser: Any, hub: Hub, console: Console) -> None:
    evenings = {f"pit-{number}": views_of(game) for number, game in enumerate(GAMES[:4], 1)}
    for name, views in evenings.items():
        hub.show(views[0].model_copy(update={"table": name}))
    with watched(browser, console.address, viewport={"width": 1920, "height": 1080}) as window:
        page = look(window.page(), console)
        page.evaluate(
            """window.moved = 0; new PerformanceObserver((list) => {
                for (const entry of list.getEntries()) window.moved += entry.value;
            }).observe({ type: "layout-shift" })"""
        )
        for at in range(max(map(len, evenings.values()))):
            for name, views in evenings.items():
                hub.show(views[at % len(views)].model_copy(update={"table": name, "sequence": at}))
            page.locator(f'main[data-sequence="{at}"]').wait_for(state="attached")
        assert page.evaluate("window.moved") < 0.05


@pytest.mark.more
@needs_browser
def test_a_table_that_is_not_there_is_named(browser: Any, hub: Hub, console: Console) -> None:
    pit(hub, 1)
    with watched(browser, console.address, forgive="404") as window:
        page = window.page()
        page.goto(console.address + "wall?tables=pit-7")
        assert "There is no table 'pit-7'; there are pit-1." in page.locator("main").inner_text()
