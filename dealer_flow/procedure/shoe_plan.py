"""The `[shoe]` table of a procedure made ready to be asked: every option chosen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.shoe_checks import SUIT_COLUMNS
from dealer_flow.procedure.tables import ShoePart
from protocol.cards import CARDS, DECK, Card

_COLUMN_OF: Final = {letter: name for name, letter in SUIT_COLUMNS.items()}


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
