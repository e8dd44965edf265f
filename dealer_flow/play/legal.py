"""What may happen next: who, what, where. Every line of it passes `order.violation`."""

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


def legal(state: State, round_: Round) -> tuple[Legal, ...]:
    """Everything that may happen next; never empty. Lamps, jams, doors and the second deck have no turn."""
    return tuple(_legal(state, round_))


def _legal(state: State, round_: Round) -> Iterator[Legal]:
    if round_.called:
        yield Legal("supervisor", "BadgeSwiped", "", f"come at once: {round_.called}")
    if state is State.BETTING:
        yield from _betting(round_)
        return
    if round_.draw is not None:
        yield from shoe_legal(state, round_, round_.draw)
        return
    if round_.rulings and state not in LOOSE:
        ruling = round_.rulings[0]
        yield Legal("supervisor", "MisdealCalled", "", f"rule a misdeal: {ruling.why}")
        yield Legal("supervisor", "Confirmed", ruling.place.text, f"rule that play goes on: {ruling.why}")
    yield from _play(state, round_)
    for place in round_.ledger.hands:
        if place != BURN:
            yield Legal("supervisor", "CardsCounted", place.text, f"count the cards at {place}")
    yield from _count_deck(round_, "shoe" if round_.plan.from_shoe else "remainder")
    until_end = round_.plan.procedure.misdeal.until == "end"
    if state not in LOOSE and not round_.rulings and (not round_.choices or until_end):
        yield Legal("supervisor", "MisdealCalled", "", "call a misdeal")
    if _may_end(state, round_):
        yield Legal("dealer", "GameEnded", "", "END GAME", round_.number)


def _may_end(state: State, round_: Round) -> bool:
    if may_end_early(state, round_):
        return True
    over = (state is State.REVEALING and round_.due is None and not round_.by_hand) or round_.idle
    return over and not rest_missing(round_) and not round_.rulings


def _betting(round_: Round) -> Iterator[Legal]:
    plan = round_.plan
    for deck in sorted({*round_.decks.defective, *round_.decks.too_old(plan.oldest_deck)}):
        which = f"deck {deck}" if deck else "the deck"
        why = "was found defective" if deck in round_.decks.defective else "has been dealt often enough"
        yield Legal("supervisor", "BadgeSwiped", "", f"exchange {which}, which {why}, and swipe a badge", deck)
    yield from _count_deck(round_, "shoe" if plan.from_shoe else "shuffler")
    for number in range(1, plan.most_seats + 1):
        for bet in plan.bets.values():
            if bet.placed == "before-deal":
                yield Legal(f"player at seat {number}", "WagerPlaced", f"seat {number}", f"bet {bet.name}", bet.number)
    yield from _select(round_)
    if any(plan.entering & bets.keys() for bets in round_.wagers.values()):
        yield Legal("dealer", "GameStarted", "", "START GAME")


def _count_deck(round_: Round, place: str) -> Iterator[Legal]:
    every = round_.plan.procedure.care.count_every
    if every is not None and round_.decks.count_due:
        yield Legal("dealer", "CardsCounted", place, f"count the deck: {every.minutes} minutes have gone by")


def _select(round_: Round) -> Iterator[Legal]:
    """The seat that gets the first cards."""
    if not round_.plan.selects_first or round_.first is not None:
        return
    button = any(step.do == "deal" and step.first == "button" for step in round_.plan.steps)
    what = "has the button" if button else "gets the first cards"
    if not button:
        yield Legal("dealer", "SpotSelected", "dealer", f"select the place that {what}: the dealer's", 0)
    for number in range(1, round_.plan.most_seats + 1):
        yield Legal("dealer", "SpotSelected", f"seat {number}", f"select the place that {what}: seat {number}", number)


