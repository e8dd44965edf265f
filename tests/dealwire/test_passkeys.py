"""Passkeys: a real browser with its own authenticator, and Yubico's server as a foreign judge of the same answers."""

from __future__ import annotations

import hashlib
import json
import threading
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from cbor2 import CBORTag, dumps
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.config.schema import PeoplePart
from dealwire.console.roll import Roll
from dealwire.console.server import Console
from dealwire.hub.hub import Hub
from dealwire.hub.view import PendingView
from dealwire.people.passkeys import (
    CHALLENGE_NS,
    CHALLENGES_MAX,
    Challenge,
    Challenges,
    ConsoleName,
    CopiedPasskey,
    Passkey,
    PasskeyRefused,
    Passkeys,
    PasskeysUnusable,
    enrolled,
    packed,
    pinned_text,
    unpacked,
    verified,
)
from dealwire.service.actions import of_two_people
from tests.support.evenings.watched_table import WatchedTable
from tests.support.fuzzing.fuzzed_people import CHALLENGE, CREDENTIAL, PLACE, enrolling, whole_answer
from tests.support.rigs.authenticator import Window
from tests.support.rigs.browser import TEST_S, at_most, chromium, needs_browser, picture
from tests.support.rigs.consoles import ACTIONS, origin, running
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.people import PASSWORDS, person_entry, users_file

COLLECTED: dict[str, Any] = {}


@pytest.fixture(autouse=True)
def no_test_waits_for_ever() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with at_most(TEST_S):
        yield


def code_for(file: Path, name: str) -> str:
    done = CliRunner().invoke(main, ["users", "enrol", str(file), name])
    assert done.exit_code == 0, done.output
    return done.stdout.strip().rpartition(" ")[2]


def roll_at(folder: Path) -> tuple[Roll, Path]:
    file = users_file(
        folder, person_entry("a.smith", badge=4711, passkey="required"), person_entry("b.jones"), person_entry("c.new")
    )
    part = PeoplePart.model_validate({"users-file": file, "passkeys-file": folder / "passkeys.jsonl"})
    return Roll.read(part), file


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.mark.more
@needs_browser
def test_a_passkey_is_enrolled_and_signs_in_with_chromium_s_own_authenticator(hub: Hub, tmp_path: Path) -> None:
    """Everything with one browser, which takes longest to start; the answers are kept for the foreign judge."""
    roll, file = roll_at(tmp_path)
    said: list[str] = []
    with (
        WatchedTable(hub, "player-short") as table,
        running(
            hub, tokens=None, roll=roll, actions={"pit-1": ACTIONS}, note_access=lambda _, text: said.append(text)
        ) as console,
        chromium() as browser,
    ):
        table.answer_requests()
        here = f"http://localhost:{origin(console).rpartition(':')[2]}"
        window = Window(browser.new_context(viewport={"width": 1280, "height": 800}))
        page = window.page
        page.goto(f"{here}/enrol")
        picture(page, "people-enrol")
        window.press("Unknown name or code", name="a.smith", code="AAAA-BBBB-CCCC-DDDD")
        code = code_for(file, "a.smith")
        window.press("The passkey is added. Sign in with it.", name="a.smith", code=code)
        (known,) = Passkeys.read(tmp_path / "passkeys.jsonl").of("a.smith")
        COLLECTED.update(enrol=window.sent["enrol/finish"]["credential"], key=known, origin=here)
        window.press("the code was used or is over", name="a.smith", code=code)
        page.goto(f"{here}/sign-in")
        picture(page, "people-sign-in")
        window.press("", name="a.smith")
        page.get_by_text("Signed in as a.smith, supervisor").wait_for()
        COLLECTED.update(sign_in=window.sent["sign-in/passkey"]["credential"])
        page.locator("form[action='/sign-out'] button").click()
        page.goto(f"{here}/sign-in")
        window.verifies(False)
        window.press("The passkey was not confirmed. Try again.", name="a.smith")
        window.verifies(True)
        window.press("The passkey was not confirmed. Try again.", name="b.jones")
        page.route("**/sign-in/passkey/options", lambda route: route.abort())
        window.press("The program does not respond. Try again.", name="a.smith")
        page.unroute("**/sign-in/passkey/options")
        # at a number there is no passkey, and the page says so
        page.goto(f"{origin(console)}/sign-in")
        window.press("This is an invalid domain", name="a.smith")
        assert refused_password(console, "a.smith") == 403
        known_ones = ("the server responded with a status of 403", "net::ERR_FAILED")
        complaints = [each for each in window.complaints if not any(one in each for one in known_ones)]
        assert not complaints, complaints
    assert "a.smith added a passkey (from 127.0.0.1)" in said
    assert any(text.startswith("a.smith (supervisor), session ") and "signed in" in text for text in said)
    answers(tmp_path)


