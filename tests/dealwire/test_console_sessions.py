"""Sign-in, length of sessions, the cost of a wrong token, and the log of them: a real server."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync import client as websockets

from dealwire.console import sessions as sessions_module
from dealwire.console.audit import LINES_MAX, MINUTE_NS, Audit
from dealwire.console.board import FULL, SIGNED_OUT, WATCHERS_MAX
from dealwire.console.guard import Proxies
from dealwire.console.server import Console
from dealwire.console.sessions import EACH_MAX, LANE_MAX, SESSION_NS, SESSIONS_MAX, Sessions, SignInLane
from dealwire.hub.hub import Hub
from devices.clock import ManualClock
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.consoles import TOKENS, client, origin, running
from tests.support.rigs.serving import opened, published, run_until, simulators_here, write_configuration

PATIENCE_S = 300.0


@pytest.fixture(scope="module")
def hub() -> Hub:
    return Hub()


@pytest.fixture(scope="module")
def table(hub: Hub) -> Iterator[WatchedTable]:
    with WatchedTable(hub, "player-short") as dealt:
        dealt.answer_requests()
        yield dealt


def live(console: Console, browser: httpx.Client | None = None, path: str = "/live/pit-1") -> Any:
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items()) if browser is not None else ""
    headers = {"cookie": cookies} if cookies else None
    return websockets.connect(f"ws{origin(console)[4:]}{path}", origin=origin(console), additional_headers=headers)


def code_at_the_end(line: Any) -> int:
    with pytest.raises(ConnectionClosed) as raised:
        hear_to_the_end(line)
    assert raised.value.rcvd is not None
    return int(raised.value.rcvd.code)


def hear_to_the_end(line: Any) -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        line.recv(timeout=PATIENCE_S)


# ------------------------------------------------------------------ sessions by themselves


def test_a_session_ends_after_a_shift() -> None:
    ended: list[tuple[str, str]] = []
    sessions = Sessions(lambda session, why: ended.append((session.role, why)), idle_minutes=0)
    secret, session = sessions.begin("dealer", 0)
    assert sessions.find(secret, SESSION_NS - 1) == session
    assert sessions.is_open(session, SESSION_NS - 1)
    assert sessions.find(secret, SESSION_NS) is None
    assert not sessions.is_open(session, SESSION_NS)
    assert sessions.find("", 0) is None
    sessions.sweep(SESSION_NS)
    assert ended == [("dealer", "expired")]
    assert sessions.find(secret, 0) is None
    assert session.name not in secret


def test_dealers_who_sign_in_push_no_supervisor_out() -> None:
    sessions = Sessions()
    supervisor, _ = sessions.begin("supervisor", 0)
    dealers = [sessions.begin("dealer", 1) for _ in range(SESSIONS_MAX + 200)]
    assert sessions.find(supervisor, 1) is not None
    assert sum(sessions.is_open(session, 1) for _, session in dealers) == SESSIONS_MAX
    assert sessions.find(dealers[-1][0], 1) is not None


def test_nothing_asked_for_half_an_hour_ends_a_session() -> None:
    ended: list[str] = []
    sessions = Sessions(lambda _session, why: ended.append(why), idle_minutes=30)
    secret, session = sessions.begin("dealer", 0)
    half_hour = 30 * MINUTE_NS
    assert sessions.find(secret, half_hour - 1) == session
    assert sessions.find(secret, 2 * half_hour - 2, used=False) == session, "a live line is no use"
    assert sessions.find(secret, 2 * half_hour - 1) is None
    assert sessions.is_open(session, 2 * half_hour - 1)
    sessions.sweep(2 * half_hour - 1)
    assert ended == ["idle"]
    assert not sessions.is_open(session, 2 * half_hour)
    assert sessions.may_watch(session, 2 * half_hour), "a wall that is watched goes on"
    assert not sessions.may_watch(session, SESSION_NS)
    sessions.sweep(SESSION_NS)
    assert not sessions._idled
    for_ever = Sessions(idle_minutes=0)
    secret, session = for_ever.begin("dealer", 0)
    assert for_ever.find(secret, SESSION_NS - 1) == session


def test_wrong_tokens_of_one_network_wait_for_one_another_and_others_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions_module, "PAUSE_S", 0.2)

    async def scene() -> tuple[list[str], list[bool]]:
        lane, order = SignInLane(), list[str]()

        async def wrong(address: str) -> bool:
            held = await lane.hold_back(address)
            if held:
                order.append(address)
            return held

        crowd = [asyncio.create_task(wrong(f"2001:db8:0:5::{number:x}")) for number in range(EACH_MAX + 5)]
        await asyncio.sleep(0)
        other = asyncio.create_task(wrong("2001:db8:0:6::1"))
        await asyncio.wait([other])
        before = list(order)
        many = [asyncio.create_task(wrong(f"10.0.0.{number}")) for number in range(LANE_MAX)]
        answers = [await each for each in many]
        for each in crowd:
            each.cancel()
        await asyncio.gather(*crowd, return_exceptions=True)
        assert not lane._waiting
        assert not lane._free_s
        assert sum(each.done() and not each.cancelled() and not each.result() for each in crowd) == 5
        return before, answers

    before, answers = asyncio.run(scene())
    assert len(before) <= 3, "the first of the crowd, and the other: it waited for none of them"
    assert "2001:db8:0:6::1" in before
    assert 0 < sum(answers) < LANE_MAX, "no more are held back than leave connections to pages"


# ------------------------------------------------------------------ at a server


@pytest.mark.usefixtures("table")
def test_signing_out_ends_the_live_line(hub: Hub) -> None:
    with running(hub) as shown, client(shown, "supervisor") as browser, live(shown, browser) as line:
        assert line.recv(timeout=PATIENCE_S)
        with live(shown) as nobodys:
            assert nobodys.recv(timeout=PATIENCE_S)
            browser.post("/sign-out")
            assert code_at_the_end(line) == SIGNED_OUT
            hub.show(hub.views()["pit-1"])
            assert nobodys.recv(timeout=PATIENCE_S)  # who never signed in looks on


@pytest.mark.usefixtures("table")
def test_a_session_that_expires_ends_its_live_line(hub: Hub) -> None:
    clock = ManualClock()
    with running(hub, clock=clock) as shown, client(shown, "dealer") as browser, live(shown, browser) as line:
        assert line.recv(timeout=PATIENCE_S)
        clock.advance(SESSION_NS)
        assert code_at_the_end(line) == SIGNED_OUT


@pytest.mark.usefixtures("table")
def test_an_idle_session_ends_its_live_line_and_acts_no_more_but_a_wall_goes_on(hub: Hub) -> None:
    clock, notes = ManualClock(), list[tuple[str, str]]()
    with (
        running(hub, clock=clock, idle_minutes=5, note_access=lambda *note: notes.append(note)) as shown,
        client(shown, "supervisor") as browser,
        live(shown, browser) as line,
        live(shown, browser, "/wall/live") as wall,
    ):
        assert line.recv(timeout=PATIENCE_S)
        assert wall.recv(timeout=PATIENCE_S)
        act = "/table/pit-1/act/call-misdeal"
        clock.advance(4 * MINUTE_NS)
        assert browser.post(act).status_code == 200
        clock.advance(4 * MINUTE_NS)
        assert browser.post(act).status_code == 200, "it was used four minutes ago"
        clock.advance(5 * MINUTE_NS)
        assert code_at_the_end(line) == SIGNED_OUT
        assert browser.post(act).status_code == 401
        hub.show(hub.views()["pit-1"])
        assert wall.recv(timeout=PATIENCE_S)
    assert any(text.endswith("of a supervisor ended: idle") for _, text in notes)


@pytest.mark.usefixtures("table")
def test_who_is_signed_in_looks_in_the_place_of_somebody_who_is_not(hub: Hub) -> None:
    with running(hub) as shown, client(shown, "supervisor") as browser, ExitStack() as pages:
        crowd = [pages.enter_context(live(shown)) for _ in range(WATCHERS_MAX)]
        for line in crowd:
            line.recv(timeout=PATIENCE_S)
        with live(shown, browser) as mine:
            assert mine.recv(timeout=PATIENCE_S)
            assert code_at_the_end(crowd[0]) == FULL


def test_wrong_tokens_lock_nobody_out(hub: Hub) -> None:
    """Behind a proxy every client has one address: a valid token is accepted even after wrong ones."""
    with running(hub) as shown, ThreadPoolExecutor(8) as pool:

        def guess(number: int) -> int:
            with client(shown) as browser:
                return browser.post("/sign-in", data={"token": f"wrong-token-number-{number}"}).status_code

        assert {answer.result() for answer in [pool.submit(guess, number) for number in range(20)]} == {403}
        with client(shown, "supervisor") as browser:  # which signs in, and says so when it cannot
            assert "signed in as" in browser.get("/").text.lower()


PROXIED = {"host": "pit.example", "origin": "https://pit.example"}


@pytest.mark.usefixtures("table")
def test_behind_a_proxy_with_tls_people_look_and_act_under_its_name(hub: Hub) -> None:
    notes: list[tuple[str, str]] = []
    options: dict[str, Any] = {"names": ["pit.example"], "secure": True, "proxies": ["127.0.0.1"]}
    with (
        running(hub, note_access=lambda *note: notes.append(note), **options) as shown,
        httpx.Client(base_url=origin(shown), headers={**PROXIED, "accept": "text/html"}, timeout=PATIENCE_S) as browser,
    ):
        assert browser.get("/").headers["location"] == "/sign-in"
        assert browser.get("/", headers={"host": "evil.example"}).status_code == 421
        way = {"x-forwarded-for": "203.0.113.9, 10.1.2.3"}
        answer = browser.post("/sign-in", data={"token": TOKENS["supervisor"]}, headers=way)
        assert answer.status_code == 303
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("__Host-dealwire-")
        assert "Secure" in cookie
        assert "Path=/" in cookie
        assert "Domain" not in cookie
        signed_in = {"cookie": cookie.partition(";")[0]}
        assert browser.get("/", headers=signed_in).status_code == 200
        act = "/table/pit-1/act/call-misdeal"
        assert browser.post(act, headers=signed_in).status_code == 200
        # A proxy may ask under this machine's own name; the page is still one of the proxy's name, over TLS.
        assert browser.post(act, headers={**signed_in, "host": "127.0.0.1"}).status_code == 200
        for bad in ("http://pit.example", "https://evil.example", "https://pit.example:444", "null"):
            assert browser.post(act, headers={**signed_in, "origin": bad}).status_code == 403
    assert next(text for _, text in notes if "signed in" in text).endswith("(from 10.1.2.3)")


@pytest.mark.usefixtures("table")
def test_a_proxy_that_nobody_announced_opens_the_tables_to_nobody(hub: Hub) -> None:
    with running(hub) as shown, client(shown) as browser:
        assert browser.get("/").status_code == 200
        for name in ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"):
            assert browser.get("/", headers={name: "for=203.0.113.9"}).headers["location"] == "/sign-in"


def test_only_a_proxy_says_for_whom_it_asks() -> None:
    from starlette.datastructures import Headers

    proxies = Proxies(["10.0.0.0/8", "::1"])
    way = Headers({"x-forwarded-for": "1.2.3.4, 203.0.113.9, 10.0.0.7"})
    assert proxies.address_of(("10.0.0.1", 5), way) == "203.0.113.9"
    assert proxies.address_of(("::1", 5), way) == "203.0.113.9"
    assert proxies.address_of(("192.0.2.1", 5), way) == "192.0.2.1"
    assert proxies.address_of(("10.0.0.1", 5), Headers({"x-forwarded-for": "1.2.3.4, \x1b[2J"})) == "10.0.0.1"
    assert proxies.address_of(("10.0.0.1", 5), Headers({})) == "10.0.0.1"
    assert proxies.address_of(None, way) == ""


# ------------------------------------------------------------------ what is written down


def test_so_many_sentences_a_minute_and_the_rest_as_one() -> None:
    written: list[tuple[str, str]] = []
    audit = Audit(lambda table, text: written.append((table, text)))
    for number in range(LINES_MAX + 100):
        audit.note("wrong-token", "a wrong token came", f"10.0.0.{number}", number)
    audit.note("sign-in", "a supervisor signed in", "10.0.0.1", 5)
    assert len(written) == LINES_MAX + 1
    assert written[0] == ("", "a wrong token came (from 10.0.0.0)")
    audit.beat(MINUTE_NS - 1)
    assert len(written) == LINES_MAX + 1
    audit.beat(MINUTE_NS)
    audit.beat(10 * MINUTE_NS)
    assert written[LINES_MAX + 1 :] == [("", f"100 more wrong tokens within a minute, the last from 10.0.0.{number}")]
    audit.note("refused", "text with \x1b[2J in it" + "x" * 500, "", 11 * MINUTE_NS, "pit-1")
    table, text = written[-1]
    assert table == "pit-1"
    assert text.isprintable()
    assert len(text) < 250, "cut"


def test_nobody_who_is_not_signed_in_takes_the_place_of_what_somebody_was_refused() -> None:
    written: list[tuple[str, str]] = []
    audit = Audit(lambda table, text: written.append((table, text)))
    for number in range(LINES_MAX + 3):
        audit.note("stranger", "someone tried to act from a page that is not this console's", "10.9.9.9", number)
    audit.note("refused", "supervisor, session ab12, tried 'Clear the misdeal'", "10.0.0.7", 50, "bj-1")
    assert written[-1] == ("bj-1", "supervisor, session ab12, tried 'Clear the misdeal' (from 10.0.0.7)")
    audit.beat(2 * MINUTE_NS)
    assert written[-1][1] == "3 more actions by someone who is not signed in within a minute, the last from 10.9.9.9"


def test_sign_ins_failures_and_refused_acts_are_in_the_journal(tmp_path: Path) -> None:
    secrets: list[str] = []
    with simulators_here(scenario="demo") as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        with service:
            from dealwire.service.actions import offered

            session = service.tables["table-1"]
            actions = {"table-1": offered(session.part.device, session.table.flow.procedure)}
            with running(
                service.hub, table="table-1", actions=actions, clock=service.clock, note_access=service.note_access
            ) as shown:
                with client(shown) as browser:
                    path = "/table/table-1/act/shuffler.lock"
                    assert browser.post("/sign-in", data={"token": "a-wrong-token-0123"}).status_code == 403
                    assert browser.post(path).status_code == 401
                    assert browser.post(path, headers={"origin": "https://evil.example"}).status_code == 403
                with client(shown, "dealer") as browser:
                    secrets += browser.cookies.values()
                    assert browser.post(path).status_code == 403
                    browser.post("/sign-out")

                def texts() -> list[str]:
                    return [line["text"] for line in listener.of("status") if line["kind"] == "access"]

                run_until(service, lambda: any("signed out" in text for text in texts()))
    lines = [item.line for item in published(tmp_path, "status") if '"access"' in item.line]
    found = texts()
    assert len(lines) == len(found) == 6
    wrong, nobody, foreign, signed_in, refused, out = found
    assert wrong == "someone tried to sign in with a wrong token (from 127.0.0.1)"
    assert nobody == "someone tried 'Lock it': no one is signed in (from 127.0.0.1)"
    assert foreign == "someone tried to act from a page that is not this console's (from 127.0.0.1)"
    name = re.fullmatch(r"dealer, session (\w{8}), signed in \(from 127\.0\.0\.1\)", signed_in)
    assert name
    assert refused == f"dealer, session {name[1]}, tried 'Lock it': not allowed for a dealer (from 127.0.0.1)"
    assert out == f"session {name[1]} of a dealer ended: signed out"
    for secret in ("a-wrong-token-0123", *TOKENS.values(), *secrets):
        assert not any(secret in line for line in lines)