def _play(state: State, round_: Round) -> Iterator[Legal]:
    """What the step under way waits for."""
    step = round_.step
    if (
        round_.due is not None
        and round_.ledger.remainder is None
        and (state is State.PROGRESSIVE or state not in LOOSE)
    ):
        yield from _next_cards(round_)
    if round_.due is None and round_.by_hand and state not in LOOSE and not round_.rulings:
        yield Legal("dealer", "Confirmed", "", f"deal by hand to {_spelled(round_)}, then confirm")
    elif state is State.DEALING and round_.due is None:
        yield from _select(round_)
    elif state is State.BURNING and step is not None and step.do == "burn":
        burn = round_.plan.burns[round_.plan.place(step.of)]
        positions = ", ".join(map(str, sorted(burn.positions)))
        what = f"burn cards {positions} from the left of the {step.of} packet"
        yield Legal("dealer", "BurnConfirmed", burn.place.text, what)
    elif state is State.DECIDING and isinstance(step, DecideStep):
        yield from _deciding(round_, step)
    elif state is State.SHOWING and step is not None:
        yield from _showing(round_, step)
    elif state in (State.REVEALING, State.PROGRESSIVE):
        yield from _revealing(state, round_)
    if not round_.plan.from_shoe and round_.ledger.remainder is None and not round_.left_to_deal:
        yield Legal("shuffler", "RemainderDumped", "remainder", "bring the remainder")
    elif round_.plan.from_shoe and state not in LOOSE and not round_.left_to_deal and rest_missing(round_):
        yield Legal("dealer", "CardsCounted", "shoe", "count the cards that are left")
    if state not in LOOSE and not round_.rulings and ends_by(round_, Confirmed()):
        yield Legal("dealer", "Confirmed", "", f"{step.name if step else ''} is done")


def _spelled(round_: Round) -> str:
    return ", ".join(f"{due.place} ({due.cards})" for due in round_.by_hand)


def _next_cards(round_: Round) -> Iterator[Legal]:
    due = round_.next_due
    assert due is not None
    to, ordinal = due.place, len(round_.ledger.lifted) + 1
    if round_.plan.from_shoe:
        what = "burn a card" if to == BURN else f"draw a card to {to}"
        yield Legal("dealer", "CardDrawn", to.text, what, round_.given + 1)
    elif ordinal in round_.ledger.packets:
        yield Legal("dealer", "PacketLifted", to.text, f"take packet {ordinal} to {to}", ordinal)
    else:
        yield Legal("shuffler", "PacketDispensed", to.text, f"bring packet {ordinal} for {to}", ordinal)


def _deciding(round_: Round, step: DecideStep) -> Iterator[Legal]:
    plan = round_.plan
    offered = [plan.choices[name] for name in step.choices]
    for number in round_.undecided:
        for choice in offered:
            if not round_.wagers[number].keys() >= set(choice.needs):
                continue
            yield Legal(f"player at seat {number}", "DecisionMade", f"seat {number}", choice.name, choice.number)
    names = {bet for choice in offered for bet in choice.stakes}
    asked = [number for number in round_.live if step.only is None or step.only in round_.wagers[number]]
    for number in asked:
        for bet in plan.bets.values():
            if bet.name in names and (number, bet.name) not in round_.too_late:
                yield Legal(f"player at seat {number}", "WagerPlaced", f"seat {number}", f"bet {bet.name}", bet.number)


def _showing(round_: Round, step: AnyStep) -> Iterator[Legal]:
    if step.do != "show":
        return
    many = f"{step.cards} cards of " if step.cards else ""
    for kind in step.of:
        places = [seat(number) for number in round_.live] if kind == "seats" else [round_.plan.place(kind)]
        for place in places:
            yield Legal("dealer", "HandRevealed", place.text, f"show {many}{place}", step.cards or 0)


def _revealing(state: State, round_: Round) -> Iterator[Legal]:
    hands = round_.ledger.hands
    if state is State.PROGRESSIVE:
        seats = round_.for_progressive
    else:
        first = next_to_show(round_)
        if first not in (None, "seats"):
            place = round_.plan.place(str(first))
            yield Legal("dealer", "HandRevealed", place.text, f"show {first}")
            return
        seats = [number for number in round_.active if seat(number) in hands and hands[seat(number)].revealed is None]
    for number in reversed(seats):
        yield Legal("dealer", "HandRevealed", f"seat {number}", f"show seat {number}")
