"""Next legal reports: who, what, where.

The step under way, the shoe or the open bets give the candidates; those that the order of play forbids are left out, by
the same rules that would refuse the report.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import devices.events as e
from dealer_flow.english import dollars
from dealer_flow.play.course.face_up import dealt_face_up, lying_up, up_by_hand
from dealer_flow.play.course.retrieved import in_question
from dealer_flow.play.course.steps import ends_by, next_to_show, to_set
from dealer_flow.play.course.turns import as_found, in_showing_order
from dealer_flow.play.machine.guards import holds
from dealer_flow.play.machine.states import LOOSE, State
from dealer_flow.play.order.order import violation
from dealer_flow.play.order.rounds import somebody_enters
from dealer_flow.play.order.sizes import bounds_of
from dealer_flow.play.seen.betting import betting_now
from dealer_flow.play.verdicts.unburned import folds_unburned
from dealer_flow.play.verdicts.wagers import placeable
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.table.betting import Betting
from dealer_flow.table.columns import Draw
from dealer_flow.table.round import Round
from devices.events import BettingAction
from protocol.cards import UNREAD
from protocol.places import BURN, COMMUNITY, REMAINDER, SHOE, Place, seat


class Legal(NamedTuple):
    """One thing that may happen next. `event` is the name of a class in `devices.events`.

    `actor` is `dealer`, `shuffler`, `supervisor`, `anyone` or `player at seat 3`; `what` is the text for a reader;
    `value` is the number that goes with it (spot, decision, packet ordinal, number of the card, cents of an action), 0
    if there is none.
    """

    actor: str
    event: str
    place: str
    what: str
    value: int = 0

    def __str__(self) -> str:
        return f"{self.actor}: {self.what}"


Candidate = tuple[Legal, e.Body | None]
"""A candidate, and the report it would produce; None if no rule forbids it."""

_NEVER_AWAITED: Final = frozenset({"WagerPlaced", "MisdealCalled", "PotTaken"})
"""Reports that may come and need not: a bet, a misdeal that is called."""


def awaited(state: State, items: Iterable[Legal]) -> tuple[Legal, ...]:
    """Return those of the legal next reports that the round waits for.

    Nothing while bets are open; END GAME if nothing else is left.
    """
    if state is State.BETTING:
        return ()
    found = [item for item in items if _is_awaited(state, item)]
    others = tuple(item for item in found if item.event != "GameEnded")
    return others or tuple(found)


def _is_awaited(state: State, item: Legal) -> bool:
    if item.event in _NEVER_AWAITED or (item.actor == "supervisor" and item.event == "CardsCounted"):
        return False
    if item.event == "PlayerActed":
        return state is State.ACTING and item.actor != "supervisor"
    return item.event != "DecisionMade" or state is State.DECIDING


def legal(state: State, round_: Round) -> tuple[Legal, ...]:
    """Return everything that may happen next; never empty. Lamps, jams, doors and the second deck have no turn."""
    return tuple(
        item for item, body in _candidates(state, round_) if body is None or violation(state, round_, body) is None
    )


def _candidates(state: State, round_: Round) -> Iterator[Candidate]:
    if round_.called:
        yield Legal("supervisor", "BadgeSwiped", "", f"come at once: {round_.called}"), None
    if state is State.BETTING:
        yield from _betting(round_)
        return
    if round_.draw is not None:
        yield from _columns(state, round_, round_.draw)
    else:
        yield from _steps(state, round_)
    if state not in LOOSE and (round_.draw is not None or not round_.rulings):
        yield Legal("supervisor", "MisdealCalled", "", "call a misdeal"), e.MisdealCalled(0, 0)
    yield Legal("dealer", "GameEnded", "", "END GAME", round_.number), e.GameEnded(round_.number)


def _count(actor: str, place: Place, what: str) -> Candidate:
    return Legal(actor, "CardsCounted", place.text, what), e.CardsCounted(place, 0)


def _bet(round_: Round, number: int, bet: int, verb: str = "bet") -> Candidate:
    what = f"{verb} {round_.plan.bets[bet].name}"
    return Legal(f"player at seat {number}", "WagerPlaced", f"seat {number}", what, bet), e.WagerPlaced(number, bet, 1)


def _show(round_: Round, place: Place, what: str, cards: int = 0) -> Candidate:
    hand = round_.ledger.hands.get(place)
    many = cards or (hand.expected - hand.set_aside if hand else 1)
    return Legal("dealer", "HandRevealed", place.text, what, cards), e.HandRevealed(place, (UNREAD,) * many, False)


# ------------------------------------------------------------------ between two rounds


def _betting(round_: Round) -> Iterator[Candidate]:
    plan = round_.plan
    for deck in sorted({*round_.decks.defective, *round_.decks.too_old(plan.oldest_deck)}):
        which = f"deck {deck}" if deck else "the deck"
        why = "was found defective" if deck in round_.decks.defective else "has been dealt often enough"
        what = f"exchange {which}, which {why}, and swipe a badge"
        yield Legal("supervisor", "BadgeSwiped", "", what, deck), None
    shoe = round_.shoes.current if round_.shoes else None
    if plan.shuffle is not None and shoe is not None and (shoe.alike or shoe.rounds >= plan.shuffle.rounds):
        why = "identical cards were in one hand" if shoe.alike else "it has been dealt often enough"
        yield Legal("dealer", "ShoeLoaded", SHOE.text, f"shuffle the shoe: {why}"), None
    yield from _count_deck(round_, plan.deck_at)
    for number in range(1, plan.most_seats + 1):
        for bet in placeable(plan, round_.wagers.get(number, {})):
            yield _bet(round_, number, bet.number)
    yield from _select(round_)
    for number in range(1, plan.most_seats + 1) if plan.shows_stakes else ():
        what = f"show the stake of seat {number}"
        yield Legal("dealer", "StakeShown", f"seat {number}", what), e.StakeShown(number, 1)
    for number in sorted(round_.betting.stakes.keys() - round_.betting.sitting_out) if plan.betting is not None else ():
        yield _act(number, BettingAction.SIT_OUT, 0, "sit out the next hand")
    if somebody_enters(round_):
        yield Legal("dealer", "GameStarted", "", "START GAME"), e.GameStarted(round_.number)


def _count_deck(round_: Round, place: Place) -> Iterator[Candidate]:
    every = round_.plan.count_every
    if every is not None and round_.decks.count_due:
        yield _count("dealer", place, f"count the deck: {every.minutes} minutes have passed")


def _select(round_: Round) -> Iterator[Candidate]:
    """Yield the number that says who gets the first cards, and the places it can name; a button has no number."""
    if not round_.plan.selects_first or round_.first is not None:
        return
    if round_.plan.counted is not None:
        yield Legal("dealer", "NumberDrawn", "", "draw the number that says who gets the first cards"), e.NumberDrawn(1)
    button = any(step.do == "deal" and step.first == "button" for step in round_.plan.steps)
    what = "has the button" if button else "gets the first cards"
    for number in range(button, round_.plan.most_seats + 1):
        where = f"seat {number}" if number else "dealer"
        name = where if number else "the dealer's"
        yield (
            Legal("dealer", "SpotSelected", where, f"select the place that {what}: {name}", number),
            e.SpotSelected(number),
        )


# ------------------------------------------------------------------ a game of steps


def _steps(state: State, round_: Round) -> Iterator[Candidate]:
    strict = state not in LOOSE
    if round_.rulings and strict:
        ruling = round_.rulings[0]
        yield Legal("supervisor", "MisdealCalled", "", f"rule a misdeal: {ruling.why}"), e.MisdealCalled(0, 0)
        yield Legal("supervisor", "Confirmed", ruling.place.text, f"rule that play continues: {ruling.why}"), None
    yield from _play(state, round_)
    for place in round_.ledger.hands:
        if place != BURN:
            yield _count("supervisor", place, f"count the cards at {place}")
    yield from _count_deck(round_, SHOE if round_.plan.from_shoe else REMAINDER)


def _play(state: State, round_: Round) -> Iterator[Candidate]:
    """Yield the reports that the step under way waits for."""
    step, strict = round_.step, state not in LOOSE
    if round_.due is not None and round_.ledger.remainder is None and (strict or state is State.PROGRESSIVE):
        yield from _exposing(round_) if state is State.EXCHANGING else (_next_card(round_),)
    if round_.due is None and round_.by_hand and strict and not round_.rulings:
        yield Legal("dealer", "Confirmed", "", f"deal by hand to {_spelled(round_)}, then confirm"), None
        yield from _turning_up(round_)
    elif state is State.DEALING and round_.due is None:
        yield from _select(round_)
    elif state is State.BURNING and step is not None and step.do == "burn":
        burn = round_.plan.burns[round_.plan.place(step.of)]
        positions = tuple(sorted(burn.positions))
        what = f"burn cards {', '.join(map(str, positions))} from the left of the {step.of} packet"
        yield (
            Legal("dealer", "BurnConfirmed", burn.place.text, what),
            e.BurnConfirmed(burn.place, positions, "left-to-right"),
        )
    elif state is State.DECIDING and isinstance(step, DecideStep):
        yield from _deciding(round_, step)
    elif state is State.ACTING:
        yield from _acting(round_)
        yield from _turning_up(round_)
    elif state is State.ASSIGNING:
        yield from _select(round_)
    elif state is State.SETTING:
        yield from _setting(round_)
    elif state is State.SHOWING and step is not None:
        yield from _showing(round_, step)
    elif state in (State.REVEALING, State.PROGRESSIVE):
        yield from _revealing(state, round_)
    yield from _giving_up(round_)
    if round_.left_to_deal:
        pass
    elif not (round_.plan.from_shoe or round_.plan.from_hand) and round_.ledger.remainder is None:
        yield Legal("shuffler", "RemainderDumped", "remainder", "dump the remainder"), None
    elif strict and not holds("remainder_counted", round_):
        yield _count("dealer", round_.plan.deck_at, "count the cards that are left")
    if strict and not round_.rulings and ends_by(round_, e.Confirmed()):
        yield Legal("dealer", "Confirmed", "", f"{step.name if step else ''} is done"), e.Confirmed()


def _giving_up(round_: Round) -> Iterator[Candidate]:
    """Yield, for each seat that may give up because a burn was forgotten, that choice."""
    part = round_.plan.procedure.care.unburned
    choice = round_.plan.choices.get(part.offers or "") if part is not None else None
    for number in round_.live if choice is not None and round_.unburned else ():
        if choice is not None and folds_unburned(round_, number, choice.name) is not None:
            who = f"player at seat {number}"
            item = Legal(who, "DecisionMade", f"seat {number}", choice.name, choice.number)
            yield item, e.DecisionMade(number, choice.number)


def _turning_up(round_: Round) -> Iterator[Candidate]:
    """Yield the places whose cards are dealt face up out of the hand: now, or before and not keyed yet."""
    if not round_.plan.from_hand:
        return
    due = {each.place: 0 for each in round_.by_hand if up_by_hand(round_, each)}
    for each in round_.by_hand:
        if each.place in due:
            due[each.place] += each.cards
    for place in due or round_.ledger.hands:
        up = lying_up(round_, place) + due.get(place, 0)
        shown = _show(round_, place, f"show {up} card{'s' * (up != 1)} of {place}", up)
        if due:
            yield shown[0], None  # it deals them
        elif UNREAD in dealt_face_up(round_, place):
            yield shown


def _spelled(round_: Round) -> str:
    """Return the cards due by hand, as in `seat 1 (3), seat 2 (3)`; repeated laps are counted."""
    turns = [f"{due.place} ({due.cards})" for due in round_.by_hand]
    size = next(size for size in range(1, len(turns) + 1) if turns == turns[:size] * (len(turns) // size))
    if 1 < size < len(turns):
        return f"{', '.join(turns[:size])}, {len(turns) // size} times around"
    return ", ".join(turns)


def _next_card(round_: Round) -> Candidate:
    due = round_.next_due
    assert due is not None
    to, ordinal = due.place, len(round_.ledger.lifted) + 1
    if round_.plan.from_shoe:
        what = "burn a card" if to == BURN else f"draw a card for {to}"
        return Legal("dealer", "CardDrawn", to.text, what, round_.given + 1), None
    if ordinal in round_.ledger.packets:
        what = f"take packet {ordinal} to {to}"
        return Legal("dealer", "PacketLifted", to.text, what, ordinal), e.PacketLifted(ordinal)
    what = f"dispense packet {ordinal} for {to}"
    return Legal("shuffler", "PacketDispensed", to.text, what, ordinal), e.PacketDispensed(0, ordinal, 0, 0, ())


def _exposing(round_: Round) -> Iterator[Candidate]:
    """Yield a hand to turn up, then its card, unless it gets none."""
    step, due, plan = round_.step, round_.next_due, round_.plan
    assert due is not None
    if not isinstance(step, ExchangeStep) or not step.exposes or due.place.seat is None or due.step != step.name:
        yield _next_card(round_)
        return
    if not round_.turned_up(due):
        yield _show(round_, due.place, f"turn up {due.place}")
        return
    yield _next_card(round_)
    if step.unless is not None and round_.ledger.hands[due.place].step != step.name:
        choice = plan.choices[step.unless]
        what = Legal("dealer", "DecisionMade", due.place.text, choice.name, choice.number)
        yield what, e.DecisionMade(due.place.seat, choice.number)


def _deciding(round_: Round, step: DecideStep) -> Iterator[Candidate]:
    plan = round_.plan
    offered = [plan.choices[name] for name in step.choices]
    for number in round_.undecided:
        for choice in offered:
            yield (
                Legal(f"player at seat {number}", "DecisionMade", f"seat {number}", choice.name, choice.number),
                e.DecisionMade(number, choice.number),
            )
    names = {bet for choice in offered for bet in choice.stakes} | {*step.blind}
    seats = [number for number in round_.live if step.only is None or step.only in round_.wagers[number]]
    for number in seats:
        for bet in plan.bets.values():
            if bet.name in names:
                yield _bet(round_, number, bet.number)


def _setting(round_: Round) -> Iterator[Candidate]:
    for place in to_set(round_):
        if place not in round_.splits:
            actor = f"player at {place}" if place.seat else "dealer"
            report = e.HandSet(place, e.Setter.PLAYER, False, (), ())
            yield Legal(actor, "HandSet", place.text, f"set the hand at {place}"), report


def _showing(round_: Round, step: AnyStep) -> Iterator[Candidate]:
    if step.do != "show":
        return
    many = f"{step.cards} card{'s' * (step.cards != 1)} of " if step.cards else ""
    for kind in step.of:
        places = [seat(number) for number in round_.live] if kind == "seats" else [round_.plan.place(kind)]
        for place in places:
            yield _show(round_, place, f"show {many}{place}", step.cards or 0)


def _revealing(state: State, round_: Round) -> Iterator[Candidate]:
    hands = round_.ledger.hands
    if round_.won:  # no hand has to be shown
        yield from _taking_in(round_)
        return
    if state is State.PROGRESSIVE:
        seats = round_.for_progressive
    else:
        first = next_to_show(round_)
        if first not in (None, "seats"):
            yield _show(round_, round_.plan.place(str(first)), f"show {first}")
            return
        if round_.common_card and UNREAD in round_.ledger.community():
            yield _show(round_, COMMUNITY, "show community")  # turned up by hand, from the burned cards
        playing = round_.live if round_.plan.betting is not None else round_.active  # a hand that gave up is mucked
        seats = [number for number in playing if seat(number) in hands and hands[seat(number)].revealed is None]
    last = round_.plan.reveal
    yield from _taking_in(round_)
    if round_.plan.betting is not None:
        seats = [number for number in in_showing_order(round_) if number in seats]
    elif last is not None:
        seats = last.in_order(seats)
    for number in seats:
        yield _show(round_, seat(number), f"show seat {number}")


def _acting(round_: Round) -> Iterator[Candidate]:
    """Yield every action of the seats to act; the order of play filters out those that are not allowed."""
    live = round_.live
    for number in round_.betting.waiting(live):
        betting = as_found(round_, number)
        lies, high, most = betting.lies(number), betting.high, betting.most(number)
        if (bound := betting.word(number)) is not None:
            yield _act(number, bound.action, bound.cents, f"{bound.action} as it did out of turn")
            continue
        sizes = bounds_of(round_, betting, number)
        least = high + 1 if sizes is None else sizes.least
        more = least if most is None else min(least, most)
        opening = high + 1 if round_.plan.posted is None else round_.plan.posted.bring_in or high + 1
        for action, cents, what in (
            (BettingAction.CHECK, lies, "check"),
            (BettingAction.BRING_IN, opening if most is None else min(opening, most), "bring in"),
            (BettingAction.BET, more, "bet"),
            (BettingAction.CALL, betting.to_call(number), _call(betting, number)),
            (BettingAction.RAISE, more, f"raise to more than {dollars(high)}"),
            (BettingAction.ALL_IN, most or 0, f"all-in with {dollars((most or 0) - lies)}"),
            (BettingAction.FOLD, lies, "fold"),
            (BettingAction.CHOP, lies, "chop the blinds"),
        ):
            if action is not BettingAction.ALL_IN or most is not None:
                yield _act(number, action, cents, what)
    for number in sorted(round_.seen_last):
        yield _act(number, BettingAction.ALL_IN, round_.betting.lies(number), "all-in with what is in the pot")
    yield from _withdrawing(round_)


def _withdrawing(round_: Round) -> Iterator[Candidate]:
    """Yield the actions out of turn that a ruling may take back."""
    betting = round_.betting
    early = any(since < len(betting.actions) for since in betting.passed.values())
    last = {betting.last} if early and betting.last is not None else set[int]()
    for number in sorted(last | betting.apart.keys()):
        item = Legal("supervisor", "PlayerActed", seat(number).text, "take back the action out of turn")
        yield item, e.PlayerActed(number, BettingAction.WITHDRAW, 0)


def _call(betting: Betting, number: int) -> str:
    if betting.short:
        return "call the full blind, with its amount"
    return f"call {dollars(betting.to_call(number) - betting.lies(number))}"


def _act(number: int, action: BettingAction, cents: int, what: str) -> Candidate:
    item = Legal(f"player at seat {number}", "PlayerActed", seat(number).text, what, cents)
    return item, e.PlayerActed(number, action, cents)


def _taking_in(round_: Round) -> Iterator[Candidate]:
    """Yield, while hands are shown, the hands that may be mucked and the pots that may be taken in."""
    if round_.plan.betting is None or len(round_.betting.chopped) > 1:
        return
    hands = round_.ledger.hands
    for number in sorted(round_.betting.mucked):
        if in_question(round_, number):
            yield _act(number, BettingAction.FOLD, 0, "leave the hand in the muck")
    for number in round_.live:
        place = seat(number)
        if not round_.won and (place not in hands or hands[place].revealed is None):
            yield _act(number, BettingAction.FOLD, 0, "muck the hand")
        yield _award(number)
    chips = betting_now(round_)
    # the last to muck wins a pot that no remaining hand could match
    for pot in chips.pots if chips is not None else ():
        yield from (_award(number) for number in sorted(pot.contenders - {*round_.live}))
    for number, number_of_pot in sorted({(each.seat, each.pot) for each in round_.awards}):
        what = f"take back what seat {number} took of pot {number_of_pot}"
        item = Legal("supervisor", "PotTaken", seat(number).text, what, number_of_pot)
        yield item, e.PotTaken(number_of_pot, number, 0)


def _award(number: int) -> Candidate:
    item = Legal("dealer", "PotTaken", seat(number).text, f"award a pot to seat {number}", 1)
    return item, e.PotTaken(1, number, 1)


# ------------------------------------------------------------------ cards drawn into columns


def _columns(state: State, round_: Round, draw: Draw) -> Iterator[Candidate]:
    number = len(draw.cards) + 1
    if state is State.DRAWING:
        what = f"draw card {number} into its column"
        yield Legal("dealer", "CardDrawn", "shoe", what, number), None
    elif state is State.NAMING:
        what = f"name card {draw.unread}"
        yield Legal(draw.plan.unread_by, "HandRevealed", "shoe", what, draw.unread or 0), None
    elif state is State.EXTRA:
        if holds("extra_due", round_):
            yield Legal("dealer", "CardDrawn", "shoe", f"draw card {number}, the extra card", number), None
        for at, bets in round_.wagers.items():
            if draw.plan.moved & bets.keys() or bets.get(draw.plan.moves_from or ""):
                for bet in round_.plan.bets.values():
                    if bet.name in draw.plan.moved:
                        yield _bet(round_, at, bet.number, "move to")
    yield _count("supervisor", SHOE, "count the cards left in the shoe")
