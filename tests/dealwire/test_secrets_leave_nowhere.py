"""No key, password, token or code leaves a served table: not by standard output or error, a page, MQTT, metrics, the
journal, another file, an argument or the environment of a process, or what a killed process leaves. A real service and
its console's process, with every secret that a table.toml can name."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import signal
import ssl
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from dealwire.attest.keys import SigningKey
from dealwire.cli import main
from dealwire.journal import JournalReader, SealingKey
from dealwire.journal.proving import newest_note
from dealwire.journal.records import RAW
from dealwire.journal.signing import WITNESS_TYPE, NoteVerifier, SigningPair
from dealwire.service.line_keys import LineKeys
from protocol.errors import DealwireError
from tests.dealwire.export.test_cosigning import NAME, REGULATOR, Regulator, running
from tests.dealwire.test_console_apart import console_process, held
from tests.dealwire.test_day_stamps import authority, serving
from tests.dealwire.test_sealed_tables import dealing, keyed
from tests.support.rigs import attested
from tests.support.rigs.authorities import Site
from tests.support.rigs.brokers import Mosquitto, Reader, needs_mosquitto, running_broker
from tests.support.rigs.patience import PATIENCE_S, wait_until
from tests.support.rigs.people import PASSWORDS, person_entry, program_entry, user_entry, users_file
from tests.support.rigs.ports import free_port
from tests.support.rigs.serving import Program, rounds_in, write_configuration

SECRET = "thisMustNotBeRepeated0123456789abcdef"
USERS = 'schema = "dealwire.users/1"\n'
TOKEN = "dw_hunter_0123456789"
CODE = "ABCD-EFGH-JKMN-PQRS"
MQTT_PASSWORD = "the broker's own words"

# ------------------------------------------------------------------ files that will not do

MISPLACED = {
    "a password for its hash": f'{USERS}[[user]]\nname = "a"\nrole = "dealer"\npassword = "{SECRET}"\n',
    "a password without quotes": f'{USERS}[[user]]\nname = "a"\nrole = "dealer"\npassword = {SECRET}\n',
    "a token for its digest": f'{USERS}[[program]]\nname = "a"\nmay = ["read"]\ntoken = "dw_{SECRET}"\n',
    "a code for its digest": f'{USERS}[[user]]\nname = "a"\nrole = "dealer"\nenrol = "{SECRET}"\n',
    "no table": SECRET,
}


@pytest.mark.parametrize("what", MISPLACED)
def test_a_users_file_that_will_not_do_is_not_repeated(tmp_path: Path, what: str) -> None:
    file = tmp_path / "users.toml"
    file.touch(0o600)
    file.write_text(MISPLACED[what])
    done = CliRunner().invoke(main, ["users", "check", str(file)])
    assert done.exit_code == 2
    assert done.stderr.startswith(f"dealwire: {file}:")
    assert SECRET not in done.output


KEY_FILES = {
    "a word": f"{SECRET}\n",
    "a key without its id": f"dealwire-journal-key {SECRET}\n",
    "a key that does not fit": f"WORD 0011223344556677 {'5e' * 32}\n",
    "bytes of no text": f"WORD \xff {SECRET}\n",
}
COMMANDS = {
    "journal key": (["journal", "key", "list", "FILE"], "dealwire-journal-key"),
    "journal signer": (["journal", "signer", "show", "FILE"], "dealwire-signing-key"),
    "host.key": (["device", "keys", "list", "--keys", "FOLDER"], "tdp-host-key"),
    "list of firmware": (["device", "attest", "sign", "LIST", "--key", "FILE"], "tdp-list-key"),
}


@pytest.mark.parametrize("content", KEY_FILES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_key_file_that_will_not_do_is_not_repeated(tmp_path: Path, command: str, content: str) -> None:
    arguments, word = COMMANDS[command]
    file = tmp_path / "host.key"
    file.touch(0o600)
    file.write_text(KEY_FILES[content].replace("WORD", word), encoding="latin-1")
    (tmp_path / "list").write_text(attested.list_text())
    given = [
        {"LIST": str(tmp_path / "list"), "FILE": str(file), "FOLDER": str(tmp_path)}.get(each, each)
        for each in arguments
    ]
    done = CliRunner().invoke(main, given)
    assert done.exit_code != 0
    assert SECRET not in done.output
    assert "5e5e5e5e" not in done.output
    assert "Traceback" not in done.output


def test_a_tokens_file_with_role_and_token_exchanged_is_not_repeated(tmp_path: Path) -> None:
    from dealwire.console.tokens import Tokens

    file = tmp_path / "tokens.toml"
    file.touch(0o600)
    file.write_text(f'"{SECRET}" = "dealer"\n')
    with pytest.raises(DealwireError) as raised:
        Tokens.read(file)
    assert "key 1 is not a role" in str(raised.value)
    assert SECRET not in str(raised.value)


def test_an_object_with_a_key_does_not_show_it(tmp_path: Path) -> None:
    """In a traceback, or in a line that someone adds to the log."""
    keys = LineKeys.read_or_make(tmp_path)
    signing = SigningKey.new("maker", "Works")
    for shown, secret in ((keys, keys.own), (signing, signing.seed)):
        text = f"{shown!r} {shown}"
        assert repr(secret) not in text
        assert secret.hex() not in text


# ------------------------------------------------------------------ a service

TOP = """signing-key-file = "table.sign"
checkpoint-seconds = 1
timestamp-url = "{tsa}"
timestamp-ca-file = "tsa/tsa.pem"
[[journal.witness]]
key = "{witness}"
needed = true
[lines]
keys = "line-keys"
[console]
port = 0
[console.tls]
cert-file = "{cert}"
key-file = "{key}"
[people]
users-file = "users.toml"
[exports]
ndjson = true
[exports.metrics]
port = {metrics}
[exports.metrics.tls]
cert-file = "{cert}"
key-file = "{key}"
[exports.mqtt]
url = "mqtt://pit@127.0.0.1:{broker}"
site = "north"
password-file = "broker.password"
"""
EVIDENCE = (
    ("prove", "1", "FILE", "--to", "PROOFS"),
    ("checkpoint", "FILE"),
    ("grown", "FILE", "--from", "1"),
    ("verify", "FILE"),
    ("show", "FILE"),
    ("signer", "show", "SIGNER", "--journal", "FILE"),
    ("request", "start-over", "FILE", "--users", "USERS", "--who", "a.smith", "--why", "a reason", "--stdin"),
)
"""Commands about the journal as evidence, and one that asks for a password."""
NOT_THE_CONSOLE_S = ("journal key", "signing key", "key of the lines", "broker's password")
"""Secrets that the console's process has no use for."""
OWN = re.compile(r"journal\.key|table\.sign|host\.key|users\.toml|broker\.password|.*\.identity|.*\.key")
"""Names of the files that hold the secrets."""


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    with running_broker(tmp_path_factory.mktemp("broker")) as made:
        yield made


