"""Posts, dead posts, seats that sit out, move or buy chips: none changes who acts first, and no chip is lost.

47.1-1002(4.25) puts the blinds left of the button, 47.1-1012(1) has the player left of the last blind bettor begin.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devices.events import BettingAction
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on, play, refused
from tests.support.dealing.settling_table import SettlingTable

STAKES = "stakes 1: 20000, 2: 20000, 3: 20000, 4: 20000, 5: 20000"
BLINDS = f"{STAKES} / bets 1: small-blind 100 / bets 2: big-blind 200"
HANDS = "draw seat 1 AS AD | seat 2 KS KD | seat 3 QS QD | seat 4 JS JD | seat 5 9C 8C"
BOARD = (
    "burn-card 2C / draw community 3H 4D 7D",
    "burn-card 2D / draw community 9H",
    "burn-card 2H / draw community TC",
)


def holdem(lines: str, **options: str) -> HandTable:
    return play("holdem.co", lines, **options)


def first(table: HandTable) -> list[int]:
    """Return the seats that may act now."""
    betting = round_of(table.flow).betting
    return betting.waiting(round_of(table.flow).live)


def may(table: HandTable) -> list[str]:
    """Return what players may do now."""
    return [item.what for item in table.flow.legal() if item.event == "PlayerActed"]


def said(table: HandTable) -> list[str]:
    return [str(each) for each in table.incidents]


def checked_down(lines: str, checks: str, shown: str, **options: str) -> SettlingTable:
    """Play a hand to its end: after these lines everybody checks on each street, in this order."""
    table = SettlingTable("holdem.co", {"token_cents": 100}, **options)
    go_on(table, lines)
    for street in BOARD:
        go_on(table, street)
        for seat in checks.split():
            table.say(f"acts {seat}: check")
    go_on(table, f"show community: 3H 4D 7D 9H TC / {shown}")
    table.end()
    return table


def pots(table: SettlingTable) -> list[tuple[int, tuple[int, ...], list[tuple[int, int]]]]:
    """Return of each pot its cents, its contenders, and who won how much."""
    return [
        (pot.cents, pot.contenders, [(winner.seat, winner.cents) for winner in pot.winners])
        for pot in table.settlements[-1].pots
    ]


def back(table: SettlingTable) -> dict[int, int]:
    return {line.seat: line.returned for line in table.settlements[-1].lines if line.result == "returned"}


# ------------------------------------------------------------------ posts


def test_a_player_who_posts_does_not_turn_the_table_round() -> None:
    """Seat 4 comes in with a post of the big blind: seat 3 begins, and seat 4 may check behind a call."""
    table = holdem(f"{BLINDS} / bets 4: post 200 / start at 5 / {HANDS}")
    assert (first(table), table.codes) == ([3], [])
    go_on(table, "acts 3: call 200")
    assert "check" in may(table)
    assert "raise to more than $2" in may(table)
    go_on(table, "acts 4: check / acts 5: fold / acts 1: call 200 / acts 2: check")
    assert table.codes == []
    assert "CardDrawn" in {item.event for item in table.flow.legal()}


def test_a_post_is_called_and_a_dead_post_is_not() -> None:
    """Seat 4 has missed both blinds: $2 live and $1 dead. All call $2; the main pot has $11, and nothing goes back."""
    called = " / ".join(("acts 3: call 200", "acts 4: check", "acts 5: call 200", "acts 1: call 200", "acts 2: check"))
    shown = "show seat 1: AS AD / show seat 2: KS KD / show seat 3: QS QD / show seat 4: JS JD / show seat 5: 9C 8C"
    lines = f"{BLINDS} / bets 4: post 200, dead-post 100 / start at 5 / {HANDS} / {called}"
    table = checked_down(lines, "1 2 3 4 5", shown)
    assert table.codes == []
    assert pots(table) == [(1100, (1, 2, 3, 4, 5), [(1, 1100)])]
    assert back(table) == {}


def test_a_dead_post_makes_no_side_pot() -> None:
    """Seat 4 is all-in with a post of $2 beside $1 dead; seats 1 and 2 bet on, for a side pot of $10.

    The main pot has 3 x $2 and the dead $1. If that counted as a bet, it would go back to seat 4.
    """
    stakes = STAKES.replace("4: 20000", "4: 300")
    blinds = f"{stakes} / bets 1: small-blind 100 / bets 2: big-blind 200 / bets 4: post 200, dead-post 100"
    acts = "acts 3: fold / acts 5: fold / acts 1: call 200 / acts 2: check"
    table = SettlingTable("holdem.co", {"token_cents": 100})
    go_on(table, f"{blinds} / start at 5 / {HANDS} / {acts} / {BOARD[0]} / acts 1: bet 500 / acts 2: call 500")
    for street in BOARD[1:]:
        go_on(table, f"{street} / acts 1: check / acts 2: check")
    go_on(table, "show community: 3H 4D 7D 9H TC / show seat 1: AS AD / show seat 2: KS KD / show seat 4: JS JD")
    table.end()
    assert pots(table) == [(700, (1, 2, 4), [(1, 700)]), (1000, (1, 2), [(1, 1000)])]
    assert back(table) == {}


def test_a_second_big_blind_is_named_at_the_seat_that_is_wrong() -> None:
    table = holdem(f"{BLINDS} / bets 4: big-blind 200 / start at 5 / {HANDS}")
    assert said(table) == ["seat 4 has put up the big-blind, which seat 2 owes"]
    assert first(table) == [3]


def test_a_post_before_the_chop_keeps_the_blinds_where_they_are() -> None:
    """47.1-1002(10.5): the two in the blinds take back their own; the chips of seat 4 would be nobody's."""
    folds = "acts 3: fold / acts 4: fold / acts 5: fold"
    alone = f"{BLINDS} / start at 5 / {HANDS} / {folds}"
    assert "chop the blinds" in may(holdem(alone, chop_blinds="yes"))
    posted = alone.replace(" / start", " / bets 4: post 200 / start")
    assert "chop the blinds" not in may(holdem(posted, chop_blinds="yes"))


