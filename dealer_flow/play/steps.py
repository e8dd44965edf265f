"""The steps of a procedure as a round goes through them: which cards are due, when a step is done, what ends it."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final, Literal

import devices.events as e
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


def may_open(round_: Round, step: AnyStep | None = None) -> bool:
    """False while a deal, the one under way unless given, waits for the seat that gets the first cards."""
    step = step or round_.step
    return not (isinstance(step, DealStep) and step.first != "dealer-left" and round_.first is None)


def open_step(round_: Round) -> None:
    """The step under way begins: its cards are due."""
    step = round_.step
    round_.opened = True
    if step is None or step.do not in ("deal", "burn-card", "exchange"):
        return
    dues = list(dues_of(round_, step))
    if from_device(step):
        round_.dues += dues
    else:
        round_.by_hand += dues


def dues_of(round_: Round, step: AnyStep) -> Iterator[Due]:
    """The cards of a step, as the round now stands."""
    if isinstance(step, DealStep):
        whole = step.by == "packet" and (step.origin == "hand" or not round_.plan.from_shoe)
        places = _places(round_, step)
        if whole:
            yield from (Due(place, step.cards, step.name) for place in places)
        elif step.by == "packet":
            yield from (Due(place, 1, step.name) for place in places for _ in range(step.cards))
        else:
            yield from (Due(place, 1, step.name) for _ in range(step.cards) for place in places)
    elif step.do == "burn-card":
        drawn = not step.if_drawn or any(_draws(round_, number) for number in round_.live)
        if drawn and _for_anybody(round_, step):
            yield from (Due(BURN, 1, step.name) for _ in range(step.cards))
    elif isinstance(step, ExchangeStep):
        yield from _exchanges(round_, step)


def _places(round_: Round, step: DealStep) -> list[Place]:
    """Who gets cards, in the order they go out."""
    seats = _seats(round_, step)
    if not _for_anybody(round_, step):
        return []
    places: list[Place] = []
    for to in step.to:
        places += seats if to == "seats" else [round_.plan.place(to)]
    if step.first == "dealer-left":
        return places
    around = round_.plan.around()
    if step.first == "number" and step.count == "counter-clockwise":
        around = around[::-1]
    start = around.index(seat(round_.first) if round_.first else DEALER) + (step.first == "button")
    order = [*around[start:], *around[:start]]
    turns = [place for place in order if place in places]
    return turns + [place for place in places if place not in turns]


def _for_anybody(round_: Round, step: DealStep | BurnCardStep) -> bool:
    """False while all who are in play lack the bet that the step is for."""
    return step.only is None or not round_.live or any(step.only in round_.wagers[number] for number in round_.live)


def _seats(round_: Round, step: DealStep) -> list[Place]:
    if step.seats == "all":
        return [seat(number) for number in range(1, round_.plan.most_seats + 1)]
    numbers = round_.drawing if step.seats == "live" else round_.active
    return [seat(number) for number in numbers if step.only is None or step.only in round_.wagers[number]]


def _exchanges(round_: Round, step: ExchangeStep) -> Iterator[Due]:
    """Replacements, all of one place and then of the next. The house says only by what it takes how many it wants."""
    why: Literal["deal", "exchange"] = "deal" if step.adds else "exchange"
    whole = step.by == "packet" and not round_.plan.from_shoe
    for to in step.to:
        if to != "seats":
            dues = 1 if whole else step.most
            due = Due(round_.plan.place(to), step.most if whole else 1, step.name, why, at_most=True)
            yield from [due] * dues
            continue
        for number in round_.live:
            draws = _draws(round_, number)
            if draws and whole:
                yield Due(seat(number), draws, step.name, why)
            else:
                yield from [Due(seat(number), 1, step.name, why)] * draws


def _draws(round_: Round, number: int) -> int:
    """How many cards the seat asked for in the last step that let it choose."""
    asked = next((step.name for step in reversed(round_.plan.steps[: round_.at]) if isinstance(step, DecideStep)), "")
    choice = round_.plan.choices.get(round_.choices.get(number, {}).get(asked, ""))
    return choice.draws if choice else 0


def choose(round_: Round, number: int, step: str, name: str) -> None:
    """A seat makes a choice: cards are laid down that go with it, of a hand that has so many, and money is given up."""
    round_.choices.setdefault(number, {})[step] = name
    hand, discards = round_.ledger.hands.get(seat(number)), round_.plan.choices[name].discards
    if hand is not None and 0 < discards <= hand.expected:
        hand.lay_down(discards)
    if (part := round_.plan.choices[name].gives_up) is not None:
        _give_up(round_, number, part)


def _give_up(round_: Round, number: int, part: GivesUpPart) -> None:
    """A share of a bet goes to the house; what is left of it goes back or plays on, as the option says."""
    bets = round_.wagers.get(number, {})
    placed = bets.get(part.bet, 0)
    lost = int(placed * Fraction(part.share))
    if not lost:
        return
    bets[part.as_] = lost
    if round_.plan.options[part.rest] == "plays-on" and placed > lost:
        bets[part.bet] = placed - lost
    else:
        del bets[part.bet]


# ------------------------------------------------------------------ the end of a step


def shown_out(round_: Round) -> bool:
    """Whether as many cards lie open as the step under way asks for."""
    step = round_.step
    if not isinstance(step, ShowStep):
        return False
    for kind in () if step.optional else step.of:
        places = [seat(number) for number in round_.live] if kind == "seats" else [round_.plan.place(kind)]
        for place in places:
            hand = round_.ledger.hands.get(place)
            if hand is None or kind in round_.dead_hands:
                continue
            wanted = step.cards or hand.expected - hand.set_aside
            if round_.open.get(place, 0) < min(wanted, hand.counted or wanted):
                return False
    return True


def may_lie_open(round_: Round, place: Place, cards: int) -> bool:
    """True when so many cards of a place may be seen at this step."""
    limit = round_.plan.opens[round_.at].get(round_.plan.kind(place), 0) if round_.plan.opens else 0
    return limit is None or cards <= limit


def shows_all(round_: Round, place: Place) -> bool:
    """True when all cards of a place are to be seen at this step."""
    return bool(round_.plan.opens) and round_.plan.opens[round_.at].get(round_.plan.kind(place), 0) is None


def next_step(round_: Round) -> None:
    """The step under way is over; a hand that was offered and nobody took is dead."""
    if isinstance(step := round_.step, DecideStep) and step.about is not None and not round_.taken(step):
        round_.dead_hands.add(step.about)
        round_.returns.add("hand", step.about, ())
    round_.at, round_.opened = round_.at + 1, False


def ends_by(round_: Round, body: e.Body) -> bool:
    """True when the step under way ends by the next one's report: a show that nobody reported, a choice that need not
    be made, the cards the house exchanges."""
    step = round_.step
    if not isinstance(step, _MAY_END_SO) or not round_.opened:
        return False
    if isinstance(body, _CARDS_OUT) and round_.next_due is not None:
        return False  # it completes a hand of an earlier step
    if isinstance(body, e.Confirmed) and round_.by_hand:
        return False  # cards dealt by hand are
    if isinstance(body, e.RemainderDumped) and not isinstance(step, ExchangeStep) and not round_.left_to_deal:
        return False  # what is left comes when it comes, whatever is shown or chosen meanwhile
    if isinstance(step, ShowStep):
        if isinstance(body, e.HandRevealed):
            return round_.plan.kind(body.place) not in step.of and not body.place.seat
        return isinstance(body, (*_CARDS_OUT, *_ENDS, e.BurnConfirmed, e.DecisionMade, e.Confirmed))
    if isinstance(step, DecideStep) and step.optional:
        if isinstance(body, e.DecisionMade):
            choice = round_.plan.decisions.get(body.decision)
            return choice is not None and choice.name not in step.choices
        if isinstance(body, e.HandRevealed):
            return round_.plan.kind(body.place) == step.about or _shows_more(round_, body)
        return isinstance(body, (*_CARDS_OUT, *_ENDS, e.BurnConfirmed, e.Confirmed))
    if isinstance(step, ExchangeStep) and (due := round_.next_due) is not None and due.at_most:
        if isinstance(body, e.HandRevealed):
            return body.place == due.place or _shows_more(round_, body)
        return isinstance(body, (*_ENDS, e.DecisionMade, e.BurnConfirmed, e.Confirmed))
    return False


def waits_for_cards(round_: Round, body: e.Body) -> bool:
    """True when cards of the device come between the step that this report ends and the report itself."""
    following = round_.plan.steps[round_.at + 1]
    return from_device(following) and not isinstance(body, _CARDS_OUT)


def _shows_more(round_: Round, body: e.HandRevealed) -> bool:
    """True when cards of the house are shown that may not lie open yet: a later step has begun."""
    house = round_.plan.house(round_.plan.kind(body.place))
    return house and not may_lie_open(round_, body.place, len(body.cards))


def end_step(round_: Round) -> None:
    """What is still open of the step under way is over: a seat that said nothing made the first choice, the house
    takes no more cards."""
    step = round_.step
    if isinstance(step, DecideStep):
        for number in round_.undecided:
            choose(round_, number, step.name, step.choices[0])
    elif isinstance(step, ExchangeStep) and (due := round_.next_due) is not None:
        rest = round_.dues[round_.given :]
        round_.dues[round_.given :] = [other for other in rest if not (other.at_most and other.place == due.place)]
        if round_.next_due is not None:
            return
    next_step(round_)


def deals_next(round_: Round) -> bool:
    """True when the step under way deals from the device, so that its cards may follow at once."""
    step = round_.step
    return step is not None and step.do in ("deal", "burn-card") and from_device(step) and may_open(round_)


def deals_on(round_: Round) -> bool:
    """True when cards of a later step follow at once on those of the step under way."""
    opened = round_.opened
    for step in round_.plan.steps[round_.at :]:
        if not (step.do in ("deal", "burn-card") and from_device(step) and may_open(round_, step)):
            return False
        if not opened and any(dues_of(round_, step)):
            return True
        opened = False
    return False


def follow(round_: Round) -> None:
    """The order of play no longer matters: cards of the device that still come go where they were due."""
    while round_.next_due is None and round_.step is not None and round_.step.do != "reveal":
        if deals_next(round_) and not round_.opened:
            open_step(round_)
        elif not round_.opened and not may_open(round_):
            return
        else:
            next_step(round_)
