"""Cards shown in the round under way. A hand is named only if all of it was shown."""

from collections.abc import Iterable

import devices.events as e
from dealer_flow.record.result import RoundResult
from protocol.cards import UNREAD


class OpenCards:
    """Collects the cards shown by place, from START GAME until the round is over. Feed it every report."""

    def __init__(self) -> None:
        self._under_way = False
        self._shown: dict[str, set[str]] = {}

    def update(self, body: e.Body) -> None:
        """Take one report."""
        if isinstance(body, e.GameStarted):
            self.over()
            self._under_way = True
        elif isinstance(body, e.HandRevealed) and self._under_way:
            self._shown.setdefault(body.place.text, set()).update(_faces(card.text for card in body.cards))

    def over(self) -> None:
        """Forget the cards: the round has ended, and was settled if it is at all."""
        self._under_way = False
        self._shown.clear()

    def seats(self, result: RoundResult) -> frozenset[int]:
        """Return the seats of a finished round whose whole hand was shown."""
        return frozenset(
            seat.seat
            for seat in result.seats
            if seat.cards and self._shown.get(f"seat {seat.seat}", set()) >= set(seat.cards)
        )


def _faces(texts: Iterable[str]) -> set[str]:
    return {text for text in texts if text != UNREAD.text}
