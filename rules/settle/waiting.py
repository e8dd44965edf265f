"""Settlement with readings that wait for a signature: no money moves by them, and what they decide is held.

If such a reading decides a seat's wager, that wager alone is held. If it decides something that is not one seat's
wager, such as envy or a pot, the whole round is held.
"""

from dealer_flow.record.result import RoundResult
from rules.bets.hold import Hold
from rules.facts.terms import Terms
from rules.settle.deciding import AlternativeOptions, LineKey, by_key
from rules.settle.rounds import Waiting, settle_on
from rules.settlement import Settlement


def settle_waiting(result: RoundResult, terms: Terms) -> Settlement:
    """Settle one round on terms agreed before, and hold what a waiting reading (`Terms.waits`) decided."""
    settled = settle_on(result, terms)
    if not terms.waits:
        return settled
    lines, decided = by_key(settled.lines), AlternativeOptions(terms, terms.waits).of(result, settled)
    open_ones = {key: names[0] for key, names in decided.items() if key not in lines or lines[key].result != "held"}
    return settle_on(result, terms, _bets_to_hold(open_ones, terms)) if open_ones else settled


def _bets_to_hold(decided: dict[LineKey, str], terms: Terms) -> Waiting:
    """Return the bets to hold, or the reason to hold the whole round if something other than one seat's wager is
    affected."""
    found: dict[int, dict[str, Hold]] = {}
    for key, reading in decided.items():
        bet = terms.game.bets.get(key.bet)
        # Envy, an award or a pot belongs to several seats: hold the round, not one wager.
        if bet is None or bet.among_players:
            return _hold(reading, terms)
        found.setdefault(key.seat, {})[bet.on or bet.name] = _hold(reading, terms)
    return found


def _hold(reading: str, terms: Terms) -> Hold:
    option, clause = terms.readings[reading], terms.game.spec.readings[reading].clause
    return Hold(f"{reading} {option} decides it, and that reading is not signed", clause, reading=reading)
