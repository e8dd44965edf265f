"""The steps of a procedure as a round goes through them: which cards are due, when a step is done, what ends it."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final, Literal

import devices.events as e
from dealer_flow.play.order_reveal import may_lie_open
from dealer_flow.procedure.schema import (
    AnyStep,
    BurnCardStep,
    DealStep,
    DecideStep,
    ExchangeStep,
    GivesUpPart,
    ShowStep,
)
from dealer_flow.table.hand import Due
from dealer_flow.table.round import Round, from_device
from protocol.places import BURN, DEALER, Place, seat

_CARDS_OUT: Final = (e.PacketLifted, e.CardDrawn, e.CardUnread)
_ENDS: Final = (e.RemainderDumped, e.GameEnded)
_MAY_END_SO: Final = (ShowStep, DecideStep, ExchangeStep)
"""The steps that may end by the report of a later one."""


def may_open(now: Round) -> bool:
    """False while a deal waits for the seat that gets the first cards."""
    step = now.step
    return not (isinstance(step, DealStep) and step.first != "dealer-left" and now.first is None)


def open_step(now: Round) -> None:
    """The step under way begins: its cards are due."""
    step = now.step
    now.opened = True
    if step is None or step.do not in ("deal", "burn-card", "exchange"):
        return
    dues = list(dues_of(now, step))
    if from_device(step):
        now.dues += dues
    else:
        now.by_hand += dues


def dues_of(now: Round, step: AnyStep) -> Iterator[Due]:
    """The cards of a step, as the round now stands."""
    if isinstance(step, DealStep):
        whole = step.by == "packet" and (step.origin == "hand" or not now.plan.from_shoe)
        places = _places(now, step)
        if whole:
            yield from (Due(place, step.cards, step.name) for place in places)
        elif step.by == "packet":
            yield from (Due(place, 1, step.name) for place in places for _ in range(step.cards))
        else:
            yield from (Due(place, 1, step.name) for _ in range(step.cards) for place in places)
    elif step.do == "burn-card":
        drawn = not step.if_drawn or any(_draws(now, number) for number in now.live)
        if drawn and _for_anybody(now, step):
            yield from (Due(BURN, 1, step.name) for _ in range(step.cards))
    elif isinstance(step, ExchangeStep):
        yield from _exchanges(now, step)


def _places(now: Round, step: DealStep) -> list[Place]:
    """Who gets cards, in the order they go out."""
    seats = _seats(now, step)
    if not _for_anybody(now, step):
        return []
    places: list[Place] = []
    for to in step.to:
        places += seats if to == "seats" else [now.plan.place(to)]
    if step.first == "dealer-left":
        return places
    around = now.plan.around()
    if step.first == "number" and step.count == "counter-clockwise":
        around = around[::-1]
    start = around.index(seat(now.first) if now.first else DEALER) + (step.first == "button")
    order = [*around[start:], *around[:start]]
    turns = [place for place in order if place in places]
    return turns + [place for place in places if place not in turns]


def _for_anybody(now: Round, step: DealStep | BurnCardStep) -> bool:
    """False while all who are in play lack the bet that the step is for."""
    return step.only is None or not now.live or any(step.only in now.wagers[number] for number in now.live)


def _seats(now: Round, step: DealStep) -> list[Place]:
    if step.seats == "all":
        return [seat(number) for number in range(1, now.plan.most_seats + 1)]
    numbers = now.drawing if step.seats == "live" else now.active
    return [seat(number) for number in numbers if step.only is None or step.only in now.wagers[number]]


def _exchanges(now: Round, step: ExchangeStep) -> Iterator[Due]:
    """Replacements, all of one place and then of the next. The house says only by what it takes how many it wants."""
    why: Literal["deal", "exchange"] = "deal" if step.adds else "exchange"
    whole = step.by == "packet" and not now.plan.from_shoe
    for to in step.to:
        if to != "seats":
            dues = 1 if whole else step.most
            due = Due(now.plan.place(to), step.most if whole else 1, step.name, why, at_most=True)
            yield from [due] * dues
            continue
        for number in now.live:
            draws = _draws(now, number)
            if draws and whole:
                yield Due(seat(number), draws, step.name, why)
            else:
                yield from [Due(seat(number), 1, step.name, why)] * draws


def _draws(now: Round, number: int) -> int:
    """How many cards the seat asked for in the last step that let it choose."""
    asked = next((step.name for step in reversed(now.plan.steps[: now.at]) if isinstance(step, DecideStep)), "")
    choice = now.plan.choices.get(now.choices.get(number, {}).get(asked, ""))
    return choice.draws if choice else 0


def choose(now: Round, number: int, step: str, name: str) -> None:
    """A seat makes a choice: cards are laid down that go with it, of a hand that has so many, and money is given up."""
    now.choices.setdefault(number, {})[step] = name
    hand, discards = now.ledger.hands.get(seat(number)), now.plan.choices[name].discards
    if hand is not None and 0 < discards <= hand.expected:
        hand.lay_down(discards)
    if (part := now.plan.choices[name].gives_up) is not None:
        _give_up(now, number, part)


def _give_up(now: Round, number: int, part: GivesUpPart) -> None:
    """A share of a bet goes to the house; what is left of it goes back or plays on, as the option says."""
    bets = now.wagers.get(number, {})
    placed = bets.get(part.bet, 0)
    lost = int(placed * Fraction(part.share))
    if not lost:
        return
    bets[part.as_] = lost
    if now.plan.options[part.rest] == "plays-on" and placed > lost:
        bets[part.bet] = placed - lost
    else:
        del bets[part.bet]


# ------------------------------------------------------------------ the end of a step


def done(now: Round) -> bool:
    """Whether what the step under way waits for has happened."""
    step = now.step
    if step is None or not now.opened:
        return False
    if step.do == "burn":
        return now.plan.place(step.of) in now.burns
    if step.do == "decide":
        return now.decided
    if step.do == "show":
        return _all_shown(now, step)
    return step.do != "reveal" and now.next_due is None and not now.by_hand


def _all_shown(now: Round, step: ShowStep) -> bool:
    for kind in () if step.optional else step.of:
        places = [seat(number) for number in now.live] if kind == "seats" else [now.plan.place(kind)]
        for place in places:
            hand = now.ledger.hands.get(place)
            if hand is None or kind in now.dead_hands:
                continue
            wanted = step.cards or hand.expected - hand.set_aside
            if now.open.get(place, 0) < min(wanted, hand.counted or wanted):
                return False
    return True


def next_step(now: Round) -> None:
    """The step under way is over; a hand that was offered and nobody took is dead."""
    if isinstance(step := now.step, DecideStep) and step.about is not None and not now.taken(step):
        now.dead_hands.add(step.about)
        now.returns.add("hand", step.about, ())
    now.at, now.opened = now.at + 1, False


def ends_by(now: Round, body: e.Body) -> bool:
    """True when the step under way ends by the next one's report: a show that nobody reported, a choice that need not
    be made, the cards the house exchanges."""
    step = now.step
    if not isinstance(step, _MAY_END_SO) or not now.opened:
        return False
    if isinstance(body, _CARDS_OUT) and now.next_due is not None:
        return False  # it completes a hand of an earlier step
    if isinstance(body, e.Confirmed) and now.by_hand:
        return False  # cards dealt by hand are
    if isinstance(body, e.RemainderDumped) and not isinstance(step, ExchangeStep) and not now.left_to_deal:
        return False  # what is left comes when it comes, whatever is shown or chosen meanwhile
    if isinstance(step, ShowStep):
        if isinstance(body, e.HandRevealed):
            return now.plan.kind(body.place) not in step.of and not body.place.seat
        return isinstance(body, (*_CARDS_OUT, *_ENDS, e.BurnConfirmed, e.DecisionMade, e.Confirmed))
    if isinstance(step, DecideStep) and step.optional:
        if isinstance(body, e.DecisionMade):
            choice = now.plan.decisions.get(body.decision)
            return choice is not None and choice.name not in step.choices
        if isinstance(body, e.HandRevealed):
            return now.plan.kind(body.place) == step.about or _shows_more(now, body)
        return isinstance(body, (*_CARDS_OUT, *_ENDS, e.BurnConfirmed, e.Confirmed))
    if isinstance(step, ExchangeStep) and (due := now.next_due) is not None and due.at_most:
        if isinstance(body, e.HandRevealed):
            return body.place == due.place or _shows_more(now, body)
        return isinstance(body, (*_ENDS, e.DecisionMade, e.BurnConfirmed, e.Confirmed))
    return False


def waits_for_cards(now: Round, body: e.Body) -> bool:
    """True when cards of the device come between the step that this report ends and the report itself."""
    following = now.plan.steps[now.at + 1]
    return from_device(following) and not isinstance(body, _CARDS_OUT)


def _shows_more(now: Round, body: e.HandRevealed) -> bool:
    """True when cards of the house are shown that may not lie open yet: a later step has begun."""
    house = now.plan.house(now.plan.kind(body.place))
    return house and not may_lie_open(now, body.place, len(body.cards))


def end_step(now: Round) -> None:
    """What is still open of the step under way is over: a seat that said nothing made the first choice, the house
    takes no more cards."""
    step = now.step
    if isinstance(step, DecideStep):
        for number in now.undecided:
            choose(now, number, step.name, step.choices[0])
    elif isinstance(step, ExchangeStep) and (due := now.next_due) is not None:
        rest = now.dues[now.given :]
        now.dues[now.given :] = [other for other in rest if not (other.at_most and other.place == due.place)]
        if now.next_due is not None:
            return
    next_step(now)


def deals_next(now: Round) -> bool:
    """True when the next step deals from the device, so that its cards may follow at once."""
    step = now.step
    return step is not None and step.do in ("deal", "burn-card") and from_device(step) and may_open(now)


def deal_on(now: Round) -> bool:
    """Go through deals that follow one another; True when every hand of them is out."""
    while now.next_due is None and deals_next(now):
        if now.opened:
            next_step(now)
        else:
            open_step(now)
    return now.next_due is None


def follow(now: Round) -> None:
    """The order of play no longer matters: cards of the device that still come go where they were due."""
    while now.next_due is None and now.step is not None and now.step.do != "reveal":
        if deals_next(now) and not now.opened:
            open_step(now)
        elif not now.opened and not may_open(now):
            return
        else:
            next_step(now)
