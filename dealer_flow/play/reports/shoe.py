"""Handlers of reports of a shoe."""

# ruff: noqa: ARG001 - every handler has the signature of the table at the end

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import devices.events as e
from dealer_flow.play.machine.guards import clause_about, holds
from dealer_flow.play.order.shoe import is_burn
from dealer_flow.play.verdicts import dealing
from dealer_flow.play.verdicts.verdicts import (
    DECK_WRONG,
    STRAYS,
    found,
    judge,
    judge_fault,
    judge_rest,
    judge_strays,
)
from dealer_flow.procedure.plan import Policy
from dealer_flow.record.incidents import UNJUDGED, Incident
from dealer_flow.table.columns import Draw
from dealer_flow.table.round import Round
from dealer_flow.table.shoe import ShoeLedger, Shoes
from devices.events import Seen
from protocol.cards import CUT_CARD, UNREAD, Card
from protocol.faults import Fault
from protocol.places import NOWHERE, SHOE

Handler = Callable[[Round, Seen, Any], None]
"""A handler: takes the round, the report as it was seen, and its body."""

_AT_SHOE: Final = partial(Incident, place=SHOE.text)
_PROCEDURE: Final = partial(_AT_SHOE, clause="procedure")


def undecided(round_: Round) -> bool:
    """Return True while what a shoe does can still change the round."""
    draw = round_.draw
    if draw is None:
        return round_.in_play and round_.left_to_deal
    return round_.in_play and (draw.finish is None or holds("extra_open", round_))


def begun(round_: Round) -> bool:
    """Return True once a card of this round was drawn."""
    return bool(round_.draw.cards or round_.draw.overdrawn) if round_.draw else bool(round_.from_shoe)


def _parts(round_: Round) -> tuple[Draw, Shoes]:
    assert round_.draw is not None
    assert round_.shoes is not None
    return round_.draw, round_.shoes


# ------------------------------------------------------------------ cards


def _drawn(round_: Round, seen: Seen, body: e.CardDrawn) -> None:
    if body.card == CUT_CARD:
        _cut_card(round_, seen, e.CutCardSeen())
    else:
        _take(round_, seen, body)


def _take(round_: Round, seen: Seen, body: e.CardDrawn | e.CardUnread) -> None:
    shoes, ordinal, where = round_.shoes, body.ordinal, body.where
    if shoes is None or shoes.repeats(ordinal, where, shoes.face(body)):
        return
    card = shoes.face(body)
    if shoes.change(seen.device) and begun(round_):
        round_.report(Incident(code="other-shoe", clause="procedure", device=seen.device, unreliable=True), seen)
    shoe = shoes.on_table(ordinal)
    _count(round_, seen, card, ordinal, where)
    findings = shoe.take(card)
    strays = [each for each in findings if each.code in STRAYS and round_.draw is None and round_.in_play]
    found(round_, [each for each in findings if each not in strays], seen)
    if round_.in_play and not round_.session:
        round_.session, round_.dealt_by = seen.session, seen.device
    burned = is_burn(round_, where)
    shoes.burns_due = max(shoes.burns_due - burned, 0)
    if round_.draw is None:
        dealing.give(round_, seen, card, burned=burned)
        judge_strays(round_, strays, card, seen)
        if round_.in_play:
            _doubted(round_, seen, "procedure", round_.given)
    elif burned:
        round_.draw.burned.append(card)
    elif round_.in_play:
        _play(round_, seen, shoe, card)


def _doubted(round_: Round, seen: Seen, clause: str, number: int) -> bool:
    """Report that the reader of the shoe cannot be trusted for this card; True if so.

    In a game of steps the card lies face down, and the incident does not name it.
    """
    body, doubt = seen.body, round_.shoes.doubt(seen.body) if round_.shoes else ""
    if not doubt or not isinstance(body, e.CardDrawn):
        return False
    doubtful = _AT_SHOE(
        code="card-doubtful",
        clause=clause,
        reason=doubt,
        number=number,
        cards=(body.card.text,) if round_.draw is not None else (),
        confidence=body.confidence,
        flags=body.reader,
    )
    round_.report(doubtful, seen)
    return True


def _count(round_: Round, seen: Seen, card: Card, ordinal: int | None, where: str | None) -> None:
    """Compare the card's ordinal with the device's own count."""
    shoes = round_.shoes
    assert shoes is not None
    missing = shoes.count(ordinal, where, card)
    if not missing:
        return
    if missing > 0:
        shoes.on_table().miss(missing)
    found = _PROCEDURE(
        code="card-missing",
        reason="skipped" if missing > 0 else "went-back",
        number=ordinal,
        counted=missing if missing > 0 else None,
        unreliable=round_.in_play,
    )
    round_.report(found, seen)


