"""An award of a pot that another player claims in time, 47.1-1034: what was taken in lies in the pot again."""

from rules import Settlement, load_game, settle
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on, play, refused

STREETS = (
    " / acts 3: call 200 / acts 1: call 200 / acts 2: check / burn-card 9S / draw community 9C TC JD"
    " / acts 1: check / acts 2: check / acts 3: check / burn-card 9H / draw community 2S"
    " / acts 1: check / acts 2: check / acts 3: check / burn-card 8D / draw community 4S"
    " / acts 1: check / acts 2: check / acts 3: check / show community: 9C TC JD 2S 4S"
)
SEATS = "stakes 1: 20000, 2: 20000, 3: 20000 / bets 1: small-blind 100 / bets 2: big-blind 200 / start at 3"
SHOWN = f"{SEATS} / draw seat 1 AH AD | seat 2 KC KH | seat 3 6D 5D{STREETS} / show seat 1: AH AD / show seat 2: KC KH"
"""Aces beat kings for a pot of 600; seat 3 has its cards still."""


def settled(table: HandTable) -> Settlement:
    table.end()
    return settle(table.results[-1], load_game("holdem.co"))


def winners(done: Settlement) -> list[tuple[int, int, str]]:
    return [(won.seat, won.cents, won.won_with) for pot in done.pots for won in pot.winners]


def test_an_award_stands_unless_it_is_claimed() -> None:
    assert winners(settled(play("holdem.co", f"{SHOWN} / acts 3: fold / takes 2: 600"))) == [(2, 600, "award")]


def test_what_was_claimed_is_awarded_again() -> None:
    table = play("holdem.co", f"{SHOWN} / acts 3: fold / takes 2: 600 / takes 2: 0 / takes 1: 600")
    (found,) = table.incidents
    assert (found.code, found.clause, found.seat, found.number, found.cents) == (
        *("award-taken-back", "47.1-1034"),
        *(2, 1, 600),
    )
    done = settled(table)
    assert done.status == "settled"
    assert winners(done) == [(1, 600, "high")]
    assert {seat.seat: seat.net for seat in done.seats} == {1: 400, 2: -200, 3: -200}
    assert [(each.pot, each.seat, each.cents) for each in table.results[-1].awards] == [(1, 1, 600)]


def test_a_claim_that_is_not_awarded_again_leaves_it_to_the_cards() -> None:
    assert winners(settled(play("holdem.co", f"{SHOWN} / acts 3: fold / takes 2: 600 / takes 2: 0"))) == [
        (1, 600, "high")
    ]


def test_one_share_alone_is_taken_back() -> None:
    table = play("holdem.co", f"{SHOWN} / acts 3: fold / takes 2: 200 / takes 2: 100 / takes 1: 300")
    assert "take back what seat 2 took of pot 1" in {item.what for item in table.flow.legal()}
    go_on(table, "takes 2: 0 / takes 1: 300")
    assert table.incidents[-1].cents == 300
    assert winners(settled(table)) == [(1, 600, "high")]


def test_a_mucked_hand_may_be_claimed_again_once_nothing_is_taken_in() -> None:
    """47.1-1032(7): a supervisor rules whether it was retrieved; while a pot is taken in nobody claims it."""
    assert play("holdem.co", f"{SHOWN} / acts 3: fold / takes 1: 600 / show seat 3: 6D 5D").incidents == []
    table = play("holdem.co", f"{SHOWN} / acts 3: fold / takes 1: 600 / takes 1: 0 / show seat 3: 6D 5D")
    assert table.codes == ["award-taken-back", "mucked-hand-shown"]


def test_nothing_is_taken_back_where_nothing_was_taken() -> None:
    table = play("holdem.co", f"{SHOWN} / acts 3: fold / takes 2: 0 / takes 2: 600 / takes 2: 0 of 2 / takes 1: 0")
    assert table.codes == []
    assert winners(settled(table)) == [(2, 600, "award")]
    early = play("holdem.co", f"{SEATS} / takes 1: 0")
    assert refused(early) == [("out-of-turn", "hands_compared", False)]
