"""Wagers that cannot be settled: they break a rule of the game, came too late, or are on a seat that was not dealt in.

Such a wager is held with its clause, and only that seat's: no card and no other bet depends on it, so the table plays
on. Bets placed before the deal are judged at START GAME, while they can still be seen; the others at END GAME. The
rules of a seat are evaluated on its bets at START GAME, even if some went back or were given up since.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

import devices.events as e
from dealer_flow.play.course.cards_by_step import settled_bets
from dealer_flow.procedure.bet_rules import ALONE, BetRule, Breach
from dealer_flow.procedure.bets import BESIDE, BetPart
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import Outcome
from dealer_flow.table.round import Round
from devices.events import Body, Seen

Rules = Literal["start", "end", "all"]
"""Rules to check: those that START GAME checks, those left for END GAME, or all of them."""


def placeable(plan: Plan, wagers: Mapping[str, int]) -> Sequence[BetPart]:
    """Return the bets before the deal that a seat with these wagers may place."""
    return [bet for bet in _early(plan) if _may_lie(plan, bet.name, wagers)] if wagers else _alone(plan)


@lru_cache(maxsize=256)
def _early(plan: Plan) -> tuple[BetPart, ...]:
    return tuple(bet for bet in plan.bets.values() if bet.placed == "before-deal")


@lru_cache(maxsize=256)
def _alone(plan: Plan) -> tuple[BetPart, ...]:
    """Return the result of `placeable` for a seat without wagers. It is cached, because most seats have none most of
    the time."""
    return tuple(bet for bet in _early(plan) if _may_lie(plan, bet.name, {}))


def _may_lie(plan: Plan, bet: str, wagers: Mapping[str, int]) -> bool:
    """Return True if the rules on needed and excluded bets allow the bet.

    The bet that enters a seat comes first: what it needs, such as a blind as high as the ante, may follow it.
    """
    rules = _beside(plan)[bet]
    if not rules:
        return True
    beside = {**wagers, bet: 1}
    breaches = (breach for rule in rules if (breach := rule.breach(beside)) is not None)
    return not any(bet in breach.bets for breach in breaches)


@lru_cache(maxsize=256)
def _beside(plan: Plan) -> Mapping[str, tuple[BetRule, ...]]:
    """Return each bet's rules on the bets that it needs or excludes."""
    return {
        bet.name: tuple(
            rule
            for rule in plan.rules
            if rule.amount is None and bet.name in rule.named and not (bet.name in plan.entering and rule.kind in ALONE)
        )
        for bet in plan.bets.values()
    }


def hold(round_: Round, number: int, bets: Iterable[str], clause: str) -> None:
    """Hold these bets of a seat for a supervisor; the first clause remains."""
    held = round_.held.setdefault(number, {})
    for bet in bets:
        held.setdefault(bet, clause)


def hold_passed_by(round_: Round, outcome: Outcome) -> None:
    """Hold the bets of the seats that never chose, except those settled before."""
    for number, clause in round_.passed_by.items():
        over = settled_bets(round_, number, outcome)
        hold(round_, number, [bet for bet in round_.wagers.get(number, {}) if bet not in over], clause)


def hold_late(round_: Round, body: Body, clause: str) -> None:
    """Hold a wager that is out of order, with the bet its money may have come from."""
    if not isinstance(body, e.WagerPlaced | e.WagerOn) or body.bet not in round_.plan.bets:
        return
    bet, bets = round_.plan.bets[body.bet], [round_.plan.bets[body.bet].name]
    source = round_.plan.shoe.moves_from if round_.plan.shoe is not None else None
    if bet.placed == "before-extra" and source in round_.wagers.get(body.seat, {}):
        bets.append(source or "")
    hold(round_, body.seat, bets, clause)


def close_bets(round_: Round) -> None:
    """Close the bets that go with choices made so far, since cards of the house are seen; those placed stay as they
    are."""
    staked = round_.plan.staked
    for number, made in round_.choices.items():
        for name in made.values():
            for bet in staked.get(name, ()):
                round_.too_late.add((number, bet))


def judge_start(round_: Round, seen: Seen) -> None:
    """Judge, at START GAME, the bets placed before the deal, and seats with bets that get no cards."""
    round_.staked = {number: dict(bets) for number, bets in sorted(round_.wagers.items()) if bets}
    for number, bets in round_.staked.items():
        if number in round_.active:
            if not _bets_as_it_should(round_, number, "start"):
                _judge(round_, seen, number, bets, _breaches(round_, number, bets, "start"))
            round_.judged.add(number)
        else:
            _judge_alone(round_, seen, number, bets, round_.plan.law.at_start)


