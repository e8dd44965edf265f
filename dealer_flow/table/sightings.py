"""Places where each face was seen, to find duplicates, burned cards in play and foreign cards."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dealer_flow.procedure.plan import Plan
from dealer_flow.record.incidents import Incident
from dealer_flow.table.findings import of_card
from dealer_flow.table.hand import Hand
from protocol.cards import FACE_UP, UNREAD, Card
from protocol.places import BURN, MUCK, Place


@dataclass(slots=True)
class Sightings:
    """Places of each face; a place occurs as often as the face was there at once."""

    plan: Plan
    places: dict[Card, tuple[Place, ...]] = field(default_factory=dict)

    def move(self, place: Place, to: Place) -> None:
        """Move the cards seen at a place to another."""
        self.places = {card: tuple(to if at == place else at for at in places) for card, places in self.places.items()}

    def forget(self, place: Place, cards: Iterable[Card]) -> None:
        """Forget these cards at the place, once each: they may be seen anywhere."""
        for card in cards:
            places = list(self.places.pop(card, ()))
            if place in places:
                places.remove(place)
            if places:
                self.places[card] = tuple(places)

    def forget_place(self, place: Place) -> None:
        """Forget the faces of all cards seen at a place, which went back."""
        self.places = {card: places for card, places in self.places.items() if place not in places}

    def never_seen(self, place: Place, cards: Iterable[Card]) -> None:
        """Forget these faces at the place, since they were never there."""
        for card in cards:
            left = tuple(at for at in self.places.get(card, ()) if at != place)
            if left:
                self.places[card] = left
            else:
                self.places.pop(card, None)

    def see(
        self, cards: tuple[Card, ...], place: Place, hands: Mapping[Place, Hand], burned: tuple[Card, ...]
    ) -> list[Incident]:
        """Record cards seen at a place, and return what is wrong with them.

        `hands` tell what was shown of a spread packet, and forget the face of a card that is not of the deck; what was
        `burned` must not be seen anywhere else.
        """
        fresh = dict.fromkeys(cards, (place,))
        if (
            len(fresh) == len(cards)
            and self.places.keys().isdisjoint(cards)
            and self.plan.deck_faces.issuperset(cards)
            and (not burned or place == BURN or fresh.keys().isdisjoint(burned))
        ):
            self.places.update(fresh)  # fast path: every face is seen for the first time
            return []
        findings: list[Incident] = []
        homes = self.plan.burns.keys()
        for index, card in enumerate(cards):
            if card == UNREAD:
                continue
            if not self.plan.in_deck(card):
                findings += self._strange(card, place, hands)
                continue
            if card in burned and place != BURN:
                muck = place == MUCK
                code, reason = ("burned-card-in-muck", "lies-there") if muck else ("burned-card-in-play", "")
                findings.append(of_card(code, card, place, reason=reason))
                continue
            places = self.places.get(card, ())
            if cards[: index + 1].count(card) <= places.count(place):
                continue
            if place == BURN and (home := next((at for at in places if at in homes), None)) is not None:
                if card in _shown(hands.get(home)):
                    findings.append(of_card("burned-card-in-play", card, home))
                self.places[card] = tuple(BURN if at == home else at for at in places)
                continue
            self.places[card] = (*places, place)
            if len(places) >= self.plan.copies or self._twice_of_one(places, place):
                findings.append(of_card("duplicate-face", card, place, reason="two-places", before=places[0]))
        return findings

    def _twice_of_one(self, places: tuple[Place, ...], place: Place) -> bool:
        """Return True if a deck dealt by hand along with a shoe has given this face before."""
        alone = self.plan.of_hand_deck
        return self.plan.kind(place) in alone and any(self.plan.kind(at) in alone for at in places)

    def _strange(self, card: Card, place: Place, hands: Mapping[Place, Hand]) -> list[Incident]:
        """Return the finding for a card that is not of this deck.

        A joker or a boxed card is replaced by another card: it is reported once, and its hand may then hold another
        face.
        """
        code = "stray-joker" if card.is_joker else "boxed-card" if card == FACE_UP else "foreign-card"
        if code != "foreign-card":
            if place in self.places.get(card, ()):
                return []
            self.places[card] = (*self.places.get(card, ()), place)
            if (hand := hands.get(place)) is not None:
                hand.recognised = tuple(UNREAD if face == card else face for face in hand.recognised)
        return [of_card(code, card, place, reason="deck" if code == "foreign-card" else "device")]


def _shown(hand: Hand | None) -> tuple[Card, ...]:
    return (hand.revealed or hand.opened) if hand else ()
