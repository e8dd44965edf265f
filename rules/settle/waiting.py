"""Nothing is paid or taken by a reading that waits for a person: what it decided of a round is held.

A wager of a seat is held alone. Where the reading decided what is no wager of one seat, as envy or a pot is, the whole
round waits.
"""

from dealer_flow.record.result import RoundResult
from rules.bets.hold import Hold
from rules.facts.terms import Terms
from rules.settle.deciding import Deciding, LineKey, by_key
from rules.settle.rounds import Waiting, settle_on
from rules.settlement import Settlement


def settle_waiting(result: RoundResult, terms: Terms) -> Settlement:
    """Settle one round on terms that were agreed before, but for what a reading decided that waits (`Terms.waits`)."""
    settled = settle_on(result, terms)
    if not terms.waits:
        return settled
    lines, decided = by_key(settled.lines), Deciding(terms, terms.waits).of(result, settled)
    open_ones = {key: names[0] for key, names in decided.items() if key not in lines or lines[key].result != "held"}
    return settle_on(result, terms, _waiting(open_ones, terms)) if open_ones else settled


def _waiting(decided: dict[LineKey, str], terms: Terms) -> Waiting:
    """The bets that wait; of what is no wager of one seat the reason why all of the round does."""
    found: dict[int, dict[str, Hold]] = {}
    for key, reading in decided.items():
        bet = terms.game.bets.get(key.bet)
        if bet is None or bet.among_players:
            return _hold(reading, terms)
        found.setdefault(key.seat, {})[bet.on or bet.name] = _hold(reading, terms)
    return found


def _hold(reading: str, terms: Terms) -> Hold:
    option, clause = terms.readings[reading], terms.game.spec.readings[reading].clause
    return Hold(f"{reading} {option} decides it, and nobody has signed that reading", clause, reading=reading)
