"""Reports that come late or twice, or concern a card that has moved since: none is lost, and none is missed."""

import pytest

from dealer_flow.play.machine.states import State
from dealer_flow.record.result import RoundResult, Seat
from protocol.places import parse_place
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable


def played(procedure: str, lines: str, **options: str) -> HandTable:
    return HandTable(procedure, **options).play(lines)


def seat_one(result: RoundResult) -> Seat:
    return result.seats[0]


def codes(table: HandTable) -> list[tuple[str, str]]:
    return [(found.code, found.reason) for found in table.incidents]


# ------------------------------------------------------------------ money

CARD_1 = """
bets 1: ante 500
bets 2: ante 500
start
burn-card
deal by hand
choose 1: card-1
wager 1: card-1 rank:K 25
burn-card 9C
draw community KD
"""
CARDS_2_3 = """
burn-card 9C
draw community KD
burn-card 9C
draw community 7S
show community: KD KD 7S
show seat 2: AC AD
show seat 1: KS KD
end
"""


@pytest.mark.parametrize("late", ["wager 1: card-1 rank:K 75", "wager 1: card-1 suit:D 25", "bets 1: card-1 75"])
def test_a_bet_is_not_raised_once_its_card_lies_open(late: str) -> None:
    """47.1-1017.32(11)-(12): the bet on the first card is made before that card is dealt."""
    table = played("208.co", CARD_1 + late + CARDS_2_3)
    seat = seat_one(table.results[0])
    assert codes(table) == [("wager-held", "house_covered")]
    assert (seat.wagers["card-1"], seat.propositions) == (25, {"card-1": {"rank:K": 25}})
    assert seat.held == {"card-1": "47.1-1017.32(11)"}


@pytest.mark.parametrize("again", ["wager 1: card-1 rank:K 25", "bets 1: card-1 25"])
def test_a_bet_reported_again_as_it_lies_is_no_other_bet(again: str) -> None:
    table = played("208.co", CARD_1 + again + CARDS_2_3)
    assert (codes(table), seat_one(table.results[0]).held) == ([], {})


def test_the_bet_on_the_next_card_is_another() -> None:
    table = played("208.co", CARD_1 + "choose 1: card-2\nwager 1: card-2 rank:K 25" + CARDS_2_3)
    seat = seat_one(table.results[0])
    assert (codes(table), seat.held, seat.wagers["card-2"]) == ([], {}, 25)


def test_money_of_which_nobody_knows_what_it_is_on_is_on_nothing() -> None:
    before_card = CARD_1.replace("burn-card 9C", "bets 1: card-1 75\nburn-card 9C")
    seat = seat_one(played("208.co", before_card + CARDS_2_3).results[0])
    assert (seat.wagers["card-1"], seat.propositions) == (75, {})


FLOP = """
bets 1: ante 500, blind 500
start
packet seat 1: AH KH
packet dealer: 5D 6D
"""


def test_a_bet_that_lies_there_is_not_raised_after_the_flop() -> None:
    """47.1-1017.46: who plays before the flop does so for three or four times the ante."""
    table = played("ultimate-texas-holdem.co", FLOP)
    table.play("choose 1: play-3x, play 1500\npacket community: 9S TS JS\nshow community: 9S TS JS\nbets 1: play 2000")
    assert codes(table)[-1] == ("wager-held", "house_covered")
    assert round_of(table.flow).wagers[1]["play"] == 1500


def test_a_check_before_the_flop_bets_after_it() -> None:
    table = played("ultimate-texas-holdem.co", FLOP)
    table.play(
        "choose 1: check-1\npacket community: 9S TS JS\nshow community: 9S TS JS\nbets 1: play 1000\nchoose 1: play-2x"
    )
    assert "wager-held" not in table.codes


BOARD = """
packet community: 9S TS JS
show community: 9S TS JS
packet community: 2C 3C
dump
show community: 9S TS JS 2C 3C
show dealer: 5D 6D
show seat 1: AH KH
end
"""


