"""Betting as 47.1-1002, 1019 and 1023 to 1038 have it: what counts, what is refused, what a correction undoes."""

import pytest

from dealer_flow.play.machine.states import State
from dealer_flow.record.result import RoundResult
from rules import load_game, settle
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on, play, refused, state

SEATS = "stakes 1: 20000, 2: 20000, 3: 20000, 4: 20000 / bets 1: small-blind 100 / bets 2: big-blind 200 / start at 4"
CARDS = "draw seat 1 AH KH | seat 2 2C 3C | seat 3 4D 5D | seat 4 6S 7S"
HOLDEM = f"{SEATS} / {CARDS}"
LIMPED = f"{HOLDEM} / acts 3: call 200 / acts 4: call 200 / acts 1: call 200 / acts 2: check"
FLOP = f"{LIMPED} / burn-card 9S / draw community 9C TC JC"
STUD = "stakes 1: 9000, 2: 9000, 3: 9000 / start / draw seat 1 AH KH 2D | seat 2 2C 3C 7D | seat 3 4D 5D QS"


def holdem(lines: str, **options: str) -> HandTable:
    return play("holdem.co", lines, **options)


def turn(table: HandTable) -> list[int]:
    """Return the seats that may act, the one whose turn it is first."""
    now = round_of(table.flow)
    return now.betting.waiting(now.live)


def ended(table: HandTable) -> RoundResult:
    table.end()
    return table.results[-1]


def put_in(result: RoundResult) -> dict[int, dict[str, int]]:
    return {seat.seat: dict(seat.wagers) for seat in result.seats}


# ------------------------------------------------------------------ whose turn


def test_the_player_left_of_the_last_blind_begins_and_after_the_flop_left_of_the_button() -> None:
    """47.1-1012(1), (3)."""
    assert turn(holdem(HOLDEM)) == [3]
    assert turn(holdem(FLOP)) == [1]
    straddled = HOLDEM.replace(" / start", " / bets 3: straddle 400 / start")
    assert turn(holdem(straddled)) == [4]
    assert turn(holdem(HOLDEM.replace("bets 1: small-blind 100 / bets 2: big-blind 200 / ", ""))) == [1]


def test_the_big_blind_may_raise_when_the_action_comes_back() -> None:
    table = holdem(f"{HOLDEM} / acts 3: call 200 / acts 4: call 200 / acts 1: call 200 / acts 2: raise 500")
    assert (turn(table), table.codes) == ([3], [])


def test_with_two_players_the_one_left_of_the_button_has_the_small_blind() -> None:
    """47.1-1002(4.25): the player to the left of the button, also with two."""
    two = "stakes 1: 20000, 2: 20000 / bets 1: small-blind 100 / bets 2: big-blind 200"
    table = holdem(f"{two} / start at 2 / draw seat 1 AH KH | seat 2 2C 3C")
    assert (turn(table), table.codes) == ([1], [])
    assert holdem(f"{two} / start at 1").codes == ["blind-misplaced"] * 2


@pytest.mark.parametrize(("stake", "codes"), [(100, []), (150, ["blind-misplaced"])])
def test_of_a_player_all_in_with_the_ante_no_blind_is_due(stake: int, codes: list[str]) -> None:
    """47.1-1002(4.25) has the blinds at the left of the button; table stakes leave nothing to post there."""
    table = HandTable("holdem.co", ante="yes").play(
        [
            f"stakes 1: {stake}, 2: 20000, 3: 20000",
            *(f"bets {seat}: ante 100" for seat in (1, 2, 3)),
            "bets 2: big-blind 200",
            "start at 3",
        ]
    )
    assert table.codes == codes


