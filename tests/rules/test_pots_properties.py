"""Random stakes, hands and rakes: every cent is accounted for, and no seat gets more than went in."""

from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dealer_flow.record.details import ActionRecord
from dealer_flow.record.result import Seat, SeatStatus
from protocol.cards import DECK
from rules import load_game, settle
from rules.pots.shares import clockwise, halves, shared, three_quarters
from rules.settlement import HouseRake, Settlement
from tests.support.dealing.written_rounds import HIDDEN, ended_round, must_add_up, seat_of

GAMES = {
    "holdem.co": (2, 5),
    "holdem-hi-lo.co": (2, 5),
    "omaha-hi-lo.co": (4, 5),
    "draw-hi-lo.co": (5, 0),
    "draw-low.co": (5, 0),
    "seven-card-stud-hi-lo.co": (7, 0),
}
"""Number of own cards and of board cards."""
_STATUSES: tuple[SeatStatus, ...] = ("live", "live", "live", "folded", "dead")
FACES = [card.text for card in DECK]


@st.composite
def rounds(draw: st.DrawFn) -> tuple[str, list[Seat], list[str], dict[str, Any]]:
    """A game, its seats, its board, and other settings of the round and the house."""
    game = draw(st.sampled_from(sorted(GAMES)))
    own, board = GAMES[game]
    bets = [bet.name for bet in load_game(game).bets.values()][-2:]
    players = draw(st.integers(2, 6))
    deck = draw(st.permutations(FACES))
    amounts = st.sampled_from((0, 25, 100, 101, 250, 975, 3333))
    seats = []
    for number in range(1, players + 1):
        status: SeatStatus = draw(st.sampled_from(_STATUSES))
        cards = [HIDDEN] * own if draw(st.integers(0, 9)) == 0 else deck[number * own : (number + 1) * own]
        wagers = {"ante": draw(amounts)} | {bet: draw(amounts) for bet in bets}
        wagers = {bet: cents for bet, cents in wagers.items() if cents}
        all_in = draw(st.booleans())
        back = wagers if status == "dead" and draw(st.booleans()) else {}
        put: Any = dict(wagers)
        seat = seat_of(number, cards, status=status, returned=back, **put)
        seats.append(replace(seat, stake=sum(wagers.values())) if all_in else seat)
    awards = draw(st.lists(st.tuples(st.integers(1, 3), st.integers(1, players), amounts), max_size=2))
    rake = HouseRake(
        draw(st.sampled_from(("0", "2.5", "5", "10"))),
        draw(st.sampled_from((None, 0, 100, 400))),
        draw(st.sampled_from((None, 1, 25, 100))),
        draw(st.sampled_from((0, 50, 200))),
    )
    terms = {"rake": rake, "token_cents": draw(st.sampled_from((1, 25, 100)))}
    folded = draw(st.permutations([seat.seat for seat in seats if seat.status == "folded"]))
    actions = tuple(ActionRecord(step="river-betting", seat=seat, action="fold", cents=0) for seat in folded)
    more = {
        "awards": awards,
        "actions": actions,
        "button": draw(st.sampled_from((None, *range(1, players + 1)))),
        "terms": terms,
    }
    return game, seats, deck[:board], more


@given(rounds())
def test_every_cent_is_somewhere(case: tuple[str, list[Seat], list[str], dict[str, Any]]) -> None:
    game, seats, board, more = case
    terms = more.pop("terms")
    done = settle(ended_round(game, seats, board, **more), load_game(game), **terms)
    must_add_up(done, seats)
    _rake_is_within_its_limits(done, terms["rake"])
    dead = {seat.seat for seat in seats if seat.status != "live"}
    for pot in done.pots:
        won = [each.cents for each in pot.winners]
        assert all(0 < cents <= pot.cents for cents in won) or pot.cents == pot.rake + pot.jackpot_rake
        by_cards = {each.seat for each in pot.winners if each.won_with != "award"}
        assert by_cards <= set(pot.contenders)
        assert not by_cards & dead or len(pot.contenders) == 1
    stakes = {seat.seat: sum(seat.wagers.values()) for seat in seats}
    if not more["awards"]:
        for seat in done.seats:
            most = sum(min(stake, stakes[seat.seat]) for other, stake in stakes.items() if other != seat.seat)
            # Where a hand could have called more, before or after another gave up, dead hands' chips are won with it.
            able = any(each.stake is None for each in seats if each.status in ("live", "folded"))
            assert seat.net <= (most if not (dead and able) else sum(stakes.values()) - stakes[seat.seat])


def _rake_is_within_its_limits(done: Settlement, rake: HouseRake) -> None:
    taken = sum(pot.rake for pot in done.pots)
    assert done.totals.house == taken
    assert rake.cap_cents is None or taken <= rake.cap_cents
    assert all(pot.rake * 100 <= pot.cents * Fraction(rake.percent) for pot in done.pots)
    assert all(pot.rake * 10 <= pot.cents for pot in done.pots)
    assert sum(pot.jackpot_rake for pot in done.pots) == done.totals.meters <= 200


@given(st.integers(0, 5000), st.sets(st.integers(1, 10), min_size=1), st.sampled_from((1, 25)), st.integers(0, 10))
def test_parts_of_a_pot_are_the_pot_and_differ_by_a_token(cents: int, seats: set[int], unit: int, after: int) -> None:
    parts = shared(cents, seats, unit, after)
    assert sum(parts.values()) == cents
    assert set(parts) == seats
    in_order = [parts[seat] for seat in clockwise(seats, after)]
    assert in_order == sorted(in_order, reverse=True)
    assert in_order[0] - in_order[-1] < 2 * unit
    high, low = halves(cents, unit)
    assert high + low == cents
    assert 0 <= high - low < 2 * unit
    if len(seats) > 1:
        quarters = three_quarters(cents, min(seats), seats, unit, after)
        assert sum(quarters.values()) == cents
        assert set(quarters) == seats


@given(st.permutations(FACES), st.integers(2, 5))
def test_who_sits_where_does_not_matter_to_what_a_hand_wins(deck: list[str], players: int) -> None:
    """The same hands and stakes moved by one seat: each wins the same if no chip is odd."""
    put = {number: 1200 * number for number in range(1, players + 1)}

    def won(shift: int) -> list[int]:
        seats = []
        for number, cents in put.items():
            hand = deck[2 * number : 2 * number + 2]
            seats.append(seat_of((number + shift - 1) % players + 1, hand, river=cents * 60))
        done = settle(
            ended_round("holdem-hi-lo.co", seats, deck[50:52] + deck[40:43]),
            load_game("holdem-hi-lo.co"),
            token_cents=1,
        )
        by_seat = {seat.seat: seat.net for seat in done.seats}
        return [by_seat[(number + shift - 1) % players + 1] for number in put]

    assert won(0) == won(1)
