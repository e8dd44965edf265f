"""Each rule of each procedure's wagers broken through both doors: dealt at the table, settled as another's round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from random import Random

import pytest
from msgspec.structs import replace

from dealer_flow.play.flow import DealerFlow
from dealer_flow.play.seen.legal import Legal
from dealer_flow.procedure.bet_rules import BetRule
from dealer_flow.procedure.load import Procedure, known_procedures, load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.record.result import ProcedureRef, RoundResult
from dealwire.rehearsal.stakes import stake_of, stakes_of
from devices import events as e
from rules import settle
from rules.game.load import game_id_of, load_game_of
from tests.support.dealing.flow_points import round_of
from tests.support.evenings.legal_play import LegalPlay

MOST_STEPS = 600


def conditions(procedure: Procedure) -> Iterator[dict[str, str]]:
    """The options of its default, and each other reading that a rule of a bet hangs on."""
    yield {}
    rules = [must.when for bet in procedure.bet for must in bet.must]
    whens = [*rules, *(bet.when for bet in procedure.bet), *(total.when for total in procedure.total)]
    yield from ({when.option: when.is_} for when in dict.fromkeys(filter(None, whens)))


def rules_of(procedure: Procedure) -> dict[BetRule, Plan]:
    """Every row that says what a wager must be -> the procedure under options by which it counts."""
    found: dict[BetRule, Plan] = {}
    for options in conditions(procedure):
        plan = Plan(procedure, options)
        there = {bet.name for bet in plan.law.spots}
        for rule in plan.rules:
            if rule not in found or not rule.named <= {bet.name for bet in found[rule].law.spots}:
                found[rule] = plan if rule.named <= there else found.get(rule, plan)
    return found


def broken_by(rule: BetRule, wagers: Mapping[str, int], tied: Iterable[str] = ()) -> Iterator[dict[str, int]]:
    """The same bets with stakes that break the rule, the least change first; `tied` are those compared with its own."""
    bet = rule.bets[0]
    if rule.kind == "total-under" and rule.amount is not None:
        others = {name: cents for name, cents in wagers.items() if name not in rule.bets}
        yield others | dict.fromkeys({bet, *tied} & wagers.keys(), int(rule.amount.times) // 4)
    elif rule.amount is not None:
        wanted = int(rule.amount.cents(wagers))
        for cents in (wanted + 25, wanted - 25, wanted + 100, wanted * 3 // 2, wanted + 500, 10_000 + wanted, 1):
            if cents > 0:
                yield {**wagers, bet: cents}
    elif rule.kind == "same-as":
        other = next(iter(rule.others))
        yield {**wagers, other: wagers.get(other, 100), bet: wagers.get(other, 100) + 25}
    elif rule.kind == "excludes":
        yield {**wagers, bet: wagers.get(bet, 500), **{other: wagers.get(bet, 500) for other in rule.others}}
    else:
        yield {name: cents for name, cents in wagers.items() if name not in rule.others}


def seats_of(plan: Plan) -> list[int]:
    """Return the seat that breaks a rule, and two other seats that break none."""
    return [number for number in range(1, plan.most_seats + 1) if number not in plan.unplayed][:3]


class Breaking(LegalPlay):
    """A table at which one seat's stakes break a rule."""

    def __init__(self, plan: Plan, rule: BetRule, stakes: dict[str, int], late: int) -> None:
        self.rule, self.stakes, self.late = rule, stakes, late
        self.seats = seats_of(plan)
        self.one = self.seats[0]
        super().__init__(plan.procedure, Random(0))
        self.flow = DealerFlow(plan.procedure, options=plan.options)
        self.fill()
        for bet in plan.bets.values() if plan.betting is not None else ():
            if bet.placed == "before-deal":
                self.see(e.WagerPlaced(self.one, bet.number, stakes.get(bet.name, 0)))

    def _likely(self, item: Legal) -> bool:
        if item.event in ("GameStarted", "NumberDrawn", "SpotSelected") and not self._all_bet():
            return False
        offered = self._offered()
        if item.event == "DecisionMade" and item.place == f"seat {self.one}":
            return bool(offered) and item.value == max(offered, key=self._worth)
        if offered:  # a choice that may be left out is made, too
            return False
        return super()._likely(item)

    def _all_bet(self) -> bool:
        return self.flow.plan.betting is not None or {*self.seats} <= round_of(self.flow).wagers.keys()

    def _offered(self) -> list[int]:
        """The choices of the seat, but for what would take the bet back that breaks the rule."""
        plan, place = self.flow.plan, f"seat {self.one}"
        found = [each.value for each in self.flow.legal() if each.event == "DecisionMade" and each.place == place]
        return [number for number in found if plan.decisions[number].takes_back not in self.rule.named]

    def _worth(self, number: int) -> tuple[bool, ...]:
        """Return a sort key: the better a choice serves the breach, the higher."""
        plan, choice = self.flow.plan, self.flow.plan.decisions[number]
        name = choice.name
        own = {plan.tips.get(bet, bet) for bet in (*self.rule.bets, *self.rule.named)}
        wanted = not own.isdisjoint(choice.stakes) and self.rule.choice in (None, name)
        return (
            name == self.rule.choice,
            wanted,
            not choice.folds,
            not choice.takes_back,
            not choice.last,
            bool(choice.stakes),
        )

    def _bet(self, number: int) -> None:
        plan = self.flow.plan
        bets = self.stakes if number == self.one else _first_stakes(plan)
        for bet in plan.bets.values():
            if bet.name in bets and bet.placed == "before-deal":
                self.see(e.WagerPlaced(number, bet.number, bets[bet.name]))

    def _choose(self, body: e.DecisionMade) -> None:
        plan, choice = self.flow.plan, self.flow.plan.decisions[body.decision]
        if body.seat != self.one:
            return super()._choose(body)
        now, numbers = round_of(self.flow), {bet.name: bet.number for bet in plan.bets.values()}
        wagers = dict(now.wagers.get(self.one, {}))
        for bet in choice.stakes:
            wagers[bet] = stake_of(plan, bet, wagers, 500, choice.name)
        for tip, own in plan.tips.items():
            if own in choice.stakes and tip in self.rule.named:
                wagers[tip] = stake_of(plan, tip, wagers, 100, choice.name)
        placed = {*choice.stakes, *(tip for tip in wagers if plan.tips.get(tip) in choice.stakes)}
        if not placed.isdisjoint(self.rule.bets):
            wagers = next(islice(broken_by(self.rule, wagers), self.late, None), wagers)
        for bet in plan.bets.values():
            if bet.name in placed and bet.placed == "by-decision" and bet.name in wagers:
                self.see(e.WagerPlaced(self.one, numbers[bet.name], wagers[bet.name]))
        self.see(body)
        back = choice.takes_back
        for bet in (back, *(tip for tip, own in plan.tips.items() if own == back)) if back else ():
            self.see(e.WagerPlaced(self.one, numbers[bet], 0))
        return None

    def play(self) -> RoundResult | None:
        """One round, as far as it comes."""
        for _ in range(MOST_STEPS):
            self.step(rare=False)
            results = [each for each in self.found if isinstance(each, RoundResult)]
            if results:
                return results[0]
        return None


