"""Games that no device deals: whose round it is, which deck, what may be and what may not."""

from typing import Final

import pytest

from dealer_flow.procedure.load import ProcedureError, known_procedures, load_procedure, parse_procedure
from dealer_flow.procedure.steps.base import DealtStep
from devices import events as e
from tests.support.dealing.hand_table import CONTROLLER, HandTable
from tests.support.dealing.step_games import rows, small, wrong

GAMES: Final = [name for name in known_procedures() if load_procedure(name).device == "hand"]
ROUND: Final = """
bets 1: low 500, high 500, three-card 500
start
deal by hand
confirm
show seat 1: AC AD 9H
show dealer: KS QD 8S
show community: 5S
"""


BETWEEN_PLAYERS: Final = [name for name in GAMES if load_procedure(name).care.runs_out is not None]


def test_the_games_whose_sections_let_the_dealer_deal_by_hand() -> None:
    assert [name for name in GAMES if name not in BETWEEN_PLAYERS] == [
        "3-5-7.co-hand",
        "emperors-challenge.co-hand",
        "fortune-pai-gow.co-hand",
        "pai-gow.co-hand",
        "three-card-split.co-hand",
    ]


@pytest.mark.parametrize("name", GAMES)
def test_no_step_waits_for_a_device(name: str) -> None:
    procedure = load_procedure(name)
    assert not any(step.from_device for step in procedure.step)
    assert not procedure.fault


def rounds(count: int) -> HandTable:
    table = HandTable("three-card-split.co-hand")
    for _ in range(count):
        table.play(ROUND).end()
    return table


def test_a_round_is_of_the_controllers_session_and_number() -> None:
    table = rounds(2)
    assert [(each.session, each.round) for each in table.results] == [("0c0ffee0", 1), ("0c0ffee0", 2)]
    (origin,) = table.flow.origins
    assert (origin.session, origin.controller_session, origin.number) == (0x0C0FFEE0, 0x0C0FFEE0, 2)


def test_a_controller_that_began_anew_in_mid_round_is_another_session() -> None:
    table = HandTable("three-card-split.co-hand").play(ROUND.splitlines()[1:4])
    table.sessions[CONTROLLER] = 7
    assert table.end().outcome == "unreliable"
    assert "session-changed" in table.codes


def test_a_new_deck_is_used_for_seven_hands() -> None:
    """47.1-1011(2): a badge between two rounds says that the deck was changed."""
    table = rounds(6).badge(77)
    assert [(each.code, each.clause) for each in table.incidents] == [("deck-changed-early", "47.1-1011(2)")]
    assert rounds(7).badge(77).codes == []
    assert HandTable("three-card-split.co-hand", deck_least_rounds="0").play(ROUND).badge(77).codes == []


def test_a_deck_counted_wrong_between_two_rounds_is_defective_until_it_is_changed() -> None:
    table = rounds(7).count("remainder", 51)
    assert table.codes == ["deck-count-wrong"]
    assert table.play(ROUND).end().outcome == "unreliable"
    assert rounds(7).count("remainder", 52).codes == []


def test_a_count_of_the_deck_between_two_rounds_is_the_one_of_thirty_minutes() -> None:
    table = rounds(7)
    table.now_ns += 31 * 60 * 10**9
    assert "remainder" in {item.place for item in table.see(CONTROLLER, e.Confirmed()).flow.legal()}
    assert table.count("remainder", 52).may("CardsCounted") == []


def test_what_goes_around_is_spelled_once() -> None:
    table = HandTable("fortune-pai-gow.co-hand").play(["bets 1: ante 500", "start at 0"])
    assert table.may("Confirmed") == [
        "dealer: deal by hand to dealer (1), seat 6 (1), seat 5 (1), seat 4 (1), seat 3 (1), seat 2 (1), seat 1 (1),"
        " 7 times around, then confirm"
    ]


