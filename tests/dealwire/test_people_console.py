"""People at the console: signing in by name, what a session may do, and when it ends; a real server."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync import client as websockets

from dealwire.config.schema import PeoplePart
from dealwire.console import password_queue, sessions
from dealwire.console.board import SIGNED_OUT
from dealwire.console.programs import RATE, Programs
from dealwire.console.roll import Roll
from dealwire.console.server import Console
from dealwire.console.sessions import SignedIn
from dealwire.console.sign_in import NAME_MAX
from dealwire.hub.actions import Action, ActionField
from dealwire.hub.hub import Hub
from dealwire.people import passwords as hashing
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.consoles import ACTIONS, origin, running
from tests.support.rigs.patience import PATIENCE_S, wait_until
from tests.support.rigs.people import PASSWORDS, person_entry, program_entry, signed_in, user_entry, users_file
from tests.support.rigs.serving import Program, write_configuration

BADGED = Action(
    "clear-misdeal",
    "Clear the misdeal",
    ("supervisor",),
    "clear-misdeal",
    fields=(ActionField("badge", "Badge number", "number", least=1),),
)
REFRESH = Action(
    "shuffler.refresh", "Request status", ("dealer", "supervisor", "technician"), "refresh", needs_reason=False
)
TOKEN = "dw_grafana_0123456789"


@pytest.fixture(scope="module")
def hub() -> Hub:
    return Hub()


@pytest.fixture(scope="module")
def table(hub: Hub) -> Iterator[WatchedTable]:
    with WatchedTable(hub, "player-short") as dealt:
        dealt.answer_requests()
        yield dealt


def roll_of(folder: Path, *entries: str) -> Roll:
    return Roll.read(PeoplePart.model_validate({"users-file": users_file(folder, *entries)}))


@pytest.fixture
def roll(tmp_path: Path) -> Roll:
    return roll_of(
        tmp_path,
        person_entry("a.smith", badge=4711),
        person_entry("b.jones", tables=["pit-2"]),
        person_entry("c.dealer", "dealer"),
        person_entry("d.key", passkey="required"),
        person_entry("e.gone", disabled=True),
        person_entry("f.past", until="2020-01-31"),
        user_entry("g.none"),
        program_entry("grafana", TOKEN, may=["read", "refresh"], tables=["pit-1"]),
        program_entry("far", "dw_far_1", networks=["10.0.0.0/24"]),
        program_entry("over", "dw_over_1", until="2020-01-31"),
    )


@pytest.fixture
def said() -> list[tuple[str, str]]:
    return []


@pytest.fixture
def console(hub: Hub, table: WatchedTable, roll: Roll, said: list[tuple[str, str]]) -> Iterator[Console]:
    acts = {"pit-1": (*ACTIONS, BADGED, REFRESH)}
    with running(hub, tokens=None, roll=roll, actions=acts, note_access=lambda *note: said.append(note)) as shown:
        yield shown


def enter(console: Console, name: str, password: str) -> httpx.Response:
    return httpx.post(
        f"{origin(console)}/sign-in",
        data={"name": name, "password": password},
        headers={"origin": origin(console)},
        timeout=PATIENCE_S,
    )


def test_a_person_signs_in_by_name_and_the_record_names_the_person(
    console: Console, table: WatchedTable, said: list[tuple[str, str]]
) -> None:
    with signed_in(console, "a.smith") as browser:
        assert "Signed in as <strong>a.smith, supervisor</strong>" in browser.get("/").text
        table.asked.clear()
        answer = browser.post("/table/pit-1/act/call-misdeal", data={"why": "two cards stuck together"})
        assert answer.status_code == 200, answer.text
        browser.post("/sign-out")
    (request,) = table.asked
    assert (request.user, request.who, request.proven_by) == ("a.smith", "supervisor", "password")
    assert request.fields["why"] == "two cards stuck together"
    assert request.proven_ns > 0
    session = request.origin.split()[1]
    assert [text for _, text in said] == [
        f"a.smith (supervisor), session {session}, signed in (from 127.0.0.1)",
        f"session {session} of a.smith (supervisor) ended: signed out",
    ]
    assert PASSWORDS["a.smith"][0] not in str(said)


@pytest.mark.parametrize("name", ["d.key", "e.gone", "f.past", "g.none", "nobody", "a.smith ", "", "x" * NAME_MAX * 2])
def test_who_may_not_sign_in_gets_one_answer_for_all(console: Console, said: list[tuple[str, str]], name: str) -> None:
    right = PASSWORDS[name][0] if name != "a.smith " else "not these words"
    answer = enter(console, name, right)
    assert answer.status_code == 403
    assert "Unknown name or password." in answer.text
    assert right not in str(said)
    assert "someone tried to sign in with a wrong password" in said[0][1]


def test_an_unknown_name_takes_as_long_as_a_known_one(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes are counted, not seconds: one for each attempt, all in one thread of their own."""
    counted: list[tuple[str, str]] = []
    real = hashing.fits

    def fits(password: str, digest: str | None) -> bool:
        hasher = hashing._hasher()
        found = real(password, digest)
        counted.append((threading.current_thread().name, str(hasher.memory_cost)))
        return found

    monkeypatch.setattr(password_queue, "fits", fits)
    for name in ("a.smith", "nobody", "g.none", "d.key"):
        assert enter(console, name, "a wrong password").status_code == 403
    assert counted == [("console-passwords", "19456")] * 4


