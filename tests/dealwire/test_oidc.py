"""Signing in at an issuer of OpenID Connect: a real console, and an issuer whose tokens are made by PyJWT."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import jwt
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from dealwire.cli import main
from dealwire.cli.fixes import secrets_of
from dealwire.config.load import load_configuration
from dealwire.config.schema import OidcPart, PeoplePart
from dealwire.console.roll import Roll, console_settings
from dealwire.console.server import Console
from dealwire.hub.hub import Hub
from dealwire.people import issuer as issuing
from dealwire.people.issuer import ANSWER_MAX, Issuer, IssuerFailed, OidcAttempt
from protocol.tomlfile import TomlFileError
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.browser import Watch, chromium, needs_browser
from tests.support.rigs.consoles import ACTIONS, origin, running
from tests.support.rigs.loopback_issuer import (
    CLIENT,
    SECRET,
    SUBJECT,
    LoopbackIssuer,
    issuer_key,
    loopback_issuer,
    public_of,
    signed,
)
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.people import person_entry, signed_in, user_entry, users_file
from tests.support.rigs.ports import free_port
from tests.support.rigs.serving import Program, write_configuration

PEOPLE = (
    person_entry("a.smith", oidc=SUBJECT),
    user_entry("d.key", oidc="2", passkey="required"),
    user_entry("e.gone", oidc="3", disabled=True),
    user_entry("f.past", oidc="4", until="2020-01-31"),
    user_entry("g.none"),
)


def secret_file(folder: Path, mode: int = 0o600) -> Path:
    file = folder / "oidc.secret"
    file.write_text(f"{SECRET}\n")
    file.chmod(mode)
    return file


def part_of(folder: Path, address: str) -> PeoplePart:
    oidc = {"issuer": address, "client-id": CLIENT, "client-secret-file": secret_file(folder)}
    return PeoplePart.model_validate({"users-file": users_file(folder, *PEOPLE), "oidc": oidc})


@pytest.fixture(scope="module")
def served() -> Iterator[LoopbackIssuer]:
    with loopback_issuer() as found:
        yield found


@pytest.fixture
def issuer(served: LoopbackIssuer) -> LoopbackIssuer:
    served.reset()
    return served


@pytest.fixture(scope="module")
def hub() -> Hub:
    return Hub()


@pytest.fixture(scope="module")
def table(hub: Hub) -> Iterator[WatchedTable]:
    with WatchedTable(hub, "player-short") as dealt:
        dealt.answer_requests()
        yield dealt


HEARD: list[str] = []


@contextmanager
def shown_for(hub: Hub, folder: Path, address: str) -> Iterator[Console]:
    notes: dict[str, Any] = {"note_access": lambda _, text: HEARD.append(text)}
    settings = console_settings(part_of(folder, address))
    with running(hub, tokens=None, actions={"pit-1": ACTIONS}, **settings, **notes) as shown:
        yield shown


@pytest.fixture(scope="module")
def shared_console(
    hub: Hub, table: WatchedTable, served: LoopbackIssuer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Console]:
    with shown_for(hub, tmp_path_factory.mktemp("console"), served.address) as shown:
        httpx.get(f"{shown.address}sign-in/oidc/start", timeout=PATIENCE_S)  # its thread is there from now on
        yield shown


@pytest.fixture
def console(shared_console: Console) -> Console:
    """The console of all these tests, which may write of each kind six sentences again."""
    shared_console._audit._minutes.clear()
    return shared_console


@pytest.fixture
def said(console: Console) -> list[str]:
    HEARD.clear()
    return HEARD


def browser_of(console: Console) -> httpx.Client:
    headers = {"origin": origin(console), "accept": "text/html"}
    return httpx.Client(base_url=origin(console), headers=headers, timeout=PATIENCE_S)


def way_back(browser: httpx.Client, back: str = "/wall") -> str:
    """Go to the issuer, and return the address that it sends the browser to."""
    start = browser.get("/sign-in/oidc/start", params={"back": back})
    assert start.status_code == 303, start.text
    return httpx.get(start.headers["location"], timeout=PATIENCE_S).headers["location"]


def is_in(browser: httpx.Client) -> bool:
    return "Signed in as" in browser.get("/").text


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", ["RS256", "ES256", "EdDSA"])
def test_a_person_signs_in_at_the_issuer(
    console: Console, table: WatchedTable, issuer: LoopbackIssuer, said: list[str], kind: str
) -> None:
    issuer.sign = lambda claims: signed(claims, kind)
    proven_s = issuer.claims["auth_time"] = int(time.time()) - 100
    with browser_of(console) as browser:
        assert f"Sign in at {issuer.address[7:]}" in browser.get("/sign-in").text
        start = browser.get("/sign-in/oidc/start", params={"back": "/wall"})
        assert "samesite=lax" in start.headers["set-cookie"].lower()
        assert "httponly" in start.headers["set-cookie"].lower()
        asked = {name: each[0] for name, each in parse_qs(urlsplit(start.headers["location"]).query).items()}
        known = {"tenant": "1", "response_type": "code", "client_id": CLIENT, "scope": "openid", "max_age": "300"}
        assert known.items() <= asked.items()
        assert asked["code_challenge_method"] == "S256"
        assert asked["redirect_uri"] == f"{origin(console)}/sign-in/oidc"
        answer = browser.get(httpx.get(start.headers["location"], timeout=PATIENCE_S).headers["location"])
        assert answer.status_code == 200, answer.text
        assert '<meta http-equiv="refresh" content="0; url=/wall">' in answer.text
        assert "samesite=strict" in str(answer.headers.get_list("set-cookie")).lower()
        assert is_in(browser)
        table.asked.clear()
        assert browser.post("/table/pit-1/act/call-misdeal", data={"why": "two cards stuck"}).status_code == 200
    (request,) = table.asked
    assert (request.user, request.who, request.proven_by) == ("a.smith", "supervisor", "oidc")
    assert request.proven_ns == proven_s * 10**9, "when it was proven to the issuer"
    assert said[0].startswith("a.smith (supervisor), session ")
    assert not [text for text in said if SECRET in text or "code" in text]


def test_an_issuer_that_does_not_say_when_proves_nothing_for_an_approval(
    console: Console, table: WatchedTable, issuer: LoopbackIssuer
) -> None:
    issuer.claims["auth_time"] = None
    with browser_of(console) as browser:
        assert browser.get(way_back(browser)).status_code == 200
        table.asked.clear()
        browser.post("/table/pit-1/act/call-misdeal", data={"why": "two cards stuck"})
    assert [each.proven_ns for each in table.asked] == [0]


def unsigned(claims: dict[str, Any]) -> str:
    return jwt.encode(claims, None, "none", {"kid": "RS256"})  # type: ignore[arg-type]


def shared(claims: dict[str, Any]) -> str:
    """Sign with the public key as if it were a shared secret. PyJWT refuses that, so it is done by hand."""
    import hmac
    import json
    from base64 import urlsafe_b64encode

    def packed(data: bytes) -> str:
        return urlsafe_b64encode(data).rstrip(b"=").decode()

    pem = issuer_key("RS256").public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    head = packed(json.dumps({"alg": "HS256", "kid": "RS256"}).encode())
    text = f"{head}.{packed(json.dumps(claims).encode())}"
    return f"{text}.{packed(hmac.digest(pem, text.encode(), 'sha256'))}"


def spoiled(claims: dict[str, Any]) -> str:
    head, body, mark = signed(claims).split(".")
    return f"{head}.{body}.{'B' if mark[0] == 'A' else 'A'}{mark[1:]}"


NOW = int(time.time())


@pytest.mark.every(14)
@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"nonce": "another"}, "another attempt"),
        ({"nonce": None}, "another attempt"),
        ({"aud": "another"}, "another client"),
        ({"aud": [CLIENT, "another"], "azp": CLIENT}, "another client"),
        ({"azp": "another"}, "another client"),
        ({"iss": "https://issuer.example"}, "another issuer's"),
        ({"exp": NOW - 1}, "expired"),
        ({"exp": None}, "exp is no time"),
        ({"iat": NOW + 30 * 86_400}, "from the future"),
        ({"iat": None}, "iat is no time"),
        ({"nbf": NOW + 30 * 86_400}, "from the future"),
        ({"sub": None}, "names nobody"),
        ({"sub": ""}, "names nobody"),
        ({"auth_time": True}, "auth_time is no time"),
    ],
)
def test_a_token_that_says_something_else_signs_nobody_in(
    console: Console, issuer: LoopbackIssuer, said: list[str], claims: dict[str, Any], why: str
) -> None:
    issuer.claims = claims
    refused(console, said, why)


@pytest.mark.every(14)
@pytest.mark.parametrize(
    ("sign", "why"),
    [
        (unsigned, "another way than RS256, ES256, EdDSA"),
        (shared, "another way than RS256, ES256, EdDSA"),
        (spoiled, "signature is wrong"),
        (lambda claims: signed(claims, "RS256-other", kid="RS256"), "signature is wrong"),
        (lambda claims: signed(claims, "RS256-other"), "no key, or several"),
        (lambda claims: signed(claims, "ES256", kid="RS256"), "a key of another kind"),
        (lambda claims: signed(claims, kid="RS256-short"), "shorter than 2048 bits"),
        (lambda claims: signed(claims, kid=None), "names no key"),
        (lambda claims: signed(claims, crit=["x"], x=1), "signature is wrong"),
        (lambda _: "not a token", "malformed"),
        (lambda _: "", "malformed"),
    ],
)
def test_a_token_that_is_signed_in_another_way_signs_nobody_in(
    console: Console, issuer: LoopbackIssuer, said: list[str], sign: Callable[[dict[str, Any]], str], why: str
) -> None:
    issuer.kinds.append("RS256-short")
    issuer.sign = sign
    refused(console, said, why)


def refused(console: Console, said: list[str], why: str, status: int = 403) -> None:
    with browser_of(console) as browser:
        answer = browser.get(way_back(browser))
        assert answer.status_code == status, answer.text
        assert not is_in(browser)
        assert f"dealwire-{origin(console).rpartition(':')[2]}" not in dict(browser.cookies)
    assert why in said[-1], said


def test_a_key_that_is_new_at_the_issuer_is_fetched_once(hub: Hub, issuer: LoopbackIssuer, tmp_path: Path) -> None:
    with shown_for(hub, tmp_path, issuer.address) as console, browser_of(console) as browser:
        assert browser.get(way_back(browser)).status_code == 200
        issuer.sign = lambda claims: signed(claims, "ES256-newer")
        issuer.kinds.append("ES256-newer")
        assert browser.get(way_back(browser)).status_code == 200
        assert browser.get(way_back(browser)).status_code == 200
    assert issuer.calls.count("/keys") == 2
    assert issuer.calls.count("/.well-known/openid-configuration") == 1


def test_an_answer_counts_once_and_in_the_browser_that_began(
    console: Console, issuer: LoopbackIssuer, said: list[str]
) -> None:
    with browser_of(console) as browser, browser_of(console) as other:
        back = way_back(browser)
        way_back(other)
        assert other.get(back).status_code == 403, "the state of another browser"
        assert not is_in(other)
        assert browser.get(back).status_code == 200
        assert browser.get(back).status_code == 403, "again"
        code = parse_qs(urlsplit(back).query)["code"][0]
        address = httpx.URL(way_back(other)).copy_set_param("code", code)
        assert other.get(address).status_code == 503, "a code that was used"
        assert "400 (invalid_grant)" in said[-1]
        address = httpx.URL(way_back(other)).copy_set_param("iss", "https://another.example")
        assert other.get(address).status_code == 403, "another issuer's answer (RFC 9207)"
        address = httpx.URL(way_back(other)).copy_remove_param("code").copy_set_param("error", "access_denied")
        assert other.get(address).status_code == 403
        assert not is_in(other)
        assert httpx.get(f"{origin(console)}/sign-in/oidc", timeout=PATIENCE_S).status_code == 403


@pytest.mark.more
def test_the_session_that_it_replaces_ends(console: Console, issuer: LoopbackIssuer, said: list[str]) -> None:
    """The issuer's answer comes from another site, so no browser sends the Strict cookie of the session along."""
    with browser_of(console) as browser:
        assert browser.get(way_back(browser)).status_code == 200
        former = dict(browser.cookies)
        back = way_back(browser)
        browser.cookies.delete(next(name for name in former if not name.endswith("-oidc")))
        assert browser.get(back).status_code == 200
        assert is_in(browser)
        browser.cookies.clear()
        browser.cookies.update(former)
        assert not is_in(browser)
    assert any(text.endswith("ended: signed out") for text in said)


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("subject", "why"),
    [
        ("nobody", "subject nobody"),
        ("g.none", "subject g.none"),
        ("2", "d.key needs a passkey"),
        ("3", "not in force"),
        ("4", "not in force"),
    ],
)
def test_a_subject_without_a_person_in_force_is_refused(
    console: Console, issuer: LoopbackIssuer, said: list[str], subject: str, why: str
) -> None:
    issuer.subject = subject
    refused(console, said, why)


