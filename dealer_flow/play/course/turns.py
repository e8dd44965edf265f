"""Turns in a betting round: who acts first, who acts next, and when every bet is called."""

import devices.events as e
from dealer_flow.play.course.face_up import dealt_face_up
from dealer_flow.procedure.betting import BEFORE_BUTTON, BINDS, TAKEN_BACK
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.table.betting import Betting
from dealer_flow.table.boards import first_on_board
from dealer_flow.table.hand import Hand
from dealer_flow.table.round import Round
from devices.events import BettingAction, Manner
from protocol.cards import UNREAD, Card
from protocol.places import seat


def bets_called(round_: Round) -> bool:
    """Return True if the betting round under way is over."""
    step = round_.step
    return isinstance(step, BetStep) and (round_.won or round_.betting.over(round_.live))


def in_turn(round_: Round) -> list[int]:
    """Return the seats dealt in, clockwise from the left of the button, or of the dealer in a game without one."""
    order, button = sorted(round_.active), round_.first or 0
    return [seat for seat in order if seat > button] + [seat for seat in order if seat <= button]


def blind_places(round_: Round, around: list[int], blinds: int) -> list[int]:
    """Return the seats that owe so many blinds, in the order of the blinds. `around` are seats in turn that may owe
    one."""
    part = round_.plan.betting
    at = part.blinds_at if part is not None else None
    if at is None or round_.plan.options[at.option] != BEFORE_BUTTON:
        return around
    away = [number for number in around if number != round_.first]
    return [number for number in around if number == round_.first][: max(blinds - len(away), 0)] + away[-blinds:]


def in_showing_order(round_: Round) -> list[int]:
    """Return live seats in the order in which they show their hands.

    The seat that bet or raised last in the final round begins, else the one that acted first in it; then clockwise
    (47.1-1033).
    """
    around = [number for number in in_turn(round_) if number in round_.live]
    final = [step.name for step in round_.plan.steps if isinstance(step, BetStep)][-1]
    high, first = 0, None
    for each in round_.betting.actions:
        if each.step == final and each.action != BettingAction.FOLD and (first is None or each.cents > high):
            high, first = each.cents, each.seat
    start = around.index(first) if first in around else 0
    return [*around[start:], *around[:start]]


def open_betting(round_: Round, step: BetStep) -> None:
    """Open a betting round. In the first one the blinds are bets already."""
    put, forced = dict[int, int](), "none"
    if step is first_betting(round_):
        put = {number: cents for number in round_.active if (cents := blinds_of(round_, number))}
        for number, stake in round_.betting.stakes.items():
            round_.betting.behind[number] = max(stake - sum(round_.wagers.get(number, {}).values()), 0)
    if step.bring_in is not None:
        forced = round_.plan.options[step.bring_in]
    start = _first(round_, step, forced)
    turns: list[int] = []
    if start is not None:
        around = in_turn(round_)
        at = around.index(start)
        turns = [*around[at:], *around[:at]]
    round_.betting.takes_back = out_of_turn(round_) in (TAKEN_BACK, BINDS)
    round_.betting.open(step.name, put, turns, bring_in=forced != "none")


def out_of_turn(round_: Round) -> str:
    """Return the house's setting for an action out of turn; empty if the procedure has none, and it stands."""
    part = round_.plan.betting
    return round_.plan.options[part.out_of_turn.option] if part is not None and part.out_of_turn is not None else ""


def first_betting(round_: Round) -> BetStep:
    """Return the first betting round of the hand."""
    return next(each for each in round_.plan.steps if isinstance(each, BetStep))


def blinds_of(round_: Round, number: int) -> int:
    """Return the cents that a seat has put up and that count as bets of the first betting round."""
    betting, bets = round_.plan.betting, round_.wagers.get(number, {})
    return sum(bets.get(name, 0) for name in betting.blinds) if betting else 0


def _first(round_: Round, step: BetStep, forced: str) -> int | None:
    """Return the seat that acts first; None if cards that decide it were not read."""
    around, live = in_turn(round_), round_.live
    if step.first == "board":
        boards = _boards(round_, [number for number in around if number in live])
        if forced != "none":  # an ace is the highest card in high poker and the lowest in low (47.1-1004)
            return first_on_board(boards, low=forced == "low-card", ace_high=forced == "low-card")
        low = round_.plan.options[step.board or ""] == "low"
        return first_on_board(boards, low=low, ace_high=not low)
    start = around[0] if around else None
    if step.first == "blinds" and (last := _last_blind(round_, around)) is not None:
        start = around[(around.index(last) + 1) % len(around)]
    return start


def _last_blind(round_: Round, around: list[int]) -> int | None:
    """Return the seat that put up the last of the blinds."""
    betting = round_.plan.betting
    posted = [
        (betting.blinds.index(name), number)
        for number in around
        for name in round_.wagers.get(number, {})
        if betting is not None and name in betting.blinds
    ]
    return max(posted)[1] if posted else None


def _boards(round_: Round, numbers: list[int]) -> dict[int, tuple[Card, ...]]:
    """Return the cards of these seats that were dealt face up, and those common to all; empty for a seat with an unread
    card."""
    common = tuple(round_.ledger.community())
    found = {}
    for number in numbers:
        cards = (*upcards(round_, number), *common)
        found[number] = () if UNREAD in cards else cards
    return found


