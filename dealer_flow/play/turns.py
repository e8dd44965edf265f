"""Whose turn it is in a betting round: who acts first, and when every bet is called."""

import devices.events as e
from dealer_flow.play.laying import laid
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.record.details import ActionRecord
from dealer_flow.table.boards import first_on_board
from dealer_flow.table.round import Round
from protocol.cards import UNREAD, Card
from protocol.places import seat


def bets_called(round_: Round) -> bool:
    """Whether the betting round under way is over."""
    step = round_.step
    return isinstance(step, BetStep) and (round_.won or round_.betting.over(round_.live))


def in_turn(round_: Round) -> list[int]:
    """The seats dealt in, clockwise from the left of the button, or of the dealer where there is none."""
    order, button = sorted(round_.active), round_.first or 0
    return [seat for seat in order if seat > button] + [seat for seat in order if seat <= button]


def open_betting(round_: Round, step: BetStep) -> None:
    """A betting round begins. In the first one the blinds lie there."""
    put, forced = dict[int, int](), "none"
    if step is first_betting(round_):
        put = {number: cents for number in round_.active if (cents := blinds_of(round_, number))}
        for number, stake in round_.betting.stakes.items():
            round_.betting.behind[number] = stake - sum(round_.wagers.get(number, {}).values())
    if step.bring_in is not None:
        forced = round_.plan.options[step.bring_in]
    start = _first(round_, step, forced)
    turns: list[int] = []
    if start is not None:
        around = in_turn(round_)
        at = around.index(start)
        turns = [*around[at:], *around[:at]]
    round_.betting.open(step.name, put, turns, bring_in=forced != "none")


def first_betting(round_: Round) -> BetStep:
    """The first betting round of the hand."""
    return next(each for each in round_.plan.steps if isinstance(each, BetStep))


def blinds_of(round_: Round, number: int) -> int:
    """What a seat has put up that counts as a bet of the first betting round."""
    betting, bets = round_.plan.betting, round_.wagers.get(number, {})
    return sum(bets.get(name, 0) for name in betting.blinds) if betting else 0


def _first(round_: Round, step: BetStep, forced: str) -> int | None:
    """Who acts first; None where cards that decide it were not read."""
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
    """The seat that put up the last of the blinds."""
    betting = round_.plan.betting
    posted = [
        (betting.blinds.index(name), number)
        for number in around
        for name in round_.wagers.get(number, {})
        if betting is not None and name in betting.blinds
    ]
    return max(posted)[1] if posted else None


def _boards(round_: Round, numbers: list[int]) -> dict[int, tuple[Card, ...]]:
    """The cards of these seats that lie open as dealt, and one for all; none of a seat of which one was not read."""
    common = tuple(round_.ledger.community())
    found = {}
    for number in numbers:
        cards = (*upcards(round_, number), *common)
        found[number] = () if UNREAD in cards else cards
    return found


def upcards(round_: Round, number: int) -> tuple[Card, ...]:
    """The cards of a seat that were dealt face up, in their order."""
    faced = {step.name for step in round_.plan.steps if isinstance(step, DealStep) and step.face == "up"}
    place = seat(number)
    lying = zip(round_.from_shoe, laid(round_), strict=True)
    return tuple(card for card, due in lying if due is not None and due.place == place and due.step in faced)


def shown_from(round_: Round, numbers: list[int]) -> list[int]:
    """These seats as they show their hands: first who bet or raised last in the last betting round, or, where all
    checked, who acted first, then clockwise (47.1-1033)."""
    betting = round_.betting
    actions = [each for each in betting.actions if each.step == betting.step]
    raised = [each.seat for each in actions if each.cents and each.cents == betting.high and _puts_more(each, actions)]
    first = raised[-1] if raised else actions[0].seat if actions else None
    around = in_turn(round_)
    if first in around:
        at = around.index(first)
        around = [*around[at:], *around[:at]]
    return [number for number in around if number in numbers]


def _puts_more(action: ActionRecord, actions: list[ActionRecord]) -> bool:
    """Whether nobody had put in as much before this action of a betting round."""
    return all(each.cents < action.cents for each in actions[: actions.index(action)])


def may_act(round_: Round, body: e.PlayerActed) -> bool:
    """Whether it is this seat's turn, or it was passed by. A correction is of who acted last."""
    betting = round_.betting
    standing = betting.standing(body.seat, corrected=body.manner == e.Manner.CORRECTED)
    if standing is not betting:
        return True
    return body.seat in betting.waiting(round_.live)
