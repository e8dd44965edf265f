"""The console in a process of its own: the same pages, and what each side does when the other one dies."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.cli.console_parts import packed, unpacked
from dealwire.console.remote import RemoteHub
from dealwire.hub.hub import Hub, Request
from dealwire.hub.wire import ConsoleHello, ConsoleWant, ServiceAway, ServiceHello, framed
from dealwire.service import console_gate
from dealwire.service.actions import ActionRefused, faults, of_table
from dealwire.service.console_gate import ConsoleGate
from dealwire.version import __version__
from devices.clock import SystemClock
from tests.support.dealing.full_tables import full_table
from tests.support.rigs.consoles import ACTIONS, client, running
from tests.support.rigs.patience import PATIENCE_S, wait_until
from tests.support.rigs.people import PASSWORDS, person_entry, users_file
from tests.support.rigs.serving import Program, compared, published, rounds_in, simulators, write_configuration

CONSOLE = "[console]\nport = 0\n"
HELLO = ServiceHello(1, __version__, 1, "/nowhere", False, "{}", "", {"pit-1": []})


class Owner:
    """A table service in small: takes the requests of a hub as a service does, and keeps them."""

    def __init__(self) -> None:
        self.hub, self.taken, self.noted = Hub(), list[Request](), list[tuple[str, str]]()
        self.hub.on_request(self.take)
        self.hub.show(full_table("holdem.co"))

    def take(self) -> None:
        for request in self.hub.requests():
            self.taken.append(request)
            if request.action == "hang":
                continue
            if request.answer.set_running_or_notify_cancel() and request.action == "refuse":
                request.answer.set_exception(ActionRefused("refuse", "not now"))
            else:
                request.answer.set_result("Noted.")

    def note(self, table: str, text: str) -> None:
        self.noted.append((table, text))

    @contextmanager
    def gate(self) -> Iterator[ConsoleGate]:
        made = ConsoleGate(self.hub, SystemClock(), lambda: HELLO, self.note)
        made.start()
        try:
            yield made
        finally:
            made.stop("over", 1.0)


@contextmanager
def joined(gate: ConsoleGate, remote: RemoteHub | None = None) -> Iterator[RemoteHub]:
    """Yield a hub that is connected to a gate, a new one unless given."""
    ours, theirs = socket.socketpair()
    remote = remote or RemoteHub()
    thread = threading.Thread(target=remote.serve, args=(theirs,))
    gate.adopt(ours)
    thread.start()
    try:
        assert remote.await_views(PATIENCE_S)
        yield remote
    finally:
        remote.close()
        thread.join(PATIENCE_S)


# ------------------------------------------------------------------ the two ends


@pytest.mark.more
def test_pages_are_the_same_byte_for_byte() -> None:
    owner = Owner()
    view = owner.hub.shown()["pit-1"]

    class Standing(SystemClock):
        def now_ns(self) -> int:
            return view.at_ns

    def pages(hub: Hub) -> list[str]:
        with running(hub, clock=Standing()) as console, client(console, "supervisor") as asking:
            port = console.address.rpartition(":")[2].rstrip("/")
            found = [asking.get(path) for path in ("/", "/table/pit-1", "/bench", "/openapi.json")]
            assert [each.status_code for each in found[:2]] == [200, 200]
            return [re.sub(r"session [0-9a-f]+", "session", each.text.replace(port, "PORT")) for each in found]

    with owner.gate() as gate, joined(gate) as remote:
        apart = pages(remote)
    assert apart == pages(owner.hub)


def test_buttons_come_across_unchanged() -> None:
    for action in (*ACTIONS, *of_table(), *faults()):
        (made,) = unpacked([packed(action)])
        names = [name for name in made.__dataclass_fields__ if name != "hindered"]
        assert [getattr(made, name) for name in names] == [getattr(action, name) for name in names]


def test_a_view_follows_the_one_before_and_one_that_nobody_watches_comes_on_request() -> None:
    owner = Owner()
    seen: list[int] = []
    with owner.gate() as gate, joined(gate) as remote:
        first = remote.shown()["pit-1"]
        assert first == owner.hub.shown()["pit-1"]
        owner.hub.show(first.model_copy(update={"sequence": first.sequence + 1}))
        assert remote.views()["pit-1"].sequence == first.sequence + 1
        remote.watch(lambda _: seen.append(remote.shown()["pit-1"].sequence))
        remote.views()  # now the service knows that it is watched
        owner.hub.show(first.model_copy(update={"sequence": first.sequence + 2}))
        wait_until(lambda: seen[-1:] == [first.sequence + 2], "the view")


def test_requests_and_sentences_arrive_once_and_answers_come_back() -> None:
    owner = Owner()
    with owner.gate() as gate, joined(gate) as remote:
        remote.note_access("", "supervisor, session 3f, signed in")
        done = remote.ask(Request("pit-1", "lock", {"device": "shuffler", "badge": 7}, "supervisor", "session 3f"))
        assert done.result(PATIENCE_S) == "Noted."
        refused = remote.ask(Request("pit-1", "refuse", {}, "dealer"))
        assert str(refused.exception(PATIENCE_S)) == "refuse: not now"
    assert owner.noted == [("", "supervisor, session 3f, signed in")]
    assert [(each.action, each.who, each.origin) for each in owner.taken] == [
        ("lock", "supervisor", "session 3f"),
        ("refuse", "dealer", ""),
    ]
    assert owner.taken[0].fields == {"device": "shuffler", "badge": 7}


def test_too_many_requests_at_once_are_refused_as_busy() -> None:
    owner = Owner()
    with owner.gate() as gate, joined(gate) as remote:
        for _ in range(console_gate.ASKS_MAX):
            remote.ask(Request("pit-1", "hang", {}, "dealer"))
        over = remote.ask(Request("pit-1", "lock", {}, "dealer"))
        wait_until(over.cancelled, "an answer")
    assert len(owner.taken) == console_gate.ASKS_MAX


def test_sentences_beyond_sixty_a_minute_are_counted() -> None:
    owner = Owner()
    with owner.gate() as gate, joined(gate) as remote:
        for number in range(console_gate.ACCESS_MAX + 5):
            remote.note_access("pit-1", f"{number}")
        remote.ask(Request("pit-1", "lock", {}, "dealer")).result(PATIENCE_S)
    assert owner.noted == [("pit-1", f"{number}") for number in range(console_gate.ACCESS_MAX)]


# ------------------------------------------------------------------ when either dies


def test_a_request_is_carried_out_once_though_its_console_dies_before_the_answer() -> None:
    owner = Owner()
    with owner.gate() as gate:
        with joined(gate) as remote:
            waiting = remote.ask(Request("pit-1", "hang", {}, "dealer"))
            wait_until(lambda: len(owner.taken) == 1, "the request")
        wait_until(lambda: not gate.connected(), "the end of the connection")
        assert owner.taken[0].answer.set_running_or_notify_cancel()
        owner.taken[0].answer.set_result("Noted.")  # nobody is there to get it
        assert not waiting.done()  # its page says that there is no answer yet
        with joined(gate) as again:  # and the gate serves the next one
            assert again.ask(Request("pit-1", "lock", {}, "dealer")).result(PATIENCE_S) == "Noted."
    assert [each.action for each in owner.taken] == ["hang", "lock"]


def test_a_service_that_dies_leaves_tables_unknown_and_requests_unsent() -> None:
    owner = Owner()
    with ExitStack() as stack:
        gate = stack.enter_context(owner.gate())
        remote = stack.enter_context(joined(gate))
        before = remote.shown()["pit-1"]
        gate.stop("the table service is stopping", 1.0)
        wait_until(lambda: remote.shown()["pit-1"].unknown is not None, "the end of the connection")
        view = remote.views()["pit-1"]
        assert view.unknown is not None
        assert (view.unknown.why, view.next) == ("the table service does not respond", ())
        assert {device.link for device in view.devices} <= {"unknown"}
        assert view.seats == before.seats
        with pytest.raises(ServiceAway):
            remote.ask(Request("pit-1", "lock", {}, "dealer")).result(PATIENCE_S)
        assert owner.taken == []
        with running(remote) as console, client(console, "supervisor") as asking:
            answer = asking.post("/table/pit-1/act/call-misdeal")
            assert answer.status_code == 503
            assert "not sent: the table service does not respond." in answer.text
            assert "does not respond" in asking.get("/table/pit-1").text


def test_a_console_that_takes_nothing_is_cut_and_holds_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console_gate, "CUT_S", 0.3)
    owner = Owner()
    view = owner.hub.shown()["pit-1"]
    ours, theirs = socket.socketpair()
    with owner.gate() as gate, theirs:
        gate.adopt(ours)
        theirs.sendall(framed(ConsoleHello(1, __version__, 1)) + framed(ConsoleWant(("*",))))
        wait_until(lambda: gate.connected(), "the connection")
        most = 0
        end = time.monotonic() + PATIENCE_S
        while gate.connected() and time.monotonic() < end:
            view = view.model_copy(update={"sequence": view.sequence + 1})
            owner.hub.show(view)
            most = max(most, *(len(line.out) for line in gate._lines), 0)
        assert not gate.connected()
    assert 0 < most < console_gate.ENOUGH + 2 * len(view.model_dump_json())


@pytest.mark.parametrize("sent", [b"GET / HTTP/1.1\r\n\r\n", framed(ConsoleWant(("*",)))], ids=["http", "no hello"])
def test_who_sends_something_else_is_cut(sent: bytes) -> None:
    owner = Owner()
    ours, theirs = socket.socketpair()
    with owner.gate() as gate, theirs:
        gate.adopt(ours)
        theirs.settimeout(PATIENCE_S)
        theirs.sendall(sent)
        assert theirs.recv(100) == b""
        with joined(gate) as remote:  # the others are served
            assert remote.views().keys() == {"pit-1"}


def test_the_third_console_is_closed() -> None:
    owner = Owner()
    with owner.gate() as gate, joined(gate), joined(gate):
        ours, theirs = socket.socketpair()
        gate.adopt(ours)
        theirs.settimeout(PATIENCE_S)
        with theirs:
            theirs.sendall(framed(ConsoleHello(1, __version__, 1)))
            assert theirs.recv(100) == b""


# ------------------------------------------------------------------ as processes


def console_process(program: Program) -> int:
    """Return the process number of a service's console; 0 if there is none."""
    for task in Path(f"/proc/{program.process.pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            if b"--listen-fd" in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
    return 0


def address_of(program: Program) -> str:
    program.wait_for(lambda: "console: http" in program.text)
    (found,) = re.findall(r"console: (http://\S+)", program.text)[-1:]
    return str(found)


def answers(address: str) -> Callable[[], bool]:
    def tried() -> bool:
        try:
            return "table-1" in httpx.get(address, timeout=PATIENCE_S).text
        except httpx.HTTPError:
            return False

    return tried


@pytest.mark.more
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="not here: /proc")
def test_a_console_that_is_killed_comes_back_and_no_round_is_lost(tmp_path: Path) -> None:
    top = f"{CONSOLE}[exports.metrics]\nport = 0\n"
    with simulators(1) as addresses, Program(write_configuration(tmp_path, addresses, top=top)) as program:
        here = address_of(program)
        wait_until(answers(here), "the first page")
        (metrics,) = re.findall(r"metrics: (http\S+)", program.text)
        assert "\ndealwire_console_restarts_total 0.0\n" in httpx.get(metrics, timeout=PATIENCE_S).text
        first = console_process(program)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: console_process(program) not in (0, first), "another console")
        wait_until(answers(here), "a page of the new one")
        program.wait_for(lambda: rounds_in(tmp_path) >= 1)
        assert "killed by signal 9; it starts again in 1 s, and the tables continue" in program.text
        assert "\ndealwire_console_restarts_total 1.0\n" in httpx.get(metrics, timeout=PATIENCE_S).text
        assert program.end() == 0
        assert "Traceback" not in program.text
    assert compared(tmp_path).difference is None


