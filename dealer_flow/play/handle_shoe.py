"""What each report of a shoe does to the round: a part of `reports`."""

# ruff: noqa: ARG001 - every handler has the signature of the table at the end

from collections.abc import Callable
from typing import Any, Final

import devices.events as e
from dealer_flow.play import cards as card_reports
from dealer_flow.play.order_shoe import closing_clause, extra_due, extra_open, is_burn
from dealer_flow.play.runs_out import put_back
from dealer_flow.play.verdicts import apply, found, judge_fault, judge_rest
from dealer_flow.procedure.plan import Policy
from dealer_flow.table.columns import Draw
from dealer_flow.table.round import Round
from dealer_flow.table.shoe import ShoeLedger, Shoes
from devices.events import Seen
from protocol.cards import CUT_CARD, UNREAD, Card
from protocol.faults import Fault
from protocol.places import SHOE

Handler = Callable[[Round, Seen, Any], None]


def undecided(now: Round) -> bool:
    """True while what a shoe does can still change the round."""
    draw = now.draw
    if draw is None:
        return now.in_play and now.left_to_deal
    return now.in_play and (draw.finish is None or extra_open(now))


def begun(now: Round) -> bool:
    """True once a card of this round was drawn."""
    return bool(now.draw.cards or now.draw.overdrawn) if now.draw else now.given > 0


def _parts(now: Round) -> tuple[Draw, Shoes]:
    assert now.draw is not None
    assert now.shoes is not None
    return now.draw, now.shoes


# ------------------------------------------------------------------ cards


def _drawn(now: Round, seen: Seen, body: e.CardDrawn) -> None:
    if body.card == CUT_CARD:
        _cut_card(now, seen, e.CutCardSeen())
    else:
        _take(now, seen, body.card, body.ordinal, body.where)


def _unread(now: Round, seen: Seen, body: e.CardUnread) -> None:
    _take(now, seen, UNREAD, body.ordinal, body.where)


def _take(now: Round, seen: Seen, card: Card, ordinal: int | None, where: str | None) -> None:
    shoes = now.shoes
    if shoes is None or shoes.repeats(ordinal, where, card):
        return
    if shoes.change(seen.device) and begun(now):
        now.break_off("other-shoe", f"a card is drawn from {seen.device} in the middle of a round", seen)
    shoe = shoes.on_table(ordinal)
    _count(now, seen, card, ordinal, where)
    found(now, shoe.take(card), seen)
    now.session = now.session or (seen.session if now.in_play else 0)
    burned = is_burn(now, where)
    shoes.burns_due = max(shoes.burns_due - burned, 0)
    if now.draw is None:
        card_reports.give(now, seen, card, burned=burned)
    elif burned:
        now.draw.burned.append(card)
    elif now.in_play:
        _play(now, seen, shoe, card)


def _count(now: Round, seen: Seen, card: Card, ordinal: int | None, where: str | None) -> None:
    """Hold the card against the device's own count."""
    shoes = now.shoes
    assert shoes is not None
    missing = shoes.count(ordinal, where, card)
    if missing > 0:
        text = f"the shoe's count is {ordinal}: {missing} card{'s' * (missing > 1)} before it not reported"
        shoes.on_table().miss(missing)
    else:
        text = f"the shoe's count went back to {ordinal}"
    if missing:
        now.note("card-missing", text, seen=seen, clause="procedure", place=SHOE)
        now.unreliable |= now.in_play


def _play(now: Round, seen: Seen, shoe: ShoeLedger, card: Card) -> None:
    draw, _ = _parts(now)
    part = draw.plan.part
    if shoe.over and not (draw.cards or draw.overdrawn):
        now.break_off("shoe-over", f"a card is drawn from shoe {shoe.id}, which is over", seen, part.cut_card.clause)
    if not draw.add(card, extra_due=extra_due(now)):
        _overdrawn(now, seen, (card,))
    elif card == UNREAD:
        now.badge = None
        text = f"card {len(draw.cards)} was not read"
        now.note("card-unread", text, seen=seen, clause=part.unread.clause, place=SHOE)


