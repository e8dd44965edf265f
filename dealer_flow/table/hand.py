"""The cards at one place: their number, who counted them, and the faces that were seen."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from dealer_flow.procedure.steps.due import Due
from protocol.cards import UNREAD, Card
from protocol.places import Place


@dataclass(slots=True)
class Hand:
    """The cards at one place. `expected` is the right number now, burned ones included.

    They may be counted three times: by the device as it dealt them, by the faces shown, by a person. A person's count
    overrides the faces, and the faces override the device.
    """

    place: Place
    expected: int = 0
    device_count: int | None = None
    person_count: int | None = None
    by_hand: int = 0
    """Number of cards among them that no device dealt."""
    discarded: int = 0
    """Number of cards that were exchanged for others."""
    laid_away: tuple[Card, ...] = ()
    """Discarded cards that were reported, `??` for a face that was not seen."""
    recognised: tuple[Card, ...] = ()
    """Cards as the device read them, in the order dealt, discarded ones included; `??` for a card it did not read."""
    opened: tuple[Card, ...] = ()
    """Cards that are visible before the hands are shown."""
    declared: tuple[Card, ...] = ()
    """Faces that were shown before a card left the hand or joined it, in the order shown: its first ones stay."""
    unseen: int = 0
    """Number of cards that may be in the hand and are none of these: not shown then, or come since."""
    aside: int = 0
    """Number of cards set aside, face down, until the hand without them was compared."""
    played: tuple[Card, ...] = ()
    """Hand as it was shown without them."""
    revealed: tuple[Card, ...] | None = None
    keyed: bool = False
    """True if a person keyed what was revealed."""
    burned: frozenset[int] | None = None
    """Positions from the dealer's left that were burned; None while no burn was confirmed."""
    step: str = ""
    """Step that gave the last cards."""
    anew: bool = False
    """True if its packet went back and it is dealt again by hand."""
    mucked: int = 0
    """Number of cards in that packet."""
    counted_at: int = 0
    """Number of cards of a shoe that had been drawn when a person counted the hand."""
    judged: int = 0
    """Number of cards the hand had too many (too few if negative) when it was last judged."""

    @property
    def counted(self) -> int | None:
        """Count that decides."""
        if self.person_count is not None:
            return self.person_count
        return self.device_count

    @property
    def set_aside(self) -> int:
        """Number of cards that were burned."""
        return len(self.burned) if self.burned else 0

    @property
    def any_known(self) -> bool:
        """True if a card of it was read or shown."""
        return bool(self.recognised or self.opened or self.declared or self.revealed is not None)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Faces as shown, else as recognized, else unread; as many as were counted."""
        if self.revealed is not None:
            return self.revealed
        if self.recognised and not self.discarded:
            return self.recognised
        gone = self.laid_away
        if self.recognised and self.discarded == len(gone) and Counter(gone) <= Counter(self.recognised):
            return _less(self.recognised, gone)
        return self.opened + (UNREAD,) * ((self.counted or 0) - len(self.opened))

    def may_be(self, cards: tuple[Card, ...]) -> bool:
        """Return False if the device read every card as it came, and one of these was not among them."""
        read = self.recognised
        return not read or UNREAD in read or all(card in read for card in cards if card != UNREAD)

    @property
    def laid_aside(self) -> tuple[Card, ...]:
        """Cards set aside, `??` if the hand without them was not shown or they were not turned over."""
        if not self.played or self.revealed is None:
            return (UNREAD,) * self.aside
        apart = list(self.revealed)
        for card in self.played:
            if card in apart:
                apart.remove(card)
        return tuple(apart)

    @property
    def shown(self) -> tuple[Card, ...]:
        """Faces that were shown of it last: all of them, or those that are visible."""
        return self.opened if self.revealed is None else self.revealed

    def correct(self, cards: tuple[Card, ...]) -> None:
        """Replace the faces that were shown by these, card for card."""
        before = self.shown
        self.opened = corrected(self.opened, before, cards)
        self.declared = corrected(self.declared, before, cards)

    def remember(self) -> None:
        """Keep what was shown so far as declared, since it is no longer the whole hand."""
        shown = tuple(card for card in self.revealed or self.opened if card != UNREAD)
        if shown:
            self.declared, self.unseen = shown, (self.counted or len(shown)) - len(shown)
        self.opened, self.revealed = (), None

    def lay_aside(self, cards: int) -> None:
        """Set cards aside; they still belong to the hand."""
        self.remember()
        self.aside += cards

    def lay_down(self, cards: int) -> None:
        """Discard cards for good."""
        self.remember()
        self.expected -= cards
        self.discarded += cards
        self.device_count = (self.device_count or 0) - cards
        if self.person_count is not None:
            self.person_count -= cards

    def kill(self) -> None:
        """Remove one card, which is dead; the next will take its place."""
        self.discarded += 1
        self.judged -= 1
        self.device_count = (self.device_count or 0) - 1
        if self.person_count is not None:
            self.person_count -= 1

    def lay(self, due: Due, sign: int, *, since_count: bool) -> None:
        """Add (+1) or remove (-1) one card after the cards were placed again; `since_count`: it came after a count."""
        self.step = due.step or self.step
        self.expected += sign * (due.why == "deal")
        self.discarded += sign * (due.why == "exchange")
        if due.why == "exchange":
            return
        if sign > 0 and due.why == "deal" and self.revealed is not None:
            self.opened, self.revealed = self.revealed, None
        self.device_count = (self.device_count or 0) + sign
        if self.person_count is not None and since_count:
            self.person_count += sign

    def put_back(self) -> None:
        """Remove the last card, which was laid back on the deck."""
        self.expected -= 1
        self.device_count = (self.device_count or 0) - 1
        self.recognised = self.recognised[:-1]

    def take(self, counted: int, cards: tuple[Card, ...], due: Due) -> None:
        """Take `counted` cards for what was due."""
        before, held = self.device_count or 0, self.counted or 0
        if due.why == "exchange":
            self.remember()
        self.unseen += counted * bool(self.declared)
        wanted = min(counted, due.cards) if due.at_most else due.cards
        replaces = wanted if due.why == "exchange" else 0
        self.step = due.step
        self.expected += wanted if due.why == "deal" else 0
        self.discarded += replaces
        self.device_count = before + counted - replaces
        if self.person_count is not None:
            self.person_count += counted - replaces
        if cards or self.recognised:
            kept = self.recognised or (UNREAD,) * held
            self.recognised = kept + (cards or (UNREAD,) * counted)
        if self.revealed is not None:
            self.opened, self.revealed = self.revealed, None
        if self.opened and not self.declared and self.place.seat is not None:
            self.declared, self.unseen = self.opened, held - len(self.opened) + counted


def corrected(seen: Iterable[Card], keyed: tuple[Card, ...], right: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return the cards seen with those that were keyed wrong replaced, card for card; unchanged if their number
    differs."""
    pairs = list(zip(keyed, right, strict=True)) if len(keyed) == len(right) else []
    found: list[Card] = []
    for card in seen:
        pair = next((pair for pair in pairs if pair[0] == card), (card, card))
        if pair in pairs:
            pairs.remove(pair)
        found.append(pair[1])
    return tuple(found)


def _less(cards: tuple[Card, ...], gone: Iterable[Card]) -> tuple[Card, ...]:
    """Return the cards without these, each removed once."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return tuple(left)