def _first_stakes(plan: Plan) -> dict[str, int]:
    return stakes_of(plan, 1)


def tries(plan: Plan, rule: BetRule) -> Iterator[tuple[dict[str, int], int]]:
    """Yield the seat's bets before the deal, and the index of the change that a choice's bet takes."""
    bet, early = rule.bets[0], not plan.law.before_deal.isdisjoint(rule.bets)
    for seat in (1, 2, 3, 6):
        stakes = stakes_of(plan, seat) or posted_by(plan)
        if early:
            whole = stakes if bet in stakes else {**stakes, bet: 500}
            changed = broken_by(rule, whole, plan.law.tied.get(bet, ()))
            yield from ((each, 0) for each in changed if rule.breach(each))
        else:
            gone = {*rule.others, *_excluded(plan, plan.tips.get(bet, bet))}
            yield from (
                ({name: cents for name, cents in stakes.items() if name not in gone}, late) for late in range(7)
            )


def _excluded(plan: Plan, bet: str) -> Iterator[str]:
    """Bets of which a seat may have none to make the choice that this one goes with."""
    for choice in plan.choices.values():
        if bet in choice.stakes:
            yield from choice.unless


def posted_by(plan: Plan) -> dict[str, int]:
    """Return the bets of a seat that antes, or posts a blind."""
    return {bet.name: 100 for bet in plan.bets.values() if bet.placed == "before-deal"}


