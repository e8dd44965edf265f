"""Rules that all games share: pays, void bets, dead and folded hands, tips, the progressive with its meter and envy.

`settle` takes a round as the JSON object of `dealwire.round/2` and returns the result of every bet: (seat, bet) to
(result, pay, returned), in cents. Source: Colorado Rule 10, the progressive paragraphs of each game and 47.1-1036; for
the record of a round and the default readings, `docs/round-result.md` and `docs/rules.md`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any, Protocol

from tests.oracle.hands import DECK, UNREAD, Unseen

Line = tuple[str, int, int]
Lines = dict[tuple[int, str], Line]
Settle = Callable[[int], Line]
"""Settles one bet, given its stake."""

LOSE: Line = ("lose", 0, 0)
HELD: Line = ("held", 0, 0)


@dataclass(frozen=True)
class For:
    """A pay for 1: the stake is lost."""

    times: int
    from_meter: bool = False
    """True if it is also taken from the meter."""


@dataclass(frozen=True)
class Dollars:
    """An amount regardless of the wager; the stake comes back or is lost."""

    amount: int
    stake_back: bool = False


@dataclass(frozen=True)
class Share:
    """A percentage of the meter."""

    percent: int


PUSH = "push"
Pay = int | Fraction | For | Dollars | Share | str
"""A pay; a number is a multiple to 1."""
Table = Mapping[str, Pay]

KINDS = (
    *("royal flush", "straight flush", "four of a kind", "full house", "flush", "straight", "three of a kind"),
    *("two pair", "pair"),
)
"""Rows of a table of five-card hands, best first."""
THREE = ("straight flush", "three of a kind", "straight", "flush", "pair")
"""Rows of a table of three-card hands."""


def printed(names: Sequence[str], *pays: Pay) -> Table:
    """Return a table from row names and pays, as long as there are pays; 0 for an empty column."""
    return {name: pay for name, pay in zip(names, pays, strict=False) if pay}


@dataclass(frozen=True)
class Terms:
    """Options of the house: a pay table for each bet by its name, the meter before the round, the smallest token, and
    the commission."""

    tables: Mapping[str, str] = field(default_factory=dict)
    meter_cents: int | None = None
    seed_cents: int | None = None
    token_cents: int = 25
    commission: Fraction = Fraction(0)
    """Percentage of wins."""

    def down(self, cents: Fraction | int) -> int:
        return int(cents // self.token_cents) * self.token_cents


class Game(Protocol):
    """Attributes of a module of `games`."""

    TABLES: Mapping[str, Mapping[str, Table]]
    PAID_ON: Mapping[str, str]
    """Pays on the stake of another bet, by its name; optional."""

    def bets(self, seat: "Seat", deal: "Deal") -> Mapping[str, Settle]: ...

    COMMISSION: tuple[Sequence[str], Sequence[str]]
    """Bets on whose wins the house may take a commission, and possible percentages; optional."""

    def broken(self, seat: "Seat", deal: "Deal") -> set[str]:
        """Return the bets whose amounts break a rule, and those that depend on them; optional."""
        ...


@dataclass(frozen=True)
class Progressive:
    """Rules of a game's progressive: the row of a hand, whether a folded hand plays on, and the envy."""

    row: Callable[["Seat", "Deal"], str]
    """Row by the seat's cards; raises Unseen if one of them was not read."""
    envy: Mapping[str, tuple[int, Mapping[str, int]]] = field(default_factory=dict)
    """By pay table: the wager in dollars for the printed envy, and dollars by row."""
    folded_lives: bool = False
    left_first: bool = False
    """True if it is paid from the dealer's left instead of his right."""
    shared: bool = False
    """True if hands that win the whole meter divide it equally."""


@dataclass
class Seat:
    """One player's part of the round."""

    data: Mapping[str, Any]

    @property
    def number(self) -> int:
        return int(self.data["seat"])

    @property
    def cards(self) -> list[str]:
        return list(self.data["cards"])

    @property
    def wagers(self) -> dict[str, int]:
        return {bet: cents for bet, cents in self.data["wagers"].items() if cents}

    @property
    def folded(self) -> bool:
        return bool(self.data["status"] == "folded")

    @property
    def dead(self) -> bool:
        return bool(self.data["status"] == "dead")

    @property
    def returned(self) -> dict[str, int]:
        return dict(self.data.get("returned", {}))

    def chose(self, step: str) -> str | None:
        """Return the choice made in a step; for the only choice of a round, the decision."""
        choices: dict[str, str] = self.data.get("choices", {})
        return choices.get(step, self.data["decision"] if not choices else None)


