"""Hands of a round by the game's names for them: ranked once, or a phrase that says what is unknown."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import permutations, product
from typing import Any

import msgspec

from dealer_flow.record.details import Split
from dealer_flow.record.result import Hand, NamedHand, RoundResult, Seat
from protocol.cards import UNREAD, Card, parse_card
from protocol.places import COMMUNITY, DEALER
from protocol.places import seat as place_of
from rules.bets.bet import Compared
from rules.bets.hold import Hold
from rules.facts.held import FACES, faces, known_cards
from rules.facts.terms import Terms
from rules.game.forced_draw import wrong_draw
from rules.game.hand_input import best_allowed_hand
from rules.game.keep_rules import keep, load_keep
from rules.hands import Ranked
from rules.hands.hand_spec import DISCARDS, OWN, Cards, DirectHand, HandSpec, MadeHand

_OF_SEAT = frozenset({OWN, DISCARDS})
_BOARD, _DEALER = COMMUNITY.text, DEALER.text
_COVERED = UNREAD.text
JOKER = parse_card("X1")
"""The card that stands in for a card its player called any card."""
_MOST_TRIED = 2
"""Maximum number of unread cards for which every face is tried; only one where jokers are possible, because wild cards
take long to rank. With more unread cards, the hand may be anything."""
_JOKERS = ("X1", "X2")
_WHOSE_BOARD, _WHOSE_DEALER = "the community", "the dealer"


class View(msgspec.Struct, gc=False):
    """The cards on the table, as the game's hands."""

    result: RoundResult
    terms: Terms
    rulings: dict[tuple[str, int], Hold | str | None] = {}
    """Effect on bets of how a hand was set, once checked; by low hand and seat (0 for a house hand)."""
    _hands: dict[tuple[str, int], Ranked | str] = {}
    _cards: dict[tuple[str, int], tuple[Card, ...] | str] = {}
    _possible: dict[tuple[str, int], Sequence[Ranked] | None] = {}
    _shared: dict[tuple[str, str], tuple[Card, ...] | str] = {}
    compared: dict[tuple[str, str, int], Compared | str] = {}
    """Comparison of two hands, or a phrase that says what is unknown; by hand, opposing hand and seat."""
    found: dict[str, Any] = {}
    """Results that kinds of bets compute once for all seats, by a key of their own."""
    _in_order: tuple[str, ...] | None = None
    """The community in the order of its cards, once computed."""

    def hand(self, name: str, seat: Seat | None = None) -> Ranked | str:
        """Return a hand of the game, ranked: a seat's own, or one shared by all."""
        made = self.terms.hands[name]
        if not made.of_seat:
            seat = None
        key = name, seat.seat if seat is not None else 0
        found = self._hands.get(key)
        if found is None:
            known = self._plain(name, made.plain, seat) if made.plain is not None else None
            found = made.rank(known) if known is not None else self._ranked(name, made, seat)
            self._hands[key] = found
        return found

    def _ranked(self, name: str, made: MadeHand, seat: Seat | None) -> Ranked | str:
        cards, spec = self.cards(name, seat), made.spec
        if isinstance(cards, str):
            return cards
        known = self._with_jokers(spec, seat, cards) if spec.any_card else cards
        if isinstance(known, str):
            return known
        return best_allowed_hand(spec, known, made.rank) if spec.takes else made.rank(known)

    def _with_jokers(self, spec: HandSpec, seat: Seat | None, cards: tuple[Card, ...]) -> tuple[Card, ...] | str:
        """Return the cards with a joker in place of each card that its player called any card, or a phrase that says
        what is unknown."""
        split = seat.split if seat is not None else None
        called = (split.low if spec.any_card == "low" else split.rest) if split is not None else ()
        if seat is None or not called:
            return (
                f"it is not known which card of {f'seat {seat.seat}' if seat is not None else 'the hand'} "
                "counts as any card"
            )
        left = list(cards)
        for text in called:
            if (card := FACES.get(text)) not in left:
                return f"seat {seat.seat} called {text} any card and does not hold it"
            left[left.index(card)] = JOKER
        return tuple(left)

    def cards(self, name: str, seat: Seat | None = None) -> tuple[Card, ...] | str:
        """Return the cards of a hand of the game, in the order of its places."""
        made = self.terms.hands[name]
        key = name, seat.seat if seat is not None and made.of_seat else 0
        found = self._cards.get(key)
        if found is None:
            found = self._plain(name, made.plain, seat) if made.plain is not None else None
            found = self._cards[key] = self._place_cards(name, seat) if found is None else found
        return found

    def texts(self, name: str, seat: Seat) -> tuple[str, ...]:
        """Return the cards of a hand as the round writes them, `??` for an unread card; empty if the number of cards is
        unknown."""
        spec, found = self.terms.game.spec.hands[name], tuple[str, ...]()
        for place, wanted in spec.of.items():
            texts, _ = self._texts(spec, place, seat)
            if isinstance(texts, str) or len(texts) != wanted:
                return ()
            found += texts
        return found

    def possible(self, name: str, seat: Seat) -> Sequence[Ranked] | None:
        """Return each hand that a seat's hand may be, given its unread faces; None if it may be anything."""
        key = name, seat.seat
        if key not in self._possible:
            self._possible[key] = self._with_faces(name, seat)
        return self._possible[key]

    def may_be(self, name: str, seat: Seat, wanted: Callable[[Ranked], bool]) -> bool:
        """True if a seat's incomplete hand could be one that `wanted` accepts."""
        possible = self.possible(name, seat)
        return possible is None or any(map(wanted, possible))

    def _with_faces(self, name: str, seat: Seat) -> Sequence[Ranked] | None:
        made, texts = self.terms.hands[name], self.texts(name, seat)
        spec, faces_ = made.spec, FACES | {text: parse_card(text) for text in _JOKERS[: made.jokers]}
        covered = [at for at, text in enumerate(texts) if text not in faces_]
        by_more = spec.keeps or spec.fill or spec.pick or spec.any_card or spec.draw
        if not texts or len(covered) > (1 if made.jokers else _MOST_TRIED) or by_more:
            return None
        cards, hands = [faces_.get(text, JOKER) for text in texts], list[tuple[Card, ...]]()
        for filled in self._filled(faces_, len(covered)):
            for at, card in zip(covered, filled, strict=True):
                cards[at] = card
            hands.append(tuple(cards))
        return [best_allowed_hand(spec, each, made.rank) if spec.takes else made.rank(each) for each in hands]

    def _filled(self, by_text: Mapping[str, Card], covered: int) -> Iterator[tuple[Card, ...]]:
        """Yield the cards that this many unread cards may be; with one deck, none that is face up elsewhere."""
        if self.terms.game.spec.decks > 1:
            return product(by_text.values(), repeat=covered)
        lying = self._face_up_cards()
        return permutations([card for text, card in by_text.items() if text not in lying], covered)

    def _face_up_cards(self) -> Set[str]:
        """Return the cards that are face up anywhere on the table."""
        result = self.result
        hands = [each for each in (*result.seats, result.dealer, *result.hands) if each is not None]
        return {*result.community, *result.burned, *(card for hand in hands for card in (*hand.cards, *hand.discards))}

    def _place_cards(self, name: str, seat: Seat | None) -> tuple[Card, ...] | str:
        spec = self.terms.game.spec.hands[name]
        found: tuple[Card, ...] = ()
        jokers = self.terms.hands[name].jokers > 0
        hands: list[tuple[Card, ...]] = []
        for place, wanted in spec.of.items():
            if place in _OF_SEAT:
                cards = self._cards_at(spec, place, wanted, seat, jokers=jokers)
            elif spec.fill is not None:
                cards = self._cards_at(spec, place, wanted, seat, jokers=jokers, first=max(spec.fill - len(found), 0))
            elif (name, place) in self._shared:
                cards = self._shared[name, place]
            else:
                cards = self._shared[name, place] = self._cards_at(spec, place, wanted, seat, jokers=jokers)
            if isinstance(cards, str):
                return cards
            if spec.draw is not None and (wrong := wrong_draw(spec.draw, self.result.stages, place, cards)):
                return wrong
            if spec.keeps and not hands:
                cards = keep(load_keep(spec.keeps), cards).cards
            hands.append(cards)
            found += cards
        if spec.pick is not None:
            by = self.terms.game.named[spec.pick.by]
            pick = max if spec.pick.which == "highest" else min
            return pick(hands, key=lambda cards: by.rank(cards, self.terms.readings).strength)
        if spec.fill is not None and len(found) < spec.fill:
            return f"{len(found)} of {spec.fill} cards were seen of {' and '.join(spec.of)}"
        return found[: spec.fill]

    def _plain(self, name: str, plain: DirectHand, seat: Seat | None) -> tuple[Card, ...] | None:
        """Return the cards of a hand by the fast path: all cards of the seat and of the shared places are known. None
        otherwise."""
        number, others, part = plain
        if part:
            return self._direct_part(plain, seat)
        if not number:
            same = self._shared_cards(name, others)
            return None if isinstance(same, str) else same
        if seat is None or len(seat.cards) != number or not (seat.counted == number or seat.counted is None):
            return None
        try:
            own = faces(seat.cards)
        except KeyError:
            return None
        if not others:
            return own
        shared = self._shared.get((name, OWN))
        if shared is None:
            shared = self._shared[name, OWN] = self._shared_cards(name, others)
        return None if isinstance(shared, str) else own + shared

    def _direct_part(self, plain: DirectHand, seat: Seat | None) -> tuple[Card, ...] | None:
        """Return a part of a hand set in two by the fast path, without jokers; None if something is unknown."""
        hand, number = (seat, plain.own) if plain.own else (self.result.dealer, plain.others[0][1])
        if hand is None or hand.split is None:
            return None
        texts = hand.split.rest if plain.part == "rest" else hand.split.low
        if len(texts) != number:
            return None
        try:
            return faces(texts)
        except KeyError:
            return None

    def _shared_cards(self, name: str, places: Iterable[tuple[str, int]]) -> tuple[Card, ...] | str:
        """Return the cards of a hand that all seats share."""
        dealer = self.result.dealer
        found: tuple[Card, ...] = ()
        for place, wanted in places:
            if place == _DEALER and dealer is not None and (dealer.counted == wanted or dealer.counted is None):
                cards = known_cards(dealer.cards, wanted, _WHOSE_DEALER)
            elif place == _BOARD and not self.result.stages:
                cards = known_cards(self.result.community, wanted, _WHOSE_BOARD)
            else:
                cards = self._cards_at(self.terms.hands[name].spec, place, wanted, None, jokers=False)
            if isinstance(cards, str):
                return cards
            found += cards
        return found

    def _cards_at(
        self, spec: HandSpec, place: str, wanted: Cards, seat: Seat | None, *, jokers: bool, first: int | None = None
    ) -> tuple[Card, ...] | str:
        """Return the cards of one place, or a phrase that says what is unknown; for a place that fills up a hand, the
        `first` ones."""
        if place == _BOARD and first is None and not spec.at and not self.result.stages:
            return known_cards(self.result.community, wanted, _WHOSE_BOARD, jokers=jokers)
        texts, whose = self._texts(spec, place, seat)
        if isinstance(texts, str):
            return texts
        wrong = self._wrong_count(spec, place, wanted, seat)
        if wrong or first is None:
            return wrong or known_cards(texts, wanted, whose, jokers=jokers)
        return known_cards(texts[:first], first, whose, jokers=jokers) if first else ()

    def qualifies(self, name: str, seat: Seat | None = None) -> bool | str:
        """Return True if a qualifier of the game is met, or a phrase that says what is unknown."""
        qualifier = self.terms.game.spec.qualifiers[name]
        hand = self.hand(qualifier.hand, seat)
        return hand if isinstance(hand, str) else self.terms.reaches(qualifier.hand, hand, qualifier.at_least)

    def _texts(self, spec: HandSpec, place: str, seat: Seat | None) -> tuple[tuple[str, ...] | str, str]:
        """Return the cards of a place of the hand as the round writes them, and the phrase that says whose they are."""
        if place in _OF_SEAT:
            assert seat is not None, "a hand of a seat's cards is asked for a seat"
            whose = f"seat {seat.seat}"
            if place == DISCARDS:
                return seat.discards, f"the discards of {whose}"
            if not spec.at and not spec.part:
                return self._kept(seat), whose
            cards = self._recorded_cards(spec, place, place_of(seat.seat).text, self._kept(seat))
            return self._part(spec, seat, whose, cards)
        if place == _BOARD:
            return self._recorded_cards(spec, place, place, self._board()), _WHOSE_BOARD
        if place == _DEALER:
            if self.result.dealer is None:
                return "the dealer's hand was not seen", ""
            dealer = self.result.dealer
            return self._part(spec, dealer, _WHOSE_DEALER, self._recorded_cards(spec, place, place, dealer.cards))
        named = next((each for each in self.result.hands if each.name == place), None)
        if named is None:
            return f"the hand {place} was not seen", ""
        whose = f"the hand {place}"
        return self._part(spec, named, whose, self._recorded_cards(spec, place, named.place, named.cards))

    def split(self, name: str, seat: Seat) -> Split | None:
        """Return the split of the hand that contains this part; None if unknown."""
        places = self.terms.game.spec.hands[name].of
        if OWN in places:
            return seat.split
        if _DEALER in places:
            return self.result.dealer.split if self.result.dealer else None
        return next((each.split for each in self.result.hands if each.name in places), None)

    def _kept(self, seat: Seat) -> tuple[str, ...]:
        """Return the cards of a seat without its discards, if those are listed with its hand."""
        if not self._beside(seat):
            return seat.cards
        kept = list(seat.cards)
        for card in seat.discards:
            kept.remove(card)
        return tuple(kept)

    def _beside(self, seat: Seat) -> int:
        """Return the number of discards that are listed with a seat's hand."""
        together = self.terms.game.spec.laid_aside and not Counter(seat.discards) - Counter(seat.cards)
        return len(seat.discards) if together else 0

    def _board(self) -> tuple[str, ...]:
        """Return the community in the order in which its cards came, as far as the stages tell; the final reading may
        have another order."""
        if self._in_order is None:
            self._in_order = self._as_it_came()
        return self._in_order

    def _as_it_came(self) -> tuple[str, ...]:
        if not any(stage.place == _BOARD for stage in self.result.stages):
            return self.result.community
        left, found = Counter(self.result.community), list[str]()
        for stage in self.result.stages:
            if stage.place == _BOARD:
                shown = Counter(found)  # with several decks a face may occur more than once
                for card, times in Counter(stage.cards).items():
                    found += [card] * (min(times - shown[card], left[card]) if card != _COVERED else 0)
                left = Counter(self.result.community)
                left.subtract(found)
        return (*found, *left.elements())

    def _part(
        self, spec: HandSpec, hand: Hand | Seat | NamedHand, whose: str, cards: tuple[str, ...]
    ) -> tuple[tuple[str, ...] | str, str]:
        """Return the part of a hand that this hand of the game uses."""
        if not spec.part:
            return cards, whose
        if hand.split is None and spec.part == "low-or-whole":
            return cards, whose
        if hand.split is None:
            return f"how {whose} set the hand is not known", whose
        return (hand.split.rest if spec.part == "rest" else hand.split.low), f"{whose}, the {spec.part} hand"

    def _recorded_cards(self, spec: HandSpec, place: str, device_place: str, end: tuple[str, ...]) -> tuple[str, ...]:
        """Return the cards at a place at the end of this hand's step; empty if none were recorded, because the cards
        there at the end may be different ones. Other cards face down there are not included."""
        steps = spec.at.get(place)
        if steps is None:
            return end
        shown = {each.step: each.cards for each in self.result.stages if each.place == device_place}
        cards = next((shown[step] for step in steps if step in shown), ())
        wanted = spec.of[place]
        most = wanted if isinstance(wanted, int) else wanted[1]
        return cards[:most] if set(cards[most:]) <= {_COVERED} else cards

    def _wrong_count(self, spec: HandSpec, place: str, wanted: Cards, seat: Seat | None) -> str:
        """Return the error of a hand counted at a wrong number of cards although the round treats it as valid."""
        if spec.part or place in spec.at or place not in (OWN, _DEALER):
            return ""
        hand = self.result.dealer if place == _DEALER else seat
        least, most = (wanted, wanted) if isinstance(wanted, int) else wanted
        aside = self._beside(hand) if isinstance(hand, Seat) else 0
        if hand is None or hand.counted is None or least <= hand.counted - aside <= most:
            return ""
        if isinstance(hand, Seat):
            return f"seat {hand.seat} is {hand.status} with {hand.counted} cards counted"
        return f"the dealer's hand was counted at {hand.counted} cards"
