"""Bets as data: the spots of a layout, the rules of each, and what a tip is."""

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

from pydantic import AfterValidator, Field

from dealer_flow.procedure.tables import Byte, Clause, Name, WhenPart, a, listed
from dealer_flow.procedure.tomlfile import TomlTable
from protocol.cards import RANKS, SUITS
from protocol.printable import printable
from protocol.tomlfile import Key

if TYPE_CHECKING:
    from dealer_flow.procedure.schema import Procedure

Complaint = tuple[Key, str]
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
    """So many cents, or so many times a bet."""

    times: Fraction
    bet: str = ""

    def cents(self, wagers: Mapping[str, int]) -> Fraction:
        """What it comes to beside these bets; 0 while the bet is not there."""
        return self.times * wagers.get(self.bet, 0) if self.bet else self.times

    def words(self) -> str:
        """`$50`, `2 x ante`, `half of ante`."""
        if not self.bet:
            return dollars(int(self.times))
        known = {Fraction(1): f"the {self.bet}", Fraction(1, 2): f"half the {self.bet}"}
        return known.get(self.times, f"{self.times} x {self.bet}")


def dollars(cents: int) -> str:
    """`$5`, `$2.50`."""
    return f"${cents // 100:,}" + (f".{cents % 100:02d}" if cents % 100 else "")


def amount_of(text: str) -> Amount:
    """An amount as a procedure file spells it."""
    found = re.match(_AMOUNT, text)
    assert found is not None, "the schema lets no other text pass"
    if found["bet"]:
        return Amount(Fraction(found["times"] or 1), found["bet"])
    return Amount(Fraction(int(found["dollars"]) * 100 + int(found["cents"] or 0)))


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
        return amount_of(getattr(self, kind)) if (kind := kind.replace("-", "_")) in _AMOUNT_KEYS else None

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


_AMOUNT_KEYS: Final = frozenset(kind.replace("-", "_") for kind in AMOUNTS)


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


class BetPart(TomlTable):
    """A spot on the layout. A seat with an `enters` bet is dealt in; `enters_when`: under that reading only. `when`:
    the spot is there under that reading only. `before-extra`: before the extra card of a shoe's game, with money moved
    from the bet that `[shoe.extra]` names. `fee`: paid for, never returned as a bet is. `must`: rules of the bet.
    `propositions`: the outcomes that money on it may be on. `blind`: it lies there before the cards it is a bet on are
    seen, in the place of one that a choice places later.

    `tip_for`: what a player puts up for the dealer beside this bet of his own. It plays with that bet at its odds, so
    it enters nobody into the deal, is never more than that bet unless a rule of its own says how much it may be, cannot
    be settled where that bet is absent or is not settled itself, and goes back by any clause that gives that bet back.
    """

    number: Byte
    name: Name
    placed: Literal["before-deal", "by-decision", "before-extra"]
    enters: bool = False
    enters_when: WhenPart | None = None
    when: WhenPart | None = None
    progressive: bool = False
    fee: bool = False
    blind: bool = False
    tip_for: Name | None = None
    must: tuple[MustPart, ...] = ()
    propositions: tuple[PropositionPart, ...] = ()
    clause: Clause

    @property
    def plays_as(self) -> Name:
        """The bet it plays with: its own name, unless it is a tip."""
        return self.tip_for or self.name

    @property
    def capped(self) -> bool:
        """Whether the limit of every bet is its limit: it is no fee, and the section does not say itself, in dollars,
        how much it may be."""
        own = any(text.startswith("$") for must in self.must for text in (must.at_most, must.exactly) if text)
        return not self.fee and not own

    @property
    def tip_capped(self) -> bool:
        """Whether it is a tip that may be as much as the bet it plays with, no rule of its own saying how much."""
        return self.tip_for is not None and not any(must.at_most or must.exactly or must.equal for must in self.must)


# ------------------------------------------------------------------ the rules of one choice of options