def bets_changed(round_: Round, number: int) -> None:
    """Take a bet changed after START GAME, where the regulation allows it: END GAME judges what the seat has now."""
    round_.staked.pop(number, None)
    if bets := round_.wagers[number]:
        round_.staked[number] = dict(bets)
    round_.held.pop(number, None)
    round_.judged.discard(number)


def judge_end(round_: Round, seen: Seen, outcome: Outcome) -> None:
    """Judge, at END GAME, every rule that START GAME has not checked, and every choice with the bet that goes with it.

    In a void hand or round only the bets that were settled before are judged: all others go back.
    """
    void = outcome != "complete"
    for number, bets in round_.staked.items():
        if number not in round_.active and not void:  # its entering bet was taken back while bets were still open
            _judge_alone(round_, seen, number, bets, round_.plan.law.at_start)
    if not void:
        hold_passed_by(round_, outcome)
    for number in round_.active:
        if number in round_.dead or void:
            _judge_settled(round_, seen, number, outcome)
            continue
        left: Rules = "end" if number in round_.judged else "all"  # START GAME has answered the others
        if not _bets_as_it_should(round_, number, left):
            _judge_seat(round_, seen, number, left)


def _judge_seat(round_: Round, seen: Seen, number: int, left: Rules) -> None:
    if round_.plan.taken_back:
        _put_back(round_, seen, number)
    bets = stakes(round_, number)
    _judge(round_, seen, number, bets, _breaches(round_, number, bets, left))
    if number in round_.propositions:
        _judge_propositions(round_, seen, number)
    if number not in round_.passed_by:
        _agree(round_, seen, number)
    if number in round_.held:
        _judge_tips(round_, seen, number, bets)


def _bets_as_it_should(round_: Round, number: int, which: Rules) -> bool:
    """Return True if nothing can be wrong with a seat's bets, which is so for nearly all seats. Cached by the bets."""
    apart = number in round_.held or number in round_.blind or number in round_.propositions
    if apart or number in round_.passed_by or round_.plan.taken_back or number not in round_.wagers:
        return False
    wagers = staked = (*round_.wagers[number].items(),)
    if which != "start":  # at START GAME both are the same
        staked = (*round_.staked[number].items(),) if number in round_.staked else ()
    made = (*round_.choices[number].values(),) if number in round_.choices else ()
    return _in_order(round_.plan, which, staked, wagers, made)


@lru_cache(maxsize=1024)
def _in_order(
    plan: Plan,
    which: Rules,
    staked: tuple[tuple[str, int], ...],
    wagers: tuple[tuple[str, int], ...],
    made: tuple[str, ...],
) -> bool:
    """Return True if bets with these amounts at START GAME and now break no rule and agree with the choices made."""
    bets, lie = _as_made(plan, dict(staked), dict(wagers)), dict(wagers)
    return (
        not _breaches_of(plan, which, frozenset(bets.items()), frozenset(made))
        and plan.tips.keys().isdisjoint((*lie, *bets))
        and (_wanted(plan, made) ^ lie.keys()).isdisjoint(plan.by_decision)
    )


def lone_bets(round_: Round, number: int) -> frozenset[str]:
    """Return the bets of a seat that should form a pot and do not: too few seats placed one that may be in it."""
    if not round_.plan.pots:
        return frozenset()
    placed = round_.staked.get(number, {})
    return frozenset(
        bet
        for bet, least in round_.plan.pots.items()
        if bet in placed and _in_pot(round_, number, bet) and _pot_of(round_, bet) < least
    )


def _pot_of(round_: Round, bet: str) -> int:
    """Return the number of seats whose bet of this name is in the pot."""
    return sum(_in_pot(round_, number, bet) for number in round_.active)


def _in_pot(round_: Round, number: int, bet: str) -> bool:
    """Return False for a wager that is held, unless the seat never chose: its wager was placed in order."""
    held = bet in round_.held.get(number, {}) and number not in round_.passed_by
    return bet in round_.staked.get(number, {}) and number in round_.active and not held


def _judge_settled(round_: Round, seen: Seen, number: int, outcome: Outcome) -> None:
    over = settled_bets(round_, number, outcome)
    if not over:
        return
    settled = {bet: cents for bet, cents in stakes(round_, number).items() if bet in over}
    every = _breaches(round_, number, settled, "all")
    _judge(round_, seen, number, settled, [breach for breach in every if breach.rule.named <= settled.keys()])


def stakes(round_: Round, number: int) -> dict[str, int]:
    """Return the bets of a seat as they were made: those before the deal as at START GAME, the others as they are
    now."""
    return _as_made(round_.plan, round_.staked.get(number, {}), round_.wagers.get(number, {}))


