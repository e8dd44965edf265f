"""Money on outcomes of one event, each outcome a bet of its own: a card that comes, or what some cards make."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from dealer_flow.tomlfile import TomlTable
from protocol.cards import DECK, RANKS, SUITS
from rules.bets.bet import RoundFacts, Staked, TabledBet
from rules.hands import Ranked
from rules.settlement import SettlementLine, make_line

_SEVEN = 7
_NAMES: Final = {"card": frozenset(card.text for card in DECK), "rank": frozenset(RANKS), "suit": frozenset(SUITS)}
"""What an outcome may name, by what wins it."""


class OutcomeSpec(TomlTable):
    """One outcome that money may be on: the `row` that pays it, and what wins it: the `card`, `rank` or `suit` that the
    proposition names, a value `over` or `under` seven, or the `row` itself, held by the hand. `open`: the text does not
    say what it is, and the money is held. `without`: ranks of the card with which it is lost all the same."""

    row: str
    """The row of the table that pays it."""
    wins: Literal["card", "rank", "suit", "over", "under", "row", "open"]
    """What it is decided by."""
    without: tuple[str, ...] = ()
    clause: str = ""


class PropositionBet(TabledBet):
    """Money on several outcomes of one event, each a bet of its own."""

    kind: Literal["proposition"]
    apart: ClassVar[bool] = True
    outcomes: Annotated[dict[str, OutcomeSpec], Field(min_length=1)]

    def lines(self, staked: Staked, seat: Seat, view: RoundFacts) -> Iterator[SettlementLine]:
        """A line for each outcome that the seat's money is on, and one that is held for money of which nothing is
        known."""
        placed = seat.propositions.get(self.name, {})
        hand = view.hand(self.hand, seat)
        for name, cents in placed.items():
            yield _line(self, staked, (name, cents), hand, view)
        if unknown := staked.cents - sum(placed.values()):
            why = f"the round does not say on which outcome {dollars(abs(unknown))} of it are"
            yield make_line(seat.seat, self.name, max(unknown, 0), "held", why, self.clauses.win)


def _line(
    bet: PropositionBet, staked: Staked, on: tuple[str, int], hand: Ranked | str, view: RoundFacts
) -> SettlementLine:
    """The money on one outcome, `rank:T` or `over-7`."""
    (name, cents), table = on, staked.paytable
    kind, _, what = name.partition(":")
    outcome = bet.outcomes.get(kind)
    row = None if outcome is None else view.terms.game.paytables[table or ""].row_of(outcome.row)
    names_none = outcome is not None and outcome.wins in _NAMES and what not in _NAMES[outcome.wins]
    if outcome is None or outcome.wins == "open" or isinstance(hand, str) or row is None or names_none:
        why = hand if isinstance(hand, str) else "the text does not say what wins it"
        why = f"{what!r} is no {kind}" if names_none else why
        clause = outcome.clause if outcome is not None and outcome.clause else bet.clauses.win
        return make_line(staked.seat, bet.name, cents, "held", why, clause, proposition=name)
    facts = f"on {name}, {hand.text}"
    if not _wins(bet, staked, outcome, what, hand, view):
        why, clause = f"{facts}: {bet.name} loses", outcome.clause or bet.clauses.lose
        return make_line(staked.seat, bet.name, cents, "lose", why, clause, paytable=table, proposition=name)
    pay, rest = view.terms.paid(cents, row)
    why = f"{facts}: {bet.name} pays {row.words}"
    return make_line(
        staked.seat,
        bet.name,
        cents,
        "win",
        why,
        row.clause,
        pay=pay,
        keeps_stake=row.pay.keeps_stake,
        paytable=table,
        row=row.when,
        rest=rest,
        proposition=name,
    )


def _wins(bet: PropositionBet, staked: Staked, outcome: OutcomeSpec, what: str, hand: Ranked, view: RoundFacts) -> bool:
    """Whether the money on an outcome wins: by a card, or by what the cards make."""
    if outcome.wins == "row" and view.terms.readings.get("better-outcome") == "apart":
        best = staked.row(hand.key)
        return best is not None and best.when == outcome.row
    if outcome.wins == "row":
        return view.terms.holds(bet.hand, hand, outcome.row)
    (card,) = hand.cards
    if card.text[0] in outcome.without:
        return False
    if outcome.wins in ("card", "rank", "suit"):
        return what == {"card": card.text, "rank": card.text[0], "suit": card.text[1]}[outcome.wins]
    value = card.rank or 0
    if value == 1 and view.terms.readings.get("ace-over-under") == "high":
        value = 14
    return value > _SEVEN if outcome.wins == "over" else value < _SEVEN
