"""A served table whose every outlet is searched for faces that no one has shown.

The hidden faces follow from the simulated cards and from what people at the table do with them, never from the state of
the program under test. The table and the search take turns: each time someone deals or shows a card, the service pauses
until all its output has arrived and was searched.
"""

from __future__ import annotations

import contextlib
import io
import logging
import re
import threading
import time
from base64 import b64decode
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol

import httpx
import pytest
from websockets.sync.client import connect

from dealwire.cli.run import console_of, exports_of
from dealwire.config.load import load_configuration
from dealwire.export.profile import outgoing
from dealwire.hub.hub import Hub
from dealwire.hub.lines import Publication
from dealwire.journal import JournalReader, SealingKey
from dealwire.journal.errors import NotProvable
from dealwire.journal.proving import growth, newest_note, prove
from dealwire.journal.records import CHECKPOINT, KEY, RAW, SNAPSHOT
from dealwire.journal.signing import SigningPair
from dealwire.rehearsal.scenario import AnyScenario, Scenario
from dealwire.rehearsal.tables import RehearsedShoe, SimulatedTable, set_up
from dealwire.service import console_gate
from dealwire.service.line_keys import LineKeys, PairedDevice
from dealwire.service.service import Service
from devices.clock import SystemClock
from devices.line.loop import Owner
from devices.simulator.host import SimulatorHost
from devices.simulator.unit_seal import UnitSeal
from devices.transport.ciphers import Ciphers
from protocol.tdp.messages import Role
from tests.support.rigs.brokers import Mosquitto, Reader, eventually
from tests.support.rigs.hidden_faces import HiddenFaces, faces_in
from tests.support.rigs.patience import PATIENCE_S, wait_until
from tests.support.rigs.people import program_entry, users_file
from tests.support.rigs.ports import free_port

SITE: Final = "hunt"
TABLE: Final = "pit"


class StoppableClock(SystemClock):
    """A clock that stops while the table is searched: devices and links do not time out."""

    def __init__(self) -> None:
        super().__init__()
        self._stood_ns = self._holds = 0

    def now_ns(self) -> int:
        return super().now_ns() - (0 if self._holds else self._stood_ns)

    def hold(self) -> int:
        now_ns = super().hold()
        self._holds += 1
        return now_ns

    def release(self) -> None:
        self._holds -= 1
        super().release()

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        began_ns = time.monotonic_ns()
        try:
            yield
        finally:
            self._stood_ns += time.monotonic_ns() - began_ns


class Watcher:
    """A page that watches: everything that comes over its WebSocket."""

    def __init__(self, address: str, path: str) -> None:
        self.messages: list[str] = []
        self._origin, self._path = address.rstrip("/"), path
        self._open, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()
        if not self._open.wait(PATIENCE_S):
            self.close()
            pytest.fail(f"{path} does not answer")

    def _listen(self) -> None:
        address = self._origin.replace("http", "ws") + self._path
        with connect(address, origin=self._origin, max_size=None, open_timeout=PATIENCE_S) as line:  # type: ignore[arg-type]
            self._open.set()
            while not self._over.is_set():
                with contextlib.suppress(TimeoutError):
                    self.messages.append(str(line.recv(timeout=0.1)))

    def close(self) -> None:
        self._over.set()
        self._thread.join()


