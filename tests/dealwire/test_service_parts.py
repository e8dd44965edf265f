"""The parts of the service, each for itself."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.config.load import load_configuration
from dealwire.config.table_parts import DevicePart, TablePart
from dealwire.hub.actions import FieldRefused
from dealwire.hub.health import Health
from dealwire.journal import Journal
from dealwire.journal.book_tables import BookTables
from dealwire.journal.contents import TableStart
from dealwire.journal.derived import NOBODY
from dealwire.journal.factory import TableFactory
from dealwire.journal.known_rounds import AllRounds, JournaledRounds
from dealwire.journal.reader import JournalReader
from dealwire.journal.settings import SettingsChanged, configuration_of
from dealwire.journal.tables import JournaledTable
from dealwire.service.actions import KINDS, command_of, find, offered
from dealwire.service.interpreter import look_for_garbage, made_for_good
from dealwire.service.notify import Notifier
from dealwire.service.table_session import Pulse
from dealwire.service.timer import Timer
from dealwire.table.table import TableTerms
from devices.clock import ManualClock
from devices.dialects.tdp import DIALECT
from devices.line.loop import Owner
from devices.line.supervisor import Supervisor
from devices.transport.base import Transport
from devices.transport.memory import memory_pair
from devices.transport.opening import Opener
from protocol.errors import CannotEncode
from protocol.tdp import messages as m
from protocol.tdp.codec import encode
from protocol.tdp.framing import encode_frame
from protocol.tdp.messages import Role
from rules.game.load import load_game
from rules.meters.settled_rounds import SettledInMemory, SettledKey
from rules.settlement import Settlement
from tests.support.evenings.reported_table import reports
from tests.support.rigs.links import report

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "table.toml"
SECOND = 1_000_000_000
COLORADO = load_procedure("flushes-gone-wild.co")


def device(kind: str, role: str = "control", dialect: str = "tdp") -> DevicePart:
    return DevicePart.model_validate({"name": kind, "kind": kind, "address": "x", "role": role, "dialect": dialect})


# ------------------------------------------------------------------ actions


def test_every_action_is_offered_where_the_device_allows_it() -> None:
    shuffler, controller = device("shuffler"), device("table-controller")
    shown = {action.id: action for action in offered([shuffler, controller], COLORADO)}
    assert {name.partition(".")[2] for name in shown if name.startswith("shuffler.")} == {
        "refresh",
        "call-misdeal",
        "clear-misdeal",
        "lock",
        "unlock",
        "select-game",
    }
    game = {field.name: field.default for field in shown["shuffler.select-game"].fields}
    assert game == {"packet-size": "5", "cards": "52", "jokers": "0", "game": "flushes-gone-wild.co"}
    observed = [action.id for action in offered([device("shuffler", "observe")], COLORADO)]
    assert observed == ["shuffler.refresh"], "what is only observed is asked for nothing else"
    assert offered([device("shoe", "observe", "angel-eye")], COLORADO) == []


GIVEN = {
    "badge": 7,
    "resolution": "play on",
    "packet-size": 5,
    "cards": 52,
    "jokers": 0,
    "game": "FGW",
    "text": "hello",
}
SENT: dict[tuple[str, str], m.Message] = {
    ("shuffler", "refresh"): m.ReportStatusMessage(),
    ("shuffler", "call-misdeal"): m.RaiseLampMessage(505),
    ("shuffler", "clear-misdeal"): m.ClearMisdealMessage(7, m.Resolution.RESUME),
    ("shuffler", "lock"): m.SetLockMessage(1),
    ("shuffler", "unlock"): m.SetLockMessage(0),
    ("shuffler", "select-game"): m.SelectGameMessage(5, 52, 0, "FGW"),
    ("shoe", "lock"): m.LockShoeMessage(1),
    ("shoe", "unlock"): m.LockShoeMessage(0),
    ("shoe", "clear-error"): m.ClearShoeErrorMessage(401, 7),
    ("table-controller", "show-text"): m.ShowTextMessage("hello"),
}


@pytest.mark.parametrize(("where", "name"), SENT, ids=lambda each: str(each))
def test_what_an_action_sends(where: str, name: str) -> None:
    role = next(kind.roles[-1] for kind in KINDS if kind.name == name)
    kind, found = find([device(where)], name, {"device": where}, role)
    assert found.name == where
    assert command_of(kind, {**GIVEN, "fault": 401, "device": where}) == SENT[where, name]


def test_every_kind_of_action_is_among_those() -> None:
    assert {(kind.device or "shuffler", kind.name) for kind in KINDS} == set(SENT)


def test_a_game_of_several_sizes_is_left_to_the_shuffler() -> None:
    shown = {action.id: action for action in offered([device("shuffler")], load_procedure("ultimate-texas-holdem.co"))}
    game = {field.name: field.default for field in shown["shuffler.select-game"].fields}
    assert (game["packet-size"], game["game"]) == ("0", "ultimate-texas-holdem.co")


@pytest.mark.parametrize(
    ("where", "name", "field"), [("shuffler", "select-game", "game"), ("table-controller", "show-text", "text")]
)
def test_a_text_is_as_long_as_its_message_takes_and_no_longer(where: str, name: str, field: str) -> None:
    kind = next(each for each in KINDS if each.name == name)
    room = next(each.characters for each in kind.fields if each.name == field)
    sent = command_of(kind, {**GIVEN, "device": where, field: "x" * room})
    with pytest.raises(CannotEncode):
        encode(structs.replace(sent, **{field: "x" * (room + 1)}))
    encode(sent)
    for wrong in ("x" * (room + 1), "Königin"):
        with pytest.raises(FieldRefused, match=rf"^{name}: {field}: must be 1 to {room} printable ASCII characters"):
            command_of(kind, {**GIVEN, "device": where, field: wrong})


def test_a_field_that_is_wrong_is_refused() -> None:
    kind, _ = find([device("shuffler")], "clear-misdeal", {"device": "shuffler"}, "supervisor")
    with pytest.raises(FieldRefused, match=r"^clear-misdeal: resolution: must be one of play on, end the deal"):
        command_of(kind, {"badge": 7, "resolution": "maybe"})


# ------------------------------------------------------------------ tables and their journal


def served(settled_before: Collection[SettledKey] = ()) -> JournaledTable:
    terms = TableTerms(load_game("flushes-gone-wild.co"), meters={"meter": 500_000})
    table = JournaledTable(COLORADO, terms, name="table-1")
    rounds = SettledInMemory()
    for key in settled_before:
        rounds.add(key)
    table.remember(rounds)
    return table


def test_a_round_that_was_settled_before_is_told_and_not_paid_again() -> None:
    evening = list(reports("two-rounds"))
    first = served()
    outcomes = [item for seen in evening for item in first.handle(seen)]
    rounds = [item for item in outcomes if isinstance(item, RoundResult)]
    assert len([item for item in outcomes if isinstance(item, Settlement)]) == len(rounds) == 2
    keys = sorted(first._once._keys)  # type: ignore[attr-defined]
    again = served([keys[0]])
    outcomes = [item for seen in evening for item in again.handle(seen)]
    settled = [item.round for item in outcomes if isinstance(item, Settlement)]
    assert settled == [rounds[1].round]
    repeated = [item for item in outcomes if isinstance(item, Incident) and item.code == "round-repeated"]
    assert [(item.session, item.number) for item in repeated] == [(rounds[0].session, rounds[0].round)]
    assert [item.round for item in outcomes if isinstance(item, RoundResult)] == [item.round for item in rounds]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "journal.sqlite", key=None, clock=ManualClock()) as journal:
        yield journal


def test_a_session_is_looked_up_once_and_every_round_of_it_is_known(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a device that said who it is, of one that did not, and as a version wrote them that knew no devices."""
    settled = [*((device, number) for device in ("d", "  c", NOBODY) for number in (1, 2, 3, 7)), ("e", 4)]
    for device, number in settled:
        journal.settled("pit-1", 1, SettledKey(device, "0000abcd", number))
    journal.secure()
    with JournalReader(journal.path) as reader:
        rounds = JournaledRounds(BookTables(reader), "pit-1", journal.head.sequence, AllRounds())
        asked: list[str] = []
        rows = reader.rows
        monkeypatch.setattr(reader, "rows", lambda sql, *values: (asked.append(sql), rows(sql, *values))[1])
        for device in ("d", "  c", "e", "x"):
            known = {number for number in range(10) if rounds.known(SettledKey(device, "0000abcd", number))}
            assert known == {1, 2, 3, 7} | ({4} if device == "e" else set())
            assert not any(rounds.known(SettledKey(device, "0000abce", number)) for number in range(10))
        assert len(asked) == 8, "once for each device and session"
        rounds.add(SettledKey("d", "0000abce", 5))
        assert rounds.known(SettledKey("d", "0000abce", 5))
        assert len(asked) == 8