def _overdrawn(now: Round, seen: Seen, cards: tuple[Card, ...]) -> None:
    """The last cards drawn came after the end."""
    draw, _ = _parts(now)
    first = len(draw.cards) + len(draw.overdrawn) - len(cards) + 1
    for number, card in enumerate(cards, first):
        text = f"{card} is drawn as card {number}, after the race was decided"
        now.note("card-overdrawn", text, seen=seen, clause=draw.plan.part.overdraw.clause, place=SHOE)
    apply(now, Policy(draw.plan.overdraw, draw.plan.part.overdraw.clause))


def _again(now: Round, seen: Seen, body: e.CardReportedAgain) -> None:
    """A second report of one card: it must be a card we have, with the face we have."""
    if now.shoes is None:
        return
    if now.shoes.pushed_back:
        _out_again(now, seen, body.card)
        return
    if not undecided(now):
        return
    known = now.shoes.told(body.ordinal, body.where)
    if body.ordinal is not None and known is None:
        now.break_off("card-missing", f"card {body.ordinal}, {body.card}, is reported again and was not before", seen)
    elif known is not None and UNREAD not in (known, body.card) and known != body.card:
        text = f"card {body.ordinal} is reported again as {body.card}, before as {known}"
        now.break_off("faces-disagree", text, seen)


def _out_again(now: Round, seen: Seen, card: Card) -> None:
    """A card that was pushed back came out again."""
    shoes = now.shoes
    assert shoes is not None
    shoes.pushed_back = False
    shoe = shoes.on_table()
    found(now, shoe.take(card), seen)
    if not now.in_play:
        text = f"card {card} is drawn before bets were closed"
        now.break_off("draw-before-close", text, seen, closing_clause(now))
    elif now.draw is None:
        card_reports.give(now, seen, card, burned=False)
    else:
        _play(now, seen, shoe, card)


def name_card(now: Round, seen: Seen, body: e.HandRevealed) -> None:
    """A person names the first card that was not read."""
    draw, shoes = _parts(now)
    if draw.unread is None or len(body.cards) != 1:
        return
    position, (card,) = draw.unread, body.cards
    _, badge, level = now.badge or ("", 0, "")
    who = f"badge {badge} ({level})" if badge else "a person without a badge"
    now.note("card-named", f"card {position} is named {card} by {who}", seen=seen, clause=draw.plan.part.unread.clause)
    found(now, shoes.on_table().name(card), seen)
    late = draw.name(card, badge, level)
    now.badge = None
    if late:
        _overdrawn(now, seen, tuple(late))


def _outside(now: Round, seen: Seen, body: e.CardDrawnOutside | e.DrawWhileLocked) -> None:
    """A card left the shoe and belongs to no game."""
    if now.shoes is None:
        return
    now.shoes.outside()
    found(now, now.shoes.on_table().take(body.card), seen)
    if isinstance(body, e.DrawWhileLocked):
        judge_fault(now, Fault.DRAW_WHILE_LOCKED, seen, counts=undecided(now))
        return
    text = f"card {body.card} is drawn in the shoe's {body.mode} mode"
    now.note("drawn-outside", text, seen=seen, clause="procedure", place=SHOE)
    now.unreliable |= undecided(now)


# ------------------------------------------------------------------ the shoe itself


_AFTER_CUT_CARD: Final = {
    "finish-race": "this race is the last",
    "one-more-race": "one more race follows",
    "play-on": "play goes on",
}


def _cut_card(now: Round, seen: Seen, body: e.CutCardSeen) -> None:
    if now.shoes is None:
        return
    shoe = now.shoes.on_table()
    shoe.cut_card = True
    what, clause = "this round is the last", now.plan.procedure.deck.clause
    if now.draw is not None:
        what, clause = _AFTER_CUT_CARD[now.draw.plan.cut_card], now.draw.plan.part.cut_card.clause
    text = f"the cut card comes out after {shoe.drawn} cards: {what}"
    now.note("cut-card", text, seen=seen, clause=clause, place=SHOE)