def forms(secret: bytes) -> set[bytes]:
    """Return a secret as it might be written."""
    return {secret, secret.hex().encode(), secret.hex().upper().encode(), base64.b64encode(secret).rstrip(b"=")}


def secrets_of(folder: Path, tls_key: Path) -> dict[str, set[bytes]]:
    """Return every secret of the service, by its name, as it might be written."""
    found = {name: forms(bytes.fromhex(each)) for name, each in {
        "journal key": (folder / "journal.key").read_text().split()[2],
        "signing key": (folder / "table.sign").read_text().split()[2],
        "key of the lines": (folder / "line-keys" / "host.key").read_text().split()[2],
        **{path.name: path.read_text().split()[1] for path in (folder / "ids").glob("*.identity")},
    }.items()}  # fmt: skip
    pem = [line for line in tls_key.read_text().splitlines() if "-----" not in line]
    found["key of TLS"] = {line.encode() for line in pem[:2]} | {base64.b64decode("".join(pem))[36:68]}
    password, digest = PASSWORDS["a.smith"]
    texts = {"password": password, "hash": digest.rpartition("$")[2], "token": TOKEN, "code": CODE,
             "broker's password": MQTT_PASSWORD}  # fmt: skip
    return found | {name: {text.encode(), text.replace(" ", "+").encode()} for name, text in texts.items()}