# ------------------------------------------------------------------ straddles


def test_the_seat_after_the_blinds_straddles_and_acts_last() -> None:
    table = holdem(f"{BLINDS} / bets 3: straddle 400 / start at 5 / {HANDS}")
    assert (first(table), table.codes) == ([4], [])


@pytest.mark.parametrize(
    ("way", "begins", "codes"),
    [("none", 3, ["blind-misplaced"]), ("left-of-button", 1, []), ("left-of-blinds", 3, [])],
)
def test_the_button_straddles(way: str, begins: int, codes: list[str]) -> None:
    """The button, seat 5, puts up $4: the house says who begins, and everybody calls $4."""
    table = holdem(f"{BLINDS} / bets 5: straddle 400 / start at 5 / {HANDS}", button_straddle=way)
    assert (first(table), table.codes) == ([begins], codes)
    assert round_of(table.flow).betting.high == 400


def test_a_button_that_straddles_acts_last_where_the_seat_left_of_it_begins() -> None:
    table = holdem(f"{BLINDS} / bets 5: straddle 400 / start at 5 / {HANDS}", button_straddle="left-of-button")
    order = []
    while first(table):
        order += first(table)
        high = round_of(table.flow).betting.high
        lies = round_of(table.flow).betting.lies(order[-1])
        table.say(f"acts {order[-1]}: " + ("check" if lies == high else f"call {high}"))
    assert order == [1, 2, 3, 4, 5]


# ------------------------------------------------------------------ sitting out, moving, buying chips


def test_a_seat_that_sits_out_gets_no_card_and_owes_nothing_and_its_stake_is_known() -> None:
    """Seat 2, next to the big blind, sits out: the blinds are those of seats 1 and 3."""
    blinds = f"{STAKES} / acts 2: sit-out / bets 1: small-blind 100 / bets 3: big-blind 200 / start at 5"
    table = holdem(f"{blinds} / draw seat 1 AS AD | seat 3 KS KD | seat 4 QS QD | seat 5 JS JD")
    assert (first(table), table.codes) == ([4], [])
    result = go_on(table, "acts 4: fold / acts 5: fold / acts 1: fold").end()
    assert result.outcome == "complete"
    assert [(seat.seat, seat.status, seat.stake) for seat in result.seats if seat.seat in (2, 3)] == [
        (2, "out", 20_000),
        (3, "live", 20_000),
    ]
    assert result.left == ()


def test_a_stake_shown_after_it_deals_the_seat_in_again() -> None:
    out = "player at seat 2: sit out the next hand"
    assert out in map(str, holdem(STAKES).flow.legal())
    table = holdem(f"{STAKES} / acts 2: sit-out")
    assert out not in map(str, table.flow.legal())
    go_on(table, "stakes 2: 20000 / start at 5")
    assert round_of(table.flow).active == (1, 2, 3, 4, 5)


