"""What may happen next: who, what, where. Every line of it passes `turns.breach`."""

from collections.abc import Iterator

from dealer_flow.play.legal_item import Legal
from dealer_flow.play.legal_shoe import shoe_legal
from dealer_flow.play.order import may_end_early, rest_missing
from dealer_flow.play.order_reveal import next_to_show
from dealer_flow.play.states import LOOSE, State
from dealer_flow.play.steps import ends_by
from dealer_flow.procedure.schema import AnyStep, DecideStep
from dealer_flow.table.round import Round
from devices.events import Confirmed
from protocol.places import BURN, seat

__all__ = ["Legal", "legal"]


def legal(state: State, now: Round) -> tuple[Legal, ...]:
    """Everything that may happen next; never empty. Lamps, jams, doors and the second deck have no turn."""
    return tuple(_legal(state, now))


def _legal(state: State, now: Round) -> Iterator[Legal]:
    if now.called:
        yield Legal("supervisor", "BadgeSwiped", "", f"come at once: {now.called}")
    if state is State.BETTING:
        yield from _betting(now)
        return
    if now.draw is not None:
        yield from shoe_legal(state, now, now.draw)
        return
    if now.rulings and state not in LOOSE:
        ruling = now.rulings[0]
        yield Legal("supervisor", "MisdealCalled", "", f"rule a misdeal: {ruling.why}")
        yield Legal("supervisor", "Confirmed", ruling.place.text, f"rule that play goes on: {ruling.why}")
    yield from _play(state, now)
    for place in now.ledger.hands:
        if place != BURN:
            yield Legal("supervisor", "CardsCounted", place.text, f"count the cards at {place}")
    yield from _count_deck(now, "shoe" if now.plan.from_shoe else "remainder")
    until_end = now.plan.procedure.misdeal.until == "end"
    if state not in LOOSE and not now.rulings and (not now.choices or until_end):
        yield Legal("supervisor", "MisdealCalled", "", "call a misdeal")
    if _may_end(state, now):
        yield Legal("dealer", "GameEnded", "", "END GAME", now.number)


def _may_end(state: State, now: Round) -> bool:
    if may_end_early(state, now):
        return True
    over = (state is State.REVEALING and now.due is None and not now.by_hand) or now.idle
    return over and not rest_missing(now) and not now.rulings


def _betting(now: Round) -> Iterator[Legal]:
    plan = now.plan
    for deck in sorted({*now.decks.defective, *now.decks.too_old(plan.oldest_deck)}):
        which = f"deck {deck}" if deck else "the deck"
        why = "was found defective" if deck in now.decks.defective else "has been dealt often enough"
        yield Legal("supervisor", "BadgeSwiped", "", f"exchange {which}, which {why}, and swipe a badge", deck)
    yield from _count_deck(now, "shoe" if plan.from_shoe else "shuffler")
    for number in range(1, plan.most_seats + 1):
        for bet in plan.bets.values():
            if bet.placed == "before-deal":
                yield Legal(f"player at seat {number}", "WagerPlaced", f"seat {number}", f"bet {bet.name}", bet.number)
    yield from _select(now)
    if any(plan.entering & bets.keys() for bets in now.wagers.values()):
        yield Legal("dealer", "GameStarted", "", "START GAME")


def _count_deck(now: Round, place: str) -> Iterator[Legal]:
    every = now.plan.procedure.care.count_every
    if every is not None and now.decks.count_due:
        yield Legal("dealer", "CardsCounted", place, f"count the deck: {every.minutes} minutes have gone by")


def _select(now: Round) -> Iterator[Legal]:
    """The seat that gets the first cards."""
    if not now.plan.selects_first or now.first is not None:
        return
    button = any(step.do == "deal" and step.first == "button" for step in now.plan.steps)
    what = "has the button" if button else "gets the first cards"
    if not button:
        yield Legal("dealer", "SpotSelected", "dealer", f"select the place that {what}: the dealer's", 0)
    for number in range(1, now.plan.most_seats + 1):
        yield Legal("dealer", "SpotSelected", f"seat {number}", f"select the place that {what}: seat {number}", number)


