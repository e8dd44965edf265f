"""Tables created from a journal: the state that it keeps, the meters that continue, and the rounds that are known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from dealer_flow.play.reports.sessions import RoundOrigin
from dealer_flow.procedure.load import load_procedure
from dealwire.config.table_parts import TablePart
from dealwire.hub.view import DeviceView
from dealwire.journal import Journal, JournalReader
from dealwire.journal.book_tables import BookTables
from dealwire.journal.contents import TableSnapshot, TableStart
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.factory import TableFactory
from dealwire.journal.known_rounds import AllRounds, JournaledRounds
from dealwire.journal.records import JournalRecord
from dealwire.journal.settings import SettingsChanged, configuration_of, files_of
from dealwire.journal.snapshots import Kept, decoded, encoded, kept_of, provable
from dealwire.journal.tables import JournaledPublisher, keys_of, write_settled
from devices import events as e
from devices.clock import ManualClock
from devices.events import Seen
from rules.game.load import load_game
from rules.meters.bank import MeterRecord
from rules.meters.settled_rounds import SettledKey
from tests.dealwire.test_jackpot_tables import AN_EVENING
from tests.dealwire.test_jackpot_tables import EXAMPLE as JACKPOT
from tests.support.rigs.memory_folder import memory_folder

PROGRESSIVE = JACKPOT.with_name("progressive-ml03.toml")
LINKED: dict[str, Any] = {
    "procedure": "flushes-gone-wild.wa",
    "game": "flushes-gone-wild.wa-link",
    "progressive": PROGRESSIVE,
    "paytables": {"progressive": "WA-ML03"},
}


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory: what is tested here is what is made, not when it is written."""
    with memory_folder(tmp_path) as folder:
        yield folder


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as found:
        yield found


def part_of(name: str = "a", **more: Any) -> TablePart:
    device = {"name": "device-1", "kind": "shuffler", "address": "tcp:host:1"}
    rows = {"name": name, "procedure": "flushes-gone-wild.co", "device": (device,)}
    return TablePart.model_validate(rows | more)


def begun(journal: Journal, part: TablePart) -> TableStart:
    """The table begins now."""
    with TableFactory(journal.path) as maker:
        facts = maker.facts(part)
    number = journal.started(part.name, 1, configuration_of(part), facts)
    journal.commit()
    return TableStart(part.name, number, configuration_of(part), facts)


# ------------------------------------------------------------------ what is kept of a table


def test_settings_are_kept_as_they_decide_results() -> None:
    kept = json.loads(configuration_of(part_of()))
    assert "max-bytes-per-s" not in kept["device"][0]
    assert not {"rake", "jackpot"} & kept.keys()
    assert "pin" not in kept["device"][0]
    assert TablePart.model_validate_json(configuration_of(part_of())) == part_of()
    assert configuration_of(part_of()) == json.dumps(kept, sort_keys=True)
    device = {"name": "device-1", "kind": "shoe", "address": "tcp:host:1"}
    whole = part_of(procedure="holdem.co", jackpot=JACKPOT, device=(device | {"pin": {"serial": "A1"}},))
    kept = json.loads(configuration_of(whole))
    assert kept["jackpot"] == str(JACKPOT)
    assert kept["device"][0]["pin"]["serial"] == "A1"
    raked = part_of(procedure="holdem.co", rake={"percent": "5"}, device=(device,))
    assert json.loads(configuration_of(raked))["rake"]["percent"] == "5"


def test_what_a_tables_results_rest_on(journal: Journal) -> None:
    with TableFactory(journal.path) as maker:

        def files(**more: Any) -> dict[str, str]:
            part = part_of(**more)
            return files_of(maker(TableStart("a", 1, configuration_of(part), {})).table)

        procedure = load_procedure("flushes-gone-wild.co").ref().sha256
        game = load_game("flushes-gone-wild.co").sha256
        assert files() == {"procedure": procedure, "game": game}
        assert files(settle=False) == {"procedure": procedure}
        assert files(**LINKED).keys() == {"procedure", "game", "progressive"}
        assert files(procedure="holdem.co", jackpot=JACKPOT).keys() == {"procedure", "game", "jackpot"}
        assert all(len(each) == 64 for each in files(**LINKED).values())