@dataclass
class Deal:
    """The round on the house's terms."""

    data: Mapping[str, Any]
    terms: Terms
    tables: Mapping[str, Mapping[str, Table]]
    decks: int = 1
    jokers: int = 0

    @property
    def seats(self) -> list[Seat]:
        return [Seat(each) for each in self.data["seats"]]

    @property
    def community(self) -> list[str]:
        return list(self.data["community"])

    @property
    def dealer(self) -> list[str]:
        dealer = self.data["dealer"]
        return list(dealer["cards"]) if dealer else []

    def named(self, name: str) -> Mapping[str, Any]:
        return next(dict(each) for each in self.data["hands"] if each["name"] == name)

    def stage(self, step: str, place: str) -> list[str]:
        """Return the cards at a place at that step; raise Unseen if none are recorded."""
        for each in self.data.get("stages", ()):
            if each["step"] == step and each["place"] == place:
                return list(each["cards"])
        raise Unseen

    def table(self, bet: str) -> Table:
        """Return the chosen pay table of a bet, or the first printed one."""
        printed = self.tables[bet]
        return printed[self.terms.tables.get(bet, next(iter(printed)))]

    def win(self, stake: int, odds: int | Fraction = 1) -> Line:
        return "win", self.terms.down(stake * odds), stake

    def pay(self, bet: str, row: str, stake: int) -> Line:
        """Settle by the bet's table; lost if it has no such row."""
        table = self.table(bet)
        pays = next((table[name] for name in (row, *_CONTAINS.get(row, ())) if name in table), None)
        if pays is None:
            return LOSE
        if isinstance(pays, For):
            return "win", self.terms.down(stake * pays.times), 0
        if isinstance(pays, Dollars):
            return "win", self.terms.down(pays.amount * 100), stake if pays.stake_back else 0
        assert isinstance(pays, int | Fraction | str)
        return push(stake) if isinstance(pays, str) else self.win(stake, pays)


def push(stake: int) -> Line:
    return "push", 0, stake


def versus(deal: Deal, mine: Sequence[int], dealers: Sequence[int], stake: int) -> Line:
    """Pay even money if the hand beats the dealer's; push if equal."""
    if tuple(mine) == tuple(dealers):
        return push(stake)
    return deal.win(stake) if tuple(mine) > tuple(dealers) else LOSE


def settle(data: Mapping[str, Any], terms: Terms, game: Any) -> Lines:
    """Settle every bet of the round."""
    deal = Deal(data, terms, game.TABLES, game.LAYOUT.decks, game.LAYOUT.jokers)
    lines: Lines = {}
    for seat in deal.seats:
        for bet, stake in seat.wagers.items():
            line = _void(seat, bet, stake, deal)
            if line is not None:
                lines[seat.number, bet] = line
    if data["outcome"] == "unreliable":
        return lines
    _by_hand(deal, game, lines)
    for key, (result, pay, back) in lines.items():  # never of a tip, 47.1-1017.43(10), .50(8)
        if result == "win" and key[1] in getattr(game, "COMMISSION", ((), ()))[0]:
            lines[key] = result, pay - terms.down(pay * terms.commission / 100), back
    progressive: Progressive | None = getattr(game, "PROGRESSIVE", None)
    if progressive is not None and data["outcome"] in ("complete", "progressive-only"):
        _Meter(deal, progressive).settle(lines)
    return lines


def _void(seat: Seat, bet: str, stake: int, deal: Deal) -> Line | None:
    """Return the line of a bet that no hand decides; None if its hand does."""
    outcome = deal.data["outcome"]
    held = seat.data.get("held", {})
    if outcome == "unreliable" or bet in held or bet.removeprefix("tip-") in held:
        return HELD
    back = seat.returned.get(bet)
    if back is not None:
        return "returned", 0, back
    if bet in seat.data.get("settled", ()) or (outcome == "progressive-only" and bet == "progressive"):
        return None
    if outcome == "complete":
        return LOSE if seat.dead else None
    return HELD


_CONTAINS = {
    "mini royal": ("straight flush", "straight", "flush"),
    "royal flush": ("straight flush", "straight", "flush"),
    "straight flush": ("straight", "flush"),
    "four aces": ("four of a kind",),
}
"""Rows that a hand without a row of its own also satisfies, best first."""


def _paid_on(game: Any) -> Mapping[str, str]:
    return getattr(game, "PAID_ON", {})