def test_wrong_passwords_of_many_addresses_keep_no_program_out(console: Console, hub: Hub) -> None:
    """The line for passwords is full, and a program's token is answered all the same."""
    with ThreadPoolExecutor(24) as pool:
        tried = [pool.submit(enter, console, "a.smith", f"wrong password {number}") for number in range(24)]
        headers = {"authorization": f"Bearer {TOKEN}"}
        for _ in range(3):
            assert httpx.get(f"{origin(console)}/table/pit-1", headers=headers, timeout=PATIENCE_S).status_code == 200
        codes = {each.result().status_code for each in tried}
    assert codes == {403, 429}
    with signed_in(console, "a.smith"):
        pass


def test_every_act_needs_a_reason_and_the_badge_is_the_person_s(console: Console, table: WatchedTable) -> None:
    with signed_in(console, "a.smith") as browser:
        table.asked.clear()
        act = "/table/pit-1/act/clear-misdeal"
        for form, code in (
            ({}, 400),
            ({"why": "no"}, 400),
            ({"why": "x" * 201}, 400),
            ({"why": "dealt off the bottom", "badge": "4712"}, 400),
            ({"why": "dealt off the bottom", "badge": "4711"}, 200),
            ({"why": "dealt off the bottom"}, 200),
        ):
            assert browser.post(act, data=form).status_code == code, form
        assert browser.post("/table/pit-1/act/shuffler.refresh").status_code == 200
        assert [each.fields.get("badge") for each in table.asked] == [4711, 4711, None]
        page = browser.get("/table/pit-1").text
        assert 'name="badge"' not in page
        assert 'name="why"' in page
    with signed_in(console, "c.dealer") as browser:
        answer = browser.post("/table/pit-1/act/clear-misdeal", data={"why": "dealt off the bottom"})
        assert answer.status_code == 403
    with signed_in(console, "b.jones") as browser:
        answer = browser.post("/table/pit-1/act/clear-misdeal", data={"why": "dealt off the bottom"})
        assert (answer.status_code, "b.jones may act at pit-2 only" in answer.text) == (403, True)


def live(console: Console, cookie: str) -> Any:
    return websockets.connect(
        f"ws{origin(console)[4:]}/live/pit-1", origin=origin(console), additional_headers={"cookie": cookie}
    )


def code_at_the_end(line: Any) -> int:
    try:
        while True:
            line.recv(timeout=PATIENCE_S)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd is not None else 0