def _loaded(now: Round, seen: Seen, body: e.ShoeLoaded) -> None:
    if now.shoes is None:
        return
    if undecided(now) and begun(now):
        _ended_early(now, seen, f"shoe {body.shoe} was filled in the middle of a round")
    now.shoes.change(seen.device)
    shoe = now.shoes.load(body.shoe, body.cards)
    plan = now.plan
    if body.cards != plan.loaded or body.decks != plan.decks:
        text = f"shoe {shoe.id} has {body.cards} cards in {body.decks} decks, not {plan.loaded} in {plan.decks}"
        now.note("deck-count-wrong", text, seen=seen, clause=plan.deck_policy.clause, place=SHOE)
        apply(now, plan.deck_policy, why=text)


def _ended(now: Round, seen: Seen, body: e.ShoeEnded) -> None:
    if now.shoes is None:
        return
    shoe = now.shoes.on_table()
    found(now, shoe.device_count(body.drawn), seen)
    shoe.over = True
    if undecided(now) and begun(now):
        _ended_early(now, seen, f"shoe {body.shoe} ended after {body.drawn} cards, in the middle of a round")


def _ended_early(now: Round, seen: Seen, text: str) -> None:
    misdeal = now.plan.procedure.misdeal
    now.note("shoe-ended", text, seen=seen, clause=misdeal.clause, place=SHOE)
    now.misdeal = True
    now.returns.add("misdeal", 0, misdeal.returns)


def counted(now: Round, seen: Seen, body: e.CardsCounted) -> None:
    """A person counted what is left in the shoe."""
    if now.shoes is None:
        return
    found(now, now.shoes.on_table().person_count(body.counted), seen)
    if now.draw is None and now.in_play and not now.left_to_deal:
        now.ledger.remainder = body.counted
        judge_rest(now, seen, final=False)


def close(now: Round) -> None:
    """The round is over: what the cut card means for the shoe."""
    if now.shoes is None or now.shoes.current is None:
        return
    shoe = now.shoes.current
    if shoe.cut_card:
        rounds = {"finish-race": 0, "one-more-race": 1}.get(now.draw.plan.cut_card if now.draw else "finish-race")
        shoe.over |= rounds is not None and shoe.rounds_since_cut >= rounds
        shoe.rounds_since_cut += 1


def _burns(now: Round, seen: Seen, body: e.BurnStarted) -> None:
    if now.shoes is not None:
        now.shoes.burns_due = body.count


# ------------------------------------------------------------------ its troubles


def _trouble(now: Round, seen: Seen, body: e.Body) -> None:
    """A shoe's trouble is a fault by number; a card that may come out twice spoils the bookkeeping."""
    if now.shoes is None:
        return
    fault = body.fault if isinstance(body, e.ShoeError) else _TROUBLES[type(body)]
    if isinstance(body, e.ShoeError) and not fault:
        text = f"{seen.device} reports {body.text!r}, which has no known meaning"
        now.note("device-fault", text, seen=seen, clause="procedure", place=SHOE)
        now.unreliable |= undecided(now)
        return
    if fault == Fault.PUSHED_BACK:
        now.shoes.push_back()
        if put_back(now, seen):
            return
        if now.draw is not None and now.draw.overdrawn:
            now.draw.overdrawn.pop()
    judge_fault(now, fault, seen, counts=undecided(now))


_TROUBLES: Final[dict[type[e.Body], Fault]] = {
    e.Overdrawn: Fault.OVERDRAW,
    e.CardPushedBack: Fault.PUSHED_BACK,
    e.CardPulledBack: Fault.PULLED_BACK,
}

HANDLERS: Final[dict[type[e.Body], Handler]] = {
    e.CardDrawn: _drawn,
    e.CardUnread: _unread,
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
