"""Every condition of an action or of chips, by a play that comes out otherwise when it always holds or never.

As `test_order_guards`, for the conditions of `play.check_actions`.
"""

from collections.abc import Callable
from typing import Any

import pytest

from dealer_flow.play.machine.guards import GUARDS
from dealer_flow.play.machine.states import State
from dealer_flow.play.order.actions import CHECKS_OF_ACTIONS
from dealer_flow.play.order.checks import CHECKS
from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.posted import PostedBets, PostedGame
from dealer_flow.record.result import HouseRef
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on, may, play, refused, state

SEATS = "stakes 1: 20000, 2: 20000, 3: 20000 / bets 1: small-blind 100 / bets 2: big-blind 200 / start at 3"
DEALT = f"{SEATS} / draw seat 1 AH KH | seat 2 2C 3C | seat 3 4D 5D"
CALLED = f"{DEALT} / acts 3: call 200 / acts 1: call 200 / acts 2: check"
FLOP = f"{CALLED} / burn-card 9S / draw community 9C TC JC"
STREETS = " / ".join(
    f"acts 1: check / acts 2: check / acts 3: check / burn-card {burn} / draw community {card}"
    for burn, card in (("8S", "2D"), ("8D", "3D"))
)
RIVER = f"{FLOP} / {STREETS}"
STUD = "stakes 1: 9000, 2: 9000, 3: 9000 / start / draw seat 1 AH KH 2D | seat 2 2C 3C 7D | seat 3 4D 5D QS"


def holdem(lines: str, **options: str) -> HandTable:
    return play("holdem.co", lines, **options)


def action(reason: str) -> list[tuple[str, str, bool]]:
    return [("action-refused", reason, False)]


def test_chips_play() -> None:
    """Stakes and actions are of games in which players bet against each other."""
    assert refused(play("let-it-ride", "stakes 1: 500")) == [("out-of-turn", "chips_play", False)]
    assert refused(play("eighty-eight.co", "stakes 1: 500")) == []
    assert refused(play("eighty-eight.co", "stakes 1: 500 / bets 2: initial 500 / start at 2 / acts 1: bet 500"))[
        -1:
    ] == [("out-of-turn", "chips_play", False)]
    assert holdem("stakes 1: 500").codes == []


def test_stake_before_hand() -> None:
    """47.1-1023(1): what lies there when the hand begins."""
    table = holdem(f"{DEALT} / stakes 3: 90000")
    assert refused(table) == [("out-of-turn", "stake_before_hand", False)]
    assert round_of(table.flow).betting.behind[3] == 20_000
    assert holdem("stakes 1: 500 / stakes 1: 900").codes == []
    assert refused(holdem(f"{DEALT} / acts 3: sit-out")) == action("stake_before_hand")


def test_hand_in_play() -> None:
    assert refused(holdem(f"{DEALT} / acts 3: fold / acts 3: call 200")) == action("hand_in_play")
    assert holdem(f"{DEALT} / acts 3: call 200").codes == []


def test_betting_under_way() -> None:
    """No action while cards are dealt, unless it corrects the one by which the betting had seemed over."""
    table = holdem(f"{CALLED} / acts 1: bet 500")
    assert refused(table) == [("out-of-turn", "betting_under_way", False)]
    assert holdem(f"{CALLED} / acts 2: raise 500 corrected").codes == []


def test_players_act() -> None:
    """While hands are shown one is mucked, no more; the last action is corrected before."""
    shown = f"{RIVER} / acts 1: check / acts 2: check / acts 3: check"
    assert refused(holdem(f"{shown} / acts 1: check")) == [("out-of-turn", "players_act", False)]
    assert holdem(f"{shown} / acts 1: fold").codes == []


def test_action_is_known() -> None:
    assert refused(holdem(f"{DEALT} / acts 3: nods 0")) == action("action_is_known")
    assert holdem(f"{DEALT} / acts 3: fold").codes == []


def test_acts_in_turn() -> None:
    """47.1-1019."""
    assert refused(holdem(f"{DEALT} / acts 1: call 200")) == [("acted-out-of-turn", "acts_in_turn", False)]
    assert holdem(f"{DEALT} / acts 3: call 200").codes == []


def test_seat_to_act() -> None:
    assert refused(holdem(f"{FLOP} / acts 1: bet 300 / acts 1: raise 900")) == action("seat_to_act")
    assert holdem(f"{FLOP} / acts 1: bet 300 / acts 2: raise 900").codes == []


def test_time_limit_kept() -> None:
    """47.1-1038."""
    assert refused(holdem(f"{FLOP} / acts 1: fold 0 time-limit")) == action("time_limit_kept")
    assert holdem(f"{FLOP} / acts 1: check 0 time-limit").codes == ["time-limit"]


def test_bring_in_due() -> None:
    assert refused(play("seven-card-stud.co", f"{STUD} / acts 3: bring-in 100")) == action("bring_in_due")
    assert play("seven-card-stud.co", f"{STUD} / acts 1: bring-in 100", bring_in="low-card").codes == []


