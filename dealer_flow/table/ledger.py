"""Every card accounted for: where it is, who counted it, which face it has.

The ledger records and compares. It returns what it finds; what a finding means is the procedure's business.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.burn import PlannedBurn
from dealer_flow.procedure.steps.due import Due
from dealer_flow.record.incidents import UNJUDGED, Incident
from protocol.cards import FACE_UP, UNREAD, Card, spell_cards
from protocol.places import BURN, COMMUNITY, MUCK, NOWHERE, REJECT_TRAY, REMAINDER, Place

_FOUND: Final = partial(Incident, clause=UNJUDGED)
BY_HAND_MOST: Final = 8
"""Cards at most that a board takes which is dealt by hand: five, and one burned before flop, turn and river."""


@dataclass(slots=True)
class Dispensed:
    """A packet in the tray, or `lifted` to a place, which should have got `expected` cards by it."""

    ordinal: int
    counted: int
    cards: tuple[Card, ...]
    lifted: bool = False
    place: Place = NOWHERE
    expected: int = 0


@dataclass(slots=True)
class Hand:
    """The cards at one place. `expected` should lie there now, burned ones included.

    Three may count them: the device as it dealt them, the faces shown, a person. The person's count holds over the
    faces' and the faces' over the device's.
    """

    place: Place
    expected: int = 0
    device_count: int | None = None
    person_count: int | None = None
    by_hand: int = 0
    """Cards among them that no device dealt."""
    discarded: int = 0
    """Cards that were exchanged for others."""
    laid_away: tuple[Card, ...] = ()
    """Those of them whose laying away was reported, `??` where the face was not seen."""
    recognised: tuple[Card, ...] = ()
    """What the device read, in the order dealt, discarded cards among them; `??` for a card it did not read."""
    opened: tuple[Card, ...] = ()
    """What lies open before the hands are shown."""
    declared: tuple[Card, ...] = ()
    """Faces that were shown before a card left the hand or joined it, in the order shown: its first ones stay."""
    unseen: int = 0
    """Cards that may lie there and are none of these: not shown then, or come since."""
    aside: int = 0
    """Cards that lie apart, face down, until the hand without them was compared."""
    played: tuple[Card, ...] = ()
    """The hand as it was shown without them."""
    revealed: tuple[Card, ...] | None = None
    keyed: bool = False
    """A person typed in what was revealed."""
    burned: frozenset[int] | None = None
    """Positions from the dealer's left that were burned; None while no burn was confirmed."""
    step: str = ""
    """The step that gave the last cards."""
    anew: bool = False
    """Its packet went back; it is dealt anew by hand."""
    mucked: int = 0
    """How many cards that packet had."""
    counted_at: int = 0
    """How many cards of a shoe had been drawn when a person counted it."""
    judged: int = 0
    """By how many cards the hand was too long, or below zero too short, when it was last judged."""

    @property
    def counted(self) -> int | None:
        """The count that holds."""
        if self.person_count is not None:
            return self.person_count
        return self.device_count

    @property
    def set_aside(self) -> int:
        """How many of the cards were burned."""
        return len(self.burned or ())

    @property
    def cards(self) -> tuple[Card, ...]:
        """Faces as shown, else as recognised, else unread; as many as were counted."""
        if self.revealed is not None:
            return self.revealed
        if self.recognised and not self.discarded:
            return self.recognised
        if self.recognised and self.discarded == len(self.laid_away) and set(self.laid_away) <= {*self.recognised}:
            return _less(self.recognised, self.laid_away)
        return self.opened + (UNREAD,) * ((self.counted or 0) - len(self.opened))

    def may_be(self, cards: tuple[Card, ...]) -> bool:
        """False when the device read every card as it came, and one of these was not among them."""
        read = self.recognised
        return not read or UNREAD in read or all(card in read for card in cards if card != UNREAD)

    @property
    def laid_aside(self) -> tuple[Card, ...]:
        """The cards that lay apart, `??` where the hand without them was not shown or they were not turned over."""
        if not self.played or self.revealed is None:
            return (UNREAD,) * self.aside
        apart = list(self.revealed)
        for card in self.played:
            if card in apart:
                apart.remove(card)
        return tuple(apart)

    def remember(self) -> None:
        """What was shown so far is kept as declared, and no longer says what lies there."""
        shown = tuple(card for card in self.revealed or self.opened if card != UNREAD)
        if shown:
            self.declared, self.unseen = shown, (self.counted or len(shown)) - len(shown)
        self.opened, self.revealed = (), None

    def lay_aside(self, cards: int) -> None:
        """Cards were laid apart; they stay the hand's."""
        self.remember()
        self.aside += cards

    def lay_down(self, cards: int) -> None:
        """Cards were discarded for good."""
        self.remember()
        self.expected -= cards
        self.discarded += cards
        self.device_count = (self.device_count or 0) - cards
        if self.person_count is not None:
            self.person_count -= cards

    def kill(self) -> None:
        """One card is dead and leaves the hand; the next is to take its place."""
        self.discarded += 1
        self.judged -= 1
        self.device_count = (self.device_count or 0) - 1
        if self.person_count is not None:
            self.person_count -= 1

    def lay(self, due: Due, sign: int, *, since_count: bool) -> None:
        """One card lies here more (+1) or fewer (-1) than was thought; `since_count`: it came after a count."""
        self.step = due.step or self.step
        self.expected += sign * (due.why == "deal")
        self.discarded += sign * (due.why == "exchange")
        if due.why == "exchange":
            return
        self.device_count = (self.device_count or 0) + sign
        if self.person_count is not None and since_count:
            self.person_count += sign

    def put_back(self) -> None:
        """The last card was laid back on the deck."""
        self.expected -= 1
        self.device_count = (self.device_count or 0) - 1
        self.recognised = self.recognised[:-1]

    def take(self, counted: int, cards: tuple[Card, ...], due: Due) -> None:
        """`counted` cards came for what was due."""
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


