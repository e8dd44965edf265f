"""Hands in which beaten hands are mucked, reported to the flow and settled, beside a dealer who pulls pots in.

    python -m tests.support.programs.mucked_pots HANDS [--jobs N] [--first SEED] [--seconds S] [FAMILY ...]

Of the beaten hands, all-in or not, 30 % are mucked; now and then any hand is, or a player who is all-in throws its hand
away on a later street. `pots_by_pulling` cuts and divides the pots; it shares no code with the program.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Final

from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.procedure.steps.reveal import RevealStep
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.chips import Chips
from dealwire.table.table import TableTerms
from devices import events as e
from devices.events import BettingAction
from protocol.places import COMMUNITY, Place, seat
from rules import Game, Settlement, load_game
from rules.settlement import HouseRake
from tests.support.evenings.poker_hands import CONTROLLER, HandsDealt, Player, rehearsed
from tests.support.oracles.pots_by_pulling import Divided, House, Pulling, divide, high_of, low_of

BLINDS: Final = ("small-blind", "big-blind", "third-blind", "straddle")
PART: Final = 250
"""Hands that a process plays before it reports."""


@dataclass(frozen=True)
class Family:
    """A game: the halves of its pot, whether two own cards must play, and the most players for its deck."""

    game: str
    high: bool = True
    low: bool = False
    omaha: bool = False
    most: int = 9


FAMILIES: Final = {
    "holdem": Family("holdem.co"),
    "holdem-hi-lo": Family("holdem-hi-lo.co", low=True),
    "omaha": Family("omaha.co", omaha=True),
    "omaha-hi-lo": Family("omaha-hi-lo.co", low=True, omaha=True),
    "five-card-stud": Family("five-card-stud.co"),
    "seven-card-stud": Family("seven-card-stud.co", most=6),
    "seven-card-stud-hi-lo": Family("seven-card-stud-hi-lo.co", low=True, most=6),
    "seven-card-stud-low": Family("seven-card-stud-low.co", high=False, low=True, most=6),
    "draw": Family("draw.co", most=5),
    "draw-low": Family("draw-low.co", high=False, low=True, most=5),
    "draw-hi-lo": Family("draw-hi-lo.co", low=True, most=5),
}


class MuckedHands(HandsDealt):
    """A table whose dealer pulls pots in while players act, and whose players look at their cards at the showdown."""

    pulling: Pulling
    terms: TableTerms
    house_terms: House
    family: Family
    eight: bool
    """True if a low hand must be eight or better."""
    mucks: int
    awards: str
    """Way in which the dealer reports the pots: by pot, as one, or not at all."""

    def begin(self, family: Family, random: Random) -> None:
        """Prepare the next hand."""
        self.family = family
        self.house_terms, self.eight, self.terms = _terms(family, _game(family.game), random)
        self.awards = random.choice(("", "", "by pot", "as one"))
        self.chips, self.mucks = Chips(), 0
        self.pulling, self._blinds = Pulling({}), dict[int, int]()
        self._ranked: dict[int, tuple[int | None, int | None]] = {}
        self._names = {number: name for name, number in self.procedure.bets.items()}

    def see(self, device: str, body: e.Body) -> None:
        """Report, and move the chips."""
        match body:
            case e.ShoeLoaded() if self.random.random() < 0.5:
                few = self.random.sample("23456789TJQKA", 8)
                self._left.sort(key=lambda card: card.text[0] in few)  # the last ones are dealt first
            case e.StakeShown():
                self.pulling.stakes = {**self.pulling.stakes, body.seat: body.cents}
            case e.WagerPlaced() if self._names[body.bet] in BLINDS:
                self._blinds[body.seat] = self._blinds.get(body.seat, 0) + body.cents
            case e.WagerPlaced():
                self.pulling.moves(body.seat, body.cents)
            case e.GameStarted():
                self.pulling.pull()
                for number, cents in self._blinds.items():
                    self.pulling.moves(number, cents)
            case e.PlayerActed(action=BettingAction.FOLD):
                self.pulling.gives_up(body.seat)
            case e.PlayerActed():
                self.pulling.moves(body.seat, body.cents)
        super().see(device, body)

    def _betting(self, step: BetStep) -> None:
        steps = [each for each in self.procedure.steps if isinstance(each, BetStep)]
        able = [number for number in self.view.live if self.chips.behind[number]]
        later = step is not steps[0] and step.first != "board"  # in stud the board of the hand still decides who begins
        for number in self.view.live if later and len(able) > 1 else ():
            if number not in able and self.random.random() < 0.05:
                self._throws_away(number)
        super()._betting(step)
        self.pulling.pull(last=step is steps[-1])

    def _throws_away(self, number: int) -> None:
        self.see(CONTROLLER, e.PlayerActed(number, BettingAction.FOLD, 0))
        self.view.folded.add(number)
        self.mucks += 1

    def _reveal(self, step: RevealStep) -> None:
        winners = {number for pot in self.divided() for number in pot.won}
        if board := self.dealt.cards.get(COMMUNITY):
            self.see(CONTROLLER, e.HandRevealed(COMMUNITY, tuple(board), False))
        for number in self.money.shown(self.view.live):
            chance = 0.02 if number in winners else 0.3
            if len(self.view.live) > 1 and self.random.random() < chance:
                self._throws_away(number)
            else:
                self._show(number)

    def takes(self) -> None:
        """Report the pots as they are pushed."""
        whole = Counter[int]()
        for number, pot in enumerate(self.divided(), 1):
            for winner, cents in pot.won.items():
                whole[winner] += cents
                if self.awards == "by pot":
                    self.see(CONTROLLER, e.PotTaken(number, winner, cents))
        for winner, cents in whole.items() if self.awards == "as one" else ():
            self.see(CONTROLLER, e.PotTaken(1, winner, cents))

    def divided(self) -> list[Divided]:
        """Return the pots by the hands that are there now."""
        live = self.pulling.live if len(self.pulling.live) > 1 else []
        board = self._text(COMMUNITY)
        for number in live:
            if number not in self._ranked:
                own = self._text(seat(number))
                omaha = self.family.omaha
                high = high_of(own, board, omaha=omaha) if self.family.high else None
                low = low_of(own, board, omaha=omaha, eight=self.eight) if self.family.low else None
                self._ranked[number] = high, low
        highs = {number: self._ranked[number][0] for number in live}
        lows = {number: self._ranked[number][1] for number in live}
        return divide(self.pulling, highs, lows, self.house_terms)

    def _text(self, place: Place) -> str:
        return "".join(card.text[0] + card.text[1].lower() for card in self.dealt.cards.get(place, []))


def deal(name: str, seed: int) -> MuckedHands:
    """Deal one hand of this family, and return its table; an AssertionError names what the flow found wrong."""
    family, random = FAMILIES[name], Random(f"{name} {seed}")
    table = _table(name, random, ante=random.random() < 0.5)
    table.begin(family, random)
    players = _players(family, random, table.house_terms.token)
    table.hand(players, table.house_terms.button)
    table.takes()
    table.end()
    # a hand that is thrown away is a fold before its turn
    codes = {each.code for each in table.incidents}
    assert codes <= {"acted-out-of-turn"}, f"{name}, seed {seed}: {[str(each) for each in table.incidents]}"
    return table


def play(name: str, seed: int) -> Counter[str]:
    """Play one hand both ways; return counts of its features. An AssertionError names the difference."""
    table = deal(name, seed)
    assert table.result is not None, "the hand is over"
    settlement = table.terms.settle(table.result)
    _compare(f"{name}, seed {seed}", table, table.result, settlement)
    folded = [seat.seat for seat in table.result.seats if seat.status == "folded"]
    all_in = [number for number in folded if table.pulling.put[number] == table.pulling.stakes[number]]
    return Counter(
        {
            "hands": 1,
            "side pots": len(table.result.pots) > 1,
            "mucked": table.mucks,
            "all-in mucked": len(all_in),
            "split": any(len(pot.winners) > 1 for pot in settlement.pots),
            "raked": any(pot.rake for pot in settlement.pots),
        }
    )


def _compare(where: str, table: MuckedHands, result: RoundResult, settlement: Settlement) -> None:
    pulled = [pot for pot in table.pulling.pots if pot.cents]
    ours = [(pot.number, pot.cents, {*pot.seats}) for pot in result.pots]
    theirs = [(number, pot.cents, pot.seats) for number, pot in enumerate(pulled, 1)]
    assert ours == theirs, f"{where}: pots {ours}, by pulling {theirs}"
    parts = table.divided()
    assert settlement.status == "settled", (
        f"{where}: {[line.why for line in settlement.lines if line.result == 'held']}"
    )
    won = [
        Divided(pot.cents, pot.rake, pot.jackpot_rake, {each.seat: each.cents for each in pot.winners if each.cents})
        for pot in settlement.pots
    ]
    assert won == parts, f"{where}: {won}, by the splitter {parts}"
    nets = Counter({number: -cents for number, cents in table.pulling.put.items()})
    for pot in parts:
        nets.update(pot.won)
    found = {each.seat: each.net for each in settlement.seats}
    assert found == {number: nets[number] for number in found}, f"{where}: {found}, by the splitter {nets}"
    assert all(number in found for number, cents in nets.items() if cents), where


def _terms(family: Family, game: Game, random: Random) -> tuple[House, bool, TableTerms]:
    token = random.choice((1, 25, 50, 100))
    rake = random.choice((None, HouseRake("10", 400), HouseRake("5", None, 50), HouseRake("2.5", 300, 25, 200)))
    if rake is not None and (game.spec.pot is None or game.spec.pot.jackpot_rake is None):
        rake = HouseRake(rake.percent, rake.cap_cents, rake.step_cents)
    readings, eight = dict[str, str](), False
    if family.high and family.low:
        eight = random.random() < 0.5
        readings = {
            "low-qualifier": "eight-or-better" if eight else "none",
            "hi-lo-ties": random.choice(("halves", "three-quarters")),
            "odd-chip-low": random.choice(("high-hand", "by-position")),
        }
    stud = game.spec.pot is not None and game.spec.pot.odd_chips != "button-left"
    house = House(
        token=token,
        percent=rake.percent if rake else "0",
        cap=rake.cap_cents if rake else None,
        step=rake.step_cents if rake else None,
        jackpot=rake.jackpot_cents if rake else 0,
        button=0 if stud else random.randint(1, family.most),
        odd_low_to_high=readings.get("odd-chip-low") == "high-hand",
        three_quarters=readings.get("hi-lo-ties") == "three-quarters",
    )
    return house, eight, TableTerms(game, readings=readings, token_cents=token, rake=rake)


def _players(family: Family, random: Random, token: int) -> list[Player]:
    """Return players with few chips, so that many are all-in; one in five has chips below a token."""
    seats = sorted(random.sample(range(1, family.most + 1), random.randint(2, family.most)))
    players = []
    for number in seats:
        cents = random.choice((random.randint(1, 600), random.randint(100, 2_000), random.randint(1_000, 15_000)))
        whole = max(cents // token, 1) * token
        players.append(Player(number, random.choice(("loose", "aggressive", "tight")), whole))
        if random.random() < 0.2:
            players[-1].stake = cents
    return players


def _table(name: str, random: Random, *, ante: bool) -> MuckedHands:
    options = _options(FAMILIES[name].game, ante=ante)
    return MuckedHands(rehearsed(FAMILIES[name].game, options), random, [])


@cache
def _options(game: str, *, ante: bool) -> tuple[tuple[str, str], ...]:
    known = rehearsed(game, ()).plan.options
    return (("ante", "yes"),) if ante and "ante" in known else ()


@cache
def _game(name: str) -> Game:
    return load_game(name)


def _part(name: str, first: int, count: int, ends: float) -> tuple[Counter[str], list[str]]:
    """Play so many hands of a family, begun before the time is over; return counts, and the errors."""
    found, wrong = Counter[str](), list[str]()
    for seed in range(first, first + count):
        if time.time() > ends:
            break
        try:
            found.update(play(name, seed))
        except Exception as error:
            wrong.append(f"{name} {seed}: {type(error).__name__}: {error}")
            print(f"\nWRONG {wrong[-1]}", file=sys.stderr, flush=True)
    return found, wrong


def _parts(families: list[str], first: int, hands: int) -> Iterator[tuple[str, int, int]]:
    """Yield family, first seed and number of hands, of all families in turn."""
    for at in range(0, hands, PART):
        for name in families:
            yield name, first + at, min(PART, hands - at)


def main() -> int:
    """Play so many hands of each family; return 1 if one was cut or settled otherwise."""
    parser = argparse.ArgumentParser(description="Pots with mucked hands, beside a splitter of its own")
    parser.add_argument("hands", type=int, help="of each family")
    parser.add_argument("families", nargs="*", default=[*FAMILIES], metavar="FAMILY", help=", ".join(FAMILIES))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--seconds", type=float, default=1e9, help="no hand is begun after so many")
    given = parser.parse_args()
    if unknown := [name for name in given.families if name not in FAMILIES]:
        parser.error(f"no family {unknown[0]!r}; known: {', '.join(FAMILIES)}")
    began, found, wrong = time.monotonic(), {name: Counter[str]() for name in given.families}, list[str]()
    with ProcessPoolExecutor(given.jobs) as pool:
        ends = time.time() + given.seconds
        parts = _parts(given.families, given.first, given.hands)
        waiting = [(part[0], pool.submit(_part, *part, ends)) for part in parts]
        for family, part in waiting:
            more, bad = part.result()
            found[family].update(more)
            wrong += bad
            done = sum(each["hands"] for each in found.values())
            print(f"\r{done} hands, {len(wrong)} wrong", end="", file=sys.stderr)
    print(file=sys.stderr)
    for family, counted in found.items():
        print(f"{family:<22} {', '.join(f'{name} {count}' for name, count in counted.items())}")
    print(f"{len(wrong)} wrong, in {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