class BetRule(NamedTuple):
    """One rule as it is asked: of one bet, or of several together. `kind` of AMOUNTS, BESIDE, or `limit`, `total-over`,
    `total-under`, `tip-alone`, `tip-over`."""

    kind: str
    bets: tuple[str, ...]
    clause: str
    amount: Amount | None = None
    others: tuple[str, ...] = ()
    choice: str | None = None

    @property
    def named(self) -> frozenset[str]:
        """Every bet it looks at."""
        bet = (self.amount.bet,) if self.amount is not None and self.amount.bet else ()
        return frozenset((*self.bets, *self.others, *bet))

    def breach(self, wagers: Mapping[str, int]) -> "Breach | None":
        """How these bets of a seat break it; None when they do not."""
        there = tuple(bet for bet in self.bets if wagers.get(bet))
        if not there:
            return None
        cents = sum(wagers[bet] for bet in there)
        if self.amount is not None:
            wanted = self.amount.cents(wagers)
            return Breach(self, there, cents, int(wanted)) if _BROKEN[self.kind](cents, wanted) else None
        present = [bet for bet in self.others if wagers.get(bet)]
        if self.kind == "same-as":
            return Breach(self, there, cents, 0) if any(wagers[bet] != cents for bet in present) else None
        if self.kind == "excludes":
            return Breach(self, (*there, *present), cents, 0) if present else None
        short = not present if self.kind == "needs-one-of" else len(present) < len(self.others)
        return Breach(self, there, cents, 0) if short else None


class Breach(NamedTuple):
    """A rule that is broken: by these bets of a seat, `cents` together where `wanted` cents are allowed."""

    rule: BetRule
    bets: tuple[str, ...]
    cents: int
    wanted: int


_BROKEN: Final[Mapping[str, Callable[[int, Fraction], bool]]] = {
    "equal": lambda cents, wanted: cents != wanted,
    "exactly": lambda cents, wanted: cents != wanted,
    "at-most": lambda cents, wanted: cents > wanted,
    "at-least": lambda cents, wanted: cents < wanted,
    "multiple-of": lambda cents, wanted: not wanted or cents % wanted != 0,
    "limit": lambda cents, wanted: cents > wanted,
    "total-over": lambda cents, wanted: cents > wanted,
    "total-under": lambda cents, wanted: cents < wanted,
    "tip-over": lambda cents, wanted: 0 < wanted < cents,
}


def rules_of(procedure: "Procedure", options: Mapping[str, str]) -> tuple[BetRule, ...]:
    """Every rule of the bets under these options, in the order of the file."""
    found: list[BetRule] = []
    for bet in spots(procedure, options):
        found += [
            BetRule(must.kinds[0], (bet.name,), must.clause, must.amount, must.others, must.choice)
            for must in bet.must
            if _holds(must.when, options)
        ]
        if bet.tip_for is not None:
            found.append(BetRule("tip-alone", (bet.name,), bet.clause, others=(bet.tip_for,)))
            if bet.tip_capped:
                own = Amount(Fraction(1), bet.tip_for)
                found.append(BetRule("tip-over", (bet.name,), bet.clause, own))
        if procedure.limit is not None and bet.capped:
            limit = procedure.limit
            found.append(BetRule("limit", (bet.name,), limit.clause, amount_of(limit.each_bet)))
    for total in procedure.total:
        if _holds(total.when, options):
            for kind, text in (("total-over", total.at_most), ("total-under", total.at_least)):
                if text is not None:
                    found.append(BetRule(kind, total.bets, total.clause, amount_of(text)))
    return tuple(found)


def spots(procedure: "Procedure", options: Mapping[str, str]) -> list[BetPart]:
    """The bets there are under these options."""
    return [bet for bet in procedure.bet if _holds(bet.when, options)]


def _holds(when: WhenPart | None, options: Mapping[str, str]) -> bool:
    return when is None or options.get(when.option) == when.is_


# ------------------------------------------------------------------ what a file may not say