def test_may_check() -> None:
    """47.1-1002(4.5)."""
    assert refused(holdem(f"{FLOP} / acts 1: check", bet_or_fold="yes")) == action("may_check")
    assert holdem(f"{FLOP} / acts 1: check").codes == []


def test_may_chop() -> None:
    """47.1-1002(10.5): the two in the blinds, where the house has it and all others have folded."""
    chopped = f"{DEALT} / acts 3: fold / acts 1: chop 100"
    assert refused(holdem(chopped)) == action("may_chop")
    assert "action-refused" not in holdem(chopped, chop_blinds="yes").codes


def test_nothing_to_call() -> None:
    assert refused(holdem(f"{DEALT} / acts 3: check")) == action("nothing_to_call")
    assert holdem(CALLED).codes == []


def test_something_to_call() -> None:
    assert refused(holdem(f"{FLOP} / acts 1: call")) == action("something_to_call")
    assert holdem(f"{FLOP} / acts 1: bet 300 / acts 2: call 300").codes == []


def test_call_is_whole() -> None:
    """47.1-1029."""
    assert refused(holdem(f"{DEALT} / acts 3: call 199")) == action("call_is_whole")
    assert holdem(f"{DEALT} / acts 3: call 200").codes == []


def test_nothing_bet_yet() -> None:
    assert refused(holdem(f"{DEALT} / acts 3: bet 500")) == action("nothing_bet_yet")
    assert holdem(f"{FLOP} / acts 1: bet 500").codes == []


def test_something_to_raise() -> None:
    assert refused(holdem(f"{FLOP} / acts 1: raise 500")) == action("something_to_raise")
    assert holdem(f"{DEALT} / acts 3: raise 500").codes == []


def test_more_than_before() -> None:
    """47.1-1002(27)."""
    assert refused(holdem(f"{DEALT} / acts 3: raise 200")) == action("more_than_before")
    assert holdem(f"{DEALT} / acts 3: raise 201").codes == []


def test_stake_covers() -> None:
    """47.1-1023(1)."""
    short = DEALT.replace("3: 20000", "3: 400")
    assert refused(holdem(f"{short} / acts 3: raise 401")) == action("stake_covers")
    assert holdem(f"{short} / acts 3: raise 400").codes == []


def test_all_of_it() -> None:
    short = DEALT.replace("3: 20000", "3: 400")
    assert refused(holdem(f"{short} / acts 3: all-in 300")) == action("all_of_it")
    assert holdem(f"{short} / acts 3: all-in 400").codes == []


def test_no_card_ahead() -> None:
    """47.1-1021: seven cards may not bet into six."""
    street = "acts 3: check / acts 1: check / acts 2: check"
    sixth = f"{STUD} / {street} / burn-card 9S / draw seat 1 5H | seat 2 3S | seat 3 4S / {street} / burn-card TS"
    sixth += (
        f" / draw seat 1 6C | seat 2 8C | seat 3 9C / {street} / burn-card JC / draw seat 1 7H | seat 2 TC | seat 3 JH"
    )
    early = f"{sixth} / draw QC KC / mishap seat 3: early KC"
    assert refused(play("seven-card-stud.co", f"{early} / acts 3: bet 100"))[-1:] == action("no_card_ahead")
    assert "action-refused" not in play("seven-card-stud.co", f"{early} / acts 3: check / acts 1: bet 100").codes


def test_bet_within_limit() -> None:
    """47.1-1002(2)."""
    assert refused(holdem(f"{FLOP} / acts 1: bet 10001")) == action("bet_within_limit")
    assert holdem(f"{FLOP} / acts 1: bet 10000").codes == []


def test_raise_within_limit() -> None:
    """47.1-1002(27)."""
    assert refused(holdem(f"{DEALT} / acts 3: raise 10201")) == action("raise_within_limit")
    assert holdem(f"{DEALT} / acts 3: raise 10200").codes == []


def test_raises_left() -> None:
    """47.1-1040(4)."""
    raised = f"{DEALT} / acts 3: raise 400 / acts 1: raise 600"
    assert refused(holdem(raised, raises_per_round="1")) == action("raises_left")
    assert holdem(raised, raises_per_round="2").codes == []


def test_betting_reopened() -> None:
    """47.1-1002(27), where the house lets nobody who has acted raise after less than a full raise.

    Seat 2 is all-in for $3.50 where $4 would be a full raise of the blind of $2.
    """
    short = f"{SEATS.replace('2: 20000', '2: 350', 1)} / draw seat 1 AH KH | seat 2 2C 3C | seat 3 4D 5D"
    raised = f"{short} / acts 3: call 200 / acts 1: call 200 / acts 2: all-in 350 / acts 3: raise 900"
    assert refused(holdem(raised, short_all_in="full-raise-only")) == action("betting_reopened")
    assert holdem(raised).codes == []


