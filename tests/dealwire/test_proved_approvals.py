"""Approvals that a passkey proves to the tables' process itself, whatever its console says.

The passkeys are written here after the Web Authentication recommendation, and what they sign after docs/people.md.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import socket
import struct
import threading
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key

from dealwire.cli import main
from dealwire.config.load import load_configuration
from dealwire.config.schema import PeoplePart
from dealwire.console.roll import Roll
from dealwire.hub.hub import Hub, Request
from dealwire.hub.lines import Assertion, RequestStep, StatusLine
from dealwire.hub.view import PendingView
from dealwire.hub.wire import VERSION, ServiceAnswer, ServiceHello, telling
from dealwire.journal import Journal
from dealwire.people.approvals import NotProved, check
from dealwire.people.errors import NotApproved
from dealwire.people.passkeys import Passkey, Passkeys
from dealwire.people.users import Users, read_users
from dealwire.service.console_gate import ConsoleGate
from dealwire.service.pending import PendingActs, taken_up
from dealwire.service.readiness import StartOptions, readiness
from dealwire.service.service import Service
from dealwire.version import __version__
from devices.clock import SystemClock
from protocol.errors import DealwireError
from tests.support.rigs.authenticator import Window
from tests.support.rigs.browser import TEST_S, at_most, chromium, needs_browser, picture
from tests.support.rigs.consoles import running
from tests.support.rigs.patience import PATIENCE_S, wait_until
from tests.support.rigs.people import PASSWORDS, person_entry, users_file
from tests.support.rigs.ports import free_port
from tests.support.rigs.serving import Program, opened, published, run_until, simulators_here, write_configuration

NOWHERE = [
    {"shuffler": f"tcp://127.0.0.1:{port}", "table-controller": f"tcp://127.0.0.1:{port + 1}"} for port in (1, 3)
]
HERE = "https://pit.example"
TOP = f"""[people]
users-file = "users.toml"
second-person = ["start-over"]
approval = "proved"
approval-origins = ["{HERE}"]
"""
PRESENT, VERIFIED = 0x01, 0x04


def base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def plain(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Stick:
    """A passkey that signs whatever it gets, as one does whose console was taken over."""

    key: Any = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    id: str = field(default_factory=lambda: base64(os.urandom(16)))
    count: int = 0

    @property
    def pinned(self) -> str:
        der = self.key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return f"{self.id}:{base64(der)}"

    def sign(
        self,
        challenge: bytes,
        /,
        *,
        host: str = "pit.example",
        flags: int = PRESENT | VERIFIED,
        more: bytes = b"",
        count: int | None = None,
        **said: Any,
    ) -> Assertion:
        """Answer a challenge; `said` is what the browser says in other words than it should."""
        self.count += 1
        known = {"type": "webauthn.get", "challenge": base64(challenge), "origin": HERE, "crossOrigin": False}
        client = json.dumps(known | said).encode()
        data = hashlib.sha256(host.encode()).digest() + struct.pack(
            ">BL", flags, self.count if count is None else count
        )
        data += more
        signed = data + hashlib.sha256(client).digest()
        if isinstance(self.key, ec.EllipticCurvePrivateKey):
            signature = self.key.sign(signed, ec.ECDSA(SHA256()))
        elif isinstance(self.key, ed25519.Ed25519PrivateKey):
            signature = self.key.sign(signed)
        else:
            signature = self.key.sign(signed, padding.PKCS1v15(), SHA256())
        return Assertion(self.id, base64(client), base64(data), base64(signature))


def challenge_on_record(folder: Path, number: int, /, **changed: Any) -> bytes:
    """Return what an approver signs, from the record of the request alone, as docs/people.md says. `changed` are parts
    that are put in place of the record's."""
    (line,) = [json.loads(item.line) for item in published(folder, "status") if item.sequence == number]
    step = line["request"]
    known = {"nonce": step["nonce"], "table": line["table"], "number": number, "act": step["act"], "who": step["who"]}
    known |= {"until": step["until_ns"], "fields": step["fields"], "text": line["text"].partition(": ")[2]}
    text = json.dumps(["dealwire approval v1", *(known | changed).values()], separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()


@dataclass
class House:
    """A service whose approvals are proved, with the passkeys of its people."""

    folder: Path
    smith: Stick = field(default_factory=Stick)
    jones: Stick = field(default_factory=Stick)
    key: Stick = field(default_factory=Stick)

    def users(self, **instead: list[str]) -> Users:
        """Write the users file."""
        pinned = {"a.smith": [self.smith.pinned], "b.jones": [self.jones.pinned], "c.key": [self.key.pinned]} | instead
        entries = [
            person_entry(name, **({"approval_keys": keys} if keys else {}))  # type: ignore[arg-type]
            for name, keys in pinned.items()
        ]
        return read_users(users_file(self.folder, *entries))

    @contextmanager
    def open(self, top: str = TOP, tables: int = 1) -> Iterator[Service]:
        """Serve tables whose devices do not answer."""
        if not (self.folder / "users.toml").exists():
            self.users()
        service, _ = opened(write_configuration(self.folder, NOWHERE[:tables], top=top))
        with service:
            yield service

    def write(self, number: int, proof: Assertion, at_ns: int = 0) -> None:
        """Add an approval of b.jones's to the journal, as somebody does who may write the file."""
        with Journal(self.folder / "journal.sqlite", key=None, clock=SystemClock()) as journal:
            known = {"of": number, "act": "start-over", "who": "a.smith", "second": "b.jones"}
            found = RequestStep(**known, step="approved", proof=proof)  # type: ignore[arg-type]
            line = StatusLine(table="table-1", kind="request", text="b.jones: x", request=found)
            journal.publish("table-1", "status", at_ns or journal.newest_ns, line.to_json())

    def texts(self, kind: str) -> list[str]:
        lines = [json.loads(item.line) for item in published(self.folder, "status")]
        return [line["text"] for line in lines if line["kind"] == kind]

    def steps(self, number: int) -> list[dict[str, Any]]:
        lines = [(item.sequence, json.loads(item.line)) for item in published(self.folder, "status")]
        found = [(at, line["request"]) for at, line in lines if line["kind"] == "request"]
        return [step for at, step in found if number in (at, step["of"])]


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def ask(
    service: Service,
    user: str,
    action: str,
    proof: Assertion | None = None,
    *,
    table: str = "table-1",
    **fields: object,
) -> str:
    """Request something in somebody's name; everything the console could say of the sign-in is said."""
    known: dict[str, Any] = {"user": user, "proven_ns": service.clock.now_ns(), "proven_by": "passkey"}
    request = Request(table, action, fields, "supervisor", "session 1 from 10.0.0.7", **known, proof=proof)
    answer: Future[str] = service.hub.ask(request)
    run_until(service, answer.done)
    return answer.result()


def requested(service: Service, user: str = "a.smith", why: str = "a new shoe", table: str = "table-1") -> PendingView:
    """Request a start over; return it as pages show it."""
    number = int(ask(service, user, "start-over", table=table, why=why).split()[2].rstrip(";"))
    (found,) = [each for each in service.hub.views()[table].pending if each.request == number]
    return found


def refusal(service: Service, user: str, number: int, proof: Assertion | None = None, table: str = "table-1") -> str:
    with pytest.raises(DealwireError) as raised:
        ask(service, user, "approve", proof, table=table, request=number)
    return str(raised.value)


# ------------------------------------------------------------------ what counts


def test_a_passkey_approves_and_an_auditor_checks_it_again_from_the_record(house: House) -> None:
    with house.open() as service:
        pending = requested(service)
        challenge = challenge_on_record(house.folder, pending.request)
        assert plain(pending.challenge) == challenge
        assert ask(service, "b.jones", "approve", house.jones.sign(challenge), request=pending.request).startswith(
            "Start"
        )
        assert service.hub.views()["table-1"].pending[0].approved_by == "b.jones"
    approved = house.steps(pending.request)[-1]
    assert (approved["step"], approved["second"]) == ("approved", "b.jones")
    name = hashlib.sha256(house.jones.id.encode()).hexdigest()[:8]
    assert (
        f"b.jones approves request {pending.request} of a.smith by passkey {name}: start every"
        in house.texts("request")[-1]
    )
    audited(house, pending.request, approved["proof"])


def audited(house: House, number: int, proof: dict[str, str]) -> None:
    """Check an approval as somebody does who has the journal and the users file, with `cryptography` alone."""
    (key,) = [
        each for user in house.users().file.user for each in user.approval_keys or () if each.startswith(proof["id"])
    ]
    found = load_der_public_key(plain(key.partition(":")[2]))
    assert isinstance(found, ec.EllipticCurvePublicKey)
    client = plain(proof["client"])
    signed = plain(proof["authenticator"]) + hashlib.sha256(client).digest()
    found.verify(plain(proof["signature"]), signed, ec.ECDSA(SHA256()))
    assert plain(json.loads(client)["challenge"]) == challenge_on_record(house.folder, number)
    with pytest.raises(InvalidSignature):
        found.verify(plain(proof["signature"]), signed + b"x", ec.ECDSA(SHA256()))


def test_a_request_keeps_its_challenge_over_a_restart_and_a_copied_passkey_is_found_then(house: House) -> None:
    with house.open() as service:
        first, second = requested(service), requested(service, why="and again")
        answer = house.jones.sign(plain(first.challenge), count=7)
    with house.open() as service:
        assert [each.challenge for each in service.hub.views()["table-1"].pending] == [
            first.challenge,
            second.challenge,
        ]
        assert ask(service, "b.jones", "approve", answer, request=first.request)
    with house.open() as service:
        for count in (7, 6, 0):
            why = refusal(service, "b.jones", second.request, house.jones.sign(plain(second.challenge), count=count))
            assert why == f"approve: request {second.request}: counter {count} after 7: the passkey may be copied"
        assert ask(
            service, "b.jones", "approve", house.jones.sign(plain(second.challenge), count=8), request=second.request
        )


def test_a_counter_holds_however_long_ago_it_was(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with house.open() as service:
        pending = requested(service)
        proof = house.jones.sign(plain(pending.challenge), count=7)
        assert ask(service, "b.jones", "approve", proof, request=pending.request)
    monkeypatch.setattr("dealwire.service.pending.LOOK_BACK_NS", 0)  # no request of before is taken up
    with house.open() as service:
        assert service.hub.views()["table-1"].pending == ()
        pending = requested(service)
        why = refusal(service, "b.jones", pending.request, house.jones.sign(plain(pending.challenge), count=7))
        assert "counter 7 after 7" in why


def test_a_passkey_that_counts_nothing_may_approve_twice(house: House) -> None:
    with house.open() as service:
        for why in ("once", "and again"):
            pending = requested(service, why=why)
            proof = house.jones.sign(plain(pending.challenge), count=0)
            assert ask(service, "b.jones", "approve", proof, request=pending.request)


def test_data_of_extensions_is_signed_and_not_read(house: House) -> None:
    with house.open() as service:
        pending = requested(service)
        proof = house.jones.sign(plain(pending.challenge), more=b"\xff" * 40, flags=PRESENT | VERIFIED | 0x80)
        assert ask(service, "b.jones", "approve", proof, request=pending.request)


# ------------------------------------------------------------------ what does not

Wrong = Callable[["House", bytes], Assertion | None]
WRONG: dict[str, tuple[Wrong, str]] = {
    "nothing": (lambda h, c: None, "no passkey of b.jones has signed request"),
    "the requester's passkey": (lambda h, c: h.smith.sign(c), "is not pinned to b.jones"),
    "a third person's": (lambda h, c: h.key.sign(c), "is not pinned to b.jones"),
    "a stranger's": (lambda h, c: Stick().sign(c), "is not pinned to b.jones"),
    "a stranger's under its id": (lambda h, c: Stick(id=h.jones.id).sign(c), "the signature is not of this passkey"),
    "a sign-in": (lambda h, c: h.jones.sign(os.urandom(32)), "answered to something else than this request"),
    "another host": (lambda h, c: h.jones.sign(c, host="evil.example"), "belongs to another host name"),
    "another origin": (lambda h, c: h.jones.sign(c, origin="https://x.pit.example"), "on a page of another origin"),
    "another port": (lambda h, c: h.jones.sign(c, origin=f"{HERE}:8443"), "on a page of another origin"),
    "within another page": (lambda h, c: h.jones.sign(c, crossOrigin=True), "on a page of another origin"),
    "within a named page": (lambda h, c: h.jones.sign(c, topOrigin="https://a"), "on a page of another origin"),
    "a list of origins": (lambda h, c: h.jones.sign(c, origin=[HERE]), "on a page of another origin"),
    "an enrolment": (lambda h, c: h.jones.sign(c, type="webauthn.create"), "not the answer of a passkey"),
    "a number": (lambda h, c: h.jones.sign(c, challenge=7), "answered to something else"),
    "no PIN": (lambda h, c: h.jones.sign(c, flags=PRESENT), "did not verify the person"),
    "nobody there": (lambda h, c: h.jones.sign(c, flags=VERIFIED), "did not verify the person"),
    "data cut": (lambda h, c: altered(h.jones.sign(c), authenticator=base64(bytes(36))), "not the answer of a passkey"),
    "not JSON": (lambda h, c: altered(h.jones.sign(c), client=base64(b"\xff")), "not the answer of a passkey"),
    "a list": (lambda h, c: altered(h.jones.sign(c), client=base64(b"[1]")), "not the answer of a passkey"),
    "nested": (lambda h, c: altered(h.jones.sign(c), client=base64(b"[" * 1500)), "not the answer of a passkey"),
    "half a letter": (lambda h, c: altered(h.jones.sign(c), signature="A"), "not the answer of a passkey"),
    "no signature": (lambda h, c: altered(h.jones.sign(c), signature="AAAA"), "the signature is not of this passkey"),
}


def altered(proof: Assertion, **instead: str) -> Assertion:
    return Assertion(**({name: getattr(proof, name) for name in Assertion.__struct_fields__} | instead))


def test_what_proves_nothing_is_refused_in_one_line_and_on_record(house: House) -> None:
    refusals = {}
    with house.open() as service:
        pending = requested(service)
        for name, (make, why) in WRONG.items():
            proof = make(house, plain(pending.challenge))
            refusals[name] = found = refusal(service, "b.jones", pending.request, proof)
            assert why in found, name
            assert "\n" not in found, name
        assert [each.approved_by for each in service.hub.views()["table-1"].pending] == [""]
        assert ask(
            service, "b.jones", "approve", house.jones.sign(plain(pending.challenge)), request=pending.request
        ), "and the true one still counts"
    noted = [text for text in house.texts("access") if "does not count" in text]
    begins = "an approval in the name of b.jones (supervisor), session 1 from 10.0.0.7 does not count: "
    expected = [f"{begins}{each.removeprefix('approve: ')}" for each in refusals.values()]
    assert noted == expected[:6], "six a minute; more are counted"


@pytest.mark.parametrize(
    "changed",
    [
        {"text": "lock the shuffler: it jams"},
        {"fields": {"why": "another reason"}},
        {"act": "lock"},
        {"who": "c.key"},
        {"table": "table-2"},
        {"number": 1},
        {"until": 1},
        {"nonce": base64(bytes(32))},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_whatever_is_shown_otherwise_is_not_approved(house: House, changed: dict[str, Any]) -> None:
    with house.open() as service:
        pending = requested(service)
        proof = house.jones.sign(challenge_on_record(house.folder, pending.request, **changed))
        assert "answered to something else" in refusal(service, "b.jones", pending.request, proof)


def test_an_answer_counts_once_and_for_its_own_request_table_and_journal(house: House, tmp_path: Path) -> None:
    away = House(tmp_path / "away", house.smith, house.jones, house.key)
    away.folder.mkdir()
    with away.open() as service:
        elsewhere = requested(service)
    with house.open(tables=2) as service:
        first, same = requested(service), requested(service)
        other = requested(service, table="table-2")
        proof = house.jones.sign(plain(first.challenge))
        for number, table in ((same.request, "table-1"), (other.request, "table-2")):
            assert "answered to something else" in refusal(service, "b.jones", number, proof, table)
        assert "at this table" in refusal(service, "b.jones", first.request, proof, "table-2")
        taken = house.jones.sign(plain(elsewhere.challenge))
        assert "answered to something else" in refusal(service, "b.jones", first.request, taken)
        assert ask(service, "b.jones", "approve", proof, request=first.request)
        assert f"request {first.request} was already approved by b.jones" in refusal(
            service, "b.jones", first.request, proof
        )
        assert "answered to something else" in refusal(service, "b.jones", same.request, proof)


def test_the_requester_s_own_passkey_approves_nothing_and_a_removed_one_neither(house: House) -> None:
    with house.open() as service:
        pending = requested(service)
        challenge = plain(pending.challenge)
        assert "is your own" in refusal(service, "a.smith", pending.request, house.smith.sign(challenge))
        service.install_users(house.users(**{"b.jones": []}))
        assert "no passkey is pinned to b.jones" in refusal(
            service, "b.jones", pending.request, house.jones.sign(challenge)
        )
        new = Stick()
        service.install_users(house.users(**{"b.jones": [new.pinned]}))
        assert "not pinned to b.jones" in refusal(service, "b.jones", pending.request, house.jones.sign(challenge))
        assert ask(service, "b.jones", "approve", new.sign(challenge), request=pending.request)


# ------------------------------------------------------------------ a console that was taken over


class TakenOver:
    """A program in place of the console: it writes its own frames."""

    def __init__(self, end: socket.socket) -> None:
        self._end, self._frames, self._number = end, telling(), 0
        end.settimeout(PATIENCE_S)
        self.send(type="hello", version=VERSION, program=__version__, pid=1)

    def send(self, **message: Any) -> None:
        body = json.dumps(message).encode()
        self._end.sendall(struct.pack(">I", len(body)) + body)

    def ask(self, user: str, action: str, proof: Any = None, **fields: Any) -> tuple[str, str]:
        self._number += 1
        more = {} if proof is None else {"proof": proof}
        self.send(
            type="ask", id=self._number, table="table-1", action=action, fields=fields, who="supervisor", user=user,
            origin="session 1 from 10.0.0.7", proven_ns=2**62, proven_by="passkey", **more,
        )  # fmt: skip
        while data := self._end.recv(65536):
            for message in self._frames.feed(data):
                if isinstance(message, ServiceAnswer) and message.id == self._number:
                    return message.how, message.text
        return "closed", ""


@contextmanager
def taken_over(service: Service) -> Iterator[TakenOver]:
    hello = ServiceHello(VERSION, __version__, 1, "/nowhere", False, "{}", "", {"table-1": []})
    gate = ConsoleGate(service.hub, service.clock, lambda: hello, service.note_access)
    gate.start()
    ours, theirs = socket.socketpair()
    gate.adopt(ours)
    over = threading.Event()
    try:
        with theirs:
            yield TakenOver(theirs)
    finally:
        over.set()
        gate.stop("over", 1.0)


def test_a_console_that_was_taken_over_requests_under_any_name_and_approves_nothing(house: House) -> None:
    said: list[tuple[str, str]] = []
    with house.open() as service, taken_over(service) as console:

        def attack() -> None:
            _, text = console.ask("a.smith", "start-over", why="no reason at all")
            number = int(text.split()[2].rstrip(";"))
            challenge = challenge_on_record(house.folder, number)
            forged = Stick(id=house.jones.id)
            recorded = house.jones.sign(os.urandom(32))
            proofs = None, own(forged.sign(challenge)), own(Stick().sign(challenge)), own(recorded)
            said.extend(console.ask("b.jones", "approve", proof, request=number) for proof in proofs)
            # names that it could tell of: the action of the request itself, and those that the tables use inside
            said.append(console.ask("b.jones", "start-over", own(forged.sign(challenge)), why="no reason at all"))
            said.append(console.ask("a.smith", "approved", None, request=number))
            said.append(console.ask("b.jones", "approve", {**own(forged.sign(challenge)), "ok": True}, request=number))

        runs(service, attack)
        service.hub.views()
        assert not [each for each in service.hub.shown()["table-1"].pending if each.approved_by]
    hows = [how for how, _ in said]
    assert hows == ["refused"] * 4 + ["done", "refused", "closed"]
    assert said[4][1].startswith("Requested as "), "that is one more request, which waits for another person too"
    steps = [json.loads(item.line).get("request") or {} for item in published(house.folder, "status")]
    assert {each.get("step") for each in steps} == {None, "policy", "requested"}
    assert len([text for text in house.texts("access") if "in the name of b.jones" in text]) == 4


def own(proof: Assertion) -> dict[str, str]:
    return {name: getattr(proof, name) for name in Assertion.__struct_fields__}


def runs(service: Service, call: Callable[[], None]) -> None:
    """Serve while `call` runs in a thread of its own; raise what it raised."""
    done: Future[None] = Future()

    def called() -> None:
        try:
            call()
            done.set_result(None)
        except BaseException as error:
            done.set_exception(error)

    thread = threading.Thread(target=called)
    thread.start()
    run_until(service, done.done)
    thread.join()
    done.result()


# ------------------------------------------------------------------ a start over


def starts_over(house: House) -> str:
    """Start every table over; return why that is refused, empty if it is not."""
    try:
        with Service(load_configuration(house.folder / "table.toml"), Hub(), anew=True):
            return ""
    except NotApproved as error:
        return str(error).partition(": request ")[2].partition("; dealwire journal")[0].partition(" ")[2]


def test_a_start_over_counts_only_with_the_passkey_s_answer(house: House) -> None:
    with house.open() as service:
        pending = requested(service)
        ask(service, "b.jones", "approve", house.jones.sign(plain(pending.challenge)), request=pending.request)
    assert starts_over(house) == ""
    assert house.steps(pending.request)[-1]["step"] == "done"


def test_a_password_approves_no_start_over(house: House) -> None:
    """Not without the service either, by whoever has the password, the users file and the journal."""
    with house.open() as service:
        number = requested(service).request
    journal, users = house.folder / "journal.sqlite", house.folder / "users.toml"
    words = ["journal", "approve", journal, number, "--users", users, "--stdin", "--who", "b.jones"]
    done = CliRunner().invoke(main, [*map(str, words)], input=f"{PASSWORDS['b.jones'][0]}\n")
    assert done.exit_code == 0, done.output
    assert "; no passkey signs this: it counts only where approval is signed-in" in done.stdout
    assert starts_over(house) == f"does not count: no passkey of b.jones has signed request {number}"


def test_whoever_may_write_the_journal_approves_no_start_over(house: House) -> None:
    with house.open() as service:
        pending, other = requested(service), requested(service, why="and again")
    challenge = plain(pending.challenge)
    for proof, why in (
        (Stick(id=house.jones.id).sign(challenge), "the signature is not of this passkey"),
        (house.jones.sign(plain(other.challenge)), "the passkey answered to something else than this request"),
        (house.jones.sign(challenge, origin="https://his.example"), "the passkey answered on a page of another origin"),
        (house.smith.sign(challenge), "this passkey is not pinned to b.jones (dealwire users pin)"),
    ):
        house.write(pending.request, proof)
        assert starts_over(house) == f"does not count: {why}"
    house.write(pending.request, house.jones.sign(challenge))
    assert starts_over(house) == ""


def test_an_answer_of_before_counts_for_an_hour_after_its_request_and_no_longer(house: House) -> None:
    """The record of the approval may have any time."""
    with house.open() as service:
        pending = requested(service)
        answer = house.jones.sign(plain(pending.challenge))
        until_ns = house.steps(pending.request)[0]["until_ns"]
    hour_ns = 3600 * 10**9
    house.write(pending.request, answer, at_ns=until_ns + 5 * hour_ns)
    part = load_configuration(house.folder / "table.toml").people
    acts = PendingActs(part, read_users(house.folder / "users.toml"))
    taken_up(acts, house.folder / "journal.sqlite", until_ns)
    assert acts.start_over(until_ns + hour_ns - 1) is not None
    assert acts.start_over(until_ns + hour_ns) is None


# ------------------------------------------------------------------ switched off, on, and set up


def test_switched_off_all_is_as_before_and_the_record_has_no_more(house: House) -> None:
    off = TOP.partition("approval")[0]
    with house.open(off) as service:
        pending = requested(service)
        assert pending.challenge == ""
        assert ask(service, "b.jones", "approve", Stick().sign(b"x" * 32), request=pending.request)
    assert all(not {"nonce", "proof", "proved"} & step.keys() for step in house.steps(pending.request))
    by = read_users(house.folder / "users.toml").digest[:16]
    assert house.texts("request")[0] == f"from here on two people are needed for: start-over; by the users file {by}"
    assert f"b.jones approves request {pending.request} of a.smith: start every" in house.texts("request")[-1]


def test_a_policy_with_proofs_is_on_record_and_older_requests_are_made_again(house: House) -> None:
    off = TOP.partition("approval")[0]
    with house.open(off) as service:
        older = requested(service)
    with house.open() as service:
        assert "was made before approvals were proved; request it again" in refusal(service, "b.jones", older.request)
    with house.open():
        pass
    words = "from here on two people are needed for: start-over"
    policies = [text for text in house.texts("request") if text.startswith("from here on")]
    by = f"; by the users file {read_users(house.folder / 'users.toml').digest[:16]}"
    assert policies == [f"{words}{by}", f"{words}; a passkey signs each approval{by}"]


@pytest.mark.parametrize(
    ("top", "why"),
    [
        ('second-person = ["lock"]\napproval = "proved"', "approval-origins are given together"),
        ('second-person = ["lock"]\napproval-origins = ["https://a.example"]', "approval-origins are given together"),
        ('approval = "proved"\napproval-origins = ["https://a.example"]', "needs second-person"),
        *(
            (f'second-person = ["lock"]\napproval = "proved"\napproval-origins = ["{origin}"]', why)
            for origin, why in (
                ("http://a.example", "http counts at localhost only"),
                ("https://10.0.0.7", "not to a numeric address"),
                ("https://a.example/", "an origin as browsers write it"),
                ("https://A.example", "an origin as browsers write it"),
                ("https://a.example:443", "an origin as browsers write it"),
                ("https://a.example:70000", "an origin as browsers write it"),
            )
        ),
    ],
)
def test_a_configuration_that_will_not_do_is_one_line(tmp_path: Path, top: str, why: str) -> None:
    file = write_configuration(tmp_path, NOWHERE[:1], top=f'[people]\nusers-file = "users.toml"\n{top}\n')
    with pytest.raises(DealwireError, match=why) as raised:
        load_configuration(file)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({}, "start-over needs a supervisor with approval-keys in the users file; dealwire users pin"),
        (
            {"b.jones": [f"abcd:{'A' * 122}"]},
            "approval-keys of b.jones in the users file: the pinned key cannot be read",
        ),
        ({"b.jones": [Stick(key=ec.generate_private_key(ec.SECP384R1())).pinned]}, "of a kind that does not count"),
        ({"b.jones": [Stick(key=rsa.generate_private_key(65537, 1024)).pinned]}, "of a kind that does not count"),
    ],
    ids=["none", "no key", "another curve", "a short key"],
)
def test_a_start_needs_keys_that_count(house: House, keys: dict[str, list[str]], why: str) -> None:
    house.users(**({"a.smith": [], "b.jones": [], "c.key": []} | keys))
    found = load_configuration(write_configuration(house.folder, NOWHERE[:1], top=TOP))
    wrong = [tried for tried in readiness(found, StartOptions()) if tried.error is not None]
    assert [tried.key for tried in wrong] == [("people", "approval")]
    assert why in wrong[0].text


def test_a_passkey_is_one_person_s(house: House) -> None:
    with pytest.raises(DealwireError, match=r"approval-keys: a passkey of it is already a.smith's"):
        house.users(**{"b.jones": [house.smith.pinned]})
    same_key = Stick(key=house.smith.key)
    with pytest.raises(DealwireError, match=r"approval-keys: a passkey of it is already a.smith's"):
        house.users(**{"b.jones": [same_key.pinned]})


KEYS: dict[str, Callable[[], Any]] = {
    "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate,
    "RS256": lambda: rsa.generate_private_key(65537, 2048),
}


@pytest.mark.parametrize("kind", KEYS)
def test_a_passkey_is_pinned_and_two_other_judges_agree_on_it(tmp_path: Path, kind: str) -> None:
    from fido2.cbor import encode
    from fido2.cose import ES256, RS256, EdDSA

    stick = Stick(key=KEYS[kind]())
    known: dict[str, Any] = {"ES256": ES256, "EdDSA": EdDSA, "RS256": RS256}
    cose = encode(known[kind].from_cryptography_key(stick.key.public_key()))
    file = users_file(tmp_path, person_entry("a.smith"), person_entry("b.jones"))
    kept = tmp_path / "passkeys.jsonl"
    Passkeys(kept).put(Passkey("b.jones", stick.id, base64(cose), 0, 1_796_000_000_000_000_000))
    if os.geteuid() == 0:
        os.chown(kept, 65534, 65534)  # it is the console's user's
    assert users("pin", file, "a.smith", kept) == (1, f"{kept}: nothing was pinned; passkeys of a.smith: none")
    absent = tmp_path / "passkeys.json"
    assert users("pin", file, "b.jones", absent) == (2, f"{absent}: there is no such file")
    assert users("pin", file, "nobody", kept)[1] == f"{file}: there is no user 'nobody'; known: a.smith, b.jones"
    name = hashlib.sha256(stick.id.encode()).hexdigest()[:8]
    there = f"{kept}: nothing was pinned; passkeys of b.jones: {name}"
    assert users("pin", file, "b.jones", kept, "--only", "0123abcd") == (1, there)
    assert users("pin", file, "b.jones", kept, "--only", name)[0] == 0
    assert users("pin", file, "b.jones", kept) == (
        0,
        f"{file}: b.jones approves with passkey {name} of 2026-11-30T00:53:20Z",
    )
    (found,) = [user.approval_keys for user in read_users(file).file.user if user.name == "b.jones"]
    assert found == (stick.pinned,)
    challenge = os.urandom(32)
    proof = stick.sign(challenge)
    check(proof, stick.pinned, challenge, [HERE], 0)
    judged(cose, challenge, proof, accepts=True)
    for name in ("client", "authenticator", "signature"):
        data = bytearray(plain(getattr(proof, name)))
        data[-2] ^= 1
        spoiled = altered(proof, **{name: base64(bytes(data))})
        with pytest.raises(NotProved):
            check(spoiled, stick.pinned, challenge, [HERE], 0)
        judged(cose, challenge, spoiled, accepts=False)
    assert users("unpin", file, "b.jones")[0] == 0
    assert all(user.approval_keys is None for user in read_users(file).file.user)


def users(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["users", *map(str, arguments)])
    return done.exit_code, (done.stdout + done.stderr).strip().removeprefix("dealwire: ")


def judged(cose: bytes, challenge: bytes, proof: Assertion, *, accepts: bool) -> None:
    """Have two other programs check an answer: the one that signs people in, and Yubico's."""
    from fido2.cbor import decode
    from fido2.cose import CoseKey
    from webauthn import verify_authentication_response
    from webauthn.helpers.exceptions import WebAuthnException

    response = {
        "clientDataJSON": proof.client,
        "authenticatorData": proof.authenticator,
        "signature": proof.signature,
    }
    verdicts = []
    try:
        verify_authentication_response(
            credential={"id": proof.id, "rawId": proof.id, "type": "public-key", "response": response},
            expected_challenge=challenge,
            expected_rp_id="pit.example",
            expected_origin=HERE,
            credential_public_key=cose,
            credential_current_sign_count=0,
            require_user_verification=True,
        )
        verdicts.append(True)
    except (WebAuthnException, ValueError):
        verdicts.append(False)
    try:
        signed = plain(proof.authenticator) + hashlib.sha256(plain(proof.client)).digest()
        CoseKey.parse(decode(cose)).verify(  # type: ignore[arg-type]
            signed, plain(proof.signature)
        )
        verdicts.append(True)
    except InvalidSignature:
        verdicts.append(False)
    assert verdicts == [accepts, accepts]


def test_only_declared_errors_come_out_of_spoiled_answers() -> None:
    chance, stick = random.Random(35), Stick()
    challenge = chance.randbytes(32)
    proof = stick.sign(challenge)
    for _ in range(1500):
        name = chance.choice(["client", "authenticator", "signature"])
        data = bytearray(plain(getattr(proof, name)))
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if data == plain(getattr(proof, name)):
            continue
        cut = chance.choice([len(data), chance.randrange(1, len(data))])
        with pytest.raises(NotProved):
            check(altered(proof, **{name: base64(bytes(data[:cut]))}), stick.pinned, challenge, [HERE], 0)


# ------------------------------------------------------------------ a real browser, console and service


@pytest.mark.more
@needs_browser
def test_chromium_approves_at_a_console_of_its_own_process(tmp_path: Path) -> None:
    """Enrolled at one console, pinned, and approved at another: the page gets no key, and the tables check it."""
    port = free_port()
    here = f"http://localhost:{port}"
    file = users_file(tmp_path, person_entry("a.smith", badge=4711), person_entry("b.jones", badge=4712))
    kept = tmp_path / "passkeys.jsonl"
    part = PeoplePart.model_validate({"users-file": file, "passkeys-file": kept})
    top = f'[console]\nport = {port}\n[people]\nusers-file = "users.toml"\npasskeys-file = "passkeys.jsonl"\n'
    top += f'second-person = ["start-over"]\napproval = "proved"\napproval-origins = ["{here}"]\n'
    with at_most(TEST_S), chromium() as browser:
        window = Window(browser.new_context(viewport={"width": 1280, "height": 1600}))
        page = window.page
        with running(Hub(), tokens=None, roll=Roll.read(part), port=port):
            page.goto(f"{here}/enrol")
            code = users("enrol", file, "b.jones")[1].rpartition(" ")[2]
            window.press("The passkey is added. Sign in with it.", name="b.jones", code=code)
        assert users("pin", file, "b.jones", kept)[0] == 0
        with simulators_here() as addresses, Program(write_configuration(tmp_path, addresses, top=top)) as program:
            program.wait_for(lambda: "shuffler is connected" in program.text and f":{port}" in program.text)
            wait_until(lambda: is_up(here), "the first page")
            number = start_over_requested(here)
            page.goto(f"{here}/sign-in")
            window.press("", name="b.jones")
            page.get_by_text("Signed in as b.jones, supervisor").wait_for()
            page.goto(f"{here}/table/table-1")
            button = page.locator(f"#call-approve-{number} > button")
            button.wait_for()
            picture(page, "approve-with-passkey")
            window.verifies(False)
            approve(page, number)
            page.get_by_text("The passkey was not confirmed. Try again.").wait_for()
            shade = "form => getComputedStyle(form, '::backdrop').backgroundColor"
            assert page.locator(f"#ask-approve-{number}").evaluate(shade) == "rgba(0, 0, 0, 0)", "words are dim"
            window.verifies(True)
            approve(page, number, opens=False)
            page.get_by_text("Start the service with --start-over within an hour.").first.wait_for()
            page.get_by_text("approved by b.jones").wait_for()
            assert program.end() == 0
            assert "Traceback" not in program.text
        assert not window.complaints, window.complaints
    house = House(tmp_path)
    steps = house.steps(number)
    assert [each["step"] for each in steps] == ["requested", "approved"]
    proof = steps[1]["proof"]
    assert json.loads(plain(proof["client"]))["origin"] == here
    assert plain(json.loads(plain(proof["client"]))["challenge"]) == challenge_on_record(tmp_path, number)


def is_up(here: str) -> bool:
    try:
        return "table-1" in httpx.get(here, timeout=PATIENCE_S).text
    except httpx.HTTPError:
        return False


def start_over_requested(here: str) -> int:
    """Request a start over with a password; an approval by password alone does not count."""
    with httpx.Client(base_url=here, headers={"origin": here, "accept": "application/json"}, timeout=PATIENCE_S) as web:
        web.post("/sign-in", data={"name": "a.smith", "password": PASSWORDS["a.smith"][0]})
        answer = web.post("/table/table-1/act/start-over", data={"why": "a new shoe"})
        assert answer.status_code == 200, answer.text
        number = int(answer.json()["text"].partition("Requested as ")[2].partition(";")[0])
        web.post("/sign-in", data={"name": "b.jones", "password": PASSWORDS["b.jones"][0]})
        answer = web.post("/table/table-1/act/approve", data={"request": number})
        assert (answer.status_code, answer.json()["text"][:34]) == (400, "proof: confirm with your passkey; ")
        return number


def approve(page: Any, number: int, *, opens: bool = True) -> None:
    if opens:
        page.locator(f"#call-approve-{number} > button").click()
    page.locator(f"#ask-approve-{number} .answers button:not([type=button])").click()
