"""A table restored at every moment between two rounds, and compared with the one that was never stopped."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

import msgspec

from dealwire.journal.tables import JournaledPublisher
from dealwire.table.redaction import PublishedLine
from dealwire.table.state import PublisherState
from devices.events import Seen
from rules.meters.bank import MeterBank

Make = Callable[[MeterBank | None], JournaledPublisher]
"""Makes a new table, at the given bank if it shares one."""


class Moment(NamedTuple):
    """State after a report: its lines, the state on disk (empty while a round is under way), and the view."""

    lines: list[PublishedLine]
    state: bytes
    view: str


def after(publisher: JournaledPublisher, seen: Seen) -> Moment:
    """Return the result of one report."""
    lines = publisher.publish(seen)
    publisher.table.newly_held.clear()  # as whoever writes them down does
    state = publisher.state()
    view = publisher.viewer.view(seen.number, seen.at_ns).model_dump_json()
    return Moment(lines, msgspec.json.encode(state) if state is not None else b"", view)


def put_back(make: Make, state: bytes, first: JournaledPublisher) -> JournaledPublisher:
    """Return a new table that resumes from a state on disk. Everything that has records of its own is as in `first`:
    the bank, the settled rounds, and the held money."""
    bank = bank_of(first)
    publisher = make(type(bank).restore(bank.setup, bank.records) if bank is not None else None)
    publisher.table.remember(deepcopy(first.table._once))
    publisher.restore(msgspec.json.decode(state, type=PublisherState))
    money, held = publisher.viewer._money, first.viewer._money
    money._own = held._own
    for each in held.held:
        money.held.add(each)
    return publisher


def bank_of(publisher: JournaledPublisher) -> MeterBank | None:
    """Return the bank that a table shares; None if its meters are its own."""
    return publisher.table.terms.shared if publisher.table.terms is not None else None


def check_every_rest(make: Make, reports: Sequence[Seen]) -> int:
    """Check a copy restored from the disk's bytes at each moment between rounds; return the number of copies.

    Until the next round has ended, and for a report at least, a copy must give what the first table gives and leave the
    same bytes. After its first report and at its end, every part of it must equal the first table's. Everything later
    follows from that.
    """
    first, copies, made = make(None), list[JournaledPublisher](), 0
    before = b""
    for seen in reports:
        moment = after(first, seen)
        ended = any(line.topic == "round" for line in moment.lines)
        for index, copy in enumerate(copies):
            assert after(copy, seen) == moment, seen
            unlike = list(differences(first, copy)) if ended or (before and index == len(copies) - 1) else []
            assert not unlike, (seen, unlike)
        copies = [] if ended else copies
        if moment.state and moment.state != before:
            copies.append(put_back(make, moment.state, first))
            made += 1
        before = moment.state
    return made


# ---------------------------------------------------------------------- two graphs of objects

OF_THE_REPORT = {"heard"}
"""Attributes of the report that is being processed; nothing reads them afterwards."""
MEMOS = {"_least", "_rankings", "_agreed", "_bets", "_stood", "_rules", "quiet_until_ns"}
"""Attributes that the terms, the game or another compared attribute decides, cached once they were needed: an object
that has not needed one yet has no value."""


def differences(one: Any, other: Any) -> Iterator[str]:
    """Yield each difference between two tables, at any depth: every attribute of every object that either holds."""
    yield from _differences(one, other, type(one).__name__, set())


def _differences(one: Any, other: Any, where: str, known: set[tuple[int, int]]) -> Iterator[str]:
    if one is other or (id(one), id(other)) in known:
        return
    known.add((id(one), id(other)))
    if isinstance(one, str) and isinstance(other, str):  # a word of a device may be a name of ours
        yield from [] if one == other else [f"{where}: {one!r} and {other!r}"]
    elif type(one) is not type(other):
        yield f"{where}: {one!r} and {other!r}"
    elif isinstance(one, dict):
        if one.keys() != other.keys():
            yield f"{where}: keys {one.keys() ^ other.keys()}"
        for key in one.keys() & other.keys():
            yield from _differences(one[key], other[key], f"{where}[{key!r}]", known)
    elif isinstance(one, list | tuple | deque):
        if len(one) != len(other):
            yield f"{where}: {len(one)} and {len(other)}"
        for index, (left, right) in enumerate(zip(one, other, strict=False)):
            yield from _differences(left, right, f"{where}[{index}]", known)
    elif held := _held(one):
        for name in held:
            missing = object()
            left, right = getattr(one, name, missing), getattr(other, name, missing)
            if left is missing or right is missing:
                yield f"{where}.{name}: only one has it"
            else:
                yield from _differences(left, right, f"{where}.{name}", known)
    elif not callable(one) and one != other:
        yield f"{where}: {one!r} and {other!r}"


def _held(value: Any) -> list[str]:
    """Return the attributes of an object of ours; a leaf has none. The library's machine holds nothing that a report
    changes."""
    if type(value).__module__.partition(".")[0] not in ("dealer_flow", "dealwire", "rules", "devices", "tests"):
        return []
    if type(value).__name__ == "GuardedMachine":
        return []
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    held = [*slots, *getattr(value, "__struct_fields__", ()), *getattr(value, "__dict__", {})]
    return [name for name in dict.fromkeys(held) if not name.startswith("__") and name not in OF_THE_REPORT | MEMOS]
