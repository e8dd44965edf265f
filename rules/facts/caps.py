"""Maximum payouts: the house's limits for a round, a player or a tip, and the cuts they make.

Colorado 47.1-1062: only bets paid at 50 to 1 or more are cut, never a progressive or a bonus bet, and never below the
minimum bet at the table times the highest odds. Two sections have their own wording (47.1-1017.10(11), .14(15)).
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from msgspec.structs import replace

from dealer_flow.english import dollars
from rules.errors import SettlementRefused
from rules.game.load import Game
from rules.game.schema import MaximumRule
from rules.paytables.paytable import PaidRow
from rules.settlement import MaximumPayout, SettlementLine, make_line

LEAST_ODDS: Final = 50
"""Lowest odds, to 1, that a maximum may cut."""


def agree_maximum(game: Game, maximum: MaximumPayout | None, paytables: Mapping[str, str]) -> MaximumPayout | None:
    """Return the maximum after checking it against the regulation; raise SettlementRefused with the allowed values."""
    if maximum is None or maximum == MaximumPayout():
        return None
    rule = game.spec.maximum
    if rule is None:
        raise SettlementRefused("maximum payout", game.id, ["none in this game"])
    if maximum.tip_cents is not None and not rule.tips:
        raise SettlementRefused("maximum tip payout", dollars(maximum.tip_cents), [f"none in {game.id}"])
    if maximum.round_cents is None and maximum.player_cents is None:
        return maximum
    if maximum.least_bet_cents is None:
        bounds = [f"with the minimum bet at the table (--least-bet), on which {rule.clause} bases the lowest maximum"]
        raise SettlementRefused("maximum payout", "without a minimum bet", bounds)
    least = int(_highest_odds(game, rule, paytables) * maximum.least_bet_cents)
    for what, cents in (("round", maximum.round_cents), ("player", maximum.player_cents)):
        if cents is not None and cents < least:
            allowed = f"{dollars(least)} or more, the minimum bet times the highest odds ({rule.clause})"
            raise SettlementRefused(f"maximum payout of a {what}", dollars(cents), [allowed])
    return maximum


def cut(
    lines: Sequence[SettlementLine], game: Game, maximum: MaximumPayout | None, paytables: Mapping[str, str], unit: int
) -> list[SettlementLine]:
    """Return the lines with their pays cut to the maximum: first each tip, then each player's lines together, then the
    round's.

    Several pays are cut in proportion; a leftover token goes to the first. If the cut depends on a held bet, these
    lines are held too.
    """
    rule = game.spec.maximum
    if maximum is None or rule is None:
        return list(lines)
    tips = {name: bet.tip_for for name, bet in game.bets.items() if bet.tip_for}
    found = list(lines)
    subject = [n for n, line in enumerate(found) if _may_be_cut(line, game, rule, tips)]
    if maximum.tip_cents is not None:
        for n in (n for n in subject if found[n].bet in tips):
            _cut_to_maximum(found, [n], maximum.tip_cents, "tip", rule, unit)
    own = [n for n in subject if found[n].bet not in tips]
    waiting = [line for line in found if line.result == "held" and line.bet in rule.bets]
    most = {line.bet: _most(line.bet, game, paytables) for line in waiting}
    if maximum.player_cents is not None:
        for seat in dict.fromkeys(found[n].seat for n in own):
            mine, open_ones = [n for n in own if found[n].seat == seat], [each for each in waiting if each.seat == seat]
            if not _hold_dependent_cuts(found, mine, open_ones, most, maximum.player_cents, "player", rule):
                _cut_to_maximum(found, mine, maximum.player_cents, "player", rule, unit)
    winners = {line.seat for line in lines if line.result == "win" and line.bet in rule.bets}
    may_win = winners | {line.seat for line in waiting}
    if maximum.round_cents is not None and len(may_win) >= rule.winners:
        # Lines held by the player's maximum just above count as waiting for the round's maximum too.
        waiting += [found[n] for n in own if found[n].result == "held"]
        most |= {line.bet: _most(line.bet, game, paytables) for line in waiting}
        paid, sure = [n for n in own if found[n].result == "win"], len(winners) >= rule.winners
        if not _hold_dependent_cuts(found, paid, waiting, most, maximum.round_cents, "round", rule, sure=sure) and sure:
            _cut_to_maximum(found, paid, maximum.round_cents, "round", rule, unit)
    return found


def _hold_dependent_cuts(
    lines: list[SettlementLine],
    which: Sequence[int],
    waiting: Sequence[SettlementLine],
    most: Mapping[str, Fraction],
    cents: int,
    of: str,
    rule: MaximumRule,
    *,
    sure: bool = True,
) -> bool:
    """Hold the lines whose cut depends on `waiting` bets; return False if no cut does.

    `most` is the highest odds, to 1, that each waiting bet could pay. `sure`: the total of the lines is cut regardless
    of these bets.
    """
    more = sum(line.stake * most[line.bet] for line in waiting)
    if not waiting or (sure and not more) or sum(lines[n].pay for n in which) + more <= cents:
        return False
    one = f"{waiting[0].bet} of seat {waiting[0].seat}"
    for n in which:
        line = lines[n]
        why = (
            f"{line.why}; the maximum payout of a {of} is {dollars(cents)}, and the cut depends on {one}, which is held"
        )
        lines[n] = make_line(line.seat, line.bet, line.stake, "held", why, f"{line.clause}, {rule.clause}")
    return True


def _most(bet: str, game: Game, paytables: Mapping[str, str]) -> Fraction:
    """Return the highest odds, to 1, that a bet can pay and that a maximum may cut; 0 if there are none."""
    odds = [Fraction(amount) for amount in _odds(bet, game, paytables) if amount >= LEAST_ODDS]
    return max(odds, default=Fraction(0))


def _odds(bet: str, game: Game, paytables: Mapping[str, str]) -> Iterator[Fraction]:
    """Yield the odds, to 1, that a bet can pay by the pay table chosen."""
    if bet in game.fixed:
        yield game.fixed[bet].pay.amount
    table = game.paytables.get(paytables.get(game.bets[bet].chosen_with, ""))
    yield from (row.pays.amount for row in table.rows if row.pays.unit in ("to", "for", "bare")) if table else ()


def _highest_odds(game: Game, rule: MaximumRule, paytables: Mapping[str, str]) -> Fraction:
    """Return the highest odds, to 1, of the rule's bets by the pay tables chosen."""
    return max(amount for bet in rule.bets for amount in _odds(bet, game, paytables))


