"""Trouble, money and turns on the console's pages, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest

from dealer_flow.procedure.load import load_procedure
from dealwire.console.server import Console
from dealwire.hub.actions import Action
from dealwire.hub.hub import Hub
from dealwire.hub.view import TableView
from dealwire.service.actions import of_table
from dealwire.service.simulated import simulator
from dealwire.table.redaction import PublishedTable
from tests.support.evenings.reported_table import reading
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.browser import PATIENCE_MS, TEST_S, at_most, chromium, needs_browser, watched
from tests.support.rigs.consoles import CAPTURES, TOKENS, client, running
from tests.support.rigs.serving import Program, write_configuration

pytestmark = [needs_browser, pytest.mark.more]

SILENT: Final = Action(
    "shuffler.call-misdeal",
    "Light the red lamp, stop dealing",
    ("supervisor",),
    "call-misdeal",
    {"device": "shuffler"},
    asks="Light the red lamp and stop dealing?",
    hindered=lambda view: "The red lamp is already on." if view.red_lamp else "",
)


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
    with running(hub, actions={"pit-1": (SILENT, *of_table())}) as shown:
        yield shown


def look(page: Any, console: Console, path: str = "table/pit-1") -> Any:
    page.goto(console.address + path)
    page.locator("#connection[data-state=live]").wait_for()
    return page


def caught_up(page: Any, view: TableView) -> None:
    page.locator(f'main[data-sequence="{view.sequence}"]').wait_for()


def words(page: Any, place: str) -> str:
    return " ".join(page.locator(place).inner_text().split())


# ------------------------------------------------------------------ what is wrong is said


def test_devices_that_go_are_unknown_at_once_and_those_that_never_came_were_never_known(
    browser: Any, tmp_path: Path
) -> None:
    nobody = {"shuffler": "tcp://127.0.0.1:9", "table-controller": "tcp://127.0.0.1:11"}
    with ExitStack() as devices:
        addresses = devices.enter_context(simulator(["--scenario", "clean-8", "--endless", "--speed", "4"]))
        file = write_configuration(tmp_path, [addresses, nobody], top="\n[console]\nport = 0\n")
        with Program(file) as program:
            program.wait_for(lambda: "console: " in program.text)
            address = program.text.partition("console: ")[2].split()[0]
            with watched(browser, address) as window:
                never = window.page(address + "table/table-2")
                never.locator(".banner.alarm").nth(1).wait_for()
                assert words(never, "#prompt").startswith("Unknown since ")
                assert "no report has arrived yet" in words(never, "#prompt")
                assert never.locator("#lamp.unknown").count() == 1
                assert "live" not in words(never, ".seats")
                page = window.page(address + "table/table-1")
                page.locator("#prompt", has_text="to decide").wait_for()
                assert page.locator("#lamp.dark").count() == 1
                devices.close()
                page.locator("#prompt.unknown").wait_for()
                assert page.locator(".scene.blank").count() == 1
                assert page.locator("#lamp.unknown").count() == 1
                page.locator(".banner.alarm").nth(1).wait_for()
                assert "is not responding" in words(page, ".banner >> nth=0")
                assert page.locator("#connection[data-state=live]").count() == 1  # the page's own line is another thing
            assert program.end() == 0
        assert "Traceback" not in program.text


TROUBLES: Final = {
    "misdeal": ("community-short", "The round is void", "community has 4 cards, not 5", "Dealer:"),
    "red-lamp": ("dealer-long", "The red lamp is on", "packet long (302)", "Supervisor:"),
    "halted": ("wrong-burn", "Halted: this round is unreliable", "47.1-1017.60(6)", "Supervisor:"),
    "held": ("wrong-burn", "Money from round 1 is held: $", "the round is unreliable", "Supervisor:"),
    "supervisor": ("lost-card", "A supervisor is needed", "exchange deck 1", "Supervisor:"),
}


@pytest.mark.parametrize("kind", TROUBLES)
def test_each_trouble_stands_at_the_top_with_its_cause_and_who_can_do_what(
    browser: Any, hub: Hub, console: Console, kind: str
) -> None:
    scenario, title, cause, who = TROUBLES[kind]
    with WatchedTable(hub, scenario) as table, watched(browser, console.address) as window:
        page, overview = look(window.page(), console), look(window.page(), console, "")
        view = table.go(lambda view: any(each.kind == kind for each in view.trouble))
        caught_up(page, view)
        banner = page.locator(f'.banner[data-kind="{kind}"]')
        said = " ".join(banner.inner_text().split())
        assert title in said
        assert cause in said
        assert who in said
        assert banner.evaluate("banner => banner.getBoundingClientRect().bottom") < 300
        overview.get_by_text(title.removesuffix(": $")).first.wait_for()


def test_a_round_that_could_not_be_relied_on_is_told_where_nothing_is_settled(
    browser: Any, hub: Hub, console: Console
) -> None:
    table = PublishedTable(load_procedure("flushes-gone-wild.co"), None, name="pit-1")
    with (
        WatchedTable(hub, "wrong-burn", table=table) as dealt,
        watched(browser, console.address) as window,
    ):
        page = look(window.page(), console)
        caught_up(page, dealt.go(lambda view: any(each.kind == "unreliable" for each in view.trouble)))
        assert "Round 1 was unreliable" in words(page, ".banner.warn")
        assert "not settled" in words(page, "#last-outcome")


def test_a_safe_stop_leaves_nothing_that_looks_healthy(browser: Any, hub: Hub, console: Console) -> None:
    with WatchedTable(hub, "clean-3") as table, watched(browser, console.address) as window:
        page = look(window.page(), console)
        table.go(lambda view: view.state == "deciding")
        table.do(lambda viewer: viewer.safe_stop("the journal cannot be written", 1_790_000_001_000_000_000))
        page.locator("#prompt.stopped").wait_for()
        assert page.locator(".scene.blank").count() == 1
        assert page.locator(".seat.next").count() == 0
        assert page.locator("#lamp.unknown").count() == 1
        assert words(page, "#seat-1").startswith("Seat 1 ● was live")


# ------------------------------------------------------------------ whose turn it is


@pytest.mark.parametrize(
    ("recording", "first"), [("clean-3", "Seats 1, 4 and 7"), ("ultimate-texas-holdem.co", "Seats 1 to 3")]
)
def test_who_has_decided_is_waited_for_no_more(browser: Any, console: Console, recording: str, first: str) -> None:
    """In games with a play bet, which stays open to whoever has decided."""
    with client(console) as asking:
        steps = [asking.get(f"/replay/{recording}.pcapng/step/{at}") for at in range(260)]
    felts = [answer.json()["sections"]["felt"] for answer in steps if answer.status_code == 200]
    waiting = []
    with watched(browser, console.address) as window:
        page = window.page(console.address + "sign-in")
        for felt in felts:
            if "to decide" in felt:
                page.evaluate("html => document.querySelector('main').innerHTML = html", felt)
                seats = page.locator(".seat.next").evaluate_all("all => all.map(one => Number(one.dataset.seat))")
                chosen = page.locator(".seat:has(.decision:not(:empty))").evaluate_all(
                    "all => all.map(one => Number(one.dataset.seat))"
                )
                assert not set(seats) & set(chosen)
                waiting.append((page.locator(".lead").inner_text(), len(seats)))
    assert waiting[0][0].startswith("Seat")
    counts = [many for _, many in waiting]
    assert counts[0] > 1
    assert min(counts) == 1
    assert all(lead.endswith("to decide") for lead, _ in waiting)


# ------------------------------------------------------------------ money


def test_the_figures_on_the_page_are_those_of_the_settlement(browser: Any, hub: Hub, console: Console) -> None:
    with WatchedTable(hub, reading("clean-8")) as table, watched(browser, console.address) as window:
        page = look(window.page(), console)
        view = table.go(lambda view: view.settlement is not None)
        caught_up(page, view)
        settled = view.settlement
        assert settled is not None
        for money in settled.seats:
            figure = page.locator(f"#seat-{money.seat} .net-amount")
            assert int(figure.get_attribute("data-net")) == money.net
            assert figure.inner_text() == f"${abs(money.net) / 100:,.2f}".removesuffix(".00")
            word = {True: "wins", False: "loses"}[money.net > 0] if money.net else "even"
            assert word in words(page, f"#seat-{money.seat} .net-word")
            page.locator(f"#money-seat-{money.seat} summary").click()
            lines = page.locator(f"#money-seat-{money.seat} .lines > li")
            assert sum(lines.evaluate_all("all => all.map(one => Number(one.dataset.net))")) == money.net
            assert lines.count() == sum(line.seat == money.seat for line in settled.lines)
        assert (
            words(page, "#total-players") == f"{'+' if settled.players > 0 else '-'}${abs(settled.players) / 100:,.2f}"
        )
        assert words(page, "#total-house").endswith(f"${abs(settled.house) / 100:,.2f}")
        assert page.locator("#settled a").first.get_attribute("href") == "/table/pit-1/round/1"
        caught_up(page, table.go())
        assert page.locator("#money-seat-1[open]").count() == 1  # what a person opened stays open


def test_held_money_stays_until_a_supervisor_says_that_it_was_settled(browser: Any, hub: Hub, console: Console) -> None:
    with WatchedTable(hub, "wrong-burn") as table, watched(browser, console.address) as window:
        table.answer_requests()
        page = window.page(console.address + "sign-in?back=/table/pit-1")
        page.get_by_label("Token").fill(TOKENS["supervisor"])
        page.get_by_label("Token").press("Enter")
        view = table.go(lambda view: bool(view.held))
        caught_up(page, view)
        held = view.held[0]
        assert f"${held.cents / 100:,.2f} held" in words(page, "#held")
        about = f"Round {held.round}, ${held.cents / 100:,.2f}: "
        page.locator("#held").get_by_role("button", name=f"{about}Mark as settled by hand").click()
        page.get_by_role("heading", name=f"{about}Has all money held from this round been paid or taken?").wait_for()
        assert words(page, ".ask:popover-open .answers button >> nth=0").startswith(about)
        page.get_by_label("Badge number").fill("7001")
        page.locator(".ask:popover-open .answers button").first.click()
        page.locator("[data-answer]").get_by_text("supervisor asked").wait_for()
        named = {"entry": held.entry, "session": held.session, "round": held.round}
        assert table.asked[0].fields == named | {"badge": 7001, "why": "paid or taken by hand"}
        assert page.locator(".ask:popover-open").count() == 0
        table.do(lambda viewer: viewer._money.held.release(held.entry) and None)
        page.locator("#held").wait_for(state="detached")


def test_a_race_says_which_suit_won(browser: Any, console: Console) -> None:
    with watched(browser, console.address) as window:
        page = window.page(console.address + "replay/race-11.tdp.pcapng")
        page.locator("#next-round:enabled").wait_for()
        forward = page.get_by_role("link", name="Next")
        at = 0
        while not page.locator(".column.won").count():
            forward.click()
            at += 1
            page.locator(f'#player[data-number="{at}"]').wait_for()
        suit = words(page, ".column.won h3").removeprefix("★ ").removesuffix(" won")
        assert words(page, "#prompt .lead") == f"{suit} won"
        assert page.locator("#lamp").count() == 0  # a shoe has none
        page.get_by_role("link", name="End").click()
        page.locator("#last-outcome", has_text=f"{suit.lower()} won").wait_for()


# ------------------------------------------------------------------ acting


def test_what_cannot_work_now_says_why_and_asks_nothing(browser: Any, hub: Hub, console: Console) -> None:
    with WatchedTable(hub, "dealer-long") as table, watched(browser, console.address) as window:
        table.answer_requests()
        page = window.page(console.address + "sign-in?back=/table/pit-1")
        page.get_by_label("Token").fill(TOKENS["supervisor"])
        page.get_by_label("Token").press("Enter")
        page.locator("#connection[data-state=live]").wait_for()
        button = page.locator(".calls .act > button")
        assert button.get_attribute("aria-disabled") is None
        button.focus()
        view = table.go(lambda view: view.red_lamp != 0)
        caught_up(page, view)
        assert button.get_attribute("aria-disabled") == "true"
        assert page.evaluate("document.activeElement.textContent") == "Light the red lamp, stop dealing"
        page.keyboard.press("Enter")
        page.locator("[data-answer]").get_by_text("The red lamp is already on.").wait_for()
        assert page.locator(".ask:popover-open").count() == 0
        table.go(lambda view: view.red_lamp == 0)
        page.locator(".calls .act > button:not([aria-disabled])").click()
        page.locator(".ask:popover-open .answers button").first.click()
        page.locator("[data-answer]").get_by_text("supervisor asked").wait_for()
        assert [request.action for request in table.asked] == ["call-misdeal"]


def test_the_switch_of_light_and_dark_is_kept_by_the_browser(browser: Any, hub: Hub, console: Console) -> None:
    with WatchedTable(hub, "clean-1"), watched(browser, console.address, color_scheme="dark") as window:
        page = look(window.page(), console)
        ground = "getComputedStyle(document.body).backgroundColor"
        dark = page.evaluate(ground)
        page.get_by_role("button", name="Light", exact=True).click()
        light = page.evaluate(ground)
        assert light != dark
        look(page, console, "")
        assert page.evaluate(ground) == light
        page.get_by_role("button", name="Dark", exact=True).click()
        assert page.evaluate(ground) == dark


def test_recordings_have_a_date_and_no_page_names_a_folder(browser: Any, hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "broken.pcapng").write_bytes(b"no recording at all, but long enough to be looked at")
    (tmp_path / "good.pcapng").write_bytes((CAPTURES / "clean-1.pcapng").read_bytes())
    with running(hub, recordings=tmp_path) as console, watched(browser, console.address, forgive="422") as window:
        page = window.page(console.address + "replay")
        assert page.locator(".recordings time").count() == 1
        assert str(tmp_path) not in page.content()
        page.goto(console.address + "replay/broken.pcapng")
        assert str(tmp_path) not in page.content()
        page.goto(console.address + "replay/good.pcapng?step=30")
        page.locator("#previous-round:enabled").click()
        page.locator("#told", has_text="none before").or_(page.locator('#player:not([data-number="30"])')).wait_for(
            timeout=PATIENCE_MS
        )
        assert page.locator("#when").inner_text().count(":") == 2
