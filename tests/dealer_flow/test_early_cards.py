"""Cards dealt before a betting round is over, exposed, or too few: 47.1-1021 and 47.1-1009(2), each way it is reported.

A dealer says at once what went wrong, or puts it right first and then says so.
"""

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from dealer_flow.play.machine.states import State
from protocol.cards import DECK
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on, play, state

HOLDEM: Final = "stakes 1: 20000, 2: 20000, 3: 20000 / start at 3 / draw seat 1 AH KH | seat 2 2C 3C | seat 3 4D 5D"
CHECKS: Final = "acts 1: check / acts 2: check / acts 3: check"
REST: Final = "acts 2: check / acts 3: check"
FLOP: Final = f"{HOLDEM} / {CHECKS} / burn-card 9S / draw community 9C TC JC"
TURN: Final = f"{FLOP} / {CHECKS} / burn-card 2H / draw community 3H"
STUD: Final = (
    "stakes 1: 9000, 2: 9000, 3: 9000, 5: 9000 / start"
    " / draw seat 1 AH KH 2D | seat 2 2C 3C 7D | seat 3 4D 5D QS | seat 5 8D 9D JS"
)
FIRST: Final = "acts 3: check"
OTHERS: Final = "acts 5: check / acts 1: check / acts 2: check"


def board(table: HandTable) -> list[str]:
    """The community cards that play."""
    return [card.text for card in round_of(table.flow).ledger.community()]


def lies(table: HandTable, seat: int) -> list[str]:
    """The cards of a seat, as they were dealt."""
    hand = next(hand for place, hand in round_of(table.flow).ledger.hands.items() if place.seat == seat)
    return [card.text for card in hand.recognised]


def whole(table: HandTable, game: str = "") -> None:
    """Nothing but what the dealer said is on record, and the round may be played out."""
    assert set(table.codes) <= {"out-of-turn", "card-early", "cards-put-back", "community-count-wrong"}, table.incidents
    assert not any(found.unreliable or found.called for found in table.incidents)
    assert state(table) is State.ACTING, game


# ------------------------------------------------------------------ community cards

GAMES: Final = {
    "holdem.co": "seat 1 AH KH | seat 2 2C 3C | seat 3 4D 5D",
    "omaha.co": "seat 1 AH KH 2S 3S | seat 2 2C 3C 4S 5S | seat 3 4D 5D 6S 7S",
    "holdem-hi-lo.co": "seat 1 AH KH | seat 2 2C 3C | seat 3 4D 5D",
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "early",
    [
        f"draw 9S 7C 8C 6C / mishap community: early / back 3 / reshuffle / {REST}",
        f"draw 9S 7C 8C 6C / mishap community: early / {REST} / back 3 / reshuffle",
        f"draw 9S 7C 8C 6C / {REST} / mishap community: early / back 3 / reshuffle",
    ],
)
def test_a_flop_dealt_early_goes_back_and_the_new_one_has_no_burn(game: str, early: str) -> None:
    deal = f"{HOLDEM.rpartition(' / ')[0]} / draw {GAMES[game]}"
    table = play(game, f"{deal} / acts 1: check / {early}")
    assert table.may("CardDrawn") == ["dealer: draw a card for community"]
    go_on(table, "draw community TC JC QC")
    whole(table, game)
    assert board(table) == ["TC", "JC", "QC"]


@pytest.mark.parametrize(
    "long",
    [
        "count community: 4 / back 4 / reshuffle",
        "show community: 9C TC JC QC / back 4 / reshuffle",
        "acts 1: check / count community: 4 / back 4 / reshuffle",
    ],
)
def test_a_flop_of_four_goes_back_and_the_new_one_has_no_burn(long: str) -> None:
    table = play("holdem.co", f"{HOLDEM} / {CHECKS} / burn-card 9S / draw community 9C TC JC QC / {long}")
    assert table.may("CardDrawn") == ["dealer: draw a card for community"]
    go_on(table, "draw community 7C 9C 8C")
    whole(table)
    assert board(table) == ["7C", "9C", "8C"]


