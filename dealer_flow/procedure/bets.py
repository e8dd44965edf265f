"""Bets as data: the spots of a layout, the rules that a file may set on each, and tips."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import AfterValidator, Field

from dealer_flow.english import a, dollars, listed
from dealer_flow.procedure.tables import Byte, Clause, Name, WhenPart, chosen
from dealer_flow.tomlfile import TomlTable
from protocol.cards import RANKS, SUITS
from protocol.printable import printable

_AMOUNT: Final = (
    r"^(?:\$(?P<dollars>\d{1,7})(?:\.(?P<cents>\d\d))?"
    r"|(?:(?P<times>[1-9]\d?(?:/[1-9]\d?)?) )?(?P<bet>[a-z0-9]+(?:[.-][a-z0-9]+)*))$"
)


def _spelled(text: str) -> str:
    if re.match(_AMOUNT, text) is None:
        raise ValueError(
            f"must be an amount as '$50', '$2.50', 'ante', '2 ante' or '1/2 ante', not {printable(repr(text))}"
        )
    return text


AmountText = Annotated[
    str, AfterValidator(_spelled), Field(json_schema_extra={"pattern": re.sub(r"\?P<\w+>", "", _AMOUNT)})
]
"""Amount as in `$50`, `$2.50`, `ante`, `2 ante` or `1/2 ante`."""


class Amount(NamedTuple):
    """A fixed number of cents, or a multiple of a bet. Whole numbers are ints, since every bet is compared with
    some."""

    times: int | Fraction
    bet: str = ""

    def cents(self, wagers: Mapping[str, int]) -> int | Fraction:
        """Return the amount in cents given these bets; 0 if the bet is not placed."""
        if not self.bet:
            return self.times
        return self.times * wagers[self.bet] if self.bet in wagers else 0

    def words(self) -> str:
        """Return the amount as in `$50`, `2 x ante` or `half the ante`."""
        if not self.bet:
            return dollars(int(self.times))
        known: dict[int | Fraction, str] = {1: f"the {self.bet}", Fraction(1, 2): f"half the {self.bet}"}
        return known.get(self.times, f"{self.times} x {self.bet}")


def amount_of(text: str) -> Amount:
    """Parse an amount as a procedure file spells it."""
    found = re.match(_AMOUNT, text)
    assert found is not None, "the schema lets no other text pass"
    if found["bet"]:
        times = Fraction(found["times"] or 1)
        return Amount(int(times) if times.denominator == 1 else times, found["bet"])
    return Amount(int(found["dollars"]) * 100 + int(found["cents"] or 0))


# ------------------------------------------------------------------ the tables


AMOUNTS: Final = ("equal", "exactly", "at-most", "at-least", "multiple-of")
"""Rules that compare a bet with an amount."""
BESIDE: Final = ("needs", "needs-one-of", "excludes", "same-as")
"""Rules on the other bets of the seat."""
_SAYS: Final = {
    "equal": "equals",
    "exactly": "exactly",
    "at-most": "at most",
    "at-least": "at least",
    "multiple-of": "a multiple of",
    "needs": "only with",
    "needs-one-of": "only with",
    "excludes": "not with",
    "same-as": "as much as",
}


class MustPart(TomlTable):
    """One rule on a bet, with its clause; it applies only if the bet is placed. Exactly one rule key is given."""

    equal: AmountText | None = None
    """The bet equals this amount."""
    exactly: AmountText | None = None
    """The bet is exactly this amount of dollars."""
    at_most: AmountText | None = None
    """The bet is at most this amount."""
    at_least: AmountText | None = None
    """The bet is at least this amount."""
    multiple_of: AmountText | None = None
    """The bet is a multiple of this amount."""
    needs: tuple[Name, ...] = ()
    """The seat has all of these bets."""
    needs_one_of: tuple[Name, ...] = ()
    """The seat has at least one of these bets."""
    excludes: tuple[Name, ...] = ()
    """The seat has none of these bets; a seat that has one breaks the rule with both."""
    same_as: tuple[Name, ...] = ()
    """The bet is as much as each of these bets that the seat has."""
    choice: Name | None = None
    """The rule applies only to a seat that made this choice."""
    when: WhenPart | None = None
    """The rule applies only under this reading."""
    clause: Clause

    @property
    def kinds(self) -> list[str]:
        """Keys that are given; a valid rule has exactly one."""
        return [kind for kind in (*AMOUNTS, *BESIDE) if getattr(self, kind.replace("-", "_"))]

    @property
    def amount(self) -> Amount | None:
        """Amount that the bet is compared with, or None."""
        (kind,) = self.kinds
        return amount_of(getattr(self, kind.replace("-", "_"))) if kind in AMOUNTS else None

    @property
    def others(self) -> tuple[Name, ...]:
        """Other bets that the rule names."""
        return (*self.needs, *self.needs_one_of, *self.excludes, *self.same_as)

    def words(self) -> str:
        """Return the rule as in `equals 2 x ante`, `only with an ante or a blind`, or `as much as bet-1 and bet-2, if
        placed`."""
        (kind,) = self.kinds
        if kind == "same-as":
            return f"{_SAYS[kind]} {listed([*self.others])}, if placed"
        what = listed([a(name) for name in self.others], "or" if kind != "needs" else "and")
        return f"{_SAYS[kind]} {self.amount.words() if self.amount else what}"


class LimitPart(TomlTable):
    """Largest amount of any single bet."""

    each_bet: AmountText
    clause: Clause

    def words(self) -> str:
        """Return the limit as in `at most $100`."""
        return f"{_SAYS['at-most']} {amount_of(self.each_bet).words()}"


class TotalPart(TomlTable):
    """Limits on the sum of several bets of a seat."""

    bets: Annotated[tuple[Name, ...], Field(min_length=2)]
    at_most: AmountText | None = None
    at_least: AmountText | None = None
    when: WhenPart | None = None
    clause: Clause

    def words(self) -> str:
        """Return the limits as in `at least 2 x ante`."""
        given = {"at-most": self.at_most, "at-least": self.at_least}
        return listed([f"{_SAYS[kind]} {amount_of(text).words()}" for kind, text in given.items() if text])


class PropositionPart(TomlTable):
    """One of several outcomes that money on a spot may be on."""

    number: Byte
    name: Name
    on: Literal["card", "rank", "suit"] | None = None
    """The outcome names a card, a rank or a suit; absent if it names none."""
    without: tuple[Annotated[str, Field(pattern=r"^[A2-9TJQK]$")], ...] = ()
    """Ranks for which it is not offered."""
    clause: Clause

    def written(self, on: str) -> str | None:
        """Return the proposition as in `over-7` or `rank:T`; None if it cannot be on that."""
        ranks, suits = [on[:1]] if self.on in ("card", "rank") else [""], [on[-1:]] if self.on != "rank" else [""]
        if self.on is None:
            return None if on else self.name
        fits = len(on) == (2 if self.on == "card" else 1) and ranks[0] in ("", *RANKS) and suits[0] in ("", *SUITS)
        return f"{self.name}:{on}" if fits and ranks[0] not in self.without else None


class PotPart(TomlTable):
    """Marks a bet that goes into a pot its players play for: it is settled only after every hand was shown."""

    least: Annotated[int, Field(ge=1, le=8)] = 1
    """Fewest seats that form a pot; if fewer placed the bet, it goes back."""
    all_in_clause: Clause | None = None
    """Clause by which a player with a smaller stake may put in less."""
    clause: Clause


class BetPart(TomlTable):
    """A spot on the layout, and the rules of the bet on it."""

    number: Byte
    name: Name
    placed: Literal["before-deal", "by-decision", "by-action", "before-extra"]
    """Time of the bet. `before-extra`: before the extra card of a shoe's game, with money moved from the bet that
    `[shoe.extra]` names. `by-action`: chips that players put into the pot as they act in a betting round; they are
    reported as actions, not as wagers."""
    enters: bool = False
    """A seat with this bet is dealt in."""
    enters_when: WhenPart | None = None
    """A seat with this bet is dealt in under this reading only."""
    when: WhenPart | None = None
    """The spot exists under this reading only."""
    until: Name | None = None
    """A step that deals: after its first card, this bet, which goes with a choice, can no longer be placed or changed,
    nor can a tip on it."""
    progressive: bool = False
    fee: bool = False
    """A dead hand leaves it, unless a clause names it."""
    blind: bool = False
    """True if the bet is placed before the cards that it is a bet on are seen, in place of another that a later choice
    makes."""
    tip_for: Name | None = None
    """Bet of the player for which this is a tip to the dealer.

    The tip plays with that bet at its odds. It enters no seat into the deal, is not settled if that bet is absent or
    not settled itself, may be on the same propositions, and goes back by any clause that returns that bet."""
    must: tuple[MustPart, ...] = ()
    """Rules on the bet."""
    propositions: tuple[PropositionPart, ...] = ()
    """Outcomes that money on the bet may be on."""
    pot: PotPart | None = None
    """The bet goes into a pot of the players."""
    clause: Clause

    @property
    def plays_as(self) -> Name:
        """Bet it plays with: its own name, unless it is a tip."""
        return self.tip_for or self.name

    def rules(self, options: Mapping[str, str]) -> list[MustPart]:
        """Return the rules of the bet under these options."""
        return [must for must in self.must if chosen(must.when, options)]

    def capped(self, options: Mapping[str, str]) -> bool:
        """Return True if the general limit applies to the bet under these options.

        It does not apply to a fee, or if the bet's own section states its limit in dollars.
        """
        dollars_of = (text for must in self.rules(options) for text in (must.at_most, must.exactly) if text)
        return not self.fee and self.placed != "by-action" and not any(text.startswith("$") for text in dollars_of)