def _less(cards: tuple[Card, ...], gone: Iterable[Card]) -> tuple[Card, ...]:
    """The cards without these, each once."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return tuple(left)


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
    astray: int = 0
    """Cards of packets that were lifted when nobody was due one; dead ones that were replaced as they were dealt."""
    shuffled_in: int = 0
    """Cards among them that were then shuffled by hand with what is left, and dealt from."""
    scrambled: bool = False
    """Burned cards were scrambled and dealt: what was burned may lie in a hand."""
    burned_shown: tuple[Card, ...] = ()
    faces: dict[Card, tuple[Place, ...]] = field(default_factory=dict)
    """Where each face was seen, a place as often as the face lay there at once."""

    # ------------------------------------------------------------------ counts

    def lift(self, packet: Dispensed, due: Due | None) -> list[Incident]:
        """The packet went to whom it was due; None when nobody was due one."""
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

    def draw(self, card: Card, due: Due) -> None:
        """A card out of a shoe went to whom it was due. Nobody saw where it went, so its face is not held there."""
        self.hand(due.place).take(1, (card,), due._replace(cards=1))

    def move(self, place: Place, to: Place) -> None:
        """The cards at a place are another's from now on."""
        hand = self.hands[to] = self.hands.pop(place)
        hand.place, hand.judged = to, 0
        self.faces = {card: tuple(to if at == place else at for at in places) for card, places in self.faces.items()}

    def rename(self, homes: Mapping[Place, Place]) -> None:
        """Packets that were lifted to these places are those of others from now on."""
        for packet in self.lifted:
            packet.place = homes.get(packet.place, packet.place)

    def by_hand(self, due: Due) -> None:
        """Cards were dealt by hand, as the dealer confirms."""
        hand = self.hand(due.place)
        hand.take(due.cards, (), due)
        hand.by_hand += due.cards

    def hand(self, place: Place) -> Hand:
        """The cards at a place; from now on it holds some."""
        return self.hands.setdefault(place, Hand(place))

    def off(self, place: Place) -> int:
        """By how many cards the hand at a place is too long, or below zero too short."""
        hand = self.hands.get(place)
        return hand.counted - hand.expected if hand is not None and hand.counted is not None else 0

    def count(self, place: Place, counted: int) -> list[Incident]:
        """A person counted the cards at `place`."""
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
        return _differ(place, known, counted, "person")

    def _shuffled_by_hand(self, counted: int) -> bool:
        """True when so many may be left of what was shuffled by hand and is dealt from."""
        whole = self.remainder_expected + self.shuffled_in
        if not whole - BY_HAND_MOST <= counted <= whole:
            return False
        self.remainder = self.remainder_expected
        return True

    def forget_faces(self, place: Place, cards: tuple[Card, ...]) -> None:
        """These cards left the place for the deck: they may be seen anywhere."""
        for card in cards:
            places = list(self.faces.pop(card, ()))
            if place in places:
                places.remove(place)
            if places:
                self.faces[card] = tuple(places)
        if (hand := self.hands.get(place)) is not None:
            hand.opened = tuple(card for card in hand.opened if card not in cards)
            hand.revealed = None

    def take_away(self, hand: Hand) -> None:
        """The packet at a place went back and was shuffled with the rest by hand; the device has dealt it all the
        same."""
        cards = (hand.counted or 0) - hand.by_hand
        self.astray, self.shuffled_in = self.astray + cards, self.shuffled_in + cards
        self.faces = {card: places for card, places in self.faces.items() if hand.place not in places}
        self.hands[hand.place] = Hand(hand.place, step=hand.step, anew=True, mucked=cards)

    def forget_places(self) -> None:
        """Cards did not go where they were due: what was read off the shoe does not say where it lies."""
        for hand in self.hands.values():
            hand.recognised = ()

    @property
    def unplaced(self) -> int:
        """Cards of packets that nobody was due and nobody has spoken of since."""
        return self.astray - self.shuffled_in

    @property
    def dealt(self) -> int:
        """Cards dealt off the deck that is kept account of, by the counts that hold: the device's, or the only one."""
        dealt = self.astray
        for hand in self.hands.values():
            dealt += (hand.counted or 0) + hand.discarded - (0 if self.plan.from_hand else hand.by_hand)
        return dealt

    @property
    def remainder_expected(self) -> int:
        """What conservation of cards asks the remainder to be; a packet never lifted is part of it."""
        return self._loaded - self.dealt - self.rejected

    @property
    def conserved(self) -> bool | None:
        """Whether loaded == packets + remainder + rejected; None while the remainder is not counted, and of a shoe,
        which keeps its own books."""
        if self.remainder is None or self.plan.from_shoe:
            return None
        return self.remainder == self.remainder_expected

    def unbalanced(self) -> Incident:
        """The sum that does not come out."""
        return _FOUND(
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
        """A card went to the reject tray; its face is known or none."""
        self.rejected += 1
        return self._see((card,), REJECT_TRAY) if card else []

    def open(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """These of the cards at `place` lie open; others stay covered."""
        findings: list[Incident] = []
        if (hand := self.hands.get(place)) is not None:
            findings = self._compare(hand, cards)
            hand.opened = cards
        return findings + self._see(cards, place)

    def play(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """The hand was shown without what was laid aside; it is to be compared so."""
        findings = self.open(place, cards)
        self.hands[place].played = cards
        return findings

    def arranged(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """Cards of a hand were named as it was arranged: those of them that are known must be its own."""
        hand = self.hands.get(place)
        known = hand.revealed or hand.recognised if hand is not None else ()
        if UNREAD in known or not known:
            return []
        strange = [card for card in cards if card != UNREAD and card not in known]
        return [_disagree(place, "set", strange, known)] if strange else []

    def reveal(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """All faces at `place` were shown."""
        if place == BURN:
            self.burned_shown = cards
            return self._see(cards, place)
        hand = self.hands.get(place)
        if hand is None:
            return self._see(cards, place)
        findings = self._compare(hand, cards)
        hand.revealed = cards
        findings += self._see(cards, place)
        findings += self._out_of_order(hand, cards)
        burn = self.plan.burns.get(place)
        if burn is None:
            # Faces shown are cards that are there, whatever the device counted; a person's count still holds.
            if hand.person_count is None and hand.device_count != len(cards):
                findings += _differ(place, hand.device_count, len(cards), "shown")
                hand.device_count = len(cards)
        elif hand.burned is not None and len(cards) != hand.expected - hand.set_aside:
            shown, left = len(cards), hand.expected - hand.set_aside
            findings.append(_FOUND(code="reveal-count-wrong", place=place.text, counted=shown, expected=left))
        return findings

    def _out_of_order(self, hand: Hand, cards: tuple[Card, ...]) -> list[Incident]:
        """The cards on numbered spots, where a device read them, as they came."""
        read = hand.recognised
        if hand.place not in self.plan.spots or UNREAD in read or {*read} != {*cards} or read == cards:
            return []
        texts, known = tuple(spell_cards(cards)), tuple(spell_cards(read))
        return [_FOUND(code="board-order-differs", place=hand.place.text, cards=texts, known=known)]

    def contradicted(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """A person says these lie there, and a device read others: what was read stands."""
        return self._compare(self.hands[place], cards)

    def correct(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """What was keyed for a place was other cards: the faces keyed before were never seen there."""
        hand = self.hands[place]
        keyed = set(hand.revealed or ()) - {*hand.recognised, *hand.opened}
        for card in keyed:
            left = tuple(at for at in self.faces.get(card, ()) if at != place)
            if left:
                self.faces[card] = left
            else:
                self.faces.pop(card, None)
        hand.revealed = None
        return self.reveal(place, cards)

    def lay_away(self, place: Place, cards: tuple[Card, ...]) -> list[Incident]:
        """Cards of a hand were laid away; a face that was seen was among the hand's, where these are all known."""
        hand = self.hands[place]
        hand.laid_away += cards
        known = hand.recognised or hand.revealed or ()
        strange = [card for card in cards if card != UNREAD and card not in known]
        if strange and known and UNREAD not in known:
            return [_disagree(place, "laid-away", strange, known)]
        fresh = tuple(card for card in cards if place not in self.faces.get(card, ()))
        return self._see(fresh, place)

    def confirm_burn(self, place: Place, positions: frozenset[int]) -> list[Incident]:
        """These positions, from the dealer's left, were burned: shown or recognised, they may lie nowhere else."""
        hand = self.hands[place]
        hand.burned = positions
        homes = {place, BURN}
        found = [(card, set(self.faces.get(card, ())) - homes) for card in self._burned_faces(hand)]
        return [_of_card("burned-card-in-play", card, min(elsewhere)) for card, elsewhere in found if elsewhere]

    def playing(self, place: Place) -> tuple[Card, ...]:
        """The cards at a place that play, never the burned ones; none before the burn that is due there."""
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
        """The community cards that play."""
        return self.playing(COMMUNITY)

    def burned_cards(self) -> tuple[Card, ...]:
        """The burned cards, `??` where nobody read them."""
        if self.burned_shown:
            return self.burned_shown
        if self.scrambled:
            return (UNREAD,) * self.burned_left
        cards: tuple[Card, ...] = ()
        for hand in self.hands.values():
            if hand.burned is not None:
                cards += self._burned_faces(hand) or (UNREAD,) * len(hand.burned)
        return cards + (self.hands[BURN].cards if BURN in self.hands else ())

    @property
    def burned_left(self) -> int:
        """Cards burned off the deck, without those that were scrambled and dealt."""
        burned = self.hands[BURN].counted or 0 if BURN in self.hands else 0
        return burned - sum(hand.by_hand for hand in self.hands.values()) if self.scrambled else burned

    def _burned_faces(self, hand: Hand) -> tuple[Card, ...]:
        burn = self.plan.burns.get(hand.place)
        if burn is None or hand.burned is None or not burn.size <= len(hand.recognised) == hand.expected:
            return ()
        return tuple(hand.recognised[index] for index in _indexes(burn, hand.burned))

    def _compare(self, hand: Hand, cards: tuple[Card, ...]) -> list[Incident]:
        """Shown against recognised and against shown before; an unread card agrees with any."""
        findings: list[Incident] = []
        where, before = hand.place, hand.revealed
        spread = where in self.plan.burns
        if before is not None and not (set(before) == set(cards) or (spread and set(cards) < set(before))):
            findings.append(_disagree(where, "shown-before", cards, before))
        covered = [card for card in hand.opened if card != UNREAD and card not in cards and UNREAD not in cards]
        if covered and not hand.discarded:
            findings.append(_disagree(where, "lay-open", cards, covered))
        strange = list((Counter(card for card in cards if card != UNREAD) - Counter(hand.declared)).elements())
        if hand.declared and len(strange) > hand.unseen:
            findings.append(_disagree(where, "declared", cards, hand.declared))
        if hand.recognised and UNREAD not in hand.recognised:
            strange = [card for card in cards if card != UNREAD and card not in hand.recognised]
            if strange:
                findings.append(_disagree(where, "dispensed", strange, hand.recognised))
        return findings

    def _see(self, cards: tuple[Card, ...], place: Place) -> list[Incident]:
        findings: list[Incident] = []
        if not cards:
            return findings
        homes, alone = self.plan.burns.keys(), self.plan.copies == 1
        burned = self._all_burned() if alone and not self.scrambled else ()
        if (
            self.faces.keys().isdisjoint(cards)
            and len(set(cards)) == len(cards)
            and self.plan.deck_faces.issuperset(cards)
            and (not burned or place == BURN or set(cards).isdisjoint(burned))
        ):
            self.faces |= dict.fromkeys(cards, (place,))  # each is seen for the first time
            return findings
        for index, card in enumerate(cards):
            if card == UNREAD:
                continue
            if not self.plan.in_deck(card):
                findings += self._strange(card, place)
                continue
            if card in burned and place != BURN:
                muck = place == MUCK
                code, reason = ("burned-card-in-muck", "lies-there") if muck else ("burned-card-in-play", "")
                findings.append(_of_card(code, card, place, reason=reason))
                continue
            places = self.faces.get(card, ())
            if cards[: index + 1].count(card) <= places.count(place):
                continue
            if place == BURN and (home := next((at for at in places if at in homes), None)) is not None:
                if card in self._shown(home):
                    findings.append(_of_card("burned-card-in-play", card, home))
                self.faces[card] = tuple(BURN if at == home else at for at in places)
                continue
            self.faces[card] = (*places, place)
            if len(places) >= self.plan.copies:
                findings.append(_of_card("duplicate-face", card, place, reason="two-places", before=places[0]))
        return findings

    def _strange(self, card: Card, place: Place) -> list[Incident]:
        """A card that is none of this deck's. A joker, and one that lies face up, is a card that another takes the
        place of: found once, its hand may hold another face from then on."""
        code = "stray-joker" if card.is_joker else "boxed-card" if card == FACE_UP else "foreign-card"
        if code != "foreign-card":
            if place in self.faces.get(card, ()):
                return []
            self.faces[card] = (*self.faces.get(card, ()), place)
            if (hand := self.hands.get(place)) is not None:
                hand.recognised = tuple(UNREAD if face == card else face for face in hand.recognised)
        return [_of_card(code, card, place, reason="deck" if code == "foreign-card" else "device")]

    def _all_burned(self) -> tuple[Card, ...]:
        cards = self.burned_shown
        for hand in self.hands.values():
            if hand.burned is not None:
                cards += self._burned_faces(hand)
        return cards + (self.hands[BURN].recognised if BURN in self.hands else ())

    def _shown(self, place: Place) -> tuple[Card, ...]:
        hand = self.hands.get(place)
        return (hand.revealed or hand.opened) if hand else ()


def _indexes(burn: PlannedBurn, positions: frozenset[int]) -> list[int]:
    """Indexes in the packet, its top card 0, in the order of the positions from the left."""
    return [burn.from_top(position) for position in sorted(positions) if 1 <= position <= burn.size]


def _differ(place: Place, known: int | None, counted: int, who: str) -> list[Incident]:
    if known is None or known == counted:
        return []
    return [_FOUND(code="counts-differ", reason=who, place=place.text, counted=counted, expected=known)]


def _disagree(place: Place, reason: str, cards: Iterable[Card], known: Iterable[Card]) -> Incident:
    texts, before = tuple(spell_cards(cards)), tuple(spell_cards(known))
    return _FOUND(code="faces-disagree", reason=reason, place=place.text, cards=texts, known=before)


def _of_card(code: str, card: Card, place: Place, *, reason: str = "", before: Place | None = None) -> Incident:
    other = before.text if before is not None else None
    return _FOUND(code=code, reason=reason, place=place.text, cards=(card.text,), other_place=other)