def test_who_chose_to_play_and_put_nothing_down_may_have_to_fold() -> None:
    """47.1-1017.47(10): who "has not yet placed a 'play' wager" folds or places one; this player was past choosing."""
    seat = seat_one(played("ultimate-texas-holdem.co", f"{FLOP}choose 1: play-4x{BOARD}").results[0])
    assert seat.held == {"ante": "47.1-1017.47(8)", "blind": "47.1-1017.47(8)"}


RIDES = """
bets 1: bet-1 500, bet-2 500, bet-dollar 500
start
packet seat 1: AH KD 9C
packet community: 4S 2H 3D
dump
burn community: 3
"""
SHOWN = """
show community: 4S
choose 1: let-it-ride-2
show community: 4S 2H
show seat 1: AH KD 9C
end
"""


def test_a_bet_that_rides_is_not_gone() -> None:
    """It was reported as taken back, and then the player let it ride: a person says which."""
    table = played("let-it-ride.co", f"{RIDES}bets 1: bet-1 0\nchoose 1: let-it-ride-1{SHOWN}")
    seat = seat_one(table.results[0])
    assert codes(table) == [("decision-bet-differs", "bet-missing")]
    assert (seat.wagers["bet-1"], seat.held) == (500, {"bet-1": "47.1-1017.14(2)"})


def test_a_bet_taken_back_is_gone() -> None:
    table = played("let-it-ride.co", f"{RIDES}choose 1: take-back-1{SHOWN}")
    seat = seat_one(table.results[0])
    assert (codes(table), seat.wagers, seat.held) == ([], {"bet-dollar": 500, "bet-2": 500}, {})


PILES = """
packet pile 1: AH KH QH JH TH 9H 8H
packet pile 2: AD KD QD JD TD 9D 8D
packet pile 3: AC KC QC JC TC 9C 8C
packet pile 4: AS KS QS JS TS 9S 8S
packet pile 5: 7H 6H 5H 4H 3H 2H 7D
packet pile 6: 6D 5D 4D 3D 2D 7C 6C
packet pile 7: 5C 4C 3C 2C 7S 6S 5S
dump
number 1
end
"""


def test_a_tip_whose_wager_went_back_before_the_number_is_held() -> None:
    """47.1-1017.43(8), (10): bets change until the cup is shaken; a tip alone plays with nothing."""
    lines = f"bets 1: wager 500, tip-wager 100\nbets 2: wager 500\nstart\nbets 1: wager 0\n{PILES}"
    table = played("pai-gow.co", lines)
    seat = seat_one(table.results[0])
    assert ("side-bet-alone", "") in codes(table)
    assert (seat.status, seat.wagers, seat.held.keys()) == ("out", {"tip-wager": 100}, {"tip-wager"})


PAID = """
bets 1: three-card 500, five-card 500
bets 2: three-card 500, five-card 500
start
packet seat 1: AC AD 9H
packet seat 2: 4C 4D 4H
packet community-first: KS QD 8S
burn community-first: 3
packet community-second: 5S 6C 9S
burn community-second: 3
dump
show seat 1: AC AD 9H
show seat 2: 4C 4D 4H
mishap seat 1: fouled-by-others
mishap community-first: exposed
end
"""


def test_a_bet_that_was_paid_stays_so_when_another_hand_is_dead() -> None:
    """47.1-1017.37(5), (7)(a): the three-card game is settled first, "all remaining wagers" are void."""
    result = played("3-5-7.co", PAID).results[0]
    assert (result.outcome, [seat.status for seat in result.seats]) == ("misdeal", ["dead", "live"])
    assert [seat.settled for seat in result.seats] == [(), ("three-card",)]
    assert result.seats[1].returned == {"five-card": 500}


# ------------------------------------------------------------------ cards

DRAWN = """
bets 1: ante 500
start
draw seat 1 AH KD 9C 4S 2H | dealer 3H 5D 7C 8S TC
choose 1: call, bet 1000
choose 1: draw-2
"""


