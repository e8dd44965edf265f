"""The console's OpenAPI document: equal to its routes, with the schemas of docs/schema, and true when it is played."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.routing import Route, WebSocketRoute

from dealwire.console.approving import ApprovalDoor
from dealwire.console.oidc_door import OidcDoor
from dealwire.console.openapi import WEBSOCKETS, document
from dealwire.console.pages import Pages
from dealwire.console.passkey_door import PasskeyDoor
from dealwire.console.round_list import FIELDS
from dealwire.console.server import Console
from dealwire.hub.hub import Hub
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.consoles import TOKENS, client, running
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.ports import free_port
from tests.support.rigs.serving import Program, rounds_in, simulators_here, write_configuration

ROOT = Path(__file__).parents[2]


def routes() -> tuple[dict[str, set[str]], set[str]]:
    """Every address of the console with its methods, and every live line."""
    made = Console(Hub())
    door, endpoint = object(), made._endpoint
    passkeys = PasskeyDoor(_Anything(door), lambda: None, lambda: None)  # type: ignore[arg-type,return-value]
    oidc = OidcDoor(_Anything(door), None, "", secure=False)  # type: ignore[arg-type]
    approvals = ApprovalDoor(dict, lambda: None)  # type: ignore[arg-type,return-value]
    app = Pages(made._board, _Anything(door), endpoint, made._shelf, made._sheets, passkeys, oidc, approvals).app()
    found: dict[str, set[str]] = {}
    for route in app.routes:
        if isinstance(route, Route):
            found.setdefault(_written(route.path), set()).update((route.methods or set()) - {"HEAD"})
    return found, {route.path for route in app.routes if isinstance(route, WebSocketRoute)}


class _Anything:
    """Replaces the sign-in form, whose handlers are only named here."""

    def __init__(self, _: object) -> None: ...

    async def enter(self, _: object) -> None: ...

    sign_out = enter


def _written(path: str) -> str:
    return re.sub(r":\w+\}", "}", path)


def test_every_route_is_in_it_and_nothing_else() -> None:
    http, live = routes()
    described = {path: {method.upper() for method in operations} for path, operations in document()["paths"].items()}
    assert described == http
    assert set(WEBSOCKETS) == live == set(document()["x-websockets"])


def test_what_is_printed_is_what_is_served() -> None:
    assert json.loads((ROOT / "docs/openapi.json").read_text()) == document()


def test_a_round_has_the_schema_that_is_published() -> None:
    published = json.loads((ROOT / "docs/schema/sheet-1.json").read_text())
    parts = published.pop("$defs")
    published.pop("$schema")
    schemas = document()["components"]["schemas"]
    assert _local(schemas["RoundSheet"]) == published
    assert {name: _local(schemas[name]) for name in parts} == parts


def _local(value: Any) -> Any:
    """References as docs/schema writes them."""
    return json.loads(json.dumps(value).replace("#/components/schemas/", "#/$defs/"))


def test_every_reference_leads_somewhere_and_names_are_unique() -> None:
    text = json.dumps(document())
    assert "#/$defs/" not in text
    schemas = document()["components"]["schemas"]
    assert set(re.findall(r"#/components/schemas/(\w+)", text)) <= schemas.keys()
    names = [op["operationId"] for path in document()["paths"].values() for op in path.values()]
    assert len(names) == len(set(names))
    search = document()["paths"]["/table/{table}/rounds.csv"]["get"]["parameters"]
    assert [each["name"] for each in search if each["in"] == "query"] == [*FIELDS]


@pytest.fixture(scope="module")
def console() -> Iterator[Console]:
    hub = Hub()
    with WatchedTable(hub, "player-short") as dealt:
        dealt.answer_requests()
        with running(hub) as shown:
            yield shown


def test_it_is_served_and_linked(console: Console) -> None:
    with client(console) as asking:
        assert asking.get("/openapi.json").json() == document()
        assert '<link rel="service-desc" type="application/json" href="/openapi.json">' in asking.get("/").text


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("method", "path", "status", "text"),
    [
        ("GET", "/table/none", 404, "There is no table of that name."),
        ("GET", "/nowhere", 404, "There is no such page."),
        ("GET", "/replay/none", 404, "none: there is no such recording"),
        ("GET", "/table/pit-1/round/3.json", 404, "This console has no journal"),
        ("POST", "/wall", 405, "Method Not Allowed"),
        ("GET", "/table/pit-1/rounds.csv?seat=99", 400, "seat: '99' is not valid; allowed: a number from 1 to 32."),
    ],
)
def test_an_error_is_json_for_a_program(console: Console, method: str, path: str, status: int, text: str) -> None:
    with client(console) as asking:
        answer = asking.request(method, path, headers={"accept": "application/json"})
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    assert answer.json()["good"] is False
    assert answer.json()["text"].startswith(text)
    if status == 405:
        assert "GET" in answer.headers["allow"]


# ------------------------------------------------------------------ played by schemathesis


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A real service with simulated devices and rounds in its journal: its folder, its address."""
    folder, port = tmp_path_factory.mktemp("served"), free_port()
    (folder / "tokens.toml").write_text("".join(f'{role} = "{token}"\n' for role, token in TOKENS.items()))
    (folder / "tokens.toml").chmod(0o600)
    # The journal is sealed, and only the tables' own process can replay it.
    top = f'[console]\nport = {port}\nprocess = "same"\ntokens-file = "tokens.toml"\n'
    with simulators_here() as addresses, Program(write_configuration(folder, addresses, top=top)) as program:
        program.wait_for(lambda: rounds_in(folder) >= 2)
        yield folder, f"http://127.0.0.1:{port}"
        assert program.process.poll() is None
        assert "Traceback" not in program.text


