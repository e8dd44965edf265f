"""A console with a user of its own: who may connect, and what it may read. As root, since users are changed."""

from __future__ import annotations

import contextlib
import grp
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from dealwire.cli.console_apart import socket_at
from dealwire.config.load import load_configuration
from dealwire.hub.wire import ConsoleHello, framed
from dealwire.journal import JournalReader
from dealwire.service import console_gate
from dealwire.service.console_gate import ConsoleGate, peer_of
from dealwire.service.readers import ReadersRefused, may_connect, readers_of
from dealwire.service.readiness import StartOptions, readiness
from dealwire.service.tried import Unusable
from dealwire.version import __version__
from devices.clock import SystemClock
from protocol.errors import LineBusy
from protocol.tomlfile import Key
from tests.dealwire.test_console_apart import HELLO, Owner
from tests.support.rigs.patience import PATIENCE_S, wait_until
from tests.support.rigs.people import person_entry, users_file
from tests.support.rigs.ports import free_port
from tests.support.rigs.serving import Program, opened, write_configuration

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="not here: root, who may become another user")
READER, OTHER = 65_502, 65_503
"""Users of whom no machine knows."""


def a_group() -> grp.struct_group:
    """Return a group of this machine that is not ours."""
    return next(each for each in grp.getgrall() if each.gr_gid not in (os.getegid(), 0))


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that others may pass through and not list, as the unit makes it."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


def configured(folder: Path, readers: str) -> Path:
    nowhere = {name: str(folder / name) for name in ("shuffler", "table-controller")}
    return write_configuration(folder, [nowhere], top=f'readers = "{readers}"\n')