class Logged(logging.Handler):
    """Every line of the log, of every part of the program."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith(("httpx", "httpcore", "websockets")):  # the test's own
            self.lines.append(record.getMessage())


CONFIGURATION: Final = """
schema = "dealwire.table/1"
[journal]
path = "journal.sqlite"
key-file = "journal.key"
signing-key-file = "table.sign"
checkpoint-seconds = 1
{more}[console]
port = {console}
[exports]
ndjson = true
[exports.metrics]
port = {metrics}
[exports.mqtt]
url = "{broker}"
site = "{site}"
profile = "{profile}"
[[table]]
name = "{table}"
procedure = "{procedure}"
settle = {settle}
[[table.device]]
name = "{deals}"
{sealed}kind = "{deals}"
address = "{address}"
dialect = "{dialect}"
[[table.device]]
name = "controller"
{sealed}kind = "table-controller"
address = "{controller}"
"""


MORE: Final = """[lines]
keys = "line-keys"
key-log = "lines.log"
[people]
users-file = "users.toml"
"""
PROGRAM: Final = "dw_hunter_0123456789"


def without_base64(text: str) -> str:
    """Return a text with hex in place of base64, in which any two letters may stand beside a plus or a slash."""
    return re.sub(r"[A-Za-z0-9+/]{40,}={0,2}", lambda found: b64decode(found[0] + "==").hex(), text)


def _proofs(reader: JournalReader) -> Iterator[str]:
    """Yield the newest checkpoint, the growth of the tree, and the proof of the newest round that can be proven."""
    yield from map(without_base64, (newest_note(reader).note, growth(reader, 1)))
    for item in reversed([item for item in reader.publications() if item.topic == "round"]):
        with contextlib.suppress(NotProvable):
            proof = prove(reader, next(reader.records(item.sequence - 1)), "the round").proof
            yield f"{proof.origin} {proof.kind} {proof.places} {proof.index} {proof.size} {proof.to_bytes().hex()}"
            return


class Outlets:
    """All output of a service, as it arrives at the other end. Call `look_on` for each console."""

    def __init__(self, folder: Path, metrics: int, out: io.StringIO, reader: Reader, log: Logged) -> None:
        self._journal = folder / "journal.sqlite"
        self._out, self._reader, self._log = out, reader, log
        self._metrics = f"http://127.0.0.1:{metrics}/metrics"
        self._browser: httpx.Client
        self._watchers: list[Watcher] = []
        self._frames: list[str] = []
        self._taken: Counter[str] = Counter()
        self._record = 0
        self.program: httpx.Client | None = None
        """A program that reads the pages, if there is one."""
        self.sent: Callable[[Publication], bool] = lambda _: True
        """Function that tells which lines go to the broker."""

    @contextlib.contextmanager
    def tapped(self) -> Iterator[None]:
        """Keep every frame on its way to the console's process."""
        frame_of = console_gate.framed

        def kept(message: Any) -> bytes:
            frame = frame_of(message)
            self._frames.append(frame[4:].decode("utf-8", "replace"))  # a length may look like a face
            return frame

        console_gate.framed = kept
        try:
            yield
        finally:
            console_gate.framed = frame_of

    @contextlib.contextmanager
    def look_on(self, address: str) -> Iterator[None]:
        """Watch the console with a browser, and on its lines."""
        watchers = [Watcher(address, path) for path in ("/live", f"/live/{TABLE}")]
        self._watchers += watchers
        try:
            with httpx.Client(base_url=address, headers={"accept": "text/html"}, timeout=30) as self._browser:
                yield
        finally:
            for watcher in watchers:
                watcher.close()

    def arrived(self) -> bool:
        """Return True if MQTT has delivered every published line and standard output the newest one, which heads of the
        journal may follow."""
        with JournalReader(self._journal) as reader:
            lines = list(reader.publications())
        sent = sum(map(self.sent, lines))
        return len(self._reader.copy()) >= sent and f"{lines[-1].line}\n" in self._out.getvalue()[-65536:]

    def new(self) -> Iterator[tuple[str, str]]:
        """Yield outlet and text of all that arrived since the last look."""
        lines = [text for _, text in sorted(self._reader.copy().items())]
        yield from (("mqtt", text) for text in self._since("mqtt", lines))
        told = [str(each) for _, each in sorted(dict(self._reader.properties).items())]
        yield from (("mqtt properties", without_base64(text)) for text in self._since("mqtt properties", told))
        others = [f"{topic} {text}" for topic, text, _ in list(self._reader.others)]
        yield from (("mqtt, no line", text) for text in self._since("mqtt, no line", others))
        yield from (("ndjson", text) for text in self._since("ndjson", self._out.getvalue().splitlines()))
        yield from (("log", text) for text in self._since("log", list(self._log.lines)))
        yield from (("console socket", text) for text in self._since("console socket", list(self._frames)))
        for number, watcher in enumerate(self._watchers):
            yield from (("websocket", text) for text in self._since(f"websocket {number}", list(watcher.messages)))
        for path in ("/", f"/table/{TABLE}", f"/table/{TABLE}/replay", "/bench", "/replay"):
            yield "page", self._browser.get(path).text
        if self.program is not None:
            for path in ("/", f"/table/{TABLE}", f"/table/{TABLE}/rounds", f"/table/{TABLE}/round/1.json"):
                answer = self.program.get(str(self._browser.base_url).rstrip("/") + path)
                if answer.status_code == 200:  # not too many in this second, and there is such a round
                    yield "program", answer.text
        yield "metrics", self._browser.get(self._metrics).text
        with JournalReader(self._journal) as reader:
            for record in reader.records(self._record):
                self._record = record.sequence
                if record.kind == SNAPSHOT:  # what is sealed of it may look like anything
                    clear = record.payload[: 4 + int.from_bytes(record.payload[:4], "big")]
                    record = replace(record, payload=clear)
                if record.kind not in (*RAW, KEY):
                    yield "journal", without_base64(record.payload.decode("utf-8", "replace"))
                if record.kind == CHECKPOINT:
                    yield from (("proof", text) for text in _proofs(reader))

    def _since(self, name: str, texts: list[str]) -> list[str]:
        new = texts[self._taken[name] :]
        self._taken[name] = len(texts)
        return new