def start_of(journal: Journal) -> TableFactory:
    part = load_configuration(EXAMPLE).table[0]
    maker = TableFactory(journal.path)
    journal.started(part.name, 1, configuration_of(part), maker.facts(part))
    journal.secure()
    return maker


def test_a_table_is_made_again_from_what_the_journal_says(journal: Journal) -> None:
    start_of(journal)
    with JournalReader(journal.path) as reader:
        publisher = TableFactory(journal.path)(reader.starts()["pit-1"])
    assert publisher.table.meters == {"meter": 1_000_000}
    assert len(publisher.viewer.view(0, 0).seats) == 6


def test_a_procedure_that_changed_since_is_named(journal: Journal) -> None:
    start_of(journal)
    with JournalReader(journal.path) as reader:
        start = reader.starts()["pit-1"]
    start.facts["files"]["procedure"] = "0" * 64
    with pytest.raises(SettingsChanged, match="the procedure is not the one it began with"):
        TableFactory(journal.path)(start)


def test_meters_named_by_two_spellings_of_a_path_are_the_same(journal: Journal) -> None:
    maker, setup, banks = TableFactory(journal.path), EXAMPLE.with_name("progressive-ml03.toml"), []
    game: dict[str, Any] = {"procedure": "flushes-gone-wild.wa", "game": "flushes-gone-wild.wa-link"}
    for name, spelling in (("left", setup), ("right", EXAMPLE.parent / ".." / "examples" / setup.name)):
        part = TablePart(
            name=name, progressive=spelling, paytables={"progressive": "WA-ML03"}, device=(device("shuffler"),), **game
        )
        facts = maker.facts(part)
        terms = maker(TableStart(name, journal.head.sequence, configuration_of(part), facts)).table.terms
        assert terms is not None
        banks.append(terms.bank)
    assert banks[0] is banks[1] is not None


