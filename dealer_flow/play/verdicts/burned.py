"""Verdicts on cards burned while no burn was due, as the shoe says it or a person reports, counts or shows it.

47.1-1025 keeps a burned card apart, and no clause voids a hand for it.
"""

from dealer_flow.play.course import burns, laying
from dealer_flow.play.verdicts.verdicts import count_code, judge
from dealer_flow.record.incidents import UNJUDGED, Incident
from dealer_flow.table.round import Round
from devices.events import Seen
from protocol.cards import Card
from protocol.places import BURN, Place


def is_burn(round_: Round, place: Place) -> bool:
    """Return True if a card that came early at a place was burned: no other is known that came before its time."""
    if place == BURN:
        return round_.plan.extra_burn is not None or round_.plan.burned is not None
    return round_.plan.extra_burn is not None and (not laying.spares(round_) and burns.last_is_early(round_))


def lies_apart(round_: Round) -> bool:
    """Return True if a card that is burned now is burned while no burn is due, and is kept apart."""
    if round_.plan.extra_burn is None or round_.due == BURN:
        return False
    return round_.in_play or burns.before_start(round_)


def burn_now(round_: Round, card: Card, seen: Seen) -> None:
    """Burn a card while no burn is due: before its time, or one too many."""
    before = burns.extra(round_)
    burns.burn_now(round_, card)
    _judge(round_, before, seen)


def judge_reported(round_: Round, card: Card | None, seen: Seen) -> None:
    """Judge a card of which a person says that it was burned while none was due; its face is known or none."""
    before = burns.extra(round_)
    if round_.plan.extra_burn is not None and round_.plan.from_shoe:
        burns.claim(round_, card)
    _judge(round_, before, seen)


def judge_counted(round_: Round, counted: int, seen: Seen) -> None:
    """Judge a person's count of the burned cards, if it is more than are known to lie there."""
    known = round_.ledger.hands[BURN].counted or 0 if BURN in round_.ledger.hands else 0
    if round_.plan.extra_burn is None or not round_.plan.from_shoe or counted <= known:
        return
    before = burns.extra(round_)
    burns.count(round_, counted - known)
    _judge(round_, before, seen)


def judge_shown(round_: Round, cards: tuple[Card, ...], seen: Seen) -> None:
    """Judge community cards that are shown: they may tell that a card taken for one of them was burned."""
    before = burns.extra(round_)
    if round_.plan.extra_burn is not None and burns.shown_extra(round_, cards):
        _judge(round_, before, seen)


def _judge(round_: Round, before: int, seen: Seen) -> None:
    """Report a burn too many if there were fewer of them before, otherwise one that came before its time."""
    care, policy = round_.plan.procedure.care, round_.plan.extra_burn
    extra, number = burns.extra(round_), burns.early(round_)
    if policy is not None and extra > before:
        counted = round_.ledger.hands[BURN].counted or 0
        wrong = Incident(
            code=count_code(BURN.text), clause=UNJUDGED, place=BURN.text, counted=counted, expected=counted - extra
        )
        judge(round_, policy, BURN, wrong, seen)
        return
    if number is None and extra:
        return  # a person reports the card too many, which is on record
    rule = care.burned or care.extra_burn
    clause = rule.clause if rule is not None else round_.plan.clause
    reason = "reported" if number is None else "lies-apart"
    round_.report(Incident(code="burned-early", clause=clause, reason=reason, place=BURN.text, number=number), seen)