def _play(state: State, now: Round) -> Iterator[Legal]:
    """What the step under way waits for."""
    step = now.step
    if now.due is not None and now.ledger.remainder is None and (state is State.PROGRESSIVE or state not in LOOSE):
        yield from _next_cards(now)
    if now.due is None and now.by_hand and state not in LOOSE and not now.rulings:
        yield Legal("dealer", "Confirmed", "", f"deal by hand to {_spelled(now)}, then confirm")
    elif state is State.DEALING and now.due is None:
        yield from _select(now)
    elif state is State.BURNING and step is not None and step.do == "burn":
        burn = now.plan.burns[now.plan.place(step.of)]
        positions = ", ".join(map(str, sorted(burn.positions)))
        what = f"burn cards {positions} from the left of the {step.of} packet"
        yield Legal("dealer", "BurnConfirmed", burn.place.text, what)
    elif state is State.DECIDING and isinstance(step, DecideStep):
        yield from _deciding(now, step)
    elif state is State.SHOWING and step is not None:
        yield from _showing(now, step)
    elif state in (State.REVEALING, State.PROGRESSIVE):
        yield from _revealing(state, now)
    if not now.plan.from_shoe and now.ledger.remainder is None and not now.left_to_deal:
        yield Legal("shuffler", "RemainderDumped", "remainder", "bring the remainder")
    elif now.plan.from_shoe and state not in LOOSE and not now.left_to_deal and rest_missing(now):
        yield Legal("dealer", "CardsCounted", "shoe", "count the cards that are left")
    if state not in LOOSE and not now.rulings and ends_by(now, Confirmed()):
        yield Legal("dealer", "Confirmed", "", f"{step.name if step else ''} is done")


def _spelled(now: Round) -> str:
    return ", ".join(f"{due.place} ({due.cards})" for due in now.by_hand)


def _next_cards(now: Round) -> Iterator[Legal]:
    due = now.next_due
    assert due is not None
    to, ordinal = due.place, len(now.ledger.lifted) + 1
    if now.plan.from_shoe:
        what = "burn a card" if to == BURN else f"draw a card to {to}"
        yield Legal("dealer", "CardDrawn", to.text, what, now.given + 1)
    elif ordinal in now.ledger.packets:
        yield Legal("dealer", "PacketLifted", to.text, f"take packet {ordinal} to {to}", ordinal)
    else:
        yield Legal("shuffler", "PacketDispensed", to.text, f"bring packet {ordinal} for {to}", ordinal)


def _deciding(now: Round, step: DecideStep) -> Iterator[Legal]:
    plan = now.plan
    offered = [plan.choices[name] for name in step.choices]
    for number in now.undecided:
        for choice in offered:
            if not now.wagers[number].keys() >= set(choice.needs):
                continue
            yield Legal(f"player at seat {number}", "DecisionMade", f"seat {number}", choice.name, choice.number)
    names = {bet for choice in offered for bet in choice.stakes}
    asked = [number for number in now.live if step.only is None or step.only in now.wagers[number]]
    for number in asked:
        for bet in plan.bets.values():
            if bet.name in names and (number, bet.name) not in now.too_late:
                yield Legal(f"player at seat {number}", "WagerPlaced", f"seat {number}", f"bet {bet.name}", bet.number)


def _showing(now: Round, step: AnyStep) -> Iterator[Legal]:
    if step.do != "show":
        return
    many = f"{step.cards} cards of " if step.cards else ""
    for kind in step.of:
        places = [seat(number) for number in now.live] if kind == "seats" else [now.plan.place(kind)]
        for place in places:
            yield Legal("dealer", "HandRevealed", place.text, f"show {many}{place}", step.cards or 0)


def _revealing(state: State, now: Round) -> Iterator[Legal]:
    hands = now.ledger.hands
    if state is State.PROGRESSIVE:
        seats = now.for_progressive
    else:
        first = next_to_show(now)
        if first not in (None, "seats"):
            place = now.plan.place(str(first))
            yield Legal("dealer", "HandRevealed", place.text, f"show {first}")
            return
        seats = [number for number in now.active if seat(number) in hands and hands[seat(number)].revealed is None]
    for number in reversed(seats):
        yield Legal("dealer", "HandRevealed", f"seat {number}", f"show seat {number}")