def _by_hand(deal: Deal, game: Any, lines: Lines) -> None:
    """Settle the bets that are not void; in a void round, those settled before."""
    complete = deal.data["outcome"] == "complete"
    broken: Callable[[Seat, Deal], set[str]] | None = getattr(game, "broken", None)
    for seat in deal.seats if broken is not None else ():
        wrong = broken(seat, deal) if broken is not None and complete and not seat.dead else set()
        held = [bet for bet in seat.wagers if bet.removeprefix("tip-") in wrong]
        lines |= {(seat.number, bet): HELD for bet in held if (seat.number, bet) not in lines}
    void = set(lines)
    for seat in deal.seats:
        bets: Mapping[str, Settle] = game.bets(seat, deal)
        for bet, stake in seat.wagers.items():
            if (seat.number, bet) in lines or bet == "progressive":
                continue
            try:
                lines[seat.number, bet] = bets[bet if bet in bets else bet.removeprefix("tip-")](stake)
            except Unseen:
                lines[seat.number, bet] = HELD
        for bonus, bet in _paid_on(game).items() if complete else ():
            waits = (seat.number, bet) in void and lines[seat.number, bet] == HELD and not seat.dead
            if bet not in seat.wagers or ((seat.number, bet) in void and not waits):
                continue
            try:
                result, pay, _ = bets[bonus.removeprefix("tip-")](seat.wagers[bet])
            except Unseen:
                result, pay = "held", 0
            if result != "lose":  # where the bet that it is paid on waits, so does it
                lines[seat.number, bonus] = HELD if waits else (result, pay, 0)
    pots: Callable[[Deal, Lines, set[tuple[int, str]]], None] | None = getattr(game, "pots", None)
    if pots is not None and complete:
        pots(deal, lines, void)


class _Meter:
    """The progressive of a round: hands from the dealer's right, each share of the amount left by those before."""

    def __init__(self, deal: Deal, rules: Progressive) -> None:
        self.deal = deal
        self.rules = rules
        self.cents = deal.terms.meter_cents
        self.parts = 1
        """Number of hands among which the whole meter is still to be divided."""
        self.hits: dict[int, str] = {}
        """Row that each bettor's hand reached."""
        self.doubtful: set[int] = set()
        """Bettors whose hands may earn the others envy: their bets are held, or a card of theirs was not read."""

    def settle(self, lines: Lines) -> None:
        bettors = [seat for seat in self.deal.seats if "progressive" in seat.wagers]
        waiting = {number for (number, bet), line in lines.items() if bet == "progressive" and line == HELD}
        unsure = {seat.number for seat in bettors if seat.data.get("fold_in_doubt") and not self.rules.folded_lives}
        lines |= {(number, "progressive"): HELD for number in unsure}
        no_envy = waiting - unsure  # who may have folded collects all the same
        waiting = waiting | unsure
        bettors = [seat for seat in bettors if (seat.number, "progressive") not in lines or seat.number in waiting]
        bettors.sort(key=lambda seat: seat.number if self.rules.left_first else -seat.number)
        rows = {seat.number: self._row(seat) for seat in bettors}
        if self.deal.data["outcome"] == "progressive-only" and not any(rows.values()):
            for seat in bettors:
                stake = seat.wagers["progressive"]
                lines[seat.number, "progressive"] = HELD if None in rows.values() else ("returned", 0, stake)
            return
        whole = [number for number, row in rows.items() if row and number not in waiting and self._is_whole(row)]
        self.parts = len(whole) if self.rules.shared else 1
        for seat in bettors:
            if seat.number in waiting:  # it may take from the meter first
                self.cents = self.cents if rows[seat.number] == "" else None
                continue
            lines[seat.number, "progressive"] = self._pay(seat, rows[seat.number])
        table, amounts = self._envies()
        for seat in bettors:
            row = rows[seat.number]
            if row is None:
                self._doubt_unread(seat, amounts)
            elif seat.number in waiting and amounts.get(row):
                self.doubtful.add(seat.number)
        for seat in bettors:
            envy, open_ = self._envy(seat, table, amounts), bool(self.doubtful - {seat.number})
            if envy or open_:
                waits = seat.number in no_envy
                lines[seat.number, "envy"] = HELD if waits else ("held" if open_ else "win", envy, 0)

    def _doubt_unread(self, seat: Seat, amounts: Mapping[str, int]) -> None:
        """Mark a hand with unread cards as uncertain if some faces earn envy."""
        fillings = with_faces(self.deal, seat)
        if fillings is None:
            if amounts:
                self.doubtful.add(seat.number)
            return
        if any(amounts.get(self.rules.row(each, deal)) for deal, each in fillings):
            self.doubtful.add(seat.number)

    def _row(self, seat: Seat) -> str | None:
        """Return the row; empty if it pays nothing, None if unknown."""
        if seat.folded and not self.rules.folded_lives:
            return ""
        try:
            row = self.rules.row(seat, self.deal)
        except Unseen:
            return None
        return row if row in self.deal.table("progressive") else ""

    def _is_whole(self, row: str) -> bool:
        return self.deal.table("progressive")[row] == Share(100)

    def _pay(self, seat: Seat, row: str | None) -> Line:
        if row is None:
            self.cents = None
            return HELD
        if not row:
            return LOSE
        self.hits[seat.number] = row
        pays = self.deal.table("progressive")[row]
        from_meter = isinstance(pays, For) and pays.from_meter
        if not isinstance(pays, Share) and not from_meter:
            return self.deal.pay("progressive", row, seat.wagers["progressive"])
        if self.cents is None:
            return HELD
        if isinstance(pays, For):
            fixed = seat.wagers["progressive"] * pays.times
            self.cents = self.cents - fixed if fixed <= self.cents else None
            return HELD if self.cents is None else ("win", fixed, 0)
        assert isinstance(pays, Share)
        if pays.percent == 100 and self.parts > 1:
            award = self.cents // self.parts
            self.cents, self.parts = self.cents - award, self.parts - 1
            return "win", award, 0
        award = self.cents * pays.percent // 100
        self.cents = self.deal.terms.seed_cents if pays.percent == 100 else self.cents - award
        return "win", award, 0

    def _envies(self) -> tuple[int, Mapping[str, int]]:
        """Return the wager in dollars for the printed envy, and dollars by row."""
        printed = self.deal.tables["progressive"]
        table = self.deal.terms.tables.get("progressive", next(iter(printed)))
        return self.rules.envy.get(table, (1, {}))

    def _envy(self, seat: Seat, base: int, amounts: Mapping[str, int]) -> int:
        others = (
            amounts.get(row, 0)
            for number, row in self.hits.items()
            if number != seat.number and number not in self.doubtful
        )
        stake = seat.wagers["progressive"]
        return sum(self.deal.terms.down(Fraction(dollars * stake, base)) for dollars in others)