@pytest.mark.parametrize(
    "change",
    [
        user_entry("z.other"),
        person_entry("a.smith", badge=4711, disabled=True),
        person_entry("a.smith", badge=4711, until="2020-01-31"),
        person_entry("a.smith", "dealer", badge=4711),
        person_entry("a.smith", badge=4711, tables=["pit-2"]),
        person_entry("a.smith", badge=4711, passkey="required"),
    ],
)
def test_a_session_ends_when_its_user_goes(
    console: Console, roll: Roll, tmp_path: Path, said: list[tuple[str, str]], change: str
) -> None:
    with signed_in(console, "a.smith") as browser:
        cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        with live(console, cookie) as line:
            assert line.recv(timeout=PATIENCE_S)
            (tmp_path / "newer").mkdir()
            console.reload(roll_of(tmp_path / "newer", person_entry("a.smith", badge=4711)))
            assert "Signed in as" in browser.get("/").text, "nothing changed for this person"
            console.reload(roll_of(tmp_path / "newer", change))
            assert code_at_the_end(line) == SIGNED_OUT
        assert browser.post("/table/pit-1/act/call-misdeal", data={"why": "it is stuck"}).status_code == 401
    wait_until(lambda: any("ended: withdrawn" in text for _, text in said), "the record of the end")