@pytest.mark.more
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="not here: /proc")
def test_a_console_dies_with_its_service_and_holds_neither_port_nor_lock(tmp_path: Path) -> None:
    with simulators(1) as addresses:
        file = write_configuration(tmp_path, addresses, top=CONSOLE)
        with Program(file) as program:
            here = address_of(program)
            wait_until(answers(here), "the first page")
            child = console_process(program)
            open_files = {os.readlink(each) for each in Path(f"/proc/{child}/fd").iterdir()}
            assert not [each for each in open_files if each.startswith(str(tmp_path / "journal"))]
            program.end(signal.SIGKILL)
        port = here.rstrip("/").rpartition(":")[2]
        with Program(file, "--port", port) as again:
            wait_until(lambda: not Path(f"/proc/{child}").exists(), "the end of the console")
            assert address_of(again) == here
            wait_until(answers(here), "a page of the next service")
            assert again.end() == 0


def held(process: int, secrets: Iterable[bytes]) -> set[bytes]:
    """Return those of some bytes that the memory of a process has anywhere."""
    wanted, found = set(secrets), set[bytes]()
    with Path(f"/proc/{process}/mem").open("rb", 0) as memory:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            begin, end = (int(each, 16) for each in line.split()[0].split("-"))
            if line.split()[1].startswith("rw"):
                try:
                    memory.seek(begin)
                    data = memory.read(end - begin)
                except (OSError, OverflowError, ValueError):
                    continue
                found |= {each for each in wanted - found if each in data}
    return found