@pytest.mark.parametrize("burned", ["2H ", ""])
@pytest.mark.parametrize("said", ["now", "after the betting", "after what took its place"])
def test_a_fourth_card_dealt_early_is_set_aside_until_the_last(burned: str, said: str) -> None:
    """A card is burned and what would have been the fifth is turned in its place; after the betting the early card is
    shuffled into the stub, and the last card dealt without a burn."""
    speaks = "mishap community: early 3H"
    lines = {
        "now": f"draw {burned}3H / {speaks} / {REST} / burn-card 4H / draw community 5H / {CHECKS} / back / reshuffle",
        "after the betting": f"draw {burned}3H / {REST} / {speaks} / burn-card 4H / draw community 5H / {CHECKS}"
        " / back / reshuffle",
        "after what took its place": f"draw {burned}3H / {REST} / burn-card 4H / draw community 5H / {speaks}"
        f" / {CHECKS} / back / reshuffle",
    }[said]
    table = play("holdem.co", f"{FLOP} / acts 1: check / {lines}")
    if said == "after what took its place" and not burned:
        go_on(table, "burn-card 6H")  # nobody knew by then that no further burn was due
    assert table.may("CardDrawn") == ["dealer: draw a card for community"]
    go_on(table, "draw community 3H")  # it may come again
    whole(table)
    assert board(table) == ["9C", "TC", "JC", "5H", "3H"]


def test_nothing_is_dealt_in_the_place_of_an_early_fourth_card_when_the_pot_is_won() -> None:
    table = play("holdem.co", f"{FLOP} / acts 1: bet 500 / draw 2H 3H / mishap community: early 3H / acts 2: fold")
    go_on(table, "acts 3: fold")
    assert table.may("CardDrawn") == []
    assert table.end().outcome == "complete"


@pytest.mark.parametrize(
    "early",
    [
        f"draw 4H 5H / mishap community: early 5H / back / reshuffle / {REST}",
        f"draw 4H 5H / mishap community: early 5H / {REST} / back / reshuffle",
        f"draw 4H 5H / {REST} / mishap community: early 5H / back / reshuffle",
    ],
)
def test_a_fifth_card_dealt_early_goes_back(early: str) -> None:
    table = play("holdem.co", f"{TURN} / acts 1: check / {early}")
    assert table.may("CardDrawn") == ["dealer: draw a card for community"]
    go_on(table, "draw community 5H")
    whole(table)
    assert board(table) == ["9C", "TC", "JC", "3H", "5H"]


def test_a_card_that_nobody_speaks_of_settles_nothing() -> None:
    table = play("holdem.co", f"{FLOP} / acts 1: check / draw 2H / acts 2: bet 100 / acts 3: fold / acts 1: fold")
    assert table.end().outcome == "unreliable"


# ------------------------------------------------------------------ stud


@pytest.mark.parametrize(
    ("early", "buried"),
    [
        (f"draw 9S 2S / mishap seat 1: early / {OTHERS}", "draw 3S 4S 5S"),
        (f"draw 9S 2S / {OTHERS} / mishap seat 1: early", "draw 3S 4S 5S"),
        (f"draw 9S 2S 3S / mishap seat 2: early / {OTHERS}", "draw 4S 5S"),
        (f"draw 9S 2S 3S 4S 5S / mishap seat 5: early / {OTHERS}", ""),
        (f"draw 9S 2S 3S 4S 5S / {OTHERS} / mishap seat 1: early", ""),
    ],
)
def test_a_street_dealt_early_is_buried_with_one_for_each_other_player(early: str, buried: str) -> None:
    """They get the cards of the next street, after its burn."""
    table = play("seven-card-stud.co", f"{STUD} / {FIRST} / {early}")
    if buried:
        assert table.may("CardDrawn") == ["dealer: draw a card for muck"]
        go_on(table, buried)
    assert table.may("CardDrawn") == ["dealer: burn a card"]
    go_on(table, "burn-card 6S / draw seat 1 7S | seat 2 8S | seat 3 TS | seat 5 JC")
    whole(table)
    assert [lies(table, seat)[-1] for seat in (1, 2, 3, 5)] == ["7S", "8S", "TS", "JC"]


def test_five_card_stud_burns_nothing() -> None:
    deal = "stakes 1: 9000, 2: 9000, 3: 9000 / start / draw seat 1 AH 2D | seat 2 2C 7D | seat 3 4D QS"
    early = f"{deal} / acts 3: check / draw 2S / mishap seat 1: early / acts 1: check / acts 2: check"
    table = play("five-card-stud.co", f"{early} / draw 3S 4S / draw seat 1 7S | seat 2 8S | seat 3 TS")
    whole(table)
    assert [lies(table, seat)[-1] for seat in (1, 2, 3)] == ["7S", "8S", "TS"]


