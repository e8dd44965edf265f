"""Account of a shoe: the cards that are out, those that are left, and whether they add up.

A shoe outlives the rounds dealt from it. `Shoes` holds the one on the table and notices when it is replaced.
"""

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Final

from msgspec import Struct

from dealer_flow.record.incidents import UNJUDGED, Incident
from devices.events import Body, CardDrawn, CardUnread, ReaderFlag
from protocol.cards import UNREAD, Card, parse_card
from protocol.places import SHOE

_FOUND: Final = partial(Incident, clause=UNJUDGED, place=SHOE.text)
_WRONG: Final = partial(_FOUND, code="cards-not-conserved")

LEAST_CONFIDENCE: Final = 90
"""Percent below which a reading is uncertain, unless the table sets another limit: of ten such cards one or more would
be wrong. Readers that work report 99 or 100."""

BACK_MAX: Final = 8
"""Cards that may be pushed back one after the other; of more, nobody knows which they were."""


class ShoeLedgerState(Struct, frozen=True):
    """One shoe as saved on disk. It holds faces that were not shown: cards that were burned."""

    id: int
    loaded: int
    announced: bool
    whole: bool
    drawn: int
    out: dict[str, int]
    cut_card: bool
    rounds_since_cut: int
    over: bool
    rounds: int
    back: int = 0
    before: int = 0
    alike: int = 0
    came: tuple[str, ...] = ()


class ShoesState(Struct, frozen=True):
    """The shoe on the table and the order of its reports, as saved on disk; `reported` is (where, ordinal, card)."""

    device: str
    current: ShoeLedgerState | None
    pushed_back: int | bool  # a state saved when only one card could be known to be back has a bool
    burns_due: int
    last: tuple[str | None, int] | None
    last_card: str | None
    in_place: tuple[tuple[str | None, int], ...]
    reported: tuple[tuple[str | None, int, str], ...]
    outside: int