HUGE = b'{"x": "' + b"x" * ANSWER_MAX + b'"}'


def failure_of(folder: Path, issuer: LoopbackIssuer) -> str:
    """Return how a whole sign-in fails, without a console around it."""
    part = part_of(folder, issuer.address).oidc
    assert part is not None
    asking = Issuer(part, time.time_ns)
    attempt = OidcAttempt("state", "nonce", "v" * 64, "http://127.0.0.1:1/sign-in/oidc", "/", "", 0)

    def sign_in() -> None:
        back = httpx.get(asking.link(attempt), timeout=PATIENCE_S).headers["location"]
        asking.proof(attempt, parse_qs(urlsplit(back).query)["code"][0], issuer.address)

    with pytest.raises(IssuerFailed) as failed:
        sign_in()
    return str(failed.value)


@pytest.mark.every(3)
@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/token", "/keys"])
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((500, b"{}"), "status 500"),
        ((302, b""), "status 302"),
        ((200, HUGE), "more than 256 KiB"),
        ((200, b"[" * 100_000), "something else than a JSON object"),
        ((200, b"[]"), "something else than a JSON object"),
        ((0, b""), "does not answer"),
    ],
    ids=["error", "redirect", "huge", "deep", "list", "endless"],
)
def test_an_issuer_that_fails(
    issuer: LoopbackIssuer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    answer: tuple[int, bytes],
    why: str,
) -> None:
    if not answer[0]:
        monkeypatch.setattr(issuing, "WAIT_S", 0.2)
    issuer.instead[path] = answer
    assert why in failure_of(tmp_path, issuer)


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"issuer": "http://127.0.0.1:1"}, "calls itself"),
        ({"token_endpoint": "http://issuer.example/token"}, "without TLS"),
        ({"jwks_uri": "file:///etc/passwd"}, "without TLS"),
        ({"authorization_endpoint": None}, "or none"),
        ({"code_challenge_methods_supported": ["plain"]}, "does not know PKCE"),
        ({"token_endpoint_auth_methods_supported": ["private_key_jwt"]}, "takes no client secret"),
        ({"code_challenge_methods_supported": 7}, "does not know PKCE"),
    ],
)
def test_an_issuer_whose_description_will_not_do(
    issuer: LoopbackIssuer, tmp_path: Path, facts: dict[str, Any], why: str
) -> None:
    issuer.facts = facts
    assert why in failure_of(tmp_path, issuer)


