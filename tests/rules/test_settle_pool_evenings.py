"""Sessions of a game with a pool: with any deals, folds, ties, forfeits and closings, every cent is accounted for.

The winning hand is determined here from the cards, by pokerkit; chips, pool and runners are kept in the test's own
books.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from pokerkit import StandardHighHand

import devices.events as e
from dealer_flow.record.result import RoundResult, Seat
from dealwire.table.pool_book import PoolBook
from dealwire.table.table import TableTerms
from devices.events import Level, Seen
from protocol.cards import DECK
from rules import load_game
from rules.settlement import HouseRake, Settlement
from tests.support.dealing.written_rounds import ended_round, must_add_up, seat_of

GAME, POOL, NEEDED = "home-run.co", "home-run", 4
TOKEN = 25
HIGH = [card.text for card in DECK if card.text[0] in "TJQKA"]
"""High cards: every third hand from them is a straight, four of a kind or better, and many tie."""
ALL = [card.text for card in DECK]


class Evening:
    """Rounds dealt at random, settled by the table's terms, and recorded in independent books."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        rake = HouseRake(str(self.random.choice([0, 0, 5, 10])), pool_percent=str(self.random.choice([0, 5, 10])))
        self.terms = TableTerms(load_game(GAME), token_cents=TOKEN, rake=rake)
        spec = self.terms.game.spec.pool
        assert spec is not None
        self.book = PoolBook(spec, self.terms, "table-1")
        self.chips, self.house = Counter[int](), 0
        self.runners = dict[int, int]()
        self.number = 0
        self.happened = Counter[str]()

    def play(self, rounds: int) -> None:
        for _ in range(rounds):
            self.number += 1
            self.settle(self.dealt())
            if self.random.random() < 0.05:
                self.close()

    # ------------------------------------------------------------------ a round

    def dealt(self) -> RoundResult:
        """Deal a round of three to six seats, of which some fold, are dead or cannot call."""
        random = self.random
        deck = random.sample(*(population := (HIGH, len(HIGH)) if random.random() < 0.5 else (ALL, len(ALL))))
        assert len(deck) == population[1]
        numbers = sorted(random.sample(range(1, 8), random.randint(2, 6)))
        board, void = deck[:5], random.choice([""] * 9 + ["defective-deck"])
        statuses = random.choices(["live", "folded", "dead"], [6, 3, 1], k=len(numbers))
        statuses[random.randrange(len(numbers))] = "live"
        seats = [
            self.seat(number, deck[5 + 2 * place : 7 + 2 * place], status, void=bool(void))
            for place, (number, status) in enumerate(zip(numbers, statuses, strict=True))
        ]
        if sum(seat.status == "live" for seat in seats) == 1 and not void:  # nobody shows
            board = board[: random.choice([3, 4, 5])]
            seats = [replace(seat, cards=("??", "??")) for seat in seats]
        left = tuple(number for number in range(1, 8) if number not in numbers and random.random() < 0.02)
        outcome: Any = void or "complete"
        more = {"round": self.number, "button": random.choice(numbers), "left": left, "outcome": outcome}
        return ended_round(GAME, seats, board, **more)

    def seat(self, number: int, cards: list[str], status: Any, *, void: bool) -> Seat:
        random = self.random
        put = random.choice([0, 500, 1000, 2000]) if status == "live" else random.choice([0, 250, 500])
        wagers = {"ante": 500, "strike-out": 500 + 25 * random.randrange(4)} | ({"flop": put} if put else {})
        back, gone = dict[str, int](), dict[str, int]()
        if void:
            knew = random.random() < 0.2
            gone = {name: cents for name, cents in wagers.items() if knew and name != "strike-out"}
            back = {name: cents for name, cents in wagers.items() if name not in gone}
            status = "dead" if knew else status
        elif status == "dead" and random.random() < 0.5:
            back = dict(wagers)
        shown = cards if status != "folded" else ["??", "??"]
        given = {name.replace("-", "_"): cents for name, cents in wagers.items()}
        return seat_of(number, shown, status=status, returned=back, forfeited=gone, **given)

    # ------------------------------------------------------------------ what comes of it

    def settle(self, result: RoundResult) -> None:
        before = dict(self.terms.meters)
        settlement = self.terms.settle(result)
        must_add_up(settlement, result.seats)
        assert settlement.status == "settled", settlement.why
        for seat in settlement.seats:
            self.chips[seat.seat] += seat.net
        self.house += settlement.totals.house
        assert sum(self.terms.meters.values()) - sum(before.values()) == settlement.totals.meters
        self.count_runners(result, settlement, before[POOL])
        self.must_stand()

    def count_runners(self, result: RoundResult, settlement: Settlement, pool: int) -> None:
        """Count runners, wagers and pool from the cards."""
        for seat in result.left:
            self.happened["left"] += self.runners.pop(seat, 0)
        into, winner = 0, None
        if result.outcome == "complete":
            best, earned = best_of(result)
            wagers = {
                seat.seat: seat.wagers["strike-out"] - seat.returned.get("strike-out", 0) for seat in result.seats
            }
            into = sum(cents for seat, cents in wagers.items() if seat not in best)
            if len(best) == 1:
                has = self.runners.get(best[0], 0)
                self.happened[f"earned {earned}"] += 1
                self.runners[best[0]] = min(has + earned, NEEDED)
                winner = best[0] if self.runners[best[0]] == NEEDED else None
            else:
                self.happened["tie"] += 1
        pool += into
        if winner is not None:
            self.happened["pool won"] += 1
            rake = settlement.rake.pool_percent if settlement.rake is not None else "0"
            taken = pool * int(rake) // 100 // TOKEN * TOKEN
            paid = [(line.seat, line.pay) for line in settlement.lines if line.meter == POOL]
            assert paid == [(winner, pool - taken)]
            self.runners, pool = {}, 0
        self.happened["forfeited"] += sum(1 for seat in result.seats if seat.forfeited)
        assert self.terms.meters[POOL] == pool
        assert self.terms.runners == self.runners

    def close(self) -> None:
        """Close the table: the pool is shared to the last cent, if any seat has a runner."""
        pool, runners = self.terms.meters[POOL], dict(self.runners)
        found = []
        for body in (e.HandButton(1, True), e.Confirmed(), e.BadgeSwiped(7, Level.SUPERVISOR)):
            found += self.book.handle(Seen("controller", 1, 1, 1, body), between=True)
        shares = {each.seat or 0: each.cents or 0 for each in found if each.kind == "awarded"}
        if not runners:
            assert [each.kind for each in found] == ["hand-on", "confirmed", "refused"]
            return
        self.happened["closed"] += 1
        assert sum(shares.values()) == pool
        assert shares.keys() == runners.keys()
        for seat, cents in shares.items():
            assert abs(cents - pool * runners[seat] / sum(runners.values())) < 2 * TOKEN
            self.chips[seat] += cents
        self.runners = {}
        self.must_stand()

    def must_stand(self) -> None:
        """Check that every cent is accounted for, no seat has more runners than win, and nothing is negative."""
        assert sum(self.chips.values()) + self.house + sum(self.terms.meters.values()) == 0
        assert all(0 < number < NEEDED for number in self.terms.runners.values())
        assert all(cents >= 0 for cents in self.terms.meters.values())