MOST_UNREAD = 2
"""Maximum number of unread cards for which every face is tried; one with a joker."""


def with_faces(deal: Deal, seat: Seat) -> Iterator[tuple[Deal, Seat]] | None:
    """Yield the deal and the seat with each face that its unread cards may have; None if there are too many.

    The unread cards are this seat's or the community's.
    """
    covered = seat.cards.count(UNREAD) or deal.community.count(UNREAD)
    if not 1 <= covered <= (1 if deal.jokers else MOST_UNREAD):
        return None
    return _filled(deal, seat, covered)


def may_bring(seat: Seat, deal: Deal, amounts: Mapping[str, int], row: Callable[[Sequence[str]], str]) -> bool:
    """Return True if some faces of its unread cards give a seat's own cards a row with envy."""
    fillings = with_faces(deal, seat)
    if not any(amounts.values()):
        return False
    return fillings is None or any(amounts.get(row(each.cards)) for _, each in fillings)


def _filled(deal: Deal, seat: Seat, covered: int) -> Iterator[tuple[Deal, Seat]]:
    lying = _lying(deal.data)
    deck = [*DECK, *(f"X{number + 1}" for number in range(deal.jokers))]
    free = deck if deal.decks > 1 else [card for card in deck if card not in lying]
    for faces in product(free, repeat=covered):
        if deal.decks > 1 or len(set(faces)) == covered:
            data = _turned(deal.data, list(faces))
            filled = replace(deal, data=data)
            yield filled, next(each for each in filled.seats if each.number == seat.number)


def _lying(data: Any) -> set[str]:
    """Return every card in the round."""
    if isinstance(data, str):
        return {data}
    parts = data.values() if isinstance(data, Mapping) else data if isinstance(data, list | tuple) else ()
    return set[str]().union(*map(_lying, parts))


def _turned(data: Any, faces: list[str]) -> Any:
    """Return the round with these faces for unread cards, in order wherever they appear together."""
    if isinstance(data, Mapping):
        return {key: value if key == "burned" else _turned(value, faces) for key, value in data.items()}
    if not isinstance(data, list):
        return data
    left = iter(faces)
    return [next(left, UNREAD) if each == UNREAD else _turned(each, faces) for each in data]
