"""The bookkeeping of a shoe: what is out of it, what is left in it, and whether it adds up.

A shoe outlives the rounds dealt from it. `Shoes` keeps the one on the table and notices when it is another one.
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
"""Below this many percent a reading is doubtful, unless the table sets another limit: of ten such cards one or more
would be wrong. Readers that work give 99 or 100."""


class ShoeLedgerState(Struct, frozen=True):
    """One shoe as it is kept on disk. It holds faces that nobody has shown: cards that were burned."""

    id: int
    loaded: int
    announced: bool
    whole: bool
    drawn: int
    out: dict[str, int]
    last: str | None
    cut_card: bool
    rounds_since_cut: int
    over: bool
    rounds: int
    back: int = 0
    before: int = 0
    alike: int = 0


class ShoesState(Struct, frozen=True):
    """The shoe on the table and the order of its reports, as they are kept on disk; `reported` is where, ordinal,
    card."""

    device: str
    current: ShoeLedgerState | None
    pushed_back: bool
    burns_due: int
    last: tuple[str | None, int] | None
    last_card: str | None
    in_place: tuple[tuple[str | None, int], ...]
    reported: tuple[tuple[str | None, int, str], ...]
    outside: int


@dataclass(slots=True)
class ShoeLedger:
    """One shoe from its filling to its end.

    `id` is the device's number of it, or ours, from 1, where the device has none. `loaded` is the device's word, or
    what the procedure's decks make where the device says nothing. `whole` is False once cards may have left unseen.
    """

    id: int
    decks: int
    faces: tuple[Card, ...]
    loaded: int
    announced: bool = False
    whole: bool = True
    drawn: int = 0
    out: Counter[Card] = field(default_factory=Counter)
    """How often each face was seen to leave; a card nobody could read counts as `??`."""
    last: Card | None = None
    """The card that left last."""
    cut_card: bool = False
    rounds_since_cut: int = 0
    over: bool = False
    rounds: int = 0
    """Rounds of a game of steps that were dealt from it."""
    back: int = 0
    """Cards that went back into it since it was last filled."""
    before: int = 0
    """Cards that were out of it when it was filled with what was left, in mid-round."""
    alike: int = 0
    """Identical cards of one hand, in the last round that had such: it is shuffled before the next."""

    @property
    def left(self) -> int | None:
        """Cards still inside; None when that is not known."""
        return max(self.loaded - self.drawn, 0) if self.whole else None

    @property
    def penetration(self) -> Fraction:
        """The share of the shoe that has been dealt."""
        return Fraction(self.drawn, self.loaded) if self.loaded else Fraction(0)

    def composition(self) -> dict[str, int]:
        """How often each card is out, by its text, in the order of the text."""
        return dict(sorted((card.text, count) for card, count in self.out.items() if count))

    def state(self) -> ShoeLedgerState:
        """All that is not the procedure's."""
        return ShoeLedgerState(
            id=self.id,
            loaded=self.loaded,
            announced=self.announced,
            whole=self.whole,
            drawn=self.drawn,
            out=dict(sorted((card.text, count) for card, count in self.out.items())),
            last=self.last.text if self.last is not None else None,
            cut_card=self.cut_card,
            rounds_since_cut=self.rounds_since_cut,
            over=self.over,
            rounds=self.rounds,
            back=self.back,
            before=self.before,
            alike=self.alike,
        )

    def take(self, card: Card) -> list[Incident]:
        """A card left the shoe."""
        self.drawn += 1
        self.last = card
        found = self._see(card)
        if self.drawn == self.loaded + 1 and self.whole:
            found.append(_WRONG(reason="shoe-overdrawn", expected=self.loaded))
        if self.drawn == self.loaded:
            found += self._emptied()
        return found

    def name(self, card: Card) -> list[Incident]:
        """A card that was not read is this one."""
        self.out[UNREAD] -= 1
        found = self._see(card)
        return found + self._emptied() if self.drawn == self.loaded else found

    def miss(self, cards: int) -> None:
        """So many cards left and were not reported."""
        self.drawn += cards
        self.out[UNREAD] += cards

    def put_back(self) -> None:
        """The last card was pushed back: it may come out again."""
        self.whole = False
        if self.last is not None and self.out[self.last]:
            self.drawn -= 1
            self.out[self.last] -= 1
        self.last = None

    def take_back(self, cards: tuple[Card, ...], *, among: tuple[Card, ...] = ()) -> None:
        """These cards are shuffled into what is left: they may come out again. So may any `among` which they are, where
        that is not known: what is out of them then counts as not read."""
        self.drawn -= len(cards)
        self.back += len(cards)
        self.out.subtract(among or cards)
        self.out[UNREAD] += len(among) - len(cards) if among else 0

    def mix(self) -> None:
        """Every card that left it goes back into it, and is shuffled with the others: how many lie in it at any moment
        nobody knows."""
        self.whole, self.drawn, self.last = False, 0, None
        self.out.clear()

    def refill(self, number: int) -> None:
        """What is left was shuffled and put in again: the device counts from the first card anew."""
        self.id, self.announced, self.over = number, True, False
        self.before, self.back = self.drawn, 0

    def forget(self) -> None:
        """Cards may have left, or come back, unseen."""
        self.whole = False

    def device_count(self, drawn: int) -> list[Incident]:
        """The device says how many cards have left since it was filled."""
        counts = self.drawn + self.back - self.before
        if not self.whole or drawn == counts:
            return []
        return [_WRONG(reason="shoe-count", counted=drawn, expected=counts)]

    def person_count(self, left: int) -> list[Incident]:
        """A person counted what is left inside."""
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
        """Every card loaded is out: each face as often as there are decks, unless it was not read."""
        if not self.whole or self.loaded != self.decks * len(self.faces):
            return []
        missing = sum(max(self.decks - self.out[face], 0) for face in self.faces)
        if missing == self.out[UNREAD]:
            return []
        return [_WRONG(reason="shoe-empty", counted=missing - self.out[UNREAD])]