class SecretHunt:
    """The secrets, and the texts in which they were looked for."""

    def __init__(self, secrets: dict[str, set[bytes]]) -> None:
        self.secrets, self.searched, self.leaks = secrets, set[str](), list[tuple[str, str]]()

    def search(self, outlet: str, data: bytes | str) -> None:
        data = data.encode() if isinstance(data, str) else data
        if data:
            self.searched.add(outlet)
        self.leaks += [
            (outlet, name) for name, written in self.secrets.items() if any(each in data for each in written)
        ]

    def search_process(self, outlet: str, number: int) -> None:
        for part in ("cmdline", "environ"):
            self.search(f"{outlet} {part}", Path(f"/proc/{number}/{part}").read_bytes())

    def search_files(self, folder: Path) -> None:
        """Look into every file but those that hold the secrets, and check that those are private."""
        for path in folder.rglob("*"):
            if path.is_file() and not OWN.fullmatch(path.name):
                self.search(f"file {path.name}", path.read_bytes())
            elif path.is_file():
                assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def core_limit(number: int) -> str:
    (line,) = [each for each in Path(f"/proc/{number}/limits").read_text().splitlines() if "core file" in each]
    return line.split()[4]


def look_around(hunt: SecretHunt, address: str, caller: ssl.SSLContext) -> None:
    """Sign in, read the pages as a person and as a program, and put secrets where they do not belong."""
    headers = {"origin": address.rstrip("/"), "accept": "text/html"}
    with httpx.Client(base_url=address, headers=headers, verify=caller, timeout=PATIENCE_S) as browser:
        password = PASSWORDS["a.smith"][0]
        wrong = browser.post("/sign-in", data={"name": password, "password": "a.smith"})
        assert wrong.status_code == 403
        hunt.search("page", wrong.text)
        assert browser.post("/enrol/options", json={"name": "b.new", "code": CODE}).status_code != 500
        entered = browser.post("/sign-in", data={"name": "a.smith", "password": password})
        assert entered.status_code == 303
        (cookie,) = entered.cookies.values()
        hunt.secrets["cookie"] = {cookie.encode()}
        for path in (
            "/",
            "/log.json",
            "/table/table-1",
            "/table/table-1/rounds",
            f"/table/none?token={TOKEN}",
            "/bench",
        ):
            hunt.search("page", browser.get(path).text)
        asking = {"authorization": f"Bearer {TOKEN}", "accept": "application/json"}
        for path in ("/table/table-1", "/table/table-1/round/1.json", "/table/none", "/openapi.json"):
            hunt.search("program", browser.get(path, headers=asking).text)
        browser.post("/table/none/act/refresh", headers=asking)


def give_evidence(hunt: SecretHunt, folder: Path) -> None:
    """Run the commands about the journal, and look into what they print and write."""
    named = {"FILE": "journal.sqlite", "PROOFS": "proofs", "SIGNER": "table.sign", "USERS": "users.toml"}
    for command in EVIDENCE:
        given = [str(folder / named[each]) if each in named else each for each in command]
        done = CliRunner().invoke(main, ["journal", *given], input=f"{PASSWORDS['a.smith'][0]}\n")
        assert done.output, command
        assert not isinstance(done.exception, Exception), command
        hunt.search(" ".join(command[:1]), done.output)


@contextmanager
def witnessed(broker: Mosquitto, folder: Path) -> Iterator[Regulator]:
    """Let a witness follow the log of the service, which has begun."""
    with JournalReader(folder / "journal.sqlite") as reader:
        origin = newest_note(reader).head.origin
    key = NoteVerifier.parse(SigningPair.load(folder / "table.sign").vkey(origin))
    regulator = Regulator(broker, folder / "memory", key, tables=("north/*",))
    with running(regulator.run):
        yield regulator