def test_a_card_laid_away_is_laid_away_once() -> None:
    table = played("caribbean-draw.co", DRAWN + "lay away seat 1: 9C\nlay away seat 1: 9C\nlay away seat 1: 4S")
    table.play("draw seat 1 3S 5S")
    seat = round_of(table.flow).ledger.hands[parse_place("seat 1")]
    assert [card.text for card in seat.laid_away] == ["9C", "4S"]
    assert [card.text for card in seat.cards] == ["AH", "KD", "2H", "3S", "5S"]
    assert table.codes == []


def test_more_was_laid_away_unseen_than_the_shoe_left_unread() -> None:
    table = played("caribbean-draw.co", DRAWN.replace("4S 2H", "4S ??") + "lay away seat 1: ?? ??\ndraw seat 1 3S 5S")
    assert table.flow.state is not State.HALTED
    assert len(round_of(table.flow).ledger.hands[parse_place("seat 1")].cards) == 5


TWO_SHORT = """
bets 1: poker 500
bets 2: poker 500
start
draw seat 1 AH KD 9C | seat 2 4S 2H 3D | hand 1 5C 6C 7C | hand 2 TD JD 2C
count seat 1: 1
"""


def test_a_hand_two_cards_short_gets_two_and_no_third() -> None:
    """47.1-1017.22(7)(b)."""
    table = played("prospector.co", TWO_SHORT)
    waits = round_of(table.flow)
    due = [due.place.text for due in waits.dues[waits.given :]]
    table.play("draw seat 1 3C")
    left = [due.place.text for due in waits.dues[waits.given :]]
    assert (due, left) == (["seat 1", "seat 1"], ["seat 1"])
    table.play("draw seat 1 4C")
    assert (table.codes, table.flow.state) == (["counts-differ", "seat-count-wrong"], State.SHOWING)


WESTERN = """
bets 1: ante 500
bets 2: ante 500
start
draw seat 1 AH KD 9C 4S | seat 2 3H 5D 7C 8S | hand 1 TC TD JC JS | hand 2 QC QD 2S 2D
"""
EARLY = WESTERN + "draw seat 1 6S\nmishap seat 1: early 6S\n"
CHOSEN = "choose 1: high, high 500\nchoose 2: high, high 500\n"
WESTERN_SHOWN = """
show hand 1: TC TD JC JS 9S
show hand 2: QC QD 2S 2D 9D
show seat 1: AH KD 9C 4S 9H
show seat 2: 3H 5D 7C 8S 6D
end
"""


def test_an_early_card_that_then_falls_from_the_table_is_replaced() -> None:
    """47.1-1021: it was kept, and it is dead as any other card would be."""
    table = played("western-stud.co", EARLY + CHOSEN + "draw seat 2 6D\nmishap seat 1: off-table 6S\n")
    assert table.may("CardDrawn") == ["dealer: draw a card for hand 1"]
    table.play("draw hand 1 9S | hand 2 9D\ndraw seat 1 9H" + WESTERN_SHOWN)
    result = table.results[0]
    assert (result.outcome, seat_one(result).counted, seat_one(result).cards) == (
        "complete",
        5,
        ("AH", "KD", "9C", "4S", "9H"),
    )


def test_an_early_card_that_is_replaced_at_once_is_followed_by_the_next() -> None:
    lines = EARLY + CHOSEN + "draw seat 2 6D\nmishap seat 1: exposed 6S\n"
    table = played("western-stud.co", lines, last_card_exposed="replace")
    assert table.may("CardDrawn") == ["dealer: draw a card for seat 1"]
    table.play("draw seat 1 9H | hand 1 9S | hand 2 9D" + WESTERN_SHOWN)
    assert (table.results[0].outcome, seat_one(table.results[0]).counted) == ("complete", 5)


