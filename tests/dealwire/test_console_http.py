"""The console's answers to valid and invalid requests: a real server on a real port."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
from websockets.sync import client as websockets

from dealwire.console import rendering
from dealwire.console.board import MESSAGE_MAX, RESTARTING, UNKNOWN_TABLE, WATCHERS_MAX
from dealwire.console.guard import FOREIGN, NOT_SIGNED_IN
from dealwire.console.rendering import ASSETS, SECTIONS
from dealwire.console.server import Console
from dealwire.hub.hub import Hub
from dealwire.hub.lines import Publication
from protocol.errors import LineAbsent, LineBusy
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.consoles import TOKENS, client, lines_given_back, origin, running
from tests.support.rigs.patience import PATIENCE_S


@pytest.fixture(autouse=True)
def nothing_is_open() -> Iterator[None]:
    with lines_given_back():
        yield


@pytest.fixture(scope="module")
def hub() -> Hub:
    return Hub()


@pytest.fixture(scope="module")
def table(hub: Hub) -> Iterator[WatchedTable]:
    with WatchedTable(hub, "player-short") as dealt:
        dealt.answer_requests()
        yield dealt


@pytest.fixture(scope="module")
def console(hub: Hub, table: WatchedTable) -> Iterator[Console]:
    with running(hub) as shown:
        yield shown


PAGES = (
    "/",
    "/table/pit-1",
    "/table/pit-1/replay",
    "/replay",
    "/replay/clean-1.pcapng",
    "/replay/clean-1.pcapng/steps",
    "/replay/clean-1.pcapng/step/3",
    "/bench",
    "/sign-in",
    "/favicon.ico",
    *(f"/static/{name}" for name in ASSETS),
)


def test_every_answer_tells_the_browser_to_trust_nothing_else(console: Console) -> None:
    with client(console) as browser:
        for path in (*PAGES, "/nowhere"):
            answer = browser.get(path)
            assert answer.status_code == (404 if path == "/nowhere" else 200), path
            check_headers(answer)


def check_headers(answer: httpx.Response) -> None:
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert {policy[f"{kind}-src"] for kind in ("script", "style", "img", "font", "connect")} == {"'self'"}
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert "server" not in answer.headers
    assert "cache-control" in answer.headers


def test_pages_hold_nothing_inline_and_load_only_from_here(console: Console) -> None:
    with client(console) as browser:
        answers = [browser.get(path) for path in PAGES]
    pages = [answer.text for answer in answers if answer.headers["content-type"].startswith("text/html")]
    assert len(pages) == 7
    for page in pages:
        assert not re.findall(r"<script(?![^>]*\ssrc=)", page)
        assert not re.findall(r"<style|\sstyle=|\son[a-z]+=", page)
        loaded = re.findall(r'\b(?:src|href|action)="([^"]+)"', page)
        assert loaded
        assert all(target.startswith(("/", "#", "?")) and not target.startswith("//") for target in loaded)


HOSTS = {
    "127.0.0.1": 200,
    "127.0.0.1:1": 200,
    "[::1]:80": 200,
    "LOCALHOST:8420": 200,
    "evil.example": 421,
    "evil.example:8420": 421,
    "127.0.0.1.evil.example": 421,
    "192.168.1.5": 421,
    "": 421,
}


def test_nothing_is_compiled_while_tables_are_dealt(
    hub: Hub, table: WatchedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = rendering._ENVIRONMENT
    assert environment.cache is not None
    environment.cache.clear()
    with running(hub) as shown, client(shown) as asking:
        monkeypatch.setattr(environment, "compile", None)
        assert [path for path in PAGES if asking.get(path).status_code != 200] == []


def test_another_host_name_is_not_answered(console: Console) -> None:
    with client(console) as browser:
        assert {host: browser.get("/", headers={"host": host}).status_code for host in HOSTS} == HOSTS


def test_two_host_headers_or_none_are_not_answered(console: Console) -> None:
    address = urlsplit(console.address)
    for head in (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil\r\n\r\n", b"GET / HTTP/1.0\r\n\r\n"):
        with socket.create_connection((address.hostname, address.port), timeout=PATIENCE_S) as line:
            line.sendall(head)
            assert line.recv(4096).split(b" ")[1] in (b"400", b"421")


def test_what_acts_must_come_from_a_page_of_this_console(console: Console, table: WatchedTable) -> None:
    host = urlsplit(console.address).netloc
    with client(console, "supervisor") as browser:
        for sent in ("https://evil.example", "null", "", "http://127.0.0.1:1", f"ftp://{host}", f"http://{host}.evil"):
            for path in ("/table/pit-1/act/call-misdeal", "/sign-in", "/sign-out"):
                assert browser.post(path, headers={"origin": sent}).status_code == 403
        wrong = browser.post("/sign-in", data={"token": "x" * 16}, headers={"accept": "application/json"})
        assert (wrong.status_code, wrong.json()) == (403, {"good": False, "text": "Unknown token."})
        del browser.headers["origin"]
        assert browser.post("/table/pit-1/act/call-misdeal").status_code == 403
        as_json = browser.post("/sign-out", headers={"accept": "application/json"})
        assert as_json.json() == {"good": False, "text": FOREIGN[1]}
    assert not table.asked


def test_a_cross_site_request_is_refused_whatever_its_origin_says(console: Console) -> None:
    with client(console, "supervisor") as browser:
        answer = browser.post("/table/pit-1/act/call-misdeal", headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 403


# ------------------------------------------------------------------ acting


def test_without_a_token_nothing_is_done(console: Console, table: WatchedTable) -> None:
    with client(console) as browser:
        answer = browser.post("/table/pit-1/act/call-misdeal", data={}, headers={"accept": "application/json"})
    assert (answer.status_code, answer.json()["good"]) == (401, False)
    assert "supervisor" in answer.json()["text"]
    assert not table.asked


def test_a_role_does_what_it_may_and_no_more(console: Console, table: WatchedTable) -> None:
    with client(console, "dealer") as browser:
        answer = browser.post("/table/pit-1/act/call-misdeal", data={})
    assert answer.status_code == 403
    assert "A dealer may not do this; a supervisor may." in answer.text
    assert not table.asked
    with client(console, "supervisor") as browser:
        answer = browser.post("/table/pit-1/act/call-misdeal", data={}, headers={"accept": "application/json"})
    assert answer.json() == {"good": True, "text": "Call a misdeal: done. supervisor asked"}
    request = table.asked.pop()
    assert (request.table, request.action, request.who) == ("pit-1", "call-misdeal", "supervisor")
    assert request.fields == {"device": "shuffler"}


def test_the_owners_refusal_is_told(console: Console, table: WatchedTable) -> None:
    with client(console, "technician") as browser:
        answer = browser.post("/table/pit-1/act/refuse", data={})
    table.asked.clear()
    assert answer.status_code == 409
    assert "refused. not while cards are out" in answer.text


def test_an_owner_that_does_not_answer_is_not_waited_for(
    console: Console, table: WatchedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dealwire.console.action_endpoint.ANSWER_S", 0.05)
    with client(console, "technician") as browser:
        answer = browser.post("/table/pit-1/act/hang", data={})
    table.asked.clear()
    assert answer.status_code == 504


GOOD = {"game": "x", "cards": "5", "deck": "1"}

BAD = (
    ({"cards": "53"}, "cards: must be a whole number from 1 to 52"),
    ({"cards": "²"}, "cards: must be a whole number"),
    ({"cards": "-1"}, "cards: must be a whole number"),
    ({"cards": "5.0"}, "cards: must be a whole number"),
    ({"cards": "9" * 5000}, "cards: must be a whole number"),
    ({"deck": "3"}, "deck: must be one of 1, 2"),
    ({"game": "x\x00"}, "game: must be 1 to 200 printable"),
    ({"game": "x" * 201}, "game: must be 1 to 200 printable"),
    ({"device": "other"}, "device: there is no such field"),
)


def test_a_field_that_is_not_as_it_must_be_is_named(console: Console, table: WatchedTable) -> None:
    with client(console, "technician") as browser:
        for wrong, why in BAD:
            form = {**GOOD, **wrong}
            answer = browser.post("/table/pit-1/act/select-game", data=form, headers={"accept": "application/json"})
            assert answer.status_code == 400
            assert why in answer.json()["text"]
    assert not table.asked


def test_a_form_that_is_none_is_refused(console: Console, table: WatchedTable) -> None:
    with client(console, "technician") as browser:
        path, kind = "/table/pit-1/act/select-game", {"content-type": "application/x-www-form-urlencoded"}
        assert browser.post(path, json={"cards": 5}).status_code == 415
        assert browser.post(path, content=b"game=" + b"x" * 9000, headers=kind).status_code == 413
        assert browser.post(path, content=b"cards=1&cards=2", headers=kind).status_code == 400
        assert browser.post(path, content=b"game=%ff", headers=kind).status_code == 400
        assert browser.post(path, content="&".join(f"f{n}=1" for n in range(40)), headers=kind).status_code == 400
        assert browser.post("/table/pit-1/act/nothing", data={}).status_code == 404
        assert browser.get(path).status_code == 405
    assert not table.asked


# ------------------------------------------------------------------ signing in


def test_a_session_is_a_cookie_that_no_script_reads_and_no_other_site_sends(console: Console) -> None:
    with client(console) as browser:
        answer = browser.post("/sign-in", data={"token": TOKENS["dealer"], "back": "/table/pit-1"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/table/pit-1")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert "signed in as" in browser.get("/").text.lower()
        assert browser.post("/sign-out").status_code == 303
        assert "signed in as" not in browser.get("/").text.lower()


def test_a_session_ends_for_good_when_it_is_signed_out(console: Console) -> None:
    with client(console, "dealer") as browser:
        cookie = dict(browser.cookies)
        browser.post("/sign-out")
        browser.cookies.update(cookie)
        assert "signed in as" not in browser.get("/").text.lower()


def test_signing_in_leads_nowhere_else(console: Console) -> None:
    with client(console) as browser:
        for back in ("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:1", "/a\r\nb: c", ""):
            answer = browser.post("/sign-in", data={"token": TOKENS["dealer"], "back": back})
            assert answer.headers["location"] == "/"


def test_a_token_is_never_shown_nor_echoed(console: Console) -> None:
    with client(console) as browser:
        assert "no-such-token" not in browser.post("/sign-in", data={"token": "no-such-token"}).text


@pytest.mark.usefixtures("table")
def test_bound_elsewhere_reading_needs_a_token_too(hub: Hub) -> None:
    with running(hub, host="0.0.0.0") as shown:
        port = urlsplit(shown.address).port
        here = f"http://127.0.0.1:{port}"
        headers = {"origin": here, "accept": "text/html"}
        with httpx.Client(base_url=here, headers=headers, timeout=PATIENCE_S) as browser:
            assert browser.get("/table/pit-1").headers["location"] == "/sign-in"
            assert browser.get("/replay/clean-1.pcapng/steps", headers={"accept": "*/*"}).status_code == 401
            assert browser.get("/static/console.css").status_code == 200
            with (
                websockets.connect(f"ws://127.0.0.1:{port}/live/pit-1", origin=here) as line,
                pytest.raises(Exception, match=str(NOT_SIGNED_IN)),
            ):
                line.recv(timeout=PATIENCE_S)
            assert browser.post("/sign-in", data={"token": TOKENS["dealer"]}).status_code == 303
            assert browser.get("/table/pit-1").status_code == 200
            assert browser.get("/", headers={"host": f"192.168.7.9:{port}"}).status_code == 200
            assert browser.get("/", headers={"host": f"evil.example:{port}"}).status_code == 421


# ------------------------------------------------------------------ what is not there


NOWHERE = (
    "/static/../server.py",
    "/static/..%2fserver.py",
    "/static/%2e%2e/server.py",
    "/static/....//server.py",
    "/static//etc/passwd",
    "/replay/..%2f..%2fpyproject.toml",
    "/replay/..%2fREADME.md/steps",
    "/replay/index.toml",
    "/replay/%2fetc%2fpasswd",
    "/replay/clean-1.pcapng%00",
    "/table/nobody",
    "/table/..%2f",
    "/bench?table=nobody",
    "/replay/clean-1.pcapng/step/9999999",
    "/replay/clean-1.pcapng/step/-1",
)


def test_no_path_leads_out(console: Console) -> None:
    address = urlsplit(console.address)
    for path in NOWHERE:
        with socket.create_connection((address.hostname, address.port), timeout=PATIENCE_S) as line:
            line.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            answer = b"".join(iter(lambda: line.recv(65536), b""))
        assert answer.split(b" ")[1] == b"404", path
        assert b"import" not in answer
        assert b"root:" not in answer


def test_names_are_written_as_text(hub: Hub) -> None:
    name = '<b onclick="x">&amp; 100% ?#'
    with WatchedTable(hub, "clean-1", name=name), running(hub) as shown, client(shown) as browser:
        answer = browser.get("/").text
        assert name not in answer
        assert "&lt;b onclick=&#34;x&#34;&gt;&amp;amp;" in answer
        page = browser.get(f"/table/{quote(name)}").text
        (path,) = re.findall(r'data-live="([^"]+)"', page)
        with live(shown, path) as line:
            assert '"lamp"' in line.recv(timeout=PATIENCE_S)


def test_a_request_of_any_size_is_answered_or_refused(console: Console) -> None:
    with client(console) as browser:
        cookie = browser.get("/", headers={"cookie": "a=" + "x" * 10_000})
        assert cookie.status_code == 200
        with contextlib.suppress(httpx.TransportError):  # or the line is closed before all of it was sent
            huge = browser.get("/", headers={"cookie": "a=" + "x" * 100_000})
            assert huge.status_code in (400, 431)
        assert browser.get("/" + "x" * 5_000).status_code == 404
        many = [("cookie", f"dealwire-1={'y' * 200}")] * 30
        assert browser.get("/", headers=many).status_code == 200


def test_a_port_in_use_and_a_host_that_is_not_here_are_said_at_once(console: Console, hub: Hub) -> None:
    port = urlsplit(console.address).port
    with pytest.raises(LineBusy, match=f"console 127.0.0.1:{port}: in use"):
        Console(hub, port=port or 0).start()
    with pytest.raises(LineAbsent, match=r"console 203.0.113.9:0: not there"):
        Console(hub, host="203.0.113.9").start()


# ------------------------------------------------------------------ live lines


def live(console: Console, path: str = "/live/pit-1", **options: Any) -> Any:
    return websockets.connect(f"ws{origin(console)[4:]}{path}", origin=origin(console), **options)


def hear_to_the_end(line: Any) -> None:
    while True:
        line.recv(timeout=PATIENCE_S)


def test_a_live_line_gives_everything_first_and_then_what_changed(console: Console, table: WatchedTable) -> None:
    with live(console) as line:
        assert '"lamp"' in (first := line.recv(timeout=PATIENCE_S))
        assert set(re.findall(r'"(\w+)": "', first)) >= set(SECTIONS)
        view = table.go(lambda view: any(seat.wagers for seat in view.seats))
        message = line.recv(timeout=PATIENCE_S)
        while f'"sequence": {view.sequence}' not in message:
            message = line.recv(timeout=PATIENCE_S)
        assert '"felt"' in message
        assert '"outcomes":' not in message


def test_how_a_round_ended_comes_before_the_rest_of_the_page(console: Console, table: WatchedTable) -> None:
    """So no page waits while the pages of other tables are rendered."""
    with live(console) as line:
        view = table.go(lambda view: bool(view.outcomes))
        heard = [json.loads(line.recv(timeout=PATIENCE_S))]
        while heard[-1].get("sequence") != view.sequence:
            heard.append(json.loads(line.recv(timeout=PATIENCE_S)))
    *_, ending, whole = heard
    assert ending.keys() == {"build", "ending", "clock", "sections"}
    assert ending["ending"] <= view.sequence
    assert ending["sections"].keys() == {"money", "outcomes"}
    assert "felt" in whole["sections"]
    assert whole["sections"].keys().isdisjoint(ending["sections"])  # what was sent is not sent again
    assert all("ending" not in each for each in heard[:-2])


def test_a_page_hears_of_its_own_table_alone_and_what_comes_after_a_silence_is_the_news_itself() -> None:
    hub = Hub()

    def heard_until(line: Any, word: str) -> list[str]:
        messages = [line.recv(timeout=PATIENCE_S)]
        while word not in messages[-1]:
            messages.append(line.recv(timeout=PATIENCE_S))
        return messages

    with ExitStack() as stack:
        one, other = (stack.enter_context(WatchedTable(hub, "clean-1", name=name)) for name in ("pit-1", "pit-2"))
        shown = stack.enter_context(running(hub))
        mine, theirs = (stack.enter_context(live(shown, f"/live/{name}")) for name in ("pit-1", "pit-2"))
        for line in (mine, theirs):
            line.recv(timeout=PATIENCE_S)
        for word in ("first", "second", "third"):
            hub.publish(Publication(1, "pit-1", 1, "status", "{}"))
            other.do(lambda viewer, word=word: viewer.log("action", word, 1))  # type: ignore[misc]
            assert len(heard_until(theirs, word)) == 1
        one.do(lambda viewer: viewer.log("action", "mine", 1))
        assert len(heard_until(mine, "mine")) == 1


def test_a_live_line_from_another_page_is_refused(console: Console) -> None:
    for sent in (None, "http://evil.example", "null"):
        with pytest.raises(Exception, match="403"):
            websockets.connect(f"ws{origin(console)[4:]}/live/pit-1", origin=sent)
    with pytest.raises(Exception, match="403"):
        live(console, additional_headers={"sec-fetch-site": "cross-site"})


def test_a_table_that_is_not_there_has_no_live_line(console: Console) -> None:
    with live(console, "/live/nobody") as line, pytest.raises(Exception, match=str(UNKNOWN_TABLE)):
        line.recv(timeout=PATIENCE_S)


def test_a_page_that_says_something_is_let_go(console: Console) -> None:
    for said in ("hello", "x" * (MESSAGE_MAX + 1), b"\x00"):
        with live(console) as line:
            line.send(said)
            with pytest.raises(Exception, match=r"1008|1009"):
                hear_to_the_end(line)


def test_so_many_pages_may_look_and_one_more_is_told(console: Console) -> None:
    with contextlib.ExitStack() as pages:
        for line in [pages.enter_context(live(console)) for _ in range(WATCHERS_MAX)]:
            line.recv(timeout=PATIENCE_S)
        with live(console) as one_more, pytest.raises(Exception, match="1013"):
            one_more.recv(timeout=PATIENCE_S)
    with live(console) as line:
        assert line.recv(timeout=PATIENCE_S)


@pytest.mark.usefixtures("table")
def test_a_console_stops_while_pages_look_and_its_port_is_free_again(hub: Hub) -> None:
    with running(hub) as shown:
        with live(shown) as line:
            line.recv(timeout=PATIENCE_S)
            stopping = threading.Thread(target=shown.stop)
            stopping.start()
            with pytest.raises(Exception, match=str(RESTARTING)):
                hear_to_the_end(line)
            stopping.join(PATIENCE_S)
            assert not stopping.is_alive()
        with running(hub, port=urlsplit(shown.address).port) as again, live(again) as line:
            assert line.recv(timeout=PATIENCE_S)


def test_a_console_that_nobody_started_can_be_stopped(hub: Hub) -> None:
    console = Console(hub, recordings=Path("nowhere"))
    console.stop()
    console.stop()