@pytest.mark.parametrize(
    ("blinds", "button", "codes", "first"),
    [
        ({2: "small", 3: "big"}, 4, [], 1),  # two places before the button
        ({3: "small"}, 4, [], 1),  # one place
        ({4: "small", 1: "big"}, 2, [], 3),  # from the last seat on to the first
        ({1: "small", 2: "big"}, 4, ["blind-misplaced"] * 2, 1),  # as in other games: after the button
        ({3: "small", 2: "big"}, 4, ["blind-misplaced"] * 2, 1),
    ],
)
def test_the_blinds_of_home_run_are_before_the_button(
    blinds: dict[int, str], button: int, codes: list[str], first: int
) -> None:
    """47.1-1017.30(3); by (6) the player left of the button begins, and the button bets last (47.1-1011(1))."""
    more = {seat: f", {name}-blind {200 if name == 'big' else 100}" for seat, name in blinds.items()}
    posts = " / ".join(f"bets {seat}: strike-out 300{more.get(seat, '')}" for seat in (1, 2, 3, 4))
    seats = f"stakes 1: 9000, 2: 9000, 3: 9000, 4: 9000 / {posts} / start at {button}"
    order = [seat for seat in (1, 2, 3, 4) if seat > button] + [seat for seat in (1, 2, 3, 4) if seat <= button]
    cards = {1: "AH KH", 2: "2C 3C", 3: "4D 5D", 4: "6S 7S"}
    table = play("home-run.co", f"{seats} / draw {' | '.join(f'seat {at} {cards[at]}' for at in order)}", form="blind")
    assert (table.codes, turn(table)) == (codes, [first])
    if codes:
        assert {found.clause for found in table.incidents} == {"47.1-1017.30(3)"}
    after = play("home-run.co", seats, form="blind", blinds_at="after-button")
    assert bool(after.codes) == (blinds != {1: "small", 2: "big"})


def test_with_two_players_the_button_of_home_run_has_the_second_place_before_it() -> None:
    """There is one place before the button, and the next one back is the button again."""
    seats = "stakes 1: 9000, 2: 9000 / bets 1: strike-out 300, big-blind 200 / bets 2: strike-out 300, small-blind 100"
    assert play("home-run.co", f"{seats} / start at 2", form="blind").codes == []
    assert play("home-run.co", f"{seats} / start at 1", form="blind").codes == ["blind-misplaced"] * 2


@pytest.mark.parametrize(("posts", "codes"), [("1, 2, 3", []), ("1, 3", ["ante-missing"])])
def test_who_is_dealt_in_puts_up_the_ante(posts: str, codes: list[str]) -> None:
    """47.1-1010; that it has not is recorded, and it plays all the same. All that seat 4 has is in a blind."""
    table = HandTable("holdem.co", ante="yes").play(
        [
            "stakes 1: 20000, 2: 20000, 3: 20000, 4: 100",
            *(f"bets {seat}: ante 100" for seat in posts.split(", ")),
            "bets 4: small-blind 100",
            "start at 3",
        ]
    )
    assert (table.codes, round_of(table.flow).active) == (codes, (1, 2, 3, 4))


def test_everybody_makes_a_strike_out_wager() -> None:
    """47.1-1017.30(3)."""
    seats = "stakes 1: 900, 2: 900 / bets 1: ante 100, strike-out 100 / bets 2: ante 100"
    assert play("home-run.co", f"{seats} / start at 1").codes == ["wager-held", "ante-missing"]
    assert play("home-run.co", f"{seats}, strike-out 100 / start at 1").codes == []


@pytest.mark.parametrize(
    ("stake", "held"), [(900, {}), (1000, {"final": "47.1-1017.6(5)"}), (None, {"final": "47.1-1017.6(5)"})]
)
def test_a_final_wager_is_less_than_the_initial_where_the_stake_is_no_more(
    stake: int | None, held: dict[str, str]
) -> None:
    """47.1-1023(2)."""
    seats = "bets 1: initial 500 / bets 2: initial 500 / start at 1 / burn-card 2C / draw seat 2 4C 9D | seat 1 AC AD"
    board = "burn-card 3C / draw community 5S 6C 9S / burn-card 8C / draw community TD"
    chosen = "choose 2: final, final 400 / choose 1: final, final 1000 / show community: 5S 6C 9S TD"
    shown = "show seat 2: 4C 9D / show seat 1: AC AD"
    before = f"stakes 2: {stake} / " if stake else ""
    result = ended(play("eighty-eight.co", f"{before}{seats} / {board} / {chosen} / {shown}"))
    assert [(seat.stake, dict(seat.held)) for seat in result.seats] == [(None, {}), (stake, held)]
    found = settle(result, load_game("eighty-eight.co"))
    assert found.status == ("held" if held else "settled")