def test_an_early_card_that_is_dead_before_its_step_leaves_the_others_alone() -> None:
    table = played("western-stud.co", EARLY + "mishap seat 1: exposed 6S\n")
    assert (table.flow.state, round_of(table.flow).ledger.hands[parse_place("seat 1")].counted) == (State.DECIDING, 4)
    table.play(CHOSEN + "draw seat 1 9H | seat 2 6D | hand 1 9S | hand 2 9D" + WESTERN_SHOWN)
    assert (table.results[0].outcome, seat_one(table.results[0]).cards[-1]) == ("complete", "9H")


@pytest.mark.parametrize(
    ("game", "before", "after"),
    [
        ("three-card.co", "packet seat 1: AH KD 9C", "packet dealer: 3H 5D 7C"),
        ("three-card.co-single", "draw seat 1 AH | dealer 3H", "draw seat 1 KD 9C"),
    ],
)
def test_what_is_left_is_not_counted_in_the_midst_of_the_deal(game: str, before: str, after: str) -> None:
    table = played(game, f"bets 1: ante 500\nstart\n{before}\ncount remainder: 40")
    assert codes(table) == [("out-of-turn", "cards_lie_there")]
    assert any(item.event in ("CardDrawn", "PacketDispensed") for item in table.flow.legal())
    table.play(after)
    assert len(table.codes) == 1


@pytest.mark.parametrize("first", [1, 2])
def test_two_early_cards_are_each_kept_where_they_lie(first: int) -> None:
    """47.1-1021: they lie face down, so the dealer says where and not which."""
    said = f"mishap seat {first}: early\nmishap seat {3 - first}: early\n"
    table = played("western-stud.co", f"{WESTERN}draw seat 1 9H | seat 2 6D\n{said}{CHOSEN}")
    table.play("draw hand 1 9S | hand 2 9D" + WESTERN_SHOWN)
    assert (table.results[0].outcome, [seat.counted for seat in table.results[0].seats]) == ("complete", [5, 5])


def test_a_count_that_comes_right_answers_no_other_question() -> None:
    """A supervisor still has to rule on the card that was seen."""
    lines = WESTERN + "count seat 1: 3\nmishap seat 1: exposed\ncount seat 1: 4"
    table = played("western-stud.co", lines, player_short="person", exposed_card="person")
    assert [ruling.why.code for ruling in round_of(table.flow).rulings] == ["card-exposed"]


BY_HAND = """
bets 1: primary 1000
bets 2: primary 1000
start at 2
deal by hand
mishap seat 1: exposed
"""


@pytest.mark.parametrize("then", ["count seat 1: 7\nconfirm", "confirm\ncount seat 1: 7", "count seat 1: 7", "confirm"])
def test_a_card_dealt_by_hand_counts_once_whether_it_was_confirmed_or_counted_first(then: str) -> None:
    """47.1-1021: the exposed card is replaced; three are left."""
    table = played("emperors-challenge.co-hand", BY_HAND + then, exposed_card="complete")
    round_ = round_of(table.flow)
    assert (round_.ledger.hands[parse_place("seat 1")].counted, round_.by_hand) == (7, [])
    table.play(
        "set seat 1: ?? ?? | ?? ?? ?? ?? ??\nset seat 2: ?? ?? | ?? ?? ?? ?? ??\nshow dealer: TH JH QH KH AH 2S 3S"
    )
    assert (table.codes, table.flow.state) == (["card-exposed"], State.REVEALING)
    assert round_.ledger.remainder_expected == 3


SEVEN = " | ".join(
    (
        *("pile 1 AH KH QH JH TH 9H 8H", "pile 2 AD KD QD JD TD 9D 8D", "pile 3 AC KC QC JC TC 9C 8C"),
        *("pile 4 AS KS QS JS TS 9S 8S", "pile 5 7H 6H 5H 4H 3H 2H 7D", "pile 6 6D 5D 4D 3D 2D 7C 6C"),
        "pile 7 5C 4C 3C 2C 7S 6S 5S",
    )
)
DRAGON = f"""
bets 1: wager 500
bets 2: wager 500
start
draw {SEVEN}
number 1
set seat 1: ?? ?? | ?? ?? ?? ?? ??
set seat 2: ?? ?? | ?? ?? ?? ?? ??
set dealer: ?? ?? | ?? ?? ?? ?? ??
"""


