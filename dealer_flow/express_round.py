"""Whether a round was reported as it should be, from first to last, and what it then was."""

from collections import defaultdict
from typing import Final

from dealer_flow.decks import MINUTE_NS, Decks
from dealer_flow.express_layout import Layout, check_modelled, lay_out
from dealer_flow.express_records import hand_of, round_of, seat_of
from dealer_flow.plan import Plan
from dealer_flow.result import SCHEMA, Burn, Deck, Hand, NamedHand, RoundResult, Seat
from dealer_flow.schema import DecideStep
from devices.events_in_bulk import BulkRound
from protocol.cards import CARDS, UNREAD
from protocol.places import BURN, COMMUNITY, DEALER, PLACES, SEATS_MAX, Place

_UNREAD: Final = UNREAD.text
_UNKNOWN: Final = None, None
_spelled: Final = tuple(card.text for card in CARDS).__getitem__


class WholeRounds:
    """Judges the rounds of one procedure. Unmodelled names the step that it does not know."""

    def __init__(self, plan: Plan, table: str) -> None:
        self._plan, self._table = plan, table
        check_modelled(plan)
        self._layouts: dict[tuple[int, ...], Layout] = {}
        self._minutes = plan.count_every.minutes if plan.count_every else 0
        self._burn_size = sum(len(burn.positions) for burn in plan.burns.values())
        self._entering, self._numbers = plan.entering, range(1, plan.most_seats + 1)
        self._alternating, self._oldest = plan.procedure.deck.alternating > 1, plan.oldest_deck
        self._before = {number: bet.name for number, bet in plan.bets.items() if bet.placed == "before-deal"}
        self._later = {number: bet.name for number, bet in plan.bets.items() if bet.placed == "by-decision"}
        kinds = [plan.kind(place) for place in PLACES]
        order = plan.reveal_order
        self._ranks = [order.index(kind) if kind in order else len(order) for kind in kinds]
        self._burns: dict[tuple[tuple[int, tuple[int, ...], str], ...], tuple[Burn, ...]] = {}
        self._decks: dict[tuple[int, int | None], Deck] = {}
        step = next((step for step in plan.steps if isinstance(step, DecideStep)), None)
        self._choices = {
            number: (choice.name, choice.bet or None)
            for number, choice in plan.decisions.items()
            if step and choice.name in step.choices
        }

    def judge(self, bulk: BulkRound, decks: Decks) -> RoundResult | None:
        """The round, and what it leaves of the decks; None, and nothing changed, when it is not as it should be."""
        order = bulk.order
        if len(bulk.started) != 1 or bulk.started != bulk.ended or len(bulk.dumped) != 1:
            return None
        begun = order.index(b"S")
        before = order.count(b"w", 0, begun)
        wagers = self._bets(bulk.wagers[:before], bulk.sensors[: order.count(b"s", 0, begun)])
        if not wagers:
            return None
        active = tuple(sorted(wagers))
        layout = self._layouts.get(active) or self._lay_out(active)
        if layout.pattern.fullmatch(order) is None:
            return None
        deck, _, rest = bulk.dumped[0]
        burns = self._burned(bulk)
        if (
            burns is None
            or rest != layout.remainder.counted
            or bulk.lifted != layout.lifted
            or not self._dispensed(bulk, layout, deck)
        ):
            return None
        playing = layout.playing
        for place, cards in bulk.counted:
            if playing.get(place) != cards:
                return None
        choices = self._chosen(bulk.decisions, wagers, bulk.wagers[before:])
        if choices is None or not self._are_shown(bulk.shown, playing, choices):
            return None
        loaded = self._take_deck(bulk, deck, decks)
        if loaded is None:
            return None
        return self._result(bulk, layout, wagers, choices, burns, self._deck_of(deck, *loaded))

    # ------------------------------------------------------------------ bets and choices

    def _bets(
        self, placed: list[tuple[int, int, int]], sensors: list[tuple[int, int]]
    ) -> dict[int, dict[str, int]] | None:
        """Cents by bet name of every seat that bets."""
        wagers: dict[int, dict[str, int]] = defaultdict(dict)
        before = self._before
        for number, spot, cents in placed:
            if spot not in before:
                return None
            if cents:
                wagers[number][before[spot]] = cents
            else:
                wagers[number].pop(before[spot], None)
        entering, seats = self._entering, self._numbers
        for number, bets in [*wagers.items()]:
            if not bets:
                del wagers[number]
            elif entering.isdisjoint(bets) or number not in seats:
                return None
        if sensors:
            for number, lit in dict(sensors).items():
                if lit and number in wagers and self._plan.progressive not in wagers[number]:
                    return None
        return wagers

    def _chosen(
        self, decisions: list[tuple[int, int]], wagers: dict[int, dict[str, int]], later: list[tuple[int, int, int]]
    ) -> dict[int, str] | None:
        """The choice of every seat, once each, with the bet that goes with it in `wagers`."""
        if not decisions:
            return None if later else dict.fromkeys(wagers, "")
        raised: dict[int, str] = {}
        for number, spot, cents in later:
            bet = self._later.get(spot)
            if bet is None or not cents or number not in wagers or raised.setdefault(number, bet) != bet:
                return None
            wagers[number][bet] = cents
        choices, chosen = self._choices, dict[int, str]()
        for number, which in decisions:
            name, bet = choices.get(which, _UNKNOWN)
            if name is None or bet != raised.get(number):
                return None
            chosen[number] = name
        return chosen if len(chosen) == len(decisions) and chosen.keys() == wagers.keys() else None

    # ------------------------------------------------------------------ cards

    def _take_deck(self, bulk: BulkRound, deck: int, decks: Decks) -> tuple[int | None] | None:
        """What the device counted before it dealt the deck, and the decks' memory moved on; None, and nothing changed,
        when something of them would have to be said."""
        plan, order, alternating, oldest = self._plan, bulk.order, self._alternating, self._oldest
        if (
            deck in decks.defective
            or (alternating and decks.last == deck)
            or (oldest and decks.rounds.get(deck, 0) >= oldest)
            or (self._minutes and not self._in_time(bulk, decks))
        ):
            return None
        for number, back in bulk.loaded:
            if decks.backs.get(number, back) != back:
                return None
        first = order.count(b"v", 0, order.index(b"d"))
        counted = decks.counted.get(deck)
        for number, wanted, found in bulk.verified[:first]:
            if number == deck:
                counted = wanted, found
        expected, loaded = counted or (plan.cards, None)
        if expected != plan.cards or loaded not in (None, plan.cards):
            return None
        for number, back in bulk.loaded:
            decks.loaded(number, back)
        for number, wanted, found in bulk.verified[:first]:
            decks.verified(number, wanted, found)
        decks.deal(deck, alternating=alternating, oldest=oldest)
        decks.counted.pop(deck, None)
        for number, wanted, found in bulk.verified[first:]:
            decks.verified(number, wanted, found)
        if bulk.verified:
            decks.count(bulk.verified_ns)
        return (loaded,)

    def _in_time(self, bulk: BulkRound, decks: Decks) -> bool:
        """No deck is due to be counted before the round is over."""
        since_ns = decks.counted_at_ns
        return decks.count_due or (since_ns is not None and bulk.ended_ns - since_ns < self._minutes * MINUTE_NS)

    def _dispensed(self, bulk: BulkRound, layout: Layout, deck: int) -> bool:
        """Every packet has its cards, and at most one more came before the remainder."""
        expected = layout.dispensed.get(deck)
        if expected is None:
            expected = layout.dispensed[deck] = [
                (deck, packet.ordinal, packet.expected, packet.expected, 0) for packet in layout.packets
            ]
        dispensed, packets = bulk.dispensed, len(expected)
        if len(dispensed) == packets:
            return dispensed == expected
        if len(dispensed) != packets + 1 or dispensed[:packets] != expected:
            return False
        _, ordinal, _, _, faces = dispensed[packets]
        order = bulk.order
        return ordinal == packets + 1 and not faces and order.rindex(b"d") < order.index(b"r")

    def _burned(self, bulk: BulkRound) -> tuple[Burn, ...] | None:
        """The burns, when they are those of the procedure."""
        key = tuple(bulk.burns)
        known = self._burns.get(key)
        if known is None:
            done: dict[int, Burn] = {}
            for place, positions, spread in key:
                burn = self._plan.burns.get(PLACES[place])
                if burn is None or place in done or burn.from_left(positions, spread) != burn.positions:
                    return None
                done[place] = Burn(of=PLACES[place].text, positions=positions, spread=spread)
            if len(done) != len(self._plan.burns):
                return None
            known = self._burns[key] = tuple(done.values())
        return known

    def _are_shown(self, found: list[tuple[int, bytes]], playing: dict[int, int], choices: dict[int, str]) -> bool:
        """Faces are shown in the order of the procedure, each a card of the deck, none twice."""
        shown = dict(found)
        faces = b"".join(shown.values())
        seen = set(faces)
        if len(shown) != len(found) or len(seen) != len(faces) or not seen <= self._plan.deck_faces:
            return False
        ranks, folds = self._ranks, self._plan.folds
        waiting = {number for number, name in choices.items() if name not in folds}
        live, first, last = bool(waiting), 0, len(self._plan.reveal_order)
        done = [False] * (last + 1)  # the last stands for all that have no turn
        for place, cards in found:
            rank = ranks[place]
            if len(cards) != playing.get(place) or (live and first < rank < last):
                return False
            if place <= SEATS_MAX:
                waiting.discard(place)
                done[rank] = not waiting
            else:
                done[rank] = True
            while first < last and done[first]:
                first += 1
        return True

    # ------------------------------------------------------------------ what a round of these seats is made of

    def _lay_out(self, active: tuple[int, ...]) -> Layout:
        layout = self._layouts[active] = lay_out(self._plan, active)
        return layout

    def _result(
        self,
        bulk: BulkRound,
        layout: Layout,
        wagers: dict[int, dict[str, int]],
        choices: dict[int, str],
        burns: tuple[Burn, ...],
        deck: Deck,
    ) -> RoundResult:
        plan, playing = self._plan, layout.playing
        cards = {place: tuple(map(_spelled, faces)) for place, faces in bulk.shown}
        dealer = layout.sizes.get(DEALER)
        return round_of(
            schema_=SCHEMA,
            type="round",
            table=self._table,
            session=f"{bulk.sessions[0]:08x}",
            round=bulk.started[0],
            procedure=plan.ref,
            options=plan.options,
            outcome="complete",
            deck=deck,
            packets=layout.packets,
            community=cards.get(COMMUNITY) or (_UNREAD,) * playing.get(COMMUNITY, 0),
            burned=cards.get(BURN) or (_UNREAD,) * self._burn_size,
            burn=burns[0] if burns else None,
            burns=burns if len(burns) > 1 else (),
            seats=tuple(self._seats(layout, wagers, choices, cards)),
            dealer=None if dealer is None else self._dealer(dealer, playing, cards),
            hands=tuple([self._named(name, place, layout, cards) for name, place in plan.hands.items()]),
            remainder=layout.remainder,
            rejected=0,
            incidents=(),
            draw=None,
            shoe=None,
        )

    def _deck_of(self, deck: int, loaded: int | None) -> Deck:
        known = self._decks.get((deck, loaded))
        if known is None:
            known = self._decks[deck, loaded] = Deck(deck=deck, loaded=loaded)
        return known

    def _seats(
        self,
        layout: Layout,
        wagers: dict[int, dict[str, int]],
        choices: dict[int, str],
        cards: dict[int, tuple[str, ...]],
    ) -> list[Seat]:
        playing, folds = layout.playing, self._plan.folds
        seats = []
        for number in layout.active:
            choice, size = choices[number], playing[number]
            seats.append(
                seat_of(
                    number,
                    folds=choice in folds,
                    cards=cards.get(number) or (_UNREAD,) * size,
                    counted=size,
                    decision=choice or None,
                    wagers=wagers[number],
                )
            )
        return seats

    def _dealer(self, size: int, playing: dict[int, int], cards: dict[int, tuple[str, ...]]) -> Hand:
        return hand_of(cards.get(DEALER) or (_UNREAD,) * playing[DEALER], size)

    def _named(self, name: str, place: Place, layout: Layout, cards: dict[int, tuple[str, ...]]) -> NamedHand:
        size = layout.sizes[place]
        lying = cards.get(place) or (_UNREAD,) * layout.playing.get(place, 0)
        return NamedHand(name=name, place=place.text, status="live", cards=lying, counted=size, expected=size)
