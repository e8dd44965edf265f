"""Rounds written by hand at the moment of settlement: seats, their bets, their cards."""

from collections.abc import Mapping, Sequence
from typing import Any

from dealer_flow.record.details import TakenPot
from dealer_flow.record.result import Deck, ProcedureRef, RoundResult, Seat, SeatStatus
from rules import Settlement, SettlementLine, load_game, settle
from rules.bets.bet import Bet

HIDDEN = "??"


def seat_of(
    number: int,
    cards: str | Sequence[str] = (),
    *,
    status: SeatStatus = "live",
    returned: Mapping[str, int] | None = None,
    forfeited: Mapping[str, int] | None = None,
    **wagers: int,
) -> Seat:
    """Return a seat with its bets, by bet name (`big_blind=200`)."""
    held = tuple(cards.split()) if isinstance(cards, str) else tuple(cards)
    return Seat(
        seat=number,
        status=status,
        cards=held,
        counted=len(held) or None,
        expected=len(held),
        wagers={name.replace("_", "-"): cents for name, cents in wagers.items()},
        returned={name.replace("_", "-"): cents for name, cents in (returned or {}).items()},
        forfeited={name.replace("_", "-"): cents for name, cents in (forfeited or {}).items()},
    )


def ended_round(game: str, seats: Sequence[Seat], community: str | Sequence[str] = (), **more: Any) -> RoundResult:
    """Return a round that was played out. The last seat has the button; `more` are any other fields of the record."""
    board = tuple(community.split()) if isinstance(community, str) else tuple(community)
    awards = tuple(TakenPot(*each) for each in more.pop("awards", ()))
    fields: dict[str, Any] = {
        "table": "paper",
        "session": "00000001",
        "round": 1,
        "procedure": ProcedureRef(game, "0" * 64),
        "outcome": "complete",
        "deck": Deck(1, None),
        "packets": (),
        "community": board,
        "burned": (),
        "burn": None,
        "seats": tuple(seats),
        "dealer": None,
        "remainder": None,
        "rejected": 0,
        "incidents": (),
        "button": max((seat.seat for seat in seats), default=None),
        "awards": awards,
    }
    return RoundResult(**(fields | more))


def settled(
    game: str, seats: Sequence[Seat], community: str | Sequence[str] = (), *, terms: Any = None, **more: Any
) -> Settlement:
    """Return the settlement of such a round on these terms, in chips of a cent unless they say otherwise."""
    return settle(ended_round(game, seats, community, **more), load_game(game), **({"token_cents": 1} | (terms or {})))


def nets(settlement: Settlement) -> dict[int, int]:
    """Return each seat's net win or loss."""
    return {seat.seat: seat.net for seat in settlement.seats}


def must_add_up(settlement: Settlement, seats: Sequence[Seat]) -> None:
    """Check that every cent is accounted for: seats, house and meters sum to zero, each seat's lines are its wagers,
    and each pot's shares and the amounts taken from it are the pot; likewise for the pool."""
    sides = settlement.totals
    assert sides.players + sides.house + sides.meters == 0
    for seat in seats:
        staked = sum(line.stake for line in settlement.lines if line.seat == seat.seat)
        assert staked == sum(seat.wagers.values()), (seat.seat, settlement.lines)
    for line in settlement.lines:
        assert line.clause
        assert line.net == (0 if line.result == "held" else line.pay + line.returned - line.stake)
    for pot in settlement.pots:
        lines = [line for line in settlement.lines if line.bet == pot.name]
        if pot.held:
            assert not pot.winners
            assert pot.rake == pot.jackpot_rake == 0
            continue
        assert sum(line.stake for line in lines) + pot.forfeited == pot.cents
        assert sum(line.pay + line.returned for line in lines) == sum(each.cents for each in pot.winners)
        assert sum(each.cents for each in pot.winners) + pot.rake + pot.jackpot_rake == pot.cents
        assert sum(line.net for line in lines) == pot.forfeited - pot.rake - pot.jackpot_rake
    pool = settlement.pool.rake if settlement.pool is not None else 0
    bets = load_game(settlement.game.id).bets
    into = [line.stake - line.returned for line in settlement.lines if line.result == "lose" and _to_pool(bets, line)]
    paid = sum(line.pay for line in settlement.lines if line.meter)
    gone = {(seat.seat, bet) for seat in seats for bet in seat.forfeited}
    into += [line.stake for line in settlement.lines if line.result == "lose" and (line.seat, line.bet) in gone]
    paid += sum(pot.forfeited for pot in settlement.pots)
    assert sides.house == sum(pot.rake for pot in settlement.pots) + pool
    assert sides.meters == sum(pot.jackpot_rake for pot in settlement.pots) + sum(into) - paid - pool


def _to_pool(bets: Mapping[str, Bet], line: SettlementLine) -> bool:
    return line.bet in bets and bets[line.bet].kind == "to-pool"
