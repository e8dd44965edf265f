"""What may happen next: who, what, where. Every line of it passes `turns.breach`."""

from collections.abc import Iterator

from dealer_flow.legal_item import Legal
from dealer_flow.round import Round
from dealer_flow.shoe_legal import shoe_legal
from dealer_flow.states import LOOSE, State
from dealer_flow.turns import next_to_show
from protocol.places import seat

__all__ = ["Legal", "legal"]


def legal(state: State, now: Round) -> tuple[Legal, ...]:
    """Everything that may happen next; never empty. Lamps, jams, doors and the second deck have no turn."""
    return tuple(_legal(state, now))


def _legal(state: State, now: Round) -> Iterator[Legal]:
    if state is State.BETTING:
        yield from _betting(now)
        return
    if now.draw is not None:
        yield from shoe_legal(state, now, now.draw)
        return
    if state is State.DEALING:
        yield from _dealing(now)
    elif state is State.BURNING and now.plan.burn:
        positions = ", ".join(map(str, sorted(now.plan.burn.positions)))
        what = f"burn cards {positions} from the left of the community packet"
        yield Legal("dealer", "BurnConfirmed", now.plan.burn.place.text, what)
    elif state is State.DECIDING:
        yield from _deciding(now)
    elif state in (State.REVEALING, State.PROGRESSIVE):
        yield from _revealing(state, now)
    if state is not State.DEALING and now.due is None and now.ledger.remainder is None:
        yield Legal("shuffler", "RemainderDumped", "remainder", "bring the remainder")
    for place in now.ledger.hands:
        yield Legal("supervisor", "CardsCounted", place.text, f"count the cards at {place}")
    if state not in LOOSE and (not now.decisions or now.plan.procedure.misdeal.until == "end"):
        yield Legal("supervisor", "MisdealCalled", "", "call a misdeal")
    if _may_end(state, now):
        yield Legal("dealer", "GameEnded", "", "END GAME", now.number)


def _may_end(state: State, now: Round) -> bool:
    if state in LOOSE or now.ledger.conserved is False:
        return True
    if state is State.DEALING:
        return bool(now.red_lamp)
    return state is State.REVEALING and now.ledger.remainder is not None


def _betting(now: Round) -> Iterator[Legal]:
    for number in range(1, now.plan.most_seats + 1):
        for bet in now.plan.bets.values():
            if bet.placed == "before-deal":
                yield Legal(f"player at seat {number}", "WagerPlaced", f"seat {number}", f"bet {bet.name}", bet.number)
    if any(now.plan.entering & bets.keys() for bets in now.wagers.values()):
        yield Legal("dealer", "GameStarted", "", "START GAME")


def _dealing(now: Round) -> Iterator[Legal]:
    ordinal = len(now.ledger.lifted) + 1
    if ordinal in now.ledger.packets:
        yield Legal("dealer", "PacketLifted", str(now.due), f"take packet {ordinal} to {now.due}", ordinal)
    else:
        yield Legal("shuffler", "PacketDispensed", str(now.due), f"bring packet {ordinal} for {now.due}", ordinal)


def _deciding(now: Round) -> Iterator[Legal]:
    plan = now.plan
    for number in now.undecided:
        for choice in plan.decisions.values():
            yield Legal(f"player at seat {number}", "DecisionMade", f"seat {number}", choice.name, choice.number)
    for number in now.live:
        for bet in plan.bets.values():
            if bet.placed == "by-decision":
                yield Legal(f"player at seat {number}", "WagerPlaced", f"seat {number}", f"bet {bet.name}", bet.number)


def _revealing(state: State, now: Round) -> Iterator[Legal]:
    if state is State.PROGRESSIVE:
        seats = now.for_progressive
    else:
        first = next_to_show(now)
        if first not in (None, "seats"):
            yield Legal("dealer", "HandRevealed", str(first), f"show {first}")
            return
        seats = [number for number in now.active if now.ledger.hands[seat(number)].revealed is None]
    for number in reversed(seats):
        yield Legal("dealer", "HandRevealed", f"seat {number}", f"show seat {number}")