def _play(round_: Round, seen: Seen, shoe: ShoeLedger, card: Card) -> None:
    draw, _ = _parts(round_)
    part = draw.plan.part
    if shoe.over and not (draw.cards or draw.overdrawn):
        over = Incident(code="shoe-over", clause=part.cut_card.clause, shoe=shoe.id, unreliable=True)
        round_.report(over, seen)
    if not draw.add(card, extra_due=holds("extra_due", round_)):
        _overdrawn(round_, seen, (card,))
    elif card == UNREAD:
        round_.badge = None
        if not _doubted(round_, seen, part.unread.clause, len(draw.cards)):
            unread = _AT_SHOE(code="card-unread", clause=part.unread.clause, number=len(draw.cards))
            round_.report(unread, seen)


def _overdrawn(round_: Round, seen: Seen, cards: tuple[Card, ...]) -> None:
    """Judge the last cards drawn, which came after the end."""
    draw, _ = _parts(round_)
    first = len(draw.cards) + len(draw.overdrawn) - len(cards) + 1
    policy = Policy(draw.plan.overdraw, draw.plan.part.overdraw.clause)
    for number, card in enumerate(cards, first):
        over = _AT_SHOE(code="card-overdrawn", clause=UNJUDGED, cards=(card.text,), number=number)
        judge(round_, policy, NOWHERE, over, seen)


def _again(round_: Round, seen: Seen, body: e.CardReportedAgain) -> None:
    """Check a second report of a card: it must be a card that was reported, with the same face."""
    if round_.shoes is None:
        return
    if round_.shoes.pushed_back:
        _out_again(round_, seen, body.card)
        return
    if not undecided(round_):
        return
    known = round_.shoes.reported(body.ordinal, body.where)
    if body.ordinal is not None and known is None:
        _again_wrong(round_, seen, body, "card-missing")
    elif known is not None and UNREAD not in (known, body.card) and known != body.card:
        _again_wrong(round_, seen, body, "faces-disagree", (known.text,))


def _again_wrong(round_: Round, seen: Seen, body: e.CardReportedAgain, code: str, known: tuple[str, ...] = ()) -> None:
    wrong = Incident(
        code=code,
        clause="procedure",
        reason="reported-again",
        number=body.ordinal,
        cards=(body.card.text,),
        known=known,
        unreliable=True,
    )
    round_.report(wrong, seen)


def _out_again(round_: Round, seen: Seen, card: Card) -> None:
    """Take a card that was pushed back and came out again."""
    shoes = round_.shoes
    assert shoes is not None
    shoes.pushed_back -= 1
    shoe = shoes.on_table()
    found(round_, shoe.take(card), seen)
    if not round_.in_play:
        clause = clause_about("closing", round_.plan)
        early = Incident(
            code="draw-before-close", clause=clause, reason="out-again", cards=(card.text,), unreliable=True
        )
        round_.report(early, seen)
    elif round_.draw is None:
        dealing.give(round_, seen, card, burned=round_.next_due is None)
    else:
        _play(round_, seen, shoe, card)


def name_card(round_: Round, seen: Seen, body: e.HandRevealed) -> None:
    """Name the first card that was not read, as a person keyed it."""
    draw, shoes = _parts(round_)
    if draw.unread is None or len(body.cards) != 1:
        return
    position, (card,) = draw.unread, body.cards
    badge, level = round_.badge or (0, "")
    named = Incident(
        code="card-named",
        clause=draw.plan.part.unread.clause,
        number=position,
        cards=(card.text,),
        badge=badge or None,
        level=level if badge else "",
    )
    round_.report(named, seen)
    found(round_, shoes.on_table().name(card), seen)
    late = draw.name(card, badge, level)
    round_.badge = None
    if late:
        _overdrawn(round_, seen, tuple(late))


def _outside(round_: Round, seen: Seen, body: e.CardDrawnOutside | e.DrawWhileLocked) -> None:
    """Take a card that left the shoe and belongs to no game."""
    if round_.shoes is None:
        return
    round_.shoes.outside()
    found(round_, round_.shoes.on_table().take(body.card), seen)
    if isinstance(body, e.DrawWhileLocked):
        judge_fault(round_, Fault.DRAW_WHILE_LOCKED, seen, counts=undecided(round_))
        return
    matters = undecided(round_)
    round_.report(_PROCEDURE(code="drawn-outside", cards=(body.card.text,), how=body.mode, unreliable=matters), seen)


# ------------------------------------------------------------------ the shoe itself


def _cut_card(round_: Round, seen: Seen, body: e.CutCardSeen) -> None:
    if round_.shoes is None:
        return
    shoe = round_.shoes.on_table()
    shoe.cut_card = True
    what, clause = "finish-round", round_.plan.procedure.deck.clause
    if round_.draw is not None:
        what, clause = round_.draw.plan.cut_card, round_.draw.plan.part.cut_card.clause
    round_.report(_AT_SHOE(code="cut-card", clause=clause, reason=what, counted=shoe.drawn), seen)