def test_an_issuer_that_is_down_keeps_no_password_out(hub: Hub, tmp_path: Path) -> None:
    with (
        shown_for(hub, tmp_path, f"http://127.0.0.1:{free_port()}") as console,
        browser_of(console) as browser,
    ):
        for _ in range(3):
            answer = browser.get("/sign-in/oidc/start")
            assert (answer.status_code, "cannot be used now" in answer.text) == (503, True)
        assert "Connection refused" in HEARD[-1]
        with signed_in(console, "a.smith"):
            pass


def test_a_session_ends_when_its_subject_goes(
    hub: Hub, table: WatchedTable, issuer: LoopbackIssuer, tmp_path: Path
) -> None:
    (tmp_path / "newer").mkdir()
    with shown_for(hub, tmp_path, issuer.address) as console, browser_of(console) as browser:
        for entry, stays in ((person_entry("a.smith", oidc=SUBJECT), True), (person_entry("a.smith", oidc="5"), False)):
            if not is_in(browser):
                assert browser.get(way_back(browser)).status_code == 200
            file = users_file(tmp_path / "newer", entry)
            console.reload(Roll.read(PeoplePart.model_validate({"users-file": file})))
            act = browser.post("/table/pit-1/act/call-misdeal", data={"why": "it is stuck"})
            assert (act.status_code == 200) is stays, act.text


