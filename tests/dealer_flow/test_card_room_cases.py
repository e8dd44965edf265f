"""Hands of every night in a card room that once went wrong, each with what the text or every room has of it."""

from __future__ import annotations

from typing import Final

import pytest

from dealer_flow.editions import load_edition
from dealer_flow.procedure.load import load_procedure
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on, play
from tests.support.dealing.settling_table import SettlingTable
from tests.support.dealing.written_rounds import seat_of, settled

CHECKS: Final = "acts 1: check / acts 2: check / acts 3: check"
LIMPED: Final = (
    "stakes 1: 60000, 2: 60000, 3: 60000 / bets 1: small-blind 500 / bets 2: big-blind 1000 / start at 3"
    " / draw seat 1 AS AD | seat 2 KS KD | seat 3 QS QD / acts 3: call 1000 / acts 1: call 1000"
)
REST: Final = (
    f"draw community 3H 4D 7D / {CHECKS} / burn-card 3C / draw community 9H / {CHECKS} / burn-card 4C"
    f" / draw community TC / {CHECKS} / show community: 3H 4D 7D 9H TC"
    " / show seat 1: AS AD / show seat 2: KS KD / show seat 3: QS QD"
)


def ended(lines: str, game: str = "holdem.co", **options: str) -> SettlingTable:
    """Return the table after a hand."""
    table = SettlingTable(game, {"token_cents": 100}, **options)
    go_on(table, lines)
    table.end()
    return table


def nets(table: SettlingTable) -> dict[int, int]:
    """Return what each seat has won or lost; the round must be whole and settled."""
    assert (table.results[-1].outcome, table.settlements[-1].status) == ("complete", "settled"), table.codes
    return {seat.seat: seat.net for seat in table.settlements[-1].seats}


def first(table: HandTable) -> int:
    now = round_of(table.flow)
    return now.betting.waiting(now.live)[0]


# ------------------------------------------------------------------ a burn a moment too early, 1025


@pytest.mark.parametrize(
    "burn",
    [
        "acts 2: check / burn-card 2C",
        "acts 2: check / burn-card 2C / push-back / burn-card 2C",
        "burn-card 2C / push-back / acts 2: check / burn-card 2C",
        "burn-card 2C / acts 2: check",
        "burn-card 2C / acts 2: check / burn-card 5C",
        *(
            f"burn-card 2C / {said} / acts 2: check{again}"
            for said in ("mishap burn: early 2C", "mishap burn: early", "mishap community: early 2C", "confirm")
            for again in ("", " / burn-card 5C")
        ),
    ],
)
def test_a_burn_voids_no_hand_whatever_is_keyed(burn: str) -> None:
    assert nets(ended(f"{LIMPED} / {burn} / {REST}")) == {1: 2000, 2: -1000, 3: -1000}


@pytest.mark.parametrize(
    "early",
    ["burn-card 2C", "burn-card 2C / draw community 5H 6D 8D / mishap community: early / back 3 / reshuffle"],
)
def test_a_hand_that_all_fold_after_it_is_won(early: str) -> None:
    table = ended(f"{LIMPED} / {early} / acts 2: raise 5000 / acts 3: fold / acts 1: fold")
    assert nets(table) == {1: -1000, 2: 2000, 3: -1000}


# ------------------------------------------------------------------ a raise out of turn, 1019 and 1027

EARLY: Final = (
    "stakes 1: 60000, 2: 60000, 3: 60000, 4: 60000 / bets 1: small-blind 500 / bets 2: big-blind 1000 / start at 4"
    " / draw seat 1 AS AD | seat 2 KS KD | seat 3 QS QD | seat 4 JS JD / acts 4: raise 4000"
)


@pytest.mark.parametrize("due", ["call 1000", "raise 3000", "raise 4000", "fold"])
def test_the_seat_that_was_due_acts_as_if_nothing_had_been_done(due: str) -> None:
    table = play("holdem.co", f"{EARLY} / acts 3: {due}")
    assert (table.codes, first(table)) == (["acted-out-of-turn", "action-taken-back"], 4)


