"""Pots of a hand as a dealer pulls them in, and their division by 47.1-1035: a splitter that shares no code with the
program. Hands are ranked by pokerkit.

At the end of each betting round the dealer returns what nobody called, then pulls bets in up to the smallest bet of a
player who is all-in, closes that pot, and begins a side pot. Cards are looked at after that, so nothing that a
player does with a hand moves a chip.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Final

from pokerkit import Card, EightOrBetterLowHand, RegularLowHand, StandardHighHand


def _fives(own: str, board: str, *, omaha: bool) -> Iterator[tuple[Card, ...]]:
    """Yield the hands of five cards: any of own cards and the board's, or two of one and three of the other."""
    hole, common = [*Card.parse(own)], [*Card.parse(board)]
    if not omaha:
        yield from combinations(hole + common, 5)
        return
    for pair in combinations(hole, 2):
        yield from (pair + three for three in combinations(common, 3))


def high_of(own: str, board: str, *, omaha: bool) -> int:
    """Return pokerkit's rank of the best high hand, a greater one for a better hand."""
    return max(_HIGH.get_entry(five).index for five in _fives(own, board, omaha=omaha))


def low_of(own: str, board: str, *, omaha: bool, eight: bool) -> int | None:
    """Return pokerkit's rank of the best low hand, a greater one for a better hand; None if it must be eight or better,
    and is not."""
    lookup = _EIGHT if eight else _LOW
    entries = [lookup.get_entry_or_none(five) for five in _fives(own, board, omaha=omaha)]
    return max((-entry.index for entry in entries if entry is not None), default=None)


_HIGH: Final = StandardHighHand.lookup
_LOW: Final = RegularLowHand.lookup
_EIGHT: Final = EightOrBetterLowHand.lookup


@dataclass
class PulledPot:
    """A pot: its cents, who is in it, and whether a player who is all-in has closed it."""

    cents: int = 0
    seats: set[int] = field(default_factory=set)
    closed: bool = False


@dataclass
class Pulling:
    """The dealer's work with the chips of one hand. `stakes`: chips of each seat before its first bet."""

    stakes: Mapping[int, int]
    front: dict[int, int] = field(default_factory=dict)
    put: Counter[int] = field(default_factory=Counter)
    pots: list[PulledPot] = field(default_factory=lambda: [PulledPot()])
    out: list[int] = field(default_factory=list)
    """Seats that gave their hands up, in order."""
    over: bool = False
    """True once no one can bet."""

    @property
    def live(self) -> list[int]:
        """Return the seats that have a hand."""
        return [seat for seat in self.stakes if seat not in self.out]

    def moves(self, seat: int, cents: int) -> None:
        """Let a seat have so many cents in front of it."""
        self.put[seat] += cents - self.front.get(seat, 0)
        self.front[seat] = cents

    def gives_up(self, seat: int) -> None:
        """Take a hand away. A fold takes it out of the pots; one that can bet no more stays in those that lie there."""
        pulled = self._all_in(seat) and not self.front.get(seat)
        if not (pulled or self.over):
            for pot in self.pots:
                pot.seats.discard(seat)
        self.out.append(seat)

    def pull(self, *, last: bool = False) -> None:
        """Pull the bets in. `last`: no betting round follows."""
        self._return_uncalled()
        while any(self.front.values()):
            bets = {seat: cents for seat, cents in self.front.items() if cents}
            caps = [cents for seat, cents in bets.items() if seat in self.live and self._all_in(seat)]
            level = min(caps, default=max(bets.values()))
            if self.pots[-1].closed:
                self.pots.append(PulledPot())
            pot = self.pots[-1]
            pot.seats = pot.seats or {seat for seat in self.live if bets.get(seat, 0) >= level}
            pot.closed = bool(caps)
            for seat, cents in bets.items():
                pot.cents += min(cents, level)
                self.front[seat] = max(cents - level, 0)
        self.front = {}
        self.over |= last or sum(not self._all_in(seat) for seat in self.live) <= 1

    def _all_in(self, seat: int) -> bool:
        return self.put[seat] >= self.stakes[seat]

    def _return_uncalled(self) -> None:
        bets = sorted(((cents, seat) for seat, cents in self.front.items()), reverse=True)
        over = bets[0][0] - (bets[1][0] if bets[1:] else 0) if bets else 0
        if over and bets[0][1] in self.live:
            self.moves(bets[0][1], bets[0][0] - over)

    def claims(self, pot: PulledPot) -> set[int]:
        """Return the seats that may win a pot: those with a hand, else the last of them that gave it up."""
        still = pot.seats & {*self.live}
        return still or {next(seat for seat in reversed(self.out) if seat in pot.seats)}


