"""Rounds of Flushes Gone Wild written as they lie on the table, and the money of a settlement as plain rows."""

from msgspec.structs import replace

from dealer_flow.record.result import Deck, Hand, Outcome, Remainder, RoundResult, Seat, SeatStatus
from rules import Settlement, load_game
from tests.support.dealing.written_rounds import ended_round

GAME = load_game("flushes-gone-wild.co")
ANTE = 500

Money = dict[tuple[int, str], tuple[str, int, str]]
"""(seat, bet) -> (result, net cents, clause)."""


def seat(
    number: int,
    cards: str,
    *,
    ante: int = ANTE,
    blind: int | None = None,
    play: int | None = None,
    flush_rush: int = 0,
    progressive: int = 0,
    status: SeatStatus = "live",
    counted: int | None = 5,
) -> Seat:
    """Return a seat that bets equally on ante and blind, and plays for twice its ante unless it folded or is dead."""
    play = play if play is not None else 2 * ante if status == "live" else 0
    blind = ante if blind is None else blind
    wagers = {"ante": ante, "blind": blind, "play": play, "flush-rush": flush_rush, "progressive": progressive}
    return Seat(
        seat=number,
        status=status,
        cards=tuple(cards.split()),
        counted=counted,
        expected=5,
        decision={"live": "play", "folded": "fold", "dead": None}[status],
        wagers={bet: cents for bet, cents in wagers.items() if cents},
    )


def deal(
    community: str, dealer: str | None, *seats: Seat, outcome: Outcome = "complete", dealer_counted: int | None = 5
) -> RoundResult:
    """Return one round; `dealer` is None if the dealer's hand was not seen."""
    hand = None if dealer is None else Hand(cards=tuple(dealer.split()), counted=dealer_counted, expected=5)
    rest = 52 - 10 - 5 * len(seats)
    return ended_round(
        "flushes-gone-wild.co",
        [with_returns(each, outcome) for each in seats],
        community,
        table="table-1",
        session="00c0ffee",
        round=7,
        outcome=outcome,
        deck=Deck(deck=1, loaded=52),
        dealer=hand,
        remainder=Remainder(counted=rest, expected=rest),
        button=None,
    )


def with_returns(seat: Seat, outcome: Outcome) -> Seat:
    """Return the seat with the bets that the flow gives back for this end of the round or its hand."""
    void = outcome in ("misdeal", "defective-deck") or (outcome != "unreliable" and seat.status == "dead")
    back = dict(seat.wagers) if void else {}
    if outcome == "progressive-only" and not void:
        back = {bet: cents for bet, cents in seat.wagers.items() if bet != "progressive"}
    return replace(seat, returned=back)


def money(settlement: Settlement) -> Money:
    """Return every line but the envy, by seat and bet."""
    lines = [line for line in settlement.lines if line.bet != "envy"]
    found = {(line.seat, line.bet): (line.result, line.net, line.clause) for line in lines}
    assert len(found) == len(lines), "a bet has two lines"
    return {key: (str(result), net, clause) for key, (result, net, clause) in found.items()}


def co(paragraph: str) -> str:
    """Return a paragraph of Colorado's rule as lines cite it."""
    return f"47.1-1017.60{'' if paragraph.startswith('(') else ' '}{paragraph}"
