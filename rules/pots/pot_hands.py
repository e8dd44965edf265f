"""Winners of a pot by the cards: the best high hand, the best low hand, or each half of it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from dealer_flow.record.result import Seat
from rules.bets.hold import Hold
from rules.facts.seen import View
from rules.game.pot_spec import PotHand, PotSpec
from rules.hands import Ranked
from rules.pots.shares import OddChipOpen, halves, shared, three_quarters, together
from rules.settlement import WonWith


class Share(NamedTuple):
    """A seat's share of a pot in cents, how it won, the clause, and the facts in words."""

    cents: int
    won_with: WonWith
    clause: str
    facts: str


Shares = dict[int, Share]

_NOBODY: Final[Mapping[int, Ranked]] = {}


def by_the_cards(view: View, seats: Sequence[Seat], cents: int, spec: PotSpec) -> Shares | Hold:
    """Return the shares of `cents` among these seats, whose hands were shown."""
    high = _best(view, seats, spec.high) if spec.high is not None else _NOBODY
    low = _best(view, seats, spec.low) if spec.low is not None else _NOBODY
    if isinstance(high, Hold):
        return high
    if isinstance(low, Hold):
        return low
    if not high and (spec.high is not None or not low):
        clause = (spec.high or spec.low or PotHand(clause="")).clause
        return Hold("no hand qualifies, and the regulation does not say what happens to the pot", clause)
    try:
        return _divided(view, high, low, cents, spec)
    except OddChipOpen:
        why = "an odd chip goes to the left of the button, and the position of the button is not known"
        return Hold(why, spec.clauses.odd_chip)


def words_of(view: View, seat: Seat, spec: PotSpec) -> str:
    """Describe a seat's hand for each way to win; empty if unknown."""
    ways = ((way, which) for way, which in ((spec.high, "high"), (spec.low, "low")) if way is not None)
    hands = [(view.hand(way.hand, seat), which) for way, which in ways]
    both = len(hands) > 1
    return " and ".join(
        f"{hand.text} for {which}" if both else hand.text for hand, which in hands if not isinstance(hand, str)
    )


def words_by_way(view: View, seat: Seat, spec: PotSpec) -> dict[WonWith, str]:
    """Return a seat's hand as text for each way to win a pot, `high` and `low`. Unknown hands are left out."""
    ways: tuple[tuple[WonWith, PotHand | None], ...] = (("high", spec.high), ("low", spec.low))
    hands = {name: view.hand(way.hand, seat) for name, way in ways if way is not None}
    return {name: hand.text for name, hand in hands.items() if not isinstance(hand, str)}


def _best(view: View, seats: Sequence[Seat], way: PotHand) -> dict[int, Ranked] | Hold:
    """Return the best qualifying hands by seat, in the order of the seats; empty if none qualifies."""
    hands: dict[int, Ranked] = {}
    least = next((each for each in way.qualified if each.holds(view.terms.readings)), None)
    for seat in seats:
        hand = view.hand(way.hand, seat)
        if isinstance(hand, str):
            return Hold(f"seat {seat.seat} could win it: {hand}", way.clause)
        qualifier = view.terms.game.spec.qualifiers[least.qualifier] if least is not None else None
        if qualifier is None or view.terms.reaches(way.hand, hand, qualifier.at_least):
            hands[seat.seat] = hand
    best = max((hand.strength for hand in hands.values()), default=None)
    return {seat: hand for seat, hand in hands.items() if hand.strength == best}


def _divided(view: View, high: Mapping[int, Ranked], low: Mapping[int, Ranked], cents: int, spec: PotSpec) -> Shares:
    """Return each winner's share; if both ways are won, the high half gets the odd chip."""
    unit = view.terms.unit_cents
    after = view.result.button if spec.odd_chips == "button-left" else 0
    high_cents, low_cents = halves(cents, unit) if high and low else (cents, 0) if high else (0, cents)
    if high and len(low) > 1 and view.terms.readings.get("odd-chip-low") == "high-hand":
        low_cents = _even(low_cents, 2 * (len(low) - 1) if _alone(view, low, high) else len(low), unit)
        high_cents = cents - low_cents
    high_parts = _divide_half(view, high, low, high_cents, unit, after)
    low_parts = _divide_half(view, low, high, low_cents, unit, after)
    parts = together(high_parts, low_parts)
    odd = _is_odd(high_parts) or _is_odd(low_parts) or (len(parts) > 1 and high and low and high_cents != low_cents)
    halves_won: tuple[tuple[WonWith, Mapping[int, Ranked]], ...] = (("high", high), ("low", low))
    found: Shares = {}
    for seat, part in sorted(parts.items()):
        won = {way: hands for way, hands in halves_won if seat in hands}
        facts = " and ".join(f"{hands[seat].text}{_half_name(way, spec)}" for way, hands in won.items())
        tied = [len(hands) > 1 for hands in won.values()]
        clauses = [*_ways(spec, won, len(parts)), *([spec.clauses.tie] if any(tied) else [])]
        clauses += [spec.clauses.quarters] if len(won) > 1 and any(tied) and not all(tied) else []
        clauses += [spec.clauses.no_low] if spec.low is not None and high and not low else []
        clauses += [spec.clauses.odd_chip] if odd else []
        clause = ", ".join(dict.fromkeys(filter(None, clauses)))
        found[seat] = Share(part, "both" if len(won) > 1 else next(iter(won)), clause, facts + ", tied" * any(tied))
    return found


def _ways(spec: PotSpec, won: Mapping[WonWith, object], winners: int) -> Iterator[str]:
    """Yield the clauses by which a seat wins its share."""
    if spec.high is not None and "high" in won:
        yield spec.high.clause
    if spec.low is not None and "low" in won:
        yield spec.low.clause
    if len(won) > 1 and winners == 1:
        yield spec.clauses.both


def _half_name(which: WonWith, spec: PotSpec) -> str:
    """Name the half that a hand wins, if there are two."""
    return f" for {which}" if spec.high is not None and spec.low is not None else ""


def _is_odd(parts: Mapping[int, int]) -> bool:
    """Return True if the shares differ by an odd chip."""
    return len(set(parts.values())) > 1


def _divide_half(
    view: View, hands: Mapping[int, Ranked], others: Mapping[int, Ranked], cents: int, unit: int, after: int | None
) -> dict[int, int]:
    """Divide a half of a pot, or all of it, among the hands that tie for it."""
    if not hands:
        return {}
    if alone := _alone(view, hands, others):
        return three_quarters(cents, alone, [*hands], unit, after)
    return shared(cents, [*hands], unit, after)


def _alone(view: View, hands: Mapping[int, Ranked], others: Mapping[int, Ranked]) -> int:
    """Return the seat that wins the other half alone, ties for this one and has half of it; 0 if there is none."""
    alone = next(iter(others)) if len(others) == 1 else 0
    tied = alone in hands and len(hands) > 1 and view.terms.readings.get("hi-lo-ties") == "three-quarters"
    return alone if tied else 0


def _even(cents: int, parts: int, unit: int) -> int:
    """Return what can be divided in so many equal parts of whole tokens."""
    return cents // unit // parts * parts * unit