def test_nothing_of_it_is_there_unless_configured(hub: Hub, tmp_path: Path) -> None:
    part = PeoplePart.model_validate({"users-file": users_file(tmp_path, *PEOPLE)})
    with running(hub, tokens=None, **console_settings(part)) as console, browser_of(console) as browser:
        assert "oidc" not in browser.get("/sign-in").text
        assert browser.get("/sign-in/oidc/start").status_code == 404
        assert browser.get("/sign-in/oidc").status_code == 404


# ------------------------------------------------------------------ the files


def test_a_subject_is_one_person_s(tmp_path: Path) -> None:
    file = users_file(tmp_path, user_entry("a", oidc="1"), user_entry("b", oidc="1"))
    with pytest.raises(TomlFileError, match=r"user\[2\]\.oidc: it is already a's"):
        Roll.read(PeoplePart.model_validate({"users-file": file}))


def configuration(folder: Path, address: str) -> Path:
    users_file(folder, *PEOPLE)
    top = "[console]\nport = 0\n[people]\nusers-file = 'users.toml'\n[people.oidc]\n"
    top += f"issuer = '{address}'\nclient-id = '{CLIENT}'\nclient-secret-file = 'oidc.secret'\n"
    absent = {"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}
    return write_configuration(folder, [absent], top=top)


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://issuer.example", "https is needed"),
        ("http://127.0.0.1.issuer.example", "https is needed"),
        ("https://user@issuer.example", "an address is needed"),
        ("https://issuer.example/?a=1", "an address is needed"),
        ("https://issuer.example/#a", "an address is needed"),
        ("https://issuer.example:65536", "an address is needed"),
        ("ftp://issuer.example", "an address is needed"),
    ],
)
def test_an_issuer_is_reached_over_tls(tmp_path: Path, address: str, why: str) -> None:
    with pytest.raises(TomlFileError, match=why):
        load_configuration(configuration(tmp_path, address))
    assert OidcPart.model_validate(
        {"issuer": "https://issuer.example/realms/pit", "client-id": "x", "client-secret-file": "f"}
    )


