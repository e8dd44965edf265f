"""What a player may do in a betting round, with the cents that the least of each comes to."""

from collections.abc import Iterator

import devices.events as e
from dealer_flow.english import dollars
from dealer_flow.play.course.candidate import Candidate, Legal
from dealer_flow.play.course.retrieved import in_question
from dealer_flow.play.seen.betting import betting_now
from dealer_flow.table.round import Round
from devices.events import BettingAction
from protocol.places import seat


def acting(round_: Round) -> Iterator[Candidate]:
    """Every action of the seats whose turn it is; the order of play leaves out what may not be."""
    betting, live = round_.betting, round_.live
    for number in betting.waiting(live):
        lies, high, most = betting.lies(number), betting.high, betting.most(number)
        more = high + 1 if most is None else min(high + 1, most)
        for action, cents, what in (
            (BettingAction.CHECK, lies, "check"),
            (BettingAction.BRING_IN, high + 1, "bring in"),
            (BettingAction.BET, more, "bet"),
            (BettingAction.CALL, betting.to_call(number), f"call {dollars(betting.to_call(number) - lies)}"),
            (BettingAction.RAISE, more, f"raise to more than {dollars(high)}"),
            (BettingAction.ALL_IN, most or 0, f"all-in with {dollars((most or 0) - lies)}"),
            (BettingAction.FOLD, lies, "fold"),
            (BettingAction.CHOP, lies, "chop the blinds"),
        ):
            if action is not BettingAction.ALL_IN or most is not None:
                yield _act(number, action, cents, what)
    for number in sorted(round_.seen_last):
        yield _act(number, BettingAction.ALL_IN, betting.lies(number), "all-in with what is in the pot")


def _act(number: int, action: BettingAction, cents: int, what: str) -> Candidate:
    item = Legal(f"player at seat {number}", "PlayerActed", seat(number).text, what, cents)
    return item, e.PlayerActed(number, action, cents)


def taking_in(round_: Round) -> Iterator[Candidate]:
    """The hands are shown: one that is not is mucked; a pot is taken in."""
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
    for pot in chips.pots if chips is not None else ():  # who mucked last has what no hand that is left could match
        yield from (_award(number) for number in sorted(pot.contenders - {*round_.live}))


def _award(number: int) -> Candidate:
    item = Legal("dealer", "PotTaken", seat(number).text, f"award a pot to seat {number}", 1)
    return item, e.PotTaken(1, number, 1)
