"""A supervisor's correction: the round is replayed as if the cards had been keyed right.

The reports are kept since the last moment between two rounds. They are taken again from there; the readings that a
person keyed for the place, and the counts of its cards, are replaced by the right ones, while what a device read or
counted stays. So nothing that followed only from the wrong reading is left. What was done at the table since cannot be
replayed: if anything there depends on the wrong reading, the correction is refused.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

import devices.events as e
from dealer_flow.play.order.bets import takes_back
from dealer_flow.play.reports.saved_state import FlowState
from dealer_flow.record.incidents import Incident
from dealer_flow.table.hand import Hand, corrected
from dealer_flow.table.round import Round
from devices.events import Mishap, Seen
from protocol.cards import UNREAD, Card, spell_cards
from protocol.places import MUCK, Place

REPORTS_MAX: Final = 10_000
"""Most reports kept since the last moment between two rounds; a round with more reports before it cannot be replayed.
"""

_AS_PLAYED: Final = (
    *("number", "in_play", "active", "passed_by", "burns", "splits", "drawn", "first"),
    *("from_shoe", "dealt_by_hand", "stub_due", "unburned"),
)
"""Fields of a round that record what was done at the table: a replay must leave them as they are."""
_CARDS_IN: Final = (e.DeckLoaded, e.DeckVerified)
_DEALT: Final = (e.PacketLifted, e.CardDrawn, e.CardUnread, e.CardPushedBack, e.Confirmed)
_SHOE_FILLED: Final = (e.ShoeLoaded, e.ShoeEnded)
_CHANGED_SINCE: Final = ("nothing_ruled_since", "bets_left_alone", "cards_not_mucked")
"""Conditions that something done after the wrong reading breaks."""


@dataclass(slots=True)
class RoundReports:
    """Reports since the flow stood between two rounds. `base` is its state then, None for the beginning. `ruled` are
    the indexes of the reports that were a supervisor's ruling."""

    base: FlowState | None = None
    reports: deque[Seen] = field(default_factory=lambda: deque(maxlen=REPORTS_MAX + 1))
    ruled: set[int] = field(default_factory=set)
    again: bool = False
    """True while the round is being replayed."""

    @property
    def whole(self) -> bool:
        """True while no report has been dropped."""
        return len(self.reports) <= REPORTS_MAX

    def note_ruling(self, body: e.Body) -> None:
        """Record that the next report, which comes while a ruling is due, may be that ruling."""
        if isinstance(body, e.Confirmed | e.MisdealCalled):
            self.ruled.add(len(self.reports))

    def drop(self, seen: Seen) -> None:
        """Drop this report, the last one, since it had no effect."""
        if self.whole and self.reports and self.reports[-1] is seen:
            self.reports.pop()


def keyed_alone(round_: Round, body: e.HandCorrected) -> bool:
    """Return True if the place has faces or a count that a person keyed, and no device read other faces."""
    hand = round_.ledger.hands.get(body.place)
    return hand is not None and (not hand.shown or (hand.keyed and hand.may_be(body.cards)))


def needs_cure(round_: Round, body: e.HandCorrected) -> bool:
    """Return True if something was found that another reading of this place may undo."""
    place, hand = body.place, round_.ledger.hands[body.place]
    dead = place.seat in round_.dead or round_.plan.kind(place) in round_.dead_hands
    wrong_count = _whole(hand) and hand.person_count is not None and hand.person_count != len(body.cards)
    waits = any(ruling.place == place for ruling in round_.rulings)
    return round_.over or round_.house_wrong or dead or waits or wrong_count or counts_only(body)


def counts_only(body: e.HandCorrected) -> bool:
    """Return True for a correction without faces, which corrects the number of cards."""
    return all(card == UNREAD for card in body.cards)


def _whole(hand: Hand) -> bool:
    """Return True if a correction concerns all cards of the hand, not only those that are visible."""
    return hand.revealed is not None or not hand.opened


