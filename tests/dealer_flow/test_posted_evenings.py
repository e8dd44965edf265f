"""Random bets and raises under posted sizes, beside arithmetic of the test's own: what it allows counts, all else is
refused."""

from __future__ import annotations

from random import Random

import pytest

from dealer_flow.editions import load_edition
from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.posted import PostedBets, PostedGame
from dealer_flow.record.result import HouseRef
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on

SMALL, BIG = 100, 200
DEALT = "start at 4 / draw seat 1 AH KH | seat 2 2C 3C | seat 3 4D 5D | seat 4 6S 7S"
SIZES = {"pre-flop": 200, "flop": 200, "turn": 400, "river": 400}
POSTED = {
    "fixed": PostedBets("fixed", sizes=SIZES),
    "spread": PostedBets("spread", least_bet=200, most_bet=1000),
    "pot": PostedBets("pot", least_bet=200),
    "none": PostedBets("none", least_bet=200),
}
HANDS = 40


class Paper:
    """One betting round before the flop as a dealer keeps it: chips, the bet to call, the largest raise."""

    def __init__(self, stakes: dict[int, int]) -> None:
        self.stakes, self.lies = stakes, {1: SMALL, 2: BIG, 3: 0, 4: 0}
        self.high, self.raised = BIG, BIG

    def allows(self, structure: str, seat: int, to: int) -> bool:
        """Return True if the seat may raise to this amount; its stake is another matter."""
        raise_, all_in = to - self.high, to == self.stakes[seat]
        if structure == "fixed":  # to the next multiple of $2, or $2 more; less only all-in
            full = self.high + 200
            return to in (full, self.high - self.high % 200 + 200) or (all_in and to < full)
        least = all_in or raise_ >= max(self.raised, 200)
        if structure == "spread":
            return (least and raise_ <= 1000) or (raise_ == 1000 and self.raised > 1000)
        if structure == "pot":
            call = self.high - self.lies[seat]
            return least and raise_ <= sum(self.lies.values()) + call
        return least

    def takes(self, seat: int, to: int) -> None:
        if to > self.high:
            self.raised, self.high = max(self.raised, to - self.high), to
        self.lies[seat] = to


@pytest.mark.every(2)
@pytest.mark.parametrize("structure", POSTED)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.more) for seed in (1, 2))])
def test_sizes_agree_with_paper(structure: str, seed: int) -> None:
    random, tried = Random(f"{structure} {seed}"), {True: 0, False: 0}
    game = PostedGame(HouseRef("card-room", "0" * 64, structure), "47.1-1040", POSTED[structure])
    procedure = load_procedure("holdem.co", load_edition("colorado-2021-05-01")).at_house(game)
    for _ in range(HANDS):
        stakes = {seat: random.choice((350, 700, 1500, 4000, 30_000)) for seat in range(1, 5)}
        shown = ", ".join(f"{seat}: {cents}" for seat, cents in stakes.items())
        blinds = f"bets 1: small-blind {SMALL} / bets 2: big-blind {BIG}"
        table = go_on(HandTable(procedure, raises_per_round="unlimited"), f"stakes {shown} / {blinds} / {DEALT}")
        paper = Paper(stakes)
        for _ in range(12):
            now = round_of(table.flow)
            waiting = now.betting.waiting(now.live)
            if not waiting or now.doing != "bet":
                break
            seat, before, acts = waiting[0], len(table.incidents), len(now.betting.actions)
            most = stakes[seat]
            to = min(paper.high + random.choice((50, 100, 150, 200, 250, 400, 600, 1000, 1050, 2000, 5000)), most)
            if to <= paper.high or random.random() < 0.3:
                to = min(paper.high, most)
                go_on(table, f"acts {seat}: {f'call {to}' if to > paper.lies[seat] else 'check'}")
                assert len(table.incidents) == before, table.incidents[-1].text
                paper.takes(seat, to)
                continue
            allowed = paper.allows(structure, seat, to)
            go_on(table, f"acts {seat}: {'all-in' if to == most else 'raise'} {to}")
            refused = [each.reason for each in table.incidents[before:]]
            taken = len(round_of(table.flow).betting.actions) > acts
            assert taken == allowed, (structure, stakes, paper.lies, paper.raised, seat, to, refused)
            assert not (taken and refused), refused
            tried[allowed] += 1
            if allowed:
                paper.takes(seat, to)
    assert min(tried.values()) > 15, tried
