"""Money on the outcomes of one event, each a separate bet: the card that comes, or the hand that some cards make."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Annotated, ClassVar, Final, Literal

from msgspec.structs import replace
from pydantic import Field

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from dealer_flow.tomlfile import TomlTable
from protocol.cards import DECK, RANKS, SUITS, Card, high_rank
from rules.bets.bet import RoundFacts, Staked, TabledBet
from rules.bets.outcome import BetFacts, Outcome, paid
from rules.hands import Ranked
from rules.paytables.paytable import PaidRow
from rules.settlement import SettlementLine, make_line

_SEVEN = 7
_NAMES: Final = {"card": frozenset(card.text for card in DECK), "rank": frozenset(RANKS), "suit": frozenset(SUITS)}
"""Names that an outcome may use, by what wins it."""


class OutcomeSpec(TomlTable):
    """One outcome that money may be on, and the `row` that pays it.

    It is won by the `card`, `rank` or `suit` that the proposition names, by a value `over` or `under` seven, or by a
    hand that makes the `row` itself. `open`: the regulation does not define it, and the money is held. `without`: ranks
    of the card with which it loses anyway.
    """

    row: str
    """The row of the table that pays it."""
    wins: Literal["card", "rank", "suit", "over", "under", "row", "open"]
    """The event that decides it."""
    without: tuple[str, ...] = ()
    clause: str = ""

    def wins_with(self, named: str, card: Card, readings: Mapping[str, str]) -> bool:
        """Return True if a card wins money placed on this outcome; `named` is the card, rank or suit of the
        proposition, empty for none."""
        if card.text[0] in self.without:
            return False
        if self.wins in ("card", "rank", "suit"):
            return named == {"card": card.text, "rank": card.text[0], "suit": card.text[1]}[self.wins]
        value = high_rank(card) if readings.get("ace-over-under") == "high" else card.rank or 0
        return value > _SEVEN if self.wins == "over" else value < _SEVEN

    def wins_by_row(self, best: PaidRow | None, holds: Callable[[str], bool], readings: Mapping[str, str]) -> bool:
        """Return True if cards whose best row is `best` win money placed on this outcome; `holds` tells if they make a
        given row."""
        if readings.get("better-outcome") == "apart":
            return best is not None and best.when == self.row
        return holds(self.row)


class PropositionBet(TabledBet):
    """Money on several outcomes of one event, each a separate bet."""

    kind: Literal["proposition"]
    apart: ClassVar[bool] = True
    outcomes: Annotated[dict[str, OutcomeSpec], Field(min_length=1)]

    def outcome(self, facts: BetFacts) -> Outcome:
        """Return a win by the outcome's pay table row if `facts` say that the outcome happened, otherwise a loss."""
        if facts.sign == 1 and facts.row is not None:
            return paid(facts.row, by_table=True)
        return Outcome("lose", self.outcomes[facts.on].clause or self.clauses.lose, by_table=True)

    def wins(self, outcome: OutcomeSpec, what: str, hand: Ranked, staked: Staked, view: RoundFacts) -> bool:
        """Return True if the money on an outcome wins: by a card, or by the hand that the cards make."""
        if outcome.wins == "row":
            holds = partial(view.terms.holds, self.hand, hand)
            return outcome.wins_by_row(staked.row(hand.key), holds, view.terms.readings)
        (card,) = hand.cards
        return outcome.wins_with(what, card, view.terms.readings)

    def lines(self, staked: Staked, seat: Seat, view: RoundFacts) -> Iterator[SettlementLine]:
        """Yield a line for each outcome that the seat's money is on, and a held line for money whose outcome is
        unknown."""
        placed = seat.propositions.get(self.name, {})
        hand = view.hand(self.hand, seat)
        for name, cents in placed.items():
            yield _line(self, staked, (name, cents), hand, view)
        if unknown := staked.cents - sum(placed.values()):
            why = f"the round does not say on which outcome {dollars(abs(unknown))} of it is"
            yield make_line(seat.seat, self.name, max(unknown, 0), "held", why, self.clauses.win)


def _line(
    bet: PropositionBet, staked: Staked, on: tuple[str, int], hand: Ranked | str, view: RoundFacts
) -> SettlementLine:
    """Return the line of the money on one outcome, such as `rank:T` or `over-7`."""
    (name, cents), table = on, staked.paytable
    kind, _, what = name.partition(":")
    outcome = bet.outcomes.get(kind)
    row = None if outcome is None else view.terms.game.paytables[table or ""].row_of(outcome.row)
    names_none = outcome is not None and outcome.wins in _NAMES and what not in _NAMES[outcome.wins]
    if outcome is None or outcome.wins == "open" or isinstance(hand, str) or row is None or names_none:
        why = hand if isinstance(hand, str) else "the regulation does not say what wins it"
        why = f"{what!r} is not a {kind}" if names_none else why
        clause = outcome.clause if outcome is not None and outcome.clause else bet.clauses.win
        return make_line(staked.seat, bet.name, cents, "held", why, clause, proposition=name)
    won = bet.wins(outcome, what, hand, staked, view)
    ended = bet.outcome(BetFacts(1 if won else -1, row, on=kind))
    line = Staked(staked.of, staked.seat, cents, staked.terms, cents).ended(ended, f"on {name}, {hand.text}")
    return replace(line, proposition=name)
