"""Envy: a bettor's pay for another player's hand, once for each such hand and never for their own."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from rules.bets.bet import Bet, Holds, RoundFacts, TermFacts
from rules.bets.hold import Hold, fold_doubt_of
from rules.hands import Ranked
from rules.paytables.amounts import round_down
from rules.paytables.paytable import PaidRow
from rules.settlement import SettlementLine, make_line

ENVY = "envy"
"""Bet name of the lines that pay envy."""


@dataclass(slots=True)
class Envious:
    """A seat that earns envy by its own wager; `hold` if that wager breaks a rule."""

    seat: int
    stake: int
    hold: Hold | None = None


@dataclass(frozen=True, slots=True)
class EnvyHit:
    """A hand that pays envy to others, in words, and the row with the amount.

    `doubt` is the reason that it may pay nothing. `row` is None for an unknown hand that may be in a row.
    """

    seat: int
    hand: str
    row: PaidRow | None
    doubt: Hold | None = None


class _Shown(NamedTuple):
    """A known hand; `doubt` is the reason that it may not count."""

    seat: int
    hand: Ranked
    doubt: Hold | None


def once(lines: Iterable[SettlementLine]) -> list[SettlementLine]:
    """Return one line per seat, preferring a line that is paid over one that is held."""
    found: dict[int, SettlementLine] = {}
    for line in lines:
        if line.seat not in found or (found[line.seat].result == "held" and line.result != "held"):
            found[line.seat] = line
    return [*found.values()]


def hits(bet: Bet, bettors: Iterable[Seat], seats: Iterable[Seat], view: RoundFacts, holds: Holds) -> list[EnvyHit]:
    """Return the hands that earn others envy, or may earn it.

    Depending on the reading, they are the hands of seats that made the bet, or of all seats dealt in. `holds` gives the
    bets of a seat that are held, with the reasons.
    """
    anyone = view.terms.readings.get("envy-trigger") == "anyone"
    rule = bet.envy_rule
    names = rule.hands if rule is not None and rule.hands else (view.terms.agreed(bet).hand,)
    shown: list[_Shown] = []
    unread: list[tuple[Seat, str]] = []
    for seat in seats if anyone else bettors:
        made = seat.wagers.get(bet.name)
        hold = holds.get(seat.seat, {}).get(bet.name) if made else fold_doubt_of(seat.seat, holds)
        doubt = why_no_hit(hold, anyone=anyone) if hold is not None else None
        gave_up = seat.status == "folded" and bet.fold == "lose" and (hold is None or hold.fold is None)
        if seat.status not in ("live", "folded") or gave_up:
            continue
        for name in names:
            hand = view.hand(name, seat)
            if not isinstance(hand, str):
                shown.append(_Shown(seat.seat, hand, doubt))
            elif _is_dealt(name, seat, view):
                unread.append((seat, name))
    if rule is not None and rule.highest:
        return [*_highest_hand_hits(bet, shown, unread, view, view.hand(rule.board) if rule.board else "")]
    found = ((each, _row(bet, each.hand, view)) for each in shown)
    return [EnvyHit(each.seat, each.hand.text, row, each.doubt) for each, row in found if row is not None] + [
        EnvyHit(seat.seat, "hand", None, Hold(str(view.hand(name, seat)), bet.clauses.envy))
        for seat, name in unread
        if may_earn(bet, name, seat, view)
    ]


def why_no_hit(hold: Hold, *, anyone: bool) -> Hold | None:
    """Return the reason that a hand whose own bet is held may earn others nothing; with `anyone` dealt in, only a fold
    in doubt is one."""
    return hold.fold if anyone else hold


def may_earn(bet: Bet, name: str, seat: Seat, view: RoundFacts, above: Callable[[Ranked], bool] | None = None) -> bool:
    """Return True if an unknown hand could earn others envy and satisfies `above`."""
    if not any(row.envy_cents for row in view.terms.printed(bet)):
        return False
    return view.may_be(name, seat, lambda hand: _row(bet, hand, view) is not None and (above is None or above(hand)))


def _row(bet: Bet, hand: Ranked, view: RoundFacts) -> PaidRow | None:
    """Return the row of a hand that earns others envy; None if it earns none."""
    rows = view.terms.agreed(bet).rows
    row = rows[hand.key] if rows is not None else None
    return row if row is not None and row.envy_cents else None


def _is_dealt(name: str, seat: Seat, view: RoundFacts) -> bool:
    """Return True if the seat has such a hand at all: a hand that was not split has no second one."""
    return seat.split is not None or view.terms.game.spec.hands[name].part not in ("low", "rest")


def _highest_hand_hits(
    bet: Bet, shown: Sequence[_Shown], unread: Sequence[tuple[Seat, str]], view: RoundFacts, board: Ranked | str
) -> Iterator[EnvyHit]:
    """Yield the hits where only the highest hand earns envy.

    None counts if the board, which every player shares, is as high. A hand that is uncertain or unknown may be the
    highest, so the next one below it may be, too.
    """
    best = max((each.hand.strength for each in shown if each.doubt is None), default=None)

    def counts(hand: Ranked) -> bool:
        above = isinstance(board, str) or hand.strength > board.strength
        return above and (best is None or hand.strength >= best)

    high = [each for each in shown if counts(each.hand)]
    for each in high:
        row = _row(bet, each.hand, view)
        if row is not None:
            doubt = each.doubt or _higher(bet, each.hand, high, unread, view)
            yield EnvyHit(each.seat, each.hand.text, row, doubt)
    for seat, name in unread:
        if may_earn(bet, name, seat, view, counts):
            yield EnvyHit(seat.seat, "hand", None, Hold(str(view.hand(name, seat)), bet.clauses.envy))


def _higher(
    bet: Bet, hand: Ranked, high: Iterable[_Shown], unread: Iterable[tuple[Seat, str]], view: RoundFacts
) -> Hold | None:
    """Return the reason that a hand may not be the highest: an uncertain or unknown hand may be higher."""
    why = next((each.doubt.why for each in high if each.doubt and each.hand.strength > hand.strength), "")
    for seat, name in unread if not why else ():
        if view.may_be(name, seat, lambda other: other.strength > hand.strength):
            why = str(view.hand(name, seat))
            break
    return Hold(f"only the highest hand earns it: {why}", bet.clauses.envy) if why else None


def envy_of(bet: Bet, envious: Iterable[Envious], found: Sequence[EnvyHit], terms: TermFacts) -> list[SettlementLine]:
    """Return a line for each envious seat and each hit of another seat."""
    return [_line(bet, each, hit, terms) for each in envious for hit in found if hit.seat != each.seat]


def _line(bet: Bet, envious: Envious, hit: EnvyHit, terms: TermFacts) -> SettlementLine:
    facts, of = f"envy for the {hit.hand} of seat {hit.seat}", terms.agreed(bet)
    hold = envious.hold or hit.doubt
    if hold is not None:
        return make_line(envious.seat, ENVY, 0, "held", f"{facts}, but {hold.why}", hold.clause)
    assert hit.row is not None, "a hand that is not known is in doubt"
    base = of.envy_base
    cents, rest = round_down(hit.row.envy_cents * envious.stake, base, terms.unit_cents)
    why = f"{facts}: {dollars(hit.row.envy_cents)} for each {dollars(base)} of the wager"
    if bet.envy_rule is not None:  # a fixed amount, regardless of the wager
        cents, rest, why = hit.row.envy_cents, 0, f"{facts}: {dollars(hit.row.envy_cents)}"
    clause = bet.clauses.envy
    return make_line(
        envious.seat, ENVY, 0, "win", why, clause, pay=cents, paytable=of.paytable, row=hit.row.when, rest=rest
    )