@needs_browser
@pytest.mark.more
def test_the_new_pages_are_accessible_without_small_text_and_without_scripts(hub: Hub, tmp_path: Path) -> None:
    from axe_playwright_python.sync_playwright import Axe

    roll, _ = roll_at(tmp_path)
    pending = PendingView(request=5, text="lock the shuffler: it jams", who="b.jones", until_ns=10**18)
    acts = {"pit-1": [*ACTIONS, *of_two_people(("start-over",))]}
    with (
        WatchedTable(hub, "player-short") as table,
        running(hub, tokens=None, roll=roll, actions=acts) as console,
        chromium() as browser,
    ):
        table.answer_requests()
        table.do(lambda viewer: viewer.pend((pending,)))
        page = browser.new_context(java_script_enabled=False).new_page()
        page.goto(f"{origin(console)}/sign-in")
        page.fill("#name", "b.jones")
        page.fill("#password", PASSWORDS["b.jones"][0])
        page.click("form.sign-in button:not([type=button])")
        assert page.locator(".role").inner_text() == "Signed in as b.jones, supervisor"
        page = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce").new_page()
        for path in ("sign-in", "enrol", "table/pit-1"):
            page.goto(console.address + path)
            found = Axe().run(page).response["violations"]
            assert not found, [(path, each["id"], [node["html"] for node in each["nodes"]]) for each in found]
            least = page.evaluate(SMALLEST)
            assert least >= 14, (path, least)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        assert "b.jones requests: lock the shuffler" in page.locator(".pending-panel").inner_text()


SMALLEST = """Math.min(...[...document.querySelectorAll('main *')]
    .filter(one => one.checkVisibility() && one.textContent.trim())
    .map(one => parseFloat(getComputedStyle(one).fontSize)))"""


def refused_password(console: Console, name: str) -> int:
    data = {"name": name, "password": PASSWORDS[name][0]}
    return httpx.post(
        f"{origin(console)}/sign-in", data=data, headers={"origin": origin(console)}, timeout=PATIENCE_S
    ).status_code


def answers(folder: Path) -> None:
    """Both judges agree on the browser's answers, and on each spoiled one."""
    here, known = COLLECTED["origin"], COLLECTED["key"]
    name = ConsoleName("localhost", (here,))
    challenges = {use: challenge_of(COLLECTED[use]) for use in ("enrol", "sign_in")}
    made = enrolled(name, "a.smith", challenges["enrol"], COLLECTED["enrol"], 5)
    assert (made.id, made.key, made.count) == (known.id, known.key, known.count)
    foreign = Foreign(here, COLLECTED["enrol"], challenges["enrol"])
    assert foreign.key == unpacked(made.key)
    used = verified(name, challenges["sign_in"], COLLECTED["sign_in"], made)
    assert used.count > made.count
    assert foreign.accepts(COLLECTED["sign_in"], challenges["sign_in"])
    with pytest.raises(CopiedPasskey):
        verified(name, challenges["sign_in"], COLLECTED["sign_in"], used)
    verdicts = {}
    for what, spoiled in SPOILED.items():
        answer = json.loads(json.dumps(COLLECTED["sign_in"]))
        spoiled(answer["response"])
        verdicts[what] = ours(name, challenges["sign_in"], answer, made), foreign.accepts(answer, challenges["sign_in"])
    other = Challenge(b"x" * 32, "sign-in", "a.smith", "", 10)
    verdicts["challenge"] = ours(name, other, COLLECTED["sign_in"], made), foreign.accepts(COLLECTED["sign_in"], other)
    assert set(verdicts.values()) == {(False, False)}, verdicts
    elsewhere = ConsoleName("localhost", ("http://localhost:1",)), ConsoleName("pit.example", (here,))
    assert not any(ours(each, challenges["sign_in"], COLLECTED["sign_in"], made) for each in elsewhere)
    kept = Passkeys.read(folder / "passkeys.jsonl")
    assert kept.path.stat().st_mode & 0o777 == 0o600
    assert kept.of("a.smith")[0].count >= used.count


