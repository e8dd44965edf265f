"""Which cards people have laid open in the round under way: a hand is named only when all of it was."""

from collections.abc import Iterable

import devices.events as e
from dealer_flow.record.result import RoundResult
from protocol.cards import UNREAD


class LaidOpen:
    """Feed it every report. It knows cards by place, and forgets them when the next round starts."""

    def __init__(self) -> None:
        self._shown: dict[str, set[str]] = {}

    def saw(self, body: e.Body) -> None:
        """One report."""
        if isinstance(body, e.GameStarted):
            self._shown.clear()
        elif isinstance(body, e.HandRevealed):
            self._shown.setdefault(body.place.text, set()).update(_faces(card.text for card in body.cards))

    def seats(self, result: RoundResult) -> frozenset[int]:
        """The seats of a round that ended whose hands were shown whole."""
        return frozenset(
            seat.seat
            for seat in result.seats
            if seat.cards and self._shown.get(f"seat {seat.seat}", set()) >= set(seat.cards)
        )


def _faces(texts: Iterable[str]) -> set[str]:
    return {text for text in texts if text != UNREAD.text}
