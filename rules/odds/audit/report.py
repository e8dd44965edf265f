"""Audit of printed pay tables by computing their odds. It settles nothing; it only reports.

Each table is checked on its own (its return, the order of its rows, its printed figures) and against the other tables
of its bet (`rules.odds.audit.sisters`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from rules.bets.bet import Bet
from rules.game.load import Game
from rules.odds.audit.findings import ExplainedFault, PaytableFinding
from rules.odds.audit.proposals import LEAST, Counts, PayReckoner, nearest
from rules.odds.audit.sisters import are_sisters, not_scaled, number_lost, out_of_line, out_of_order, same_pays
from rules.odds.compute import by_cards_alone, key_counts, odds
from rules.odds.question import Question
from rules.odds.returns import NotComputed, Odds, percent
from rules.odds.solvers import answers_for
from rules.paytables.paytable import PayTable

_UNORDERED: Final = frozenset({"race", "points", "identical", "card"})
"""Kinds of table whose rows are separate bets, or are not ordered from the best hand down."""
_ELSEWHERE: Final = "only under this reading; under another the table is sound"
_MENDED: Final = frozenset(
    {"over-100", "under-50", "row-out-of-order", "envy-out-of-order", "out-of-line", "row-missing", "table-stops"}
)
"""Faults that a different table would fix."""

Found = Odds | NotComputed | PaytableFinding


def audit(games: Iterable[Game], question: Question | None = None) -> Iterator[Found]:
    """Yield the odds of every bet of `games` and, after those of a bet, the findings about its tables.

    Every reading is tried, except for bets that a solver counts: those are tried only under the game's defaults,
    because they take long. Bets that are decided together are tested together. `question` says how to count; its game
    and readings are ignored.
    """
    for game in games:
        each_game = replace(question, game=game, readings={}) if question else Question(game)
        seen: set[object] = set()
        together = [bet.name for bet in answers_for(game)]
        for bet in game.bets.values():
            if not bet.tip_for and bet.name not in together:
                yield from _without_repeats(_audit_bet(each_game, bet, [*odds(each_game, bet.name)]), seen)
        if together:
            taken = replace(each_game, readings=game.default_readings())
            yield from _without_repeats(_audit_together(each_game, [*odds(taken, "", of=together)]), seen)


def _without_repeats(found: Iterable[Found], seen: set[object]) -> Iterator[Found]:
    """Yield each finding once, for tables that serve several bets."""
    for each in found:
        if isinstance(each, PaytableFinding):
            key = each.paytable, each.fault, each.why, tuple(each.reading.items())
            if key in seen:
                continue
            seen.add(key)
        yield each


def _audit_bet(question: Question, bet: Bet, found: Sequence[Odds | NotComputed]) -> Iterator[Found]:
    """Audit an independent bet and all its tables."""
    yield from found
    for table in question.tables(bet):
        counted = [each for each in found if isinstance(each, Odds) and each.paytable == table.id]
        printed = [*_printed(question, bet, table)]
        if not counted:
            yield from _findings(question, bet, table, None, printed)
        computed = [[*_computed(question.game, bet, table, each)] for each in counted]
        sound = not all(computed)
        for number, (each, slips) in enumerate(zip(counted, computed, strict=True)):
            shown = replace(each, suspect=each.suspect or _ELSEWHERE) if slips and sound else each
            yield from _findings(question, bet, table, shown, slips, mend=not number)
            yield from _findings(question, bet, table, each, () if number else printed)


def _audit_together(question: Question, found: Sequence[Odds | NotComputed]) -> Iterator[Found]:
    """Audit bets that are decided together: their returns together, each table's print separately."""
    game, seen = question.game, set[str]()
    for each in found:
        yield each
        if not isinstance(each, Odds):
            continue
        # One bet of a group may return more than its stake, such as an ante that is never folded; test them together.
        if "+" in each.bet and each.returned > 1:
            why = f"returns {percent(each.returned, 4)} % of the stake"
            yield PaytableFinding(game.id, each.bet, each.paytable, dict(each.reading), "over-100", why, each.suspect)
        bet = game.bets.get(each.bet)
        for name in (each.paytable or "").split("+") if bet else ():
            if bet and not bet.tip_for and name in game.paytables and name not in seen:
                seen.add(name)
                table = game.paytables[name]
                alone = bet.by_cards and not bet.meter_effects and all(outcome.staked == 1 for outcome in each.outcomes)
                computed = _computed(question.game, bet, table, each) if alone else _unreached(bet, table, each)
                yield from _findings(question, bet, table, each, [*computed, *_printed(question, bet, table)])