def challenge_of(answer: dict[str, Any]) -> Challenge:
    client = json.loads(unpacked(answer["response"]["clientDataJSON"]))
    return Challenge(unpacked(client["challenge"]), "sign-in", "a.smith", "", 10)


def ours(name: ConsoleName, challenge: Challenge, answer: dict[str, Any], known: Passkey) -> bool:
    try:
        verified(name, challenge, answer, known)
    except PasskeyRefused:
        return False
    return True


class Foreign:
    """Yubico's server half, which takes up the same enrolment."""

    def __init__(self, here: str, enrol: dict[str, Any], challenge: Challenge) -> None:
        from fido2.server import Fido2Server
        from fido2.webauthn import PublicKeyCredentialRpEntity

        entity = PublicKeyCredentialRpEntity(id="localhost", name="judge")
        self._server = Fido2Server(entity, verify_origin=lambda origin: origin == here)
        made = self._server.register_complete(self._state(challenge), enrol)
        assert made.credential_data is not None
        self._credential = made.credential_data
        from fido2 import cbor

        self.key = cbor.encode(self._credential.public_key)

    @staticmethod
    def _state(challenge: Challenge) -> dict[str, str]:
        return {
            "challenge": urlsafe_b64encode(challenge.value).rstrip(b"=").decode(),
            "user_verification": "required",
        }

    def accepts(self, answer: dict[str, Any], challenge: Challenge) -> bool:
        from cryptography.exceptions import InvalidSignature

        try:
            self._server.authenticate_complete(self._state(challenge), [self._credential], answer)
        except (ValueError, InvalidSignature):
            return False
        return True


def spoil(key: str, at: int, mask: int = 1) -> Callable[[dict[str, str]], None]:
    """Return a function that turns over bits of a field of an answer."""

    def spoiled(response: dict[str, str]) -> None:
        data = bytearray(unpacked(response[key]))
        data[at] ^= mask
        response[key] = urlsafe_b64encode(bytes(data)).rstrip(b"=").decode()

    return spoiled


def with_client(**changes: str) -> Callable[[dict[str, str]], None]:
    """Return a function that changes what the browser says it signed."""

    def spoiled(response: dict[str, str]) -> None:
        client = json.loads(unpacked(response["clientDataJSON"])) | changes
        response["clientDataJSON"] = urlsafe_b64encode(json.dumps(client).encode()).rstrip(b"=").decode()

    return spoiled


SPOILED = {
    "signature": spoil("signature", -1),
    "relying party": spoil("authenticatorData", 0),
    "user was not present": spoil("authenticatorData", 32, 0x01),
    "user was not verified": spoil("authenticatorData", 32, 0x04),
    "counter": spoil("authenticatorData", 36),
    "origin": with_client(origin="https://evil.example"),
    "kind": with_client(type="webauthn.create"),
    "another challenge": with_client(challenge="AAAA"),
    "one letter": with_client(crossOrigin="x"),
}


# ------------------------------------------------------------------ without a browser


def test_a_challenge_counts_once_here_and_for_two_minutes() -> None:
    challenges = Challenges()

    def new(now_ns: int = 0) -> bytes:
        return challenges.new("sign-in", "a", "10.0.0.7", now_ns).value

    value = new()
    found = challenges.take(value, "sign-in", "10.0.0.7", CHALLENGE_NS - 1)
    assert found is not None
    assert challenges.take(value, "sign-in", "10.0.0.7", 1) is None, "twice"
    assert challenges.take(new(), "enrol", "10.0.0.7", 1) is None, "for another use"
    assert challenges.take(new(), "sign-in", "10.0.0.8", 1) is None, "from elsewhere"
    assert challenges.take(new(), "sign-in", "10.0.0.7", CHALLENGE_NS) is None, "too late"
    first = new()
    for _ in range(CHALLENGES_MAX):
        newest = new()
    assert challenges.take(first, "sign-in", "10.0.0.7", 1) is None, "pushed out"
    assert challenges.take(newest, "sign-in", "10.0.0.7", 1) is not None


