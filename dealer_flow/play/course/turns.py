"""Turns in a betting round: who acts first, who acts next, and when every bet is called."""

from collections.abc import Collection

import devices.events as e
from dealer_flow.play.course.face_up import dealt_face_up
from dealer_flow.procedure.betting import BEFORE_BUTTON, BINDS, TAKEN_BACK
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.procedure.steps.due import Due
from dealer_flow.table.betting import Betting, PostedBlind
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


def board_shown(round_: Round) -> None:
    """Find who acts first again: open cards were keyed or a hand counted only now, and nobody has acted on them."""
    step, betting = round_.step, round_.betting
    if isinstance(step, BetStep) and step.first == "board" and not (betting.acted or betting.earlier or round_.won):
        open_betting(round_, step)


def open_betting(round_: Round, step: BetStep) -> None:
    """Open a betting round. In the first one the blinds are bets already."""
    put, forced, full, short = dict[int, int](), "none", 0, False
    house = round_.plan.law.raising
    if step is first_betting(round_):
        put = {number: cents for number in round_.active if (cents := blinds_of(round_, number))}
        for number, stake in round_.betting.stakes.items():
            round_.betting.behind[number] = max(stake - sum(round_.wagers.get(number, {}).values()), 0)
        round_.betting.behind |= dict.fromkeys(round_.betting.too_much, 0)
        if put and house.full_blind:
            full, short = _full_blind(round_)
    if step.bring_in is not None:
        forced = round_.plan.options[step.bring_in]
    start = _first(round_, step, forced)
    turns: list[int] = []
    if start is not None:
        around = in_turn(round_)
        at = around.index(start)
        turns = [*around[at:], *around[:at]]
    round_.betting.takes_back = out_of_turn(round_) in (TAKEN_BACK, BINDS)
    round_.betting.full_only = house.full_only
    round_.betting.open(step.name, put, turns, bring_in=forced != "none", full=full, short=short)


def out_of_turn(round_: Round) -> str:
    """Return the house's setting for an action out of turn; empty if the procedure has none, and it stands."""
    part = round_.plan.betting
    return round_.plan.options[part.out_of_turn.option] if part is not None and part.out_of_turn is not None else ""


def first_betting(round_: Round) -> BetStep:
    """Return the first betting round of the hand."""
    return next(each for each in round_.plan.steps if isinstance(each, BetStep))


def blinds_of(round_: Round, number: int) -> int:
    """Return the cents that a seat has put up and that count as bets of the first betting round."""
    betting, cents = round_.plan.betting, 0
    if betting is not None and number in round_.wagers:
        bets = round_.wagers[number]
        for name in betting.live:
            if name in bets:
                cents += bets[name]
    return cents


def _full_blind(round_: Round) -> tuple[int, bool]:
    """Return what a call is in a house in which the full blind is called; 0 if that is the highest bet that lies there.

    The second value is True if only the first call will say: the house's amount is not known, and no seat with chips
    left has put up a big blind or a post.
    """
    part, betting = round_.plan.betting, round_.betting
    able = [number for number in round_.live if not betting.is_all_in(number)]
    if part is None or len(able) <= 1:
        return 0, False
    if (full := round_.plan.law.full_blind) is not None:
        return full, False
    whole = {*part.live[1:]}
    somebody_short = any(betting.is_all_in(number) for number in round_.live)
    return 0, somebody_short and all(whole.isdisjoint(round_.wagers.get(number, {})) for number in able)


def blind_order(round_: Round) -> list[int]:
    """Return the seats that owe the blinds, in order from the first; a seat that is all-in with other bets owes none.

    Of two players the one with the button has the small blind if the house says so.
    """
    part, around = round_.plan.betting, in_turn(round_)
    if part is None:
        return []
    heads_up = part.heads_up_blinds if len(around) == 2 and around[-1] == round_.first else None
    if heads_up is not None and round_.plan.options[heads_up.option] == "button-small":
        around.reverse()
    order = [number for number in around if not all_in_without(round_, number, part.blinds)]
    return _from_before_button(round_, order, part.blinds) if _blinds_before_button(round_) else order


def _blinds_before_button(round_: Round) -> bool:
    at = round_.plan.betting.blinds_at if round_.plan.betting is not None else None
    return at is not None and round_.plan.options[at.option] == BEFORE_BUTTON