def test_check_reads_the_files(tmp_path: Path) -> None:
    file = configuration(tmp_path, "https://issuer.example")

    def check() -> tuple[int, str]:
        done = CliRunner().invoke(main, ["run", "--check", str(file)])
        return done.exit_code, done.output

    code, text = check()
    assert (code, "oidc.secret: cannot be read" in text) == (2, True), text
    secret_file(tmp_path, 0o644)
    code, text = check()
    assert (code, "others may use it (mode 0644)" in text) == (5, True), text
    secret_file(tmp_path).write_text("\n")
    code, text = check()
    assert (code, "the client's secret is needed on the first line" in text) == (2, True), text
    secret_file(tmp_path)
    assert "people may sign in at https://issuer.example" in check()[1]
    secret_file(tmp_path, 0o644)
    assert tmp_path / "oidc.secret" in secrets_of(load_configuration(file)), "what `dealwire doctor` looks at"


# ------------------------------------------------------------------ a browser, and the console's own process


@needs_browser
@pytest.mark.more
def test_chromium_signs_in_without_scripts_at_a_console_of_its_own_process(
    issuer: LoopbackIssuer, tmp_path: Path
) -> None:
    """The issuer is another site than the console (a name, and an address), so cookies count as they do in a house."""
    secret_file(tmp_path)
    with Program(configuration(tmp_path, issuer.address)) as program, chromium() as browser:
        program.wait_for(lambda: "console: " in program.text)
        port = program.text.partition("console: ")[2].split()[0].rstrip("/").rpartition(":")[2]
        watch = Watch(browser.new_context(java_script_enabled=False))
        page = watch.page(f"http://localhost:{port}/sign-in?back=/wall")
        page.get_by_text("Sign in at 127.0.0.1").click()
        page.wait_for_url(f"http://localhost:{port}/wall")
        page.get_by_text("a.smith, supervisor").wait_for()
        assert not watch.complaints
        cookies = {each["name"]: each["sameSite"] for each in watch.context.cookies()}
        assert cookies == {f"dealwire-{port}": "Strict"}
        assert [each["redirect_uri"] for each in issuer.asked] == [f"http://localhost:{port}/sign-in/oidc"]
        assert program.end(signal.SIGTERM) == 0
    assert public_of("RS256")["n"] not in program.text