@dataclass(slots=True)
class ShoeLedger:
    """One shoe from its filling to its end.

    `id` is the device's number for it, or the table's, from 1, if the device has none. `loaded` is reported by the
    device, or computed from the procedure's decks. `whole` is False once cards may have left unseen.
    """

    id: int
    decks: int
    faces: tuple[Card, ...]
    loaded: int
    announced: bool = False
    whole: bool = True
    drawn: int = 0
    out: Counter[Card] = field(default_factory=Counter)
    """Number of times each face was seen to leave; a card that was not read counts as `??`."""
    cut_card: bool = False
    rounds_since_cut: int = 0
    over: bool = False
    rounds: int = 0
    """Rounds of a game of steps that were dealt from it."""
    back: int = 0
    """Cards that went back into it since it was last filled."""
    before: int = 0
    """Cards that were out of it when it was filled with the remaining cards, in the middle of a round."""
    alike: int = 0
    """Number of identical cards of one hand, in the last round that had any: it is shuffled before the next."""
    came: tuple[Card, ...] = ()
    """Cards that left last and were not pushed back, in order: as many as may be pushed back one after the other."""

    @property
    def left(self) -> int | None:
        """Number of cards still inside; None if unknown."""
        return max(self.loaded - self.drawn, 0) if self.whole else None

    @property
    def penetration(self) -> Fraction:
        """Share of the shoe that has been dealt."""
        return Fraction(self.drawn, self.loaded) if self.loaded else Fraction(0)

    def composition(self) -> dict[str, int]:
        """Return the number of copies of each card that are out, by the card's text, sorted by text."""
        return dict(sorted((card.text, count) for card, count in self.out.items() if count))

    def state(self) -> ShoeLedgerState:
        """Return the state for saving, without what the procedure gives."""
        return ShoeLedgerState(
            id=self.id,
            loaded=self.loaded,
            announced=self.announced,
            whole=self.whole,
            drawn=self.drawn,
            out=dict(sorted((card.text, count) for card, count in self.out.items())),
            cut_card=self.cut_card,
            rounds_since_cut=self.rounds_since_cut,
            over=self.over,
            rounds=self.rounds,
            back=self.back,
            before=self.before,
            alike=self.alike,
            came=tuple([card.text for card in self.came]),
        )

    def take(self, card: Card) -> list[Incident]:
        """Take a card that left the shoe, and return what is wrong with it."""
        self.drawn += 1
        self.came = (*self.came[1 - BACK_MAX :], card)
        found = self._see(card)
        if self.drawn == self.loaded + 1 and self.whole:
            found.append(_WRONG(reason="shoe-overdrawn", expected=self.loaded))
        if self.drawn == self.loaded:
            found += self._emptied()
        return found

    def name(self, card: Card) -> list[Incident]:
        """Name a card that was not read."""
        self.out[UNREAD] -= 1
        found = self._see(card)
        return found + self._emptied() if self.drawn == self.loaded else found

    def miss(self, cards: int) -> None:
        """Record that cards left and were not reported."""
        self.drawn += cards
        self.out[UNREAD] += cards

    def put_back(self) -> None:
        """Record that the last card was pushed back, after any that are back already: it may come out again."""
        self.whole = False
        if self.came and self.out[self.came[-1]]:
            self.drawn -= 1
            self.out[self.came[-1]] -= 1
        self.came = self.came[:-1]

    def take_back(self, cards: tuple[Card, ...], *, among: tuple[Card, ...] = ()) -> None:
        """Record that these cards are shuffled into the remaining cards: they may come out again.

        If it is unknown which cards they are, they are `among` others, all of which then count as not read.
        """
        self.drawn -= len(cards)
        self.back += len(cards)
        self.out.subtract(among or cards)
        self.out[UNREAD] += len(among) - len(cards) if among else 0

    def mix(self) -> None:
        """Record that every card that left goes back and is shuffled in: it is unknown how many are inside at any
        moment."""
        self.whole, self.drawn, self.came = False, 0, ()
        self.out.clear()

    def refill(self, number: int) -> None:
        """Record that the remaining cards were shuffled and put in again: the device starts counting from 1."""
        self.id, self.announced, self.over = number, True, False
        self.before, self.back = self.drawn, 0

    def forget(self) -> None:
        """Record that cards may have left, or come back, unseen."""
        self.whole = False

    def device_count(self, drawn: int) -> list[Incident]:
        """Compare the device's count of cards that left since it was filled."""
        counts = self.drawn + self.back - self.before
        if not self.whole or drawn == counts:
            return []
        return [_WRONG(reason="shoe-count", counted=drawn, expected=counts)]

    def person_count(self, left: int) -> list[Incident]:
        """Compare a person's count of the cards left inside."""
        if not self.whole or left == self.left:
            return []
        return [_WRONG(reason="shoe-left", expected=self.loaded, dealt=self.drawn, left=left)]

    def _see(self, card: Card) -> list[Incident]:
        self.out[card] += 1
        if card == UNREAD:
            return []
        if card.is_joker and card not in self.faces:
            return [_FOUND(code="stray-joker", reason="device", cards=(card.text,))]
        if card not in self.faces:
            return [_FOUND(code="foreign-card", reason="shoe", cards=(card.text,))]
        if self.out[card] > self.decks:
            times, cards = self.out[card], (card.text,)
            return [
                _FOUND(code="duplicate-face", reason="drawn-too-often", cards=cards, counted=times, limit=self.decks)
            ]
        return []

    def _emptied(self) -> list[Incident]:
        """Check an empty shoe: each face must have left as often as there are decks, unless it was not read."""
        if not self.whole or self.loaded != self.decks * len(self.faces):
            return []
        missing = sum(max(self.decks - self.out[face], 0) for face in self.faces)
        if missing == self.out[UNREAD]:
            return []
        return [_WRONG(reason="shoe-empty", counted=missing - self.out[UNREAD])]