def test_a_file_that_will_not_do_leaves_the_former_users(console: Console, tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    with pytest.raises(Exception, match="defined twice"):
        roll_of(tmp_path / "bad", user_entry("a"), user_entry("a"))
    with signed_in(console, "a.smith"):
        pass


# ------------------------------------------------------------------ programs


def ask(console: Console, method: str, path: str, token: str = TOKEN, **options: Any) -> int:
    headers = {"authorization": f"Bearer {token}", **options.pop("headers", {})}
    wait = {"timeout": PATIENCE_S}
    return httpx.request(method, f"{origin(console)}{path}", headers=headers, **options, **wait).status_code


def test_a_program_may_do_what_its_line_says_and_no_more(
    console: Console, table: WatchedTable, said: list[tuple[str, str]]
) -> None:
    table.asked.clear()
    expected = {
        ("GET", "/table/pit-1"): 200,
        ("GET", "/table/pit-1/rounds"): 404,  # beyond the guard: this console has no journal
        ("GET", "/openapi.json"): 200,
        ("GET", "/table/pit-2"): 403,
        ("GET", "/table/pit-1x"): 403,
        ("GET", "/"): 403,
        ("GET", "/replay"): 403,
        ("POST", "/table/pit-1/act/shuffler.refresh"): 200,
        ("POST", "/table/pit-1/act/call-misdeal"): 403,
        ("POST", "/table/pit-1/act/jam"): 403,
        ("POST", "/table/pit-2/act/shuffler.refresh"): 403,
        ("POST", "/sign-in"): 403,
        ("POST", "/sign-out"): 403,
        ("PUT", "/table/pit-1"): 403,
    }
    found = {}
    for method, path in expected:
        found[method, path] = ask(console, method, path)
    assert found == expected
    (request,) = table.asked
    assert (request.user, request.action) == ("grafana", "refresh")
    assert request.origin.startswith("program, session ")
    for token in ("dw_far_1", "dw_over_1", "dw_nobody_1", "dw_"):
        assert ask(console, "GET", "/table/pit-1", token) == (403 if token == "dw_far_1" else 401), token
    assert TOKEN not in str(said)


def test_wrong_tokens_of_programs_wait_and_a_right_one_does_not(
    console: Console, said: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrong tokens from this address are held back for the whole test, and a right one is answered all the same."""
    monkeypatch.setattr(sessions, "PAUSE_S", PATIENCE_S)
    url = f"{origin(console)}/table/pit-1"

    async def scene() -> tuple[list[httpx.Response], int, int]:
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(timeout=PATIENCE_S, limits=limits) as asking:
            headers = [{"authorization": f"Bearer dw_nobody_{number}"} for number in range(sessions.EACH_MAX + 4)]
            tried = [asyncio.create_task(asking.get(url, headers=each)) for each in headers]
            while sum(each.done() for each in tried) < 4:
                await asyncio.wait(tried, timeout=0.1)
            right = await asking.get(url, headers={"authorization": f"Bearer {TOKEN}"})
            answered = [each.result() for each in tried if each.done()]
            for each in tried:
                each.cancel()
            await asyncio.gather(*tried, return_exceptions=True)
            return answered, right.status_code, len(tried) - len(answered)

    refused, right, waiting = asyncio.run(scene())
    assert (right, waiting) == (200, sessions.EACH_MAX)
    assert [each.status_code for each in refused] == [429] * 4
    assert {(each.headers["retry-after"], each.headers["connection"]) for each in refused} == {("1", "close")}
    wait_until(lambda: any("a program came with a token that does not count" in text for _, text in said), "the record")
    assert "dw_nobody" not in str(said)


def test_a_console_ends_without_a_traceback_while_wrong_tokens_wait(
    hub: Hub, table: WatchedTable, roll: Roll, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sessions, "PAUSE_S", PATIENCE_S)
    said: list[tuple[str, str]] = []
    with running(hub, tokens=None, roll=roll, note_access=lambda *note: said.append(note)) as console:
        host = origin(console).partition("://")[2]
        with socket.create_connection(("127.0.0.1", int(host.partition(":")[2])), PATIENCE_S) as waits:
            waits.sendall(f"GET / HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer dw_nobody_1\r\n\r\n".encode())
            wait_until(lambda: bool(said), "the record")
            console.stop()
    assert not [each.getMessage() for each in caplog.records if each.exc_info]


def test_a_program_has_no_cookie_and_no_page(console: Console) -> None:
    with signed_in(console, "a.smith") as browser:
        cookies = dict(browser.cookies)
        assert ask(console, "GET", "/table/pit-1", cookies=cookies) == 400
    assert ask(console, "POST", "/table/pit-1/act/shuffler.refresh", headers={"origin": "https://evil.example"}) == 403
    assert ask(console, "GET", "/table/pit-1", headers={"host": "evil.example"}) == 421


def test_a_program_s_rate_is_bounded(roll: Roll) -> None:
    programs, second_ns = Programs(lambda: roll.users), 1_000_000_000
    found = [programs.admit(TOKEN, "127.0.0.1", 1000 * second_ns + number) for number in range(RATE + 1)]
    assert all(isinstance(each, SignedIn) for each in found[:RATE])
    assert found[RATE] == (429, f"grafana sent more than {RATE} requests in a second")
    assert programs.admit(TOKEN, "127.0.0.1", 1001 * second_ns) == found[0]


def test_a_program_watches_its_table_until_its_entry_goes(console: Console, roll: Roll, tmp_path: Path) -> None:
    headers = {"authorization": f"Bearer {TOKEN}"}
    with websockets.connect(f"ws{origin(console)[4:]}/live/pit-1", additional_headers=headers) as line:
        assert line.recv(timeout=PATIENCE_S)
        (tmp_path / "newer").mkdir()
        console.reload(roll_of(tmp_path / "newer", program_entry("grafana", TOKEN, may=["read"])))
        assert code_at_the_end(line) == SIGNED_OUT


@pytest.mark.more
def test_a_signal_has_the_service_read_the_users_file_again(tmp_path: Path) -> None:
    """A real process: the session of a person who is gone ends, and a file that will not do changes nothing."""
    users_file(tmp_path, person_entry("a.smith"), person_entry("b.jones"))
    top = '[console]\nport = 0\n[people]\nusers-file = "users.toml"\n'
    absent = {"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}
    with Program(write_configuration(tmp_path, [absent], top=top)) as program:
        program.wait_for(lambda: "console: " in program.text)
        here = program.text.partition("console: ")[2].split()[0].rstrip("/")
        with httpx.Client(base_url=here, headers={"origin": here}, timeout=PATIENCE_S) as browser:
            form = {"name": "a.smith", "password": PASSWORDS["a.smith"][0]}
            assert browser.post("/sign-in", data=form).status_code == 303
            users_file(tmp_path, user_entry("a.smith"), user_entry("A.SMITH"))
            program.process.send_signal(signal.SIGHUP)
            program.wait_for(lambda: "defined twice" in program.text)
            assert "the former users.toml stays" in program.text
            assert "Signed in as" in browser.get("/").text
            users_file(tmp_path, person_entry("b.jones"))
            program.process.send_signal(signal.SIGHUP)
            program.wait_for(lambda: "SIGHUP: users.toml 1 user" in program.text)
            wait_until(lambda: "Signed in as" not in browser.get("/").text, "the end of the session")
            assert browser.post("/sign-in", data=form).status_code == 403
            assert program.end(signal.SIGTERM) == 0
        assert PASSWORDS["a.smith"][0] not in program.text
