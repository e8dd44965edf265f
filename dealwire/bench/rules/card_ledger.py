"""Where the cards of a round are, as the device's own events tell it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from protocol.tdp import messages as m

UNKNOWN = 0xFFFF
"""In a misdeal record: the remainder was not counted."""


@dataclass(slots=True)
class Book:
    """One round. `packets` are (expected, counted) in the order they came; those that were not lifted lie in the tray
    or went with the remainder."""

    loaded: int = 0
    packets: list[tuple[int, int]] = field(default_factory=list)
    lifted: int = 0
    rejected: int = 0
    remainder: tuple[int, int] | None = None
    """Expected and counted."""
    ended: bool = False
    """The remainder was lifted or the deck taken out."""
    verified: int = 0
    """Cards counted in the deck that is dealt next; 0 when that was not seen."""

    @classmethod
    def of(cls, events: Iterable[m.Event]) -> Self:
        """The last round in `events`."""
        book = cls()
        for event in events:
            book.enter(event)
        return book

    @property
    def under_way(self) -> bool:
        """A packet of it has come and it has not ended."""
        return bool(self.packets) and not self.ended

    def enter(self, event: m.Event) -> None:
        """One more event."""
        match event:
            case m.DeckVerifiedMessage(counted=counted):
                self.verified = counted
            case m.PacketDispensedMessage(ordinal=1, expected=expected, counted=counted):
                rejected = self.rejected if not self.packets else 0
                self.loaded, self.verified = self.verified, 0
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

    @property
    def dealt(self) -> int:
        """Cards in lifted packets, as counted."""
        return sum(counted for _, counted in self.packets[: self.lifted])

    @property
    def right(self) -> tuple[int, int]:
        """What may be expected of the remainder: a packet that nobody lifted goes back and is counted with it, or stays
        a packet."""
        inside = self.loaded - self.rejected
        return inside - self.dealt, inside - sum(counted for _, counted in self.packets)

    def wrong(self, missing: int = 0) -> str:
        """What does not add up at the remainder, of which so many cards are `missing`; empty when all is well."""
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

    def differs(self, record: m.MisdealMessage, missing: int = 0) -> str:
        """What of a misdeal record is not what the events said or does not add up; empty when all is well."""
        words = list(record.packets)
        # a packet that nobody lifted goes with the remainder, or stays one, as `expected` says
        back, apart = self.right
        stays = self.remainder is None or (self.remainder[0] == apart != back)
        known = self.packets if stays else self.packets[: self.lifted]
        if self.packets and not self.ended and words != known:
            return f"the misdeal record has the packets {words}, the events had {known}"
        if record.rejected != self.rejected and not self.ended:
            return f"the misdeal record has {record.rejected} rejected, the events had {self.rejected}"
        if self.loaded and not self.ended and record.loaded != self.loaded:
            return f"the misdeal record has {record.loaded} loaded, {self.loaded} were counted"
        if self.packets and self.remainder is None and record.remainder != UNKNOWN:
            return f"the misdeal record has a remainder of {record.remainder}; none was counted yet, which is FFFFh"
        total = sum(counted for _, counted in words) + record.rejected
        if record.remainder != UNKNOWN and record.loaded != total + record.remainder + missing:
            return f"{record.loaded} loaded; packets, remainder and reject tray hold {total + record.remainder}"
        return ""