def _as_made(plan: Plan, staked: dict[str, int], wagers: Mapping[str, int]) -> dict[str, int]:
    return staked | {name: cents for name, cents in wagers.items() if name not in plan.before_deal}


def held_of(round_: Round, number: int, returned: Mapping[str, int]) -> dict[str, str]:
    """Return the bets of a seat that are held at the end, with the clause of each.

    Bets that went back meanwhile, or go back for how the round ended, are not held.
    """
    wagers, staked, held = round_.wagers.get(number, {}), round_.staked.get(number, {}), round_.held[number]
    return {bet: clause for bet, clause in held.items() if bet not in returned and (bet in wagers or bet not in staked)}


# ------------------------------------------------------------------ rules


def _judge(round_: Round, seen: Seen, number: int, bets: Mapping[str, int], breaches: Iterable[Breach]) -> None:
    for breach in breaches:
        round_.report(_incident(number, breach), seen)
        hold(round_, number, breach.bets, breach.rule.clause)
    _judge_tips(round_, seen, number, bets)


def _breaches(round_: Round, number: int, bets: Mapping[str, int], which: Rules) -> tuple[Breach, ...]:
    """Return the breaches of the rules by these bets of a seat, for the rules that apply to its choices."""
    made = frozenset(round_.choices[number].values()) if number in round_.choices else frozenset[str]()
    found, stake = _breaches_of(round_.plan, which, frozenset(bets.items()), made), round_.betting.stakes.get(number)
    return tuple(breach for breach in found if not round_.plan.law.is_all_in(breach, bets, stake)) if stake else found


@lru_cache(maxsize=1024)  # hits are frequent: seats bet alike, and as in the round before
def _breaches_of(
    plan: Plan, which: Rules, bets: frozenset[tuple[str, int]], made: frozenset[str]
) -> tuple[Breach, ...]:
    rules = {"start": plan.law.at_start, "end": plan.law.at_end, "all": plan.rules}[which]
    wagers = dict(bets)
    found = (rule.breach(wagers) for rule in rules if rule.choice is None or rule.choice in made)
    return tuple(breach for breach in found if breach is not None)


def _incident(number: int, breach: Breach) -> Incident:
    rule = breach.rule
    beside = rule.kind in (*BESIDE, "tip-alone")
    together = rule.kind in ("total-over", "total-under")
    return Incident(
        code="wager-held",
        clause=rule.clause,
        reason=rule.kind,
        seat=number,
        bet=None if together else rule.bets[0],
        bets=breach.bets if together else rule.others if beside else (),
        cents=breach.cents,
        wanted=None if beside else breach.wanted,
    )


def _judge_tips(round_: Round, seen: Seen, number: int, bets: Mapping[str, int]) -> None:
    """Hold a tip whose bet is held, or was taken back without the tip."""
    tips, wagers = round_.plan.tips, round_.wagers.get(number, {})
    if tips.keys().isdisjoint((*wagers, *bets)):
        return
    for tip, own in tips.items():
        if tip in wagers and own in bets and own not in wagers and not round_.over:
            _hold_tip(round_, seen, number, tip, "tip-alone", _clause_of(round_, tip), (own,), wagers[tip])
    for tip, own in tips.items():
        held = round_.held.get(number, {})
        if own in held and tip in bets:
            _hold_tip(round_, seen, number, tip, "tip-held", held[own], (own,), bets[tip])


def _hold_tip(
    round_: Round, seen: Seen, number: int, tip: str, reason: str, clause: str, beside: tuple[str, ...], cents: int
) -> None:
    """Hold a tip of `cents` that lacks the bet it goes with; only once."""
    if tip in round_.held.get(number, {}):
        return
    found = Incident(code="wager-held", clause=clause, reason=reason, seat=number, bet=tip, bets=beside, cents=cents)
    round_.report(found, seen)
    hold(round_, number, (tip,), clause)


def _judge_propositions(round_: Round, seen: Seen, number: int) -> None:
    """Check that a spot's wager equals the sum of its propositions, and that a tip is on propositions of its player's
    wager.

    The second is checked only if it is known which propositions those are.
    """
    on = round_.propositions.get(number, {})
    for breach in round_.plan.law.of_propositions(on):
        if breach.bets[0] not in round_.held.get(number, {}):
            round_.report(_incident(number, breach), seen)
            hold(round_, number, breach.bets, breach.rule.clause)
    for tip, alone, clause in round_.plan.law.lone_tips(on):
        _hold_tip(round_, seen, number, tip, "tip-alone", clause, alone, round_.wagers.get(number, {}).get(tip, 0))


