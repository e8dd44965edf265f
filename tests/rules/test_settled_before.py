"""The round's record binds its settlement: a bet settled before a void does not come back, and a hand fouled by its
player recovers nothing (47.1-1020, 47.1-1031(2), 47.1-1036)."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from dealer_flow.games import files_of
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.details import Stage
from dealer_flow.record.result import RoundResult
from rules import load_game, settle
from tests.support.dealing.hand_table import HandTable
from tests.support.oracles.clause_returns import allowed_returns
from tests.support.reading.game_files import flat_paytables

GAME = load_game("flushes-gone-wild.co")
DEALT = """
bets 1: ante 500, blind 500
bets 2: ante 500, blind 500
start
packet community: 2C 3C 4C 5C 6C
packet seat 1: AH KH QH 9D 2S
packet seat 2: AS KS QD 9C 2D
"""
REST = """
packet dealer: TH 9H 7C 6D 3S
dump
burn community: 1 2 5
choose 1: play, play 1000
choose 2: play, play 1000
show dealer: TH 9H 7C 6D 3S
show community: 4C 5C
show seat 2: AS KS QD 9C 2D
show seat 1: AH KH QH 9D 2S
"""


def lines(table: HandTable) -> dict[tuple[int, str], str]:
    return {(line.seat, line.bet): line.result for line in settle(table.end(), GAME, meters={"meter": 1000}).lines}


def test_hands_that_were_shown_before_the_deck_was_found_defective_are_settled_by_their_cards() -> None:
    found = HandTable().play(DEALT + REST)
    whole = lines(found)
    assert found.results[-1].outcome == "complete"
    table = HandTable().play(DEALT + REST).play("count remainder: 26")
    settled = lines(table)
    assert table.results[-1].outcome == "defective-deck"
    assert {bet for seat in table.results[-1].seats for bet in seat.settled} == {"ante", "blind", "play"}
    assert settled == whole
    assert "win" in settled.values()


def test_chips_laid_down_too_late_are_no_wager_and_the_settlement_says_that_they_lie_there() -> None:
    table = HandTable().play(DEALT).bet(1, flush_rush=100).play(REST)
    settlement = settle(table.end(), GAME, meters={"meter": 1000})
    assert {line.bet for line in settlement.lines if line.seat == 1} == {"ante", "blind", "play"}
    assert "held" not in {line.result for line in settlement.lines}
    assert settlement.status == "partly-held"
    assert settlement.why == "seat 1 flush-rush: it is held and not a wager of the round"


def test_what_was_settled_in_a_round_that_was_never_shown_is_held_as_the_table_settled_it() -> None:
    """No bet of this game is settled early: a record that says so does not say by which cards."""
    void = HandTable().play(DEALT).play("misdeal").end()
    assert void.outcome == "misdeal"
    first = replace(void.seats[0], returned={"ante": 500}, settled=("blind",))
    settled = settle(replace(void, seats=(first, *void.seats[1:])), GAME)
    assert [(line.bet, line.result) for line in settled.lines if line.seat == 1] == [
        ("ante", "returned"),
        ("blind", "held"),
    ]
    assert settled.why == "seat 1 blind: misdeal: blind was settled earlier, and that stands"


def test_a_bet_of_which_a_void_round_says_nothing_is_held() -> None:
    void = HandTable().play(DEALT).play("misdeal").end()
    silent = settle(replace(void, seats=(replace(void.seats[0], returned={}), *void.seats[1:])), GAME)
    assert {line.bet: line.result for line in silent.lines if line.seat == 1} == {"ante": "held", "blind": "held"}
    assert silent.why == "seat 1 ante: misdeal: the round does not record the result of ante"
    less = settle(replace(void, seats=(replace(void.seats[0], returned={"ante": 200, "blind": 500}),)), GAME)
    assert [line.result for line in less.lines] == ["held", "returned"]
    assert less.lines[0].why == "misdeal: the round gives back $2 of $5"


def test_what_goes_back_at_a_live_hand_is_not_settled_as_well() -> None:
    table = HandTable().play(DEALT + REST)
    whole = table.end()
    one = replace(whole.seats[0], returned={"blind": 500})
    settled = settle(replace(whole, seats=(one, *whole.seats[1:])), GAME)
    (line,) = (line for line in settled.lines if (line.seat, line.bet) == (1, "blind"))
    assert (line.result, line.why, line.clause) == (
        "returned",
        "returned at the table: blind comes back",
        "procedure",
    )


@pytest.mark.parametrize(("known", "result"), [(True, "win"), (False, "held")])
def test_a_bet_is_settled_by_the_cards_of_its_stage(tmp_path: Path, known: bool, result: str) -> None:
    """Flush Rush by the hand as it was before the choice, in a game file that says so."""
    text = files_of("pays")["flushes-gone-wild.co"].read_text()
    early = '[hands.early]\nof = { own = 5, community = 2 }\nat = { own = "choice" }\n'
    early += 'ranking = "longest-flush"\nclause = "-"\n'
    text = text.replace('name = "flush-rush"', 'name = "flush-rush"\nhand = "early"', 1)
    text = text.replace("[[order]]", f"{early}\n[[order]]", 1)
    (tmp_path / "game.toml").write_text(text)
    flat_paytables(tmp_path / "paytables")
    whole = HandTable().play(DEALT.replace("start", "bets 1: flush-rush 500\nstart") + REST).end()
    cards = ("AH", "KH", "QH", "JH", "TH")
    before = (Stage(step="choice", place="seat 1", cards=cards),) if known else ()
    game, seats = load_game(tmp_path / "game.toml"), (whole.seats[0],)
    for outcome in ("complete", "misdeal"):
        one = replace(seats[0], returned={"ante": 500, "blind": 500, "play": 1000}, settled=("flush-rush",))
        round_ = replace(whole, stages=before, outcome=outcome, seats=(one,) if outcome == "misdeal" else seats)
        line = {line.bet: line for line in settle(round_, game).lines}["flush-rush"]
        assert line.result == result, outcome
        assert known or line.why == "0 of 5 cards of seat 1 were seen"
    assert game.sha256 != GAME.sha256


def test_a_line_of_the_first_version_is_settled_as_it_was() -> None:
    """It gave back everything void, including the bets of a fouled hand."""
    rest = "\n".join(line for line in REST.splitlines() if not line.startswith(("choose 2", "show seat 2")))
    table = HandTable().play(DEALT).play("mishap seat 2: fouled-by-player").play(rest)
    now = table.end()
    content = json.loads(now.to_json()) | {"schema": "dealwire.round/1"}
    old = RoundResult.from_json(json.dumps(content))
    assert now.seats[1].returned == {}
    assert {line.result for line in settle(now, GAME).lines if line.seat == 2} == {"lose"}
    assert {line.result for line in settle(old, GAME).lines if line.seat == 2} == {"returned"}


def test_under_the_other_reading_every_bet_comes_back() -> None:
    table = HandTable(won_before_defect="come-back").play(DEALT + REST).play("count remainder: 26")
    assert set(lines(table).values()) == {"returned"}


@pytest.mark.parametrize(("how", "result"), [("fouled-by-player", "lose"), ("fouled-by-others", "returned")])
def test_whose_fault_it_was_decides_what_a_fouled_hand_recovers(how: str, result: str) -> None:
    rest = "\n".join(line for line in REST.splitlines() if not line.startswith(("choose 2", "show seat 2")))
    settled = lines(HandTable().play(DEALT).play(f"mishap seat 2: {how}").play(rest))
    assert {settled[2, "ante"], settled[2, "blind"]} == {result}
    assert settled[1, "ante"] in ("win", "lose", "push")


def test_what_a_fold_lost_stays_lost_where_the_round_is_void_later() -> None:
    """47.1-1017.60(7)(A): ante and blind are picked up at the fold, Flush Rush stays in action."""
    rest = "packet dealer: TH 9H 7C 6D 3S / burn community: 1 2 5 / choose 1: play, play 1000 / choose 2: fold"
    found = {}
    for reading in ("stays", "comes-back"):
        table = HandTable(**{"lost-by-fold": reading}).play(DEALT.replace("start", "bets 2: flush-rush 500\nstart"))
        found[reading] = lines(table.play(rest.split(" / ")).play("count dealer: 6"))
        assert table.results[-1].outcome == "misdeal"
    first = {(1, "ante"): "returned", (1, "blind"): "returned", (1, "play"): "returned", (2, "flush-rush"): "returned"}
    assert found["stays"] == first | {(2, "ante"): "lose", (2, "blind"): "lose"}
    assert found["comes-back"] == first | {(2, "ante"): "returned", (2, "blind"): "returned"}


def test_a_hand_that_was_compared_before_the_deck_was_found_defective_stands_the_others_do_not() -> None:
    """47.1-1036: a player keeps winnings, here from before the last hand was turned up."""
    table = HandTable().play((DEALT + REST).replace("show seat 1: AH KH QH 9D 2S", "show seat 1: AH KH QH 9D 3S"))
    result = table.end()
    assert (result.outcome, result.seats[0].settled) == ("defective-deck", ())
    assert result.seats[1].settled == ("ante", "blind", "play")


SHOWN_AND_HELD = """
bets 1: ante 500
bets 2: ante 500, super-bonus 500
start
packet seat 2: QH QD 7C 4S 2H
packet seat 1: AH AD 9C 9S 2C
packet dealer: KS KD 8C 5H 3C
dump
choose 2: play, play 500
choose 1: play
show dealer: KS KD 8C 5H 3C
show seat 1: AH AD 9C 9S 2C
show seat 2: QH QD 7C 4S 2H
count dealer: 6
"""


def test_a_held_bet_of_a_hand_that_was_shown_waits_though_the_deck_was_defective() -> None:
    """Earlier winnings stand (47.1-1036). A supervisor decides whether an invalid wager was won: the ante does not go
    back automatically."""
    table = HandTable("crazy-4.co").play(SHOWN_AND_HELD.strip().splitlines())
    result = table.end()
    one, two = result.seats
    assert (result.outcome, one.returned, [*one.held], one.settled) == ("defective-deck", {}, ["ante"], ())
    assert two.settled == ("ante", "super-bonus", "play")
    assert set() in allowed_returns(load_procedure("crazy-4.co"), result, one)
    lines = {line.bet: line for line in settle(result, load_game("crazy-4.co")).lines if line.seat == 1}
    assert (lines["ante"].result, lines["ante"].clause) == ("held", "47.1-1017.44(2), (13)")


THREE_TABLES = {"three-card": "357-1", "five-card": "357-3", "seven-card": "357-5"}
THREE_GAMES = """
bets 1: three-card 100, five-card 100, pot-3 200
bets 2: three-card 100, five-card 100, pot-3 200
bets 3: three-card 100, pot-3 200
start
deal by hand
confirm
show seat 1: KD KS 4C
show seat 2: JH TH 9C
"""


def of_three_games(*lines: str) -> tuple[RoundResult, dict[tuple[int, str], tuple[str, int]]]:
    """Return the void round, and the result and net of each line."""
    round_ = HandTable("3-5-7.co-hand").play(THREE_GAMES).play([*lines, "mishap community: exposed 6H"]).end()
    assert round_.outcome == "misdeal"
    done = settle(round_, load_game("3-5-7.co-hand"), paytables=THREE_TABLES)
    return round_, {(line.seat, line.bet): (line.result, line.net) for line in done.lines}


def test_a_game_that_was_over_stands_with_its_pot_when_a_card_of_a_later_one_is_exposed() -> None:
    """47.1-1017.37(5): all remaining wagers are void. A straight pays 6 to 1 and a pair 1 to 1, (10)."""
    round_, done = of_three_games("show seat 3: AD 7C 2S")
    assert [(each.step, each.place) for each in round_.stages] == [
        ("three-card-game", f"seat {number}") for number in (1, 2, 3)
    ]
    assert {bet: line for bet, line in done.items() if bet[1] != "five-card"} == {
        (1, "three-card"): ("win", 100),
        (2, "three-card"): ("win", 600),
        (3, "three-card"): ("lose", -100),
        (1, "pot-3"): ("lose", -200),
        (2, "pot-3"): ("win", 400),
        (3, "pot-3"): ("lose", -200),
    }
    assert {done[number, "five-card"] for number in (1, 2)} == {("returned", 0)}


def test_a_pot_with_the_stake_of_a_hand_that_died_before_waits_and_the_wagers_beside_it_are_settled() -> None:
    _, done = of_three_games("mishap seat 3: fouled-by-player")
    assert {seat: line for (seat, bet), line in done.items() if bet == "three-card"} == {
        1: ("win", 100),
        2: ("win", 600),
        3: ("returned", 0),
    }
    assert {done[number, "pot-3"] for number in (1, 2)} == {("held", 0)}


def test_cards_that_changed_since_a_bet_was_settled_do_not_decide_it() -> None:
    round_, _ = of_three_games("show seat 3: AD 7C 2S")
    first, *others = round_.stages
    then = replace(first, cards=("KD", "KS", "KC"))
    for stages in ((then, *others), (then, first, *others), others):
        done = settle(replace(round_, stages=tuple(stages)), load_game("3-5-7.co-hand"), paytables=THREE_TABLES)
        assert {line.result for line in done.lines if (line.seat, line.bet) == (1, "three-card")} == {"held"}