def holds(process: int, secret: bytes) -> bool:
    """True if the memory of a process has these bytes anywhere."""
    return bool(held(process, [secret]))


@pytest.mark.more
@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="not here: /proc")
def test_the_console_s_process_has_no_key(tmp_path: Path) -> None:
    with simulators(1) as addresses, Program(write_configuration(tmp_path, addresses, top=CONSOLE)) as program:
        here = address_of(program)
        program.wait_for(lambda: rounds_in(tmp_path) >= 1)
        for path in (
            "",
            "table/table-1",
            "table/table-1/rounds",
            "replay",
            "replay/journal%20of%20table-1",
            "table/table-1/replay",
        ):
            assert httpx.get(here + path, timeout=PATIENCE_S).status_code in (200, 422), path
        sealed = httpx.get(f"{here}replay/journal%20of%20table-1", timeout=PATIENCE_S)
        assert "its raw bytes are sealed, and the console has no key" in sealed.text
        said = re.search(r"`dealwire (journal round) N (\S+) --key FILE` prints one with its cards", sealed.text)
        assert said is not None
        words = [*said[1].split(), "1", said[2], "--key", str(tmp_path / "journal.key")]
        shown = CliRunner().invoke(main, words)
        assert (shown.exit_code, "round 1" in shown.output.lower()) == (0, True), shown.output
        (secret,) = re.findall(rb"[0-9a-f]{64}", (tmp_path / "journal.key").read_bytes())
        child = console_process(program)
        assert holds(child, str(tmp_path / "journal.sqlite").encode())  # so the search finds what is there
        for kept in (secret, bytes.fromhex(secret.decode())):
            assert not holds(child, kept)
            assert kept not in Path(f"/proc/{child}/environ").read_bytes()
        assert not [each for each in Path(f"/proc/{child}/fd").iterdir() if os.readlink(each).endswith("journal.key")]
        assert program.end() == 0