def _clause_of(round_: Round, bet: str) -> str:
    return next(each.clause for each in round_.plan.bets.values() if each.name == bet)


def _judge_alone(round_: Round, seen: Seen, number: int, bets: Mapping[str, int], rules: Iterable[BetRule]) -> None:
    """Hold the bets of a seat that gets no cards, each by the rule that says what it lacks, or else the rule of the
    deal."""
    entering = next((bet.name for bet in round_.plan.bets.values() if bet.enters), None)
    lacks = {
        bet: rule.clause
        for rule in rules
        if rule.kind in ALONE and (breach := rule.breach(bets))
        for bet in breach.bets
    }
    clauses = [*lacks.values(), round_.plan.entry_clause]
    alone = Incident(code="side-bet-alone", clause=clauses[0], seat=number, bets=tuple(bets), bet=entering)
    round_.report(alone, seen)
    for bet in bets:
        hold(round_, number, (bet,), lacks.get(bet, round_.plan.entry_clause))


# ------------------------------------------------------------------ choices


def _agree(round_: Round, seen: Seen, number: int) -> None:
    """Check that every choice has the bet that goes with it, and no other; a bet taken back must be gone.

    If a bet is missing without which the choice cannot be made, it is unknown whether the hand is played: all bets of
    the seat are held.
    """
    plan, wagers = round_.plan, round_.wagers[number]
    names = [*round_.choices[number].values()] if number in round_.choices else []
    back = {plan.choices[name].takes_back for name in names} if plan.taken_back else set()
    wanted = _wanted(plan, names) - back
    if round_.folded(number):  # a bet placed in the blind is lost with the hand
        wanted |= round_.blind.get(number, set()) & wagers.keys()
    concerned = plan.by_decision | back
    if (wanted ^ wagers.keys()).isdisjoint(concerned):
        return
    made = [plan.choices[name] for name in names]
    for bet in plan.bets.values():
        name = bet.name
        if name not in concerned or (name in wanted) == (name in wagers):
            continue
        missing = name in wanted
        clause = next((choice.clause for choice in made if missing and name in choice.stakes), bet.clause)
        _differs(round_, seen, number, name, "bet-missing" if missing else "bet-left", clause)
        if not missing:
            hold(round_, number, (name,), clause)
        elif _is_none_without(round_, number, name):
            hold(round_, number, wagers, clause)


def _differs(round_: Round, seen: Seen, number: int, bet: str, reason: str, clause: str) -> None:
    """Report a bet that is missing, or was left, given the choices of a seat."""
    made = (*round_.choices.get(number, {}).values(),)
    found = Incident(code="decision-bet-differs", clause=clause, reason=reason, seat=number, choices=made, bet=bet)
    round_.report(found, seen)


def _wanted(plan: Plan, names: Iterable[str]) -> set[str]:
    """Return the bets that must go with these choices."""
    return {bet for name in names if name in plan.staked for bet in plan.staked[name]}


def _put_back(round_: Round, seen: Seen, number: int) -> None:
    """Restore and hold a bet that is gone as if a choice had taken it back, if the seat made no such choice."""
    plan, wagers, staked = round_.plan, round_.wagers[number], round_.staked.get(number, {})
    made = [plan.choices[name] for name in round_.choices.get(number, {}).values()]
    may = plan.taken_back - {choice.takes_back for choice in made}
    for bet in plan.bets.values():
        own = plan.tips.get(bet.name, bet.name)
        if own not in may or bet.name in wagers or bet.name not in staked:
            continue
        _differs(round_, seen, number, bet.name, "bet-missing", bet.clause)
        wagers[bet.name] = staked[bet.name]
        hold(round_, number, (bet.name,), bet.clause)


def _is_none_without(round_: Round, number: int, bet: str) -> bool:
    """Return True if the choice that this bet goes with is impossible without it.

    It is if the seat chose it instead of folding, then or, if no other choice follows, later; or if the step offers no
    choice that keeps the cards without a bet.
    """
    plan = round_.plan
    for name, made in round_.choices.get(number, {}).items():
        choice = plan.choices[made]
        if bet in choice.stakes:
            steps = plan.steps[plan.order[name] :][: None if choice.last else 1]
            decides = [step for step in steps if isinstance(step, DecideStep)]
            offered = {each for step in decides for each in step.choices}
            kept = any(_keeps_all(plan, each) for step in decides[:1] for each in step.choices)
            return not plan.folds.isdisjoint(offered) or not kept
    return False


def _keeps_all(plan: Plan, name: str) -> bool:
    """Return True for a choice that changes nothing: no bet, no card laid down."""
    choice = plan.choices[name]
    return not (choice.stakes or choice.discards or choice.lays_aside or name in plan.folds)