def told(result: RoundResult, rule: BetRule, seat: int) -> bool:
    """Return True if the table found this breach."""
    return any(
        each.code == "wager-held" and each.reason == rule.kind and each.clause == rule.clause
        and rule.bets[0] in (each.bet, *each.bets)
        for each in result.incidents
        if each.seat == seat
    ) or any(each.code == "side-bet-alone" and each.clause == rule.clause for each in result.incidents)  # fmt: skip


def held_at_settle(result: RoundResult, number: int) -> dict[str, str]:
    """Return the bets of the seat that the settlement holds in the round as another program would write it."""
    seats = tuple(replace(each, held={}) for each in result.seats)
    other = ProcedureRef(result.procedure.id, "0" * 64)
    done = settle(
        replace(result, seats=seats, incidents=(), procedure=other),
        load_game_of(result.procedure.id, result.options),
        accept_suspect=True,
    )
    assert done.unseen
    return {line.bet: line.clause for line in done.lines if line.seat == number and line.result == "held"}


def breaks(plan: Plan, rule: BetRule) -> str:
    """Through which doors some round broke this rule and was held by its clause: `both`, or `settle` where the table
    lets no such bet happen, empty where none was found."""
    number = seats_of(plan)[0]
    for stakes, late in tries(plan, rule):
        result = Breaking(plan, rule, stakes, late).play()
        if result is None or result.outcome != "complete" or not told(result, rule, number):
            continue
        seat = next(each for each in result.seats if each.seat == number)
        found, bets = held_at_settle(result, number), load_game_of(result.procedure.id, result.options).bets
        for bet in seat.held.keys() & rule.named:
            assert bet in found, (rule, seat, found)
            assert bets[bet].among_players or found[bet] == seat.held[bet], (rule, seat, found)
        return "both"
    return "settle" if written_elsewhere(plan, rule) else ""


def written_elsewhere(plan: Plan, rule: BetRule) -> bool:
    """Return True if a correctly dealt round is held by this rule once another program writes its stakes."""
    number = seats_of(plan)[0]
    result = Breaking(plan, rule, stakes_of(plan, 1) or posted_by(plan), 99).play()
    assert result is not None
    seat = next(each for each in result.seats if each.seat == number)
    for stakes in broken_by(rule, {rule.bets[0]: 500, **seat.wagers}):
        if rule.breach(stakes):
            seats = tuple(replace(each, wagers=stakes) if each is seat else each for each in result.seats)
            return held_at_settle(replace(result, seats=seats), number).get(rule.bets[0]) == rule.clause
    return False


def _variant(name: str) -> bool:
    return name.count("-") > 0 and name.rpartition(".")[2].startswith("co-")


RULED = [name for name in known_procedures() if game_id_of(name) and rules_of(load_procedure(name))]
NOT_AT_THE_TABLE = {
    ("bonus-6.co", "bonus-card", "needs"),
    ("texas-shootout.co", "second-bonus", "needs"),
}
"""Rows of which no choice at the table makes a breach: procedure, bet and rule."""
OF_EVERY_BET = ("limit", "tip-alone")
"""Rules that no row of a bet says: one `[limit]` for all of them, and what a tip is."""


def doors_of(procedure: Procedure, *, rows: bool) -> dict[BetRule, str]:
    """Through which doors each rule was broken: those that rows say, or the others."""
    return {
        rule: breaks(plan, rule) for rule, plan in rules_of(procedure).items() if (rule.kind in OF_EVERY_BET) != rows
    }


@pytest.mark.every(6)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.more if _variant(name) else ()) for name in RULED]
)
def test_each_row_is_broken_at_the_table_and_at_settle(name: str) -> None:
    procedure = load_procedure(name)
    doors = doors_of(procedure, rows=True)
    assert len(doors) >= len({(bet.name, repr(must)) for bet in procedure.bet for must in bet.must})
    assert [rule for rule, door in doors.items() if not door] == []
    settled = {
        (name.removesuffix("-single"), rule.bets[0], rule.kind) for rule, door in doors.items() if door != "both"
    }
    assert settled <= NOT_AT_THE_TABLE


@pytest.mark.more
@pytest.mark.parametrize("name", RULED)
def test_the_limit_of_every_bet_and_tips_without_their_bet(name: str) -> None:
    assert [rule for rule, door in doors_of(load_procedure(name), rows=False).items() if not door] == []