def test_one_who_acts_out_of_turn_counts_and_the_turn_goes_back() -> None:
    """47.1-1019, 1024: seat 1 is due, until substantial action has taken place. Where it stands, it faces the bet."""
    table = holdem(f"{FLOP} / acts 2: bet 500", out_of_turn="stands")
    assert (turn(table), table.codes) == ([1], ["acted-out-of-turn"])
    go_on(table, "acts 1: call 500")
    assert turn(table) == [3]
    assert round_of(table.flow).rulings == []


def test_who_is_passed_by_and_says_nothing_may_lose_the_hand() -> None:
    table = holdem(f"{FLOP} / acts 2: bet 500 / acts 3: call 500")
    assert table.codes == ["acted-out-of-turn", "acted-out-of-turn", "hand-passed-by"]
    assert "GameEnded" not in {item.event for item in table.flow.legal()}
    go_on(table, "confirm / acts 4: call 500 / burn-card 8S / draw community 2D")
    assert (turn(table), round_of(table.flow).live) == ([2], [2, 3, 4])


def test_a_fold_out_of_turn_passes_nobody_by() -> None:
    """The others act in their order, as if it had come in its turn."""
    table = holdem(f"{FLOP} / acts 3: fold")
    assert (turn(table), table.codes) == ([1], ["acted-out-of-turn"])
    go_on(table, "acts 1: check / acts 2: bet 300")
    assert turn(table) == [4]


def test_nobody_acts_twice_before_the_others() -> None:
    table = holdem(f"{FLOP} / acts 1: bet 300 / acts 1: raise 900")
    assert refused(table) == [("action-refused", "seat_to_act", False)]
    assert round_of(table.flow).betting.high == 300
    everybody = "acts 1: all-in 9800 / acts 2: all-in 19800"
    table = play("holdem.co", f"{FLOP.replace('2: 20000', '2: 5000')} / acts 1: bet 300 / acts 2: all-in 4800")
    assert refused(go_on(table, "acts 2: bet 300")) == [("action-refused", "seat_to_act", False)]
    assert everybody


# ------------------------------------------------------------------ limits and the house's figures


@pytest.mark.parametrize(
    ("lines", "reason", "clause"),
    [
        (f"{FLOP} / acts 1: bet 10001", "bet_within_limit", "47.1-1002(2)"),
        (f"{FLOP} / acts 1: bet 6000 / acts 2: raise 16001", "raise_within_limit", "47.1-1002(27)"),
        (f"{FLOP} / acts 1: bet 300 / acts 2: call 299", "call_is_whole", "47.1-1029"),
        (f"{FLOP} / acts 1: bet 300 / acts 2: check", "nothing_to_call", "47.1-1002(7)-(9), (27)"),
        (f"{FLOP} / acts 1: bet 300 / acts 2: bet 600", "nothing_bet_yet", "47.1-1002(7)-(9), (27)"),
        (f"{FLOP} / acts 1: bet 300 / acts 2: raise 300", "more_than_before", "47.1-1002(7)-(9), (27)"),
        (f"{FLOP} / acts 1: call", "something_to_call", "47.1-1002(7)-(9), (27)"),
        (f"{FLOP} / acts 1: raise 300", "something_to_raise", "47.1-1002(7)-(9), (27)"),
        (f"{FLOP} / acts 1: check 0 / acts 2: fold 0 time-limit", "time_limit_kept", "47.1-1038"),
        (f"{FLOP} / acts 1: all-in 500", "all_of_it", "47.1-1023(1)"),
        (f"{FLOP} / acts 1: bring-in 100", "bring_in_due", "47.1-1002(7)-(9), (27)"),
    ],
)
def test_what_may_not_be_is_corrected_and_nothing_of_it_is_taken(lines: str, reason: str, clause: str) -> None:
    """47.1-1027: the dealer must correct all bets."""
    table = holdem(lines)
    (found,) = table.incidents
    assert (found.code, found.reason, found.clause, found.unreliable) == ("action-refused", reason, clause, False)
    before = holdem(lines.rpartition(" / ")[0])
    assert round_of(table.flow).wagers == round_of(before.flow).wagers
    assert turn(table) == turn(before)


