"""Checks on bets: their conditions, and rules that name unknown bets, contradict each other or can never be met."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from dealer_flow.procedure.bets import AMOUNTS, BESIDE, Amount, BetPart, MustPart, amount_of
from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.schema import Procedure
from protocol.tomlfile import Key


def bet_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield errors if no bet enters a seat, a bet's time does not exist, or what it depends on is missing."""
    entered = any(bet.enters and bet.placed == "before-deal" and bet.when is None for bet in procedure.bet)
    if not entered and procedure.betting is None:  # with [betting], a stake enters the seat instead
        yield ("bet",), "one bet placed before-deal must have enters = true"
    extra = procedure.shoe is not None and procedure.shoe.extra is not None
    for index, bet in enumerate(procedure.bet):
        if bet.enters_when is not None and (bet.enters or bet.placed != "before-deal"):
            yield ("bet", index, "enters-when"), "only for a bet placed before-deal that has no enters = true"
        if bet.pot is not None and bet.pot.least > 1 and bet.placed != "before-deal":
            yield ("bet", index, "pot"), "only for a bet placed before-deal: START GAME must know who has placed it"
        if bet.placed == "before-extra" and not extra:
            yield ("bet", index, "placed"), "there is no extra card: no [shoe.extra] table"
        if bet.until is not None:
            yield from _until_faults(procedure, ("bet", index, "until"), bet)


def _until_faults(procedure: Procedure, key: Key, bet: BetPart) -> Iterator[Complaint]:
    """Yield errors of `until`: the step must deal, and the bet must go with a choice."""
    deals = [step.name for step in procedure.step if step.deals]
    if bet.until not in deals:
        yield key, f"{bet.until!r} is not a step that deals; allowed: {', '.join(deals) or 'none'}"
    if bet.placed != "by-decision" or bet.tip_for is not None:
        yield key, "only for a bet placed by-decision that is not a tip: a tip is closed with its bet"


