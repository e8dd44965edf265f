"""No words of any page are cut, too small or too faint: phone to wall, light and dark, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from dealwire.console.server import Console
from dealwire.console.tokens import Tokens
from dealwire.hub.hub import Hub
from dealwire.hub.view import (
    DeviceView,
    HeldView,
    LegalView,
    OutcomeView,
    PendingView,
    TableView,
    TroubleKind,
    TroubleView,
)
from dealwire.service.actions import faults, of_table, of_two_people
from dealwire.table.trouble import WORDS
from tests.dealwire.test_console_betting import at, ended
from tests.dealwire.test_console_layout import SIZES, SMALL
from tests.dealwire.test_console_wall import fullest, lost, views_of
from tests.support.dealing.full_tables import full_table
from tests.support.rigs.browser import TEST_S, at_most, chromium, needs_browser, picture, watched
from tests.support.rigs.consoles import ACTIONS, CAPTURES, TOKENS, running

pytestmark = [needs_browser, pytest.mark.more]

LISTS: Final = ".log, .scrolls, .banners, .wagers, .pot-list, .rounds, .sheet .rows, .calls-place, select, .ticks"
"""Elements that scroll or leave out whole entries: lists with more entries than fit."""
CUT: Final = f"""() => [...document.querySelectorAll("body *")]
  .filter(one => one.checkVisibility() && !one.closest(".unseen, .hand, svg") && !one.matches("{LISTS}"))
  .filter(one => one.textContent.trim() && one.clientWidth !== 1)
  .filter(one => {{
    const style = getComputedStyle(one);
    const high = style.overflowY !== "visible" && one.scrollHeight > one.clientHeight + 1;
    const wide = style.overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1;
    return style.display !== "inline" && (high || wide);
  }})
  .map(one => [one.tagName + "." + one.className, one.textContent.trim().replace(/\\s+/g, " ").slice(0, 60),
    one.scrollHeight - one.clientHeight, one.scrollWidth - one.clientWidth])"""
OUT: Final = """lists => {
  const boxes = ".tile, .panel, .banner, .seat, .place, .lamp, .prompt, button, .button, .held-item, .ticks li"
    + ", .tile-seats li, .tile-alarm, .tile-now, .ribbon li, .answer, .totals > div, .act";
  const found = [];
  for (const box of document.querySelectorAll(boxes)) {
    if (!box.checkVisibility() || box.closest(".unseen, .log, .scrolls, [popover]")) continue;
    const edge = box.getBoundingClientRect();
    const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const at = node.parentElement;
      if (!node.nodeValue.trim() || !at.checkVisibility()) continue;
      if (at.closest(".unseen, .hand, [popover]") || at.clientWidth === 1) continue;
      if (box.contains(at.closest(lists)) && at.closest(lists) !== box) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const text = range.getBoundingClientRect();
      const over = [edge.left - text.left, edge.top - text.top, text.right - edge.right, text.bottom - edge.bottom];
      const words = node.nodeValue.trim().slice(0, 50);
      if (Math.max(...over) > 2) found.push([box.className, words, ...over.map(Math.round)]);
    }
  }
  return found;
}"""
PICKED: Final = """() => [...document.querySelectorAll("select")].filter(one => one.checkVisibility()).filter(one => {
  const style = getComputedStyle(one), pen = document.createElement("canvas").getContext("2d");
  pen.font = style.font;
  const words = one.selectedOptions[0]?.textContent ?? "";
  const room = one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 20;
  return pen.measureText(words).width > room;
}).map(one => one.selectedOptions[0].textContent)"""
HALF: Final = """() => [...document.querySelectorAll(".ticks")].flatMap(row => {
  const edge = row.getBoundingClientRect();
  return [...row.children].map(one => one.getBoundingClientRect())
    .filter(box => box.top < edge.bottom - 1 && (box.bottom > edge.bottom + 1 || box.right > edge.right + 1)).length;
}).reduce((all, one) => all + one, 0)"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(autouse=True)
def no_test_waits_for_ever() -> Iterator[None]:
    with at_most(5 * TEST_S):
        yield


def trouble(kind: TroubleKind, place: str, cause: str, at_ns: int, cents: int | None = None) -> TroubleView:
    """As the table tells it."""
    told = WORDS[kind]
    return TroubleView(
        kind=kind,
        title=told.title.format(place=place),
        cause=cause,
        clause="47.1-1022(4)(a)",
        advice=told.advice,
        who=told.who,
        since_ns=at_ns,
        place=place,
        cents=cents,
    )