def test_a_raise_of_just_a_hundred_dollars_and_one_of_a_cent() -> None:
    """47.1-1002(27): a raise is any greater bet, at most $100 more than the one before."""
    assert holdem(f"{FLOP} / acts 1: bet 6000 / acts 2: raise 16000 / acts 3: raise 16001").codes == []


def test_nobody_bets_more_than_its_table_stake() -> None:
    """47.1-1023(1)."""
    table = holdem(f"{FLOP.replace('1: 20000', '1: 500')} / acts 1: bet 301")
    assert refused(table) == [("action-refused", "stake_covers", False)]
    go_on(table, "acts 1: bet 300")
    assert round_of(table.flow).betting.is_all_in(1)


def test_a_stake_less_than_the_blind_is_all_in_with_it() -> None:
    table = holdem(HOLDEM.replace("2: 20000", "2: 150").replace("big-blind 200", "big-blind 150"))
    go_on(table, "acts 3: call 150 / acts 4: fold / acts 1: call 150")
    assert (state(table), table.codes) == (State.DEALING, [])
    over = holdem(HOLDEM.replace("2: 20000", "2: 150"))
    assert round_of(over.flow).betting.behind[2] == 0


def test_the_house_sets_the_number_of_raises() -> None:
    """47.1-1040(4): after the last one a player calls or folds."""
    raised = f"{FLOP} / acts 1: bet 100 / acts 2: raise 200 / acts 3: raise 300"
    table = holdem(f"{raised} / acts 4: raise 400", raises_per_round="2")
    assert refused(table) == [("action-refused", "raises_left", False)]
    assert go_on(table, "acts 4: call 300").codes == ["action-refused"]
    assert holdem(f"{raised} / acts 4: raise 400", raises_per_round="3").codes == []


def test_check_and_raise_is_the_houses() -> None:
    """47.1-1002(9), 47.1-1040(2): of who checked; one who called may raise."""
    checked = f"{FLOP} / acts 1: check / acts 2: bet 300 / acts 3: fold / acts 4: fold / acts 1: raise 600"
    assert holdem(checked).codes == []
    assert refused(holdem(checked, check_and_raise="no")) == [("action-refused", "may_check_raise", False)]
    called = f"{HOLDEM} / acts 3: call 200 / acts 4: raise 500 / acts 1: fold / acts 2: fold / acts 3: raise 900"
    assert holdem(called, check_and_raise="no").codes == []


def test_bet_or_fold_is_the_houses() -> None:
    """47.1-1002(4.5), 47.1-1040(1)."""
    assert refused(holdem(f"{FLOP} / acts 1: check", bet_or_fold="yes")) == [("action-refused", "may_check", False)]
    assert holdem(f"{FLOP} / acts 1: bet 100", bet_or_fold="yes").codes == []
    assert holdem(LIMPED, bet_or_fold="yes").codes == []


def test_whose_time_is_over_checks_or_is_dead() -> None:
    """47.1-1038: it must check where there was no bet, in a house of bet or fold as well."""
    table = holdem(f"{FLOP} / acts 1: check 0 time-limit / acts 2: bet 300 / acts 3: fold 0 time-limit")
    assert [(found.code, found.reason) for found in table.incidents] == [
        ("time-limit", "checks"),
        ("time-limit", "dead"),
    ]
    assert round_of(table.flow).live == [1, 2, 4]
    assert holdem(f"{FLOP} / acts 1: check 0 time-limit", bet_or_fold="yes").codes == ["time-limit"]


