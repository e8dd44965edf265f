"""A journal put together from the files of its days, and its ledger checked against the rounds replayed from it.

The results of the rounds are added up here from the lines that the raw record gives, without code of the product's
ledger: held and released money, and the balances of players, house, meters and reserves.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from dealwire.hub.lines import Publication

TOPICS: Final = ("round", "settlement", "meter", "award")
_NOTHING_BEFORE: Final = bytes(32)
Sums = dict[str, int]


def put_together(journal: Path, days: Iterable[Path], into: Path) -> None:
    """Copy `journal` to `into`, with every record that was removed from it and is in a day's file, as though nothing
    had been pruned."""
    with contextlib.closing(sqlite3.connect(journal)) as source, contextlib.closing(sqlite3.connect(into)) as db:
        source.backup(db)
        (pruned,) = db.execute("SELECT sequence FROM anchor").fetchone()
        for day in sorted(days):
            db.execute("ATTACH ? AS day", (str(day),))
            db.execute("INSERT INTO record SELECT * FROM day.record WHERE sequence <= ?", (pruned,))
            db.commit()
            db.execute("DETACH day")
        db.execute("UPDATE anchor SET sequence = 0, hash = ?", (_NOTHING_BEFORE,))
        db.commit()


@dataclass(slots=True)
class DealtAgain:
    """Totals of a whole journal, replayed from its raw record: pass every replayed line to `take`, in order."""

    table: str
    lines: Counter[str] = field(default_factory=Counter)
    held: dict[tuple[str, int], int] = field(default_factory=dict)
    """Cents by session and round."""
    sums: Sums = field(default_factory=lambda: defaultdict(int))
    """Cents by account."""
    meters: dict[str, int] = field(default_factory=dict)
    """Amount of each shared meter, in cents."""
    own: Counter[str] = field(default_factory=Counter)
    """Cents that each meter gained, according to the settlements."""
    steps: list[int] = field(default_factory=list)
    awards: int = 0

    def take(self, item: Publication) -> None:
        """Add one line."""
        self.lines[item.topic] += 1
        line = json.loads(item.line)
        if item.topic == "settlement":
            self._settled(line)
        elif item.topic == "meter":
            self._moved(line)
        elif item.topic == "award":
            self.awards += line["kind"] == "awarded"

    def _settled(self, line: dict[str, Any]) -> None:
        net, table = line["totals"]["players"], self.table
        self._move(f"house:{table}", f"players:{table}", net)
        cents = sum(seat["held"] for seat in line["seats"])
        if cents:
            self.held[line["session"], line["round"]] = cents
            self._move(f"players:{table}", f"held:{table}", cents)
        for meter in line["meters"]:
            self.own[meter["name"]] += meter["contributed"] - meter["paid"] + (meter["reseeded"] or 0)

    def _moved(self, line: dict[str, Any]) -> None:
        meter = line["meter"]
        self.steps.append(line["number"])
        self.meters[meter] = line["meter_cents"]
        self.sums["players"] += line["to_players"]
        self.sums["house"] += line["to_house"]
        self.sums[f"meter:{meter}"] += line["to_meter"]
        self.sums[f"reserve:{meter}"] += line["to_reserve"]

    def accounts(self) -> Sums:
        """Return cents by account, including the table's own meters; the steps of shared meters have what settlements
        say of them."""
        found = self.sums.copy()
        for name, cents in self.own.items():
            if name not in self.meters:
                found[f"house:{self.table}"] -= cents
                found[f"meter:{self.table}/{name}"] += cents
        return found

    def _move(self, debit: str, credit: str, cents: int) -> None:
        self.sums[debit] -= cents
        self.sums[credit] += cents

    def release(self, released: Iterable[tuple[str, int, int]]) -> Iterator[str]:
        """Apply releases of held money by hand, each as session, round and cents; yield those whose round held nothing
        or another amount."""
        for session, number, cents in released:
            if self.held.pop((session, number), None) != cents:
                yield f"{cents} cents of round {number}, session {session}, were released; dealt again it held others"
            self._move(f"held:{self.table}", f"hand:{self.table}", cents)


def ledger_differs(dealt: DealtAgain, said: Sequence[dict[str, Any]], rows: Callable[[str], set[Any]]) -> Iterator[str]:
    """Yield each difference between the replay and the product's ledger (`said`: the output of `dealwire journal
    obligations --json`) or the tables of the journal (`rows` returns the rows of one table)."""
    entries = [each for each in said if each["type"] == "entry"]
    kinds = Counter(each["id"].partition(":")[0] for each in entries)
    if len({each["id"] for each in entries}) != len(entries):
        yield "an id of the ledger comes twice"
    if kinds["settled"] != dealt.lines["settlement"]:
        yield f"{kinds['settled']} rounds are settled in the ledger, {dealt.lines['settlement']} as dealt again"
    accounts = {each["account"]: each["cents"] for each in said if each["type"] == "account"}
    if sum(accounts.values()):
        yield f"the accounts of the ledger come to {sum(accounts.values())} cents"
    sums = dealt.accounts()
    for name in sorted(accounts.keys() | sums.keys()):
        if accounts.get(name, 0) != sums.get(name, 0):
            yield f"{name}: {accounts.get(name, 0)} cents in the ledger, {sums.get(name, 0)} as dealt again"
    open_ = {(row[3], row[4]): row[6] for row in rows("obligation")}
    if open_ != dealt.held:
        yield f"{sorted(open_.items() ^ dealt.held.items())[:5]} are open in the file or as dealt again alone"
    for owner, name, _, line in rows("meter"):
        step = json.loads(line) if not owner else {"kind": "opened"}  # a table's own are in its settlements
        if (step["kind"] != "opened" or (not owner and name in dealt.meters)) and step.get(
            "meter_cents"
        ) != dealt.meters.get(name):
            yield f"meter {name}: {line} in the file, {dealt.meters.get(name)} cents as dealt again"
    opened = len(dealt.meters)  # a step each, made when the books were opened, before anything was dealt
    if dealt.steps != list(range(opened + 1, opened + len(dealt.steps) + 1)):
        yield "the steps of the meters, as dealt again, do not follow each other"


def days_differ(said: Sequence[dict[str, Any]], folders: Sequence[Path], pruned: int) -> Iterator[str]:
    """Yield the days whose copies differ from the ledger.

    These are days that the ledger reports as copied and that are not at the named place with that hash, and days that
    were removed from the journal, up to record `pruned`, without such a report for every folder. A copy that the ledger
    does not mention yet was being made when its service was killed.
    """
    told = {each["cause"] for each in said if each["type"] == "entry" and each["id"].startswith("day:")}
    here = {}
    for file in (file for folder in folders for file in folder.glob("*.journal")):
        copied = f"was copied to {file}, SHA-256 {hashlib.sha256(file.read_bytes()).hexdigest()}"
        here[file] = any(cause.endswith(copied) for cause in told)
    if len(told) != sum(here.values()):
        yield f"{len(told)} copies of days are in the ledger, {sum(here.values())} of them lie where it says"
    for file, known in here.items():
        if not known and int(file.stem.rpartition("-")[2]) <= pruned:
            yield f"{file.name} in {file.parent.name} was pruned, and the ledger knows nothing of that copy"
