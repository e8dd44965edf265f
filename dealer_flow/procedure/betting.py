"""The `[betting]` table: what players may do with their chips in a game in which they bet against each other."""

from collections.abc import Iterator, Mapping, Sequence, Set
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
SHORT_BLIND: Final = ("as-posted", "full")
SHORT_ALL_IN: Final = ("reopens", "full-raise-only")
HEADS_UP: Final = ("left-of-button", "button-small")
BUTTON_STRADDLE: Final = ("none", "left-of-button", "left-of-blinds")
PUTS: Final = (
    BettingAction.BET,
    BettingAction.RAISE,
    BettingAction.CALL,
    BettingAction.ALL_IN,
    BettingAction.BRING_IN,
)
"""Actions that put chips in, unless all of them were in front of the seat already."""


def is_full(cents: int, high: int, step: int, *, bring_in: bool) -> bool:
    """Return True if a higher bet of `cents` is a whole bet or raise: it adds at least `step`, the last one, to the bet
    to call."""
    return not high or bring_in or cents - high >= step


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
    extra_blinds: tuple[Name, ...] = ()
    """Those of `blinds` that may follow the others, such as a straddle. Put up by another seat than the next one, they
    count as bets but do not change who acts first."""
    posts: tuple[Name, ...] = ()
    """Bets by which a player comes in between the blinds. They count as bets of the first betting round, too, but do
    not change who acts first."""
    dead: tuple[Name, ...] = ()
    """Bets before the deal of single players that nobody has to match, for blinds that they missed: they go to the main
    pot."""
    full_blind: MostPart | None = None
    """Amount of the big blind that the house has posted; absent if it is not known."""
    short_blind: Annotated[OptionRef | None, Chooses(SHORT_BLIND)] = None
    """Option that says what a call is while the big blind is all-in for less: what lies there, or the full blind."""
    short_all_in: Annotated[OptionRef | None, Chooses(SHORT_ALL_IN)] = None
    """Option that says whether players who have acted may raise after an all-in that is less than a full raise."""
    heads_up_blinds: Annotated[OptionRef | None, Chooses(HEADS_UP)] = None
    """Option that says which of two players owes the small blind."""
    button_straddle: Annotated[OptionRef | None, Chooses(BUTTON_STRADDLE)] = None
    """Option that says who acts first after an extra blind of the seat with the button."""
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

    @cached_property
    def live(self) -> tuple[Name, ...]:
        """Bets before the deal that count as bets of the first betting round."""
        return (*self.blinds, *self.posts)

    def over_limit(
        self, cents: int, high: int, raises: int, most_raises: str, *, bring_in: bool, counts: bool = True
    ) -> "OverLimit | None":
        """Return the limit that an action breaks which puts `cents` in front of a seat, or None.

        `high` was the bet to call before it, 0 if there was none, after `raises` raises; `bring_in` means that bet was
        forced. `most_raises` is the house's setting of `raises`; if not `counts`, the action is no raise.
        """
        most, guard = (self.most_raise, "raise_within_limit") if high else (self.most_bet, "bet_within_limit")
        if most is not None and cents - high > most.cents:
            return OverLimit(guard, most.clause)
        counts = counts and 0 < high < cents and not bring_in and most_raises != UNLIMITED
        return OverLimit("raises_left", self.raises.clause) if counts and raises >= int(most_raises) else None

    def words(self) -> str:
        """Return the limits as text for a dealer."""
        most = [f"a bet is at most {dollars(self.most_bet.cents)}"] if self.most_bet is not None else []
        if self.most_raise is not None:
            most.append(f"a raise at most {dollars(self.most_raise.cents)} more than the bet before it")
        stake = "no one bets more than the seat's stake at the start of the hand."
        text = f"{', '.join(most)}; {stake}" if most else stake
        return f"{text[:1].upper()}{text[1:]}"


class Raising(NamedTuple):
    """The house's settings that decide what counts as a raise.

    `most_raises`: how many a betting round may have. `full_only`: an all-in that is less than a full raise is none.
    `full_blind`: while the big blind is all-in for less, a call may be of the full blind.
    """

    most_raises: str = UNLIMITED
    full_only: bool = False
    full_blind: bool = False

    @classmethod
    def of(cls, part: BettingPart | None, options: Mapping[str, str], unrecorded: Set[str] = frozenset()) -> "Raising":
        """Return the settings by these options; any number of raises where it is not on record."""
        if part is None:
            return cls()
        raises, short, all_in = part.raises.option, part.short_blind, part.short_all_in
        return cls(
            UNLIMITED if raises in unrecorded else options.get(raises, UNLIMITED),
            all_in is not None and options.get(all_in.option) == "full-raise-only",
            short is not None and options.get(short.option) == "full",
        )


class OverLimit(NamedTuple):
    """A limit that an action breaks: the name of its check in the flow, and its clause."""

    guard: str
    clause: str


def broken_limits(
    part: BettingPart, actions: Sequence[ActionRecord], blinds: int, house: Raising
) -> Iterator[tuple[ActionRecord, int, OverLimit]]:
    """Yield the actions of a finished round that broke a limit, each with the bet to call before it.

    `blinds` is the highest blind, which counts in the first betting round.
    """
    at_step, high, raises, bring_in = "", blinds, 0, False
    step = blinds  # the last full bet or raise
    for each in actions:
        if each.action == BettingAction.FORFEIT:
            continue
        if each.step != at_step:
            at_step, high, raises, bring_in = each.step, 0 if at_step else high, 0, False
        if each.cents > high and each.action in PUTS:
            calls = house.full_blind and each.action == BettingAction.CALL
            # an all-in that may be less than a full blind, which the line of the round does not name
            below = (
                house.full_blind and each.action == BettingAction.ALL_IN and high == blinds and each.cents < 2 * high
            )
            counts = not (calls or below) and (
                not house.full_only or is_full(each.cents, high, step, bring_in=bring_in)
            )
            broken = part.over_limit(each.cents, high, raises, house.most_raises, bring_in=bring_in, counts=counts)
            if broken is not None:
                yield each, high, broken
            if counts:
                raises = after_raise(raises, high, bring_in=bring_in)
                step = each.cents if bring_in else each.cents - high
            elif calls:
                step = each.cents
            high, bring_in = each.cents, each.action == BettingAction.BRING_IN