def test_a_bring_in_is_a_first_bet_and_no_more_than_that() -> None:
    table = play("seven-card-stud.co", STUD, bring_in="low-card")
    assert turn(table)[0] == 1
    assert refused(go_on(table, "acts 1: check")) == [("action-refused", "may_check", False)]
    table = play("seven-card-stud.co", f"{STUD.replace('9000', '90000')} / acts 1: bring-in 10001", bring_in="low-card")
    assert refused(table) == [("action-refused", "bet_within_limit", False)]
    go_on(table, "acts 1: bring-in 100 / acts 2: call 100 / acts 3: raise 300 / acts 1: raise 400")
    assert table.codes == ["action-refused"]
    assert round_of(table.flow).betting.raises == 1


# ------------------------------------------------------------------ chips


def test_a_string_bet_is_a_call() -> None:
    """47.1-1029: further chips may not go in; who was first to bet has bet what came first."""
    table = holdem(f"{FLOP} / acts 1: bet 300 / acts 2: raise 900 string-bet")
    assert table.codes == ["string-bet"]
    assert round_of(table.flow).wagers[2]["flop"] == 300
    table = holdem(f"{FLOP} / acts 1: bet 300 string-bet")
    assert round_of(table.flow).wagers[1]["flop"] == 300
    big = f"{LIMPED.rpartition(' / ')[0]} / acts 2: raise 900 string-bet"
    assert state(holdem(big)) is State.DEALING


def test_a_fold_is_no_string_bet() -> None:
    assert holdem(f"{FLOP} / acts 1: bet 300 / acts 2: fold 0 string-bet").codes == []


def test_too_many_chips_without_a_word_are_a_call() -> None:
    """47.1-1030."""
    table = holdem(f"{FLOP} / acts 1: bet 300 / acts 2: call 900")
    assert (table.codes, round_of(table.flow).wagers[2]["flop"]) == (["apparent-call"], 300)


def test_an_apparent_call_becomes_a_raise_while_nobody_behind_has_put_chips_in() -> None:
    """47.1-1030: a fold behind does not stop it, a call does."""
    apparent = f"{FLOP} / acts 1: bet 300 / acts 2: call 900"
    table = go_on(holdem(apparent), "acts 2: raise 900 corrected")
    assert (turn(table), round_of(table.flow).wagers[2]["flop"]) == ([3], 900)
    table = go_on(holdem(apparent), "acts 3: fold / acts 2: raise 900 corrected")
    assert (turn(table), round_of(table.flow).live) == ([4], [1, 2, 4])
    assert [each.action for each in round_of(table.flow).betting.actions[-3:]] == ["bet", "raise", "fold"]
    table = go_on(holdem(apparent), "acts 3: call 300 / acts 2: raise 900 corrected")
    assert refused(table)[-1] == ("action-refused", "seat_to_act", False)


# ------------------------------------------------------------------ corrections


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("acts 1: bet 500", "acts 1: bet 300"),
        ("acts 1: check", "acts 1: bet 300"),
        ("acts 1: fold", "acts 1: bet 300"),
        ("acts 1: all-in 9800", "acts 1: check"),  # refused, so nothing needs to be undone
    ],
)
def test_a_correction_comes_to_the_same_as_if_it_had_been_keyed_so(wrong: str, right: str) -> None:
    once = holdem(f"{FLOP} / {right}")
    twice = holdem(f"{FLOP} / {wrong} / {right.replace('check', 'check 0')} corrected")
    assert twice.codes in ([], ["action-refused"])
    assert _stands(once) == _stands(twice)


@pytest.mark.parametrize("wrong", ["acts 4: call 300", "acts 4: raise 600", "acts 4: fold"])
def test_the_last_action_of_a_round_is_corrected_before_the_next_card(wrong: str) -> None:
    """The betting had seemed to be over: the round is open again."""
    bet = f"{FLOP} / acts 1: bet 300 / acts 2: call 300 / acts 3: fold"
    for right in ("fold 0", "raise 900", "call 300"):
        once = holdem(f"{bet} / acts 4: {right}")
        twice = holdem(f"{bet} / {wrong} / acts 4: {right} corrected")
        assert (_stands(once), twice.codes) == (_stands(twice), [])
    late = holdem(f"{bet} / acts 4: call 300 / burn-card 8S / acts 4: fold 0 corrected")
    assert refused(late) == [("out-of-turn", "betting_under_way", False)]