def test_the_floor_takes_it_back() -> None:
    table = play("holdem.co", f"{EARLY} / acts 4: withdraw")
    assert (table.codes, first(table), round_of(table.flow).betting.high) == (
        ["acted-out-of-turn", "action-taken-back"],
        3,
        1000,
    )


# ------------------------------------------------------------------ a beaten all-in hand is mucked, 1023(2) and 1035


@pytest.mark.parametrize("last", ["show seat 4: QC JD", "acts 4: fold"])
def test_a_mucked_hand_moves_no_chip(last: str) -> None:
    """Main pot of $45: 23 and 22. Side pot of $41: 21 and 20."""
    table = ended(
        "stakes 1: 60000, 2: 60000, 3: 60000, 4: 1500 / bets 4: small-blind 100 / bets 1: big-blind 200 / start at 3"
        " / draw seat 4 QC JD | seat 1 AS KD | seat 2 AD KS | seat 3 2C 7D"
        " / acts 2: raise 1500 / acts 3: fold / acts 4: all-in 1500 / acts 1: call 1500"
        " / burn-card 2H / draw community AH KH 8C / acts 1: bet 2050 / acts 2: call 2050"
        " / burn-card 3H / draw community 6S / acts 1: check / acts 2: check"
        " / burn-card 4H / draw community 3D / acts 1: check / acts 2: check"
        f" / show community: AH KH 8C 6S 3D / show seat 1: AS KD / show seat 2: AD KS / {last}"
    )
    assert {seat: net for seat, net in nets(table).items() if net} == {1: 850, 2: 650, 4: -1500}


# ------------------------------------------------------------------ who comes in, 1012(1)

FIVE: Final = "stakes 1: 60000, 2: 60000, 3: 60000, 4: 60000, 5: 60000"
HANDS: Final = "draw seat 1 AS AD | seat 2 KS KD | seat 3 QS QD | seat 4 JS JD | seat 5 9C 8C"


@pytest.mark.parametrize("post", ["post", "big-blind", "straddle", "third-blind"])
def test_a_player_who_posts_turns_no_table_round(post: str) -> None:
    blinds = f"{FIVE} / bets 1: small-blind 100 / bets 2: big-blind 200 / bets 4: {post} 200 / start at 5 / {HANDS}"
    table = play("holdem.co", blinds)
    assert first(table) == 3
    assert {each.seat for each in table.incidents} == (set() if post == "post" else {4})
    go_on(table, "acts 3: call 200 / acts 4: check / acts 5: fold / acts 1: fold / acts 2: check")
    assert {"hand-passed-by", "acted-out-of-turn", "action-refused"}.isdisjoint(table.codes)


def test_a_player_who_has_just_sat_down_posts_between_the_blinds_and_the_button() -> None:
    """Seat 5 posts; seat 4, left of the big blind, is due."""
    dealt = "draw seat 2 8S 8D | seat 3 AC AH | seat 4 2S 3S | seat 5 9C TC | seat 1 KS KD"
    blinds = f"{FIVE} / bets 2: small-blind 100 / bets 3: big-blind 200 / bets 5: post 200 / start at 1 / {dealt}"
    table = play("holdem.co", blinds)
    assert (first(table), table.codes) == (4, [])


# ------------------------------------------------------------------ a big blind that is short, a blind above the stake