def test_a_step_that_asks_a_device_is_refused() -> None:
    with pytest.raises(ProcedureError, match=r"step\[1\].origin: no device deals this game"):
        small(
            rows("step", 'name = "hands"\ndo = "deal"\nto = ["seats"]\ncards = 2\nby = "single"\norigin = "device"'),
            rows("step", 'name = "end"\ndo = "reveal"\norder = ["seats"]'),
            wrong("seats"),
            device='"hand"',
        )


TOURNAMENT: Final = """
schema = "dealwire.procedure/2"
base = ["{}", "by-hand"]
without = ["limit", "betting.most-bet", "betting.most-raise"]
id = "night"
title = "A tournament"
"""


SEATS: Final = '[seats]\nmost = 6\nclause = "47.1-1041"'
"""Of seven-card stud: nothing is said of cards that run out by hand."""


@pytest.mark.parametrize(
    ("game", "more"),
    [
        *((name, "") for name in ("holdem.co", "omaha-hi-lo.co", "pineapple.co", "five-card-stud.co")),
        ("seven-card-stud.co", SEATS),
    ],
)
def test_a_game_out_of_a_shoe_is_dealt_by_hand_without_a_step_written_again(game: str, more: str) -> None:
    """Its part alone says so, 47.1-1058(6); without the limits the stake alone covers a bet, 47.1-1052."""
    procedure = parse_procedure(TOURNAMENT.format(game) + more, "night.toml")
    assert {step.origin for step in procedure.step if isinstance(step, DealtStep)} == {"hand"}
    out_of_a_shoe = load_procedure(game)
    assert [step.name for step in procedure.step] == [step.name for step in out_of_a_shoe.step]
    assert procedure.betting is not None
    assert (procedure.limit, procedure.betting.most_bet, procedure.betting.most_raise) == (None, None, None)


def test_a_bet_without_a_limit_by_hand() -> None:
    """Two hundred dollars at once, of a stake of a thousand; the pot is won without a card on the table."""
    table = HandTable(parse_procedure(TOURNAMENT.format("holdem.co"), "night.toml"))
    table.play("stakes 1: 100000, 2: 100000\nbets 2: small-blind 100\nbets 1: big-blind 200\nstart at 1\ndeal by hand")
    table.play("acts 2: raise 20000\nmishap burn: early\nacts 1: fold")
    assert (table.end().outcome, table.codes) == ("complete", ["burned-early"])


def test_cards_exchanged_come_out_of_the_hand_as_well() -> None:
    procedure = small(
        rows("step", 'name = "hands"\ndo = "deal"\nto = ["seats"]\ncards = 2\nby = "single"'),
        rows("step", 'name = "choice"\ndo = "decide"\nchoices = ["draw"]'),
        rows("step", 'name = "change"\ndo = "exchange"\nto = ["seats"]\nmost = 1'),
        rows("step", 'name = "end"\ndo = "reveal"\norder = ["seats"]'),
        rows("decision", 'number = 1\nname = "draw"\ndraws = 1'),
        wrong("seats"),
        device='"hand"',
    )
    assert not any(step.from_device for step in procedure.step)


def test_a_hand_turned_up_before_its_card_is_not_dealt_by_hand() -> None:
    with pytest.raises(
        ProcedureError, match=r"step\[3\]\.origin: out of the hand only for players that draw by choice"
    ):
        small(
            rows("step", 'name = "hands"\ndo = "deal"\nto = ["seats"]\ncards = 2\nby = "single"'),
            rows("step", 'name = "choice"\ndo = "decide"\nchoices = ["draw"]'),
            rows("step", 'name = "change"\ndo = "exchange"\nto = ["seats"]\nmost = 1\nexposes = true'),
            rows("step", 'name = "end"\ndo = "reveal"\norder = ["seats"]'),
            rows("decision", 'number = 1\nname = "draw"\ndraws = 1'),
            wrong("seats"),
            device='"hand"',
        )
