"""Whether a round was reported as it should be, from first to last, and what it then was."""

from functools import cache
from typing import Any, Final

from pydantic import BaseModel

from dealer_flow.decks import MINUTE_NS, Decks
from dealer_flow.express_layout import Layout, check_modelled, lay_out
from dealer_flow.plan import Plan
from dealer_flow.result import SCHEMA, Burn, Deck, Hand, NamedHand, RoundResult, Seat
from dealer_flow.schema import DecideStep
from devices.events_in_bulk import BulkRound
from protocol.cards import CARDS, UNREAD
from protocol.places import BURN, COMMUNITY, DEALER, PLACES, SEATS_MAX, Place

_TEXT: Final = tuple(card.text for card in CARDS)
_UNREAD: Final = UNREAD.text
_new: Final = object.__new__
_put: Final = object.__setattr__


def made(cls: type[BaseModel], **content: Any) -> Any:
    """A record with all its fields, known to be right: nothing is checked again."""
    record = _new(cls)
    _put(record, "__dict__", content)
    _put(record, "__pydantic_fields_set__", _names(cls))
    _put(record, "__pydantic_extra__", None)
    _put(record, "__pydantic_private__", None)
    return record


@cache
def _names(cls: type[BaseModel]) -> set[str]:
    """The fields of a record, one set for all of its kind: they are frozen, so nobody adds to it."""
    return set(cls.model_fields)


