"""Which cards people have laid open in the round under way: a hand is named only when all of it was."""

from collections.abc import Iterable

import devices.events as e
from dealer_flow.record.result import RoundResult
from protocol.cards import UNREAD


class LaidOpen:
    """Feed it every report. It knows cards by place, from START GAME on until the round is over."""

    def __init__(self) -> None:
        self._under_way = False
        self._shown: dict[str, set[str]] = {}

    def saw(self, body: e.Body) -> None:
        """One report."""
        if isinstance(body, e.GameStarted):
            self.over()
            self._under_way = True
        elif isinstance(body, e.HandRevealed) and self._under_way:
            self._shown.setdefault(body.place.text, set()).update(_faces(card.text for card in body.cards))

    def over(self) -> None:
        """The round has ended, and was settled if it is."""
        self._under_way = False
        self._shown.clear()

    def seats(self, result: RoundResult) -> frozenset[int]:
        """The seats of a round that ended whose hands were shown whole."""
        return frozenset(
            seat.seat
            for seat in result.seats
            if seat.cards and self._shown.get(f"seat {seat.seat}", set()) >= set(seat.cards)
        )


def _faces(texts: Iterable[str]) -> set[str]:
    return {text for text in texts if text != UNREAD.text}
