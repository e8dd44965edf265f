"""Nothing on a table's page moves while rounds are dealt, overlaps, is cut or too small, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from dealer_flow.procedure.load import known_procedures
from dealwire.console.server import Console
from dealwire.hub.hub import Hub
from dealwire.hub.view import TableView, TroubleView
from tests.support.dealing.full_tables import full_table
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.browser import TEST_S, at_most, chromium, needs_browser, watched
from tests.support.rigs.consoles import running

pytestmark = [needs_browser, pytest.mark.more]

SIZES: Final = {390: 844, 1400: 900, 2560: 1440, 3840: 2160}
CLS_MOST: Final = 0.05
SHIFTS: Final = """
window.shifts = 0;
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
OVERLAPS: Final = """() => {
  const texts = [...document.querySelectorAll(".seat *, .place *, .prompt *, .band *, .headline *, .seat, .place")]
    .filter(one => one.checkVisibility() && !one.closest(".unseen, [popover], [aria-hidden=true], .hand"))
    .filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.nodeValue.trim()));
  const shown = one => {
    const range = document.createRange();
    range.selectNodeContents(one);
    let box = range.getBoundingClientRect();
    let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
    for (let at = one; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowY === "visible" && style.overflowX === "visible") continue;
      box = at.getBoundingClientRect();
      [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
      [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
    }
    return { one, left, top, right, bottom };
  };
  const boxes = texts.map(shown).filter(box => box.right - box.left > 1 && box.bottom - box.top > 1);
  const found = [];
  const name = box => box.one.textContent.trim().slice(0, 30) + "/" + (box.one.closest("[id]")?.id ?? "");
  for (const [at, a] of boxes.entries()) {
    for (const b of boxes.slice(at + 1)) {
      if (a.one.contains(b.one) || b.one.contains(a.one)) continue;
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 2 && high > 4) found.push([name(a), name(b), wide, high]);
    }
    const plate = a.one.closest(".seat, .place");
    const edge = plate?.getBoundingClientRect();
    if (edge && (a.right > edge.right + 1 || a.left < edge.left - 1 || a.bottom > edge.bottom + 1))
      found.push([name(a), "out of its plate", a.right - edge.right, a.bottom - edge.bottom]);
  }
  return found;
}"""
SMALL: Final = """() => [...document.querySelectorAll("body *")]
  .filter(one => one.checkVisibility() && !one.closest(".unseen, .hand"))
  .filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.nodeValue.trim()))
  .filter(one => parseFloat(getComputedStyle(one).fontSize) < 14)
  .map(one => one.textContent.trim().slice(0, 40))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(autouse=True)
def no_test_waits_for_ever() -> Iterator[None]:
    with at_most(5 * TEST_S):
        yield


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
def console(hub: Hub) -> Iterator[Console]:
    with running(hub) as shown:
        yield shown


def look(page: Any, console: Console, path: str = "table/pit-1") -> Any:
    page.goto(console.address + path)
    page.locator("#connection[data-state=live]").wait_for()
    return page


def caught_up(page: Any, view: TableView) -> None:
    page.locator(f'main[data-sequence="{view.sequence}"]').wait_for()


@pytest.mark.parametrize("width", [390, 1400])
def test_nothing_on_the_page_moves_while_rounds_are_dealt(browser: Any, hub: Hub, console: Console, width: int) -> None:
    size = {"width": width, "height": SIZES[width]}
    with WatchedTable(hub, "demo") as table, watched(browser, console.address, viewport=size) as window:
        window.context.add_init_script(SHIFTS)
        page = look(window.page(), console)
        seen: list[TableView] = []
        table.go(lambda view: bool(seen.append(view)) or len(seen) > 3)
        caught_up(page, seen[-1])
        reports = 0
        while reports < 300:
            try:
                view = table.go(lambda view: view.sequence % 3 == 0)
            except AssertionError:
                break  # the evening is over
            caught_up(page, view)
            reports = view.sequence
        page.wait_for_timeout(100)  # the observer is notified of a frame after it was drawn
        assert reports > 100
        assert page.evaluate("window.shifts") < CLS_MOST


@pytest.mark.parametrize("width", [390, 1400])
def test_no_tile_of_the_overview_moves_for_a_trouble_that_can_wait(
    browser: Any, hub: Hub, console: Console, width: int
) -> None:
    plain = full_table("flushes-gone-wild.co", shown=True)
    names = [f"pit-{number}" for number in range(1, 9)]
    for name in names:
        hub.show(plain.model_copy(update={"table": name}))
    size = {"width": width, "height": SIZES[width]}
    with watched(browser, console.address, viewport=size) as window:
        window.context.add_init_script(SHIFTS)
        page = look(window.page(), console, "")
        for round_number in range(1, 13):
            held = TroubleView(
                kind="held", title=f"Money from round {round_number} is held", cause="why " * 30, cents=1
            )
            lamp = TroubleView(kind="device", title="shuffler needs attention", cause="its door is open")
            troubled = (lamp, held)[: round_number % 3]
            name = names[round_number % 8]
            later = {"table": name, "round": 90 + round_number, "trouble": troubled, "state": "dealing"}
            hub.show(plain.model_copy(update=later | {"sequence": plain.sequence + round_number}))
            page.locator(f"#tile-{name} .tile-round", has_text=str(90 + round_number)).wait_for()
        assert page.locator(".tile-alarm").count() > 3
        assert page.locator(".tile h2").all_inner_texts() == names
        page.wait_for_timeout(100)  # the observer is notified of a frame after it was drawn
        assert page.evaluate("window.shifts") < CLS_MOST


@pytest.mark.parametrize("width", [390, 1400])
def test_a_worse_trouble_comes_in_sight_before_the_other_and_moves_nothing(
    browser: Any, hub: Hub, console: Console, width: int
) -> None:
    plain = full_table("flushes-gone-wild.co", shown=True)
    lamp = TroubleView(kind="red-lamp", title="The red lamp is on", cause="packet long (302)", advice="Swipe a badge")
    void = TroubleView(kind="misdeal", title="The round is void", cause="why " * 60, advice="Take the cards in")
    hub.show(plain.model_copy(update={"trouble": (lamp,)}))
    size = {"width": width, "height": SIZES[width]}
    with watched(browser, console.address, viewport=size) as window:
        window.context.add_init_script(SHIFTS)
        page = look(window.page(), console)
        later = plain.model_copy(update={"sequence": plain.sequence + 1, "trouble": (void, lamp)})
        hub.show(later)
        caught_up(page, later)
        page.wait_for_timeout(100)  # the observer is notified of a frame after it was drawn
        worst = page.locator(".banner").first
        assert worst.get_attribute("data-kind") == "misdeal"
        assert worst.evaluate("one => one.getBoundingClientRect().left") >= 0
        edges = worst.evaluate("one => [one, one.querySelector('.advice')].map(each => each.getBoundingClientRect())")
        assert edges[1]["bottom"] < edges[0]["bottom"]  # what to do is in sight, however long the cause is
        assert page.evaluate("window.shifts") < CLS_MOST


def test_a_page_is_no_longer_after_fifty_rounds(browser: Any, hub: Hub, console: Console) -> None:
    with WatchedTable(hub, "clean-3") as table, watched(browser, console.address) as window:
        page = look(window.page(), console)
        view = table.go(lambda view: view.settlement is not None)
        caught_up(page, view)
        before = page.evaluate("document.documentElement.scrollHeight")
        lines = [
            line.model_copy(update={"sequence": 1000 + at, "clause": "47.1-1022", "round": 1 + at})
            for at in range(100)
            for line in view.log[:1]
        ]
        later = view.model_copy(
            update={
                "sequence": view.sequence + 1,
                "log": tuple(lines),
                "outcomes": tuple(view.outcomes[0].model_copy(update={"round": at}) for at in range(41, 51)),
            }
        )
        hub.show(later)
        caught_up(page, later)
        assert page.evaluate("document.documentElement.scrollHeight") == before
        assert page.evaluate("document.querySelector('main').getBoundingClientRect().bottom") > before - 4


FEW: Final = (
    *("flushes-gone-wild.co", "ultimate-texas-holdem.co", "pai-gow.co"),
    *("race-to-the-flush", "208.co", "players-choice.co", "holdem.co"),
)


@pytest.mark.parametrize("width", SIZES)
@pytest.mark.parametrize("procedures", [FEW, pytest.param(known_procedures(), marks=pytest.mark.slow)], ids=len)
def test_nothing_overlaps_at_the_most_seats_of_a_game(
    browser: Any, hub: Hub, console: Console, procedures: tuple[str, ...], width: int
) -> None:
    size = {"width": width, "height": SIZES[width]}
    hub.show(full_table(procedures[0]))
    with watched(browser, console.address, viewport=size) as window:
        page = look(window.page(), console)
        for number, procedure in enumerate(procedures, 2):
            view = full_table(procedure, shown=True).model_copy(update={"sequence": number})
            hub.show(view)
            caught_up(page, view)
            assert page.evaluate(OVERLAPS) == [], procedure
            assert page.evaluate("document.documentElement.scrollWidth") <= width, procedure
            assert page.evaluate(SMALL) == [], procedure


def test_a_felt_fills_the_screen_it_is_shown_on(browser: Any, hub: Hub, console: Console) -> None:
    hub.show(full_table("flushes-gone-wild.co"))
    cards = {}
    for width, height in SIZES.items():
        with watched(browser, console.address, viewport={"width": width, "height": height}) as window:
            page = look(window.page(), console)
            assert page.locator(".felt").bounding_box()["width"] > 0.7 * width
            cards[width] = page.locator("#dealer .card").first.bounding_box()["width"]
    assert cards[1400] < cards[2560] < cards[3840]
