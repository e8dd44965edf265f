"""Attacks on the users file, on passkeys, and on what a console that was taken over asks for."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.cli import users as users_command
from dealwire.cli.exits import Exit
from dealwire.console.roll import Roll
from dealwire.console.sessions import Sessions
from dealwire.hub.actions import FieldRefused
from dealwire.hub.hub import Hub
from dealwire.hub.wire import ConsoleAccess, ConsoleAsk, ConsoleHello, framed
from dealwire.people.passkeys import CopiedPasskey, Passkey, PasskeyRefused, Passkeys, packed
from dealwire.people.users import digest_of, read_users
from dealwire.service import console_gate
from dealwire.service.actions import KINDS, ActionRefused
from protocol.errors import DealwireError
from tests.dealwire.test_console_apart import Owner
from tests.dealwire.test_second_person import ask, configuration, number_in, view
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.consoles import running
from tests.support.rigs.patience import PATIENCE_S, wait_until
from tests.support.rigs.people import PASSWORDS, person_entry, program_entry, user_entry, users_file
from tests.support.rigs.serving import opened, run_until, simulators_here

HEAD = 'schema = "dealwire.users/1"\n'
BEA = '[[user]]\nname = "b"\nrole = "dealer"\n'
NOW_NS = 1_800_000_000_000_000_000


def written(folder: Path, text: str) -> Path:
    file = folder / "users.toml"
    file.touch(mode=0o600)
    file.write_text(text)
    return file


def run(*arguments: object, stdin: str = "") -> tuple[int, str]:
    done = CliRunner().invoke(main, ["users", *map(str, arguments)], input=stdin)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


# ------------------------------------------------------------------ the users file, changed as text


@pytest.mark.parametrize(
    "anna",
    [
        '[["us\\u0065r"]]\nname = "a"\nrole = "dealer"\n',
        '[[user]]\nname = "a"\nrole = "dealer"\ntitle = """\n[[x]]\ndisabled = false"""\n',
        '[[user]]\nname = "z"\nrole = "dealer"\ntitle = """\n[[user]]\n"""\n[[user]]\nname = "a"\nrole = "dealer"\n',
        '[[user]]\nname = "a"\nrole = "dealer"\n"disabled" = false\n',
    ],
    ids=["escaped", "in a text", "a header in a text", "quoted key"],
)
def test_a_change_in_the_wrong_place_is_refused(tmp_path: Path, anna: str) -> None:
    """It disabled another person, or nobody, and reported that it was done."""
    file = written(tmp_path, HEAD + anna + BEA)
    before = file.read_text()
    code, text = run("disable", file, "a")
    assert (code, "write disabled into the file by hand" in text) == (Exit.USAGE, True), text
    assert file.read_text() == before


@pytest.mark.parametrize("odd", ["\u2028", "\u0085", "\u202e"])
def test_a_title_ends_no_line_of_the_file(tmp_path: Path, odd: str) -> None:
    file = written(tmp_path, HEAD)
    assert run("add", file, "b", "--role", "dealer", "--title", f"Bea{odd}[[user]]")[0] == 0
    assert run("add", file, "a", "--role", "dealer")[0] == 0
    assert run("disable", file, "a")[0] == 0
    assert [(each.name, each.disabled) for each in read_users(file).file.user] == [("b", False), ("a", True)]


def test_a_password_goes_to_its_person_though_the_entry_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else changed the file while the password was typed."""
    file = written(tmp_path, HEAD + BEA)

    def typed(*_: object, **__: object) -> str:
        file.write_text(HEAD + BEA.replace('"b"', '"new"') + BEA)
        return "correct horse battery"

    monkeypatch.setattr(users_command, "typed_password", typed)
    assert run("password", file, "b")[0] == 0
    assert [(each.name, each.password is not None) for each in read_users(file).file.user] == [
        ("new", False),
        ("b", True),
    ]


@pytest.mark.more
def test_no_change_is_lost_when_several_are_made_at_once(tmp_path: Path) -> None:
    file = written(tmp_path, HEAD)
    command = [sys.executable, "-m", "dealwire", "users", "add", str(file)]
    adding = [subprocess.Popen([*command, f"u{each}", "--role", "dealer"]) for each in range(6)]
    assert [each.wait(PATIENCE_S) for each in adding] == [0] * 6
    assert sorted(each.name for each in read_users(file).file.user) == [f"u{each}" for each in range(6)]


