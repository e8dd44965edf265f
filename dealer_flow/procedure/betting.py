"""The `[betting]` table: what players may do with their chips in a game in which they bet against each other."""

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
TAKEN_BACK: Final = "taken-back"
BINDS: Final = "binds"
OUT_OF_TURN: Final = (TAKEN_BACK, "stands", BINDS)
"""Settings for an action out of turn, once a seat acts whose turn it was."""
BEFORE_BUTTON: Final = "before-button"
BLINDS_AT: Final = (BEFORE_BUTTON, "after-button")
"""Places of the blinds: the last ones clockwise before the button, or the first ones after it."""
PUTS: Final = (
    BettingAction.BET,
    BettingAction.RAISE,
    BettingAction.CALL,
    BettingAction.ALL_IN,
    BettingAction.BRING_IN,
)
"""Actions that put chips in, unless all of them were in front of the seat already."""


def after_raise(raises: int, high: int, *, bring_in: bool) -> int:
    """Return the number of raises in a betting round after a higher bet; completing a bring-in is not a raise."""
    return raises + (high > 0 and not bring_in)


class MostPart(TomlTable):
    """A maximum amount, and the clause that sets it."""

    amount: AmountText
    clause: Clause

    @cached_property
    def cents(self) -> int:
        """Limit in cents."""
        return int(amount_of(self.amount).times)


class BettingPart(TomlTable):
    """Rules of chips that go into a pot. A seat plays because it has a table stake, and bets no more than that."""

    blinds: tuple[Name, ...] = ()
    """Bets before the first card that count as bets of the first betting round, in order from the left of the button.
    Any other bet before the deal, such as an ante, is swept into the pot and does not count."""
    blinds_at: Annotated[OptionRef | None, Chooses(BLINDS_AT)] = None
    """Option that says whether the blinds are put up before the button or after it; without one, after it."""
    apart: tuple[Name, ...] = ()
    """Bets before the deal that are kept apart from the pot."""
    everybody: tuple[Name, ...] = ()
    """Bets before the deal that every seat dealt in puts up."""
    most_bet: MostPart | None = None
    """Largest bet; absent if the regulation sets none."""
    most_raise: MostPart | None = None
    """Largest raise above the bet before it; absent if the regulation sets none."""
    raises: Annotated[OptionRef, Chooses(RAISES)]
    """Option that says how many raises a betting round may have."""
    check_and_raise: Annotated[OptionRef, Chooses(YES_OR_NO)]
    """Option that says whether a player who has checked may raise."""
    bet_or_fold: Annotated[OptionRef, Chooses(YES_OR_NO)]
    """Option that says whether a player must bet or fold."""
    chop: Annotated[OptionRef | None, Chooses(YES_OR_NO)] = None
    """Option that says whether the two players in the blinds may end the hand and take them back."""
    out_of_turn: Annotated[OptionRef | None, Chooses(OUT_OF_TURN)] = None
    """Option that says whether an action out of turn counts; without one it stands."""
    stakes_clause: Clause
    """Clause on table stakes."""
    order_clause: Clause
    """Clause on the order of action."""
    short_call_clause: Clause
    """Clause on a call with too few chips."""
    apparent_call_clause: Clause
    """Clause on a call with too many chips."""
    string_bet_clause: Clause
    """Clause on chips added after a call."""
    time_limit_clause: Clause
    """Clause on the time to act."""
    bypassed_clause: Clause
    """Clause on a player who was passed by."""
    retrieved_clause: Clause
    """Clause on a hand retrieved from the muck."""
    blind_position_clause: Clause
    """Clause on a blind put up by a seat that does not owe it."""
    fouled_bet_clause: Clause
    """Clause on a bet on a fouled hand that the next player has not acted on."""
    award_clause: Clause | None = None
    """Clause on a pot that was taken in and is claimed; `clause` if absent."""
    card_ahead_clause: Clause | None = None
    """Clause on a bet by a player who has a card more than others."""
    clause: Clause

    def over_limit(self, cents: int, high: int, raises: int, most_raises: str, *, bring_in: bool) -> "OverLimit | None":
        """Return the limit that an action breaks which puts `cents` in front of a seat, or None.

        `high` was the bet to call before it, 0 if there was none, after `raises` raises; `bring_in` means that bet was
        forced. `most_raises` is the house's setting of `raises`.
        """
        most, guard = (self.most_raise, "raise_within_limit") if high else (self.most_bet, "bet_within_limit")
        if most is not None and cents - high > most.cents:
            return OverLimit(guard, most.clause)
        counts = 0 < high < cents and not bring_in and most_raises != UNLIMITED
        return OverLimit("raises_left", self.raises.clause) if counts and raises >= int(most_raises) else None

    def words(self) -> str:
        """Return the limits as text for a dealer."""
        most = [f"a bet is at most {dollars(self.most_bet.cents)}"] if self.most_bet is not None else []
        if self.most_raise is not None:
            most.append(f"a raise at most {dollars(self.most_raise.cents)} more than the bet before it")
        stake = "no one bets more than the seat's stake at the start of the hand."
        text = f"{', '.join(most)}; {stake}" if most else stake
        return f"{text[:1].upper()}{text[1:]}"


class OverLimit(NamedTuple):
    """A limit that an action breaks: the name of its check in the flow, and its clause."""

    guard: str
    clause: str


def broken_limits(
    part: BettingPart, actions: Sequence[ActionRecord], blinds: int, most_raises: str
) -> Iterator[tuple[ActionRecord, int, OverLimit]]:
    """Yield the actions of a finished round that broke a limit, each with the bet to call before it.

    `blinds` is the highest blind, which counts in the first betting round.
    """
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