def _from_before_button(round_: Round, order: list[int], names: Collection[str]) -> list[int]:
    """Return these seats from those that owe the blinds which were put up: the last ones before the button."""
    posted = {name for bets in round_.wagers.values() for name in bets if name in names}
    away, button = [number for number in order if number != round_.first], [*order].count(round_.first or 0)
    owe = [round_.first or 0] * (button if len(posted) > len(away) else 0) + away[max(len(away) - len(posted), 0) :]
    return [*owe, *(number for number in order if number not in owe)]


def all_in_without(round_: Round, number: int, bets: Collection[str]) -> bool:
    """Return True if everything the seat had is in bets other than these."""
    stakes, put = round_.betting.stakes, 0
    if number not in stakes:
        return False
    if number in round_.wagers:
        laid = round_.wagers[number]
        for name in laid:
            if name not in bets:
                put += laid[name]
    return put == stakes[number]


def posted_blinds(round_: Round) -> list[PostedBlind]:
    """Return each blind that was put up, in order.

    The small and the big blind are where they lie; one that may follow them, such as a straddle, is a blind only at the
    next seat, or with the button if the house allows that.
    """
    part, wagers = round_.plan.betting, round_.wagers
    around = blind_order(round_)
    last: int | None = None
    place, found = 0, list[PostedBlind]()
    for name in part.blinds if part is not None else ():
        seats = tuple([number for number in around if number in wagers and name in wagers[number]])
        if part is None or not seats:
            continue
        due = around[place % len(around)]
        by: int | None = due if due in seats else seats[0]
        if name in part.extra_blinds:
            due = around[(around.index(last) + 1) % len(around)] if last is not None else due
            by = due if due in seats else None
            way = round_.plan.options[part.button_straddle.option] if part.button_straddle is not None else "none"
            if by is None and way != "none" and round_.first in seats:
                due, by = round_.first, round_.first if way == "left-of-button" else None
        place += by is not None
        last = last if by is None else by
        found.append(PostedBlind(name, seats, due, by))
    return found


def _first(round_: Round, step: BetStep, forced: str) -> int | None:
    """Return the seat that acts first; None if cards that decide it were not read."""
    around, live = in_turn(round_), round_.live
    if step.first == "board":
        boards = _boards(round_, [number for number in around if number in live])
        if forced != "none":  # an ace is the highest card in high poker and the lowest in low (47.1-1004)
            by_suit = step.bring_in_tie is not None and round_.plan.options[step.bring_in_tie] == "suit"
            low = forced == "low-card"
            return first_on_board(boards, low=low, ace_high=low, by_suit=by_suit)
        low = round_.plan.options[step.board or ""] == "low"
        return first_on_board(boards, low=low, ace_high=not low)
    start = around[0] if around else None
    if _blinds_before_button(round_):
        return start  # the button would be left of the last blind, and it bets last (47.1-1011(1), 1017.30(6))
    if step.first == "blinds" and (last := _last_blind(round_)) is not None:
        start = around[(around.index(last) + 1) % len(around)]
    return start


def _last_blind(round_: Round) -> int | None:
    """Return the seat that put up the last of the blinds.

    It is the last blind left of the button (47.1-1002(4.25), 1012(1)): neither a post nor a blind put up twice, or out
    of its place, moves it.
    """
    posted = round_.betting.posted
    if posted is None or posted[0] != round_.first:  # the button was reported after START GAME
        posted = round_.first, posted_blinds(round_)
    found = [each.by for each in posted[1] if each.by is not None]
    return found[-1] if found else None


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
    came = round_.given if round_.plan.from_hand else len(round_.from_shoe)
    return came, used, sum(map(len, round_.choices.values()))


def reopen(round_: Round) -> None:
    """Return to the betting round that seemed to be over; what was due after it is no longer due.

    Cards that went back into the deck since, such as a flop of four, are due before it.
    """
    round_.go_to(round_.plan.order[round_.betting.step], opened=True)
    round_.dues[round_.given :] = [due for due in round_.dues[round_.given :] if _due_before(round_, due)]
    round_.by_hand = [due for due in round_.by_hand if _due_before(round_, due)]


def _due_before(round_: Round, due: Due) -> bool:
    """Return True for a card that is due before the step under way is over."""
    return due.why == "complete" or round_.plan.order.get(due.step, round_.at) < round_.at


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