# ------------------------------------------------------------------ the watchdog


def supervisor(clock: ManualClock, opener: Opener) -> Supervisor:
    make = lambda: DIALECT.make_link("shuffler", Role.OBSERVE, False)  # noqa: E731
    return Supervisor("shuffler", opener, make, DIALECT.driver("shuffler", where="x"), clock, lambda _: None)


def test_a_line_that_is_tried_again_and_again_moves() -> None:
    clock = ManualClock()

    def absent() -> Transport:
        from protocol.errors import LineAbsent

        raise LineAbsent("x", "unplugged")

    line = supervisor(clock, Opener(absent))
    owner, pulse = Owner(clock), Pulse(30 * SECOND)
    owner.add(line)
    line.start()
    for _ in range(600):
        clock.advance(SECOND // 2)
        owner.turn()
        assert pulse.wedged([line], clock.now_ns()) == []
    assert line.failures > 20
    owner.close()


def test_an_attempt_that_never_ends_is_a_wedged_line() -> None:
    clock, over = ManualClock(), threading.Event()

    def hangs() -> Transport:
        over.wait(300)
        return memory_pair(clock)[0]

    line = supervisor(clock, Opener(hangs, may_wait=True))
    owner, pulse = Owner(clock), Pulse(30 * SECOND)
    owner.add(line)
    line.start()
    found = []
    for _ in range(40):
        clock.advance(SECOND)
        owner.turn()
        found.append(pulse.wedged([line], clock.now_ns()))
    assert found[20] == []
    assert found[-1] == ["shuffler"]
    over.set()
    owner.close()


def test_what_a_line_heard_is_counted_over_its_losses() -> None:
    clock, ends, noise = ManualClock(), [], b"\0noise\0"

    def opens() -> Transport:
        ends.append(memory_pair(clock))
        return ends[-1][0]

    line, owner = supervisor(clock, Opener(opens)), Owner(clock)
    owner.add(line)
    line.start()
    for number in range(1, 4):
        while len(ends) < number:
            clock.advance(SECOND)
            owner.turn()
        device = ends[-1][1]
        device.write(noise + encode_frame(encode(report(1, 0, number))))
        clock.advance(SECOND // 10)
        owner.turn()
        assert line.heard == (number, number * len(noise))
        device.close()
        clock.advance(SECOND // 10)
        owner.turn()
        assert line.session is None
        assert line.heard == (number, number * len(noise))
    owner.close()


def test_the_longest_wait_is_told_for_a_minute() -> None:
    health = Health()
    health.waited(5)
    health.waited(3)
    for late_ns in [4, *[1] * 59]:
        health.beat(0, late_ns)
        assert health.lag_ns == 5
    health.beat(0, 7)
    assert health.lag_ns == 7
    for _ in range(60):
        health.beat(0, 1)
    assert health.lag_ns == 1


def test_without_systemd_nothing_is_told() -> None:
    notifier = Notifier({})
    notifier.notify(READY=1)
    assert notifier.watchdog_ns == 0
    notifier.close()


def test_the_watchdog_of_another_process_is_not_ours() -> None:
    notifier = Notifier({"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"})
    notifier.notify(WATCHDOG=1)
    assert notifier.watchdog_ns == 0
    notifier.close()


# ------------------------------------------------------------------ the loop


@pytest.mark.more
def test_what_was_made_before_is_left_alone_by_the_garbage_collector() -> None:
    before = [object() for _ in range(10)]
    with made_for_good():
        later: list[object] = []
        looked_at = {id(each) for each in gc.get_objects()}
        assert id(before) not in looked_at
        assert id(later) in looked_at
    assert id(before) in {id(each) for each in gc.get_objects()}


class Loop:
    """Garbage that only the cyclic collector finds."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.more
def test_garbage_that_was_made_since_is_found_at_a_beat_and_not_in_between() -> None:
    with made_for_good():
        lost = weakref.ref(Loop())
        kept = [[] for _ in range(5000)]  # the collector's own threshold is 700
        assert lost() is not None
        look_for_garbage(SECOND)
        assert lost() is None
        assert len(kept) == 5000
    assert gc.get_threshold()[0] < 5000
    lost = weakref.ref(Loop())
    look_for_garbage(SECOND)
    assert lost() is not None, "where nothing was made for good, the collector goes by itself"


def test_after_a_turn_in_which_something_happened_the_owner_is_told() -> None:
    clock, told = ManualClock(), []
    owner = Owner(clock, after_turn=lambda: told.append(clock.now_ns()))
    timer = Timer(lambda now_ns: None, clock.now_ns() + SECOND)
    owner.add(timer)
    owner.turn()
    assert told == []
    clock.advance(SECOND)
    owner.turn()
    assert len(told) == 1
    assert timer.due_ns is None
    owner.call_soon(lambda: None)
    owner.turn()
    assert len(told) == 2
    owner.close()
