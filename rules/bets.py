"""How each kind of bet is resolved for one hand. Kinds are registered by name in `KINDS`; a game file names them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from protocol.cards import Card
from rules.checks import Hold
from rules.game import Bet
from rules.hands import Hand
from rules.paytable import PaidRow
from rules.settlement import Line, make_line
from rules.terms import Terms


@dataclass(frozen=True, slots=True)
class Showdown:
    """One seat's hand against the dealer's. A hand that is not known is the reason why, as a phrase."""

    seat: int
    cards: tuple[Card, ...]
    player: Hand | str
    dealer: Hand | str

    @property
    def unknown(self) -> str | None:
        """Why the two hands cannot be compared."""
        return next((hand for hand in (self.player, self.dealer) if isinstance(hand, str)), None)


def resolve(bet: Bet, stake: int, showdown: Showdown, terms: Terms) -> Line:
    """The line of a bet whose hand was not folded away and breaks no rule."""
    return KINDS[bet.kind](bet, stake, showdown, terms)


def held(bet: Bet, seat: int, stake: int, hold: Hold) -> Line:
    """The line of a bet that is not settled."""
    return make_line(seat, bet.name, stake, "held", hold.why, hold.clause)


def _against_dealer(bet: Bet, stake: int, showdown: Showdown, terms: Terms) -> Line:
    """Wins at a fixed pay, loses, or ties by the hands alone."""
    row = PaidRow(bet.pays.text, bet.pays, 0, bet.clauses.win)
    return _compared(bet, stake, showdown, terms, lambda _: (row, None))


def _margin(bet: Bet, stake: int, showdown: Showdown, terms: Terms) -> Line:
    """A win is paid by how many cards longer the winning hand is."""
    table = terms.table(bet.name)
    return _compared(bet, stake, showdown, terms, lambda margin: (table[margin], terms.paytables[bet.name]))


def _compared(
    bet: Bet, stake: int, showdown: Showdown, terms: Terms, win: Callable[[int], tuple[PaidRow | None, str | None]]
) -> Line:
    player, dealer = showdown.player, showdown.dealer
    if isinstance(player, str) or isinstance(dealer, str):
        return held(bet, showdown.seat, stake, Hold(showdown.unknown or "", bet.clauses.win))
    margin = player.length - dealer.length
    if player.strength == dealer.strength:
        why = f"flush of {player.text} ties dealer's {dealer.text}: {bet.name} pushes"
        return make_line(showdown.seat, bet.name, stake, "push", why, bet.clauses.tie)
    by = "on the kickers" if margin == 0 else f"by {abs(margin)}"
    if player.strength < dealer.strength:
        why = f"flush of {player.text} loses to dealer's {dealer.text} {by}: {bet.name} loses"
        return make_line(showdown.seat, bet.name, stake, "lose", why, bet.clauses.lose)
    row, paytable = win(margin)
    return _won(
        bet, stake, showdown.seat, f"flush of {player.text} beats dealer's {dealer.text} {by}", row, paytable, terms
    )


def _own_hand(bet: Bet, stake: int, showdown: Showdown, terms: Terms) -> Line:
    """Paid by the best row the player's hand qualifies for, whatever the dealer has."""
    player, paytable = showdown.player, terms.paytables[bet.name]
    if isinstance(player, str):
        return held(bet, showdown.seat, stake, Hold(player, bet.clauses.win))
    row = terms.table(bet.name)[player.key]
    if row is None:
        why = f"flush of {player.text} has no row in {paytable}: {bet.name} loses"
        return make_line(showdown.seat, bet.name, stake, "lose", why, bet.clauses.lose, paytable=paytable)
    facts = f"{row.when} in {' '.join(card.text for card in showdown.cards)}"
    return _won(bet, stake, showdown.seat, facts, row, paytable, terms)


def _won(bet: Bet, stake: int, seat: int, facts: str, row: PaidRow | None, paytable: str | None, terms: Terms) -> Line:
    name = row.when if row and paytable else None
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


Kind = Callable[[Bet, int, Showdown, Terms], Line]

KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {"against-dealer": _against_dealer, "margin": _margin, "own-hand": _own_hand}
)
"""Kind of bet -> how it is resolved for one seat. A `progressive` bet is resolved for the whole table at once."""