@pytest.mark.parametrize(
    "line", ["", "{}", "[]", '{"user": "a"}', "x" * 100, '{"user":1,"id":"","key":"","count":0,"added_ns":0}']
)
def test_a_passkeys_file_that_will_not_do_is_one_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "passkeys"
    file.touch(mode=0o600)
    file.write_text(f"{line}\n")
    with pytest.raises(PasskeysUnusable, match=r":1: not a passkey"):
        Passkeys.read(file)


def test_forgotten_passkeys_are_gone(tmp_path: Path) -> None:
    keys = Passkeys(tmp_path / "passkeys")
    for number in range(3):
        keys.put(Passkey("ab"[number % 2], f"id{number}", "AA", 0, 1))
    assert Passkeys.read(keys.path).forget("a") == 2
    assert [each.id for each in Passkeys.read(keys.path).of("b")] == ["id1"]
    assert not Passkeys.read(keys.path).of("a")


@pytest.mark.parametrize("path", ["/enrol/options", "/enrol/finish", "/sign-in/passkey/options", "/sign-in/passkey"])
def test_what_is_no_answer_of_a_browser_is_refused(hub: Hub, tmp_path: Path, path: str) -> None:
    roll, _ = roll_at(tmp_path)
    with WatchedTable(hub, "player-short"), running(hub, tokens=None, roll=roll) as console:
        headers = {"origin": origin(console), "accept": "application/json"}

        def post(content: bytes, kind: str = "application/json", **more: str) -> int:
            sent = {**headers, "content-type": kind, **more}
            return httpx.post(f"{origin(console)}{path}", content=content, headers=sent, timeout=PATIENCE_S).status_code

        assert post(b"{", "application/json") == 400
        assert post(b"[1]") == 400
        assert post(b"{}", "text/plain") == 415
        assert post(b'{"a": "' + b"x" * 16400 + b'"}') == 413
        assert post(b"[" * 5000) == 400
        assert post(b"{}", origin="https://evil.example") == 403
        expected = {"/sign-in/passkey/options": 200, "/sign-in/passkey": 400}.get(path, 403)
        assert post(b'{"name": 1, "code": {}, "credential": {"response": []}}') == expected
        assert post(b'{"name": "\\ud800", "code": "\\ud800", "credential": {"response": []}}') == expected


@pytest.mark.parametrize("key", [b"", dumps([]), dumps("x"), dumps(5), dumps({1: 2, 3: -7}), dumps(CBORTag(1, 1))])
def test_a_malformed_key_is_refused_when_it_is_added_and_when_it_is_pinned(key: bytes) -> None:
    """webauthn raises an IndexError for some of them."""
    data = hashlib.sha256(PLACE.host.encode()).digest() + bytes([0x45]) + bytes(20) + b"\0\x10" + CREDENTIAL + key
    made = {"attestationObject": dumps({"fmt": "none", "attStmt": {}, "authData": data})}
    with pytest.raises(PasskeyRefused, match="the passkey does not count"):
        enrolled(PLACE, "ann", CHALLENGE, whole_answer(enrolling() | made), 1)
    with pytest.raises(PasskeyRefused, match="the passkey does not count"):
        pinned_text(Passkey("ann", packed(CREDENTIAL), packed(key), 0, 1))


def test_names_cannot_be_told_apart_by_their_passkeys(hub: Hub, tmp_path: Path) -> None:
    roll, _ = roll_at(tmp_path)
    assert roll.passkeys is not None
    roll.passkeys.put(Passkey("a.smith", "A" * 43, "AA", 0, 1))
    with WatchedTable(hub, "player-short"), running(hub, tokens=None, roll=roll) as console:
        address = f"{origin(console)}/sign-in/passkey/options"

        def options(name: str) -> Any:
            headers = {"origin": origin(console)}
            return httpx.post(address, json={"name": name}, headers=headers, timeout=PATIENCE_S).json()

        found = {name: options(name)["allowCredentials"] for name in ("a.smith", "b.jones", "nobody")}
        assert options("nobody")["allowCredentials"] == found["nobody"], "the same at each try"
        shapes = {name: [(each["type"], len(each["id"])) for each in ids] for name, ids in found.items()}
        assert shapes["a.smith"] == shapes["b.jones"] == shapes["nobody"]
        assert options("nobody")["challenge"] != options("nobody")["challenge"]
