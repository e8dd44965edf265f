"""The console of `dealwire run`, as a process: what is in `table.toml`, and how it ends while people are connected."""

from __future__ import annotations

import json
import re
import signal
import socket
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.sync import client as websockets

from tests.support.rigs.consoles import TOKENS
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.serving import Program, compared, published, rounds_in, simulators_here, write_configuration

pytestmark = pytest.mark.more


PART = """
[console]
port = 0
tokens-file = "tokens.toml"
names = ["pit.example"]
secure = true
proxies = ["127.0.0.1"]
"""


def address_of(program: Program) -> str:
    program.wait_for(lambda: "console: " in program.text)
    found = re.search(r"console: (http://\S+)/", program.text)
    assert found
    return found[1]


def test_a_console_behind_a_proxy_ends_with_the_service_whoever_is_connected(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.toml"
    tokens.touch(mode=0o600)
    tokens.write_text("".join(f'{role} = "{token}"\n' for role, token in TOKENS.items()))
    with simulators_here() as addresses, ExitStack() as stack:
        program = stack.enter_context(Program(write_configuration(tmp_path, addresses, top=PART)))
        here = address_of(program)
        program.wait_for(lambda: rounds_in(tmp_path) >= 1)  # the lines are up
        headers = {"host": "pit.example", "origin": "https://pit.example", "x-forwarded-for": "203.0.113.9"}
        browser = stack.enter_context(httpx.Client(base_url=here, headers=headers, timeout=PATIENCE_S))
        answer = browser.post("/sign-in", data={"token": TOKENS["supervisor"]})
        cookie = answer.headers["set-cookie"].partition(";")[0]
        act = browser.post("/table/table-1/act/shuffler.refresh", headers={"cookie": cookie})
        assert act.status_code == 200, act.text
        place = urlsplit(here)
        page = stack.enter_context(
            websockets.connect(
                f"ws://{place.netloc}/live/table-1",
                origin="https://pit.example",
                additional_headers={"cookie": cookie},
            )
        )
        assert page.recv(timeout=30)
        form = b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://pit.example\r\nContent-Length: 9\r\n\r\n"
        for sent in (b"", b"GET / HT", form):
            line = stack.enter_context(socket.create_connection((place.hostname, place.port), timeout=30))
            line.sendall(sent)
        assert program.end(signal.SIGTERM) == 0
        assert "Traceback" not in program.text
        assert "ERROR" not in program.text
    lines = [json.loads(item.line) for item in published(tmp_path, "status")]
    (signed_in,) = (line["text"] for line in lines if line["kind"] == "access")
    (asked,) = (line["text"] for line in lines if line["kind"] == "action")
    session = signed_in.partition("session ")[2].partition(",")[0]
    assert signed_in == f"supervisor, session {session}, signed in (from 203.0.113.9)"
    assert asked == f"supervisor, session {session} from 203.0.113.9, at shuffler: request status"
    assert compared(tmp_path).difference is None