@pytest.mark.more
def test_a_running_console_is_as_described(served: tuple[Path, str]) -> None:
    """A signed-in supervisor; all checks, bounded in number."""
    folder, base = served
    with httpx.Client(base_url=base, headers={"origin": base}, timeout=PATIENCE_S) as asking:
        asking.post("/sign-in", data={"token": TOKENS["supervisor"]})
        ((name, secret),) = asking.cookies.items()
    said = schemathesis(folder, base, name, secret)
    assert said == "", said


@pytest.mark.more
def test_the_examples_of_the_page_run(served: tuple[Path, str]) -> None:
    folder, base = served
    text = (ROOT / "docs/http-api.md").read_text().replace("http://127.0.0.1:8420", base)
    commands = "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)).replace("TOKEN", TOKENS["supervisor"])
    assert commands.count("\n") >= 9
    answers = []
    for command in commands.splitlines():
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=folder)
        assert done.returncode == 0, command
        answers.append(done.stdout)
    sheet, newest, searched, error, steps, step, signed_in, acted, described = answers
    assert json.loads(sheet)["schema"] == "dealwire.sheet/1"
    assert newest.startswith("table,round,record,")
    assert searched.startswith("table,round,record,")
    assert json.loads(error) == {"good": False, "text": "There is no table of that name."}
    assert len(json.loads(steps)["at_ms"]) > 1
    assert json.loads(step)["what"]
    assert signed_in == ""
    assert json.loads(acted)["good"] is True
    assert json.loads(described)["openapi"] == "3.1.0"


def schemathesis(folder: Path, base: str, cookie: str, secret: str) -> str:
    """Return the findings of schemathesis, empty if none. Existing tables and rounds come from links in a
    configuration."""
    spec = json.loads(json.dumps(document()).replace("dealwire-8420", cookie))
    for operations in spec["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                if (example := EXAMPLES.get(parameter["name"])) is not None and parameter["in"] == "path":
                    parameter["example"] = example
    act = spec["paths"]["/table/{table}/act/{action}"]["post"]  # the one action that is tried has no fields
    act["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]["additionalProperties"] = False
    (folder / "openapi.json").write_text(json.dumps(spec))
    (folder / "schemathesis.toml").write_text(f'[auth.openapi.session]\napi_key = "{secret}"\n{SEARCHES}')
    program = [str(Path(sys.executable).parent / "schemathesis"), "run", str(folder / "openapi.json"), "--url", base]
    options = ["--checks", "all", "--max-examples", "12", "--seed", "1", "--no-color", "--workers", "1"]
    options += ["--phases", "examples,coverage,fuzzing", "--continue-on-failure", "--generation-deterministic"]
    options += ["-H", f"Origin: {base}", "--request-timeout", "20"]
    options += ["--exclude-path", "/sign-out"]  # it would end the session that all others use
    options += [
        "--exclude-path-regex",
        "^/(enrol|sign-in/passkey|sign-in/oidc)",
    ]  # a console with a tokens file has none of these
    environment = {**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis")}
    done = subprocess.run([*program, *options], capture_output=True, text=True, cwd=folder, env=environment)
    return "" if done.returncode == 0 else done.stdout[-6000:] + done.stderr[-2000:]


SEARCHES = """
[[operations]]
include-path-regex = "/rounds(.csv)?$"
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "404", "503"]
"""
"""Times and amounts of a search have a grammar that no schema tells; what is not in it is refused by a sentence."""
EXAMPLES: Mapping[str, object] = {
    "table": "table-1",
    "number": 1,
    "recording": "journal of table-1",
    "action": "shuffler.refresh",
    "name": "console.css",
}