@pytest.mark.more
@needs_mosquitto
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="not here: /proc")
def test_no_secret_of_a_service_leaves_it(tmp_path: Path, broker: Mosquitto) -> None:
    keyed(tmp_path)
    SigningPair.new(tmp_path / "table.sign")
    users_file(
        tmp_path,
        person_entry("a.smith", badge=4711),
        user_entry("b.new", enrol=f"sha256:{hashlib.sha256(CODE.encode()).hexdigest()}",
                   enrol_until="2099-01-01T00:00:00Z"),
        program_entry("hunter", TOKEN),
    )  # fmt: skip
    (tmp_path / "broker.password").touch(0o600)
    (tmp_path / "broker.password").write_text(f"{MQTT_PASSWORD}\n")
    site, metrics = Site(tmp_path / "site"), free_port()
    pair = site.server()
    tsa = authority(tmp_path, "tsa")
    with (
        serving(tsa) as stamps,
        dealing(tmp_path, "--identity", str(tmp_path / "ids")) as addresses,
        Reader(broker.port, "#") as reader,
    ):
        cosigns = REGULATOR.vkey(NAME, WITNESS_TYPE)
        names = {"cert": pair.cert, "key": pair.key, "metrics": metrics, "tsa": stamps, "witness": cosigns}
        file = write_configuration(tmp_path, [addresses], top=TOP.format(broker=broker.port, **names))
        file.write_text(file.read_text().replace('\nkind = "', '\nsealed = "required"\nkind = "'))
        hunt = SecretHunt(secrets_of(tmp_path, pair.key))
        for command in (["run", "--check", str(file)], ["doctor", "--json", str(file)], ["users", "list",
                        str(tmp_path / "users.toml"), "--json"]):  # fmt: skip
            done = subprocess.run([sys.executable, "-m", "dealwire", *command], capture_output=True)
            hunt.search(" ".join(command[:2]), done.stdout + done.stderr)
        with Program(file) as program:
            program.wait_for(lambda: "console: https" in program.text and rounds_in(tmp_path) >= 1)
            (address,) = re.findall(r"console: (https://\S+)", program.text)
            look_around(hunt, address, site.caller())
            scraped = httpx.get(f"https://127.0.0.1:{metrics}/metrics", verify=site.caller(), timeout=PATIENCE_S)
            hunt.search("metrics", scraped.text)
            child = console_process(program)
            with witnessed(broker, tmp_path) as regulator:
                wait_until(lambda: (tmp_path / "memory").exists() and (tsa / "query").exists(), "witness and stamp")
                assert regulator.alarms == []
            hunt.search("time-stamp request", (tsa / "query").read_bytes())
            foreign = {each for name in NOT_THE_CONSOLE_S for each in hunt.secrets[name]}
            assert held(program.process.pid, foreign), "the search finds what is there"
            assert not held(child, foreign)
            for name, number in (("service", program.process.pid), ("console", child)):
                hunt.search_process(name, number)
                assert core_limit(number) == "0", name
            os.kill(child, signal.SIGABRT)
            wait_until(lambda: console_process(program) not in (0, child), "another console")
            assert program.end(signal.SIGABRT) == -signal.SIGABRT  # what runs in the background may ignore SIGQUIT
        hunt.search("standard output and error", program.text)
        assert "killed by signal 6" in program.text
        assert "Traceback" not in program.text
        hunt.search("mqtt", "\n".join([*reader.copy().values(), *(str(each) for each in reader.others)]))
    give_evidence(hunt, tmp_path)
    hunt.search_files(tmp_path)
    with JournalReader(tmp_path / "journal.sqlite", SealingKey.load(tmp_path / "journal.key")) as journal:
        for record in journal.records():
            hunt.search("raw record" if record.kind in RAW else "record", record.payload)
    assert hunt.searched >= {
        "page", "program", "metrics", "mqtt", "standard output and error", "record", "raw record",
        "file journal.sqlite", "service cmdline", "service environ", "console cmdline", "console environ",
        "run --check", "doctor --json", "users list", "time-stamp request", "file memory", "file round-1.proof",
        *(each[0] for each in EVIDENCE),
    }  # fmt: skip
    assert not hunt.leaks, hunt.leaks
    assert not [path for path in (*tmp_path.rglob("core*"), *Path.cwd().glob("core*")) if path.is_file()]


def test_the_hunt_finds_a_secret_however_it_is_written(tmp_path: Path) -> None:
    key = bytes(range(32))
    hunt = SecretHunt({"key": forms(key)})
    for text in (key, key.hex(), key.hex().upper(), base64.b64encode(key)):
        hunt.search("here", b"x" + (text if isinstance(text, bytes) else text.encode()) + b"y")
    assert hunt.leaks == [("here", "key")] * 4