STREETS: Final = (
    f"{STUD} / {FIRST} / {OTHERS}"
    " / burn-card 9S / draw seat 1 5H | seat 2 3S | seat 3 4S | seat 5 5S"
    " / acts 3: check / acts 5: check / acts 1: check / acts 2: check"
    " / burn-card TS / draw seat 1 6C | seat 2 8C | seat 3 9C | seat 5 TC"
    " / acts 3: check / acts 5: check / acts 1: check / acts 2: check"
    " / burn-card JC / draw seat 1 7H | seat 2 8H | seat 3 9H | seat 5 TH"
)
"""Seat 5 has J 5 T T on board, seat 3 Q 4 9 9, seat 2 7 3 8 8, seat 1 2 5 6 7: seat 5 is high."""


def test_a_last_card_dealt_early_and_taken_in_is_kept_and_may_not_bet_into_six() -> None:
    table = play("seven-card-stud.co", f"{STREETS} / draw QC KC / mishap seat 1: early KC / acts 5: check")
    go_on(table, "acts 1: bet 100")
    assert [(found.code, found.reason, found.clause) for found in table.incidents[-1:]] == [
        ("action-refused", "no_card_ahead", "47.1-1021")
    ]
    assert "player at seat 1: bet" not in table.may("PlayerActed")
    go_on(table, "acts 1: check / acts 2: bet 100 / acts 3: call 100 / acts 5: call 100 / acts 1: call 100")
    go_on(table, "draw seat 2 AD | seat 3 KD | seat 5 AS")
    assert state(table) is State.ACTING
    assert [lies(table, seat)[-1] for seat in (1, 2, 3, 5)] == ["KC", "AD", "KD", "AS"]
    assert go_on(table, "acts 5: check / acts 1: bet 100").codes == ["out-of-turn", "card-early", "action-refused"]


SEVENTH: Final = f"{STREETS} / acts 5: check / acts 1: check / acts 2: check / acts 3: check / burn-card QC"
LAST: Final = f"{SEVENTH} / draw seat 1 KC | seat 2 AD | seat 3 KD | seat 5 AS"


@pytest.mark.parametrize(
    "deal",
    [
        f"{LAST} / mishap seat 2: exposed AD",
        f"{SEVENTH} / draw seat 1 KC | seat 2 AD / mishap seat 2: exposed AD / draw seat 3 KD | seat 5 AS",
    ],
)
def test_a_last_card_turned_up_stays_and_its_player_may_declare_itself_all_in(deal: str) -> None:
    """Else the high hand of the sixth card begins, as if it lay down."""
    table = play("seven-card-stud.co", deal)
    assert (table.codes, state(table)) == (["card-exposed"], State.ACTING)
    assert table.may("PlayerActed")[0].startswith("player at seat 5")
    assert "player at seat 2: all-in with what is in the pot" in table.may("PlayerActed")
    go_on(table, "acts 2: all-in")
    assert table.codes == ["card-exposed"]
    go_on(table, "acts 5: bet 500 / acts 1: call 500 / acts 3: call 500")
    assert (state(table), table.codes) == (State.REVEALING, ["card-exposed"])
    wagers = round_of(table.flow).wagers
    assert "seventh" not in wagers[2]
    other = play("seven-card-stud.co", f"{deal} / acts 5: bet 500 / acts 1: fold / acts 2: raise 900 / acts 3: fold")
    assert other.codes == ["card-exposed"]


def test_who_has_acted_on_the_card_declares_nothing_more() -> None:
    table = play("seven-card-stud.co", f"{LAST} / mishap seat 5: exposed AS / acts 5: check / acts 1: bet 100")
    assert not [item for item in table.may("PlayerActed") if "in the pot" in item]
    assert table.codes == ["card-exposed"]


def test_an_earlier_down_card_turned_up_is_dead_and_replaced() -> None:
    deal = "stakes 1: 9000, 2: 9000 / start / draw seat 1 AH KH | seat 2 2C 3C"
    table = play("seven-card-stud.co", f"{deal} / mishap seat 1: exposed KH")
    assert table.codes == ["card-exposed"]
    go_on(table, "draw 4C 5C 6C")
    assert state(table) is State.ACTING
    assert len(lies(table, 1)) == len(lies(table, 2)) == 3
    assert "KH" not in lies(table, 1)


