"""A game whose cards are drawn into columns: its columns, its end, the words of its options."""

from collections.abc import Iterator
from typing import Final

from dealer_flow.procedure.complaints import Complaint, option_faults, unknown_option, values_of
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.tables import SUIT_COLUMNS, ShoePart

EXTRA: Final = ("when-bet", "always", "never")
"""When the extra card is drawn. `when-bet`: when a bet that rests on it was made."""
UNREAD_BY: Final = ("supervisor", "dealer", "anyone")
"""Who may name a card the shoe did not read. `supervisor`: a supervisor's or executive's badge; `dealer`: any badge."""
OVERDRAW: Final = ("note", "unreliable")
"""What a card drawn after the end means."""
CUT_CARD: Final = ("finish-race", "one-more-race", "play-on")
"""What may still be dealt once the cut card is out. `play-on`: whatever the shoe holds."""


def shoe_faults(procedure: Procedure, shoe: ShoePart) -> Iterator[Complaint]:
    """Tables of a game of steps, and what the shoe's own tables cannot be."""
    given = {"hand": procedure.hand, "decision": procedure.decision, "wrong": procedure.wrong}
    for name in [name for name, rows in given.items() if rows]:
        yield (name,), "belongs to a game of steps; this one is drawn from a shoe"
    if procedure.remainder is not None:
        yield ("remainder",), "belongs to a game of steps; this one is drawn from a shoe"
    yield from _column_faults(shoe)
    yield from _option_faults(procedure, shoe)
    names = [bet.name for bet in procedure.bet if bet.placed == "before-deal"]
    if shoe.extra and shoe.extra.moves_from not in names:
        yield (
            ("shoe", "extra", "moves-from"),
            f"no bet {shoe.extra.moves_from!r} placed before-deal; allowed: {', '.join(names)}",
        )


def _column_faults(shoe: ShoePart) -> Iterator[Complaint]:
    names = shoe.columns.names
    if shoe.columns.by == "suit" and sorted(names) != sorted(SUIT_COLUMNS):
        yield ("shoe", "columns", "names"), f"by suit they are {', '.join(SUIT_COLUMNS)}, in any order"
    if len(set(names)) != len(names):
        yield ("shoe", "columns", "names"), "each name once"
    sizes = {end.when: end.cards for end in shoe.end}
    if len(sizes) != len(shoe.end):
        yield ("shoe", "end"), "one end by column and one by all, at most"
    if shoe.extra and "all" not in sizes:
        yield ("shoe", "end"), "an extra card follows an end by all; there is none"
    if "column" in sizes and sizes.get("all", 0) > len(names) * (sizes["column"] - 1):
        most = len(names) * (sizes["column"] - 1)
        yield ("shoe", "end"), f"{sizes['all']} cards without {sizes['column']} in a column cannot be; at most {most}"


def _option_faults(procedure: Procedure, shoe: ShoePart) -> Iterator[Complaint]:
    options, decks, key = procedure.option, shoe.decks.option, ("shoe", "decks", "option")
    values = values_of(options, decks)
    if values is None:
        yield key, unknown_option(options, decks)
    elif not all(value.isdecimal() and 1 <= int(value) <= 16 for value in values):
        yield key, f"option {decks!r} must choose between numbers of decks, 1 to 16"
    named = {
        "unread": (shoe.unread.option, UNREAD_BY),
        "overdraw": (shoe.overdraw.option, OVERDRAW),
        "cut-card": (shoe.cut_card.option, CUT_CARD),
    }
    if shoe.extra:
        named["extra"] = (shoe.extra.option, EXTRA)
    for table, (name, words) in named.items():
        yield from option_faults(("shoe", table, "option"), name, words, options)