@pytest.mark.more
def test_people_act_by_name_and_a_signal_takes_one_of_them_away(tmp_path: Path) -> None:
    both = person_entry("a.smith"), person_entry("b.jones")
    users_file(tmp_path, *both)
    top = f'{CONSOLE}[people]\nusers-file = "users.toml"\n'
    with simulators(1) as addresses, Program(write_configuration(tmp_path, addresses, top=top)) as program:
        here = address_of(program).rstrip("/")
        program.wait_for(lambda: "shuffler is connected" in program.text)

        def enters(name: str) -> int:
            form = {"name": name, "password": PASSWORDS[name][0]}
            with httpx.Client(base_url=here, headers={"origin": here}, timeout=PATIENCE_S) as asking:
                answer = asking.post("/sign-in", data=form)
                if answer.status_code == 303:
                    acted = asking.post("/table/table-1/act/shuffler.refresh")
                    assert acted.status_code == 200, acted.text
                return answer.status_code

        assert enters("a.smith") == 303
        users_file(tmp_path, both[1])
        program.process.send_signal(signal.SIGHUP)
        wait_until(lambda: program.text.count("SIGHUP: users.toml") == 2, "both processes to read it again")
        assert enters("a.smith") != 303
        assert enters("b.jones") == 303
        assert program.end() == 0
        assert "Traceback" not in program.text
    texts = [json.loads(item.line)["text"] for item in published(tmp_path, "status") if '"action"' in item.line]
    assert [text.partition(",")[0].partition(" ")[0] for text in texts] == ["a.smith", "b.jones"]
