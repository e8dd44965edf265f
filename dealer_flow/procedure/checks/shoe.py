"""Checks on a game whose cards are drawn into columns: its columns, its end, the values of its options."""

from collections.abc import Iterator

from dealer_flow.procedure.complaints import Complaint, unknown_option, values_of
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.tables import SUIT_COLUMNS, ShoePart


def shoe_faults(procedure: Procedure, shoe: ShoePart) -> Iterator[Complaint]:
    """Yield tables that belong to a game of steps, and errors of the shoe's own tables."""
    given = {"hand": procedure.hand, "decision": procedure.decision, "wrong": procedure.wrong}
    for name in [name for name, rows in given.items() if rows]:
        yield (name,), "only for a game of steps; this one is drawn from a shoe"
    if procedure.remainder is not None:
        yield ("remainder",), "only for a game of steps; this one is drawn from a shoe"
    yield from _column_faults(shoe)
    yield from _deck_faults(procedure, shoe)
    names = [bet.name for bet in procedure.bet if bet.placed == "before-deal"]
    if shoe.extra and shoe.extra.moves_from not in names:
        yield (
            ("shoe", "extra", "moves-from"),
            f"no bet {shoe.extra.moves_from!r} placed before-deal; allowed: {', '.join(names)}",
        )


def _column_faults(shoe: ShoePart) -> Iterator[Complaint]:
    names = shoe.columns.names
    if shoe.columns.by == "suit" and sorted(names) != sorted(SUIT_COLUMNS):
        yield ("shoe", "columns", "names"), f"by suit they must be {', '.join(SUIT_COLUMNS)}, in any order"
    if len(set(names)) != len(names):
        yield ("shoe", "columns", "names"), "a name may occur only once"
    sizes = {end.when: end.cards for end in shoe.end}
    if len(sizes) != len(shoe.end):
        yield ("shoe", "end"), "at most one end by column and one by all"
    if shoe.extra and "all" not in sizes:
        yield ("shoe", "end"), "an extra card follows an end by all; there is none"
    if "column" in sizes and sizes.get("all", 0) > len(names) * (sizes["column"] - 1):
        most = len(names) * (sizes["column"] - 1)
        yield (
            ("shoe", "end"),
            f"{sizes['all']} cards without {sizes['column']} in a column are impossible; at most {most}",
        )


def _deck_faults(procedure: Procedure, shoe: ShoePart) -> Iterator[Complaint]:
    options, decks, key = procedure.option, shoe.decks.option, ("shoe", "decks", "option")
    values = values_of(options, decks)
    if values is None:
        yield key, unknown_option(options, decks)
    elif not all(value.isdecimal() and 1 <= int(value) <= 16 for value in values):
        yield key, f"option {decks!r} must choose between numbers of decks, 1 to 16"