LONG: Final = (
    "the round is unreliable: positions 1, 2 and 4 of the community are burned, counted from left to right, not 1, 2"
    " and 5; the dealer's cards were shown before the burn was confirmed, and the remainder is one card short"
)


def with_troubles(view: TableView, name: str, *kinds: TroubleKind) -> TableView:
    """A table at which all of this is wrong."""
    places: dict[TroubleKind, str] = {"misdeal": "Misdeal: the hands play for the progressive only", "line": "shuffler"}
    found = tuple(trouble(kind, places.get(kind, "1234"), LONG, view.at_ns) for kind in kinds)
    rounds = (1, 3, 5, 1234, 1235, 1236)
    money = tuple(trouble("held", str(number), LONG, view.at_ns, 123_450) for number in rounds)
    held = tuple(
        HeldView(entry=number, round=number, at_ns=view.at_ns, cents=123_450, why=LONG, clause="47.1-1022")
        for number in rounds
    )
    lamp = {"lamp": "lit", "red_lamp": 302, "red_lamp_text": "packet long (302)", "lamp_since_ns": view.at_ns}
    ends = ("complete", "misdeal", "complete", "unreliable", "complete", "complete", "complete")
    outcomes = tuple(
        OutcomeView(round=1230 + each, at_ns=view.at_ns + each * 10**11, outcome=ended, players=(each - 3) * 123_450)
        for each, ended in enumerate(ends)
    )
    devices = tuple(DeviceView(name=each, kind=each, address="serial-id:DW01", link="up") for each in ("shuffler", "c"))
    changes = {"table": name, "trouble": (*found, *money), "held": held, "outcomes": outcomes, "devices": devices}
    return view.model_copy(update=changes | (lamp if "red-lamp" in kinds else {}))


def pit() -> list[TableView]:
    """Tables with all there is to read: every kind of trouble, the longest words, pots, races, money that is held."""
    plain = full_table("flushes-gone-wild.co", shown=True)
    piles = ", ".join(f"pile {number} (1)" for number in range(1, 8))
    by_hand = LegalView(
        actor="dealer", what=f"deal by hand to {piles}, 7 times around, then confirm", place="", awaited=True
    )
    settled = views_of("clean-8")[-1].model_copy(update={"unknown": None, "lamp": "dark"})
    return [
        with_troubles(plain, "lamp", "red-lamp", "misdeal", "supervisor"),
        with_troubles(plain.model_copy(update={"state": "halted"}), "halted", "halted"),
        with_troubles(settled, "held"),
        with_troubles(settled, "stopped", "repeated", "count", "device").model_copy(
            update={
                "trouble": (
                    trouble("repeated", "1234", LONG, plain.at_ns),
                    trouble("unreliable", "1234", LONG, plain.at_ns),
                )
            }
        ),
        lost(fullest("three-card")).model_copy(update={"table": "lost"}),
        views_of("race-11")[-1].model_copy(update={"table": "race", "unknown": None, "trouble": ()}),
        at("side-pots", "poker"),
        ended().view.model_copy(update={"table": "poker-ended"}),
        plain.model_copy(update={"table": "by-hand", "state": "dealing", "next": (by_hand,)}),
        plain.model_copy(update={"table": "requests", "pending": REQUESTED}),
    ]


REQUESTED: Final = tuple(
    PendingView(request=1_578 + number, text=f"start every table over: {why}", who=f"{who}.smith", until_ns=10**18)
    for number, (who, why) in enumerate((("a", "a new shoe"), ("featherstonehaugh" * 3, "w" * 200)))
)
TABLES: Final = ("lamp", "halted", "held", "stopped", "lost", "race", "poker", "poker-ended", "by-hand", "requests")
PATHS: Final = (
    *("", "wall", *(f"table/{name}" for name in TABLES)),
    *("replay", "replay/jam.pcapng?step=40", "bench?table=lamp", "sign-in", "nowhere"),
)


