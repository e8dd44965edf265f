"""Any course of a house's money through one journal: the ledger balances to the cent across all restarts."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import defaultdict
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from dealwire.cli import main
from dealwire.journal import JournalReader
from dealwire.journal.check import verify
from dealwire.journal.entries import LedgerReader
from rules.meters.bank import MeterBank, MeterRecord, MeterRefused, RoundKey
from rules.meters.settled_rounds import SettledKey
from rules.meters.setup import load_setup
from tests.dealwire.test_obligations import journal_at
from tests.support.oracles.books_verifier import check_books
from tests.support.rigs.held_rounds import DEVICE, settlement

SETUP = load_setup(Path(__file__).parents[2] / "docs" / "examples" / "progressive-ml03.toml")
METERS = tuple(meter.name for meter in SETUP.meters)
NAMES = ("pit-1", "pit-2", "pit-3")
tables = st.sampled_from(NAMES)
cents = st.integers(1, 10**12)
names = st.sampled_from(METERS)


class House(RuleBasedStateMachine):
    """Three table names and one link. This machine keeps its own list of open entries."""

    @initialize()
    def open_up(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.bank = MeterBank(SETUP)
        self.open: dict[int, tuple[str, str, int, int]] = {}
        """Entry -> table, session, round, cents."""
        self.by_hand: dict[str, int] = defaultdict(int)
        self.rounds, self.gone = 0, list[tuple[str, str, int]]()
        self.released: list[int] = []
        self.enter()
        for record in self.bank.standing():
            self.step(record)

    def enter(self) -> None:
        self.journal = journal_at(self.folder)
        self.journal._file.db.execute("PRAGMA synchronous = OFF")

    def step(self, record: MeterRecord) -> None:
        text = record.to_json()
        where = record.table or NAMES[0]
        meters = self.journal.books.meters
        assert meters.unlike(meters.steps(where, [("meter", text)])) == ""
        self.journal.publish(where, "meter", self.now(), text)

    def now(self) -> int:
        return self.journal.newest_ns + 1

    def next_round(self) -> tuple[str, int]:
        self.rounds += 1
        return f"{self.rounds // 4:08x}", self.rounds % 4

    # ------------------------------------------------------------------ rounds

    @rule(table=tables, held=st.one_of(st.just(0), cents))
    def settle(self, table: str, held: int) -> None:
        session, number = self.next_round()
        self.journal.publish(table, "settlement", self.now(), settlement(session, number, held))
        self.journal.settled(table, self.journal.newest_ns, SettledKey(DEVICE, session, number))
        self.gone.append((table, session, number))
        if held:
            self.open[self.journal.head.sequence] = table, session, number, held

    @precondition(lambda self: self.gone)
    @rule(data=st.data(), held=cents)
    def settle_again(self, data: st.DataObject, held: int) -> None:
        """It was heard once more, and is not held once more; its mark is not written twice."""
        table, session, number = data.draw(st.sampled_from(self.gone))
        line = settlement(session, number, held, again=True)
        self.journal.publish(table, "settlement", self.now(), line)
        self.journal.settled(table, self.journal.newest_ns, SettledKey(DEVICE, session, number))

    @precondition(lambda self: self.gone)
    @rule(data=st.data(), held=cents)
    def another_of_its_number(self, data: st.DataObject, held: int) -> None:
        table, session, number = data.draw(st.sampled_from(self.gone))
        self.journal.publish(table, "settlement", self.now(), settlement(session, number, held))
        self.journal.holds(table, self.journal.newest_ns, SettledKey(DEVICE, session, number))
        self.open[self.journal.head.sequence] = table, session, number, held

    # ------------------------------------------------------------------ releases

    def let_go(self, entry: int) -> None:
        table, _, _, held = self.open.pop(entry)
        self.by_hand[table] += held
        self.released.append(entry)

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        entry = data.draw(st.sampled_from(sorted(self.open)))
        noted = self.journal.release(self.open[entry][0], entry, self.now(), "supervisor", 7, "paid")
        assert noted is not None
        assert noted.cents == self.open[entry][3]
        self.let_go(entry)

    @precondition(lambda self: self.released)
    @rule(data=st.data(), table=tables)
    def release_again(self, data: st.DataObject, table: str) -> None:
        entry = data.draw(st.sampled_from(self.released))
        assert self.journal.release(table, entry, self.now(), "supervisor", 7, "paid") is None

    @precondition(lambda self: self.open)
    @rule(data=st.data(), wrong=st.booleans())
    def release_by_command(self, data: st.DataObject, wrong: bool) -> None:
        entry = data.draw(st.sampled_from(sorted(self.open)))
        _, session, number, _ = self.open[entry]
        self.journal.close()
        given = ["journal", "release", str(self.journal.path), str(entry), "--session", session]
        given += ["--round", str(number + wrong), "--who", "A. Smith", "--badge", "7", "--why", "paid"]
        done = CliRunner().invoke(main, given)
        assert done.exit_code == int(wrong), done.output
        if not wrong:
            self.let_go(entry)
        self.enter()

    # ------------------------------------------------------------------ meters

    def at(self, table: str) -> RoundKey:
        session, number = self.next_round()
        return RoundKey(table, session, number)

    @rule(table=tables, wagers=st.integers(1, 10_000))
    def contribute(self, table: str, wagers: int) -> None:
        for record in self.bank.contribute(self.at(table), wagers):
            self.step(record)

    @rule(table=tables, meter=names, share=st.fractions(Fraction(1, 100), 1, max_denominator=100))
    def award(self, table: str, meter: str, share: Fraction) -> None:
        self.journal.commit()
        assert self.journal.altered(table) == ""
        for record in self.bank.pay(self.at(table), 1, meter, share):
            self.step(record)

    @rule(table=tables, meter=names, paid=st.integers(1, 200_000))
    def award_fixed(self, table: str, meter: str, paid: int) -> None:
        assert self.journal.altered(table) == "", "also while steps wait to be written"
        with suppress(MeterRefused):
            for record in self.bank.pay_fixed(self.at(table), 1, meter, paid):
                self.step(record)

    @rule(data=st.data())
    def void(self, data: st.DataObject) -> None:
        pays = [record.number for record in self.bank.records if record.kind == "paid"]
        if pays:
            with suppress(MeterRefused):
                self.step(self.bank.back_out(data.draw(st.sampled_from(pays)), 7, "a pay that was none"))

    @rule(meter=names, by=st.integers(-100_000, 100_000))
    def adjust(self, meter: str, by: int) -> None:
        with suppress(MeterRefused):
            self.step(self.bank.adjust(meter, by, 7, "counted"))

    @rule(table=tables, before=st.integers(0, 10**9), after=st.one_of(st.none(), st.integers(0, 10**9)))
    def own_meter(self, table: str, before: int, after: int | None) -> None:
        session, number = self.next_round()
        moved = {"name": "own", "before": before, "after": after}
        self.journal.publish(table, "settlement", self.now(), settlement(session, number, 0, meters=[moved]))
        self.journal.settled(table, self.journal.newest_ns, SettledKey(DEVICE, session, number))

    # ------------------------------------------------------------------ restarts

    @rule()
    def commit(self) -> None:
        self.journal.commit()

    @rule(table=tables)
    def start_over(self, table: str) -> None:
        self.journal.started(table, self.now(), "c")

    @rule(old=tables, new=tables)
    def rename(self, old: str, new: str) -> None:
        self.journal.stopped(old, self.now(), "it is no longer served")
        self.journal.started(new, self.now(), "c")

    @rule(shown=st.integers(1, 1100))
    def many_records(self, shown: int) -> None:
        """So that a balance is due."""
        for _ in range(shown):
            self.journal.publish(NAMES[0], "status", self.now(), "{}")
        self.journal.commit()

    @rule()
    def start_again(self) -> None:
        """Each start compares the tables of the file with the records."""
        self.journal.close()
        self.enter()

    # ------------------------------------------------------------------ what holds

    @invariant()
    def what_is_open_is_what_was_held_and_not_released(self) -> None:
        if not hasattr(self, "journal"):
            return
        books = self.journal.books
        found = {held.entry: (table, held.session, held.round, held.cents) for table, held in books.obligations.open}
        assert found == self.open
        for table in NAMES:
            due = sum(each[3] for each in self.open.values() if each[0] == table)
            assert books.obligations.held(table).cents == ({"USD": due} if due else {})
        for name, meter in self.bank.meters().items():
            assert books.meters.stands("", name, meter.cents) is None

    def teardown(self) -> None:
        if not hasattr(self, "journal"):
            return
        self.journal.close()
        try:
            self.balances(self.journal.path)
        finally:
            shutil.rmtree(self.folder)

    def balances(self, path: Path) -> None:
        with JournalReader(path) as reader:
            verify(reader)
            ledger = LedgerReader(reader)
            entries = list(ledger.entries())
            for record in reader.records():
                if record.payload[:1] == b"{":
                    json.loads(record.payload, parse_float=no_float)
        assert check_books(str(path)).endswith("are right")
        assert len({each.id for each in entries}) == len(entries)
        assert {type(each.cents) for each in entries} <= {int}
        assert all(each.cents >= 0 for each in entries)
        sums = {account: total for (account, _), total in ledger.sums.items()}
        assert sum(sums.values()) == 0
        for table in NAMES:
            due = sum(each[3] for each in self.open.values() if each[0] == table)
            assert (sums.get(f"held:{table}", 0), sums.get(f"hand:{table}", 0)) == (due, self.by_hand[table])
        for name, meter in self.bank.meters().items():
            assert sums[f"meter:{name}"] == meter.cents
            assert sums.get(f"reserve:{name}", 0) == meter.reserve_cents
        ids = [each.id for each in entries if each.id.startswith("released:")]
        assert sorted(ids) == sorted(f"released:{entry}" for entry in self.released)


def no_float(text: str) -> float:
    raise AssertionError(f"money is counted in whole cents: {text}")


TestHouse = House.TestCase
TestHouse.settings = settings(
    max_examples=40, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestHouse.pytestmark = [pytest.mark.more]