def test_may_check_raise() -> None:
    """47.1-1040(2)."""
    raised = f"{FLOP} / acts 1: check / acts 2: bet 300 / acts 3: fold / acts 1: raise 900"
    assert refused(holdem(raised, check_and_raise="no")) == action("may_check_raise")
    assert holdem(raised).codes == []


def test_hands_compared() -> None:
    """A pot is taken in when hands are shown, or one player is left."""
    assert refused(holdem(f"{FLOP} / takes 1: 600")) == [("out-of-turn", "hands_compared", False)]
    assert holdem(f"{FLOP} / acts 1: bet 300 / acts 2: fold / acts 3: fold / takes 1: 900").codes == []


def test_action_to_withdraw() -> None:
    """The last action alone is taken back; here seat 2 has acted since."""
    assert holdem(f"{FLOP} / acts 1: bet 300 / acts 1: withdraw").codes == ["action-taken-back"]
    late = holdem(f"{FLOP} / acts 1: bet 300 / acts 2: call 300 / acts 1: withdraw")
    assert refused(late) == action("action_to_withdraw")
    assert round_of(late.flow).betting.high == 300


def test_keeps_word() -> None:
    """If the house has it bind, a raise out of turn is made in turn while the bet to call is the same."""
    bound = f"{FLOP} / acts 1: bet 300 / acts 3: raise 900 / acts 2: call 300"
    table = holdem(f"{bound} / acts 3: call 300", out_of_turn="binds")
    assert refused(table)[-1:] == action("keeps_word")
    assert round_of(go_on(table, "acts 3: raise 900").flow).betting.high == 900


# ------------------------------------------------------------------ sizes that the house has posted


def at_house(lines: str, **sizes: Any) -> HandTable:
    posted = PostedBets(**{"structure": "spread", "least_bet": 200, "most_bet": 1000, **sizes})
    game = PostedGame(HouseRef("card-room", "0" * 64, "game"), "47.1-1040", posted)
    return go_on(HandTable(load_procedure("holdem.co").at_house(game)), lines)


def test_house_least() -> None:
    """47.1-1040: a bet below the posted least."""
    assert refused(at_house(f"{FLOP} / acts 1: bet 199")) == action("house_least")
    assert refused(at_house(f"{FLOP} / acts 1: bet 200")) == []


def test_house_most() -> None:
    """47.1-1040: a bet above the posted most."""
    assert refused(at_house(f"{FLOP} / acts 1: bet 1001")) == action("house_most")
    assert refused(at_house(f"{FLOP} / acts 1: bet 1000")) == []


def test_house_size() -> None:
    """47.1-1040: a bet of another size where every bet has one."""
    sizes = {"structure": "fixed", "sizes": dict.fromkeys(("pre-flop", "flop", "turn", "river"), 200)}
    assert refused(at_house(f"{FLOP} / acts 1: bet 300", **sizes)) == action("house_size")
    assert refused(at_house(f"{FLOP} / acts 1: bet 200", **sizes)) == []


# ------------------------------------------------------------------ the steps


def test_step_bets() -> None:
    """The betting round begins when the hands are dealt; in another game a card is turned up then."""
    assert state(holdem(DEALT)) is State.ACTING
    assert state(holdem(SEATS)) is State.DEALING
    shows = "bets 1: ante 500 / start / packet seat 1: AH KH QH / packet dealer: 5D 6D 7D / packet community: 9S TS JS"
    assert state(play("shows", shows)) is State.SHOWING


def test_bets_called() -> None:
    """No card before every bet is called."""
    table = holdem(f"{FLOP} / acts 1: bet 300 / acts 2: call 300")
    assert "CardDrawn" not in may(table)
    assert "CardDrawn" in may(go_on(table, "acts 3: call 300"))


@pytest.mark.every(3)
@pytest.mark.parametrize("answer", [True, False])
@pytest.mark.parametrize("name", CHECKS_OF_ACTIONS)
def test_a_condition_that_always_answers_the_same_is_caught(
    monkeypatch: pytest.MonkeyPatch, name: str, answer: bool
) -> None:
    test: Callable[[], None] = globals()[f"test_{name}"]
    test()
    monkeypatch.setitem(CHECKS, name, lambda *_: answer)
    with pytest.raises((AssertionError, KeyError, StopIteration, ValueError)):
        test()


@pytest.mark.parametrize("answer", [True, False])
@pytest.mark.parametrize("name", ["step_bets", "bets_called"])
def test_a_guard_that_always_answers_the_same_is_caught(
    monkeypatch: pytest.MonkeyPatch, name: str, answer: bool
) -> None:
    test: Callable[[], None] = globals()[f"test_{name}"]
    test()
    monkeypatch.setitem(GUARDS, name, GUARDS[name]._replace(holds=lambda _: answer))
    with pytest.raises((AssertionError, KeyError, StopIteration, ValueError, IndexError)):
        test()