def as_user(uid: int, gid: int, act: Callable[[], object]) -> object:
    """Return what `act` returns, or the words of its error, in a process of that user."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(gid)
            os.setuid(uid)
            try:
                found = act()
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
            os.write(into, json.dumps(found).encode())
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as heard:
        answer = heard.read()
    os.waitpid(child, 0)
    return json.loads(answer)


def looks(path: Path) -> dict[str, object]:
    """Read a journal, and try to write it, to list its folder and to open the files beside it."""

    def tried(act: Callable[[], object]) -> str:
        try:
            act()
        except (OSError, sqlite3.Error) as error:
            return type(error).__name__
        return "done"

    def insert() -> None:
        db = sqlite3.connect(path)
        try:
            db.execute("INSERT INTO opening (sequence, epoch) VALUES (99, 'x')")
        finally:
            db.close()

    with JournalReader(path) as reader:
        newest = reader.head.sequence
    return {
        "newest": newest,
        "write": tried(insert),
        "list": tried(lambda: os.listdir(path.parent)),
        "open to write": tried(lambda: path.open("r+b").close()),
        "key": tried(lambda: (path.parent / "journal.key").open("rb").close()),
        "lock": tried(lambda: Path(f"{path}-lock").open("rb").close()),
    }


REFUSED = {
    "write": "OperationalError",
    "list": "PermissionError",
    "open to write": "PermissionError",
    "key": "PermissionError",
    "lock": "PermissionError",
}


def seen(path: Path, uid: int, gid: int) -> dict[str, object]:
    found = as_user(uid, gid, lambda: looks(path))
    assert isinstance(found, dict), found
    return found


@pytest.mark.more
@as_root
def test_a_reader_of_the_group_reads_a_living_a_killed_and_a_stopped_journal_and_writes_none(folder: Path) -> None:
    group = a_group()
    file, path = configured(folder, group.gr_name), folder / "journal.sqlite"
    with opened(file)[0] as service:
        first = service.journal.opened
        living = seen(path, READER, group.gr_gid)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert "PermissionError" in str(as_user(OTHER, OTHER, lambda: path.open("rb").close()))
    assert living.pop("newest") >= first  # type: ignore[operator]
    assert living == REFUSED

    stopped = seen(path, READER, group.gr_gid)
    assert stopped.pop("newest") > first  # type: ignore[operator]
    assert stopped == REFUSED

    code = f"from tests.support.rigs.serving import *\nmade = opened(Path({str(file)!r}))[0]\nmade.__enter__()\n"
    end = f"import os, signal; from pathlib import Path\n{code}os.kill(os.getpid(), signal.SIGKILL)"
    done = subprocess.run([sys.executable, "-c", end], cwd=Path(__file__).parents[2], capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    killed = seen(path, READER, group.gr_gid)
    assert Path(f"{path}-wal").stat().st_size
    assert killed.pop("newest") > first  # type: ignore[operator]
    assert killed == REFUSED


def test_a_group_that_will_not_do_is_one_line(folder: Path) -> None:
    with pytest.raises(ReadersRefused, match="there is no group nobody-has-this"):
        readers_of(load_configuration(configured(folder, "nobody-has-this")))
    own = grp.getgrgid(os.getegid()).gr_name
    with pytest.raises(ReadersRefused, match="is this user's own group"):
        readers_of(load_configuration(configured(folder, own)))


def test_readers_are_refused_while_faces_lie_in_clear(folder: Path) -> None:
    found = load_configuration(configured(folder, a_group().gr_name))
    (table,) = found.table
    shoe = table.device[0].model_copy(update={"kind": "shoe"})
    bare = found.journal.model_copy(update={"key_file": None})
    found = found.model_copy(update={"journal": bare, "table": (table.model_copy(update={"device": (shoe,)}),)})
    if os.geteuid() != 0 and a_group().gr_gid not in os.getgroups():
        pytest.skip("not here: a second group of this user")
    with pytest.raises(ReadersRefused, match="raw bytes are not sealed, so the console could read faces"):
        readers_of(found)


# ------------------------------------------------------------------ the socket


def test_two_services_at_one_socket_and_a_socket_that_was_left() -> None:
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "console.sock"
        with socket_at(path, None):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            with pytest.raises(LineBusy, match="console socket"):
                socket_at(path, None)
        with socket_at(path, None):  # nothing listens at what the first one has left
            pass


def test_a_file_or_folder_is_never_replaced_by_the_socket(tmp_path: Path) -> None:
    """A mistyped path, such as that of the journal, costs nothing."""
    file, at = tmp_path / "journal.sqlite", {"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}
    file.write_bytes(b"a journal")
    for path in (file, tmp_path):
        with pytest.raises(Unusable, match="what is there is no socket"):
            socket_at(path, None)
        part = f'[console]\nsocket = "{path}"\n'
        found = readiness(load_configuration(write_configuration(tmp_path, [at], top=part)), StartOptions())
        console = [each for each in found if each.what == "console"][-1]
        assert (console.outcome, console.key) == ("wrong", ("console", "socket"))
    assert file.read_bytes() == b"a journal"


def test_members_of_the_group_may_connect_and_nobody_else() -> None:
    group = a_group().gr_gid
    assert may_connect(group, os.geteuid(), 0)
    assert may_connect(group, READER, group)
    assert not may_connect(group, READER, READER)
    assert not may_connect(None, READER, READER)


@as_root
def test_another_user_is_refused_at_the_socket(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    path, owner, group = folder / "console.sock", Owner(), a_group().gr_gid

    def greets() -> str:
        with socket.socket(socket.AF_UNIX) as end:
            end.settimeout(PATIENCE_S)
            end.connect(str(path))
            end.sendall(framed(ConsoleHello(1, __version__, os.getpid())))
            return end.recv(4096)[4:20].decode()

    listener = socket_at(path, group)
    gate = ConsoleGate(
        owner.hub,
        SystemClock(),
        lambda: HELLO,
        owner.note,
        listener=listener,
        may=lambda uid, gid: may_connect(group, uid, gid),
    )
    gate.start()
    try:
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
        assert as_user(READER, group, greets) == '{"type":"hello",'
        assert "PermissionError" in str(as_user(OTHER, OTHER, greets))
        path.chmod(0o666)  # though the file lets everyone in, the service does not
        assert re.fullmatch("|(ConnectionReset|BrokenPipe)Error: .*", str(as_user(OTHER, OTHER, greets)))
        wait_until(lambda: "console socket: refused user 65503" in caplog.text, "the line of the log")
    finally:
        gate.stop("over", 1.0)
    ((_, text),) = owner.noted
    assert text.startswith("console process ")
    assert text.endswith(f" of user {READER} connected")


def test_silent_connections_are_cut_and_keep_no_console_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(console_gate, "GREET_S", 0.5)
    monkeypatch.setattr(console_gate.os, "geteuid", lambda: 4711)  # of the service; the others are this process's
    path, owner = folder / "console.sock", Owner()
    hello = framed(ConsoleHello(1, __version__, os.getpid()))
    gate = ConsoleGate(owner.hub, SystemClock(), lambda: HELLO, owner.note, listener=socket_at(path, None))

    def connected(sent: bytes) -> socket.socket:
        end = stack.enter_context(socket.socket(socket.AF_UNIX))
        end.connect(str(path))
        end.settimeout(PATIENCE_S)
        end.sendall(sent)
        return end

    gate.start()
    try:
        with ExitStack() as stack:
            silent = [connected(hello[: number % 3]) for number in range(3 * console_gate.SILENT_MAX)]
            consoles = [connected(hello) for _ in range(console_gate.LINES_MAX)]
            for console in consoles:
                assert console.recv(4096)[4:20] == b'{"type":"hello",'
            one_more = connected(hello)
            for refused in (*silent, one_more):
                with contextlib.suppress(ConnectionError):  # what it sent was not read before the end
                    assert refused.recv(4096) == b""
            for console in consoles:
                while b'"now"' not in console.recv(1 << 16):  # it is served, after the others were cut
                    pass
    finally:
        gate.stop("over", 1.0)
    user = os.getuid()
    assert f"a process of user {user}: disconnected: 8 others that have not greeted came after it" in caplog.text
    assert f"a process of user {user}: disconnected: it did not greet within 0.5 s" in caplog.text
    assert f"a process of user {user}: disconnected: 2 consoles are connected already" in caplog.text
    assert len(owner.noted) == len(consoles)


def test_the_other_end_of_a_pair_is_this_user() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        found = peer_of(ours)
    if found is None:
        pytest.skip("not here: a system that tells who is at the other end")
    assert found == (os.getpid(), os.geteuid(), os.getegid())


# ------------------------------------------------------------------ as two programs


def test_the_tables_leave_a_console_of_its_own_its_files_and_its_port(tmp_path: Path) -> None:
    nowhere = {name: str(tmp_path / name) for name in ("shuffler", "table-controller")}
    users_file(tmp_path, person_entry("a.smith"))
    for name in ("tokens.toml", "passkeys.jsonl"):
        (tmp_path / name).write_text("of another user")
        (tmp_path / name).chmod(0o644)

    def wrong(console: str, people: str) -> list[Key]:
        top = f"[console]\nport = {port}\n{console}\n{people}"
        found = load_configuration(write_configuration(tmp_path, [nowhere], top=top))
        return [tried.key for tried in readiness(found, StartOptions()) if tried.error is not None]

    tokens, at = 'tokens-file = "tokens.toml"', f'socket = "{tmp_path / "console.sock"}"'
    people = '[people]\nusers-file = "users.toml"\npasskeys-file = "passkeys.jsonl"\n'
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert wrong(tokens, "") == [("console", "port"), ("console", "tokens-file")]
        assert wrong("", people) == [("console", "port"), ("people", "passkeys-file")]
        assert wrong(f"{tokens}\n{at}", "") == []
        assert wrong(at, people) == []


@pytest.mark.more
def test_a_console_is_started_by_itself_and_outlives_its_service(tmp_path: Path) -> None:
    import httpx

    path = Path(tempfile.mkdtemp()) / "console.sock"
    nowhere = {name: str(tmp_path / name) for name in ("shuffler", "table-controller")}
    file = write_configuration(tmp_path, [nowhere], top=f'[console]\nport = {free_port()}\nsocket = "{path}"\n')
    said = tmp_path / "console.txt"
    command = [sys.executable, "-m", "dealwire", "console", str(path)]
    none = subprocess.run(command, capture_output=True, text=True)
    assert (none.returncode, none.stderr) == (3, f"dealwire: console socket {path}: no table service listens there\n")
    with said.open("wb") as out:
        console = subprocess.Popen([*command, "--wait"], stderr=out, cwd=Path(__file__).parents[2])
    try:
        with Program(file) as program:
            wait_until(lambda: console.poll() is not None or "console: http" in said.read_text(), "the console")
            assert console.poll() is None, said.read_text()
            here = said.read_text().partition("console: ")[2].strip()
            page = httpx.get(f"{here}table/table-1", timeout=PATIENCE_S).text
            assert "does not respond" not in page
            assert program.end(signal.SIGKILL) == -signal.SIGKILL
        wait_until(lambda: "does not respond" in httpx.get(f"{here}table/table-1").text, "the page that says so")
        with Program(file) as program:
            wait_until(lambda: "does not respond" not in httpx.get(f"{here}table/table-1").text, "the table again")
            assert program.end() == 0
        console.send_signal(signal.SIGTERM)
        assert console.wait(PATIENCE_S) == 0
    finally:
        console.kill()
        console.wait()
        shutil.rmtree(path.parent)
    assert "Traceback" not in said.read_text()