@pytest.mark.parametrize(("reading", "side"), [("full", 1000), ("as-posted", 0)])
def test_a_short_big_blind_is_called_in_full_or_as_it_lies(reading: str, side: int) -> None:
    """Blinds of $5 and $10, and seat 3 has $5: a main pot of $15, and $10 beside it where the full blind is called."""
    called = 1000 if side else 500
    table = ended(
        "stakes 1: 20000, 2: 20000, 3: 500, 4: 20000 / bets 2: small-blind 500 / bets 3: big-blind 500 / start at 1"
        " / draw seat 2 8S 8D | seat 3 AC AH | seat 4 KS KD | seat 1 JC TC"
        f" / acts 4: call {called} / acts 1: fold / acts 2: {'call 1000' if side else 'check'}"
        " / burn-card 2D / draw community 2H 6C 9S / acts 2: check / acts 4: check"
        " / burn-card 2S / draw community 3D / acts 2: check / acts 4: check"
        " / burn-card 3H / draw community TD / acts 2: check / acts 4: check"
        " / show community: 2H 6C 9S 3D TD / show seat 2: 8S 8D / show seat 3: AC AH / show seat 4: KS KD",
        short_blind=reading,
    )
    won = {seat: net for seat, net in nets(table).items() if net}
    assert won == ({2: -1000, 3: 1000} if side else {2: -500, 3: 1000, 4: -500})
    assert [pot.cents for pot in table.settlements[-1].pots] == [1500, *([side] if side else [])]


@pytest.mark.parametrize("stake", [0, 50])
def test_a_blind_above_the_stake_is_held_and_said(stake: int) -> None:
    """47.1-1023(1): nobody bets more than lies before him."""
    table = play(
        "holdem.co",
        f"stakes 1: 20000, 2: {stake}, 3: 20000 / bets 2: small-blind 100 / bets 3: big-blind 200 / start at 1",
    )
    assert [(each.code, each.clause, each.seat) for each in table.incidents] == [("wager-held", "47.1-1023(1)", 2)]


# ------------------------------------------------------------------ $1-3 no limit as it has been since May 2021


@pytest.mark.parametrize(("edition", "codes"), [("colorado-rule-10", True), ("colorado-2021-05-01", False)])
def test_a_raise_of_more_than_a_hundred_dollars_is_a_matter_of_the_edition(edition: str, codes: bool) -> None:
    procedure = load_procedure("holdem.co", load_edition(edition))
    table = HandTable(procedure, raises_per_round="unlimited")
    go_on(
        table,
        "stakes 1: 100000, 2: 100000, 3: 100000 / bets 2: small-blind 100 / bets 3: big-blind 300 / start at 1"
        " / draw seat 2 8S 8D | seat 3 AC AH | seat 1 KS KD / acts 1: raise 900 / acts 2: fold"
        " / acts 3: raise 30000 / acts 1: all-in 100000 / acts 3: call 100000",
    )
    assert bool(table.codes) == codes
    if not codes:
        assert "CardDrawn" in {item.event for item in table.flow.legal()}


# ------------------------------------------------------------------ Longhorn, where nobody made the Bad Beat wager


@pytest.mark.parametrize(
    ("board", "hands"),
    [
        ("2C 2D AH AS KC", ("AD 3H", "2H 2S")),
        ("5C 5S 5D 5H 4S", ("AD KS", "AC QD", "7C 7D")),
        ("2C AH 3H AS AC", ("4H 5D", "3C 3D", "2D 2H")),
    ],
)
def test_an_award_that_nobody_bet_on_holds_nothing(board: str, hands: tuple[str, ...]) -> None:
    """47.1-1017.41(1): those share it who placed the wager."""
    pots = {"bonus": 1000, "pot_1": 500, "pot_2": 500, "pot_3": 500}
    seats = [seat_of(number, hand, **pots) for number, hand in enumerate(hands, 1)]
    found = settled("longhorn.co", seats, board, terms={"meters": {"primary": 100_000}})
    assert (found.status, [line for line in found.lines if line.bet == "jackpot"]) == ("settled", [])


def test_an_award_that_was_bet_on_is_paid() -> None:
    """Aces full of deuces, beaten by four deuces: half and a quarter of $1,000."""
    seats = [
        seat_of(number, hand, bonus=1000, pot_1=500, pot_2=500, pot_3=500, bad_beat=100)
        for number, hand in ((1, "AD 3H"), (2, "2H 2S"))
    ]
    found = settled("longhorn.co", seats, "2C 2D AH AS KC", terms={"meters": {"primary": 100_000}})
    assert {line.seat: line.pay for line in found.lines if line.bet == "jackpot"} == {1: 50_000, 2: 25_000}