def test_a_link_to_the_users_file_stays_one(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    file = written(tmp_path / "kept", HEAD)
    link = tmp_path / "users.toml"
    link.symlink_to(file)
    assert run("add", link, "a", "--role", "dealer")[0] == 0
    assert link.is_symlink()
    assert [each.name for each in read_users(file).file.user] == ["a"]


@pytest.mark.parametrize(
    "name", ["a\n[[user]]", 'a" x = "', "ａ.smith", "a.smith\u200b", "\u0410.smith", "a\x00", "..", "a..b", "a" * 65]
)
def test_a_name_that_looks_like_another_is_none(tmp_path: Path, name: str) -> None:
    file = written(tmp_path, HEAD)
    assert run("add", file, name, "--role", "dealer")[0] == Exit.USAGE
    assert file.read_text() == HEAD


# ------------------------------------------------------------------ passkeys and sessions


def key(user: str, count: int = 1) -> Passkey:
    return Passkey(user, packed(user.encode() * 16), packed(b"key"), count, 1, digest_of(f"code of {user}"))


def test_a_forgotten_passkey_does_not_come_back(tmp_path: Path) -> None:
    """The console's process wrote the whole file from memory when the next person signed in."""
    file = tmp_path / "passkeys.jsonl"
    keys = Passkeys(file)
    keys.put(key("a"))
    keys.put(key("b"))
    console = Passkeys.read(file)
    assert run("forget", file, "a")[0] == 0
    console.renew(key("b", 2))
    assert not Passkeys.read(file).of("a")
    with pytest.raises(PasskeyRefused, match="not known"):
        Passkeys(file, [key("a")]).renew(key("a", 2))


def test_the_code_of_a_forgotten_passkey_stays_used(tmp_path: Path) -> None:
    keys = Passkeys(tmp_path / "passkeys.jsonl")
    keys.put(key("a"))
    assert keys.forget("a") == 1
    again = Passkeys.read(keys.path)
    assert (again.of("a"), again.find(key("a").id)) == ([], None)
    assert again.code_is_used(digest_of("code of a"))
    with pytest.raises(PasskeyRefused, match="used before"):
        again.put(key("a"))


def test_a_counter_that_another_process_has_seen_counts(tmp_path: Path) -> None:
    file = tmp_path / "passkeys.jsonl"
    Passkeys(file).put(key("a"))
    first, second = Passkeys.read(file), Passkeys.read(file)
    first.renew(key("a", 5))
    with pytest.raises(CopiedPasskey, match="counter 5 after 5"):
        second.renew(key("a", 5))


def test_a_session_ends_with_the_password_or_passkey_that_began_it(tmp_path: Path) -> None:
    users = read_users(users_file(tmp_path, person_entry("a.smith"), person_entry("b.jones")))
    keys = Passkeys(tmp_path / "passkeys.jsonl")
    keys.put(key("b.jones"))
    ended: list[tuple[str, str]] = []
    sessions = Sessions(lambda session, why: ended.append((session.user, why)))
    (smith, jones) = users.file.user
    sessions.begin("supervisor", NOW_NS, smith, "password", smith.password or "")
    sessions.begin("supervisor", NOW_NS, jones, "passkey", key("b.jones").id)
    sessions.withdraw(users, keys, NOW_NS)
    assert not ended
    other = user_entry("a.smith", password=PASSWORDS["another"][1])
    newer = read_users(users_file(tmp_path, other, person_entry("b.jones")))
    sessions.withdraw(newer, keys, NOW_NS)
    assert ended == [("a.smith", "withdrawn")]
    keys.forget("b.jones")
    sessions.withdraw(newer, keys, NOW_NS)
    assert ended[1:] == [("b.jones", "withdrawn")]


# ------------------------------------------------------------------ a console that was taken over


def test_a_console_that_takes_no_answers_gets_no_room_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """It asked on and on, each request got a *busy*, and the tables' process grew by 9 MB a second."""
    monkeypatch.setattr(console_gate, "ENOUGH", 16 * 1024)
    owner = Owner()
    ours, theirs = socket.socketpair()
    with owner.gate() as gate, theirs:
        gate.adopt(ours)
        theirs.sendall(framed(ConsoleHello(1, "x", 1)))
        wait_until(lambda: gate.connected(), "the connection")
        theirs.settimeout(0.5)
        asked = (framed(ConsoleAsk(each, "t", "hang", {}, "dealer", "")) for each in range(1, 200_000))
        with pytest.raises(TimeoutError):  # it is read no further
            theirs.sendall(b"".join(asked))
        (line,) = gate._lines
        assert 0 < len(line.out) < 16 * 1024 + 64 * 1024  # what one reading of 64 KiB may ask for


def test_what_a_console_sends_is_in_no_sentence_as_it_came() -> None:
    owner = Owner()
    ours, theirs = socket.socketpair()
    with owner.gate() as gate, theirs:
        gate.adopt(ours)
        asked = ConsoleAsk(1, "t", "lock", {}, "dealer\n", "x\u202e", user="a\nb", proven_by="\x1b")
        theirs.sendall(framed(ConsoleHello(1, "x", 1)) + framed(asked) + framed(ConsoleAccess("", "a\nb\u202e")))
        wait_until(lambda: bool(owner.taken and owner.noted), "both")
    (request,) = owner.taken
    assert (request.who, request.origin, request.user) == ("dealer\\n", "x\\u202e", "a\\nb")
    assert owner.noted == [("", "a\\nb\\u202e")]


def test_tables_believe_neither_role_nor_badge_nor_field_of_a_console(tmp_path: Path) -> None:
    lock: dict[str, object] = {"device": "shuffler", "why": "two cards"}
    clear: dict[str, object] = {**lock, "badge": 4711, "resolution": "end the deal"}
    with simulators_here(seed=5) as addresses:
        service, listener = opened(configuration(tmp_path, addresses, '[people]\nusers-file = "users.toml"\n'))
        with service:
            run_until(service, lambda: any(device.state for device in view(service).devices))
            for user, action, fields, why in (
                ("a.smith", "clear-misdeal", {**clear, "badge": 4712}, "the badge of a.smith is another one"),
                ("robot", "clear-misdeal", clear, "the badge of robot is another one, or none"),
                ("a.smith", "refresh", {**lock, "approved by\n": "b.jones"}, "there is no such field"),
                ("a.smith", "lock", {**lock, "why": "a\nb c"}, "must be 3 to 200 printable"),
                ("e.dealer", "lock", lock, "a dealer may not do this"),
                ("", "lock", lock, "sign in by name"),
                ("d.far", "lock", lock, "may not act at this table"),
                ("f.past", "lock", lock, "may not act at this table"),
                ("robot", "lock", lock, "may not do this"),
                ("spent", "refresh", lock, "may not do this"),
            ):
                with pytest.raises((ActionRefused, FieldRefused), match=why):
                    ask(service, user, action, fields)
        assert not [line for line in listener.of("status") if line["kind"] == "action"]


@pytest.mark.more
def test_no_field_of_a_console_ends_the_tables_turn(tmp_path: Path) -> None:
    values = (10**3999, -1, 2**32, 2**64, "", "x" * 300, "9" * 300, "\n", "\u202e", "A♠", "0x10", "١")
    good: dict[str, object] = {"why": "a reason", "badge": 4711, "resolution": "play on", "cards": 52, "jokers": 0}
    with simulators_here(seed=5) as addresses:
        service, _ = opened(configuration(tmp_path, addresses, '[people]\nusers-file = "users.toml"\n'))
        with service:
            for kind in KINDS:
                names = [field.name for field in kind.fields]
                for name in (*names, "device", "why"):
                    for value in values:
                        known = {each: good[each] for each in (*names, "why") if each in good}
                        with suppress(DealwireError):  # anything else would end the service
                            ask(service, "a.smith", kind.name, {"device": "shuffler", **known, name: value})


def test_an_approval_clears_only_the_misdeal_that_it_was_requested_for(tmp_path: Path) -> None:
    fields: dict[str, object] = {"device": "shuffler", "badge": 4711, "resolution": "end the deal", "why": "two cards"}
    with simulators_here(seed=5) as addresses:
        service, _ = opened(configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: any(device.state for device in view(service).devices))
            number = number_in(ask(service, "a.smith", "clear-misdeal", fields))
            ask(service, "a.smith", "call-misdeal", {"device": "shuffler", "why": "a second one"})
            run_until(service, lambda: view(service).lamp == "lit")
            with pytest.raises(ActionRefused, match=f"request {number} is older than this misdeal"):
                ask(service, "b.jones", "approve", {"request": number})
            assert view(service).lamp == "lit"
            again = number_in(ask(service, "a.smith", "clear-misdeal", fields))
            ask(service, "b.jones", "approve", {"request": again})
            run_until(service, lambda: view(service).lamp == "dark")


# ------------------------------------------------------------------ programs


def test_no_spelling_of_an_address_leads_a_program_to_another_table(tmp_path: Path) -> None:
    token = "dw_scoped_1"
    file = users_file(tmp_path, person_entry("a.smith"), program_entry("scoped", token, may=["read"], tables=["other"]))
    hub = Hub()
    with WatchedTable(hub, "player-short"), running(hub, tokens=None, roll=Roll(read_users(file), file)) as console:
        (name,) = hub.views()
        host, _, port = console.address.removeprefix("http://").rstrip("/").partition(":")
        for path in (
            f"/table/{name}",
            f"//table/{name}",
            f"/table/%70{name[1:]}",
            f"/table/other/../{name}/rounds.csv",
            f"/table/other%2f..%2f{name}",
            f"/table/{name}%00",
            f"/static/%2e%2e/table/{name}",
            f"/openapi.json/../table/{name}",
            f"http://{host}:{port}/table/{name}",
            f"/wall?tables={name}",
            f"/table/other/rounds.csv?table={name}",
            "/replay",
            "/",
        ):
            time.sleep(0.06)  # a program may send twenty requests in a second
            with socket.create_connection((host, int(port)), PATIENCE_S) as line:
                head = f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\n"
                line.sendall(f"{head}Connection: close\r\n\r\n".encode())
                assert line.recv(12) in (b"HTTP/1.1 403", b"HTTP/1.1 404"), path
        own = httpx.get(f"{console.address}openapi.json", headers={"Authorization": f"Bearer {token}"})
        assert own.status_code == 200