def test_a_file_that_changed_since_is_named(journal: Journal) -> None:
    start = begun(journal, part_of())
    game = start.facts["files"]["game"]
    start.facts["files"]["game"] = "f" * 64
    with TableFactory(journal.path) as maker, pytest.raises(SettingsChanged) as caught:
        maker(start)
    assert str(caught.value) == (
        f"table a: the game is not the one it began with (ffffffffffff, now {game[:12]}); restore the file, or start "
        "the table over with --start-over"
    )
    assert (caught.value.table, caught.value.what, caught.value.then, caught.value.now) == ("a", "game", "f" * 64, game)
    start.facts["files"] = {"jackpot": "f" * 64}
    with TableFactory(journal.path) as maker, pytest.raises(SettingsChanged, match=r"\(ffffffffffff, now \)"):
        maker(start)


# ------------------------------------------------------------------ its own meters


def settle(journal: Journal, table: str, *meters: dict[str, object], **more: object) -> None:
    line = {"session": "s", "round": 1, "meters": meters, **more}
    journal.publish(table, "settlement", 1, json.dumps(line))
    journal.commit()


def test_meters_go_on_where_the_journal_left_them(journal: Journal) -> None:
    with TableFactory(journal.path) as maker:
        assert maker.facts(part_of())["meters"] == {}
    facts = begun(journal, part_of(meters={"meter": 5000})).facts
    assert facts["meters"] == {"meter": 5000}
    assert "runners" not in facts
    assert "rolled" not in facts
    settle(journal, "a", {"name": "meter", "after": 7777}, {"name": "of another game", "after": 5})
    settle(journal, "b", {"name": "meter", "after": 1})
    facts = begun(journal, part_of(meters={"meter": 5000})).facts
    assert facts["meters"] == {"meter": 7777}
    with TableFactory(journal.path) as maker:
        start = TableStart("a", 1, configuration_of(part_of(meters={"meter": 5000})), facts)
        assert maker(start).table.meters == {"meter": 7777}
    settle(journal, "a", {"name": "meter"})
    assert begun(journal, part_of(meters={"meter": 5000})).facts["meters"] == {}, "paid out, and its seed is not known"
    assert begun(journal, part_of(settle=False)).facts["meters"] == {"of another game": 5}


def test_a_table_that_shares_its_meters_has_none_of_its_own(journal: Journal) -> None:
    settle(journal, "a", {"name": "WA-ML03", "after": 5})
    assert begun(journal, part_of(**LINKED)).facts["meters"] == {}


def test_a_pool_and_its_runners_go_on(journal: Journal) -> None:
    device = {"name": "shoe", "kind": "shoe", "address": "tcp:host:1"}
    part = part_of(procedure="home-run.co", device=(device,))
    assert begun(journal, part).facts["runners"] == {}
    settle(journal, "a", {"name": "home-run", "after": 900}, pool={"runners": [{"seat": 3, "after": 2}]})
    start = begun(journal, part)
    assert (start.facts["meters"], start.facts["runners"]) == ({"home-run": 900}, {"3": 2})
    with TableFactory(journal.path) as maker:
        terms = maker(start).table.terms
        assert terms is not None
        assert (terms.meters, terms.runners) == ({"home-run": 900}, {3: 2})


# ------------------------------------------------------------------ meters that are shared


def shown(publisher: JournaledPublisher) -> dict[str, int]:
    return publisher.table.meters


def made(maker: TableFactory, part: TablePart, sequence: int = 1) -> JournaledPublisher:
    return maker(TableStart(part.name, sequence, configuration_of(part), {}))


HOLDEM: dict[str, Any] = {"procedure": "holdem.co", "jackpot": JACKPOT}


def move_pools(journal: Journal, table: JournaledPublisher) -> None:
    """Settle the first round of the evening at a table, and write down what it moved."""
    assert table.table.terms is not None
    _, *records = table.table.terms.settle_all(AN_EVENING[0])
    for record in records:
        journal.publish("a", "meter", 1, record.to_json())
    journal.commit()


def test_pools_go_on_where_the_records_left_them(journal: Journal) -> None:
    with TableFactory(journal.path) as maker:
        first, second = made(maker, part_of("a", **HOLDEM)), made(maker, part_of("b", **HOLDEM))
        before = shown(first)
        move_pools(journal, first)
        assert shown(first) == shown(second) != before
        after = shown(first)
    with TableFactory(journal.path) as maker:
        assert shown(made(maker, part_of("a", **HOLDEM), journal.head.sequence + 1)) == after
        assert shown(made(maker, part_of("b", **HOLDEM), 1)) == after, "they are in use: as they are"
    with TableFactory(journal.path) as maker:
        assert shown(made(maker, part_of("a", **HOLDEM), 1)) == before, "before there was a record"


