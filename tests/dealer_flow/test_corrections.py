"""Settled bets stay settled, and keying errors are corrected."""

import pytest

from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import parse_cards
from protocol.places import seat
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on, play

SHOWS = (
    "bets 1: ante 500 / start / packet seat 1: AH KH QH / packet dealer: 5D 6D 7D / packet community: 9S TS JS / dump"
)


def seat_of(result: RoundResult, number: int = 1) -> dict[str, object]:
    found = result.seats[number - 1]
    return {"cards": found.cards, "settled": found.settled, "returned": found.returned}


def shown_hands(reading: str = "") -> HandTable:
    lines = DEALT.format(how=reading)
    return go_on(play("propositions", lines), BOARD)


DEALT = (
    "bets 1: ante 500, side 300 / start / packet seat 1{how}: AH KH QH / choose 1: declare / "
    "packet seat 1{how}: 2C 3C / packet community{how}: 9S TS JS 4D 5D / dump"
)
BOARD = "show community: 9S TS JS / show community: 9S TS JS 4D / choose 1: check / show community: 9S TS JS 4D 5D"


def test_a_supervisor_puts_right_what_was_keyed() -> None:
    table = go_on(shown_hands(), "show seat 1: AH KH QD 2C 3C / correct seat 1: AH KH QH 2C 3C")
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", ["hand-corrected"])
    assert seat_of(result)["cards"] == ("AH", "KH", "QH", "2C", "3C")
    done = result.incidents[0]
    assert (done.known, done.cards) == (("AH", "KH", "QD", "2C", "3C"), ("AH", "KH", "QH", "2C", "3C"))
    assert (done.badge, done.level, done.place, done.clause) == (77, "supervisor", "seat 1", "procedure")


def test_the_face_that_was_keyed_wrong_may_lie_elsewhere() -> None:
    table = go_on(
        play("holdem", "bets 1: ante 500 / start / packet seat 1: AH KH / packet dealer: 5D 6D"), "choose 1: fold"
    )
    go_on(table, "dump / show seat 1: 5D KH / correct seat 1: AH KH / show dealer: 5D 6D")
    assert "duplicate-face" not in table.codes


def test_keyed_once_more_is_no_correction() -> None:
    table = go_on(shown_hands(), "show seat 1: AH KH QD 2C 3C / show seat 1: AH KH QH 2C 3C")
    assert (table.end().outcome, table.codes) == ("unreliable", ["faces-disagree"])


@pytest.mark.parametrize("who", ["dealer", "nobody"])
def test_without_a_supervisor_what_was_keyed_stands(who: str) -> None:
    table = go_on(shown_hands(), f"show seat 1: AH KH QD 2C 3C / correct seat 1 by {who}: AH KH QH 2C 3C")
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", ["correction-refused"])
    assert seat_of(result)["cards"] == ("AH", "KH", "QD", "2C", "3C")


FLOP = (
    "bets 1: ante 500, bonus 100 / start / packet seat 1: AH KH / packet dealer: 5D 6D / "
    "packet community: 9S TS JS 2C 3C / dump / choose 1: flop-bet, flop 1000 / show community: 9S TS JD"
)
RIGHT = "correct community: 9S TS JS / choose 1: turn-check / show community: 9S TS JS 2C / choose 1: river-check / "
LATER = (
    "choose 1: turn-check / show community: 9S TS JD 2C / choose 1: river-check / show community: 9S TS JD 2C 3C / "
    "correct community: 9S TS JS 2C 3C / "
)


@pytest.mark.parametrize("then", [f"{RIGHT}show community: 9S TS JS 2C 3C / ", LATER])
def test_a_flop_that_was_keyed_wrong_is_put_right_then_or_when_the_whole_board_lies_open(then: str) -> None:
    table = go_on(play("texas-holdem-bonus.co", FLOP), f"{then}show dealer: 5D 6D / show seat 1: AH KH")
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", ["hand-corrected"])
    assert result.community == ("9S", "TS", "JS", "2C", "3C")
    assert [stage.cards[:3] for stage in result.stages if stage.step == "flop"] == [("9S", "TS", "JS")]


def test_a_flop_that_was_keyed_wrong_is_corrected_by_nobody_else() -> None:
    table = go_on(play("texas-holdem-bonus.co", FLOP), "correct community by dealer: 9S TS JS")
    assert (table.codes, table.incidents[0].reason) == (["correction-refused"], "badge_may_correct")


def test_after_the_end_of_the_game_nothing_is_corrected() -> None:
    table = go_on(shown_hands(), "show seat 1: AH KH QD 2C 3C")
    before = table.end()
    go_on(table, "correct seat 1: AH KH QH 2C 3C")
    assert table.codes == ["correction-refused"]
    assert table.results == [before]


def test_what_a_device_read_is_never_replaced() -> None:
    read = shown_hands(" reading")
    go_on(read, "show seat 1: AH KH QH 2C 3C / correct seat 1: AH KH QD 2C 3C")
    result = read.end()
    assert (result.outcome, set(read.codes)) == ("unreliable", {"faces-disagree"})
    assert seat_of(result)["cards"] == ("AH", "KH", "QH", "2C", "3C")
    layout = shown_hands()
    layout.controller(e.HandRevealed(seat(1), parse_cards("AH KH QH 2C 3C"), False))
    go_on(layout, "correct seat 1: AH KH QD 2C 3C")
    assert (layout.end().outcome, layout.codes) == ("unreliable", ["faces-disagree"])


# ------------------------------------------------------------------ settled before a void