def rule_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield errors of rules that name unknown bets, contradict each other, or can never be met."""
    names, limit = {bet.name: bet for bet in procedure.bet}, procedure.limit
    for index, bet in enumerate(procedure.bet):
        for at, must in enumerate(bet.must):
            yield from _must_faults(("bet", index, "must", at), bet, must, names)
            with_it = [choice.name for choice in procedure.decision if bet.name in choice.stakes]
            if must.choice is not None and must.choice not in with_it:
                why = f"no choice {must.choice!r} that this bet goes with; allowed: {', '.join(with_it) or 'none'}"
                yield ("bet", index, "must", at, "choice"), why
        if bet.tip_for is not None:
            yield from _tip_faults(("bet", index), bet, names)
        if limit is not None and not bet.fee and not amount_of(limit.each_bet).bet:
            yield from _limit_faults(("bet", index, "must"), bet, amount_of(limit.each_bet))
    if limit is not None and amount_of(limit.each_bet).bet:
        yield ("limit", "each-bet"), "an amount in dollars"
    for index, total in enumerate(procedure.total):
        if (total.at_most is None) == (total.at_least is None):
            yield ("total", index), "give exactly one of 'at-most' and 'at-least'"
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
        yield (*key, kind), "$0 is not a bet"
    if kind == "exactly" and amount is not None and amount.bet:
        yield (*key, kind), "an amount in dollars; 'equal' compares with a bet"


def _limit_faults(key: Key, bet: BetPart, limit: Amount) -> Iterator[Complaint]:
    """Yield rules that allow or require more than the limit of every bet, under any reading."""
    for at, must in enumerate(bet.must):
        for kind, text in (("exactly", must.exactly), ("at-most", must.at_most), ("at-least", must.at_least)):
            if text is not None and not (own := amount_of(text)).bet and own.times > limit.times:
                why = f"{kind.replace('-', ' ')} {own.words()} is above the limit of {limit.words()}"
                yield (*key, at, kind), why


def _tip_faults(key: Key, bet: BetPart, names: Mapping[str, BetPart]) -> Iterator[Complaint]:
    own = names.get(bet.tip_for or "")
    if own is None or own.tip_for is not None:
        known = ", ".join(name for name, each in names.items() if each.tip_for is None)
        yield (*key, "tip-for"), f"no bet {bet.tip_for!r} of a player's own; allowed: {known}"
    elif bet.placed != own.placed:
        yield (*key, "placed"), f"must be {own.placed}, as the bet it is a tip for"
    if bet.enters or bet.enters_when:
        yield (*key, "enters"), "a tip does not enter a seat into the deal"


def _cycles(procedure: Procedure) -> Iterator[Complaint]:
    """Yield bets that need each other in a circle, and amounts that cannot be satisfied together."""
    needs = {bet.name: {name for must in bet.must if must.when is None for name in must.needs} for bet in procedure.bet}
    for index, bet in enumerate(procedure.bet):
        if bet.name in _reached(bet.name, needs):
            yield ("bet", index, "must"), f"{bet.name!r} needs bets that need it: none of them can be placed first"
    yield from dict.fromkeys(_amounts_around(procedure))


class _Equal(NamedTuple):
    """Rule at `key` that one bet is so many times another."""

    bet: str
    other: str
    times: Fraction
    key: Key


def _amounts_around(procedure: Procedure) -> Iterator[Complaint]:
    """Yield rules whose amounts contradict each other, among those of one reading and one choice and those that always
    apply."""
    rules = [
        (must.when, must.choice, _Equal(bet.name, amount.bet, Fraction(amount.times), ("bet", index, "must")))
        for index, bet in enumerate(procedure.bet)
        for must in bet.must
        if must.equal and (amount := amount_of(must.equal)).bet
    ]
    for when, choice in [(None, None), *((when, choice) for when, choice, _ in rules)]:
        equals = [equal for at, by, equal in rules if at in (None, when) and by in (None, choice)]
        for equal in equals:
            back = _times(equal, [other for other in equals if other != equal])
            if back is not None and back * equal.times != 1:
                bet = repr(equal.bet)
                why = f"{bet} is {equal.times} x {equal.other!r}, which is {back} x {bet}: no amounts satisfy both"
                yield equal.key, why


def _times(of: _Equal, equals: list[_Equal]) -> Fraction | None:
    """Return the factor between two bets that follows from all these rules; None if they give none."""
    known, waiting = {of.bet: Fraction(1)}, [of.bet]
    while waiting:
        name = waiting.pop()
        for bet, other, times, _ in equals:
            found = {other: known[name] / times} if bet == name else {bet: known[name] * times} if other == name else {}
            waiting += found.keys() - known.keys()
            known = found | known
    return known.get(of.other)


def _reached(start: str, needs: Mapping[str, set[str]]) -> set[str]:
    """Return every bet that this one needs, directly or through others."""
    found: set[str] = set()
    waiting = [*needs[start]]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += needs.get(name, ())
    return found


def betting_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Yield bets that the `[betting]` table names and that do not exist, and bets that require a `[betting]` table."""
    part = procedure.betting
    acted = {bet.name for bet in procedure.bet if bet.placed == "by-action"}
    if part is None:
        for index, bet in enumerate(procedure.bet):
            if bet.placed == "by-action":
                yield ("bet", index, "placed"), "missing: a [betting] table, which says how players act"
        return
    early = [bet.name for bet in procedure.bet if bet.placed == "before-deal"]
    named = {"blinds": part.blinds, "apart": part.apart, "everybody": part.everybody, "posts": part.posts}
    named["dead"] = part.dead
    for key, name in ((key, name) for key, names in named.items() for name in names):
        if name not in early:
            yield ("betting", key), f"no bet {name!r} placed before-deal; allowed: {', '.join(early) or 'none'}"
    for name in part.extra_blinds:
        if name not in part.blinds:
            yield ("betting", "extra-blinds"), f"no blind {name!r}; allowed: {', '.join(part.blinds) or 'none'}"
    limits = (("most-bet", part.most_bet), ("most-raise", part.most_raise), ("full-blind", part.full_blind))
    for key, most in limits:
        if most is not None and amount_of(most.amount).bet:
            yield ("betting", key, "amount"), "an amount in dollars"
    steps = [step for step in procedure.step if step.do == "bet"]
    for name in sorted(acted - {step.bet for step in steps}):
        yield ("bet",), f"no step of kind 'bet' puts chips into {name!r}"
