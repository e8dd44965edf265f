"""The console in a real browser, over a real server, showing simulated tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from dealer_flow.record.incidents import Incident
from dealwire.console.server import Console
from dealwire.console.tokens import Tokens
from dealwire.hub.hub import Hub
from dealwire.hub.view import TableView
from devices.drive.replay import play
from devices.events import GameEnded, Seen
from devices.record.capture import Capture
from tests.support.evenings.reported_table import reading
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.browser import PATIENCE_MS, TEST_S, at_most, chromium, needs_browser, picture, watched
from tests.support.rigs.consoles import ACTIONS, CAPTURES, TOKENS, running

pytestmark = needs_browser

NO_PAGE = "net::ERR_"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(autouse=True)
def no_test_waits_for_ever() -> Iterator[None]:
    with at_most(TEST_S):
        yield


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
def console(hub: Hub) -> Iterator[Console]:
    with running(hub) as shown:
        yield shown


def look(page: Any, console: Console, path: str = "table/pit-1") -> Any:
    """Open a page and wait until it is live."""
    page.goto(console.address + path)
    page.locator("#connection[data-state=live]").wait_for()
    return page


def caught_up(page: Any, view: TableView) -> None:
    page.locator(f'main[data-sequence="{view.sequence}"]').wait_for()


def words(page: Any, place: str) -> str:
    return " ".join(page.locator(place).inner_text().split())


# ------------------------------------------------------------------ a table, live


def test_a_clean_round_is_seen_as_it_is_dealt(browser: Any, hub: Hub, console: Console) -> None:
    with WatchedTable(hub, reading("clean-8")) as table, watched(browser, console.address) as window:
        page = look(window.page(), console)
        page.evaluate("window.sameDocument = true")
        assert "no report has arrived yet" in words(page, "#prompt")
        view = table.go(lambda view: view.state == "dealing" and view.seats[7].status == "live")
        caught_up(page, view)
        assert words(page, "#seat-8").startswith("Seat 8 ● live ")
        assert words(page, "#seat-8 .wagers") == "ante $40 blind $40"
        view = table.go(lambda view: view.state == "deciding")
        caught_up(page, view)
        labels = page.locator(".felt [role=img]").evaluate_all("all => all.map(one => one.ariaLabel)")
        assert len(labels) == 11
        assert all("of" not in label for label in labels), labels  # the shuffler read every face, nobody has shown one
        assert "burned, set aside" in words(page, "#place-community")
        view = table.go(lambda view: view.state == "revealing" and "??" not in view.seats[2].cards)
        caught_up(page, view)
        shown = page.locator("#seat-3 [role=img]").get_attribute("aria-label")
        assert shown.startswith("Seat 3, 5 cards: ")
        assert shown.count(" of ") == 5
        picture(page, "clean-round")
        view = table.go(lambda view: bool(view.outcomes))
        caught_up(page, view)
        assert words(page, "#last-outcome").startswith("✓ complete")
        assert "round 1 ends: complete" in words(page, ".log")
        assert page.evaluate("window.sameDocument")


def test_a_fault_lights_the_lamp_in_words(browser: Any, hub: Hub, console: Console) -> None:
    with WatchedTable(hub, "community-short") as table, watched(browser, console.address) as window:
        page, overview = look(window.page(), console), look(window.page(), console, "")
        lamp = page.locator("#lamp")
        caught_up(page, table.go(lambda view: view.lamp == "dark"))
        assert "Red lamp off" in lamp.inner_text()
        caught_up(page, table.go(lambda view: view.red_lamp != 0))
        assert words(page, "#lamp").lower().startswith("red lamp on packet short (301) since ")
        assert page.locator("#lamp.lit .bulb").is_visible()
        assert "The red lamp is on" in page.get_by_role("alert").inner_text()
        overview.get_by_text("packet short (301)").wait_for()
        picture(page, "red-lamp")
        caught_up(page, table.go(lambda view: view.red_lamp == 0))
        assert "Red lamp off" in lamp.inner_text()
        caught_up(page, table.go(lambda view: bool(view.outcomes)))
        clauses = page.locator(".log .incident .clause")
        assert "47.1-1022" in " ".join(clauses.all_inner_texts())


@pytest.mark.more
def test_a_dead_hand_is_told_by_word_and_sign(browser: Any, hub: Hub, console: Console) -> None:
    with WatchedTable(hub, "player-short") as table, watched(browser, console.address) as window:
        page = look(window.page(), console)
        view = table.go(lambda view: any(seat.status == "dead" for seat in view.seats))
        caught_up(page, view)
        assert words(page, "#seat-3").lower().startswith("seat 3 ✕ dead")
        assert "Wrong count: 4 of 5 cards" in page.locator("#seat-3").text_content()
        found = Incident(code="seat-count-wrong", clause="", place="seat 3", counted=4, expected=5)
        assert found.text in words(page, ".log")
        picture(page, "dead-hand")


@pytest.mark.more
def test_a_safe_stop_is_said_above_all(browser: Any, hub: Hub, console: Console) -> None:
    with WatchedTable(hub, "clean-1") as table, watched(browser, console.address) as window:
        page = look(window.page(), console)
        table.do(lambda viewer: viewer.safe_stop("the journal cannot be written: No space left on device", 5))
        page.get_by_role("heading", name="Safe stop").wait_for()
        assert "No space left on device" in page.get_by_role("alert").inner_text()
        assert "Safe stop: do not deal" in words(page, "#prompt")
        assert "the table is in safe stop" in words(page, "[data-section=next]")
        assert page.locator("#lamp.unknown").count() == 1


@pytest.mark.more
def test_what_a_person_holds_stays_while_the_page_changes(browser: Any, hub: Hub, console: Console) -> None:
    with WatchedTable(hub, "demo") as table, watched(browser, console.address) as window:
        page = look(window.page(), console)
        field = page.get_by_label("Name")
        field.fill("half written")
        caught_up(page, table.go(lambda view: view.round == 3 and len(view.log) > 4))
        assert field.input_value() == "half written"
        assert page.evaluate("document.activeElement.name") == "game"
        log = page.get_by_role("log")
        log.evaluate("log => log.classList.add('noted')")
        log.focus()
        caught_up(page, table.go())
        assert page.evaluate("document.activeElement.getAttribute('role')") == "log"


@pytest.mark.more
@pytest.mark.parametrize("tabs_open", [6, pytest.param(24, marks=pytest.mark.slow)])
def test_every_tab_of_many_is_up_to_date(browser: Any, hub: Hub, console: Console, tabs_open: int) -> None:
    with WatchedTable(hub, "clean-3") as table, watched(browser, console.address) as window:
        tabs = [window.page() for _ in range(tabs_open)]
        for tab in tabs:
            tab.goto(console.address + "table/pit-1", wait_until="commit")
        view = table.go(lambda view: any(each.outcome == "complete" for each in view.outcomes[-1:]))
        for tab in tabs:
            caught_up(tab, view)
            assert "round 1 ends: complete" in words(tab, ".log")


# ------------------------------------------------------------------ when the server goes away


def test_a_lost_connection_is_said_at_once_and_found_again(browser: Any, hub: Hub) -> None:
    with WatchedTable(hub, "clean-3") as table, running(hub) as first:
        port = urlsplit(first.address).port
        with watched(browser, first.address, forgive=NO_PAGE) as window:
            page = look(window.page(), first)
            page.evaluate("window.sameDocument = true")
            first.stop()
            page.locator("#connection[data-state=lost]").wait_for()
            assert "Connection lost" in words(page, "#connection")
            assert page.locator("main.stale").count() == 1
            picture(page, "connection-lost")
            view = table.go(lambda view: view.state == "deciding")
            with running(hub, port=port):
                caught_up(page, view)
                page.locator("#connection[data-state=live]").wait_for()
                assert page.locator("main.stale").count() == 0
                assert words(page, "#now-state") == "Players decide"
                assert page.evaluate("window.sameDocument")


@pytest.mark.more
def test_pages_of_another_build_load_themselves_again(
    browser: Any, hub: Hub, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WatchedTable(hub, "clean-1") as table, watched(browser, console.address) as window:
        page = look(window.page(), console)
        page.evaluate("window.sameDocument = true")
        monkeypatch.setattr("dealwire.console.board.BUILD", "another")
        # The other build is gone as soon as the page reloads: it must not reload itself for ever.
        page.on("request", lambda request: monkeypatch.undo() if request.is_navigation_request() else None)
        with page.expect_navigation(timeout=PATIENCE_MS):
            table.go(lambda view: any(seat.wagers for seat in view.seats))
        page.locator("#connection[data-state=live]").wait_for()
        assert page.evaluate("window.sameDocument") is None


# ------------------------------------------------------------------ acting


def test_nothing_is_done_without_a_token_and_with_it_the_owner_is_asked(
    browser: Any, hub: Hub, console: Console
) -> None:
    with WatchedTable(hub, "clean-1") as table, watched(browser, console.address, forgive="status of 40") as window:
        table.answer_requests()
        page = look(window.page(), console)
        page.get_by_role("button", name="Call a misdeal").click()
        answer = page.locator("[data-answer]")
        answer.get_by_text("Sign in first").wait_for()
        assert not table.asked
        page.get_by_role("link", name="Sign in").click()
        page.get_by_label("Token").fill("not-a-token-at-all")
        page.get_by_role("button", name="Sign in").click()
        assert "Unknown token" in page.get_by_role("alert").inner_text()
        page.get_by_label("Token").fill(TOKENS["supervisor"])
        page.get_by_role("button", name="Sign in").click()
        page.get_by_text("Signed in as supervisor").wait_for()
        look(page, console)
        page.get_by_role("button", name="Call a misdeal").click()
        answer.get_by_text("Call a misdeal: done. supervisor asked").wait_for()
        assert [request.action for request in table.asked] == ["call-misdeal"]
        page.get_by_role("button", name="Select the game").click()
        answer.get_by_text("A supervisor may not do this; a technician may.").wait_for()
        page.get_by_role("button", name="Clear the misdeal").click()
        answer.get_by_text("not while cards are out").wait_for()
        assert [request.action for request in table.asked] == ["call-misdeal", "refuse"]


def test_a_page_of_a_session_that_is_over_says_so_and_shows_nothing_new(
    browser: Any, hub: Hub, console: Console
) -> None:
    with WatchedTable(hub, "clean-1") as table, watched(browser, console.address) as window:
        page = window.page(console.address + "sign-in?back=/table/pit-1")
        page.get_by_label("Token").fill(TOKENS["supervisor"])
        page.get_by_label("Token").press("Enter")
        page.locator("#connection[data-state=live]").wait_for()
        other = look(window.page(), console)
        other.get_by_role("button", name="Sign out").click()
        other.get_by_role("link", name="Sign in").wait_for()
        page.get_by_text("You are signed out, or your session has expired.").wait_for()
        shown = page.locator("#main").get_attribute("data-sequence")
        view = table.go(lambda view: any(seat.wagers for seat in view.seats))
        look(other, console)
        caught_up(other, view)
        assert page.locator("#main").get_attribute("data-sequence") == shown
        assert page.locator("#connection").get_attribute("data-state") == "lost"


@pytest.mark.more
def test_the_bench_makes_faults_by_button(browser: Any, hub: Hub, console: Console) -> None:
    with WatchedTable(hub, "clean-1") as table, watched(browser, console.address) as window:
        table.answer_requests()
        page = window.page(console.address + "sign-in?back=/bench")
        page.get_by_label("Token").fill(TOKENS["technician"])
        page.get_by_label("Token").press("Enter")
        page.get_by_role("heading", name="Bench: pit-1").wait_for()
        page.locator("#connection[data-state=live]").wait_for()  # the scripts are there: before, a form is a page's
        page.get_by_label("To", exact=True).select_option("dealer")
        page.get_by_role("button", name="Packet one short").click()
        page.locator("[data-answer]").get_by_text("Packet one short: done.").wait_for()
        assert table.asked[0].fields == {"fault": "packet-count", "by": -1, "to": "dealer"}
        picture(page, "bench")


@pytest.mark.more
def test_pages_work_without_scripts(browser: Any, hub: Hub, console: Console) -> None:
    with (
        WatchedTable(hub, "clean-1") as table,
        watched(browser, console.address, java_script_enabled=False) as window,
    ):
        table.answer_requests()
        page = window.page(console.address + "sign-in?back=/table/pit-1")
        page.locator("#token").fill(TOKENS["supervisor"])
        page.locator(".sign-in button").click()
        page.get_by_role("button", name="Call a misdeal").click()
        assert "Call a misdeal: done." in page.locator("main").inner_text()
        page.goto(console.address + "replay/clean-1.pcapng")
        page.locator("#forward").click()
        assert "Step 2 of" in page.locator("#where").inner_text()


# ------------------------------------------------------------------ recordings


def at_step(page: Any, number: int) -> None:
    page.locator(f'#player[data-number="{number}"]').wait_for()


@pytest.mark.more
def test_a_recording_is_played_stepped_and_searched(browser: Any, console: Console) -> None:
    with watched(browser, console.address) as window:
        page = window.page(console.address + "replay/two-rounds.pcapng")
        seek = page.get_by_role("slider", name="Step")
        seek.and_(page.locator(":enabled")).wait_for()
        last = int(seek.get_attribute("max"))
        page.get_by_role("link", name="Next").click()
        at_step(page, 1)
        page.get_by_role("link", name="Next").click()
        at_step(page, 2)
        page.get_by_role("link", name="Back").click()
        at_step(page, 1)
        seek.fill(str(last // 2))
        at_step(page, last // 2)
        half = page.locator(".felt").inner_html()
        seek.press("ArrowRight")
        at_step(page, last // 2 + 1)
        page.keyboard.press("Home")
        at_step(page, 0)
        page.get_by_role("button", name="Next round", exact=True).click()
        page.get_by_role("button", name="Next round", exact=True).click()
        page.locator("#now-round", has_text="2").wait_for()
        page.goto(f"{console.address}replay/two-rounds.pcapng?step={last // 2}")  # as the server draws it at once
        assert page.locator(".felt").inner_html() == half
        picture(page, "replay")


@pytest.mark.more
def test_a_recording_plays_to_its_end_and_pauses(browser: Any, console: Console) -> None:
    with watched(browser, console.address) as window:
        page = window.page(console.address + "replay/jam.pcapng")
        play_button = page.locator("#play:enabled")
        play_button.wait_for()
        page.get_by_label("Speed").select_option("64")
        page.get_by_role("button", name="Next incident").click()
        page.locator(".log .incident").first.wait_for()
        page.locator("body").click(position={"x": 5, "y": 5})
        page.keyboard.press("Space")
        page.locator('#play[aria-pressed="true"]').wait_for()
        started = int(page.locator("#player").get_attribute("data-number"))
        page.locator(f'#player:not([data-number="{started}"])').wait_for()
        page.keyboard.press("Space")
        page.locator('#play[aria-pressed="false"]').wait_for()
        last = int(page.locator("#seek").get_attribute("max"))
        page.locator("#seek").fill(str(last - 3))
        at_step(page, last - 3)
        play_button.click()
        at_step(page, last)
        page.get_by_text("The recording ends here.").wait_for(state="attached")
        assert words(page, "#last-outcome").startswith("✓ complete")


@pytest.mark.more
def test_a_recording_on_the_page_has_as_many_rounds_as_in_the_file(browser: Any, console: Console) -> None:
    heard: list[Seen] = []
    play(Capture.read(CAPTURES / "two-rounds.pcapng"), heard.append)
    ended = [seen for seen in heard if isinstance(seen.body, GameEnded)]
    with watched(browser, console.address) as window:
        page = window.page(console.address + "replay/two-rounds.pcapng?step=999999")
        assert page.locator(".log .plain .code").all_inner_texts().count("round") == len(ended) == 2


# ------------------------------------------------------------------ for everybody


@pytest.mark.more
def test_everything_is_reached_by_keyboard_with_a_visible_focus(browser: Any, hub: Hub, console: Console) -> None:
    with WatchedTable(hub, "demo") as table, watched(browser, console.address) as window:
        table.answer_requests()
        table.go(lambda view: len(view.log) > 1)
        page = look(window.page(), console)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        page.goto(console.address + "table/pit-1")
        everything = page.locator("a[href], button, input:not([type=hidden]), select, summary, [tabindex='0']")
        wanted = everything.and_(page.locator(":visible")).count()
        met: list[str] = []
        for _ in range(wanted):
            page.keyboard.press("Tab")
            outline, name = page.evaluate(
                "[getComputedStyle(document.activeElement).outlineWidth,"
                " document.activeElement.outerHTML.slice(0, 160)]"
            )
            assert outline == "3px", name
            met.append(name)
        assert len(set(met)) == wanted
        page.goto(console.address + "sign-in?back=/table/pit-1")
        page.locator("#token:focus").wait_for()  # it gets the focus by itself, but not before the page is drawn
        page.keyboard.type(TOKENS["supervisor"])
        page.keyboard.press("Enter")
        page.locator("#connection[data-state=live]").wait_for()
        while page.evaluate("document.activeElement.textContent.trim()") != "Call a misdeal":
            page.keyboard.press("Tab")
        page.keyboard.press("Space")
        page.locator("[data-answer]").get_by_text("done").wait_for()
        assert [request.who for request in table.asked] == ["supervisor"]


PATHS = ("", "table/pit-1", "table/race", "replay", "replay/jam.pcapng?step=40", "bench", "sign-in", "nowhere")


@pytest.fixture
def busy(hub: Hub) -> Iterator[Console]:
    """A console with all there is to see: a lamp that is lit, dead hands, a log."""
    with (
        WatchedTable(hub, "demo") as table,
        WatchedTable(hub, "player-short", name="race") as second,
        running(hub, tokens=Tokens(TOKENS), actions={"pit-1": ACTIONS}) as shown,
    ):
        table.go(lambda view: view.red_lamp != 0)
        second.go(lambda view: any(seat.status == "dead" for seat in view.seats))
        yield shown


@pytest.mark.more
def test_a_checker_of_accessibility_finds_nothing(browser: Any, busy: Console) -> None:
    from axe_playwright_python.sync_playwright import Axe

    with watched(browser, busy.address, forgive="status of 404", reduced_motion="reduce") as window:
        page = window.page()
        for path in PATHS:
            page.goto(busy.address + path)
            found = Axe().run(page).response["violations"]
            assert not found, [(path, each["id"], [node["html"] for node in each["nodes"]]) for each in found]


@pytest.mark.more
def test_no_page_is_wider_than_its_screen(browser: Any, busy: Console) -> None:
    for width, height in ((390, 844), (768, 1024), (1280, 800)):
        size = {"width": width, "height": height}
        with watched(browser, busy.address, viewport=size) as window:
            page = window.page()
            for path in ("", "table/pit-1", "replay", "replay/jam.pcapng?step=40", "bench"):
                page.goto(busy.address + path)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, path
                small = page.evaluate(
                    "[...document.querySelectorAll('button, .button, select, nav a')]"
                    ".filter(one => one.checkVisibility() && one.getBoundingClientRect().height < 36)"
                    ".map(one => one.outerHTML)"
                )
                assert not small, f"too small for a finger: {small}"
                if path == "table/pit-1":
                    picture(page, f"table-{width}")


@pytest.mark.more
def test_who_wants_no_motion_gets_none(browser: Any, busy: Console) -> None:
    for wish, motion in (("reduce", "none"), ("no-preference", "glow")):
        with watched(browser, busy.address, reduced_motion=wish) as window:
            page = look(window.page(), busy)
            assert page.evaluate("getComputedStyle(document.querySelector('.lamp.lit .bulb')).animationName") == motion