# ------------------------------------------------------------------ too few cards for the last street

CASES: Final = [
    case
    for case in tomllib.loads((Path(__file__).parent / "paper" / "dealing.toml").read_text(encoding="utf-8"))["case"]
    if "players" in case and case["name"] != "eight players, 8-8-8-4"
]
"""With four cards for four players, of which only three were burned, the text is silent: here none is burned, so that
each gets a fresh card, as it says of five."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_deck_runs_out(case: dict[str, Any]) -> None:
    """47.1-1009(2), as a second reader has worked it out: `in` are served with the fourth to the seventh card."""
    seats = range(1, case["players"] + 1)
    table = HandTable("seven-card-stud.co")
    table.say("stakes " + ", ".join(f"{seat}: 9000" for seat in seats))
    table.say("start")
    for served in (case["players"], *case["in"]):
        fold_to(table, served)
        while served_out(table) and round_of(table.flow).plan.steps[round_of(table.flow).at].name not in LAST_STEPS:
            table.draw_one(DECK[table.dealt])
        if table.codes:
            break
    fold_to(table, case["in"][-1])
    assert table.left == case["stub"]
    live = round_of(table.flow).live
    while state(table) is State.DEALING and round_of(table.flow).next_due is not None:
        table.draw_one(DECK[table.dealt])
    hands = round_of(table.flow).ledger.hands
    dealt = sum(hands[place].counted == 7 for place in hands if place.seat in live)
    by_hand = sum(due.cards for due in round_of(table.flow).by_hand if due.place.seat)
    (ran_out, *more) = [found for found in table.incidents if found.code == "deck-runs-out"] or [None]
    assert not more
    if case["community"]:
        assert ran_out is not None
        assert (ran_out.reason, dealt) == ("community", 0)
        go_on(table, "deal by hand") if round_of(table.flow).by_hand else None
        assert len(board(table)) == 1
    elif "scrambled" not in case:
        assert (ran_out, dealt, by_hand) == (None, case["dealt-first"], 0)
    else:
        assert ran_out is not None
        assert (dealt, by_hand) == (case["dealt-first"], case["dealt-then"])
        assert (ran_out.burned or 0) + min(ran_out.left or 0, 1) == case["scrambled"]
        assert ran_out.reason == ("scramble-and-burn" if case["burn"] else "scramble")
        go_on(table, "deal by hand")
    assert state(table) is State.ACTING
    assert all(hands[place].counted == (6 if case["community"] else 7) for place in hands if place.seat in live)
    for seat in live:
        assert f"player at seat {seat}: check" in table.may("PlayerActed") or len(live) > 1
    assert [found.code for found in table.incidents] == (["deck-runs-out"] if ran_out else [])
    if "??" in board(table):
        fold_to(table, case["in"][-1])
        assert "dealer: show community" in table.may("HandRevealed")
        assert go_on(table, "show community: KS").codes == ["deck-runs-out"]
        assert board(table) == ["KS"]


LAST_STEPS: Final = ("burn-4", "seventh-card")


def served_out(table: HandTable) -> bool:
    """Cards of a street before the last are still due."""
    return state(table) is State.DEALING


def fold_to(table: HandTable, left: int) -> None:
    """The betting round under way is checked, but for those who have too many cards to be served: they fold."""
    while state(table) is State.ACTING:
        now = round_of(table.flow)
        seat = now.betting.waiting(now.live)[0]
        table.say(f"acts {seat}: {'fold' if len(now.live) > left else 'check'}")


def test_a_last_card_of_five_that_the_house_deals_down_stays_open_as_well() -> None:
    checks = "acts 1: check / acts 2: check"
    deal = "stakes 1: 9000, 2: 9000 / start / draw seat 1 AH KD | seat 2 2C 3C"
    rest = f"{checks} / draw 5D 6D / {checks} / draw 7H 8S / {checks} / draw 9C TC"
    table = play("five-card-stud.co", f"{deal} / {rest} / mishap seat 2: exposed TC", fifth_card="down")
    assert "player at seat 2: all-in with what is in the pot" in table.may("PlayerActed")
    up = play("five-card-stud.co", f"{deal} / {rest}")
    assert (up.codes, state(up)) == ([], State.ACTING)