@dataclass(slots=True)
class Amendment:
    """The change that a correction makes to the reports as they are replayed."""

    body: e.HandCorrected
    number: int
    place: Place
    keyed: tuple[Card, ...]
    step: str
    expected: int
    whole: bool
    made: bool = False
    """True once a report was changed."""
    dealt: bool = False
    """True once cards were dealt after that."""
    broken: str = ""
    """Condition that a later report breaks; empty if none."""

    @classmethod
    def of(cls, round_: Round, body: e.HandCorrected) -> "Amendment":
        """Return the change that this correction makes in the round."""
        hand = round_.ledger.hands[body.place]
        whole = _whole(hand) or counts_only(body)
        return cls(body, round_.number, body.place, hand.shown, hand.step, hand.expected, whole)

    def report(self, again: Round, seen: Seen, *, ruled: bool) -> Seen | None:
        """Return one report as it must be replayed, or None for an earlier correction of the place.

        Notes the condition that the report breaks, if any.
        """
        body = seen.body
        if not again.in_play or again.number != self.number:
            return seen
        self.dealt |= self.made and isinstance(body, _DEALT)
        if self.made and not self.broken:
            self.broken = _breaks(again, self.place, body, ruled=ruled)
        right: e.Body = body
        if isinstance(body, e.HandCorrected) and body.place == self.place:
            return None
        if isinstance(body, e.CardsCounted) and body.place == self.place and self._now(again) and self.whole:
            right = replace(body, counted=len(self.body.cards))
        elif isinstance(body, e.HandRevealed) and body.place == self.place and body.keyed:
            right = replace(body, cards=self._faces(again, body.cards))
        if right == body:
            return seen
        self.made = True
        return replace(seen, body=right)

    def _now(self, again: Round) -> bool:
        """Return True if no card has come to the hand since it was corrected."""
        hand = again.ledger.hands.get(self.place)
        return hand is not None and (hand.step, hand.expected) == (self.step, self.expected)

    def _faces(self, again: Round, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        if counts_only(self.body):
            return cards
        right = self.body.cards
        first = len(self.keyed) == len(right) and cards == right[: len(cards)]  # the cards that lay open at that time
        if first or sorted(cards) == sorted(right):
            return cards
        swapped = corrected(cards, self.keyed, right)
        same = len(cards) in (len(self.keyed), len(right)) and sorted(swapped) != sorted(right)
        return right if same and self._now(again) else swapped


def _breaks(again: Round, place: Place, body: e.Body, *, ruled: bool) -> str:
    """Return the condition of a correction that this report, made after the wrong reading, breaks; empty if none."""
    if ruled or isinstance(body, e.MisdealCalled):
        return _CHANGED_SINCE[0]
    if isinstance(body, e.WagerPlaced | e.WagerOn) and (bet := again.plan.bets.get(body.bet)) is not None:
        lies = again.wagers.get(body.seat, {}).get(bet.name, 0)
        if isinstance(body, e.WagerOn):
            lies = min(lies, sum(again.propositions.get(body.seat, {}).get(bet.name, {}).values()))
        chosen = takes_back(again, body.seat, bet.name) or bet.placed == "before-extra"
        return _CHANGED_SINCE[1] if body.cents < lies and not chosen else ""
    mucked = isinstance(body, e.HandRevealed | e.CardsCounted | e.CardsDiscarded) and body.place == MUCK
    if isinstance(body, e.CardMishandled):
        mucked = body.place == place and body.how == Mishap.RETURNED_TO_DECK
    mucked |= isinstance(body, _CARDS_IN) and body.deck == again.ledger.deck
    return _CHANGED_SINCE[2] if mucked or isinstance(body, _SHOE_FILLED) else ""


def refused(before: Round, after: Round, change: Amendment) -> str:
    """Return the condition that the replayed round breaks; empty if the correction can be applied."""
    if change.broken:
        return change.broken
    if after.number != before.number or not after.in_play:
        return "follows_as_played"
    hand, right = after.ledger.hands.get(change.place), change.body.cards
    cured = hand is not None and (
        (hand.counted or 0) - hand.set_aside == len(right) if counts_only(change.body) else hand.shown == right
    )
    fresh = [found for found in after.incidents if found not in before.incidents and found.unreliable]
    spoilt = any((found.code, found.place) != ("reveal-count-wrong", change.place.text) for found in fresh)
    idle = counts_only(change.body) and not change.made
    alike = _dealt(before, change) == _dealt(after, change) and _chosen(before, after)
    return "" if cured and alike and not (spoilt or idle) else "follows_as_played"


def _dealt(round_: Round, change: Amendment) -> tuple[object, ...]:
    """Return everything done with cards in the round so far, for comparison; for the corrected place only the cards
    that came there.

    The counts decide where a card of a shoe belongs: another count changes that as long as no further card was dealt.
    """
    ledger, dealt = round_.ledger, change.dealt
    hands = {
        place: (hand.shown, hand.laid_away, *((hand.counted, hand.expected) if dealt else ()))
        for place, hand in ledger.hands.items()
        if place != change.place
    }
    own = ledger.hands.get(change.place)
    mine = (own.expected if dealt else 0, own.laid_away, own.anew) if own is not None else None
    packets = [(packet.ordinal, packet.place, packet.counted) for packet in ledger.lifted]
    piles = (ledger.remainder, ledger.astray, ledger.shuffled_in, ledger.rejected)
    marks = {index: mark for index, mark in round_.marks.items() if dealt or mark.why == "back"}
    return (hands, mine, packets, piles, marks, *(getattr(round_, name) for name in _AS_PLAYED))


def _chosen(before: Round, after: Round) -> bool:
    """Return True if every choice and bet is unchanged and none is held that was not held before.

    A choice that did not count because a hand was thought dead may have come to count.
    """
    held = all(bets.keys() <= before.held.get(number, {}).keys() for number, bets in after.held.items())
    made = all(chosen.items() <= after.choices.get(number, {}).items() for number, chosen in before.choices.items())
    return held and made and all(bets.items() <= after.wagers.get(n, {}).items() for n, bets in before.wagers.items())


def on_record(before: Round, after: Round, body: e.HandCorrected, seen: Seen) -> None:
    """Complete the replayed round `after`: what was found `before` stays on record, with who corrected what."""
    hand, fresh = before.ledger.hands[body.place], after.incidents
    cured = [found for found in before.incidents if found not in fresh and found.code in _CURED]
    done = correction(hand, body, next(iter(cured), None))
    after.incidents = []
    after.report(done, seen)
    after.incidents[:0] = before.incidents
    after.incidents += [found for found in fresh if found not in before.incidents]


def correction(hand: Hand, body: e.HandCorrected, cured: Incident | None = None) -> Incident:
    """Return the incident of the correction: both readings or counts, and the first finding that it undid, with its
    clause."""
    count, before = len(body.cards), (hand.counted or 0) - hand.set_aside
    named = not counts_only(body)
    differs = not named or (_whole(hand) and count != before)
    return Incident(
        code="hand-corrected",
        clause="procedure" if cured is None else cured.clause,
        place=body.place.text,
        cards=tuple(spell_cards(body.cards)) if named else (),
        known=tuple(spell_cards(hand.shown)) if named else (),
        counted=count if differs else None,
        expected=before if differs else None,
        badge=body.badge,
        level=body.level,
        cause=cured,
    )


_CURED: Final = frozenset(
    {
        *("seat-count-wrong", "dealer-count-wrong", "community-count-wrong", "hand-count-wrong", "burn-count-wrong"),
        *("duplicate-face", "foreign-card", "stray-joker", "boxed-card", "faces-disagree", "cards-not-conserved"),
        *("burned-card-in-play", "burned-card-in-muck", "reveal-count-wrong", "forced-draw-wrong", "discards-wrong"),
    }
)
"""Findings that another reading of a hand may undo."""
