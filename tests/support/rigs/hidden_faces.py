"""Faces in a text, and the faces at a simulated table that no one has shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from dealwire.rehearsal.card_dealer import CardDealer
from dealwire.rehearsal.race_dealer import RaceDealer
from dealwire.rehearsal.tables import RehearsedShoe, SimulatedTable
from protocol.cards import DECK, NONE, UNREAD, Card
from protocol.places import BURN

_NUMBERS: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
RANK_WORDS: Final = dict(zip("A23456789TJQK", ("ace", *_NUMBERS, "jack", "queen", "king"), strict=True))
SUIT_WORDS: Final = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
TEXT: Final = re.compile(r"(?<![\w.])([A2-9TJQK][CDHS])(?!\w)")
WORDS: Final = re.compile(rf"\b({'|'.join(RANK_WORDS.values())}) of ({'|'.join(SUIT_WORDS.values())})\b")
DRAWN: Final = re.compile(r'class="card (clubs|diamonds|hearts|spades)"><b>(10|[A2-9JQK])</b>')
BASE64: Final = re.compile(r"(?=[A-Z0-9+/]*[a-z])[A-Za-z0-9+/]{40,}")
"""Hashes and signatures, which may name a card by chance. A list of cards has no small letter."""
FACES: Final = frozenset(card.text for card in DECK)


def faces_in(text: str) -> set[str]:
    """Return every face that a text names: as `AS`, in words, or as a page draws it."""
    ranks, suits = ({word: letter for letter, word in words.items()} for words in (RANK_WORDS, SUIT_WORDS))
    found = set(TEXT.findall(BASE64.sub("", text))) & FACES
    found |= {ranks[rank] + suits[suit] for rank, suit in WORDS.findall(text)}
    return found | {rank.replace("10", "T") + suits[suit] for suit, rank in DRAWN.findall(text)}


class HiddenFaces:
    """Faces that someone at the table has shown, tracked from the actions of people and the movements of cards."""

    def __init__(self, table: SimulatedTable | RehearsedShoe) -> None:
        self.shown: set[str] = set()
        """Faces shown in this round; at a shoe of races, since it was filled."""
        self.lately: set[str] = set()
        """Faces that were allowed at any time since the last search."""
        self.dealt: set[str] = set()
        self.hidden: set[str] = set()
        """Faces that a device read and that were not shown then; for the count alone."""
        self.changes = 0
        self._new_round, self._open = False, False
        self._table = table
        controller: Any = table.controller
        self._after(controller, "reveal", lambda _, place, cards, *__: self._show(cards))
        self._after(controller, "mishandle", lambda _, place, how, card=UNREAD: self._show([card]))
        dealer: Any = table.dealer
        if isinstance(dealer, RaceDealer):
            self._after(dealer, "draw_card", lambda card, number: self._show([card] if card is not None else []))
            self._after(dealer.shoe, "draw", lambda card, **_: self._deal([card] if card is not None else []))
            return
        self._after(controller, "start_game", lambda done: self._begin() if done else None)
        self._before(controller, "end_game", self._end)
        self._after(dealer, "lay", lambda _, packet, arrived: self._deal(dealer.cards.faces(packet.place)))
        if isinstance(dealer, CardDealer):
            self._before(dealer, "_deal_packets", self._dealing)
            self._after(dealer.shoe, "draw", lambda card, **_: self._drawn(card))

    def allowed(self) -> set[str]:
        """Return the faces that may be named now or might have been named since the last search."""
        allowed, self.lately = self.lately | self.shown, set(self.shown)
        return allowed

    def _begin(self) -> None:
        self._new_round = True

    def _dealing(self, step: Any, packets: object) -> None:
        """Note whether the procedure's file deals this step's cards face up."""
        self._open = getattr(step, "face", "down") == "up"

    def _drawn(self, card: Card | None) -> None:
        if card is not None:
            self._deal([card])
            if self._open:
                self._show([card])

    def _deal(self, cards: Iterable[Card]) -> None:
        if self._new_round:
            self._new_round, self.shown, self.dealt = False, set(), set()
        self.dealt |= {card.text for card in cards if card.text in FACES}
        self.hidden |= self.dealt - self.shown
        self.changes += 1

    def _show(self, cards: Iterable[Card]) -> None:
        self.shown |= {card.text for card in cards if card not in (UNREAD, NONE)}
        self.lately |= self.shown
        self.changes += 1

    def _end(self) -> None:
        """Allow the dead hands against the house. Burned cards stay hidden, and among players so does every card that
        no one has shown."""
        dealer: Any = self._table.dealer
        if dealer.procedure.plan.betting is None:
            self.shown |= self.dealt - {card.text for card in dealer.cards.faces(BURN)}
        self.lately |= self.shown
        self.changes += 1

    def _after(self, owner: Any, name: str, then: Callable[..., None]) -> None:
        original = getattr(owner, name)

        def call(*args: Any, **options: Any) -> Any:
            result = original(*args, **options)
            then(result, *args, **options)
            return result

        setattr(owner, name, call)

    def _before(self, owner: Any, name: str, first: Callable[..., None]) -> None:
        original = getattr(owner, name)

        def call(*args: Any, **options: Any) -> Any:
            first(*args, **options)
            return original(*args, **options)

        setattr(owner, name, call)