def _loaded(round_: Round, seen: Seen, body: e.ShoeLoaded) -> None:
    if round_.shoes is None:
        return
    if round_.stub_due and round_.in_play:
        _refilled(round_, seen, body)
        return
    if undecided(round_) and begun(round_):
        _ended_early(round_, seen, body.shoe)
    dealing.deck_changed(round_)
    round_.shoes.change(seen.device)
    shoe = round_.shoes.load(body.shoe, body.cards)
    plan = round_.plan
    if body.cards != plan.loaded or body.decks != plan.decks:
        wrong = partial(DECK_WRONG, place=SHOE.text, reason="shoe", shoe=shoe.id)
        finding = wrong(counted=body.cards, expected=plan.loaded, decks=body.decks, expected_decks=plan.decks)
        judge(round_, plan.deck_policy, NOWHERE, finding, seen)


def _refilled(round_: Round, seen: Seen, body: e.ShoeLoaded) -> None:
    """Resume the round after cards went back: the remaining cards were shuffled and are in the shoe again."""
    assert round_.shoes is not None
    round_.stub_due = False
    shoe = round_.shoes.refill(body.shoe)
    if shoe.whole and body.cards != shoe.left:
        wrong = partial(DECK_WRONG, place=SHOE.text, reason="shoe", shoe=shoe.id)
        finding = wrong(counted=body.cards, expected=shoe.left, decks=body.decks, expected_decks=round_.plan.decks)
        judge(round_, round_.plan.deck_policy, NOWHERE, finding, seen)


def _ended(round_: Round, seen: Seen, body: e.ShoeEnded) -> None:
    if round_.shoes is None:
        return
    shoe = round_.shoes.on_table()
    found(round_, shoe.device_count(body.drawn), seen)
    if round_.stub_due and round_.in_play:
        return  # emptied only to be shuffled and filled again
    shoe.over = True
    if undecided(round_) and begun(round_):
        _ended_early(round_, seen, body.shoe, body.drawn)


def _ended_early(round_: Round, seen: Seen, shoe: int, drawn: int | None = None) -> None:
    misdeal = round_.plan.procedure.misdeal
    reason = "filled" if drawn is None else "ended"
    ended = _AT_SHOE(code="shoe-ended", clause=misdeal.clause, reason=reason, shoe=shoe, counted=drawn)
    round_.report(ended, seen)
    round_.misdeal = True
    round_.returns.add("misdeal", 0, misdeal.returns)


def counted(round_: Round, seen: Seen, body: e.CardsCounted) -> None:
    """Take a person's count of the cards left in the shoe."""
    if round_.shoes is None:
        return
    found(round_, round_.shoes.on_table().person_count(body.counted), seen)
    if round_.draw is None and round_.in_play and not round_.left_to_deal:
        round_.ledger.remainder = body.counted
        judge_rest(round_, seen, final=False)


def close(round_: Round) -> None:
    """Apply the cut card's rule to the shoe, since the round is over."""
    if round_.shoes is None or round_.shoes.current is None:
        return
    dealing.note_alike(round_)
    shoe = round_.shoes.current
    if shoe.cut_card:
        rounds = {"finish-race": 0, "one-more-race": 1}.get(round_.draw.plan.cut_card if round_.draw else "finish-race")
        shoe.over |= rounds is not None and shoe.rounds_since_cut >= rounds
        shoe.rounds_since_cut += 1


def _burns(round_: Round, seen: Seen, body: e.BurnStarted) -> None:
    if round_.shoes is not None:
        round_.shoes.burns_due = body.count


# ------------------------------------------------------------------ its troubles


def _trouble(round_: Round, seen: Seen, body: e.Body) -> None:
    """Judge a trouble of the shoe as a numbered fault; a card that may come out twice also voids the bookkeeping."""
    if round_.shoes is None:
        return
    fault = body.fault if isinstance(body, e.ShoeError) else _TROUBLES[type(body)]
    if isinstance(body, e.ShoeError) and not fault:
        unknown = _PROCEDURE(
            code="device-fault", reason="words", device=seen.device, words=body.text, unreliable=undecided(round_)
        )
        round_.report(unknown, seen)
        return
    if fault == Fault.PUSHED_BACK:
        round_.shoes.push_back()
        if dealing.put_back(round_, seen):
            return
        if round_.draw is not None and round_.draw.overdrawn:
            round_.draw.overdrawn.pop()
    judge_fault(round_, fault, seen, counts=undecided(round_))


_TROUBLES: Final[dict[type[e.Body], Fault]] = {
    e.Overdrawn: Fault.OVERDRAW,
    e.CardPushedBack: Fault.PUSHED_BACK,
    e.CardPulledBack: Fault.PULLED_BACK,
}

HANDLERS: Final[dict[type[e.Body], Handler]] = {
    e.CardDrawn: _drawn,
    e.CardUnread: _take,
    e.CardReportedAgain: _again,
    e.DrawWhileLocked: _outside,
    e.CardDrawnOutside: _outside,
    e.CutCardSeen: _cut_card,
    e.BurnStarted: _burns,
    e.ShoeLoaded: _loaded,
    e.ShoeEnded: _ended,
    e.Overdrawn: _trouble,
    e.CardPushedBack: _trouble,
    e.CardPulledBack: _trouble,
    e.ShoeError: _trouble,
}
