"""Account of every card: where it is, who counted it, which face it has.

The ledger records and compares. It returns findings; the procedure decides what they mean.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.burn import PlannedBurn
from dealer_flow.procedure.steps.due import Due
from dealer_flow.record.incidents import Incident
from dealer_flow.table.deal_book import DealBook
from dealer_flow.table.findings import FOUND, compare, differ, disagree, of_card
from dealer_flow.table.hand import Hand
from dealer_flow.table.sightings import Sightings
from protocol.cards import UNREAD, Card, spell_cards
from protocol.places import BURN, COMMUNITY, NOWHERE, REJECT_TRAY, REMAINDER, Place

BY_HAND_MOST: Final = 8
"""Most cards of a board dealt by hand: five, and one burned before flop, turn and river."""


@dataclass(slots=True)
class Dispensed:
    """A packet in the tray, or `lifted` to a place, which should have got `expected` cards by it."""

    ordinal: int
    counted: int
    cards: tuple[Card, ...]
    lifted: bool = False
    place: Place = NOWHERE
    expected: int = 0
    setting: int = 0
    """Number of cards that the device was set to dispense."""


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
    dumped: tuple[int, int] | None = None
    """Number that the device expected of the remainder, and the number it counted."""
    apart: int = 0
    """Cards of it that the device counted as a packet of its own, which was not lifted."""
    rejected: int = 0
    astray: int = 0
    """Cards of packets that were lifted when no place was due one; dead cards that were replaced during the deal."""
    shuffled_in: int = 0
    """Number of the `astray` cards that were then shuffled by hand with the rest of the deck and dealt from."""
    scrambled: bool = False
    """True if burned cards were scrambled and dealt: a burned card may be in a hand."""
    burned_shown: tuple[Card, ...] = ()
    dealt_in_all: int | None = None
    """Number of cards dealt, once no count can change."""
    faces: Sightings = field(init=False)

    def __post_init__(self) -> None:
        self.faces = Sightings(self.plan)

    # ------------------------------------------------------------------ counts

    def lift(self, packet: Dispensed, due: Due | None) -> list[Incident]:
        """Give the packet to the place that is due; None if no place was due one."""
        packet.lifted = True
        self.lifted.append(packet)
        if due is None:
            self.astray += packet.counted
            return []
        packet.place = due.place
        packet.expected = min(due.cards, packet.counted) if due.at_most else due.cards
        cards = packet.cards[::-1] if due.step in self.plan.turned else packet.cards
        self.hand(due.place).take(packet.counted, cards, due)
        return self._see(packet.cards, due.place)

    @property
    def astray_packets(self) -> list[Dispensed]:
        """Packets that were lifted when no place was due one, and were not shuffled in again."""
        return [packet for packet in self.lifted if packet.place == NOWHERE] if not self.shuffled_in else []

    def place(self, packet: Dispensed, due: Due) -> None:
        """Take one of these packets for what is due now."""
        self.astray -= packet.counted
        self.lifted.remove(packet)
        self.lift(packet, due)

    def dump(self, expected: int, counted: int) -> None:
        """Take the remainder, which is in the tray, together with any packet that was not lifted.

        The device has put that packet back and counted it with the rest, or has left it a packet; in that case
        `expected` is lower by its cards. It is part of what is left either way.
        """
        self.dumped, self.remainder, self.apart = (expected, counted), counted, 0
        if len(self.packets) > len(self.lifted):
            self.split(self.book.apart)

    def split(self, apart: int) -> None:
        """Record that the remainder counted by the device lacks this many cards of a packet that was not lifted."""
        assert self.dumped is not None, "the remainder has come"
        self.apart, self.remainder = apart, self.dumped[1] + apart

    @property
    def book(self) -> DealBook:
        """The deal by the device's own statements."""
        return DealBook(
            deck=self.deck,
            loaded=self._loaded,
            verified=self.loaded is not None,
            packets=[(packet.setting, packet.counted) for packet in self.packets.values()],
            lifted=len(self.lifted),
            rejected=self.rejected,
            remainder=self.dumped,
        )

    def draw(self, card: Card, due: Due) -> None:
        """Place a card out of a shoe where it is due. No device sees where it went, so its face is not recorded
        there."""
        self.hand(due.place).take(1, (card,), due._replace(cards=1))

    def move(self, place: Place, to: Place) -> None:
        """Move the cards of a place to another."""
        hand = self.hands[to] = self.hands.pop(place)
        hand.place, hand.judged = to, 0
        self.faces.move(place, to)

    def rename(self, homes: Mapping[Place, Place]) -> None:
        """Move the lifted packets of these places to others."""
        for packet in self.lifted:
            packet.place = homes.get(packet.place, packet.place)

    def by_hand(self, due: Due) -> None:
        """Add cards that were dealt by hand, as the dealer confirms."""
        hand = self.hand(due.place)
        hand.take(due.cards, (), due)
        hand.by_hand += due.cards

    def hand(self, place: Place) -> Hand:
        """Return the hand at a place; create it if there is none."""
        if place not in self.hands:
            self.hands[place] = Hand(place)
        return self.hands[place]

    def off(self, place: Place) -> int:
        """Return the number of cards the hand at a place has too many (too few if negative)."""
        hand = self.hands.get(place)
        return hand.counted - hand.expected if hand is not None and hand.counted is not None else 0

    def count(self, place: Place, counted: int) -> list[Incident]:
        """Take a person's count of the cards at `place`."""
        if place == REMAINDER:
            if self.shuffled_in and self._shuffled_by_hand(counted):
                return []
            known, self.remainder = self.remainder, counted
        else:
            hand = self.hands[place]
            counted += hand.set_aside
            known, hand.person_count = hand.counted, counted
            if self.plan.from_shoe and known != counted:
                self.forget_places()
        return differ(place, known, counted, "person")

    def _shuffled_by_hand(self, counted: int) -> bool:
        """Return True if this count fits the cards that were shuffled by hand and are dealt from."""
        whole = self.remainder_expected + self.shuffled_in
        if not whole - BY_HAND_MOST <= counted <= whole:
            return False
        self.remainder = self.remainder_expected
        return True

    def forget_faces(self, place: Place, cards: tuple[Card, ...]) -> None:
        """Forget that these cards were at the place, since they went back into the deck: they may be seen anywhere."""
        self.faces.forget(place, cards)
        if (hand := self.hands.get(place)) is not None:
            hand.opened = tuple(card for card in hand.opened if card not in cards)
            hand.revealed = None

    def take_away(self, hand: Hand) -> None:
        """Take away a packet that went back and was shuffled with the rest by hand; for the device it stays dealt."""
        cards = (hand.counted or 0) - hand.by_hand
        self.astray, self.shuffled_in = self.astray + cards, self.shuffled_in + cards
        self.faces.forget_place(hand.place)
        self.hands[hand.place] = Hand(hand.place, step=hand.step, anew=True, mucked=cards)

    def forget_places(self) -> None:
        """Forget the faces read by the shoe at every place, since cards did not go where they were due."""
        for hand in self.hands.values():
            hand.recognised = ()

    @property
    def unplaced(self) -> int:
        """Cards of packets that no place was due and no later report explains."""
        return self.astray - self.shuffled_in

    @property
    def dealt(self) -> int:
        """Cards dealt off the deck under account, by the counts that decide: the device's, or the only one."""
        if self.dealt_in_all is not None:
            return self.dealt_in_all
        dealt, from_hand = self.astray, self.plan.from_hand
        for hand in self.hands.values():
            counted = hand.person_count
            if counted is None:
                counted = hand.device_count or 0
            dealt += counted + hand.discarded
            if not from_hand:
                dealt -= hand.by_hand
        return dealt

    def close(self) -> None:
        """Fix all counts, since the round is over."""
        self.dealt_in_all = self.dealt

    @property
    def remainder_expected(self) -> int:
        """Number of cards that should remain; a packet never lifted is part of it."""
        return (self.plan.cards if self.loaded is None else self.loaded) - self.dealt - self.rejected

    @property
    def conserved(self) -> bool | None:
        """True if loaded == packets + remainder + rejected, None while that is unknown.

        It is unknown while the remainder is not counted, and for a shoe, which has its own ledger. It is also unknown
        for hands dealt by hand that were not counted, if the regulation says what a different number of cards left
        means; there, dead cards that were replaced may lie with those left.
        """
        if self.remainder is None or self.plan.from_shoe:
            return None
        more = self.remainder - ((self.plan.cards if self.loaded is None else self.loaded) - self.dealt - self.rejected)
        if more == 0:
            return True
        if not self.plan.from_hand or self.plan.exact_rest is None:
            return False
        if more == sum(hand.discarded for hand in self.hands.values()):
            return True
        uncounted = any(hand.person_count is None and hand.revealed is None for hand in self.hands.values())
        return None if uncounted else False

    def unbalanced(self) -> Incident:
        """Return the finding that the cards do not add up."""
        return FOUND(
            code="cards-not-conserved",
            reason="deck",
            counted=self.dealt + (self.remainder or 0) + self.rejected,
            expected=self._loaded,
            dealt=self.dealt,
            left=self.remainder,
            rejected=self.rejected,
        )

    @property
    def _loaded(self) -> int:
        return self.plan.cards if self.loaded is None else self.loaded

    # ------------------------------------------------------------------ faces

    def reject(self, card: Card) -> list[Incident]:
        """Take a card that went to the reject tray; its face is known or none."""
        self.rejected += 1
        return self._see((card,), REJECT_TRAY) if card else []

    def open(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """Turn up these of the cards at `place`; others stay face down."""
        findings: list[Incident] = []
        if (hand := self.hands.get(place)) is not None:
            findings = self._compare(hand, cards)
            hand.opened = cards
        return findings + self._see(cards, place)

    def play(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """Show the hand without what was laid aside; it is compared like this."""
        hand = self.hands[place]
        if hand.declared and {*hand.opened} <= {*hand.declared}:
            hand.opened = ()  # it was shown before its turn and taken up again
        findings = self.open(place, cards)
        hand.played = cards
        return findings

    def recall(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """Take up again a hand whose cards were shown, possibly including those set aside.

        The faces stay the hand's, but which of them are set aside is unknown.
        """
        hand = self.hands[place]
        findings = self.open(place, cards)
        hand.remember()
        return findings

    def arranged(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """Compare the cards named in a hand that is set with those known to be in it."""
        hand = self.hands.get(place)
        known = hand.revealed or hand.recognised if hand is not None else ()
        if UNREAD in known or not known:
            return []
        strange = [card for card in cards if card != UNREAD and card not in known]
        return [disagree(place, "set", strange, known)] if strange else []

    def reveal(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """Show all faces at `place`."""
        if place == BURN:
            self.burned_shown = cards
            return self._see(cards, place)
        hand = self.hands.get(place)
        if hand is None:
            return self._see(cards, place)
        findings = self._compare(hand, cards) if hand.any_known else []
        hand.revealed = cards
        findings += self._see(cards, place)
        if place in self.plan.spots:
            findings += self._out_of_order(hand, cards)
        burn = self.plan.burns.get(place)
        if burn is None:
            # The faces shown are a count that overrides the device's; a person's count overrides both.
            if hand.person_count is None and hand.device_count != len(cards):
                findings += differ(place, hand.device_count, len(cards), "shown")
                hand.device_count = len(cards)
        elif hand.burned is not None and len(cards) != hand.expected - hand.set_aside:
            shown, left = len(cards), hand.expected - hand.set_aside
            findings.append(FOUND(code="reveal-count-wrong", place=place.text, counted=shown, expected=left))
        return findings

    def _out_of_order(self, hand: Hand, cards: tuple[Card, ...]) -> list[Incident]:
        """Compare the cards on numbered spots with the order in which a device read them."""
        read = hand.recognised
        if UNREAD in read or {*read} != {*cards} or read == cards:
            return []
        texts, known = tuple(spell_cards(cards)), tuple(spell_cards(read))
        return [FOUND(code="board-order-differs", place=hand.place.text, cards=texts, known=known)]

    def contradicted(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """Compare what a person says is at a place with what a device read there; the device's reading stays."""
        return self._compare(self.hands[place], cards)

    def correct(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """Correct what was keyed for a place: the faces keyed before were never seen there."""
        hand = self.hands[place]
        self.faces.never_seen(place, set(hand.shown) - {*hand.recognised, *cards})
        whole = hand.revealed is not None
        hand.correct(cards)
        hand.revealed = None
        return self.reveal(place, cards) if whole else self.open(place, cards)

    def lay_away(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """Discard cards of a hand; a face that was seen must be among the hand's, if these are all known.

        A card that was discarded before is only reported again.
        """
        hand = self.hands[place]
        if self.plan.copies == 1:
            cards = tuple(card for card in cards if card == UNREAD or card not in hand.laid_away)
        hand.laid_away += cards
        known = hand.recognised or hand.revealed or ()
        strange = [card for card in cards if card != UNREAD and card not in known]
        if strange and known and UNREAD not in known:
            return [disagree(place, "laid-away", strange, known)]
        fresh = tuple(card for card in cards if place not in self.faces.places.get(card, ()))
        return self._see(fresh, place)

    def confirm_burn(self, place: Place, positions: frozenset[int]) -> list[Incident]:
        """Burn these positions, counted from the dealer's left: the cards there must not be seen anywhere else."""
        hand = self.hands[place]
        hand.burned = positions
        homes = {place, BURN}
        found = [(card, set(self.faces.places.get(card, ())) - homes) for card in self._burned_faces(hand)]
        return [of_card("burned-card-in-play", card, min(elsewhere)) for card, elsewhere in found if elsewhere]

    def playing(self, place: Place) -> tuple[Card, ...]:
        """Return the cards at a place that play, without burned ones; none before the burn that is due there."""
        hand, burn = self.hands.get(place), self.plan.burns.get(place)
        if hand is None or (burn is not None and hand.burned is None):
            return ()
        if hand.revealed is not None or burn is None or hand.burned is None:
            return hand.cards
        if len(hand.recognised) == hand.expected and not hand.opened:
            kept = _indexes(burn, frozenset(range(1, burn.size + 1)) - hand.burned)
            return tuple(hand.recognised[index] for index in (*kept, *range(burn.size, hand.expected)))
        left = (hand.counted or 0) - len(hand.burned) - len(hand.opened)
        return hand.opened + (UNREAD,) * max(left, 0)

    def community(self) -> tuple[Card, ...]:
        """Return the community cards that play."""
        return self.playing(COMMUNITY)

    def burned_cards(self) -> tuple[Card, ...]:
        """Return the burned cards, `??` for each that was not read."""
        if self.burned_shown:
            return self.burned_shown
        if self.scrambled:
            return (UNREAD,) * self.burned_left
        cards: tuple[Card, ...] = ()
        for hand in self.hands.values():
            if hand.burned is not None:
                cards += self._burned_faces(hand) or (UNREAD,) * len(hand.burned)
        return cards + (self.hands[BURN].cards if BURN in self.hands else ())

    def burned_as_seen(self) -> tuple[Card, ...]:
        """Return the burned cards as the table has seen them: `??` for each that was not shown, even if a device read
        it."""
        if self.burned_shown:
            return self.burned_shown
        if self.scrambled:
            return (UNREAD,) * self.burned_left
        cards: tuple[Card, ...] = ()
        for hand in self.hands.values():
            if hand.burned is not None:
                cards += _as_shown(hand, self._burned_faces(hand)) or (UNREAD,) * len(hand.burned)
        return cards + (_as_shown(self.hands[BURN], self.hands[BURN].cards) if BURN in self.hands else ())

    def burned_unseen(self) -> frozenset[Card]:
        """Return the faces that devices read only on burned cards and that were not shown."""
        spread = [place for place, hand in self.hands.items() if hand.burned is not None]
        homes = {BURN, *spread}
        read = {*self._all_burned(), *(card for card, at in self.faces.places.items() if homes.issuperset(at))}
        playing = {card for place in spread for card in self.playing(place)}
        elsewhere = {card for card, at in self.faces.places.items() if not homes.issuperset(at)}
        return frozenset(read.difference(self.burned_as_seen(), playing, elsewhere, {UNREAD}))

    @property
    def burned_left(self) -> int:
        """Number of cards burned off the deck, without those that were scrambled and dealt."""
        burned = self.hands[BURN].counted or 0 if BURN in self.hands else 0
        if not self.scrambled or self.plan.from_hand:
            return burned
        return burned - sum(hand.by_hand for hand in self.hands.values())

    def lie_burned(self, cards: int) -> None:
        """Have so many cards lie burned, since others of them were dealt from there out of the hand."""
        hand = self.hand(BURN)
        hand.expected = hand.device_count = hand.by_hand = cards

    def _burned_faces(self, hand: Hand) -> tuple[Card, ...]:
        burn = self.plan.burns.get(hand.place)
        if burn is None or hand.burned is None or not burn.size <= len(hand.recognised) == hand.expected:
            return ()
        return tuple(hand.recognised[index] for index in _indexes(burn, hand.burned))

    def _compare(self, hand: Hand, cards: tuple[Card, ...]) -> list[Incident]:
        return compare(hand, cards, spread=hand.place in self.plan.burns)

    def _see(self, cards: tuple[Card, ...], place: Place) -> list[Incident]:
        if not cards:
            return []
        burned = self._all_burned() if self.plan.copies == 1 and not self.scrambled else ()
        return self.faces.see(cards, place, self.hands, burned)

    def _all_burned(self) -> tuple[Card, ...]:
        cards = self.burned_shown
        for place in self.plan.burns:
            if place in self.hands and self.hands[place].recognised:
                cards += self._burned_faces(self.hands[place])
        return cards + (self.hands[BURN].recognised if BURN in self.hands else ())


def _as_shown(hand: Hand, burned: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return the faces of `burned`, cards of this hand, with `??` for those not shown. Of two with the same face, the
    one that plays counts as shown."""
    shown = (*hand.shown, *hand.declared)
    if not shown or {*burned}.isdisjoint(shown):
        return (UNREAD,) * len(burned)
    left = Counter(shown) - (Counter(hand.recognised) - Counter(burned))
    return tuple(card if left[card] else UNREAD for card in burned)


def _indexes(burn: PlannedBurn, positions: frozenset[int]) -> list[int]:
    """Return indexes in the packet, top card 0, in the order of the positions from the left."""
    return [burn.from_top(position) for position in sorted(positions) if 1 <= position <= burn.size]