def test_the_last_fold_of_a_hand_is_corrected_until_the_pot_is_taken() -> None:
    won = f"{FLOP} / acts 1: bet 300 / acts 2: fold / acts 3: fold / acts 4: fold"
    table = go_on(holdem(won), "acts 4: call 300 corrected")
    assert (state(table), table.codes, round_of(table.flow).live) == (State.DEALING, [], [1, 4])
    table = go_on(holdem(won), "takes 1: 1100 / acts 4: call 300 corrected")
    assert refused(table) == [("out-of-turn", "players_act", False)]


def test_the_last_action_of_all_is_corrected_before_the_hands_are_shown() -> None:
    called = "acts 1: check / acts 2: check / acts 3: check / acts 4: check"
    river = f"{FLOP} / {called} / burn-card 8S / draw community 2D / {called} / burn-card 8D / draw community 3D"
    table = holdem(f"{river} / {called}")
    assert state(table) is State.REVEALING
    go_on(table, "acts 4: bet 500 corrected")
    assert (state(table), turn(table), table.codes) == (State.ACTING, [1], [])
    go_on(table, "acts 1: fold / acts 2: fold / acts 3: fold")
    result = ended(table)
    assert (result.outcome, put_in(result)[4]) == ("complete", {"pre-flop": 200, "river": 500})


def _stands(table: HandTable) -> tuple[object, ...]:
    now = round_of(table.flow)
    betting = now.betting
    actions = [(each.step, each.seat, each.action, each.cents) for each in betting.actions]
    return (state(table), now.at, turn(table), now.wagers, betting.put, betting.behind, betting.high, actions)


# ------------------------------------------------------------------ a fouled hand, a pot without a showdown


def test_the_next_player_says_that_the_bettor_has_too_many_cards() -> None:
    """47.1-1031(2): the bet goes back, the hand is dead, what it had put in before stays; the next has no bet to
    call."""
    table = holdem(f"{FLOP} / acts 1: bet 500 / count seat 1: 3")
    now = round_of(table.flow)
    assert (turn(table), now.betting.high, now.wagers[1]) == ([2], 0, {"small-blind": 100, "pre-flop": 100})
    assert table.codes == ["seat-count-wrong", "bet-taken-back"]
    later = holdem(f"{FLOP} / acts 1: bet 500 / acts 2: call 500 / count seat 1: 3")
    assert (turn(later), round_of(later.flow).wagers[1]["flop"]) == ([3], 500)


def test_who_is_left_alone_shows_nothing() -> None:
    table = holdem(f"{FLOP} / acts 1: bet 500 / acts 2: fold / acts 3: fold / acts 4: fold")
    assert {item.event for item in table.flow.legal()} == {"PotTaken", "CardsCounted", "GameEnded"}
    go_on(table, "takes 1: 1300")
    result = ended(table)
    assert (result.outcome, table.codes) == ("complete", [])
    assert [(award.pot, award.seat, award.cents) for award in result.awards] == [(1, 1, 1300)]


# ------------------------------------------------------------------ a misdeal


@pytest.mark.parametrize(
    ("actions", "over"),
    [
        ("acts 3: call 200", False),
        ("acts 3: call 200 / acts 4: call 200", True),
        ("acts 3: call 200 / acts 4: fold", False),
        ("acts 3: call 200 / acts 4: fold / acts 1: fold", True),
        ("acts 3: fold / acts 4: fold", False),
        ("acts 3: fold / acts 4: fold / acts 1: call 200", True),
        ("acts 3: fold / acts 4: fold / acts 1: fold", True),
        ("acts 3: call 200 / acts 4: fold 0 time-limit", False),
    ],
)
def test_a_misdeal_is_called_until_substantial_action(actions: str, over: bool) -> None:
    """47.1-1022, 47.1-1002(33): two put money in, or three acted; blinds do not count, checks neither."""
    table = holdem(f"{SEATS} / {CARDS} / {actions}")
    assert ("MisdealCalled" in {item.event for item in table.flow.legal()}) == (not over and len(turn(table)) > 0)
    go_on(table, "misdeal")
    assert table.codes[-1] == ("misdeal-refused" if over else "misdeal-called")
    if not over:
        result = ended(table)
        assert result.outcome == "misdeal"
        assert all(seat.returned == seat.wagers for seat in result.seats)


