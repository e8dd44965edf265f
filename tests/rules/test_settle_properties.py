"""Random rounds: the money equals an independent engine's, adds up to zero, and does not depend on suits or seats."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dealer_flow.record.result import Outcome, RoundResult, Seat
from protocol.cards import DECK
from rules import Meter, settle
from tests.support.dealing.flushes import GAME, deal, money, seat, with_returns

METERS = {"meter": Meter(1_234_567, 500_000)}
TEXTS = [card.text for card in DECK]
DEUCES_FIRST = sorted(TEXTS, key=lambda text: text[0] != "2")
BLIND = {5: 200, 4: 25, 3: 5, 2: 3, 1: 0, 0: 0}
FGW_01 = ((7, True, 250), (7, False, 100), (6, True, 50), (6, False, 10), (5, True, 6), (5, False, 3), (4, True, 1))


@st.composite
def rounds(draw: st.DrawFn) -> RoundResult:
    """A complete round of one to eight seats, often rich in deuces."""
    players = draw(st.integers(1, 8))
    need = 7 + 5 * players
    cards = draw(st.permutations(TEXTS))[:need]
    if draw(st.booleans()):
        cards = list(dict.fromkeys([*DEUCES_FIRST[: draw(st.integers(1, 4))], *cards]))[:need]
        cards = draw(st.permutations(cards))
    hands = [" ".join(cards[start : start + 5]) for start in range(2, need, 5)]
    seats = [draw(seats_with(number, hand)) for number, hand in enumerate(hands[1:], 1)]
    return deal(" ".join(cards[:2]), hands[0], *seats)


def seats_with(number: int, hand: str) -> st.SearchStrategy[Seat]:
    tokens = st.integers(1, 200).map(lambda n: 25 * n)
    return st.builds(
        lambda ante, rush, extra, status: seat(
            number, hand, ante=ante, flush_rush=rush, progressive=extra, status=status
        ),
        tokens,
        st.just(0) | tokens,
        st.sampled_from([0, 100, 500]),
        st.sampled_from(["live", "live", "live", "folded", "dead"]),
    )


def flushes(cards: list[str]) -> tuple[tuple[int, list[int]], int]:
    """Return the best flush as length and ranks, and the longest natural flush, by trying every choice of different
    ranks."""
    deuces = sum(card[0] == "2" for card in cards)
    best: tuple[int, list[int]] = (0, [])
    for suit in "CDHS":
        ranks = ["23456789TJQKA".index(card[0]) for card in cards if card[1] == suit and card[0] != "2"]
        free = [rank for rank in range(1, 13) if rank not in ranks]
        for taken in combinations(free, deuces):
            best = max(best, (len(ranks) + deuces, sorted([*ranks, *taken], reverse=True)))
    return best, max(sum(card[1] == suit for card in cards) for suit in "CDHS")


def expected(round_: RoundResult) -> dict[tuple[int, str], int]:
    """Return the net cents of ante, blind, play and Flush Rush, computed directly from the rule."""
    assert round_.dealer is not None
    dealer, _ = flushes([*round_.dealer.cards, *round_.community])
    net: dict[tuple[int, str], int] = {}
    for each in round_.seats:
        bets = {bet: each.wagers.get(bet, 0) for bet in ("ante", "blind", "play", "flush-rush")}
        player, natural = flushes([*each.cards, *round_.community])
        outcome = (
            0 if each.status == "dead" else -1 if each.status == "folded" else (player > dealer) - (player < dealer)
        )
        odds = BLIND[max(0, player[0] - dealer[0])] if outcome > 0 else outcome
        rush = next((pay for size, pure, pay in FGW_01 if size <= (natural if pure else player[0])), -1)
        factors = {"ante": outcome, "blind": odds, "play": outcome, "flush-rush": 0 if each.status == "dead" else rush}
        net |= {(each.seat, bet): factors[bet] * cents for bet, cents in bets.items() if cents}
    return net


def recoded(round_: RoundResult, suits: str) -> RoundResult:
    """Return the round with its suits swapped."""

    def swap(cards: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(card[0] + suits["CDHS".index(card[1])] for card in cards)

    assert round_.dealer is not None
    return replace(
        round_,
        community=swap(round_.community),
        dealer=replace(round_.dealer, cards=swap(round_.dealer.cards)),
        seats=tuple(replace(each, cards=swap(each.cards)) for each in round_.seats),
    )


@given(rounds())
@settings(max_examples=120, deadline=None)
def test_the_money_is_what_an_engine_written_apart_says(round_: RoundResult) -> None:
    settlement = settle(round_, GAME, meters=METERS)
    found = {key: net for key, (_, net, _) in money(settlement).items() if key[1] != "progressive"}
    assert settlement.status == "settled"
    assert found == expected(round_)


@given(rounds())
@settings(max_examples=120, deadline=None)
def test_players_house_and_meters_come_to_nothing(round_: RoundResult) -> None:
    settlement = settle(round_, GAME, meters=METERS)
    totals, (meter,) = settlement.totals, settlement.meters
    assert totals.players + totals.house + totals.meters == 0
    assert totals.players == sum(total.net for total in settlement.seats) == sum(line.net for line in settlement.lines)
    assert totals.meters == -meter.paid
    assert meter.before - meter.paid + (meter.reseeded or 0) == meter.after
    for line in settlement.lines:
        assert line.net == line.pay + line.returned - line.stake
        assert line.returned in (0, line.stake)
        assert line.pay == 0 or line.result == "win"
    staked = {(each.seat, bet): cents for each in round_.seats for bet, cents in each.wagers.items()}
    assert {(line.seat, line.bet): line.stake for line in settlement.lines if line.bet != "envy"} == staked


@pytest.mark.more
@given(rounds(), st.permutations("CDHS"), st.sampled_from(["highest-absent", "ace", "lowest"]), st.randoms())
@settings(max_examples=100, deadline=None)
def test_suits_and_the_order_of_cards_and_seats_change_no_money(
    round_: RoundResult, suits: list[str], kicker: str, rng: object
) -> None:
    def mixed(cards: tuple[object, ...]) -> tuple[object, ...]:
        return tuple(rng.sample(cards, len(cards)))  # type: ignore[attr-defined]

    readings = {"wild-kicker": kicker}
    other = recoded(round_, "".join(suits))
    seats = tuple(replace(each, cards=mixed(each.cards)) for each in other.seats)
    other = replace(other, community=mixed(other.community), seats=mixed(seats))
    one = settle(round_, GAME, readings=readings, meters=METERS)
    two = settle(other, GAME, readings=readings, meters=METERS)
    assert money(one) == money(two)
    assert (one.totals, one.seats, one.meters) == (two.totals, two.seats, two.meters)


@given(rounds(), st.sampled_from(["misdeal", "defective-deck", "unreliable"]))
@settings(max_examples=40, deadline=None)
def test_a_void_round_moves_no_money(round_: RoundResult, outcome: Outcome) -> None:
    seats = tuple(with_returns(each, outcome) for each in round_.seats)
    settlement = settle(replace(round_, outcome=outcome, seats=seats), GAME, meters=METERS)
    assert settlement.totals.players == settlement.totals.house == 0
    assert {line.result for line in settlement.lines} == {"held" if outcome == "unreliable" else "returned"}
