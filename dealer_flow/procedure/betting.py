"""The `[betting]` table: what players may do with their chips where they bet against each other."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Annotated, Final, NamedTuple

from dealer_flow.english import dollars
from dealer_flow.procedure.bets import AmountText, amount_of
from dealer_flow.procedure.tables import Chooses, Clause, Name, OptionRef
from dealer_flow.record.details import ActionRecord
from dealer_flow.tomlfile import TomlTable
from devices.events import BettingAction

UNLIMITED: Final = "unlimited"
RAISES: Final = (*map(str, range(10)), UNLIMITED)
YES_OR_NO: Final = ("yes", "no")
PUTS: Final = (
    BettingAction.BET,
    BettingAction.RAISE,
    BettingAction.CALL,
    BettingAction.ALL_IN,
    BettingAction.BRING_IN,
)
"""Actions that put chips in, unless all of them lay there already."""


def after_raise(raises: int, high: int, *, bring_in: bool) -> int:
    """The raises of a betting round when more lies there than the bet to call: to complete a bring-in is none."""
    return raises + (high > 0 and not bring_in)


class MostPart(TomlTable):
    """The most that something may be."""

    amount: AmountText
    clause: Clause

    @cached_property
    def cents(self) -> int:
        """The same in cents."""
        return int(amount_of(self.amount).times)


class BettingPart(TomlTable):
    """How chips go into the pot. A seat plays because it has a table stake, and bets no more than that.

    `blinds` are bets before the first card that count as bets of the first betting round, in their order from the left
    of the button; any other bet before the deal, an ante, is swept and does not. `raises`: the option that says how
    many raises a betting round may have; `check-and-raise`: whether who has checked may raise; `bet-or-fold`: whether
    one must bet or fold. The other keys are clauses: of a call of too few chips, of one of too many, of chips added
    after a call, of the time limit, of a player who was passed by, of a hand taken back out of the muck, of a blind by
    who is not due it, of a bet on a fouled hand that the next player has not acted on, of a bet by who has a card more
    than others, of the order.
    """

    blinds: tuple[Name, ...] = ()
    apart: tuple[Name, ...] = ()
    """Bets before the deal that are kept apart from the pot."""
    everybody: tuple[Name, ...] = ()
    """Bets before the deal that every seat dealt in puts up."""
    most_bet: MostPart | None = None
    """The most that a bet may be; absent where the law sets none."""
    most_raise: MostPart | None = None
    """The most that a raise may be above the bet before it; absent where the law sets none."""
    raises: Annotated[OptionRef, Chooses(RAISES)]
    check_and_raise: Annotated[OptionRef, Chooses(YES_OR_NO)]
    bet_or_fold: Annotated[OptionRef, Chooses(YES_OR_NO)]
    chop: Annotated[OptionRef | None, Chooses(YES_OR_NO)] = None
    """The option that says whether the two players in the blinds may end the hand and take them back."""
    stakes_clause: Clause
    order_clause: Clause
    short_call_clause: Clause
    apparent_call_clause: Clause
    string_bet_clause: Clause
    time_limit_clause: Clause
    bypassed_clause: Clause
    retrieved_clause: Clause
    blind_position_clause: Clause
    fouled_bet_clause: Clause
    card_ahead_clause: Clause | None = None
    clause: Clause

    def over_limit(self, cents: int, high: int, raises: int, most_raises: str, *, bring_in: bool) -> "OverLimit | None":
        """The limit that an action breaks by which `cents` lie before a seat; None where it breaks none. Before it
        `high` was the bet to call, 0 where there was none, after so many raises; `bring_in`: that bet was forced.
        `most_raises`: what the house posts for `raises`."""
        most, guard = (self.most_raise, "raise_within_limit") if high else (self.most_bet, "bet_within_limit")
        if most is not None and cents - high > most.cents:
            return OverLimit(guard, most.clause)
        counts = 0 < high < cents and not bring_in and most_raises != UNLIMITED
        return OverLimit("raises_left", self.raises.clause) if counts and raises >= int(most_raises) else None

    def words(self) -> str:
        """What a dealer knows of it."""
        most = [f"a bet is at most {dollars(self.most_bet.cents)}"] if self.most_bet is not None else []
        if self.most_raise is not None:
            most.append(f"a raise at most {dollars(self.most_raise.cents)} more than the bet before it")
        stake = "nobody bets more than lay before the seat when the hand began."
        text = f"{', '.join(most)}; {stake}" if most else stake
        return f"{text[:1].upper()}{text[1:]}"


class OverLimit(NamedTuple):
    """A limit that an action breaks: the guard of the flow that keeps it, and its clause."""

    guard: str
    clause: str


def broken_limits(
    part: BettingPart, actions: Sequence[ActionRecord], blinds: int, most_raises: str
) -> Iterator[tuple[ActionRecord, int, OverLimit]]:
    """The actions of a finished round that broke a limit, each with the bet to call before it. `blinds`: the highest of
    those that lay there, which counts in the first betting round."""
    at_step, high, raises, bring_in = "", blinds, 0, False
    for each in actions:
        if each.action == BettingAction.FORFEIT:
            continue
        if each.step != at_step:
            at_step, high, raises, bring_in = each.step, 0 if at_step else high, 0, False
        if each.cents > high and each.action in PUTS:
            broken = part.over_limit(each.cents, high, raises, most_raises, bring_in=bring_in)
            if broken is not None:
                yield each, high, broken
            raises, high = after_raise(raises, high, bring_in=bring_in), each.cents
            bring_in = each.action == BettingAction.BRING_IN