SHORT = DEALT.format(how="").replace("packet community: 9S TS JS 4D 5D", "packet community should be 5: 9S TS JS 4D")


def test_a_bet_that_was_settled_before_a_misdeal_does_not_go_back() -> None:
    result = play("propositions", SHORT).end()
    assert result.outcome == "misdeal"
    assert seat_of(result)["settled"] == ("side",)
    assert seat_of(result)["returned"] == {"ante": 500}


def test_a_bet_whose_step_was_not_over_goes_back() -> None:
    lines = DEALT.format(how="").split(" / choose")[0].replace("seat 1: AH KH QH", "seat 1 should be 3: AH KH")
    seat_ = seat_of(go_on(play("propositions", lines), "dump").end())
    assert (seat_["settled"], seat_["returned"]) == ((), {"ante": 500, "side": 300})


def test_a_hand_that_was_dead_when_the_step_ended_has_nothing_settled() -> None:
    lines = DEALT.format(how="").replace("seat 1: AH KH QH", "seat 1 should be 3: AH KH").split(" / choose")[0]
    two = lines.replace("start", "bets 2: ante 500, side 300 / start")
    more = "packet seat 2: 4H 5H 6H / choose 2: declare / packet seat 1: 2C 3C / packet seat 2: 8H 9H"
    more += " / packet community should be 5: 9S TS JS 4D"
    result = go_on(play("propositions", two), more).end()
    assert [each.settled for each in result.seats] == [(), ("side",)]


def test_nothing_is_said_of_a_round_that_is_complete() -> None:
    assert seat_of(shown_hands().end())["settled"] == ()


def test_a_deck_found_defective_after_the_hands_were_shown() -> None:
    lines = "bets 1: ante 500, blind 500 / start"
    deal = "packet community: 7H KD 2C 9S 4D / packet seat 1: AH KH QH JH TH / packet dealer: 2S 3S 4S 5S 7C / dump"
    burn = "burn community: 1 2 5 / choose 1: play, play 1000"
    found = {}
    for reading in ("stand", "come-back"):
        table = go_on(HandTable("flushes-gone-wild.co", **{"won-before-defect": reading}), f"{lines} / {deal} / {burn}")
        go_on(table, "show community: 2C 9S / show dealer: 2S 3S 4S 5S 7C / show seat 1: AH KH QH JH TH")
        result = go_on(table, "count remainder: 36").end()
        assert result.outcome == "defective-deck", table.codes
        found[reading] = seat_of(result)["settled"], seat_of(result)["returned"]
    all_bets = {"ante": 500, "blind": 500, "play": 1000}
    assert found == {"stand": (tuple(all_bets), {}), "come-back": ((), all_bets)}


def test_a_deck_found_defective_before_the_hands_were_shown() -> None:
    lines = "bets 1: ante 500, blind 500 / start / packet community: 7H KD 2C 9S 4D / packet seat 1: AH KH QH JH TH"
    table = play("flushes-gone-wild.co", f"{lines} / packet dealer: 2S 3S 4S 5S 7C / dump / count remainder: 36")
    result = table.end()
    assert result.outcome == "defective-deck"
    assert seat_of(result)["returned"] == {"ante": 500, "blind": 500}


def test_a_card_found_wrong_before_anything_follows_settles_nothing() -> None:
    """208 (13): the wagers rest on the card that was just dealt; once the next is dealt they are settled."""
    lines = "bets 1: ante 500 / start / burn-card / deal by hand / choose 1: card-1, card-1 25 / burn-card 9C"
    first = go_on(play("208.co", lines), "draw community KD / count community: 2").end()
    assert first.seats[0].returned == {"ante": 500, "card-1": 25}
    later = go_on(
        play("208.co", lines), "draw community KD / burn-card 8C / draw community 7D / count community: 3"
    ).end()
    assert (later.outcome, later.seats[0].settled, later.seats[0].returned) == ("misdeal", ("card-1",), {"ante": 500})


def test_what_a_supervisor_let_pass_is_settled_by_what_follows() -> None:
    """208 (13)-(14): the first card was doubted and stands; the second is dealt, and the third is one too many."""
    lines = "bets 1: ante 500 / start / burn-card / deal by hand / choose 1: card-1, card-1 25 / burn-card 9C"
    doubted = "draw community KD / mishap community: off-table / confirm"
    table = HandTable("208.co", **{"house-card-off-table": "person"})
    go_on(table, f"{lines} / {doubted} / burn-card 8C / draw community 7D / count community: 3")
    result = table.end()
    assert (result.outcome, result.seats[0].settled) == ("misdeal", ("card-1",))
    at_once = go_on(HandTable("208.co", **{"house-card-off-table": "person"}), f"{lines} / {doubted} / misdeal").end()
    assert (at_once.outcome, at_once.seats[0].settled) == ("misdeal", ())


def test_a_wager_is_on_one_of_the_propositions_of_208() -> None:
    lines = "bets 1: ante 500 / wager 1: three-card straight 50 / start / burn-card / deal by hand / choose 1: card-1"
    more = "wager 1: card-1 rank:T 25 / wager 1: card-1 over-7 50 / wager 1: card-1 rank:7 25 / burn-card 9C"
    table = go_on(play("208.co", lines), f"{more} / draw community KD")
    seat_ = table.end().seats[0]
    assert seat_.propositions == {"three-card": {"straight": 50}, "card-1": {"rank:T": 25, "over-7": 50}}
    assert (seat_.wagers["card-1"], seat_.wagers["three-card"]) == (75, 50)
    assert "unknown-proposition" in table.codes
