"""Lines of bets that the cards do not decide: the round's record decides them, and if it is silent they are held.

For each bet of a seat, a round says that it goes back (`returned`), that it was settled before the round or the hand
became void (`settled`), or that a supervisor has to decide (`held`). Any other bet of a dead hand is lost by the clause
of what killed the hand (47.1-1031(2)).
"""

from typing import Final

from dealer_flow.english import dollars
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult, Seat
from protocol.places import seat as place_of
from rules.bets.bet import Bet, held
from rules.bets.bet_terms import ReturnClauses
from rules.bets.hold import Hold
from rules.game.load import Game
from rules.hands.hand_spec import OWN
from rules.settlement import SettlementLine, make_line

_FOULED: Final = "hand-fouled"


def plays(result: RoundResult, seat: Seat, bet: Bet, game: Game) -> bool:
    """Return True if the cards decide the bet: those of the end, or those of the stage at which it was settled before a
    void."""
    if seat.status == "out" or bet.name in seat.returned:
        return False
    if result.outcome == "complete" and seat.status != "dead":
        return True
    if result.outcome == "progressive-only" and bet.meter_effects:
        return seat.status != "dead"
    if bet.name not in seat.settled or _pot_in_doubt(result, bet):
        return False
    own = not bet.among_players  # a pot is settled as a whole, not bet by bet
    # The hand was settled before the defect was found, and that stands.
    shown = result.outcome == "defective-deck" and seat.status != "dead" and own
    return shown or _decided_by_stage(bet, game) or _as_then(result, seat, bet, game)


def _pot_in_doubt(result: RoundResult, bet: Bet) -> bool:
    """Return True for a pot with the stake of a hand that died before: whether that stake was in it is not known."""
    pot = bet.among_players or (bet.of_table and not bet.meter_effects)
    return pot and any(bet.name in each.wagers and bet.name not in each.settled for each in result.seats)


def _as_then(result: RoundResult, seat: Seat, bet: Bet, game: Game) -> bool:
    """Return True if the round records that the cards of a live hand lay as they do now when its bets were settled."""
    spec = game.spec.hands.get(bet.hand)
    if spec is None or spec.at or spec.part or seat.status != "live" or result.outcome == "complete":
        return False
    return all(_unchanged(result, seat, place) for place in spec.of)


def _unchanged(result: RoundResult, seat: Seat, place: str) -> bool:
    """Return True if every stage on record of this place, of which there is one, has the cards that lie there now."""
    here, cards = place, result.community
    if place == OWN:
        here, cards = place_of(seat.seat).text, seat.cards
    elif (named := next((each for each in result.hands if each.name == place), None)) is not None:
        here, cards = named.place, named.cards
    stages = [stage.cards for stage in result.stages if stage.place == here]
    return bool(stages) and all(each == cards for each in stages)


def _decided_by_stage(bet: Bet, game: Game) -> bool:
    """Return True if an earlier step's cards decide this bet."""
    names = (bet.hand, bet.instead.hand) if bet.instead else (bet.hand,)
    return any(name in game.spec.hands and game.spec.hands[name].at for name in names)


def line_of_unknown(
    result: RoundResult, seat: Seat, bet: str, hold: Hold, returns: ReturnClauses | None
) -> SettlementLine:
    """Return the line of a bet that the game does not have: held, unless the round returned it as `returns` allows."""
    stake = seat.wagers[bet]
    if returns is not None and seat.returned.get(bet) == stake:
        why, clause = why_void(result, seat, returns)
        return make_line(seat.seat, bet, stake, "returned", f"{why}: {bet} comes back", clause)
    return make_line(seat.seat, bet, stake, "held", hold.why, hold.clause)


def line_by_record(
    result: RoundResult, seat: Seat, bet: Bet, hold: Hold | None, returns: ReturnClauses
) -> SettlementLine:
    """Return the line of a bet that does not play; `hold` is the reason if it breaks a rule."""
    stake, (why, clause) = seat.wagers[bet.name], why_void(result, seat, returns)
    back = seat.returned.get(bet.name)
    if back == stake:
        return make_line(seat.seat, bet.name, stake, "returned", f"{why}: {bet.name} comes back", clause)
    if back is not None:
        hold = Hold(f"{why}: the round gives back {dollars(back)} of {dollars(stake)}", clause)
    elif hold is not None and (bet.name in seat.held or seat.status == "out"):
        pass
    elif seat.status == "out":
        hold = Hold(f"seat {seat.seat} was not dealt in", bet.clauses.win)
    elif bet.name in seat.settled and seat.status == "folded" and bet.fold == "lose":
        return make_line(seat.seat, bet.name, stake, "lose", f"folded: {bet.name} loses", bet.clauses.fold)
    elif bet.name in seat.settled:
        hold = Hold(f"{why}: {bet.name} was settled earlier, and that stands", clause)
    elif (killed := _killing_incident(result, seat)) is not None:
        what = "fouled hand" if killed.code == _FOULED else "dead hand"
        return make_line(seat.seat, bet.name, stake, "lose", f"{what}: {bet.name} loses", killed.clause)
    else:
        hold = Hold(f"{why}: the round does not record the result of {bet.name}", clause)
    return held(bet, seat.seat, stake, hold)


def why_void(result: RoundResult, seat: Seat, returns: ReturnClauses) -> tuple[str, str]:
    """Return the reason that the bets of a seat are void, as text, and the clause that returns them.

    No clause of the game gives back the bets of a live hand in a complete round; the clause is then that of the
    incident at the seat, if there is one.
    """
    if result.outcome == "defective-deck":
        return "defective deck", returns.defective_deck
    if result.outcome == "misdeal" or (result.outcome == "progressive-only" and seat.status != "dead"):
        return "misdeal", returns.misdeal
    if seat.status == "dead":
        return "dead hand", returns.dead_hand
    here = [each for each in result.incidents if each.seat == seat.seat or each.place == f"seat {seat.seat}"]
    return "returned at the table", here[0].clause if here else "procedure"


def _killing_incident(result: RoundResult, seat: Seat) -> Incident | None:
    """Return the incident that killed this hand in a round that was played out: a fouled hand first, else the first at
    the seat."""
    if seat.status != "dead" or result.outcome not in ("complete", "progressive-only"):
        return None
    here = [each for each in result.incidents if each.place == f"seat {seat.seat}"]
    return min(here, key=lambda each: each.code != _FOULED, default=None)
