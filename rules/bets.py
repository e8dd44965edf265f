"""How each kind of bet is resolved for one hand. Kinds are registered by name in `KINDS`; a game file names them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from protocol.cards import Card
from rules.checks import Hold
from rules.game import Bet
from rules.hands.longest_flush import Flush
from rules.paytable import PaidRow
from rules.settlement import SettlementLine, make_line
from rules.terms import Terms


@dataclass(frozen=True, slots=True)
class BetVerdict:
    """Who won: `sign` 1 the player, -1 the dealer, 0 a tie; `margin` in cards of length; `facts` in words."""

    sign: int
    margin: int
    facts: str


@dataclass(frozen=True, slots=True)
class Showdown:
    """One seat's hand against the dealer's. What is not known is a phrase that says why."""

    seat: int
    cards: tuple[Card, ...]
    player: Flush | str
    verdict: BetVerdict | str


def compare(player: Flush | str, dealer: Flush | str) -> BetVerdict | str:
    """The longer flush wins, then the higher cards (CO 47.1-1017.60 (2)); the reason when a hand is not known."""
    if isinstance(player, str):
        return player
    if isinstance(dealer, str):
        return dealer
    margin = player.length - dealer.length
    sign = (player.strength > dealer.strength) - (player.strength < dealer.strength)
    word = ("ties", "beats", "loses to")[sign]
    by = "" if sign == 0 else f" by {abs(margin)}" if margin else " on the kickers"
    return BetVerdict(sign, margin, f"flush of {player.text} {word} dealer's {dealer.text}{by}")


def resolve(bet: Bet, stake: int, showdown: Showdown, terms: Terms) -> SettlementLine:
    """The line of a bet whose hand was not folded away and breaks no rule."""
    return KINDS[bet.kind](bet, stake, showdown, terms)


def held(bet: Bet, seat: int, stake: int, hold: Hold) -> SettlementLine:
    """The line of a bet that is not settled."""
    return make_line(seat, bet.name, stake, "held", hold.why, hold.clause)


def _against_dealer(bet: Bet, stake: int, showdown: Showdown, terms: Terms) -> SettlementLine:
    """Wins at a fixed pay, loses, or ties by the hands alone."""
    return _compared(bet, stake, showdown, terms, lambda _: (terms.game.fixed[bet.name], None))


def _margin(bet: Bet, stake: int, showdown: Showdown, terms: Terms) -> SettlementLine:
    """A win is paid by how many cards longer the winning hand is."""
    table = terms.table(bet.name)
    return _compared(bet, stake, showdown, terms, lambda margin: (table[margin], terms.paytables[bet.name]))


def _compared(
    bet: Bet, stake: int, showdown: Showdown, terms: Terms, win: Callable[[int], tuple[PaidRow | None, str | None]]
) -> SettlementLine:
    verdict = showdown.verdict
    if isinstance(verdict, str):
        return held(bet, showdown.seat, stake, Hold(verdict, bet.clauses.win))
    if verdict.sign == 0:
        return make_line(showdown.seat, bet.name, stake, "push", f"{verdict.facts}: {bet.name} pushes", bet.clauses.tie)
    if verdict.sign < 0:
        return make_line(showdown.seat, bet.name, stake, "lose", f"{verdict.facts}: {bet.name} loses", bet.clauses.lose)
    row, paytable = win(verdict.margin)
    return won(bet, stake, showdown.seat, verdict.facts, row, paytable, terms)


def _own_hand(bet: Bet, stake: int, showdown: Showdown, terms: Terms) -> SettlementLine:
    """Paid by the best row the player's hand qualifies for, whatever the dealer has."""
    player, paytable = showdown.player, terms.paytables[bet.name]
    if isinstance(player, str):
        return held(bet, showdown.seat, stake, Hold(player, bet.clauses.win))
    row = terms.table(bet.name)[player.key]
    if row is None:
        why = f"flush of {player.text} has no row in {paytable}: {bet.name} loses"
        return make_line(showdown.seat, bet.name, stake, "lose", why, bet.clauses.lose, paytable=paytable)
    facts = f"{row.when} in {' '.join(card.text for card in showdown.cards)}"
    return won(bet, stake, showdown.seat, facts, row, paytable, terms)


def won(
    bet: Bet, stake: int, seat: int, facts: str, row: PaidRow | None, paytable: str | None, terms: Terms
) -> SettlementLine:
    """The line of a win as `row` pays it; one without a row, or with a push, gives the stake back."""
    name = row.when if row and row.when else None
    if row is None or row.pay.unit == "push":
        why, clause = f"{facts}: {bet.name} pushes", row.clause if row else bet.clauses.win
        return make_line(seat, bet.name, stake, "push", why, clause, paytable=paytable, row=name)
    pay, rest = terms.paid(stake, row)
    return make_line(
        seat,
        bet.name,
        stake,
        "win",
        f"{facts}: {bet.name} pays {row.pay.text}",
        row.clause,
        pay=pay,
        keeps_stake=row.pay.unit == "to",
        paytable=paytable,
        row=name,
        rest=rest,
    )


Resolve = Callable[[Bet, int, Showdown, Terms], SettlementLine]

KINDS: Final[Mapping[str, Resolve]] = MappingProxyType(
    {"against-dealer": _against_dealer, "margin": _margin, "own-hand": _own_hand}
)
"""Kind of bet -> how it is resolved for one seat. A `progressive` bet is resolved for the
whole table at once, a `race` bet by `rules.race`."""