@dataclass(slots=True)
class Shoes:
    """The shoe on the table, and what is known of the order of its reports. It outlives the rounds."""

    decks: int
    faces: tuple[Card, ...]
    least_confidence: int
    """Percent below which a card is doubtful; 0 believes every reading but one that the readers disagree on."""
    device: str = ""
    """The line whose shoe it is; empty before its first report."""
    current: ShoeLedger | None = None
    pushed_back: bool = False
    """True from a card's being pushed back until the next card comes out."""
    burns_due: int = 0
    _last: tuple[str | None, int] | None = None
    _last_card: Card | None = None
    _in_place: dict[str | None, int] = field(default_factory=dict)
    _reported: dict[tuple[str | None, int], Card] = field(default_factory=dict)
    _outside: int = 0

    def doubt(self, body: Body) -> str:
        """Why the face that was read is not to be believed; empty when it is, or when none was read."""
        if not isinstance(body, CardDrawn):
            return ""
        if ReaderFlag.DISAGREE in body.reader:
            return "readers-disagree"
        return "unsure" if body.confidence is not None and body.confidence < self.least_confidence else ""

    def face(self, body: CardDrawn | CardUnread) -> Card:
        """The card as far as it is known: a doubtful one is as good as not read."""
        return UNREAD if isinstance(body, CardUnread) or self.doubt(body) else body.card

    def change(self, device: str) -> bool:
        """Reports come from this line; True when they came from another one before, whose shoe is gone."""
        other = self.device not in ("", device)
        self.device = device
        if other:
            self.lose_count()
            self.current = None
        return other

    def load(self, number: int, cards: int) -> ShoeLedger:
        """A shoe was filled, as the device says."""
        self.lose_count()
        self.burns_due = 0
        self.current = ShoeLedger(number, self.decks, self.faces, cards, announced=True)
        return self.current

    def refill(self, number: int) -> ShoeLedger:
        """The shoe on the table was filled with what is left of it."""
        self.lose_count()
        shoe = self.on_table()
        shoe.refill(number)
        return shoe

    def on_table(self, first_ordinal: int | None = None) -> ShoeLedger:
        """The shoe a card comes from. One that the device did not announce follows the one that is over."""
        shoe = self.current
        if shoe is None or (shoe.over and not shoe.announced):
            number = 1 if shoe is None else shoe.id + 1
            shoe = self.current = ShoeLedger(number, self.decks, self.faces, self.decks * len(self.faces))
            shoe.whole = first_ordinal is None or first_ordinal <= 1
        return shoe

    def replace(self) -> None:
        """Another shoe is dealt from, which the device did not announce."""
        if self.current is not None:
            self.current.over, self.current.announced = True, False

    def begin_round(self) -> None:
        """Bets are closed: from here a report like the last one is another card."""
        self._last_card = None

    def lose_count(self) -> None:
        """The order of the reports begins anew."""
        self._last = self._last_card = None
        self._in_place.clear()
        self._reported.clear()
        self._outside, self.pushed_back = 0, False

    def repeats(self, ordinal: int | None, where: str | None, card: Card) -> bool:
        """True when this is the last report once more."""
        return ordinal is not None and self._last == (where, ordinal) and self._last_card == card

    def count(self, ordinal: int | None, where: str | None, card: Card) -> int:
        """Take the device's own count; how many cards before this one were not reported, -1 when it went back.

        A device counts in the shoe or in the hand it deals to, and then from 0 or 1 again.
        """
        if ordinal is None:
            return 0
        missing = 0
        if ordinal > 1:
            last = self._last[1] if self._last else 0
            nexts = {last + 1, last + 1 + self._outside}
            if self.pushed_back:
                nexts.add(last)
            if where in self._in_place:
                nexts.add(self._in_place[where] + 1)
            if ordinal not in nexts:
                missing = max(ordinal - max(nexts), -1)
        self._last, self._last_card = (where, ordinal), card
        self._in_place[where] = ordinal
        self._reported[where, ordinal] = card
        self._outside, self.pushed_back = 0, False
        return missing

    def outside(self) -> None:
        """A card left that belongs to no game; a device may have counted it."""
        self._outside += 1

    def push_back(self) -> None:
        """The last card went back into the shoe, which may count it again when it comes out."""
        self.pushed_back, self._last_card = True, None
        if self.current is not None:
            self.current.put_back()

    def reported(self, ordinal: int | None, where: str | None) -> Card | None:
        """What was last reported as this card; None when nothing was."""
        return None if ordinal is None else self._reported.get((where, ordinal))

    # ------------------------------------------------------------------ kept on disk

    def state(self) -> ShoesState:
        """All that is not the procedure's."""
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
        """Take the shoe as it was kept."""
        self.device, self.pushed_back, self.burns_due = state.device, state.pushed_back, state.burns_due
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
            last=_card(state.last),
            cut_card=state.cut_card,
            rounds_since_cut=state.rounds_since_cut,
            over=state.over,
            rounds=state.rounds,
            back=state.back,
            before=state.before,
            alike=state.alike,
        )


def _card(text: str | None) -> Card | None:
    return parse_card(text) if text is not None else None


def _by_place(row: tuple[str | None, int] | tuple[str | None, int, str]) -> tuple[bool, str, int]:
    return row[0] is not None, row[0] or "", row[1]