def _may_be_cut(line: SettlementLine, game: Game, rule: MaximumRule, tips: Mapping[str, str]) -> bool:
    if line.result != "win" or tips.get(line.bet, line.bet) not in rule.bets:
        return False
    row = _row(line, game)
    return row is not None and row.pay.unit in ("to", "for") and row.pay.amount >= LEAST_ODDS


def _row(line: SettlementLine, game: Game) -> PaidRow | None:
    """Return the row that pays a line."""
    if line.paytable is None:
        return game.fixed.get(line.bet)
    return game.paytables[line.paytable].row_of(line.row or "")


def _cut_to_maximum(
    lines: list[SettlementLine], which: Sequence[int], most: int, of: str, rule: MaximumRule, unit: int
) -> None:
    """Cut the pays of these lines to `most` in total."""
    total = sum(lines[n].pay for n in which)
    if total <= most:
        return
    for n, pay in zip(which, _shares([lines[n].pay for n in which], most, unit), strict=True):
        line = lines[n]
        why = f"{line.why}; cut by {dollars(line.pay - pay)} to the maximum payout of a {of}, {dollars(most)}"
        clause = f"{line.clause}, {rule.clause}"
        lines[n] = replace(
            line, pay=pay, cut=line.cut + line.pay - pay, net=line.net - line.pay + pay, why=why, clause=clause
        )


def _shares(pays: Sequence[int], most: int, unit: int) -> list[int]:
    """Divide `most` in proportion to the pays, in whole tokens, with no share above its pay."""
    total = sum(pays)
    shares = [pay * most // total // unit * unit for pay in pays]
    for n in _fill(pays, shares):
        more = min(unit, pays[n] - shares[n], most - sum(shares))
        shares[n] += max(more, 0)
    return shares


def _fill(pays: Sequence[int], shares: Sequence[int]) -> Iterator[int]:
    return (n for n in range(len(pays)) if shares[n] < pays[n])