def test_a_seat_that_bets_after_it_plays_and_one_that_sits_out_takes_its_bet_back() -> None:
    table = holdem(
        f"{STAKES} / acts 2: sit-out / bets 2: post 200 / bets 3: small-blind 100 / acts 3: sit-out / start at 5"
    )
    assert round_of(table.flow).active == (1, 2, 4, 5)
    assert round_of(table.flow).wagers[2] == {"post": 200}
    assert 3 not in round_of(table.flow).wagers


def test_the_next_hand_begins_without_what_was_shown_for_the_last() -> None:
    """A seat that sat out is dealt in as soon as its stake is shown for the next hand."""
    table = holdem(f"{STAKES} / acts 2: sit-out / bets 1: small-blind 100 / bets 3: big-blind 200 / start at 5")
    go_on(table, "draw seat 1 AS AD | seat 3 KS KD | seat 4 QS QD | seat 5 JS JD")
    go_on(table, "acts 4: fold / acts 5: fold / acts 1: fold").end()
    go_on(table, f"fresh deck / {STAKES} / bets 2: small-blind 100 / bets 3: big-blind 200 / start at 1")
    assert round_of(table.flow).active == (1, 2, 3, 4, 5)
    assert table.codes == []


def test_only_a_seat_of_the_table_sits_out_between_hands() -> None:
    assert refused(holdem("acts 23: sit-out")) == [("unknown-seat", "seat_at_table", False)]
    assert refused(play("let-it-ride", "acts 1: sit-out"))[0][1] == "round_begun"


def test_a_player_buys_more_between_hands_and_moves() -> None:
    """47.1-1023(1): chips may be added before the hand starts. The player of seat 5 moves to seat 6."""
    table = holdem(f"{STAKES} / stakes 1: 35000 / stakes 5: 0 / stakes 6: 20000")
    go_on(table, "bets 2: small-blind 100 / bets 3: big-blind 200 / bets 6: post 200 / start at 1")
    go_on(table, "draw seat 2 KS KD | seat 3 QS QD | seat 4 JS JD | seat 6 9C 8C | seat 1 AS AD")
    assert (first(table), table.codes) == ([4], [])
    assert round_of(table.flow).betting.behind == {1: 35_000, 2: 19_900, 3: 19_800, 4: 20_000, 6: 19_800}


@pytest.mark.more
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seats=st.sets(st.integers(1, 9), min_size=3, max_size=9),
    out=st.sets(st.integers(1, 9), max_size=4),
    posts=st.dictionaries(st.integers(1, 9), st.sampled_from(["post", "dead-post", "big-blind", "third-blind"])),
    button=st.integers(0, 8),
)
def test_who_begins_does_not_depend_on_who_comes_and_goes(
    seats: set[int], out: set[int], posts: dict[int, str], button: int
) -> None:
    """The blinds lie at the first two seats left of the button; the third one begins, whoever else puts up what.

    A third blind at that third seat is a real one, and a fourth begins then.
    """
    inside = sorted(seats - out) if len(seats - out) >= 3 else sorted(seats)
    at = inside[button % len(inside)]
    around = [seat for seat in inside if seat > at] + [seat for seat in inside if seat <= at]
    table = HandTable("holdem.co", filled=False)
    for seat in sorted(seats):
        table.say(f"stakes {seat}: 20000")
        if seat not in inside:
            table.say(f"acts {seat}: sit-out")
    table.say(f"bets {around[0]}: small-blind 100")
    table.say(f"bets {around[1]}: big-blind 200")
    others = {seat: bet for seat, bet in posts.items() if seat in around[2:]}
    for seat, bet in others.items():
        table.say(f"bets {seat}: {bet} 200")
    table.fresh_deck().say(f"start at {at}")
    cards = (f"{rank}{suit}" for suit in "SHDC" for rank in "A23456789TJQK")
    for _ in range(2 * len(inside)):
        table.draw(next(cards))
    third = others.get(around[2]) == "third-blind"
    begins = around[3 % len(around)] if third else around[2]
    assert first(table) == [begins]
    wrong = {seat for seat, bet in others.items() if bet == "big-blind" or (bet == "third-blind" and seat != around[2])}
    assert {each.seat for each in table.incidents} == wrong


# ------------------------------------------------------------------ more than lies there