class Beside(Protocol):
    """Further ways out of a served table. `settings` are lines of `[journal]`."""

    settings: str

    def served(self, service: Service, journal: Path) -> contextlib.AbstractContextManager[None]:
        """Do what is needed while a service runs."""
        ...

    def new(self) -> Iterator[tuple[str, str]]:
        """Yield outlet and text of what is there now."""
        ...


class TappedLines:
    """Tap of every line at the devices' end: the bytes of both directions, by device."""

    def __init__(self, bench: SimulatorHost) -> None:
        self.to_host: defaultdict[str, bytearray] = defaultdict(bytearray)
        self.to_device: defaultdict[str, bytearray] = defaultdict(bytearray)
        for device, line in bench.lines.items():
            self._tap(device, line)

    def _tap(self, device: str, line: Any) -> None:
        send, heard = line.send, line._on_bytes

        def sent(data: bytes) -> None:
            self.to_host[device] += data
            send(data)

        def received(data: bytes, now_ns: int) -> None:
            self.to_device[device] += data
            heard(data, now_ns)

        line.send, line._on_bytes = sent, received


def pair_all(folder: Path, units: Mapping[str, Any]) -> None:
    """Give the devices keys and the host theirs, as if a person had paired them."""
    suite, keys = Ciphers(), LineKeys.read_or_make(folder / "line-keys")
    for name, unit in units.items():
        path = folder / f"{name}.identity"
        path.with_name(f"{path.name}.hosts").write_text(f"tdp-host {suite.public(keys.own).hex()} operate pit\n")
        unit.seal = UnitSeal(suite, path)
        model = f"sim-{name.replace('-', '_')}"[:16]
        keys.add(PairedDevice(f"dealwire/{model}/SIM-0001", unit.seal.public, "-", Role.OPERATE, "2026-11-30"))


