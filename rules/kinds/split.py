"""Bets on a hand that is set in two against another that is: both parts, or one, or none of them won."""

from dealer_flow.record.result import Seat
from rules.facts.held import Hold
from rules.facts.line import Staked
from rules.facts.seen import View
from rules.game.schema import SplitBet
from rules.hands import Ranked
from rules.settlement import SettlementLine


def resolve(bet: SplitBet, staked: Staked, seat: Seat, view: View) -> SettlementLine:
    """Two parts won win, none loses, one is a push; a copy is the other hand's."""
    found = [
        view.hand(name, whose)
        for name, whose in ((bet.low, seat), (bet.against_low, seat), (bet.hand, seat), (bet.against, seat))
    ]
    unknown = next((hand for hand in found if isinstance(hand, str)), None)
    if unknown is not None:
        return staked.held(Hold(unknown, bet.clauses.win))
    hands = [hand for hand in found if not isinstance(hand, str)]
    low, high = _part(hands[0], hands[1]), _part(hands[2], hands[3])
    facts = f"low {low[1]}, high {high[1]}"
    won = low[0] + high[0]
    if won == 0:
        copies = hands[0].strength == hands[1].strength or hands[2].strength == hands[3].strength
        return staked.lose(facts, bet.copies if copies else bet.clauses.lose)
    if won == 1:
        return staked.push(facts, bet.clauses.tie)
    return staked.won(facts, view.terms.game.fixed[bet.name])


def _part(own: Ranked, other: Ranked) -> tuple[bool, str]:
    """Whether a part is won, and how in words; where the words are the same, the cards tell."""
    won = own.strength > other.strength
    if own.strength == other.strength:
        return won, f"{own.text} is a copy of the dealer's"
    verb = "beats" if won else "loses to"
    if own.text != other.text:
        return won, f"{own.text} {verb} the dealer's {other.text}"
    return won, f"{own.text} ({_cards(own)}) {verb} the dealer's ({_cards(other)})"


def _cards(hand: Ranked) -> str:
    return " ".join(card.text for card in hand.cards)