def _findings(
    question: Question,
    bet: Bet,
    table: PayTable,
    found: Odds | None,
    slips: Sequence[ExplainedFault],
    *,
    mend: bool = True,
) -> Iterator[PaytableFinding]:
    """Yield the findings of a table; `mend` adds a proposal. None is needed where only one of several readings is at
    fault."""
    proposal = None
    if mend and any(slip.fault in _MENDED for slip in slips) and table.kind not in _UNORDERED:
        known = found is not None and by_cards_alone(question, bet)
        counts: Counts | None = (
            key_counts(question, bet, found.reading, table.id) if found is not None and known else None
        )
        reckoner = PayReckoner(counts, bet.rows, question.wager_cents)
        proposal = nearest(table, _sisters(question.game, bet, table), reckoner)
    reading: Mapping[str, str] = found.reading if found is not None else {}
    suspect = found.suspect if found is not None else table.suspect
    for slip in slips:
        mended = proposal if slip.fault in _MENDED else None
        yield PaytableFinding(
            question.game.id, bet.name, table.id, dict(reading), slip.fault, slip.why, suspect, mended
        )


def _sisters(game: Game, bet: Bet, table: PayTable) -> list[PayTable]:
    return [each for name in bet.paytables if are_sisters(table, each := game.paytables[name])]


def _computed(game: Game, bet: Bet, table: PayTable, found: Odds) -> Iterator[ExplainedFault]:
    """Yield the faults that the odds show. A bet that depends on another one is not tested by its own return."""
    dependent = bool(bet.on) or (game.law is not None and game.law.equal_to(bet.name) is not None)
    if found.returned > 1 and not dependent:
        yield ExplainedFault("over-100", f"returns {percent(found.returned, 4)} % of the stake")
    if found.returned < LEAST and not (found.incomplete or dependent):
        yield ExplainedFault("under-50", f"returns {percent(found.returned, 4)} % of the stake")
    if table.printed is not None:
        edge, back = table.printed.house_edge_pct, table.printed.return_pct
        if not _agrees(found.house_edge, edge):
            yield ExplainedFault("printed-differs", f"prints {edge} %, computes {percent(found.house_edge, 6)} %")
        if back is not None and not _agrees(found.returned, back):
            yield ExplainedFault(
                "printed-differs", f"prints a return of {back} %, computes {percent(found.returned, 6)} %"
            )
    yield from _unreached(bet, table, found)


def _unreached(bet: Bet, table: PayTable, found: Odds) -> Iterator[ExplainedFault]:
    if table.kind in _UNORDERED:  # the rows are separate bets, counted under other readings
        return
    reached = {outcome.row for outcome in found.outcomes if outcome.probability}
    for row in table.rows:
        if reached and row.when not in reached and (not bet.rows or row.when in bet.rows):
            yield ExplainedFault("unreachable-row", f"the row {row.when!r} pays no hand")


def _printed(question: Question, bet: Bet, table: PayTable) -> Iterator[ExplainedFault]:
    """Yield the faults of the print itself and compared with its sisters."""
    if table.kind in _UNORDERED:
        return
    game, sisters = question.game, _sisters(question.game, bet, table)
    yield from out_of_order(table)
    for beside in (out_of_line, not_scaled, number_lost):
        yield from beside(table, sisters)
    for sister in sisters:
        if bet.paytables.index(sister.id) < bet.paytables.index(table.id) and _is_twice(game, table, sister):
            yield ExplainedFault("two-numbers", f"pays what {sister.label or sister.id} pays, row for row")


def _is_twice(game: Game, table: PayTable, sister: PayTable) -> bool:
    """Return True if two schedules are the same in every bet that has a table of both."""
    pairs = [(table, sister)]
    for bet in game.bets.values():
        own, other = (
            next((game.paytables[name] for name in bet.paytables if game.paytables[name].label == label), None)
            for label in (table.label, sister.label)
        )
        if own and other and table.label and own is not other:
            pairs.append((own, other))
    return all(same_pays(own, other) for own, other in pairs)


def _agrees(exact: Fraction, printed: str) -> bool:
    """Return True if the exact figure, rounded to the printed digits, is the printed one."""
    places = len(printed.partition(".")[2])
    return abs(exact * 100 - Fraction(printed)) * 2 <= Fraction(1, 10**places)
