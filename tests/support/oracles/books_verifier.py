"""The books of a journal rebuilt by an independent program, from `docs/journal.md` alone: it shares no code with
`dealwire`. The journal must never have been pruned. Size and root of its tree are left to `tree_verifier.py`.

`python tests/support/oracles/books_verifier.py FILE` prints the first balance that is wrong, or the number of balances
that are right.
"""

import hashlib
import json
import sqlite3
import sys
from typing import Any


def row_number(name: str, *columns: Any) -> int:
    data = name.encode()
    for column in columns:
        if isinstance(column, int):
            data += b"i" + column.to_bytes(8, "big")
        else:
            raw = column if isinstance(column, bytes) else column.encode()
            data += (b"b" if isinstance(column, bytes) else b"t") + len(raw).to_bytes(4, "big") + raw
    return int.from_bytes(hashlib.sha256(data).digest(), "big")


class Books:
    def __init__(self) -> None:
        self.rounds: dict[tuple[str, str, str], set[int]] = {}
        self.meters: dict[tuple[str, str], tuple[int, str]] = {}
        self.held: dict[int, tuple[Any, ...]] = {}
        self.last: dict[tuple[str, str, int], tuple[Any, ...]] = {}

    def take(self, sequence: int, at_ns: int, kind: str, table: str, payload: bytes, digest: bytes) -> None:
        if kind == "settlement":
            line = json.loads(payload)
            for meter in line.get("meters", []):
                after = "" if meter.get("after") is None else str(meter["after"])
                if meter.get("rolled") is not None:
                    after += " " + json.dumps(meter["rolled"], separators=(",", ":"))
                self.meters[table, meter["name"]] = sequence, after
            if line.get("pool") is not None:
                runners = {str(each["seat"]): each["after"] for each in line["pool"]["runners"] if each.get("after")}
                self.meters[table, "#runners"] = sequence, json.dumps(runners, separators=(",", ":"))
            cents = sum(seat.get("held", 0) for seat in line.get("seats", []))
            if cents and not line.get("again"):
                held = [each for each in line["lines"] if each["result"] == "held"]
                why = held[0]["why"] if held else line.get("why") or ""
                clause = held[0]["clause"] if held else ""
                readings = list(dict.fromkeys(each["reading"] for each in held if each.get("reading")))
                named = json.dumps(readings, separators=(",", ":"))
                money = at_ns, cents, line.get("currency", "USD"), why, clause, named
                self.last[table, line["session"], line["round"]] = money
        elif kind == "meter":
            self.meters["", json.loads(payload)["meter"]] = sequence, payload.decode()
        elif kind == "award" and (line := json.loads(payload))["kind"] == "closed" and line["meter"] is not None:
            self.meters[table, line["meter"]] = sequence, "0"
            self.meters[table, "#runners"] = sequence, "{}"
        elif kind in ("settled", "held"):
            device, session, number = json.loads(payload)
            if kind == "settled":
                self.rounds.setdefault((table, device, session), set()).add(number)
            money = self.last.pop((table, session, number), ())
            if money:
                self.held[sequence] = (sequence, table, device, session, number, *money, digest)
        elif kind == "released":
            del self.held[json.loads(payload)["entry"]]

    def balance(self) -> dict[str, Any]:
        held: dict[str, Any] = {}
        for row in self.held.values():
            there = held.setdefault(row[1], {"count": 0, "cents": {}})
            there["count"] += 1
            there["cents"][row[7]] = there["cents"].get(row[7], 0) + row[6]
        sums = {"settled": 0, "meter": 0, "obligation": 0}
        for (table, device, session), numbers in self.rounds.items():
            ends: list[int] = []
            for number in sorted(numbers):
                if ends and number == ends[-1] + 1:
                    ends[-1] = number
                else:
                    ends += [number, number]
            sums["settled"] += row_number("settled", table, device, session, *ends)
        for key, found in self.meters.items():
            sums["meter"] += row_number("meter", *key, *found)
        for row in self.held.values():
            sums["obligation"] += row_number("obligation", *row)
        meters = [[*key, *found] for key, found in sorted(self.meters.items())]
        digests = {name: f"{total % 2**256:064x}" for name, total in sums.items()}
        return {"held": held, "meters": meters, "digests": digests}


def check_books(path: str) -> str:
    db, books, right = sqlite3.connect(f"file:{path}?mode=ro", uri=True), Books(), 0
    tree: dict[str, Any] | None = None
    try:
        rows = db.execute("SELECT sequence, at_ns, kind, tbl, payload, hash FROM record ORDER BY sequence")
        for sequence, at_ns, kind, table, payload, digest in rows:
            if kind == "log":
                tree = {"tree": sequence, **{name: json.loads(payload)[name] for name in ("origin", "key")}}
            elif kind == "salvaged":
                tree = None
            elif kind == "balance":
                noted = json.loads(payload)
                log = noted.pop("log", None)  # files of version 3 have no such key
                named = {name: log[name] for name in ("tree", "origin", "key")} if log is not None else None
                if noted != books.balance() or named != tree:
                    return f"balance {sequence} is wrong"
                right += 1
            books.take(sequence, at_ns, kind, table, payload, digest)
        return f"{right} balances are right"
    finally:
        db.close()


if __name__ == "__main__":
    print(check_books(sys.argv[1]))
