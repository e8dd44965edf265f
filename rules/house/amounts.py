"""Checks of the amounts that a house posts for a game: its structure, limits, blinds, antes and bring-in."""

from collections.abc import Iterator
from itertools import pairwise

from dealer_flow.english import dollars
from dealer_flow.procedure.betting import BettingPart
from dealer_flow.procedure.load import Procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.bet import BetStep
from protocol.tomlfile import Key
from rules.house.house import HouseRules
from rules.house.schema import HouseGamePart

Fault = tuple[Key, str]


def amount_faults(house: HouseRules, part: HouseGamePart, procedure: Procedure) -> Iterator[Fault]:
    """Yield the faults of a game's structure and amounts, each with its key within the game."""
    betting = procedure.betting
    if betting is None:
        for key, given in (
            ("structure", part.structure),
            ("sizes-cents", part.sizes_cents),
            ("forced-cents", part.forced_cents),
            ("bring-in-cents", part.bring_in_cents),
        ):
            if given:
                yield (key,), f"for games in which players bet against each other; {procedure.id} is against the house"
        yield from _least(part)
        yield from _tokens(house, part)
        return
    if part.structure is None:
        yield ("structure",), "missing; allowed: fixed, spread, pot, none"
        return
    yield from _structure(part, procedure, betting)
    yield from _blinds(part, betting)
    yield from _tokens(house, part)
    yield from _forced(part, procedure, betting, Plan(procedure, house.options(part, procedure)))


def _structure(part: HouseGamePart, procedure: Procedure, betting: BettingPart) -> Iterator[Fault]:
    limits = [most for most in (betting.most_bet, betting.most_raise) if most is not None]
    limit = min(limits, key=lambda each: each.cents, default=None)
    given = [*part.sizes_cents.items(), *([("most-bet-cents", part.most_bet_cents)] if part.most_bet_cents else [])]
    for name, cents in given:
        at: Key = ("sizes-cents", name) if name in part.sizes_cents else (name,)
        if limit is not None and cents > limit.cents:
            yield at, f"{dollars(cents)}; allowed: {dollars(limit.cents)} or less ({limit.clause})"
    if limit is not None and part.structure == "none":
        most = f"a bet and a raise are at most {dollars(limit.cents)} ({limit.clause})"
        yield ("structure",), f"'none'; {most}; allowed: fixed, spread, pot"
    if limit is not None and part.structure == "pot" and part.most_bet_cents is None:
        yield ("most-bet-cents",), f"missing; a pot may hold more than {dollars(limit.cents)} ({limit.clause})"
    yield from _sizes(part, procedure)


def _sizes(part: HouseGamePart, procedure: Procedure) -> Iterator[Fault]:
    rounds = [step.bet for step in procedure.step if isinstance(step, BetStep)]
    if part.structure == "fixed":
        for name in part.sizes_cents:
            if name not in rounds:
                yield ("sizes-cents", name), f"no such betting round; allowed: {', '.join(rounds)}"
        missing = [name for name in rounds if name not in part.sizes_cents]
        if missing:
            yield ("sizes-cents",), f"missing: the size of a bet for {', '.join(missing)}"
        for key, given in (("least-bet-cents", part.least_bet_cents), ("most-bet-cents", part.most_bet_cents)):
            if given is not None:
                yield (key,), "for another structure; fixed has sizes-cents"
        return
    if part.sizes_cents:
        yield ("sizes-cents",), f"for the structure fixed, not for {part.structure}"
    if part.least_bet_cents is None:
        yield ("least-bet-cents",), f"missing; the least bet of the structure {part.structure}"
    if part.structure == "spread" and part.most_bet_cents is None:
        yield ("most-bet-cents",), "missing; the most of one bet of the structure spread"
    yield from _least(part)


def _least(part: HouseGamePart) -> Iterator[Fault]:
    if (part.least_bet_cents or 0) > (part.most_bet_cents or part.least_bet_cents or 0):
        yield ("most-bet-cents",), f"{dollars(part.most_bet_cents or 0)} is less than the least bet"


def _blinds(part: HouseGamePart, betting: BettingPart) -> Iterator[Fault]:
    """Yield blinds and a bring-in beyond the most of a bet, which they are (47.1-1002(4)), or out of their order."""
    given: list[tuple[Key, int]] = [
        (("forced-cents", name), part.forced_cents[name])
        for name in (*betting.blinds, *betting.posts)
        if name in part.forced_cents
    ]
    given += [(("bring-in-cents",), part.bring_in_cents)] if part.bring_in_cents is not None else []
    limit = betting.most_bet
    for at, cents in given:
        if limit is not None and cents > limit.cents:
            yield at, f"{dollars(cents)}; allowed: {dollars(limit.cents)} or less ({limit.clause})"
    blinds = [name for name in betting.blinds if name in part.forced_cents]
    for before, after in pairwise(blinds):
        if part.forced_cents[after] < part.forced_cents[before]:
            least = dollars(part.forced_cents[before])
            why = f"{dollars(part.forced_cents[after])}; allowed: {least}, the {before}, or more"
            yield ("forced-cents", after), why
    full = min(part.sizes_cents.values(), default=part.least_bet_cents)
    if full is not None and part.bring_in_cents is not None and part.bring_in_cents > full:
        why = f"{dollars(part.bring_in_cents)}; allowed: {dollars(full)}, the least bet, or less"
        yield ("bring-in-cents",), why


def _tokens(house: HouseRules, part: HouseGamePart) -> Iterator[Fault]:
    """Yield the amounts that the smallest chip of the house cannot make."""
    token = house.spec.token_cents
    amounts: dict[Key, int | None] = {
        ("least-bet-cents",): part.least_bet_cents,
        ("most-bet-cents",): part.most_bet_cents,
        ("bring-in-cents",): part.bring_in_cents,
        **{("sizes-cents", name): cents for name, cents in part.sizes_cents.items()},
        **{("forced-cents", name): cents for name, cents in part.forced_cents.items()},
    }
    for key, cents in amounts.items():
        if cents is not None and cents % token:
            yield key, f"{dollars(cents)}; allowed: multiples of the smallest chip, {dollars(token)} (token-cents)"


def _forced(part: HouseGamePart, procedure: Procedure, betting: BettingPart, plan: Plan) -> Iterator[Fault]:
    there = {bet.name for bet in plan.bets.values()}
    named = (*betting.everybody, *betting.blinds, *betting.posts, *betting.dead)
    known = [name for name in named if name in there]
    for name in part.forced_cents:
        if name not in known:
            off = " unless the option ante is yes" if name in betting.everybody else ""
            why = f"no ante or blind of {procedure.id}{off}; allowed: {', '.join(known) or 'none'}"
            yield ("forced-cents", name), why
    for name in betting.everybody:
        if name in there and name not in part.forced_cents:
            yield ("forced-cents",), f"missing: the amount of the {name}, which every player puts up"
    options = [step.bring_in for step in plan.steps if isinstance(step, BetStep) and step.bring_in is not None]
    brings = any(plan.options[option] != "none" for option in options)
    if part.bring_in_cents is not None and not brings:
        off = f" unless the option {options[0]} says so" if options else ""
        yield ("bring-in-cents",), f"{procedure.id} has no bring-in{off}; leave it out"
    if part.bring_in_cents is None and brings:
        yield ("bring-in-cents",), f"missing: the amount of the bring-in, which the option {options[0]} asks for"