class FaceHunt:
    """One evening of `scenario`, served and searched. `leaks` are the faces found too early, with outlet and text;
    `named` those found in time, by outlet, so that a silent outlet is noticed."""

    def __init__(
        self,
        folder: Path,
        broker: Mosquitto,
        scenario: AnyScenario,
        *,
        dialect: str = "tdp",
        speed: float = 20.0,
        sealed: bool = False,
        beside: Beside | None = None,
    ) -> None:
        """`sealed`: its lines are sealed and tapped, programs read the pages, and the broker gets `no-cards`. `beside`
        has further outlets."""
        self.leaks: list[tuple[str, set[str], str]] = []
        self.named: defaultdict[str, set[str]] = defaultdict(set)
        self.searched: Counter[str] = Counter()
        self.log: list[str] = []
        table = set_up(scenario, speed=speed, shoe_dialect=dialect)
        assert isinstance(table, SimulatedTable | RehearsedShoe)
        self.truth = HiddenFaces(table)
        self._bench = SimulatorHost(table, dict.fromkeys(table.units, "pty"))
        self._folder, self._broker, self._sealed, self._beside = folder, broker, sealed, beside
        self.wire = TappedLines(self._bench) if sealed else None
        self._clock = StoppableClock()
        self._metrics = free_port()
        self._file = self._configure(scenario, dialect)

    def _configure(self, scenario: AnyScenario, dialect: str) -> Path:
        SealingKey.new(self._folder / "journal.key")
        SigningPair.new(self._folder / "table.sign")
        procedure = scenario.procedure.id if isinstance(scenario, Scenario) else "race-to-the-flush"
        (deals,) = self._bench.addresses.keys() - {"table-controller"}
        if self._sealed:
            pair_all(self._folder, self._bench.table.units)
            users_file(self._folder, program_entry("hunter", PROGRAM))
        file = self._folder / "table.toml"
        file.write_text(
            CONFIGURATION.format(
                console=free_port(),
                metrics=self._metrics,
                broker=self._broker.url,
                site=SITE,
                table=TABLE,
                procedure=procedure,
                settle="false",
                more=(self._beside.settings if self._beside else "") + (MORE if self._sealed else ""),
                sealed='sealed = "required"\n' if self._sealed else "",
                profile="no-cards" if self._sealed else "full",
                deals=deals,
                dialect=dialect,
                address=self._bench.addresses[deals],
                controller=self._bench.addresses["table-controller"],
            )
        )
        return file

    def run(self, restart_after: int = 0) -> None:
        """Deal the evening to its end. The service ends and resumes after so many cards were dealt or shown."""
        out, log, bench = io.StringIO(), Logged(), Owner(self._clock)
        self.log = log.lines
        logging.getLogger().addHandler(log)
        before = logging.getLogger("dealwire").level
        logging.getLogger("dealwire").setLevel(logging.DEBUG)
        try:
            with Reader(self._broker.port, "#") as reader, ExitStack() as ended:
                outlets = Outlets(self._folder, self._metrics, out, reader, log)
                if self._sealed:
                    outlets.sent = lambda item: outgoing(item, "no-cards") is not None
                    asking = {"authorization": f"Bearer {PROGRAM}", "accept": "application/json"}
                    outlets.program = ended.enter_context(httpx.Client(headers=asking, timeout=30))
                for member in (self._bench, *self._bench.lines.values()):
                    bench.add(member)
                self._bench.start(self._clock.now_ns())
                if restart_after:
                    self._serve(bench, outlets, out, lambda: self.truth.changes >= restart_after)
                    assert not self._bench.finished
                self._serve(bench, outlets, out, lambda: False)
        finally:
            logging.getLogger().removeHandler(log)
            logging.getLogger("dealwire").setLevel(before)
            bench.close()

    def _serve(self, bench: Owner, outlets: Outlets, out: io.StringIO, over: Callable[[], bool]) -> None:
        configuration, hub = load_configuration(self._file), Hub()
        assert configuration.console is not None
        with ExitStack() as stack:
            service = Service(configuration, hub)
            service.clock = self._clock
            self._bring_to_search(hub)
            with self._clock.stopped():
                stack.enter_context(service)
                stack.enter_context(outlets.tapped())
                address = stack.enter_context(console_of(configuration.console, service, None, configuration.people))
                with contextlib.redirect_stdout(out):
                    stack.enter_context(exports_of(configuration.exports, service))
                stack.enter_context(outlets.look_on(address))
                if self._beside is not None:
                    stack.enter_context(self._beside.served(service, self._folder / "journal.sqlite"))
            service.run(0.001)  # whoever listens gets what came of going on
            while not self._bench.finished and not over():
                self._turn(bench, service)
                self._search_all(service, outlets)
            service.owner.run(timeout_s=0.2)
            self._search_all(service, outlets)

    def _turn(self, bench: Owner, service: Service) -> None:
        """Run until someone deals or shows a card."""
        changes = self.truth.changes

        def heard() -> int:
            return sum(frames for frames, _ in service.health.lines.values())

        def dealt() -> bool:
            before = heard()
            bench.run(lambda: self.truth.changes != changes, 0.002)
            if self.truth.changes != changes:  # on a busy machine the report of it takes longer to the service
                service.owner.run(lambda: heard() > before, 0.5)
            service.owner.run(timeout_s=0.002)
            return self.truth.changes != changes or self._bench.finished

        wait_until(dealt, "the next card of the evening", pause_s=0.0)

    def _search_all(self, service: Service, outlets: Outlets) -> None:
        service.hub.views()  # shows what waits for its moment: while the service stands still, it can answer nobody
        with self._clock.stopped():
            eventually(outlets.arrived, "lines are missing at an outlet")
            time.sleep(0.03)  # a page gets no two messages within half of that
            allowed = self.truth.allowed()
            for outlet, text in (*outlets.new(), *(self._beside.new() if self._beside is not None else ())):
                self.search(outlet, text, allowed)

    def _bring_to_search(self, hub: Hub) -> None:
        """Search each item at once as the service hands it out, before anyone shows another card."""
        publish, show = hub.publish, hub.show

        def published(item: Any) -> None:
            self.search("hub", item.line, self.truth.lately | self.truth.shown)
            publish(item)

        def seen(view: Any) -> None:
            self.search("view", view.model_dump_json(), self.truth.lately | self.truth.shown)
            show(view)

        hub.publish, hub.show = published, seen  # type: ignore[method-assign]

    def search(self, outlet: str, text: str, allowed: set[str]) -> None:
        """Look for faces in one text."""
        found = faces_in(text)
        self.searched[outlet] += 1
        self.named[outlet] |= found
        if found - allowed:
            self.leaks.append((outlet, found - allowed, text[:2000]))