@dataclass(slots=True)
class Shoes:
    """The shoe on the table, and the order of its reports. It outlives the rounds."""

    decks: int
    faces: tuple[Card, ...]
    least_confidence: int
    """Percent below which a card is uncertain; 0 trusts every reading on which the readers agree."""
    device: str = ""
    """Line of the shoe; empty before its first report."""
    current: ShoeLedger | None = None
    pushed_back: int = 0
    """Cards that were pushed back, one after the other, and have not come out again."""
    burns_due: int = 0
    _last: tuple[str | None, int] | None = None
    _last_card: Card | None = None
    _in_place: dict[str | None, int] = field(default_factory=dict)
    _reported: dict[tuple[str | None, int], Card] = field(default_factory=dict)
    _outside: int = 0

    def doubt(self, body: Body) -> str:
        """Return why the face that was read cannot be trusted; empty if it can, or if none was read."""
        if not isinstance(body, CardDrawn):
            return ""
        if ReaderFlag.DISAGREE in body.reader:
            return "readers-disagree"
        return "unsure" if body.confidence is not None and body.confidence < self.least_confidence else ""

    def face(self, body: CardDrawn | CardUnread) -> Card:
        """Return the card as far as it is known: an uncertain one counts as not read."""
        return UNREAD if isinstance(body, CardUnread) or self.doubt(body) else body.card

    def change(self, device: str) -> bool:
        """Note the line that reports come from; True if they came from another one before, whose shoe is gone."""
        other = self.device not in ("", device)
        self.device = device
        if other:
            self.lose_count()
            self.current = None
        return other

    def load(self, number: int, cards: int) -> ShoeLedger:
        """Record that a shoe was filled, as the device reports."""
        self.lose_count()
        self.burns_due = 0
        self.current = ShoeLedger(number, self.decks, self.faces, cards, announced=True)
        return self.current

    def refill(self, number: int) -> ShoeLedger:
        """Record that the shoe on the table was filled with the rest of its cards."""
        self.lose_count()
        shoe = self.on_table()
        shoe.refill(number)
        return shoe

    def on_table(self, first_ordinal: int | None = None) -> ShoeLedger:
        """Return the shoe that a card comes from. If the last one is over and the device announced no other, create the
        next."""
        shoe = self.current
        if shoe is None or (shoe.over and not shoe.announced):
            number = 1 if shoe is None else shoe.id + 1
            shoe = self.current = ShoeLedger(number, self.decks, self.faces, self.decks * len(self.faces))
            shoe.whole = first_ordinal is None or first_ordinal <= 1
        return shoe

    def replace(self) -> None:
        """Record that another shoe is dealt from, which the device did not announce."""
        if self.current is not None:
            self.current.over, self.current.announced = True, False

    def begin_round(self) -> None:
        """Record that bets are closed: from here on a report like the last one is another card."""
        self._last_card = None

    def lose_count(self) -> None:
        """Start over with the order of the reports."""
        self._last = self._last_card = None
        self._in_place.clear()
        self._reported.clear()
        self._outside = self.pushed_back = 0

    def repeats(self, ordinal: int | None, where: str | None, card: Card) -> bool:
        """Return True if this is the last report again."""
        return ordinal is not None and self._last == (where, ordinal) and self._last_card == card

    def count(self, ordinal: int | None, where: str | None, card: Card) -> int:
        """Take the device's own count; return how many cards before this one were not reported, -1 if it went back.

        A device counts in the shoe or in the hand it deals to, and then from 0 or 1 again.
        """
        back = self.pushed_back
        self.pushed_back = back - 1 if back else 0
        if ordinal is None:
            return 0
        missing = 0
        if ordinal > 1:
            last = self._last[1] if self._last else 0
            nexts = {last + 1, last + 1 + self._outside}
            if back:
                nexts.add(last + 1 - back)
            if where in self._in_place:
                nexts.add(self._in_place[where] + 1)
            if ordinal not in nexts:
                missing = max(ordinal - max(nexts), -1)
        self._last, self._last_card = (where, ordinal), card
        self._in_place[where] = ordinal
        self._reported[where, ordinal] = card
        self._outside = 0
        return missing

    def outside(self) -> None:
        """Record that a card left that belongs to no game; a device may have counted it."""
        self._outside += 1

    def push_back(self) -> None:
        """Record that the last card went back into the shoe, which may count it again when it comes out."""
        self.pushed_back += 1
        self._last_card = None
        if self.current is not None:
            self.current.put_back()

    def reported(self, ordinal: int | None, where: str | None) -> Card | None:
        """Return the card last reported with this ordinal; None if there was none."""
        return None if ordinal is None else self._reported.get((where, ordinal))

    # ------------------------------------------------------------------ kept on disk

    def state(self) -> ShoesState:
        """Return the state for saving, without what the procedure gives."""
        reported = [(where, number, card.text) for (where, number), card in self._reported.items()]
        return ShoesState(
            device=self.device,
            current=self.current.state() if self.current is not None else None,
            pushed_back=self.pushed_back,
            burns_due=self.burns_due,
            last=self._last,
            last_card=self._last_card.text if self._last_card is not None else None,
            in_place=tuple(sorted(self._in_place.items(), key=_by_place)),
            reported=tuple(sorted(reported, key=_by_place)),
            outside=self._outside,
        )

    def restore(self, state: ShoesState) -> None:
        """Restore the shoe from its saved state."""
        self.device, self.pushed_back, self.burns_due = state.device, int(state.pushed_back), state.burns_due
        self._last, self._last_card = state.last, _card(state.last_card)
        self._in_place = dict(state.in_place)
        self._reported = {(where, number): parse_card(card) for where, number, card in state.reported}
        self._outside = state.outside
        self.current = self._ledger(state.current) if state.current is not None else None

    def _ledger(self, state: ShoeLedgerState) -> ShoeLedger:
        return ShoeLedger(
            state.id,
            self.decks,
            self.faces,
            state.loaded,
            announced=state.announced,
            whole=state.whole,
            drawn=state.drawn,
            out=Counter({parse_card(card): count for card, count in state.out.items()}),
            cut_card=state.cut_card,
            rounds_since_cut=state.rounds_since_cut,
            over=state.over,
            rounds=state.rounds,
            back=state.back,
            before=state.before,
            alike=state.alike,
            came=tuple([parse_card(text) for text in state.came]),
        )


def _card(text: str | None) -> Card | None:
    return parse_card(text) if text is not None else None


def _by_place(row: tuple[str | None, int] | tuple[str | None, int, str]) -> tuple[bool, str, int]:
    return row[0] is not None, row[0] or "", row[1]