@pytest.mark.parametrize("boxed", ["boxed 7D", "boxed"])
def test_a_card_of_the_hand_that_was_offered_is_replaced_there(boxed: str) -> None:
    """47.1-1037: and not at the position without a player, which has no cards left."""
    table = played("pai-gow.co-single", f"{DRAGON}mishap hand 1: {boxed}", dragon_hand="one-player")
    assert table.may("CardDrawn") == ["dealer: draw a card for hand 1"]
    assert parse_place("seat 3") not in round_of(table.flow).ledger.hands


# ------------------------------------------------------------------ from one round to the next


@pytest.mark.parametrize("stray", ["choose 1: fold", "choose 1: play", "burn community: 1 2 5", "burn community: 1"])
def test_a_key_pressed_before_the_round_spoils_no_round(stray: str) -> None:
    """No card lies there yet that it could be about."""
    table = played("flushes-gone-wild.co", f"bets 1: ante 500, blind 500\n{stray}")
    assert codes(table) == [("out-of-turn", "round_begun")]
    assert not round_of(table.flow).unreliable


STUD = """
bets 1: ante 500
start
draw seat 1 AH KD 9C 4S 2H | dealer 3H 5D 7C 8S TC
"""


@pytest.mark.parametrize("wrong", ["count shoe: 51", "device ShoeLoaded: shoe 1; decks 1; cards 51"])
def test_a_deck_found_wrong_and_changed_before_the_deal_spoils_no_round(wrong: str) -> None:
    """47.1-1036: it is the deck that leaves the table."""
    table = played("caribbean-stud.co-single", wrong + STUD)
    assert table.flow.state is State.VOID
    table = played("caribbean-stud.co-single", f"{wrong}\nfresh deck{STUD}")
    assert (table.flow.state, len(table.codes)) == (State.SHOWING, 1)
    assert round_of(table.flow).returns.rows == {}


def test_a_deck_dealt_by_hand_is_changed_under_a_badge() -> None:
    before = "count remainder: 51\n"
    deal = "bets 1: five-card 500\nstart\ndeal by hand\n"
    table = played("3-5-7.co-hand", before + deal)
    assert "defective-deck-again" in table.codes
    table = played("3-5-7.co-hand", f"{before}controller BadgeSwiped: badge 7; level supervisor\n{deal}")
    assert (table.flow.state, table.codes) == (State.DEALING, ["deck-count-wrong"])


def test_a_badge_changes_no_deck_of_which_a_packet_lies_in_the_tray() -> None:
    lines = """
    bets 1: ante 500
    device DeckVerified: deck 1; expected 52; counted 51
    device PacketDispensed: deck 1; ordinal 1; expected 3; counted 3; cards
    controller BadgeSwiped: badge 7; level supervisor
    start
    """
    table = played("three-card.co", lines)
    assert (table.codes, table.flow.state) == (["out-of-turn", "deck-count-wrong"], State.VOID)


THREE = """
bets 1: ante 500
start
packet seat 1: AH KD 9C
packet dealer: 3H 5D 7C
dump
choose 1: play, play 500
show dealer: 3H 5D 7C
show seat 1: AH KD 9C
"""
LAMP = "device RedLamp: lit true; fault 205"


@pytest.mark.parametrize("last", [f"{LAMP}\nend", f"end\n{LAMP}"])
def test_the_red_lamp_burns_on_when_the_round_ends(last: str) -> None:
    """No card comes in the next round: its bets go back, whenever the lamp was lit."""
    table = played("three-card.co", f"{THREE}{last}\nbets 1: ante 500\nstart\nend")
    assert [result.outcome for result in table.results] == ["complete", "misdeal"]
    assert table.results[1].seats[0].returned == {"ante": 500}
