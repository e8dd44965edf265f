"""Every card accounted for: where it is, who counted it, which face it has.

The ledger records and compares. It returns what it finds; what a finding means is the procedure's business.
Three may count a hand: the device as it dispensed it, the faces shown, a person. The person's count holds over
the faces' and the faces' over the device's.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from dealer_flow.plan import Plan
from protocol.cards import UNREAD, Card, spell_cards
from protocol.places import BURN, COMMUNITY, REJECT_TRAY, REMAINDER, Place


class Finding(NamedTuple):
    """Something about the cards that is not as it should be."""

    code: str
    text: str
    place: Place


@dataclass(slots=True)
class Dispensed:
    """A packet in the tray, or `lifted` to a place."""

    ordinal: int
    counted: int
    cards: tuple[Card, ...]
    lifted: bool = False


@dataclass(slots=True)
class Hand:
    """The cards at one place: as dispensed, as shown, as counted by a person."""

    place: Place
    expected: int
    device_count: int | None = None
    person_count: int | None = None
    recognised: tuple[Card, ...] = ()
    revealed: tuple[Card, ...] | None = None

    @property
    def counted(self) -> int | None:
        """The count that holds."""
        if self.person_count is not None:
            return self.person_count
        return self.device_count

    @property
    def cards(self) -> tuple[Card, ...]:
        """Faces as shown, else as recognised, else unread; as many as were counted."""
        if self.revealed is not None:
            return self.revealed
        return self.recognised or (UNREAD,) * (self.counted or 0)


@dataclass(slots=True)
class Ledger:
    """The cards of one round."""

    plan: Plan
    deck: int = 0
    loaded: int | None = None
    packets: dict[int, Dispensed] = field(default_factory=dict)
    lifted: list[Dispensed] = field(default_factory=list)
    hands: dict[Place, Hand] = field(default_factory=dict)
    remainder: int | None = None
    rejected: int = 0
    burned: frozenset[int] | None = None
    burned_shown: tuple[Card, ...] = ()
    faces: dict[Card, Place] = field(default_factory=dict)

    # ------------------------------------------------------------------ counts

    def lift(self, packet: Dispensed, place: Place | None) -> list[Finding]:
        """The packet went to `place`; None when nobody was due one."""
        packet.lifted = True
        self.lifted.append(packet)
        if place is None:
            return []
        hand = Hand(place, self.plan.expected(place), packet.counted, recognised=packet.cards)
        self.hands[place] = hand
        return self._see(packet.cards, place)

    def count(self, place: Place, counted: int) -> list[Finding]:
        """A person counted the cards at `place`."""
        if place == REMAINDER:
            known, self.remainder = self.remainder, counted
        else:
            hand = self.hands[place]
            after_burn = self.burned is not None and self.plan.burn is not None and place == self.plan.burn.place
            counted += len(self.burned or ()) if after_burn else 0
            known, hand.person_count = hand.counted, counted
        return _differ(place, known, counted, "a person counts")

    @property
    def dealt(self) -> int:
        """Cards in every packet that was lifted, by the counts that hold."""
        held = sum(hand.counted or 0 for hand in self.hands.values())
        return held + sum(packet.counted for packet in self.lifted[len(self.hands) :])

    @property
    def remainder_expected(self) -> int:
        """What conservation of cards asks the remainder to be; a packet never lifted is part of it."""
        return self._loaded - self.dealt - self.rejected

    @property
    def conserved(self) -> bool | None:
        """Whether loaded == packets + remainder + rejected; None while the remainder is not counted."""
        return None if self.remainder is None else self.remainder == self.remainder_expected

    def unbalanced(self) -> str:
        """The sum that does not come out, for a person."""
        return (
            f"{self._loaded} cards loaded, {self.dealt} in packets + {self.remainder} left + {self.rejected} rejected"
            f" = {self.dealt + (self.remainder or 0) + self.rejected}"
        )

    @property
    def _loaded(self) -> int:
        return self.plan.cards if self.loaded is None else self.loaded

    # ------------------------------------------------------------------ faces

    def reject(self, card: Card) -> list[Finding]:
        """A card went to the reject tray; its face is known or none."""
        self.rejected += 1
        return self._see((card,), REJECT_TRAY) if card else []

    def reveal(self, place: Place, cards: tuple[Card, ...]) -> list[Finding]:
        """Faces were shown at `place`."""
        if place == BURN:
            self.burned_shown = cards
            return self._see(cards, place)
        hand = self.hands.get(place)
        if hand is None:
            return self._see(cards, place)
        findings = self._compare(hand, cards)
        hand.revealed = cards
        findings += self._see(cards, place)
        burn = self.plan.burn
        if burn is None or place != burn.place:
            # Faces shown are cards that are there, whatever the device counted; a person's count still holds.
            if hand.person_count is None and hand.device_count != len(cards):
                findings += _differ(place, hand.device_count, len(cards), "shown are")
                hand.device_count = len(cards)
        elif self.burned is not None and len(cards) != burn.size - len(self.burned):
            text = f"{len(cards)} community cards shown, the burn leaves {burn.size - len(self.burned)}"
            findings.append(Finding("reveal-count-wrong", text, place))
        return findings

    def confirm_burn(self, positions: frozenset[int]) -> list[Finding]:
        """These positions, from the dealer's left, were burned: shown or recognised, they may lie nowhere else."""
        self.burned = positions
        place = self.plan.burn.place if self.plan.burn else BURN
        played = [card for card in self._burned_faces() if self.faces.get(card, place) not in (place, BURN)]
        return [_burned_in_play(card, self.faces[card]) for card in played]

    def community(self) -> tuple[Card, ...]:
        """The cards that play, never the burned ones; none before the burn."""
        hand = self._burn_hand()
        burn = self.plan.burn
        if hand is None or (burn is not None and self.burned is None):
            return ()
        if hand.revealed is not None or burn is None or self.burned is None:
            return hand.cards
        if len(hand.recognised) == burn.size:
            kept = [position for position in range(1, burn.size + 1) if position not in self.burned]
            return tuple(hand.recognised[burn.from_top(position)] for position in kept)
        return (UNREAD,) * max((hand.counted or 0) - len(self.burned), 0)

    def burned_cards(self) -> tuple[Card, ...]:
        """The burned cards, `??` where nobody read them."""
        if self.burned is None:
            return ()
        return self.burned_shown or self._burned_faces() or (UNREAD,) * len(self.burned)

    def _burn_hand(self) -> Hand | None:
        return self.hands.get(self.plan.burn.place if self.plan.burn else COMMUNITY)

    def _burned_faces(self) -> tuple[Card, ...]:
        hand, burn = self._burn_hand(), self.plan.burn
        if hand is None or burn is None or self.burned is None or len(hand.recognised) != burn.size:
            return ()
        inside = [position for position in sorted(self.burned) if 1 <= position <= burn.size]
        return tuple(hand.recognised[burn.from_top(position)] for position in inside)

    def _compare(self, hand: Hand, cards: tuple[Card, ...]) -> list[Finding]:
        """Shown against recognised and against shown before; an unread card agrees with any."""
        findings: list[Finding] = []
        where = hand.place
        spread = self.plan.burn is not None and where == self.plan.burn.place
        if hand.revealed is not None and not (
            set(hand.revealed) == set(cards) or (spread and set(cards) < set(hand.revealed))
        ):
            text = f"{where} shown as {_spell(cards)}, before as {_spell(hand.revealed)}"
            findings.append(Finding("faces-disagree", text, where))
        if hand.recognised and UNREAD not in hand.recognised:
            strange = [card for card in cards if card != UNREAD and card not in hand.recognised]
            if strange:
                text = f"{where} shows {_spell(strange)}, the device dispensed {_spell(hand.recognised)}"
                findings.append(Finding("faces-disagree", text, where))
        return findings

    def _see(self, cards: tuple[Card, ...], place: Place) -> list[Finding]:
        findings: list[Finding] = []
        burn = self.plan.burn
        home = burn.place if burn else None
        burned = (*self._burned_faces(), *self.burned_shown)
        at_this_place: set[Card] = set()
        for card in cards:
            if card == UNREAD:
                continue
            if not self.plan.in_deck(card):
                findings.append(Finding("foreign-card", f"{card} at {place} is no card of this deck", place))
                continue
            if card in burned and place != BURN:
                findings.append(_burned_in_play(card, place))
                continue
            before = self.faces.setdefault(card, place)
            if card in at_this_place or (before != place and {before, place} != {home, BURN}):
                findings.append(Finding("duplicate-face", f"{card} at {place} was already at {before}", place))
            elif before != place and place == BURN and card in self._shown(home):
                findings.append(_burned_in_play(card, before))
            at_this_place.add(card)
        return findings

    def _shown(self, place: Place | None) -> tuple[Card, ...]:
        hand = self.hands.get(place) if place is not None else None
        return (hand.revealed or ()) if hand else ()


def _spell(cards: tuple[Card, ...] | list[Card]) -> str:
    return " ".join(spell_cards(cards))


def _differ(place: Place, known: int | None, counted: int, who: str) -> list[Finding]:
    if known is None or known == counted:
        return []
    return [Finding("counts-differ", f"{place}: {who} {counted} cards, counted before {known}", place)]


def _burned_in_play(card: Card, place: Place) -> Finding:
    return Finding("burned-card-in-play", f"{card} was burned and lies at {place}", place)
