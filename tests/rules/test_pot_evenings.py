"""Sessions with pots that roll over and jackpots that build: every cent is accounted for after each hand."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dealer_flow.record.details import Split
from dealer_flow.record.result import Seat
from dealwire.table.table import TableTerms
from protocol.cards import DECK
from rules import Settlement, load_game
from rules.meters.bank import MeterRecord, RoundKey
from rules.meters.jackpot_book import JackpotBook
from rules.meters.jackpot_setup import load_jackpot
from rules.settlement import HouseRake
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.written_rounds import ended_round, seat_of

EXAMPLE = Path(__file__).parents[2] / "docs/examples/jackpot-bad-beat.toml"
STREETS = ("bet_1", "bet_2", "bet_3")
seeds = st.integers(0, 2**32 - 1)


def deck(random: Random, jokers: Sequence[str] = ()) -> list[str]:
    cards = [*(card.text for card in DECK), *jokers]
    random.shuffle(cards)
    return cards


def adds_up(found: Settlement) -> None:
    sides = found.totals
    assert sides.players + sides.house + sides.meters == 0
    assert sum(seat.net for seat in found.seats) == sides.players
    for pot in found.pots:
        if not pot.held:
            shares = sum(each.cents for each in pot.winners)
            assert shares + pot.rake + pot.jackpot_rake + pot.rolls_over + pot.to_house == pot.cents
    for meter in found.meters:
        if meter.after is not None:
            assert meter.before + meter.contributed - meter.paid + (meter.reseeded or 0) == meter.after


# ------------------------------------------------------------------ Trips


def trips_hand(random: Random, number: int, cards: list[str]) -> Seat:
    """Return a seat that bets as far as it likes."""
    streets = random.choice((0, 1, 2, 3, 3, 3, 3))
    wagers = dict.fromkeys(("initial", *STREETS[:streets]), 100)
    own = [cards.pop() for _ in range(2 + streets)]
    return seat_of(number, own, status="live" if streets == 3 else "folded", **wagers)  # type: ignore[arg-type]


@given(seeds, st.sampled_from(["5", "35", "95"]), st.sampled_from(["none", "fifth"]), st.sampled_from(["hand", "pot"]))
def test_an_evening_of_trips(seed: int, share: str, last: str, rake_of: str) -> None:
    random = Random(seed)
    readings = {"high-hand-share": share, "last-hand": last, "rake-of": rake_of}
    rake = HouseRake("10", cap_cents=random.choice((None, 50)))
    terms = TableTerms(load_game("trips.co"), readings=readings, meters={"pot": 0}, rake=rake)
    put = paid = raked = hands = 0
    for _ in range(12):
        before, cards = terms.meters["pot"], deck(random, ("X1", "X2"))
        allowed = terms.rolled["pot"].seats if "pot" in terms.rolled else (1, 2, 3, 4)
        there = [number for number in allowed if number == min(allowed) or random.random() < 0.9]
        seats = [trips_hand(random, number, cards) for number in there]
        found = terms.settle(ended_round("trips.co", seats))
        adds_up(found)
        (pot,) = found.pots
        assert found.status == "settled"
        assert pot.cents == before + sum(sum(seat.wagers.values()) for seat in seats)
        assert terms.meters["pot"] == pot.rolls_over
        hands = hands + 1 if pot.rolls_over else 0
        assert hands == (terms.rolled["pot"].hands if "pot" in terms.rolled else 0)
        assert last == "none" or hands < 5 or not pot.winners
        put, raked = put + pot.cents - before, raked + pot.rake
        paid += sum(each.cents for each in pot.winners)
    assert put == paid + raked + terms.meters["pot"]


HANDS = {
    "nobody stays": """
        bets 1: initial 100
        bets 2: initial 100
        start
        draw seat 1 4C 9D | seat 2 KS QD
        choose 1: fold-1
        choose 2: fold-1
    """,
    "two pair are the best": """
        bets 1: initial 100
        bets 2: initial 100
        start
        draw seat 1 4C 9D | seat 2 KS QD
        choose 1: bet-1, bet-1 100
        choose 2: bet-1, bet-1 100
        draw seat 1 4D | seat 2 7H
        choose 1: bet-2, bet-2 100
        choose 2: fold-2
        draw seat 1 9H
        choose 1: bet-3, bet-3 100
        draw seat 1 2C
        show seat 1: 4C 9D 4D 9H 2C
    """,
    "a joker and a pair": """
        bets 1: initial 100
        bets 2: initial 100
        start
        draw seat 1 4C 9D | seat 2 KS X1
        choose 1: fold-1
        choose 2: bet-1, bet-1 100
        draw seat 2 KD
        choose 2: bet-2, bet-2 100
        draw seat 2 5H
        choose 2: bet-3, bet-3 100
        draw seat 2 7C
        show seat 2: KS X1 KD 5H 7C
    """,
    "a third player comes late": """
        bets 2: initial 100
        bets 3: initial 100
        start
        draw seat 2 4C 9D | seat 3 KS X1
        choose 2: fold-1
        choose 3: fold-1
    """,
}


def test_an_evening_dealt_and_settled() -> None:
    """200 roll over; of 200 and 600 the best hand gets 40 %, 320; the 480 left and 500 more are won with three
    kings."""
    table = HandTable("trips.co")
    terms = TableTerms(load_game("trips.co"), readings={"high-hand-share": "40"}, meters={"pot": 0}, token_cents=5)
    after = []
    evening = (
        "nobody stays",
        "two pair are the best",
        "a joker and a pair",
        "nobody stays",
        "a third player comes late",
    )
    for hand in evening:
        found = terms.settle(table.play(HANDS[hand]).end())
        adds_up(found)
        after.append((found.status, terms.meters.get("pot"), {seat.seat: seat.net for seat in found.seats}))
    assert after == [
        ("settled", 200, {1: -100, 2: -100}),
        ("settled", 480, {1: -80, 2: -200}),
        ("settled", 0, {1: -100, 2: 580}),
        ("settled", 200, {1: -100, 2: -100}),
        ("held", None, {2: 0, 3: 0}),  # (9): seat 3 sat out the hand before; a person decides
    ]


def test_a_table_goes_on_with_a_pot_as_it_stood() -> None:
    terms = TableTerms(load_game("trips.co"), readings={"last-hand": "fifth"}, meters={"pot": 500})
    seat = seat_of(1, "KS KD 8H 8C 3C", initial=100, bet_1=100, bet_2=100, bet_3=100)
    found = terms.settle(ended_round("trips.co", [seat]))
    assert found.why is not None
    assert "the number of hands" in found.why, "the amount alone does not say whether this is the fifth hand"


# ------------------------------------------------------------------ jackpots


def longhorn_seat(random: Random, number: int, cards: list[str]) -> Seat:
    stays = random.choice((1, 2, 3, 3, 3, 3))
    wagers = {"bonus": 100} | {f"pot-{street}": 500 for street in range(1, stays + 1)}
    wagers |= {"bad-beat": 100} if random.random() < 0.8 else {}
    own = [cards.pop(), cards.pop()]
    live = stays == 3 and random.random() < 0.9
    return replace(seat_of(number, own, status="live" if live else "folded"), wagers=wagers)


@pytest.mark.more
@given(seeds, st.booleans())
def test_an_evening_of_longhorn_with_its_jackpot(seed: int, divided: bool) -> None:
    """Boards of two aces and a pair of kings, so that aces full is beaten now and then."""
    random = Random(seed)
    setup = load_jackpot(EXAMPLE).model_copy(update={"games": ("longhorn.co",), "award": None, "rake_cents": 0})
    book = JackpotBook(setup)
    readings = {"tied-shares": "divided", "beaten-hands": "highest"} if divided else {}
    terms = TableTerms(load_game("longhorn.co"), readings=readings, jackpot=book, rake=HouseRake("5"))
    meters = 0
    for hand in range(8):
        cards, board = deck(random), ["AC", "AD", "KH", "KD", "2C"]
        cards = [card for card in cards if card not in board]
        random.shuffle(cards)
        seats = [longhorn_seat(random, number, cards) for number in range(1, 8)]
        before = book.shown()
        found, *records = terms.settle_all(ended_round("longhorn.co", seats, board))
        assert isinstance(found, Settlement)
        adds_up(found)
        meters += found.totals.meters
        assert sum(book.shown().values()) == 500_000 + meters
        assert sum(book.shown().values()) - sum(before.values()) == found.totals.meters
        steps = [record for record in records if isinstance(record, MeterRecord)]
        assert len(steps) == len(records)
        assert all(step.to_players + step.to_house + step.to_meter + step.to_reserve == 0 for step in steps)
        assert all(0 <= book.posted[name] <= cents for name, cents in book.shown().items())
        if hand % 3 == 2:
            book.post()


@given(st.lists(st.integers(0, 200), max_size=60), st.sampled_from(["stop-rake", "go-on"]), st.integers(1, 300))
def test_all_that_is_collected_lies_on_the_pools(cents: list[int], when: str, cap: int) -> None:
    setup = load_jackpot(EXAMPLE)
    pools = tuple(pool.model_copy(update={"cap_cents": pool.start_cents + cap}) for pool in setup.pools)
    book = JackpotBook(setup.model_copy(update={"pools": pools, "when_capped": when}))
    collected = 0
    for part in cents:
        if not book.stopped:
            before = book.shown()
            records = book.collect(RoundKey("t", "s", 1), part)
            collected += part
            assert sum(record.to_meter for record in records) == part
            assert all(book.shown()[name] >= held for name, held in before.items())
    assert sum(book.shown().values()) == 500_000 + collected


# ------------------------------------------------------------------ Joker Poker


@given(seeds, st.sampled_from(["held", "least", "layers"]), st.sampled_from(["0", "7.5"]))
def test_joker_poker_pays_no_more_than_was_bet(seed: int, reading: str, percent: str) -> None:
    random = Random(seed)
    cards = deck(random)
    seats = []
    for number in range(1, random.randint(2, 7) + 1):
        own = tuple(cards.pop() for _ in range(5))
        split = Split(low=own[:1], rest=own[1:], by="player", foul=False)
        seats.append(replace(seat_of(number, own, wager=random.randint(1, 40) * 25), split=split))
    terms = TableTerms(load_game("joker.co"), readings={"unequal-winners": reading}, rake=HouseRake(percent))
    found = terms.settle(ended_round("joker.co", seats))
    adds_up(found)
    nets = {seat.seat: seat.net for seat in found.seats}
    winners = {each.seat for pot in found.pots for each in pot.winners}
    most = max((seat.wagers["wager"] for seat in seats if seat.seat in winners), default=0)
    for seat in seats:
        if seat.seat not in winners:
            assert -min(seat.wagers["wager"], most) <= nets[seat.seat] <= 0
    assert all(nets[seat] >= 0 for seat in winners)


@pytest.mark.parametrize("game", ["eighty-eight.co", "joker.co", "trips.co", "longhorn.co"])
def test_of_a_void_round_everything_comes_back(game: str) -> None:
    bet = {"joker.co": "wager", "longhorn.co": "pot-1"}.get(game, "initial")
    seats = [replace(seat_of(number), wagers={bet: 500}, returned={bet: 500}) for number in (1, 2)]
    terms = TableTerms(load_game(game), meters={"pot": 700} if game == "trips.co" else {})
    found = terms.settle(ended_round(game, seats, outcome="misdeal"))
    assert {line.result for line in found.lines} == {"returned"}
    assert (found.totals.players, terms.meters) == (0, {"pot": 700} if game == "trips.co" else {})