def kept_at_rest(publisher: JournaledPublisher) -> Kept:
    state = publisher.state()
    assert state is not None
    return Kept(state.table, {}, publisher.bank_state, state.viewer)


def snapshot_of(part: TablePart, sequence: int = 9) -> TableSnapshot:
    return TableSnapshot(sequence, 1, TableStart(part.name, 1, configuration_of(part), {}), (), b"")


@pytest.mark.parametrize("more", [HOLDEM, LINKED], ids=["jackpot", "progressive"])
def test_a_table_that_is_adopted_puts_its_bank_back(journal: Journal, more: dict[str, Any]) -> None:
    part = part_of(**more)
    with TableFactory(journal.path) as maker:
        first = made(maker, part)
        before = shown(first)
        assert first.table.terms is not None
        if "jackpot" in more:
            first.table.terms.settle_all(AN_EVENING[0])
        kept = kept_at_rest(first)
        after = shown(first)
        assert kept.bank is not None
    assert (after != before) == ("jackpot" in more)
    with TableFactory(journal.path) as maker:
        adopted = maker.adopt(snapshot_of(part), kept)
        assert shown(adopted) == after
        assert kept_at_rest(adopted) == kept
        other = maker.adopt(snapshot_of(part_of("b", **more)), replace(kept, bank=None))
        assert shown(other) == after, "one bank"
        third = maker.adopt(snapshot_of(part_of("c", **more)), kept)
        assert third.table.terms is not None
        assert adopted.table.terms is not None
        assert third.table.terms.shared is adopted.table.terms.shared


def test_a_table_that_is_adopted_stands_where_it_stood(journal: Journal) -> None:
    part = part_of(meters={"meter": 5000})
    with TableFactory(journal.path) as maker:
        first = maker(TableStart("a", 1, configuration_of(part), {"meters": {"meter": 4000}}))
        first.table.outcomes["complete"] = 3
        first.viewer.device(DeviceView(name="shuffler", kind="shuffler", address="x", link="up"))
        first.viewer.safe_stop("the disk was full", 5)
        kept = kept_at_rest(first)
        assert kept.bank is None
        adopted = maker.adopt(snapshot_of(part), kept)
        view = adopted.viewer.view(0, 0)
        assert (adopted.table.outcomes, adopted.table.meters) == ({"complete": 3}, {"meter": 4000})
        assert ([each.name for each in view.devices], view.safe_stop) == (["shuffler"], None)
        blind = maker.adopt(snapshot_of(part), replace(kept, viewer=None))
        assert ([*blind.viewer.view(0, 0).devices], blind.table.meters) == ([], {"meter": 4000})


def record_of(text: str, kind: str = "meter") -> JournalRecord:
    return JournalRecord(5, 1, 0, kind, "gone", text.encode(), b"")


def test_a_step_of_a_table_that_is_passed_over_moves_the_bank(journal: Journal) -> None:
    with TableFactory(journal.path) as other:
        away = made(other, part_of("away", **HOLDEM))
        assert away.table.terms is not None
        before = shown(away)
        _, *records = away.table.terms.settle_all(AN_EVENING[0])
        after = shown(away)
    with TableFactory(journal.path) as maker:
        table = made(maker, part_of("a", **HOLDEM))
        assert shown(table) == before
        for record in records:
            maker.skipped(record_of(record.to_json(), "round"))
        assert shown(table) == before, "only steps of meters do"
        for record in records:
            assert isinstance(record, MeterRecord)
            maker.skipped(record_of(record.to_json()))
            maker.skipped(record_of(replace(record, meter="of others").to_json()))
        assert shown(table) == after


# ------------------------------------------------------------------ rounds that were settled


def key(number: int, session: str = "s", device: str = "d") -> SettledKey:
    return SettledKey(device, session, number)


def test_which_rounds_are_known_from_where_a_table_is_dealt_on(journal: Journal) -> None:
    for number in (1, 2, 3):
        journal.settled("a", 1, key(number))
    since = journal.head.sequence
    for number in (4, 5):
        journal.settled("a", 1, key(number))
    journal.settled("b", 1, key(9))
    journal.commit()
    with JournalReader(journal.path) as reader:
        rounds = JournaledRounds(BookTables(reader), "a", since, AllRounds())
        known = {number: rounds.known(key(number)) for number in range(1, 11)}
        assert known == {number: number <= 3 for number in range(1, 11)}, "those of later are dealt again"
        rounds.add(key(4))
        assert (rounds.known(key(4)), rounds.newly_settled) == (True, [key(4)])
        assert not rounds.known(key(5))
        assert not rounds.known(key(1, "another"))