def rule_faults(procedure: "Procedure") -> Iterator[Complaint]:
    """Rules of bets that name what is not there, contradict each other, or can never be kept."""
    names = {bet.name: bet for bet in procedure.bet}
    for index, bet in enumerate(procedure.bet):
        for at, must in enumerate(bet.must):
            yield from _must_faults(("bet", index, "must", at), bet, must, names)
            with_it = [choice.name for choice in procedure.decision if bet.name in choice.stakes]
            if must.choice is not None and must.choice not in with_it:
                why = f"no choice {must.choice!r} that this bet goes with; allowed: {', '.join(with_it) or 'none'}"
                yield ("bet", index, "must", at, "choice"), why
        if bet.tip_for is not None:
            yield from _tip_faults(("bet", index), bet, names)
        fixed = [amount_of(must.exactly) for must in bet.must if must.exactly and must.when is None]
        if procedure.limit is not None and any(
            not each.bet and each.times > amount_of(procedure.limit.each_bet).times for each in fixed
        ):
            yield ("bet", index, "must"), f"exactly {fixed[0].words()} is above the limit of {procedure.limit.each_bet}"
    if procedure.limit is not None and amount_of(procedure.limit.each_bet).bet:
        yield ("limit", "each-bet"), "an amount in dollars"
    for index, total in enumerate(procedure.total):
        if (total.at_most is None) == (total.at_least is None):
            yield ("total", index), "give 'at-most' or 'at-least', one of them"
        for name in (*total.bets, *(amount_of(text).bet for text in (total.at_most, total.at_least) if text)):
            if name and name not in names:
                yield ("total", index, "bets"), f"no bet {name!r}; allowed: {', '.join(names)}"
    yield from _cycles(procedure)


def _must_faults(key: Key, bet: BetPart, must: MustPart, names: Mapping[str, BetPart]) -> Iterator[Complaint]:
    if len(must.kinds) != 1:
        yield key, f"give one of {', '.join((*AMOUNTS, *BESIDE))}"
        return
    (kind,) = must.kinds
    amount = must.amount
    named = must.others if amount is None else (amount.bet,) if amount.bet else ()
    for name in named:
        if name not in names:
            yield (*key, kind), f"no bet {name!r}; allowed: {', '.join(names)}"
        elif name == bet.name:
            yield (*key, kind), f"{name!r} is the bet itself"
    if amount is not None and not amount.bet and not amount.times and kind != "at-least":
        yield (*key, kind), "$0 is no bet"
    if kind == "exactly" and amount is not None and amount.bet:
        yield (*key, kind), "an amount in dollars; 'equal' compares with a bet"


def _tip_faults(key: Key, bet: BetPart, names: Mapping[str, BetPart]) -> Iterator[Complaint]:
    own = names.get(bet.tip_for or "")
    if own is None or own.tip_for is not None:
        known = ", ".join(name for name, each in names.items() if each.tip_for is None)
        yield (*key, "tip-for"), f"no bet {bet.tip_for!r} of a player's own; allowed: {known}"
    elif bet.placed != own.placed:
        yield (*key, "placed"), f"{own.placed}, as the bet it is a tip for"
    if bet.enters or bet.enters_when:
        yield (*key, "enters"), "a tip enters nobody into the deal"


def _cycles(procedure: "Procedure") -> Iterator[Complaint]:
    """Bets that wait for each other, and amounts that go round without coming out where they began."""
    needs = {bet.name: {name for must in bet.must if must.when is None for name in must.needs} for bet in procedure.bet}
    equals = {
        bet.name: {
            amount.bet: amount.times
            for must in bet.must
            if must.equal and must.when is None and (amount := amount_of(must.equal)).bet
        }
        for bet in procedure.bet
    }
    for index, bet in enumerate(procedure.bet):
        if bet.name in _reached(bet.name, needs):
            yield ("bet", index, "must"), f"{bet.name!r} needs bets that need it: none of them could be the first"
        for other, times in equals[bet.name].items():
            back = equals.get(other, {}).get(bet.name)
            if back is not None and back * times != 1:
                why = f"{bet.name!r} is {times} x {other!r}, which is {back} x {bet.name!r}: no amounts can be"
                yield ("bet", index, "must"), why


def _reached(start: str, needs: Mapping[str, set[str]]) -> set[str]:
    """Every bet that this one needs, and those that they need."""
    found: set[str] = set()
    waiting = [*needs[start]]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += needs.get(name, ())
    return found
