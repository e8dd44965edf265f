"""Findings of the ledger as incidents without a clause: counts that differ, faces that disagree, a wrong card."""

from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Final

from dealer_flow.record.incidents import UNJUDGED, Incident
from dealer_flow.table.hand import Hand
from protocol.cards import UNREAD, Card, spell_cards
from protocol.places import Place

FOUND: Final = partial(Incident, clause=UNJUDGED)


def differ(place: Place, known: int | None, counted: int, who: str) -> list[Incident]:
    """Return the finding for two different counts of a place; none if they are equal, or there was none before."""
    if known is None or known == counted:
        return []
    return [FOUND(code="counts-differ", reason=who, place=place.text, counted=counted, expected=known)]


def disagree(place: Place, reason: str, cards: Iterable[Card], known: Iterable[Card]) -> Incident:
    """Return the finding for faces at a place that differ from those known."""
    texts, before = tuple(spell_cards(cards)), tuple(spell_cards(known))
    return FOUND(code="faces-disagree", reason=reason, place=place.text, cards=texts, known=before)


def of_card(code: str, card: Card, place: Place, *, reason: str = "", before: Place | None = None) -> Incident:
    """Return a finding about one card at a place."""
    other = before.text if before is not None else None
    return FOUND(code=code, reason=reason, place=place.text, cards=(card.text,), other_place=other)


def compare(hand: Hand, cards: tuple[Card, ...], *, spread: bool) -> list[Incident]:
    """Compare the faces shown with those recognized and those shown before; an unread card matches any.

    Of a packet that is `spread` for a burn fewer may be shown later.
    """
    findings: list[Incident] = []
    where, before = hand.place, hand.revealed
    if before is not None and not (set(before) == set(cards) or (spread and set(cards) < set(before))):
        findings.append(disagree(where, "shown-before", cards, before))
    if hand.opened and not hand.discarded and UNREAD not in cards:
        covered = [card for card in hand.opened if card != UNREAD and card not in cards]
        if covered:
            findings.append(disagree(where, "lay-open", cards, covered))
    if hand.declared:
        others = Counter(card for card in cards if card != UNREAD) - Counter(hand.declared)
        if others.total() > hand.unseen:
            findings.append(disagree(where, "declared", cards, hand.declared))
    if hand.recognised and UNREAD not in hand.recognised:
        strange = [card for card in cards if card != UNREAD and card not in hand.recognised]
        if strange:
            findings.append(disagree(where, "dispensed", strange, hand.recognised))
    return findings
