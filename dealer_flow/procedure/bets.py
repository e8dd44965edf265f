"""Bets as data: the spots of a layout, the rules that a file may say of each, and what a tip is."""

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
"""`$50`, `$2.50`, `ante`, `2 ante`, `1/2 ante`."""


class Amount(NamedTuple):
    """So many cents, or so many times a bet. What is whole is an int: every bet is held against some of them."""

    times: int | Fraction
    bet: str = ""

    def cents(self, wagers: Mapping[str, int]) -> int | Fraction:
        """What it comes to beside these bets; 0 while the bet is not there."""
        if not self.bet:
            return self.times
        return self.times * wagers[self.bet] if self.bet in wagers else 0

    def words(self) -> str:
        """`$50`, `2 x ante`, `half of ante`."""
        if not self.bet:
            return dollars(int(self.times))
        known: dict[int | Fraction, str] = {1: f"the {self.bet}", Fraction(1, 2): f"half the {self.bet}"}
        return known.get(self.times, f"{self.times} x {self.bet}")


def amount_of(text: str) -> Amount:
    """An amount as a procedure file spells it."""
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
"""Rules about the other bets of the seat."""
_SAYS: Final = {
    "equal": "equals",
    "exactly": "exactly",
    "at-most": "at most",
    "at-least": "at least",
    "multiple-of": "a multiple of",
    "needs": "only beside",
    "needs-one-of": "only beside",
    "excludes": "not beside",
    "same-as": "as much as",
}


class MustPart(TomlTable):
    """One rule of a bet, asked only where the bet lies: one of the keys, and the clause that says so. `needs` all of
    these bets of the same seat, `needs_one_of` any; `excludes`: with none of them, which breaks the rule for both;
    `same_as`: as much as those of them that lie there. `choice`: asked only of a seat that made this choice."""

    equal: AmountText | None = None
    exactly: AmountText | None = None
    at_most: AmountText | None = None
    at_least: AmountText | None = None
    multiple_of: AmountText | None = None
    needs: tuple[Name, ...] = ()
    needs_one_of: tuple[Name, ...] = ()
    excludes: tuple[Name, ...] = ()
    same_as: tuple[Name, ...] = ()
    choice: Name | None = None
    when: WhenPart | None = None
    clause: Clause

    @property
    def kinds(self) -> list[str]:
        """The keys that are given: one."""
        return [kind for kind in (*AMOUNTS, *BESIDE) if getattr(self, kind.replace("-", "_"))]

    @property
    def amount(self) -> Amount | None:
        """What the bet is compared with."""
        (kind,) = self.kinds
        return amount_of(getattr(self, kind.replace("-", "_"))) if kind in AMOUNTS else None

    @property
    def others(self) -> tuple[Name, ...]:
        """The bets it is about beside its own."""
        return (*self.needs, *self.needs_one_of, *self.excludes, *self.same_as)

    def words(self) -> str:
        """`equals 2 x ante`, `only beside an ante or a blind`, `as much as bet-1 and bet-2, where they lie`."""
        (kind,) = self.kinds
        if kind == "same-as":
            return f"{_SAYS[kind]} {listed([*self.others])}, where {'they lie' if len(self.others) > 1 else 'it lies'}"
        what = listed([a(name) for name in self.others], "or" if kind != "needs" else "and")
        return f"{_SAYS[kind]} {self.amount.words() if self.amount else what}"


class LimitPart(TomlTable):
    """The most that any one bet may be."""

    each_bet: AmountText
    clause: Clause

    def words(self) -> str:
        """`at most $100`."""
        return f"{_SAYS['at-most']} {amount_of(self.each_bet).words()}"


class TotalPart(TomlTable):
    """What these bets of a seat may come to together."""

    bets: Annotated[tuple[Name, ...], Field(min_length=2)]
    at_most: AmountText | None = None
    at_least: AmountText | None = None
    when: WhenPart | None = None
    clause: Clause

    def words(self) -> str:
        """`at least 2 x ante`."""
        given = {"at-most": self.at_most, "at-least": self.at_least}
        return listed([f"{_SAYS[kind]} {amount_of(text).words()}" for kind, text in given.items() if text])


class PropositionPart(TomlTable):
    """One of several outcomes that money on a spot may be on. `on`: it names a card, a rank or a suit; absent: none.
    `without`: ranks that it is not offered for."""

    number: Byte
    name: Name
    on: Literal["card", "rank", "suit"] | None = None
    without: tuple[Annotated[str, Field(pattern=r"^[A2-9TJQK]$")], ...] = ()
    clause: Clause

    def written(self, on: str) -> str | None:
        """`over-7`, or `rank:T`; None when it cannot be on that."""
        ranks, suits = [on[:1]] if self.on in ("card", "rank") else [""], [on[-1:]] if self.on != "rank" else [""]
        if self.on is None:
            return None if on else self.name
        fits = len(on) == (2 if self.on == "card" else 1) and ranks[0] in ("", *RANKS) and suits[0] in ("", *SUITS)
        return f"{self.name}:{on}" if fits and ranks[0] not in self.without else None


class PotPart(TomlTable):
    """A bet goes into a pot that its players play for: no hand settles it before every hand was shown. Where fewer than
    `least` of them have placed it, there is none, and the bet goes back. `all_in_clause`: by this one a player whose
    stake is no more puts in less than he must."""

    least: Annotated[int, Field(ge=1, le=8)] = 1
    all_in_clause: Clause | None = None
    clause: Clause


class BetPart(TomlTable):
    """A spot on the layout. A seat with an `enters` bet is dealt in; `enters_when`: under that reading only. `when`:
    the spot is there under that reading only. `before-extra`: before the extra card of a shoe's game, with money moved
    from the bet that `[shoe.extra]` names; `by-action`: chips that go into the pot as players act in a betting round,
    reported so and not as a wager. `fee`: a dead hand leaves it, unless a clause names it. `must`: rules of the bet.
    `until`: a step; once it has dealt a card, the bet that goes with a choice is neither placed nor changed, nor a tip
    on it. `propositions`: the outcomes that money on it may be on. `blind`: it lies there before the cards it is a bet
    on are seen, in the place of one that a choice places later. `pot`: it is the players' own.

    `tip_for`: what a player puts up for the dealer beside this bet of his own. It plays with that bet at its odds, so
    it enters nobody into the deal, cannot be settled where that bet is absent or is not settled itself, may be on the
    same propositions as that bet, and goes back by any clause that gives that bet back.
    """

    number: Byte
    name: Name
    placed: Literal["before-deal", "by-decision", "by-action", "before-extra"]
    enters: bool = False
    enters_when: WhenPart | None = None
    when: WhenPart | None = None
    until: Name | None = None
    progressive: bool = False
    fee: bool = False
    blind: bool = False
    tip_for: Name | None = None
    must: tuple[MustPart, ...] = ()
    propositions: tuple[PropositionPart, ...] = ()
    pot: PotPart | None = None
    clause: Clause

    @property
    def plays_as(self) -> Name:
        """The bet it plays with: its own name, unless it is a tip."""
        return self.tip_for or self.name

    def rules(self, options: Mapping[str, str]) -> list[MustPart]:
        """The rules of the bet under these options."""
        return [must for must in self.must if chosen(must.when, options)]

    def capped(self, options: Mapping[str, str]) -> bool:
        """Whether the limit of every bet is its limit under these options: it is no fee, and the section does not say
        itself, in dollars, how much it may be."""
        dollars_of = (text for must in self.rules(options) for text in (must.at_most, must.exactly) if text)
        return not self.fee and self.placed != "by-action" and not any(text.startswith("$") for text in dollars_of)