@dataclass(frozen=True)
class House:
    """Terms of the house: the smallest chip, the rake, and the readings of a tied half."""

    token: int = 1
    percent: str = "0"
    cap: int | None = None
    step: int | None = None
    jackpot: int = 0
    button: int = 0
    odd_low_to_high: bool = True
    three_quarters: bool = False


@dataclass(frozen=True)
class Divided:
    """A pot with what the house took of it and what each seat got."""

    cents: int
    rake: int
    jackpot: int
    won: dict[int, int]


def divide(
    pulling: Pulling, high: Mapping[int, int | None], low: Mapping[int, int | None], house: House
) -> list[Divided]:
    """Divide each pot among the best hands. `high` and `low` have the hands that were shown, each empty in a game
    without that half."""
    left, drop, found = house.cap, house.jackpot, list[Divided]()
    for pot in pulling.pots:
        if not pot.cents:
            continue
        rake = int(pot.cents * Fraction(house.percent) / 100 / (house.step or house.token)) * (
            house.step or house.token
        )
        if left is not None:
            rake = min(rake, left)
            left -= rake
        jackpot = min(drop, pot.cents - rake)
        drop -= jackpot
        claims = pulling.claims(pot)
        cents = pot.cents - rake - jackpot
        won = {min(claims): cents} if len(claims) == 1 else _by_cards(cents, claims, high, low, house)
        found.append(Divided(pot.cents, rake, jackpot, {seat: part for seat, part in won.items() if part}))
    return found


def best(hands: Mapping[int, int | None], claims: Collection[int]) -> list[int]:
    """Return the seats with the best hand among these."""
    there = {seat: hands[seat] for seat in claims if hands.get(seat) is not None}
    return [seat for seat, hand in there.items() if hand == max(there.values())]


def _by_cards(
    cents: int, claims: Collection[int], high: Mapping[int, int | None], low: Mapping[int, int | None], house: House
) -> dict[int, int]:
    tops, lows = best(high, claims), best(low, claims)
    if not (tops and lows):
        return dict(_parts(cents, tops or lows, 0, house))
    of_low = cents // house.token // 2 * house.token
    alone_low = lows[0] if house.three_quarters and len(lows) == 1 and lows[0] in tops and tops[1:] else 0
    alone_high = tops[0] if house.three_quarters and len(tops) == 1 and tops[0] in lows and lows[1:] else 0
    won = Counter[int]()
    if house.odd_low_to_high and lows[1:]:
        tokens, others = of_low // house.token, [seat for seat in lows if seat != alone_high]
        each = (tokens // 2 if alone_high else tokens) // len(others) * house.token
        won.update(dict.fromkeys(others, each))
        if alone_high:
            won[alone_high] += each * len(others)
        of_low = sum(won.values())
    else:
        won.update(_parts(of_low, lows, alone_high, house))
    won.update(_parts(cents - of_low, tops, alone_low, house))
    return dict(won)


def _parts(cents: int, seats: Sequence[int], alone: int, house: House) -> Counter[int]:
    """Share a half, its odd chips going round from the left of the button. Who won the other half `alone` has half of
    this one, and the others the rest."""
    order = sorted(seats, key=lambda seat: (seat <= house.button, seat))
    if alone:
        others = [seat for seat in order if seat != alone]
        sides = _parts(cents, [alone, others[0]], 0, house)
        return Counter({alone: sides[alone]}) + _parts(sides[others[0]], others, 0, house)
    found = Counter({seat: cents // house.token // len(order) * house.token for seat in order})
    odd = cents - sum(found.values())
    for seat in order:
        found[seat] += house.token * (odd >= house.token)
        odd -= house.token * (odd >= house.token)
    found[order[0]] += odd
    return found
