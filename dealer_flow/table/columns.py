"""Cards drawn one at a time into columns: the column of each, the end of the race, and cards that were not read.

Everything follows from the order of the cards, so a card named late has the same effect as one read at once.
"""

from dataclasses import dataclass, field

from dealer_flow.procedure.plan import ShoePlan
from dealer_flow.record.result import Finish, Named
from protocol.cards import UNREAD, Card


@dataclass(slots=True)
class Draw:
    """Cards of one round. `cards` includes the extra card; `overdrawn` are those that came after the end."""

    plan: ShoePlan
    cards: list[Card] = field(default_factory=list)
    overdrawn: list[Card] = field(default_factory=list)
    burned: list[Card] = field(default_factory=list)
    """Cards that left the shoe before the round and play no part in it."""
    named: list[Named] = field(default_factory=list)
    extra: bool = False
    """True if the last of `cards` is the extra card."""

    @property
    def unread(self) -> int | None:
        """Position, from 1, of the first card that waits to be named; None if there is none."""
        return self.cards.index(UNREAD) + 1 if UNREAD in self.cards else None

    @property
    def end(self) -> Finish | None:
        """End of the race before any extra card; None while it continues or a card is unknown."""
        held = dict.fromkeys(self.plan.columns, 0)
        for position, card in enumerate(self.cards, 1):
            column = self.plan.column(card, position)
            if card == UNREAD or column is None:
                return None
            held[column] += 1
            if held[column] == self.plan.column_end:
                return Finish(position, column)
            if position == self.plan.all_end:
                return Finish(position, None)
        return None

    @property
    def finish(self) -> Finish | None:
        """End of the race, by the extra card if one was drawn and is known."""
        if not self.extra:
            return self.end
        column = self.plan.column(self.cards[-1], len(self.cards))
        return None if UNREAD in self.cards or column is None else Finish(len(self.cards), column)

    @property
    def extra_may_come(self) -> bool:
        """True after an end by all the cards, until the extra card is out."""
        end = self.end
        return end is not None and end.column is None and self.plan.extra != "never" and not self.extra

    def columns(self) -> dict[str, tuple[Card, ...]]:
        """Return the cards by column. A card that was not read is in no column by suit."""
        lying: dict[str, list[Card]] = {name: [] for name in self.plan.columns}
        for position, card in enumerate(self.cards, 1):
            column = self.plan.column(card, position)
            if column is not None:
                lying[column].append(card)
        return {name: tuple(cards) for name, cards in lying.items()}

    def add(self, card: Card, *, extra_due: bool) -> bool:
        """Take the next card; False if it is one too many. `extra_due` allows the extra card."""
        if self.end is None:
            self.cards.append(card)
        elif extra_due and self.extra_may_come:
            self.cards.append(card)
            self.extra = True
        else:
            self.overdrawn.append(card)
            return False
        return True

    def name(self, card: Card, badge: int, level: str) -> list[Card]:
        """Name the first unread card, and return the cards that turn out to have come after the end."""
        position = self.cards.index(UNREAD) + 1
        self.cards[position - 1] = card
        self.named.append(Named(position, card.text, badge, level))
        end = self.end
        if end is None or self.extra:
            return []
        late = self.cards[end.cards :]
        del self.cards[end.cards :]
        self.overdrawn += late
        return late