def test_checks_leave_a_misdeal_open() -> None:
    table = holdem(f"{HOLDEM} / acts 3: fold / acts 4: call 200 / acts 1: call 200 / acts 2: check")
    assert "MisdealCalled" not in {item.event for item in table.flow.legal()}
    free = HOLDEM.replace("bets 1: small-blind 100 / bets 2: big-blind 200 / ", "")
    table = holdem(f"{free} / acts 1: check / acts 2: check / acts 3: check / acts 4: check / burn-card 9S")
    assert "MisdealCalled" in {item.event for item in table.flow.legal()}


# ------------------------------------------------------------------ the showdown

CHECKED = "acts 1: check / acts 2: check / acts 3: check / acts 4: check"
RIVER = f"{FLOP} / {CHECKED} / burn-card 8S / draw community 2D / {CHECKED} / burn-card 8D / draw community 3D"


@pytest.mark.parametrize(
    ("actions", "order"),
    [
        (CHECKED, [1, 2, 3, 4]),
        ("acts 1: check / acts 2: bet 500 / acts 3: call 500 / acts 4: fold / acts 1: call 500", [2, 3, 1]),
        ("acts 1: bet 500 / acts 2: fold / acts 3: raise 900 / acts 4: call 900 / acts 1: call 900", [3, 4, 1]),
    ],
)
def test_who_bet_or_raised_last_shows_first(actions: str, order: list[int]) -> None:
    """47.1-1033(1)-(4): where all have checked who acted first; then clockwise."""
    table = go_on(holdem(f"{RIVER} / {actions}"), "show community: 9C TC JC 2D 3D")
    shows = [item.place for item in table.flow.legal() if item.event == "HandRevealed"]
    assert shows == [f"seat {seat}" for seat in order]


def test_where_all_are_all_in_the_first_at_the_left_of_the_button_shows_first() -> None:
    table = holdem(
        "stakes 1: 300, 2: 300 / bets 1: small-blind 100 / bets 2: big-blind 200 / start at 2"
        " / draw seat 1 AH KH | seat 2 2C 3C / acts 1: all-in 300 / acts 2: call 300"
        " / burn-card 9S / draw community 9C TC JC / burn-card 8S / draw community 2D / burn-card 8D"
        " / draw community 3D / show community: 9C TC JC 2D 3D"
    )
    assert table.may("HandRevealed") == ["dealer: show seat 1", "dealer: show seat 2"]


# ------------------------------------------------------------------ a hand too short


def test_a_hand_found_short_after_somebody_has_acted_is_fouled() -> None:
    """47.1-1031(1): it is due the top card of the deck while the cards are dealt, and no longer."""
    passed = HOLDEM.replace("seat 4 6S 7S", "seat 4 6S -")
    soon = holdem(f"{passed} / count seat 4: 1 / draw 7S")
    assert (soon.codes, round_of(soon.flow).live) == (["seat-count-wrong"], [1, 2, 3, 4])
    late = holdem(f"{HOLDEM} / acts 3: call 200 / count seat 4: 1")
    assert (late.codes[-1], round_of(late.flow).live) == ("seat-count-wrong", [1, 2, 3])
    assert turn(late) == [1]


def test_one_card_left_after_two_discards_is_a_dead_hand() -> None:
    deal = "draw seat 1 AH KH 2H | seat 2 2C 3C 4C | seat 3 4D 5D 6D | seat 4 6S 7S 8S"
    called = "acts 3: call 200 / acts 4: call 200 / acts 1: call 200 / acts 2: check"
    discards = "choose 1: discard / choose 2: discard / choose 3: discard / choose 4: discard"
    table = play("pineapple.co", f"{SEATS} / {deal} / {called} / {discards} / count seat 3: 1")
    assert (table.codes[-1], round_of(table.flow).live) == ("seat-count-wrong", [1, 2, 4])