def upcards(round_: Round, number: int) -> tuple[Card, ...]:
    """Return the cards of a seat that were dealt face up, in order."""
    return dealt_face_up(round_, seat(number))


def standing(round_: Round, body: e.PlayerActed) -> Betting:
    """Return the betting as it stood before this action.

    For a correction, that is before the seat's last action; for a seat that was passed by, where the house has actions
    out of turn taken back, before the first of them.
    """
    if undoes(body):
        return round_.betting.standing(body.seat)
    return as_found(round_, body.seat)


def as_found(round_: Round, number: int) -> Betting:
    """Return the betting that a seat finds when it acts: without what was done out of turn, if that is taken back."""
    return round_.betting.before_passed(number) if round_.betting.takes_back else round_.betting


def undoes(body: e.PlayerActed) -> bool:
    """Return True for a report that is about the seat's last action."""
    return body.manner == Manner.CORRECTED or body.action == BettingAction.WITHDRAW


def corrects(round_: Round, body: e.PlayerActed) -> bool:
    """Return True if this replaces the seat's last action, or takes it back."""
    return undoes(body) and round_.betting.standing(body.seat) is not round_.betting


def may_act(round_: Round, body: e.PlayerActed) -> bool:
    """Return True if it is this seat's turn, or it was passed by.

    A correction concerns the seat that acted last. A seat whose last card was seen may declare before its turn that it
    bets no more.
    """
    waiting = round_.betting.waiting(round_.live)
    return corrects(round_, body) or body.seat in waiting or declares(round_, body)


def declares(round_: Round, body: e.PlayerActed) -> bool:
    """Return True if a player whose last card was turned up declares itself all-in with what it has in the pot.

    It does so before it acts on the card (47.1-1021).
    """
    betting, number = standing(round_, body), body.seat
    if body.action != BettingAction.ALL_IN or number not in round_.seen_last or betting.is_all_in(number):
        return False
    acted = any(each.seat == number and each.step == betting.step for each in betting.actions)
    return body.cents == betting.lies(number) and not acted


def reopens(round_: Round, body: e.PlayerActed) -> bool:
    """Return True if this corrects an action of a betting round that seemed to be over.

    No card may have come since, no choice made, no hand shown and no pot taken.
    """
    hands = round_.ledger.hands.values()
    shown = bool(round_.shown) or any(hand.revealed is not None and hand.place.seat for hand in hands)
    untouched = round_.betting.stood == stands(round_) and not (shown or round_.awards)
    return untouched and corrects(round_, body)


def stands(round_: Round) -> tuple[int, ...]:
    """Return the counts that may not change before a correction: cards drawn, cards used early, choices made."""
    used = sum(mark.why == "deal" for mark in round_.marks.values())
    return len(round_.from_shoe), used, sum(map(len, round_.choices.values()))


def reopen(round_: Round) -> None:
    """Return to the betting round that seemed to be over; what was due after it is no longer due."""
    round_.go_to(round_.plan.order[round_.betting.step], opened=True)
    rest = round_.dues[round_.given :]
    round_.dues[round_.given :] = [due for due in rest if due.why == "complete"]


def put_in(round_: Round, number: int) -> None:
    """Set the step's bet of a seat to what it has put in by its actions in this betting round; a blind is a separate
    bet."""
    step = round_.plan.steps[round_.plan.order[round_.betting.step]]
    assert isinstance(step, BetStep)
    blinds = blinds_of(round_, number) if step is first_betting(round_) else 0
    added = round_.betting.lies(number) - blinds
    if added:
        round_.wagers.setdefault(number, {})[step.bet] = added
    else:
        round_.wagers.get(number, {}).pop(step.bet, None)


def take_back(round_: Round, number: int) -> int:
    """Return the bet or raise that a seat made last, since its hand was found fouled before the next player acted.

    Source: 47.1-1031(2). Returns the cents that go back, 0 if none do.
    """
    betting = round_.betting
    before = betting.earlier[-1] if betting.earlier else betting
    raised = betting.high > before.high and betting.actions[-1].seat == number
    if not raised or not isinstance(round_.step, BetStep):
        return 0
    cents = betting.lies(number) - before.lies(number)
    round_.betting = before.copy()
    round_.betting.taken_back[number] = (betting.step, cents)
    put_in(round_, number)
    return cents


def stay_in(round_: Round, number: int) -> None:
    """Put the bet back into the pot that went back to a fouled hand, for it was made on purpose (47.1-1031(3)).

    No one has to call it, since the betting has continued without it.
    """
    name, cents = round_.betting.taken_back.pop(number, ("", 0))
    for step in round_.plan.steps:
        if cents and isinstance(step, BetStep) and step.name == name:
            wagers = round_.wagers.setdefault(number, {})
            wagers[step.bet] = wagers.get(step.bet, 0) + cents
            if name == round_.betting.step:
                round_.betting.put[number] = round_.betting.lies(number) + cents
            if number in round_.betting.behind:
                round_.betting.behind[number] -= cents


def acted_since(round_: Round, hand: Hand) -> bool:
    """Return True if a player has acted since the last cards came to this hand.

    A hand that is short is then no longer due the top card of the deck (47.1-1031(1)).
    """
    order = round_.plan.order
    if not hand.place.seat or hand.step not in order:
        return False
    return any(order[each.step] > order[hand.step] for each in round_.betting.actions)
