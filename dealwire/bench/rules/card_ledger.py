"""Card ledger of a round: `DealBook` fed with the device's messages, and the text of its contradictions."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

from dealer_flow.table.deal_book import Contradiction, DealBook, MisdealRecord
from protocol.tdp import messages as m

UNKNOWN = 0xFFFF
"""Value in a misdeal record: the remainder was not counted."""
_WORDS: Final = {
    "record-rejected": "the misdeal record has {stated} rejected, the events had {known}",
    "record-loaded": "the misdeal record has {stated} loaded, {known} were counted",
    "record-remainder": "the misdeal record has a remainder of {stated}; the events had {known}",
    "record-sum": "{known} loaded; packets, remainder and reject tray hold {stated}",
    "in-tray": "in_tray is {stated}; the events before say {known}",
}


@dataclass(slots=True)
class Book(DealBook):
    """Card ledger of one round of a shuffler on the bench."""

    whole_tray: bool = True
    ended: bool = False
    """True after the remainder was lifted or the deck removed."""
    ready: int = 0
    """Cards counted in the deck that is dealt next; 0 if unknown."""

    @classmethod
    def of(cls, events: Iterable[m.Event]) -> Self:
        """Return the ledger of the last round in `events`."""
        book = cls()
        for event in events:
            book.enter(event)
        return book

    @property
    def under_way(self) -> bool:
        """True if the round has a packet and has not ended."""
        return bool(self.packets) and not self.ended

    def enter(self, event: m.Event) -> None:
        """Add an event."""
        match event:
            case m.DeckVerifiedMessage(counted=counted):
                self.ready = counted
            case m.PacketDispensedMessage(ordinal=1, deck=deck, expected=expected, counted=counted):
                rejected = self.rejected if not self.packets else 0
                self.deck, self.loaded, self.ready = deck, self.ready, 0
                self.verified = bool(self.loaded)
                self.packets, self.lifted = [(expected, counted)], 0
                self.rejected, self.remainder, self.ended = rejected, None, False
            case m.PacketDispensedMessage(expected=expected, counted=counted):
                self.packets.append((expected, counted))
            case m.PacketLiftedMessage():
                self.lifted += 1
            case m.CardRejectedMessage():
                self.rejected = self.rejected + 1 if not self.ended else 1
                if self.ended:
                    self.packets, self.ended = [], False
            case m.RemainderDumpedMessage(expected=expected, counted=counted):
                self.remainder = expected, counted
            case m.RemainderLiftedMessage() | m.DeckRemovedMessage():
                self.ended = True

    def wrong(self, missing: int = 0) -> str:
        """Return the error in the remainder, from which `missing` cards were lost; empty if the count is right."""
        if self.remainder is None:
            return "no remainder was reported"
        expected, counted = self.remainder
        if self.loaded and expected not in self.right:
            return (
                f"{self.loaded} loaded, {self.dealt} dealt, {self.rejected} rejected: "
                f"the remainder's expected count is {expected}"
            )
        if counted != expected - missing:
            return f"the remainder counts {counted} where {expected - missing} must be"
        return ""

    def differs(self, record: m.MisdealMessage, missing: int | None = 0) -> str:
        """Return the difference between a misdeal record and the events, empty if there is none. `missing` is the
        number of lost cards, None if unknown. A record of a finished round is only checked for its sum."""
        left = None if record.remainder == UNKNOWN else record.remainder
        stated = MisdealRecord(record.loaded, tuple(record.packets), left, record.rejected)
        book: DealBook = self
        if not self.packets or self.ended:
            known = not self.ended
            book = DealBook(loaded=self.loaded, verified=known and bool(self.loaded), packets=list(stated.packets))
            book.rejected, book.whole_tray = self.rejected if known else stated.rejected, known
            book.lifted, book.remainder = len(book.packets), (left, left) if left is not None else None
        found = book.record_contradicted(stated, missing)
        return "" if found is None else self._worded(found, record)

    def _worded(self, found: Contradiction, record: m.MisdealMessage) -> str:
        if found.what == "record-packets":
            known = self.packets if self.way != "goes back" else self.packets[: self.lifted]
            return f"the misdeal record has the packets {list(record.packets)}, the events had {known}"
        if found.what == "record-remainder" and self.remainder is None:
            return f"the misdeal record has a remainder of {found.stated}; none was counted yet, which is FFFFh"
        return words_for(found)


def words_for(found: Contradiction) -> str:
    """Return the text of a contradiction."""
    words = _WORDS.get(found.what, "{what} is {stated}; the events before say {known}")
    return words.format(what=found.what, stated=found.stated, known=found.known)
