"""Envy: what a bettor gets for the hand of somebody else at the table, once for each such hand, never for his own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from protocol.cards import DECK, parse_card
from rules.bets.bet import Bet, RoundFacts, TermFacts
from rules.bets.hold import Hold
from rules.hands import Ranked
from rules.paytables.amounts import round_down
from rules.paytables.paytable import PaidRow
from rules.settlement import SettlementLine, make_line

ENVY = "envy"
"""Bet name of the lines that pay envy."""
_MOST_TRIED = 2
"""Of how many cards that nobody read every face is tried, of several decks; with more a hand may be any."""


@dataclass(slots=True)
class Envious:
    """Who gets envy by his own wager; `hold` when that wager breaks a rule."""

    seat: int
    stake: int
    hold: Hold | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A hand that others are paid for; `doubt`: why it may not be the highest, where only the highest earns envy."""

    seat: int
    hand: str
    row: PaidRow
    doubt: str = ""


def hits(bet: Bet, bettors: Iterable[Seat], seats: Iterable[Seat], view: RoundFacts) -> list[Hit]:
    """The hands that earn others envy: of those who made the bet, or of anyone dealt in, by the reading."""
    anyone = view.terms.readings.get("envy-trigger") == "anyone"
    rule = bet.envy_rule
    shown: list[tuple[Seat, Ranked]] = []
    unread: list[tuple[Seat, str]] = []
    for seat in seats if anyone else bettors:
        if seat.status not in ("live", "folded") or (seat.status == "folded" and bet.fold == "lose"):
            continue
        names = rule.hands if rule is not None and rule.hands else (view.terms.agreed(bet).hand,)
        for name in names:
            hand = view.hand(name, seat)
            if not isinstance(hand, str):
                shown.append((seat, hand))
            elif _is_dealt(name, seat, view):
                unread.append((seat, name))
    if rule is not None and rule.highest:
        shown = _highest(shown, view.hand(rule.board) if rule.board else "")
    rows = ((seat, hand, view.terms.rows(bet)[hand.key]) for seat, hand in shown)
    paid = [(seat, hand, row) for seat, hand, row in rows if row is not None and row.envy_cents]
    doubt = _who_may_be_higher(unread, paid[0][1], view) if paid and rule is not None and rule.highest else ""
    return [Hit(seat.seat, hand.text, row, doubt) for seat, hand, row in paid]


def _is_dealt(name: str, seat: Seat, view: RoundFacts) -> bool:
    """Whether the seat has such a hand at all: one that was not split has no second."""
    return seat.split is not None or view.terms.game.spec.hands[name].part not in ("low", "rest")


def _who_may_be_higher(unread: Iterable[tuple[Seat, str]], best: Ranked, view: RoundFacts) -> str:
    """What is not known of the first hand that would be higher than the best one if its cards had some faces."""
    for seat, name in unread:
        texts = view.texts(name, seat)
        known = [card for card in map(parse_card, texts) if card.is_playing]
        covered = len(texts) - len(known)
        faces = combinations_with_replacement(DECK, covered)
        most = covered > _MOST_TRIED or not texts
        if most or any(view.terms.rank(name, (*known, *each)).strength > best.strength for each in faces):
            return str(view.hand(name, seat))
    return ""


def _highest(shown: Sequence[tuple[Seat, Ranked]], board: Ranked | str) -> list[tuple[Seat, Ranked]]:
    """Those of the highest hand; none where the board is as high, which is everybody's."""
    best = max((hand.strength for _, hand in shown), default=None)
    if best is None or (not isinstance(board, str) and board.strength >= best):
        return []
    return [(seat, hand) for seat, hand in shown if hand.strength == best]


def envy_of(bet: Bet, envious: Iterable[Envious], found: Sequence[Hit], terms: TermFacts) -> list[SettlementLine]:
    """A line for each of them and each hit that is not his own."""
    return [_line(bet, each, hit, terms) for each in envious for hit in found if hit.seat != each.seat]


def _line(bet: Bet, envious: Envious, hit: Hit, terms: TermFacts) -> SettlementLine:
    facts, table = f"envy for the {hit.hand} of seat {hit.seat}", terms.chosen(bet)
    if envious.hold is not None:
        why = f"{facts}, but {envious.hold.why}"
        return make_line(envious.seat, ENVY, 0, "held", why, envious.hold.clause)
    if hit.doubt:
        why = f"{facts}, but only the highest hand earns it: {hit.doubt}"
        return make_line(envious.seat, ENVY, 0, "held", why, bet.clauses.envy)
    base = terms.envy_base(bet)
    cents, rest = round_down(hit.row.envy_cents * envious.stake, base, terms.unit_cents)
    why = f"{facts}: {dollars(hit.row.envy_cents)} for each {dollars(base)} of the wager"
    if bet.envy_rule is not None:  # a fixed amount, whatever was wagered
        cents, rest, why = hit.row.envy_cents, 0, f"{facts}: {dollars(hit.row.envy_cents)}"
    clause = bet.clauses.envy
    return make_line(envious.seat, ENVY, 0, "win", why, clause, pay=cents, paytable=table, row=hit.row.when, rest=rest)