def test_a_blind_above_the_stake_is_held() -> None:
    """47.1-1023(1): nobody bets more than lay there, so that $1 or $0.50 is wrong. Which, the flow does not guess."""
    stakes = "stakes 1: 20000, 2: 50, 3: 20000 / bets 2: small-blind 100 / bets 3: big-blind 200 / start at 1"
    dealt = "draw seat 2 KS KD | seat 3 QS QD | seat 1 AS AD"
    acts = "acts 1: call 200 / acts 3: check"
    shown = "show seat 3: QS QD / show seat 1: AS AD / show seat 2: KS KD"
    table = checked_down(f"{stakes} / {dealt} / {acts}", "3 1", shown)
    assert refused(table) == [("wager-held", "above-stake", False)]
    assert [(pot.cents, bool(pot.held)) for pot in table.settlements[-1].pots] == [(500, True)]


def test_the_stake_may_be_keyed_right_until_the_betting_begins() -> None:
    """Seat 2 had $50, not $0.50: with that nothing is held, and the aces win the pot of $6 of three who called $2."""
    stakes = "stakes 1: 20000, 2: 50, 3: 20000 / bets 2: small-blind 100 / bets 3: big-blind 200 / start at 1"
    hands = "draw seat 2 KS KD | seat 3 QS QD | seat 1 AS AD"
    called = "acts 1: call 200 / acts 2: call 200 / acts 3: check"
    shown = "show seat 2: KS KD / show seat 3: QS QD / show seat 1: AS AD"
    table = checked_down(f"{stakes} / stakes 2: 5000 / {hands} / {called}", "2 3 1", shown)
    assert [each.reason for each in table.incidents] == ["above-stake"]
    assert pots(table) == [(600, (1, 2, 3), [(1, 600)])]
    assert refused(holdem(f"{stakes} / stakes 3: 5000"))[-1] == ("out-of-turn", "stake_before_hand", False)
    assert refused(holdem(f"{stakes} / {hands} / stakes 2: 5000"))[-1] == ("out-of-turn", "stake_before_hand", False)


def test_a_seat_without_chips_puts_up_nothing() -> None:
    """The stake of seat 2 was keyed as 0 after a lost all-in: its blind is held."""
    table = holdem("stakes 1: 20000, 2: 0, 3: 20000 / bets 2: small-blind 100 / bets 3: big-blind 200 / start at 1")
    assert refused(table) == [("wager-held", "above-stake", False)]
    assert said(table) == ["seat 2: small-blind of $1, and only $0 of its stake is left for it"]


def test_an_ante_above_the_stake_is_held_first() -> None:
    """Of $0.75 the ante takes $0.50; the blind of $1 exceeds the rest."""
    stakes = "stakes 1: 20000, 2: 75, 3: 20000 / bets 1: ante 50 / bets 2: ante 50, small-blind 100"
    table = holdem(f"{stakes} / bets 3: ante 50, big-blind 200 / start at 1", ante="yes")
    assert said(table) == ["seat 2: small-blind of $1, and only $0.25 of its stake is left for it"]
    assert round_of(table.flow).held == {2: {"small-blind": "47.1-1023(1)"}}


# ------------------------------------------------------------------ two players


def test_the_button_has_the_small_blind_where_the_house_says_so() -> None:
    """Seat 2 has the button and $1; seat 5 gets the first card. Before the flop the button begins, after it seat 5."""
    stakes = "stakes 2: 20000, 5: 20000 / bets 2: small-blind 100 / bets 5: big-blind 200 / start at 2"
    hands = "draw seat 5 KS KD | seat 2 AS AD"
    table = holdem(f"{stakes} / {hands}", heads_up_blinds="button-small")
    assert (first(table), table.codes) == ([2], [])
    go_on(table, f"acts 2: call 200 / acts 5: check / {BOARD[0]}")
    assert (first(table), table.codes) == ([5], [])
    letter = holdem(f"{stakes} / {hands}")
    assert letter.codes == ["blind-misplaced", "blind-misplaced"]
    literal = stakes.replace("2: small", "0: small").replace("5: big", "2: big").replace("0: small", "5: small")
    assert holdem(f"{literal} / {hands}").codes == []
    assert holdem(f"{literal} / {hands}", heads_up_blinds="button-small").codes == ["blind-misplaced"] * 2


def test_three_players_have_the_usual_blinds_there_too() -> None:
    stakes = "stakes 1: 20000, 2: 20000, 3: 20000 / bets 2: small-blind 100 / bets 3: big-blind 200 / start at 1"
    assert holdem(stakes, heads_up_blinds="button-small").codes == []


def test_every_action_between_hands_but_this_one_waits_for_the_hand() -> None:
    for action in BettingAction:
        table = holdem(f"{STAKES} / acts 2: {action} 0")
        wanted = [] if action is BettingAction.SIT_OUT else [("out-of-turn", "round_begun", False)]
        assert refused(table) == wanted
