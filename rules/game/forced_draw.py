"""Check of a draw that the regulation forces on the dealer, against the cards on the table. Every bet depends on that
hand."""

from collections.abc import Sequence

from dealer_flow.procedure.must_draw import must_draw
from dealer_flow.record.details import Stage
from protocol.cards import Card, parse_card
from rules.hands.hand_spec import ForcedDraw


def wrong_draw(forced: ForcedDraw, stages: Sequence[Stage], place: str, cards: Sequence[Card]) -> str:
    """Return a phrase for a draw at `place` that breaks the rule, given the resulting `cards`; empty if it is right, or
    if the cards before it were not seen."""
    before = [each.cards for each in stages if each.place == place and each.step in forced.before]
    if not before:
        return ""
    first = tuple(parse_card(text) for text in before[-1])
    must = must_draw(forced.rows, first)
    if must is None or frozenset(first) & frozenset(cards) in must.keeps:
        return ""
    did = len(frozenset(first) - frozenset(cards))
    held, drew = " ".join(before[-1]), f"drew {did}" if did else "stood"
    return f"the {place} {drew} with {held}, and such a hand {must.row.words()} ({must.row.clause})"