@pytest.fixture
def console() -> Iterator[Console]:
    hub = Hub()
    for view in pit():
        hub.show(view)
    actions = {name: (*ACTIONS[:4], *faults(), *of_table()) for name in TABLES}
    actions["requests"] = (*of_two_people(("start-over",), proved=True),)
    with running(hub, tokens=Tokens(TOKENS), actions=actions, recordings=CAPTURES) as shown:
        yield shown


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", SIZES)
def test_no_words_are_cut_or_too_small_or_too_faint(browser: Any, console: Console, width: int, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    size = {"width": width, "height": SIZES[width]}
    options = {"viewport": size, "color_scheme": scheme, "reduced_motion": "reduce"}
    with watched(browser, console.address, forgive="status of 404", **options) as window:
        page = window.page(console.address + "sign-in?back=/")
        page.locator("#token").fill(TOKENS["technician"])
        page.locator(".sign-in button").click()
        wrong: dict[str, Any] = {}
        for path in PATHS:
            page.goto(console.address + path)
            if path == "wall" or path == "" or path.startswith("table"):
                page.locator("#connection[data-state=live]").wait_for(state="attached")
            found = {
                "cut": page.evaluate(CUT),
                "out": page.evaluate(OUT, LISTS),
                "half": page.evaluate(HALF),
                "picked": page.evaluate(PICKED),
                "small": page.evaluate(SMALL),
                "wide": max(0, page.evaluate("document.documentElement.scrollWidth") - width),
            }
            if width in (390, 1400):
                violations = Axe().run(page).response["violations"]
                found["axe"] = [(each["id"], [node["html"][:160] for node in each["nodes"]][:4]) for each in violations]
            if any(found.values()):
                wrong[path] = {name: value for name, value in found.items() if value}
            picture(page, f"uncut-{path.partition('?')[0].replace('/', '-') or 'tables'}-{width}-{scheme}")
        assert not wrong, "\n".join(
            f"{path or '/'} {kind}: {each}" for path, of in wrong.items() for kind, each in of.items()
        )


@pytest.mark.parametrize("width", [390, 1400])
def test_the_newest_settlement_is_in_sight_whatever_is_held(browser: Any, console: Console, width: int) -> None:
    with watched(browser, console.address, viewport={"width": width, "height": SIZES[width]}) as window:
        page = window.page(console.address + "table/held")
        page.locator("#connection[data-state=live]").wait_for()
        panel = page.locator(".money-panel .scrolls").bounding_box()
        assert page.locator("#held-sum").inner_text() == "‖ $7,407.00 held from 6 rounds"
        for place in ("#held-sum", "#settled .settled-head", "#settled .totals"):
            box = page.locator(place).bounding_box()
            assert panel["y"] <= box["y"] < box["y"] + box["height"] <= panel["y"] + panel["height"], place
        assert page.locator(".held-item").count() == 6


def test_who_goes_by_keys_comes_to_the_money_before_the_log(browser: Any, console: Console) -> None:
    with watched(browser, console.address, viewport={"width": 1400, "height": 900}) as window:
        page = window.page(console.address + "table/held")
        places = page.locator(".felt, .money-panel, .outcomes-panel, .log-panel, .devices-panel")
        assert [name.split()[-1] for name in places.evaluate_all("all => all.map(one => one.className)")] == [
            *("felt", "money-panel", "outcomes-panel", "log-panel", "devices-panel"),
        ]
        felt, log = page.locator(".felt").bounding_box(), page.locator(".log-panel").bounding_box()
        assert (log["y"], log["height"]) == (felt["y"], felt["height"]), "beside the felt all the same"


@pytest.mark.parametrize("width", SIZES)
def test_the_answer_to_a_press_at_the_bench_is_read_whole(browser: Any, console: Console, width: int) -> None:
    size = {"width": width, "height": SIZES[width]}
    with watched(browser, console.address, forgive="status of 50", viewport=size) as window:
        page = window.page(console.address + "sign-in?back=/bench?table=lamp")
        page.locator("#token").fill(TOKENS["technician"])
        page.locator(".sign-in button").click()
        page.goto(console.address + "bench?table=lamp")
        page.locator("#connection[data-state=live]").wait_for()
        page.get_by_role("button", name="Deal a packet with the wrong number of cards").click()
        answer = page.locator("[data-answer]")
        answer.get_by_text(
            "Deal a packet with the wrong number of cards: "
        ).wait_for()  # nobody answers here: it says so
        assert page.evaluate(CUT) == []
        assert page.evaluate(OUT, LISTS) == []
        box = answer.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= SIZES[width]
