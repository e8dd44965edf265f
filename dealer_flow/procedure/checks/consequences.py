"""Checks on consequences: a wrong hand, a strange card, a misdeal or a device's fault."""

from collections.abc import Iterator
from typing import Final, get_args

from dealer_flow.procedure.checks.steps import dealt_to
from dealer_flow.procedure.complaints import (
    Complaint,
    tables_in,
    unknown_bets,
    unknown_option,
    values_of,
)
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.tables import Consequence, Then, WrongPart
from protocol.faults import CLASSES, Fault
from protocol.tomlfile import Key

THENS: Final[tuple[str, ...]] = get_args(Then)


def wrong_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield places that get cards without a row for too few and too many, and errors of rows."""
    steps = dealt_to(procedure)
    for index, row in enumerate(procedure.wrong):
        yield from _row_faults(procedure, ("wrong", index), row, steps)
    for place, names in steps.items():
        for how in ("short", "long"):
            rows = [row for row in procedure.wrong if row.of == place and how in row.how and (row.missing or 1) == 1]
            bare = [name for name in names if not any(not row.at or name in row.at for row in rows)]
            if bare:
                yield ("wrong",), f"missing: a row of {place!r} for {how!r}, cards of step {bare[0]!r}"
    if procedure.remainder is not None and procedure.remainder.cards is not None:
        for how in ("short", "long"):
            if not any(row.of == "remainder" and how in row.how for row in procedure.wrong):
                yield ("wrong",), f"missing: a row of 'remainder' for {how!r}, since its number is exact"


def _row_faults(procedure: Procedure, key: Key, row: WrongPart, steps: dict[str, list[str]]) -> Iterator[Complaint]:
    """Yield the errors of one row."""
    places = [*steps, "remainder"] if procedure.remainder else [*steps]
    if row.of not in places:
        yield (*key, "of"), f"{row.of!r} gets no cards; allowed: {', '.join(places)}"
        return
    for name in row.at:
        if name not in steps.get(row.of, ()):
            allowed = ", ".join(steps.get(row.of, ())) or "none"
            yield (*key, "at"), f"{name!r} gives no cards to {row.of!r}; allowed: {allowed}"
    players = [hand.name for hand in procedure.hand if hand.side == "players"]
    thens = _thens(procedure, row)
    if "dead-hand" in thens and row.of not in ("seats", *players):
        others = ", ".join(then for then in THENS if then != "dead-hand")
        yield (*key, row.decides), f"{row.of!r} is not a player's hand that could be dead; allowed: {others}"
    if row.missing is not None and "short" not in row.how:
        yield (*key, "missing"), 'only for a hand that is short: how = ["short"]'
    if (next_ := _NEXT & thens) and "long" in row.how:
        yield (*key, row.decides), f"{min(next_)!r} gives a hand its next card, but a long hand has too many"
    if row.dealt_out_when is not None and not row.dealt_out:
        yield (*key, "dealt-out-when"), "only for a hand that is dealt out: give 'dealt-out', too"
    if row.dealt_out and "dead-hand" not in thens:
        yield (*key, "dealt-out"), "only for a hand that is dead"
    if thens & {"kept", "set-aside", "bury"} and row.how != ("early",):
        yield (*key, row.decides), 'only for a card that is dealt too early: how = ["early"]'
    if "stays-open" in thens and row.how != ("exposed",):
        yield (*key, row.decides), 'only for a card that was seen: how = ["exposed"]'
    if (own := thens & {"bury", "stays-open"}) and (row.of != "seats" or procedure.betting is None):
        yield (
            (*key, row.decides),
            f"{min(own)!r} is for players who bet against each other: of = 'seats', and [betting]",
        )


_NEXT: Final = frozenset({"complete", "replace", "set-aside", "kept", "bury"})
"""Consequences that use the next card of the device, one at a time."""


def _thens(procedure: Procedure, row: Consequence) -> set[str]:
    """Return every value that the consequence may have."""
    if row.then is not None:
        return {row.then}
    return {*(values_of(procedure.option, row.option) or ())}


def consequence_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield errors of consequences: exactly one of `then` and `option`, a device that has the next card, bets that
    exist."""
    bets = [bet.name for bet in procedure.bet]
    bets += [choice.gives_up.as_ for choice in procedure.decision if choice.gives_up is not None]
    rows = ((key, table) for key, table in tables_in(procedure) if isinstance(table, Consequence))
    for key, row in rows:
        if (row.then is None) == (row.option is None):
            yield key, "give exactly one of 'then' and 'option'"
        elif row.option is not None and values_of(procedure.option, row.option) is None:
            yield (*key, "option"), unknown_option(procedure.option, row.option)
        elif (next_ := _NEXT & _thens(procedure, row)) and (
            procedure.device == "packet-shuffler" or not procedure.step
        ):
            why = f"{min(next_)!r} takes the next card, which only a card-shoe or a dealer's hand gives"
            yield (*key, row.decides), why
        elif not _thens(procedure, row) <= set(THENS):
            why = f"option {row.option!r} does not choose between consequences; allowed: {', '.join(THENS)}"
            yield (*key, "option"), why
        yield from _returns_faults(key, row, bets)
    if (procedure.misdeal.until is None) == (procedure.misdeal.option is None):
        yield ("misdeal",), "give exactly one of 'until' and 'option'"
    yield from unknown_bets(("misdeal", "returns"), procedure.misdeal.returns or (), bets)


def _returns_faults(key: Key, row: Consequence, bets: list[str]) -> Iterator[Complaint]:
    """Yield unknown bets among those that go back, and keys that require `returns`."""
    yield from unknown_bets((*key, "returns"), row.returns or (), bets)
    yield from unknown_bets((*key, "also"), row.also, bets)
    if row.also and row.returns is None and row.returns_when is None:
        yield (*key, "also"), "in addition to the bets of 'returns': give it, too"
    if row.also_when is not None and not row.also:
        yield (*key, "also-when"), "only for further bets that go back: give 'also', too"


def fault_rows(procedure: Procedure) -> Iterator[Complaint]:
    """Yield errors of rows on device faults: exactly one fault or class, which must exist."""
    names = [fault.name.lower().replace("_", "-") for fault in Fault if fault]
    for index, fault in enumerate(procedure.fault):
        if (fault.name is None) == (fault.class_ is None):
            yield ("fault", index), "give exactly one of 'class' and 'name'"
        elif fault.name is not None and fault.name not in names:
            yield ("fault", index, "name"), f"no fault {fault.name!r}; known: {', '.join(names)}"
        elif fault.class_ is not None and fault.class_ not in CLASSES.values():
            yield ("fault", index, "class"), f"no class {fault.class_!r}; known: {', '.join(CLASSES.values())}"
