"""Bets on a hand set in two parts against another such hand."""

from collections.abc import Collection, Iterator
from typing import Literal, Self

from pydantic import model_validator

from dealer_flow.record.result import Seat
from protocol.tomlfile import Key
from rules.bets.bet import Bet, RoundFacts, Staked
from rules.bets.bet_keys import SpecFacts, unknown
from rules.bets.hold import Hold
from rules.bets.outcome import COPY, BetFacts, Outcome, paid
from rules.hands import Ranked
from rules.settlement import SettlementLine


class SplitBet(Bet):
    """A hand set in two parts against another: winning both parts wins, one is a push (`clauses.tie`), none loses.

    A copy, the same rank in both hands, counts for the other hand, by the clause `copies`.
    """

    kind: Literal["split"]
    against: str
    """The rest of the other hand."""
    low: str
    """The low part of the hand that decides it."""
    against_low: str
    """The low part of the other hand."""
    copies: str
    """The clause by which a copy counts for the other hand."""

    @model_validator(mode="after")
    def _is_paid(self) -> Self:
        if self.paytables or self.pays is None or self.pays.unit != "to":
            raise ValueError(f"bet {self.name!r} on a hand set in two needs pays = 'A to B' and no paytables")
        return self

    def faults(self, spec: SpecFacts, bets: Collection[str]) -> Iterator[tuple[Key, str]]:
        """Yield errors for unknown hands."""
        yield from unknown(("against",), "hand", (self.against,), spec.hands)
        yield from unknown(("low",), "hand", (self.low, self.against_low), spec.hands)

    def outcome(self, facts: BetFacts) -> Outcome | None:
        """Return the outcome; sign 1 is both parts won, 0 one, -1 none."""
        if facts.folded and self.fold != "stands":
            return self.folded
        if facts.sign == 0:
            return Outcome("push", self.clauses.tie)
        if facts.sign == 1 and self.fixed is not None:
            return paid(self.fixed)
        return Outcome("lose", self.copies if COPY in facts.also else self.clauses.lose)

    def line(self, staked: Staked, seat: Seat, view: RoundFacts) -> SettlementLine:
        """Return the line: both parts won win, one is a push, none loses; a copy counts for the other hand."""
        found = [
            view.hand(name, whose)
            for name, whose in ((self.low, seat), (self.against_low, seat), (self.hand, seat), (self.against, seat))
        ]
        unknown = next((hand for hand in found if isinstance(hand, str)), None)
        if unknown is not None:
            return staked.held(Hold(unknown, self.clauses.win))
        hands = [hand for hand in found if not isinstance(hand, str)]
        low, high = _part_result(hands[0], hands[1]), _part_result(hands[2], hands[3])
        copies = hands[0].strength == hands[1].strength or hands[2].strength == hands[3].strength
        outcome = self.outcome(BetFacts(low[0] + high[0] - 1, also=frozenset({COPY} if copies else ())))
        assert outcome is not None, "it was not folded"
        return staked.ended(outcome, f"low {low[1]}, high {high[1]}")


def _part_result(own: Ranked, other: Ranked) -> tuple[bool, str]:
    """Return True if a part is won, and the sentence. The sentence lists the cards if both hands have the same name."""
    won = own.strength > other.strength
    if own.strength == other.strength:
        return won, f"{own.text} is a copy of the dealer's"
    verb = "beats" if won else "loses to"
    if own.text != other.text:
        return won, f"{own.text} {verb} the dealer's {other.text}"
    return won, f"{own.text} ({_cards(own)}) {verb} the dealer's ({_cards(other)})"


def _cards(hand: Ranked) -> str:
    return " ".join(card.text for card in hand.cards)
