"""Contents of a round's line besides cards and bets: stages, splits, discards, propositions, the number drawn."""

import json

from dealer_flow.record.result import RoundResult
from protocol.cards import parse_card
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on, play, refused

DEALT = (
    "bets 1: ante 500 / start / packet seat 1{how}: AH KH QH / choose 1: declare / packet seat 1{how}: 2C 3C / "
    "packet community{how}: 9S TS JS 4D 5D / dump"
)
LAID = " / ".join(["bets 1: ante 500 / start / number 3", *["packet next: ?? ?? ?? ?? ?? ?? ?? ??"] * 5])
SHOWN = "show community: 9S TS JS / show community: 9S TS JS 4D / choose 1: check / show community: 9S TS JS 4D 5D"


def dealt(how: str = "") -> HandTable:
    return play("propositions", DEALT.format(how=how))


def rows(result: RoundResult) -> list[tuple[str, str, str]]:
    return [(stage.step, stage.place, " ".join(stage.cards)) for stage in result.stages]


def test_a_board_shown_card_by_card_has_its_stages_in_order() -> None:
    result = go_on(dealt(), SHOWN).end()
    assert result.outcome == "complete"
    assert rows(result) == [("flop", "community", "9S TS JS ?? ??"), ("turn", "community", "9S TS JS 4D ??")]
    assert result.community == ("9S", "TS", "JS", "4D", "5D")


def test_of_a_board_that_the_device_read_the_cards_turned_up_are_told_from_the_others() -> None:
    result = go_on(dealt(" reading"), SHOWN).end()
    assert rows(result)[1:] == [("flop", "community", "9S TS JS ?? ??"), ("turn", "community", "9S TS JS 4D ??")]


def test_first_cards_that_a_device_reads_are_recorded_and_choices_by_step() -> None:
    result = go_on(dealt(" reading"), f"{SHOWN} / show seat 1: 2C 3C AH KH QH").end()
    assert rows(result)[0] == ("first", "seat 1", "AH KH QH")
    assert result.seats[0].choices == {"declare": "declare", "bet": "check"}


def test_first_cards_that_nobody_read_or_showed_are_absent() -> None:
    result = go_on(dealt(), f"{SHOWN} / show seat 1: 2C 3C AH KH QH").end()
    assert not [stage for stage in result.stages if stage.place == "seat 1"]
    assert result.seats[0].cards == ("2C", "3C", "AH", "KH", "QH")


def test_what_lies_open_when_a_hand_is_declared_is_of_that_step() -> None:
    lines = DEALT.format(how="").replace("choose 1: declare", "show seat 1: AH KH QH / choose 1: declare")
    result = go_on(play("propositions", lines), f"{SHOWN} / show seat 1: 2C 3C AH KH QH").end()
    assert ("declare", "seat 1", "AH KH QH") in rows(result)


def test_a_line_without_news_has_none_of_the_keys() -> None:
    table = play(
        "holdem", "bets 1: ante 500 / start / packet seat 1: AH KH / packet dealer: 5D 6D / choose 1: fold / dump"
    )
    line = json.loads(table.end().to_json())
    assert {"stages", "number"}.isdisjoint(line)
    assert {"discards", "split", "blind", "propositions", "settled"}.isdisjoint(line["seats"][0])
    assert {"discards", "split"}.isdisjoint(line["dealer"])


def test_a_set_hand_is_recorded_with_who_set_it() -> None:
    split = go_on(play("set", LAID), "set seat 1: AH KD | 4C").end().seats[0].split
    assert split is not None
    assert (split.low, split.rest, split.by, split.foul) == (("AH", "KD"), ("4C",), "player", False)


def test_a_hand_set_again_is_as_it_was_set_last() -> None:
    split = go_on(play("set", LAID), "set seat 1: AH KD | / set seat 1 house-way: AH QD |").end().seats[0].split
    assert split is not None
    assert (split.low, split.by) == (("AH", "QD"), "house-way")


def test_discards_are_recorded_as_they_were_reported() -> None:
    table = play("holdem", "bets 1: ante 500 / start / packet seat 1: AH KH / packet dealer: 5D 6D / choose 1: fold")
    result = go_on(table, "lay away seat 1: AH ?? / dump").end()
    assert result.seats[0].discards == ("AH", "??")


def test_a_card_laid_away_that_the_hand_never_held() -> None:
    table = play("holdem", "bets 1: ante 500 / start / packet seat 1 reading: AH KH / packet dealer: 5D 6D")
    assert refused(go_on(table, "lay away seat 1: AH")) == []
    assert refused(go_on(table, "lay away seat 1: 2C")) == [("faces-disagree", "laid-away", True)]


def test_wagers_on_propositions_make_up_the_bet() -> None:
    lines = "bets 1: ante 500 / wager 1: side rank:T 75 / wager 1: side card:TD 25 / wager 1: side suit:D 50"
    more = "wager 1: side over-7 100 / wager 1: side suit:D 0 / start / packet seat 1: AH KH QH"
    seat = go_on(play("propositions", lines), more).end().seats[0]
    assert seat.propositions == {"side": {"rank:T": 75, "card:TD": 25, "over-7": 100}}
    assert seat.wagers == {"ante": 500, "side": 200}


def test_a_bet_whose_propositions_nobody_reported_names_none() -> None:
    lines = "bets 1: ante 500, side 300 / start / packet seat 1: AH KH QH"
    seat = play("propositions", lines).end().seats[0]
    assert (seat.wagers["side"], seat.propositions) == (300, {})


def test_a_bet_taken_back_takes_its_propositions_with_it() -> None:
    lines = "bets 1: ante 500 / wager 1: side rank:T 75 / bets 1: side 0 / start / packet seat 1: AH KH QH"
    seat = play("propositions", lines).end().seats[0]
    assert (seat.wagers, seat.propositions) == ({"ante": 500}, {})


def test_a_wager_on_what_is_not_offered_is_none() -> None:
    table = play("propositions", "bets 1: ante 500")
    for on in ("rank:7", "rank:TD", "rank", "suit:T", "card:T", "over-7:T", "under-7"):
        go_on(table, f"wager 1: side {on} 75")
    assert {incident.code for incident in table.incidents} == {"unknown-proposition"}
    assert not any(incident.unreliable for incident in table.incidents)
    assert go_on(table, "start / packet seat 1: AH KH QH").end().seats[0].wagers == {"ante": 500}


def test_the_number_drawn_is_recorded_with_its_place() -> None:
    table = play("pai-gow", "bets 1: ante 500 / start / number 6 / misdeal")
    number = table.end().number
    assert number is not None
    assert (number.drawn, number.place) == (6, "dealer")


def test_hidden_faces_are_hidden_wherever_a_line_names_them() -> None:
    lines = DEALT.format(how=" reading")
    result = go_on(play("propositions", lines), f"{SHOWN} / lay away seat 1: AH").end()
    hidden = result.redact({parse_card(card) for card in ("AH", "KH")}).to_json()
    assert "AH" in result.to_json()
    assert "AH" not in hidden
    assert "KH" not in hidden


def test_a_line_reads_itself_again() -> None:
    lines = DEALT.format(how=" reading").replace("start", "wager 1: side rank:T 75 / start", 1)
    result = go_on(play("propositions", lines), f"{SHOWN} / lay away seat 1: AH").end()
    assert RoundResult.from_json(result.to_json()) == result
    old = json.loads(result.to_json()) | {"schema": "dealwire.round/1"}
    assert RoundResult.from_json(json.dumps(old)) == result