def best_of(result: RoundResult) -> tuple[list[int], int]:
    """Return the seats with the best hand, and the number of runners it earns."""
    live = [seat for seat in result.seats if seat.status == "live"]
    if len(live) == 1:
        return [live[0].seat], 1
    board = "".join(spelt(card) for card in result.community)
    hands = {seat.seat: StandardHighHand.from_game("".join(map(spelt, seat.cards)), board) for seat in live}
    best = max(hands.values())
    entry = str(best.entry.label)
    ranks = sorted(card.rank for card in best.cards)
    royal = ranks == sorted("AKQJT")
    earned = {"Straight flush": 4 if royal else 3, "Four of a kind": 2}.get(entry, 1)
    return [seat for seat, hand in hands.items() if hand == best], earned


def spelt(card: str) -> str:
    return card[0] + card[1].lower()


SEEDS = [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 100))]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_cent_of_an_evening_is_somewhere(seed: int) -> None:
    Evening(seed).play(120)


def test_the_evenings_have_everything_in_them() -> None:
    found = Counter[str]()
    for seed in range(4):
        evening = Evening(seed)
        evening.play(120)
        found += evening.happened
    wanted = ("earned 1", "earned 2", "earned 3", "earned 4", "tie", "pool won", "closed", "left", "forfeited")
    assert [name for name in wanted if not found[name]] == []
