"""Games whose cards are drawn into columns: what a `[shoe]` table must satisfy, and its plan."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps import Complaint
from dealer_flow.procedure.tables import ShoePart
from protocol.cards import CARDS, DECK, Card

SUIT_COLUMNS: Final = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}
"""Column of a suit -> the suit's letter."""
_COLUMN_OF: Final = {letter: name for name, letter in SUIT_COLUMNS.items()}
EXTRA: Final = ("when-bet", "always", "never")
"""When the extra card is drawn. `when-bet`: when a bet that rests on it was made."""
UNREAD_BY: Final = ("supervisor", "dealer", "anyone")
"""Who may name a card the shoe did not read. `supervisor`: a supervisor's or executive's badge; `dealer`: any badge."""
OVERDRAW: Final = ("note", "unreliable")
"""What a card drawn after the end means."""
CUT_CARD: Final = ("finish-race", "one-more-race", "play-on")
"""What may still be dealt once the cut card is out. `play-on`: whatever the shoe holds."""


def shoe_faults(procedure: Procedure, shoe: ShoePart) -> Iterator[Complaint]:
    """Key and complaint, for everything that does not fit."""
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
    options = {option.name: option for option in procedure.option}
    asked: dict[str, tuple[str, tuple[str, ...] | None]] = {
        "decks": (shoe.decks.option, None),
        "unread": (shoe.unread.option, UNREAD_BY),
        "overdraw": (shoe.overdraw.option, OVERDRAW),
        "cut-card": (shoe.cut_card.option, CUT_CARD),
    }
    if shoe.extra:
        asked["extra"] = (shoe.extra.option, EXTRA)
    for table, (name, known) in asked.items():
        key = ("shoe", table, "option")
        if name not in options:
            yield key, f"no option {name!r}; known: {', '.join(options)}"
        elif known is None:
            if not all(value.isdecimal() and 1 <= int(value) <= 16 for value in options[name].allowed):
                yield key, f"option {name!r} must choose between numbers of decks, 1 to 16"
        elif not set(options[name].allowed) <= set(known):
            yield key, f"option {name!r} may choose between {', '.join(known)}"


@dataclass(frozen=True, slots=True)
class ShoePlan:
    """How cards are drawn, where each goes, and when it is over. `faces` are the cards of one deck."""

    part: ShoePart
    decks: int
    faces: tuple[Card, ...]
    columns: tuple[str, ...]
    by_suit: bool
    column_end: int | None
    all_end: int | None
    extra: str
    moves_from: str | None
    moved: frozenset[str]
    """Bets that money may be moved to before the extra card."""
    unread_by: str
    overdraw: str
    cut_card: str

    @property
    def loaded(self) -> int:
        """Cards of a whole shoe."""
        return self.decks * len(self.faces)

    def column(self, card: Card, position: int) -> str | None:
        """Where the card drawn at `position`, from 1, goes; None for a card that has no suit."""
        if self.by_suit:
            return _COLUMN_OF.get(card.suit or "")
        return self.columns[(position - 1) % len(self.columns)]


def shoe_plan(procedure: Procedure, options: Mapping[str, str]) -> ShoePlan | None:
    """The plan of a game drawn from a shoe; None for a game of packets."""
    part = procedure.shoe
    if part is None:
        return None
    jokers = tuple(CARDS[0x51 + number] for number in range(procedure.deck.jokers))
    ends = {end.when: end.cards for end in part.end}
    return ShoePlan(
        part=part,
        decks=int(options[part.decks.option]),
        faces=DECK + jokers,
        columns=part.columns.names,
        by_suit=part.columns.by == "suit",
        column_end=ends.get("column"),
        all_end=ends.get("all"),
        extra=options[part.extra.option] if part.extra else "never",
        moves_from=part.extra.moves_from if part.extra else None,
        moved=frozenset(bet.name for bet in procedure.bet if bet.placed == "before-extra"),
        unread_by=options[part.unread.option],
        overdraw=options[part.overdraw.option],
        cut_card=options[part.cut_card.option],
    )