def test_a_round_of_which_no_more_than_its_session_is_known(journal: Journal) -> None:
    """By a version that wrote no devices: whoever dealt it, it was settled."""
    journal.settled("a", 1, key(1, device="?"))
    since = journal.head.sequence
    journal.settled("a", 1, key(2, device="?"))
    journal.commit()
    with JournalReader(journal.path) as reader:
        rounds = JournaledRounds(BookTables(reader), "a", since, AllRounds())
        assert [rounds.known(key(number, device=device)) for number in (1, 2) for device in ("x", "?")] == [
            True,
            True,
            False,
            False,
        ]


def test_a_round_is_remembered_by_all_that_tells_it() -> None:
    origin = RoundOrigin(
        dealing="ACME One A1", session=0xAB, controller="ACME Two B2", controller_session=0xC, number=7
    )
    own, unnamed = keys_of(origin)
    assert own == SettledKey("ACME One A1 ACME Two B2 0000000c", "000000ab", 7)
    assert unnamed == SettledKey("  0000000c", "000000ab", 7)


def test_rounds_that_were_settled_now_are_written_down_once(journal: Journal) -> None:
    with TableFactory(journal.path) as maker:
        publisher = made(maker, part_of())
        assert publisher.rounds is not None
        assert made(maker, part_of()).rounds is publisher.rounds, "made anew, it is the same table"
        for number in (1, 2):
            publisher.rounds.add(key(number))
        write_settled(journal, "a", publisher, 77)
        write_settled(journal, "a", publisher, 78)
        publisher.rounds = None
        write_settled(journal, "a", publisher, 79)
    journal.commit()
    with JournalReader(journal.path) as reader:
        marks = [(each.at_ns, json.loads(each.payload)) for each in reader.records() if each.kind == "settled"]
    assert marks == [(77, ["d", "s", 1]), (77, ["d", "s", 2])]


# ------------------------------------------------------------------ snapshots


def test_a_table_is_kept_when_it_and_its_lines_are_at_rest(journal: Journal) -> None:
    with TableFactory(journal.path) as maker:
        publisher = made(maker, part_of(**HOLDEM))
        found = kept_of(publisher, {})
        assert found == kept_at_rest(publisher)
        assert kept_of(publisher, {1: None}) is None
        assert kept_of(object(), {}) is None
        snapshot = snapshot_of(part_of())
        assert decoded(journal.path, replace_state(snapshot, encoded(found))) == found
        assert provable(found) == encoded(replace(found, viewer=None))
        publisher.publish(Seen("controller", 1, 1, 1, e.GameStarted(1)))
        assert kept_of(publisher, {}) is None, "a round is under way"
        assert publisher.state() is None


def replace_state(snapshot: TableSnapshot, state: bytes) -> TableSnapshot:
    return TableSnapshot(snapshot.sequence, snapshot.at_ns, snapshot.start, snapshot.lines, state)


def test_a_snapshot_that_holds_no_table_is_named(journal: Journal) -> None:
    with pytest.raises(JournalDamaged) as caught:
        decoded(journal.path, replace_state(snapshot_of(part_of()), b"{}"))
    said = f"{journal.path}: record 9: a snapshot that cannot be read: Object missing required field `table`"
    assert str(caught.value) == said


def test_what_is_dealt_again_is_seen_and_what_is_live_is_not_yet(journal: Journal) -> None:
    """Live, whoever runs the table tells the viewer the numbers of the lines, too."""
    up = e.LinkUp(1, "shuffler", "ACME", "One", "A1", "1.0", True, False)
    with TableFactory(journal.path) as maker:
        publisher = made(maker, part_of())
        assert publisher.replaying
        publisher.publish(Seen("shuffler", 1, 1, 1, up))
        assert [each.name for each in publisher.viewer.view(0, 0).devices] == ["shuffler"]
        publisher.replaying = False
        publisher.publish(Seen("other", 1, 1, 1, up))
        assert [each.name for each in publisher.viewer.view(0, 0).devices] == ["shuffler"]