class WholeRounds:
    """Judges the rounds of one procedure. Unmodelled names the step that it does not know."""

    def __init__(self, plan: Plan, table: str) -> None:
        self._plan, self._table = plan, table
        check_modelled(plan)
        self._layouts: dict[tuple[int, ...], Layout] = {}
        self._deck = frozenset(range(256)) - {int(card) for card in CARDS if not plan.in_deck(card)}
        self._minutes = plan.procedure.care.count_every.minutes if plan.procedure.care.count_every else 0
        self._burn_size = sum(len(burn.positions) for burn in plan.burns.values())
        self._entering = plan.entering
        self._before = {number: bet.name for number, bet in plan.bets.items() if bet.placed == "before-deal"}
        self._later = {number: bet.name for number, bet in plan.bets.items() if bet.placed == "by-decision"}
        self._by_decision = frozenset(self._later.values())
        kinds = [plan.kind(place) for place in PLACES]
        order = plan.reveal_order
        self._ranks = [order.index(kind) if kind in order else len(order) for kind in kinds]
        self._burns: dict[tuple[int, tuple[int, ...], str], Burn] = {}
        self._decks: dict[tuple[int, int | None], Deck] = {}
        step = next((step for step in plan.steps if isinstance(step, DecideStep)), None)
        self._choices = {
            number: (choice.name, frozenset([choice.bet] if choice.bet else ()))
            for number, choice in plan.decisions.items()
            if step and choice.name in step.choices
        }

    def judge(self, bulk: BulkRound, decks: Decks) -> RoundResult | None:
        """The round, and what it leaves of the decks; None, and nothing changed, when it is not as it should be."""
        if len(bulk.started) != 1 or bulk.started != bulk.ended or len(bulk.dumped) != 1:
            return None
        before = bulk.order.count(b"w", 0, bulk.order.index(b"S"))
        wagers = self._bets(bulk.wagers[:before], bulk.sensors[: bulk.order.count(b"s", 0, bulk.order.index(b"S"))])
        if not wagers:
            return None
        layout = self._layout(tuple(sorted(wagers)))
        if layout.pattern.fullmatch(bulk.order) is None:
            return None
        deck, _, rest = bulk.dumped[0]
        if (
            rest != layout.remainder.counted
            or bulk.lifted != layout.lifted
            or not self._dispensed(bulk, layout, deck)
            or not self._burned(bulk)
            or any(layout.playing.get(place) != cards for place, cards in bulk.counted)
        ):
            return None
        choices = self._chosen(bulk.decisions, wagers, bulk.wagers[before:])
        if choices is None:
            return None
        shown = self._shown(bulk, layout, [number for number, name in choices.items() if name not in self._plan.folds])
        if shown is None:
            return None
        loaded = self._take_deck(bulk, deck, decks)
        if loaded is None:
            return None
        return self._result(bulk, layout, wagers, choices, shown, self._deck_of(deck, *loaded))

    # ------------------------------------------------------------------ bets and choices

    def _bets(
        self, placed: list[tuple[int, int, int]], sensors: list[tuple[int, int]]
    ) -> dict[int, dict[str, int]] | None:
        """Cents by bet name of every seat that bets."""
        wagers: dict[int, dict[str, int]] = {}
        for number, spot, cents in placed:
            bet = self._before.get(spot)
            if bet is None:
                return None
            bets = wagers.get(number)
            if bets is None:
                bets = wagers[number] = {}
            if cents:
                bets[bet] = cents
            else:
                bets.pop(bet, None)
        for number, bets in [*wagers.items()]:
            if not bets:
                del wagers[number]
            elif self._entering.isdisjoint(bets) or not 1 <= number <= self._plan.most_seats:
                return None
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
        made_by = dict(decisions)
        if len(made_by) != len(decisions) or made_by.keys() != wagers.keys():
            return None
        for number, spot, cents in later:
            bet = self._later.get(spot)
            if bet is None or not cents or number not in wagers:
                return None
            wagers[number][bet] = cents
        names: dict[int, str] = {}
        for number, which in decisions:
            choice = self._choices.get(which)
            if choice is None or choice[1] != wagers[number].keys() & self._by_decision:
                return None
            names[number] = choice[0]
        return names

    # ------------------------------------------------------------------ cards

    def _take_deck(self, bulk: BulkRound, deck: int, decks: Decks) -> tuple[int | None] | None:
        """What the device counted before it dealt the deck, and the decks' memory moved on; None, and nothing changed,
        when something of them would have to be said."""
        plan, order = self._plan, bulk.order
        alternating, oldest = plan.procedure.deck.alternating > 1, plan.oldest_deck
        if (
            deck in decks.defective
            or (alternating and decks.last == deck)
            or (oldest and decks.rounds.get(deck, 0) >= oldest)
            or any(decks.backs.get(number, back) != back for number, back in bulk.loaded)
            or (self._minutes and not self._in_time(bulk, decks))
        ):
            return None
        first = order.index(b"d")
        verified = order.count(b"v", 0, first)
        counted = {number: (expected, found) for number, expected, found in bulk.verified[:verified]}
        expected, loaded = counted.get(deck) or decks.counted.get(deck) or (plan.cards, None)
        if expected != plan.cards or loaded not in (None, plan.cards):
            return None
        for number, back in bulk.loaded:
            decks.loaded(number, back)
        for number, wanted, found in bulk.verified[:verified]:
            decks.verified(number, wanted, found)
        decks.deal(deck, alternating=alternating, oldest=oldest)
        decks.counted.pop(deck, None)
        for number, wanted, found in bulk.verified[verified:]:
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
        packets = len(layout.packets)
        expected = layout.dispensed.get(deck)
        if expected is None:
            expected = layout.dispensed[deck] = [
                (deck, packet.ordinal, packet.expected, packet.expected, 0) for packet in layout.packets
            ]
        more = bulk.dispensed[packets:]
        if bulk.dispensed[:packets] != expected or len(more) > 1:
            return False
        order = bulk.order
        return not more or (more[0][1] == packets + 1 and not more[0][4] and order.rindex(b"d") < order.index(b"r"))

    def _burned(self, bulk: BulkRound) -> bool:
        done = {}
        for place, positions, spread in bulk.burns:
            burn = self._plan.burns.get(PLACES[place])
            if burn is None or place in done or burn.from_left(positions, spread) != burn.positions:
                return False
            done[place] = True
        return len(done) == len(self._plan.burns)

    def _shown(self, bulk: BulkRound, layout: Layout, live: list[int]) -> dict[int, bytes] | None:
        """The faces at each place, in the order of the procedure, each a card of the deck, none twice."""
        shown = dict(bulk.shown)
        faces = b"".join(shown.values())
        if len(shown) != len(bulk.shown) or len(set(faces)) != len(faces) or not self._deck.issuperset(faces):
            return None
        ranks, waiting, first = self._ranks, set(live), 0
        done = [False] * (len(self._plan.reveal_order) + 1)  # the last stands for all that have no turn
        for place, found in bulk.shown:
            rank = ranks[place]
            if len(found) != layout.playing.get(place) or (live and first < rank < len(done) - 1):
                return None
            waiting.discard(place)
            done[rank] = not waiting if place <= SEATS_MAX else True
            while first < len(done) - 1 and done[first]:
                first += 1
        return shown

    # ------------------------------------------------------------------ what a round of these seats is made of

    def _layout(self, active: tuple[int, ...]) -> Layout:
        layout = self._layouts.get(active)
        if layout is None:
            layout = self._layouts[active] = lay_out(self._plan, active)
        return layout

    def _result(
        self,
        bulk: BulkRound,
        layout: Layout,
        wagers: dict[int, dict[str, int]],
        choices: dict[int, str],
        shown: dict[int, bytes],
        deck: Deck,
    ) -> RoundResult:
        plan = self._plan
        burns = tuple([self._burn(done) for done in bulk.burns])
        result: RoundResult = made(
            RoundResult,
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
            community=self._cards(COMMUNITY, layout, shown),
            burned=_spell(shown[BURN]) if BURN in shown else (_UNREAD,) * self._burn_size,
            burn=burns[0] if burns else None,
            burns=burns if len(burns) > 1 else (),
            seats=tuple([self._seat(number, layout, bets, choices, shown) for number, bets in sorted(wagers.items())]),
            dealer=self._dealer(layout, shown),
            hands=tuple([self._named(name, place, layout, shown) for name, place in plan.hands.items()]),
            remainder=layout.remainder,
            rejected=0,
            incidents=(),
            draw=None,
            shoe=None,
        )
        return result

    def _burn(self, done: tuple[int, tuple[int, ...], str]) -> Burn:
        known = self._burns.get(done)
        if known is None:
            place, positions, spread = done
            known = self._burns[done] = Burn(of=PLACES[place].text, positions=positions, spread=spread)
        return known

    def _deck_of(self, deck: int, loaded: int | None) -> Deck:
        known = self._decks.get((deck, loaded))
        if known is None:
            known = self._decks[deck, loaded] = Deck(deck=deck, loaded=loaded)
        return known

    def _cards(self, place: Place, layout: Layout, shown: dict[int, bytes]) -> tuple[str, ...]:
        """The cards at a place that play."""
        if place in shown:
            return _spell(shown[place])
        return (_UNREAD,) * layout.playing.get(place, 0)

    def _seat(
        self,
        number: int,
        layout: Layout,
        bets: dict[str, int],
        choices: dict[int, str],
        shown: dict[int, bytes],
    ) -> Seat:
        choice, size = choices[number], layout.playing[number]
        result: Seat = made(
            Seat,
            seat=number,
            status="folded" if choice in self._plan.folds else "live",
            cards=_spell(shown[number]) if number in shown else (_UNREAD,) * size,
            counted=size,
            expected=size,
            decision=choice or None,
            decisions=(),
            wagers=bets,
            returned={},
        )
        return result

    def _dealer(self, layout: Layout, shown: dict[int, bytes]) -> Hand | None:
        size = layout.sizes.get(DEALER)
        if size is None:
            return None
        hand: Hand = made(Hand, cards=self._cards(DEALER, layout, shown), counted=size, expected=size)
        return hand

    def _named(self, name: str, place: Place, layout: Layout, shown: dict[int, bytes]) -> NamedHand:
        size = layout.sizes[place]
        cards = self._cards(place, layout, shown)
        return NamedHand(name=name, place=place.text, status="live", cards=cards, counted=size, expected=size)


def _spell(faces: bytes) -> tuple[str, ...]:
    return tuple(map(_TEXT.__getitem__, faces))
