"""The journal's log on the console: its newest checkpoint, each witness, the time stamp; and the warning about a needed
witness that has not cosigned for a day, by a clock of the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dealwire.config.schema import JournalPart, WitnessPart
from dealwire.console.server import Console
from dealwire.export.metrics import Metrics
from dealwire.hub.health import LogHealth
from dealwire.hub.hub import Hub
from dealwire.hub.log_view import LogView, WitnessView, log_json
from dealwire.journal import Journal, JournalReader
from dealwire.journal.records import LOG
from dealwire.journal.segments import export_segment
from dealwire.journal.signing import WITNESS_TYPE, SigningPair
from dealwire.service.day_stamps import DayStamps
from dealwire.service.log_watch import LogWatch
from devices.clock import ManualClock
from tests.dealwire.test_console_apart import Owner, joined
from tests.dealwire.test_service_clock import Wall, steps
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.browser import chromium, needs_browser, picture, watched
from tests.support.rigs.consoles import client, running
from tests.support.rigs.patience import wait_until
from tests.support.rigs.serving import opened, run_until, simulators_here, write_configuration

SECOND = 10**9
HOUR = 3600 * SECOND
DAY = 24 * HOUR
START = 1_790_000_000 * SECOND
TABLE = SigningPair.of_seed(bytes(range(32)))
KEYS = {name: SigningPair.of_seed(bytes([each]) * 32) for each, name in enumerate(("regulator", "south/pit-1"), 1)}
LONG = "dealwire/4be1f702000000000000000000000000/a1a1a1a1a1a1a1a1"
HOSTILE = "<script>alert(1)</script>"


def witness(name: str, *, needed: bool) -> WitnessPart:
    return WitnessPart(key=KEYS[name].vkey(name, WITNESS_TYPE), needed=needed)


class Watched:
    """A journal with a tree, and the watch over its log. `at` moves the clock to hours after the start."""

    def __init__(self, path: Path, *, before_h: int = 0, signer: SigningPair | None = TABLE) -> None:
        self.clock = ManualClock(START - before_h * HOUR)
        self.journal = Journal(path, key=None, clock=self.clock, signer=signer)
        self.journal.checkpoints.sign(self.clock.now_ns())
        self.journal.commit()
        self.clock.set(START)
        witnesses = (witness("regulator", needed=True), witness("south/pit-1", needed=False))
        part = JournalPart(path=path, witness=witnesses)
        self.health, self.shown = LogHealth(), list[LogView]()
        stamps = DayStamps(self.journal, part)
        self.watch = LogWatch(self.journal, part, self.health, stamps, self.shown.append, START)

    def at(self, hours: float) -> str | None:
        return self.watch.beat(START + round(hours * HOUR))

    def signed(self, hours: float, name: str = "regulator", size: int = 7) -> None:
        self.health.cosigned[name], self.health.sizes[name] = (START + round(hours * HOUR)) // SECOND, size

    def states(self) -> list[tuple[str, bool]]:
        return [(each.state, each.overdue) for each in self.shown[-1].witnesses]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Watched]:
    made = Watched(tmp_path / "journal.sqlite")
    yield made
    made.journal.close()


# ------------------------------------------------------------------ the warning


def test_a_needed_witness_that_never_signed_is_missed_after_24_hours(log: Watched) -> None:
    assert log.at(0) is None
    assert log.states() == [("missing", False), ("missing", False)]
    assert log.at(23.999) is None
    assert log.watch.problem is None
    why = "regulator has never cosigned a checkpoint, and the log is older than 24 h"
    assert log.at(24) == f"the witness {why}"
    assert (log.watch.problem, log.states()) == (why, [("missing", True), ("missing", False)])
    assert log.health.overdue == {"regulator": 1}
    assert log.at(48) is None, "it is said once"
    log.signed(48.001)
    assert log.at(48.002) is None
    assert (log.watch.problem, log.states()) == (None, [("fresh", False), ("missing", False)])
    assert log.health.overdue == {"regulator": 0}


def test_a_signature_is_old_after_24_hours_and_the_warning_ends_with_the_next(log: Watched) -> None:
    """Every time, and only for a needed one."""
    for day in (1, 3, 5):
        log.signed(24 * day)
        log.signed(24 * day, "south/pit-1")
        assert log.at(24 * day + 23.999) is None
        assert log.states() == [("fresh", False), ("fresh", False)]
        assert log.at(24 * day + 24) == "the witness regulator has not cosigned a checkpoint for 24 h"
        assert log.states() == [("old", True), ("old", False)]
        assert log.at(24 * day + 30) is None
    log.signed(24 * 5 + 31)
    assert log.at(24 * 5 + 31) is None
    assert log.watch.problem is None


def test_a_start_after_a_closed_weekend_warns_of_nobody_who_signs_at_once(tmp_path: Path) -> None:
    """A log of three days ago: what is missing is warned of ten minutes after the start."""
    log = Watched(tmp_path / "journal.sqlite", before_h=72)
    log.signed(-72)
    assert log.at(0) is None
    assert log.states() == [("old", False), ("missing", False)]
    assert log.at(0.16) is None
    assert log.at(0.17) == "the witness regulator has not cosigned a checkpoint for 24 h"
    log.journal.close()


def test_a_log_whose_beginning_was_pruned_is_older_than_24_hours(tmp_path: Path) -> None:
    """Or a service that restarts each day would never miss a witness that never signed."""
    path = tmp_path / "journal.sqlite"
    first = Watched(path, before_h=24 * 40)
    for day in ("2026-08-11", "2026-08-12"):
        first.journal.begin_day(day, START - 24 * HOUR)
        first.journal.commit()
    with JournalReader(path) as reader:
        day = reader.segments()[0]
        copy, sha256 = export_segment(reader, day, tmp_path / "archive")
    first.journal.days.exported(day, str(copy), sha256, START - 24 * HOUR)
    first.journal.commit()
    with JournalReader(path) as reader:
        assert first.journal.days.prune(reader.segments()[0])
    first.journal.commit()
    first.journal.close()
    with JournalReader(path) as reader:
        assert reader.newest_of(LOG) is None
    log = Watched(path)
    assert log.at(0.1) is None
    assert log.at(0.2) == "the witness regulator has never cosigned a checkpoint, and the log is older than 24 h"
    log.journal.close()


def test_a_refused_line_shows_its_reason_and_is_no_warning_by_itself(log: Watched) -> None:
    log.signed(1)
    log.health.refused["regulator"] = "the cosignature of regulator does not fit"
    assert log.at(2) is None
    assert log.states() == [("refused", False), ("missing", False)]
    assert log.shown[-1].witnesses[0].why == "the cosignature of regulator does not fit"
    assert log.at(25) is not None, "yet its last good one is old"


def test_the_state_is_given_when_it_changes_and_only_then(log: Watched) -> None:
    for second in range(5):
        log.at(second / 3600)
    assert len(log.shown) == 1
    found = log.shown[0]
    assert (found.origin, found.leaves) == (log.journal.checkpoints.log.origin, 2)
    assert (found.checkpoint, found.checkpoint_ns) == (1, START)
    assert log.health.checkpoint_ns == START
    log.clock.set(START + HOUR)
    log.journal.checkpoints.sign(START + HOUR)
    log.at(1)
    assert (log.shown[1].checkpoint, log.shown[1].checkpoint_ns) == (2, START + HOUR)


def test_a_start_knows_the_newest_checkpoint_of_before(tmp_path: Path) -> None:
    Watched(tmp_path / "journal.sqlite", before_h=2).journal.close()
    again = Watched(tmp_path / "journal.sqlite")
    again.at(0)
    assert again.shown[0].checkpoint > 1
    again.journal.close()


def test_a_journal_that_signs_nothing_has_no_state(tmp_path: Path) -> None:
    log = Watched(tmp_path / "journal.sqlite", signer=None)
    assert log.at(100) is None
    assert (log.shown, log.watch.problem, log.health.overdue) == ([], None, {})
    log.journal.close()


SIGNED = """signing-key-file = "table.sign"
[[journal.witness]]
key = "{key}"
needed = true
[exports.mqtt]
url = "mqtt://127.0.0.1:1"
site = "north"
"""


@pytest.mark.more
def test_the_tables_of_a_service_show_the_warning_and_its_end(tmp_path: Path) -> None:
    """By the clock of the test; what a broker would bring is put in its place."""
    SigningPair.new(tmp_path / "table.sign")
    wall, key = Wall(), KEYS["regulator"].vkey("regulator", WITNESS_TYPE)
    with simulators_here() as addresses:
        file = write_configuration(tmp_path, addresses, top=SIGNED.format(key=key))
        service, listener = opened(file, make_clock=wall.makes)
        with service:
            metrics = Metrics(service.hub, health=service.health)

            def troubles() -> list[str]:
                return [each.cause for each in service.hub.views()["table-1"].trouble if each.kind == "witness"]

            def overdue() -> float | None:
                return metrics.registry.get_sample_value("dealwire_log_witness_overdue", {"by": "regulator"})

            run_until(service, lambda: len(listener.of("round")) >= 1)
            assert service.hub.log is not None
            assert service.hub.log.checkpoint > 0
            assert (troubles(), overdue()) == ([], 0)
            wall.by_ns += 24 * HOUR + 60 * SECOND
            run_until(service, lambda: bool(steps(listener)))
            run_until(service, lambda: bool(troubles()))
            why = "regulator has never cosigned a checkpoint, and the log is older than 24 h"
            assert (troubles(), overdue()) == ([why], 1)
            assert f"the witness {why}" in [line["text"] for line in listener.of("status")]
            service.health.log.cosigned["regulator"] = service.clock.now_ns() // SECOND
            run_until(service, lambda: not troubles())
            assert overdue() == 0
            before = len(listener.of("round"))
            run_until(service, lambda: len(listener.of("round")) > before)


# ------------------------------------------------------------------ the page


def every_state(now_ns: int) -> LogView:
    """Return a log with a witness in each state."""
    seen = {"size": 1_234_000, "at_ns": now_ns - 3 * 60 * SECOND}
    witnesses = (
        WitnessView(name="regulator.example/w1", needed=True, state="fresh", **seen),
        WitnessView(name="south/pit-1", needed=False, state="old", size=12, at_ns=now_ns - 5 * DAY),
        WitnessView(name="laboratory", needed=True, state="missing", overdue=True),
        WitnessView(name=HOSTILE, needed=True, state="refused", why=f"a cosignature of {HOSTILE}, not of it", **seen),
        WitnessView(name="n" * 200, needed=True, state="old", size=9, at_ns=now_ns - 30 * HOUR, overdue=True),
    )
    return LogView(
        origin=LONG,
        leaves=1_234_567,
        checkpoint=1_234_500,
        checkpoint_ns=now_ns - 40 * SECOND,
        witnesses=witnesses,
        stamps=True,
        stamped_day="2026-11-29",
        stamped_ns=now_ns - 26 * HOUR,
        stamp_overdue=True,
        forks=1,
    )


@pytest.fixture
def hub() -> Iterator[Hub]:
    made = Hub()
    with WatchedTable(made, "clean-3"):
        yield made


@pytest.fixture
def console(hub: Hub) -> Iterator[Console]:
    with running(hub, clock=ManualClock(START)) as shown:
        yield shown


def test_the_overview_shows_the_log_and_a_program_gets_it_as_json(hub: Hub, console: Console) -> None:
    with client(console) as asking:
        empty = asking.get("/").text
        assert "Journal and witnesses" not in empty
        assert "/#witnesses" not in asking.get("/table/pit-1").text
        none = asking.get("/log.json", headers={"accept": "application/json"})
        assert (none.status_code, none.json()["text"]) == (404, "The journal of this console signs no checkpoints.")
        hub.show_log(found := every_state(START))
        text = asking.get("/").text
        for words in (
            *(LONG, "1,234,567", "1,234,500 entries", "less than a minute ago", "2026-11-29", "26 h ago", "overdue"),
            *("1 proven by a witness", "3 min ago", "5 days ago", "has not cosigned", "signature refused"),
            *("It has never cosigned.", "It has not cosigned for 24 h.", "not needed"),
        ):
            assert words in text, words
        assert HOSTILE not in text
        assert "/#witnesses" in asking.get("/table/pit-1").text
        given = asking.get("/log.json")
        assert given.json() == log_json(found)
        assert given.json()["schema"] == "dealwire.log/1"
        assert given.json()["witnesses"][0] == {
            "name": "regulator.example/w1",
            "needed": True,
            "state": "fresh",
            "size": 1_234_000,
            "at_ns": START - 180 * SECOND,
            "overdue": False,
            "why": "",
        }
        assert "Journal and witnesses" not in asking.get("/wall").text


def test_a_console_of_its_own_process_gets_the_log_and_keeps_the_last_known(tmp_path: Path) -> None:
    owner = Owner()
    owner.hub.show_log(before := every_state(START))
    with owner.gate() as gate:
        with joined(gate) as remote:
            wait_until(lambda: remote.log == before, "the log at a console")
            owner.hub.show_log(after := before.model_copy(update={"leaves": 1_234_568}))
            wait_until(lambda: remote.log == after, "what changed of it")
        assert remote.log == after.model_copy(update={"away": True})


def test_a_console_forgets_the_log_when_its_service_comes_back_without_one() -> None:
    before, after = Owner(), Owner()
    before.hub.show_log(every_state(START))
    with before.gate() as gate, joined(gate) as remote:
        wait_until(lambda: remote.log is not None, "the log at a console")
    with after.gate() as gate, joined(gate, remote):
        wait_until(lambda: remote.log is None, "no log any longer")
    assert remote.log is None


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as made:
        yield made


@needs_browser
@pytest.mark.more
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_log_fits_every_screen_and_a_checker_finds_nothing(
    browser: Any, hub: Hub, console: Console, width: int, scheme: str
) -> None:
    """Without scripts too; with them it is live."""
    from axe_playwright_python.sync_playwright import Axe

    hub.show_log(every_state(START))
    size = {"width": width, "height": 844 if width == 390 else 800}
    for scripts in (False, True):
        how: dict[str, Any] = {"viewport": size, "color_scheme": scheme, "java_script_enabled": scripts}
        with watched(browser, console.address, reduced_motion="reduce", **how) as window:
            page = window.page(console.address)
            panel = page.locator("#witnesses section")
            assert panel.is_visible()
            assert "1,234,567" in panel.inner_text()
            if not scripts:
                continue
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            found = Axe().run(page).response["violations"]
            assert not found, [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]
            panel.scroll_into_view_if_needed()
            picture(page, f"log-{width}-{scheme}")
            hub.show_log(every_state(START).model_copy(update={"leaves": 1_300_000}))
            panel.get_by_text("1,300,000").wait_for()
            hub.show_log(every_state(START))
