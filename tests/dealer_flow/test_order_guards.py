"""Every condition of a report, by a play that comes out otherwise when the condition always holds or never.

`test_<guard>` plays a hand in which the report is in order, and one in which it is not. The last test puts `True`,
then `False`, in the guard's place and runs the test of its name, which must fail. The guards of `STATE_ALONE` answer
`False` in every state that their rules name: they are a name for the rule, and only `True` is another answer.
"""

from collections.abc import Callable

import pytest
from transitions import MachineError

from dealer_flow.play.machine.states import State
from dealer_flow.play.order.actions import CHECKS_OF_ACTIONS
from dealer_flow.play.order.checks import CHECKS
from dealer_flow.play.reports import corrections
from devices import events as e
from protocol.cards import parse_cards
from protocol.places import seat
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import CONTROLLER, START_NS
from tests.support.dealing.plays import go_on, play, refused, state

HOLDEM = "bets 1: ante 500 / start / packet seat 1: AH KH / packet dealer: 5D 6D"
TWO = "bets 1: ante 500 / bets 2: ante 500 / start / packet seat 1: AH KH / packet seat 2: 2C 3C / packet dealer: 5D 6D"
LET_IT_RIDE = "bets 1: ante 500, side 500 / start / packet seat 1: AH KH QH / packet community: 9S TS JS"
SHOWS = "bets 1: ante 500 / start / packet seat 1: AH KH QH / packet dealer: 5D 6D 7D / packet community: 9S TS JS"
NAMED = "bets 1: ante 500 / start / packet hand 1: AH KH QH / packet hand 2: 2C 3C 4C"
STUD = "bets 1: ante 500 / start / draw seat 1 AH KH QH | dealer 5D 6D 7D"
SEVEN = " / ".join(["bets 1: ante 500 / start at 3", *["packet next: ?? ?? ?? ?? ?? ?? ?? ??"] * 5, "dump"])
FIVE = " / ".join(["bets 1: ante 500 / start", *["packet next: ?? ?? ?? ?? ?? ?? ?? ??"] * 5])
LAID = FIVE.replace("start", "start / number 3")
LONGHORN = "bets 1: bonus 500 / start at 1 / draw seat 1 AH KH / choose 1: pot-1, pot-1 500 / burn-card 2C"
RACE = "bets 1: number-17 200 / start"
SIXTEEN = f"{RACE} / draw 2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H 5H 2S 3S 4S 5S"
UNREAD = "device CardUnread: ordinal 1; where none"
SUPERVISOR = "controller BadgeSwiped: badge 77; level supervisor"

EXPOSED = "bets 1: ante 500 / start / draw seat 1 AC AD 9H 2S / draw community KD / choose 1: one-more, raise 500"

OWN = [name for name in CHECKS if name not in CHECKS_OF_ACTIONS]
"""Those of actions and chips have their tests in `test_betting_guards`."""
STATE_ALONE = {"round_begun", "round_ended", "bets_closed", "packet_is_spread"}


def harmless(reason: str, code: str = "out-of-turn") -> list[tuple[str, str, bool]]:
    """One incident, recorded only."""
    return [(code, reason, False)]


def harmful(reason: str, code: str = "out-of-turn") -> list[tuple[str, str, bool]]:
    """One incident, by which the round cannot be settled."""
    return [(code, reason, True)]


# ------------------------------------------------------------------ the round


def test_misdeal_in_time() -> None:
    """A misdeal may be called until the first player has chosen, where the procedure says so."""
    assert state(play("holdem", f"{TWO} / misdeal")) is State.VOID
    table = play("holdem", f"{TWO} / choose 1: fold / misdeal")
    assert refused(table) == harmless("misdeal_in_time", "misdeal-refused")
    assert state(table) is State.DECIDING


def test_place_is_known() -> None:
    """The first cards go to a place of this table."""
    assert play("pai-gow", "controller SpotSelected: seat 3").codes == []
    assert refused(play("pai-gow", "controller SpotSelected: seat 9")) == harmful("place_is_known", "unknown-seat")


def test_first_cards_to_come() -> None:
    """The place of the first cards is settled before they are dealt."""
    table = play("pai-gow", "bets 1: ante 500 / start at 3")
    assert table.codes == []
    assert refused(go_on(table, "controller SpotSelected: seat 2")) == harmful("first_cards_to_come")


def test_hands_lie_there() -> None:
    """Dice are shaken once the hands lie in front of the tray."""
    assert play("dice", f"{FIVE} / number 3").codes == []
    table = play("dice", "bets 1: ante 500 / start / number 3")
    assert refused(table) == harmless("hands_lie_there")


def test_wagers_placed() -> None:
    """Emperor's number is drawn after the players have placed their wagers."""
    assert refused(play("emperors-challenge.co", "number 3")) == harmless("wagers_placed")
    assert play("emperors-challenge.co", "bets 1: primary 500 / number 3").codes == []


def test_number_counts() -> None:
    """Three dice show eighteen at most."""
    assert play("dice", f"{FIVE} / number 18").codes == []
    assert refused(play("dice", f"{FIVE} / number 19")) == harmless("number_counts")


def test_number_is_asked_for() -> None:
    """A number in a game where none says who is first."""
    assert refused(play("holdem", "bets 1: ante 500 / number 3")) == harmless("number_is_asked_for")
    assert play("pai-gow", "bets 1: ante 500 / number 3").codes == []


def test_place_of_number() -> None:
    """The place that is selected is the one the number counts to."""
    table = play("pai-gow", "bets 1: ante 500 / number 3 / controller SpotSelected: seat 3")
    assert table.codes == []
    assert refused(go_on(table, "controller SpotSelected: seat 2")) == harmful("place_of_number")


def test_number_of_place() -> None:
    """The number counts to the place that was selected."""
    table = play("pai-gow", "bets 1: ante 500 / controller SpotSelected: seat 3 / number 8")
    assert table.codes == []
    assert refused(go_on(table, "number 4")) == harmful("number_of_place")


def test_spot_is_players() -> None:
    """A spot of the layout that is the dragon's takes no bet of a player."""
    assert play("pai-gow.co", "bets 6: wager 500").codes == []
    table = play("pai-gow.co", "bets 5: wager 500", dragon_hand="one-player", dragon_is="seat-6")
    assert table.codes == []
    assert refused(go_on(table, "bets 6: wager 500")) == harmless("spot_is_players", "wager-held")


def test_number_to_come() -> None:
    """Bets are set once the dice were shaken."""
    table = play("dice", f"{FIVE} / bets 1: ante 700")
    assert table.codes == []
    assert refused(go_on(table, "number 3 / bets 1: ante 900")) == harmless("number_to_come", "wager-held")


def test_something_to_confirm() -> None:
    """CONFIRM before the cards that are dealt by hand is recorded; after them it is what is waited for."""
    assert refused(play("named", "bets 1: ante 500 / start / confirm")) == harmless("something_to_confirm")
    assert play("named", f"{NAMED} / confirm").codes == []


# ------------------------------------------------------------------ packets


def test_packet_in_order() -> None:
    """The first packet is the first."""
    assert play("holdem", HOLDEM).codes == []
    table = play(
        "holdem", "bets 1: ante 500 / start / device PacketDispensed: deck 1; ordinal 2; expected 2; counted 2; cards"
    )
    assert refused(table) == harmful("packet_in_order")


def test_packet_in_tray() -> None:
    """Only a packet that lies in the tray is taken."""
    assert play("holdem", HOLDEM).codes == []
    table = play("holdem", "bets 1: ante 500 / start / device PacketLifted: ordinal 1")
    assert refused(table) == harmful("packet_in_tray")


def test_somebody_is_due() -> None:
    """No packet is taken before the players have chosen."""
    assert play("holdem", HOLDEM).codes == []
    assert refused(play("holdem", f"{HOLDEM} / packet burn: 2S")) == harmful("somebody_is_due")


def test_remainder_to_come() -> None:
    """After what is left came out no packet can."""
    folded = f"{HOLDEM} / choose 1: fold / dump"
    assert play("holdem", folded).codes == []
    table = play("holdem", f"{folded} / device PacketDispensed: deck 1; ordinal 3; expected 1; counted 1; cards")
    assert refused(table) == harmful("remainder_to_come")


def test_deal_complete() -> None:
    """The remainder comes out when no more cards are dealt from it."""
    assert refused(play("holdem", f"{HOLDEM} / dump")) == harmful("deal_complete")
    assert play("holdem", f"{HOLDEM} / choose 1: fold / dump").codes == []


def test_red_lamp() -> None:
    """A deck that comes out under the red lamp is a deal broken off, not a contradiction."""
    early = "bets 1: ante 500, blind 500 / start / packet community: 7H KD 2C 9S 4D"
    assert refused(play("flushes-gone-wild.co", f"{early} / dump")) == harmful("deal_complete")
    lit = play("flushes-gone-wild.co", f"{early} / device RedLamp: lit true; fault 202 / dump")
    assert refused(lit)[1] == ("out-of-turn", "deal_complete", False)
    assert lit.end().outcome == "misdeal"


def test_cards_lie_there() -> None:
    """A count is of a place where cards lie."""
    assert play("holdem", f"{HOLDEM} / count seat 1: 2").codes == []
    assert refused(play("holdem", f"{HOLDEM} / count seat 2: 2")) == harmless("cards_lie_there")


SHOWDOWN = f"{HOLDEM} / show seat 1: AH KH"


def test_faces_to_correct() -> None:
    """Faces are corrected where some were keyed."""
    assert play("holdem", f"{SHOWDOWN} / correct seat 1: AD KH").codes[-1] == "hand-corrected"
    nothing = play("holdem", f"{HOLDEM} / correct seat 1: AD KH")
    assert refused(nothing) == harmless("faces_to_correct", "correction-refused")


def test_badge_may_correct() -> None:
    """A dealer does not correct alone."""
    assert play("holdem", f"{SHOWDOWN} / correct seat 1: AD KH").codes[-1] == "hand-corrected"
    for whom in ("dealer", "nobody"):
        table = play("holdem", f"{SHOWDOWN} / correct seat 1 by {whom}: AD KH")
        assert refused(table)[-1:] == harmless("badge_may_correct", "correction-refused")


def test_badge_counts() -> None:
    """A badge that the house's list does not have corrects nothing, whatever its level."""
    table = play("holdem", SHOWDOWN)
    cards = parse_cards("AD KH")
    table.controller(e.HandCorrected(seat(1), 99, "supervisor", cards, "it is not in the users file"))
    assert refused(table)[-1:] == harmless("badge_counts", "correction-refused")
    assert table.controller(e.HandCorrected(seat(1), 99, "supervisor", cards)).codes[-1] == "hand-corrected"


COUNTED = f"{HOLDEM} / count dealer: 1"
CURE = "correct dealer: ?? ??"


def refused_then(since: str) -> str:
    """A count that was keyed wrong, what was done then, and a supervisor's correction."""
    table = go_on(play("holdem", f"{COUNTED} / {CURE}"), "choose 1: fold")
    assert "correction-refused" not in table.codes
    table = go_on(play("holdem", COUNTED), f"{since} / {CURE}")
    assert table.codes.count("correction-refused") == 1
    return next(found.reason for found in table.incidents if found.code == "correction-refused")


def test_round_on_record() -> None:
    """A round of which not every report is kept is not gone through again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corrections, "REPORTS_MAX", 9)
        assert refused_then("count seat 1: 2") == "round_on_record"


def test_nothing_ruled_since() -> None:
    """A supervisor's ruling depends on the cards keyed then."""
    assert refused_then("misdeal") == "nothing_ruled_since"


def test_bets_left_alone() -> None:
    """A bet that went back is not collected again."""
    assert refused_then("bets 1: ante 0") == "bets_left_alone"


def test_cards_not_mucked() -> None:
    """Cards that went to the muck are no one's hand."""
    assert refused_then("show muck: AH KH") == "cards_not_mucked"


def test_follows_as_played() -> None:
    """The house's hand was shown before the players had chosen."""
    assert refused_then("show dealer: 5D 6D") == "follows_as_played"


def test_hand_lies_there() -> None:
    """Cards are laid away from a hand."""
    assert play("holdem", f"{HOLDEM} / lay away seat 1: AH").codes == []
    assert refused(play("holdem", f"{HOLDEM} / lay away seat 2: AH")) == harmless("hand_lies_there")


# ------------------------------------------------------------------ bets


def test_proposition_is_offered() -> None:
    """A wager is on an outcome that the game's file offers."""
    assert play("propositions", "wager 1: side rank:T 75").codes == []
    unknown = play("propositions", "wager 1: side rank:7 75")
    assert refused(unknown) == harmless("proposition_is_offered", "unknown-proposition")
    assert round_of(unknown.flow).wagers.get(1, {}) == {}


def test_bet_is_known() -> None:
    """A bet lies on a spot of the layout."""
    assert play("holdem", "bets 1: ante 500").codes == []
    table = play("holdem", "controller WagerPlaced: seat 1; bet 9; cents 100")
    assert refused(table) == harmless("bet_is_known", "unknown-bet")


def test_seat_at_table() -> None:
    """A bet lies before a seat of this table."""
    assert play("holdem", "bets 4: ante 500").codes == []
    assert refused(play("holdem", "bets 9: ante 500")) == harmless("seat_at_table", "unknown-seat")


def test_bets_open() -> None:
    """After START GAME no ante is placed; a raise, which goes with a choice, is."""
    assert play("holdem", f"{HOLDEM} / choose 1: raise, raise 1000").codes == []
    assert refused(play("holdem", f"{HOLDEM} / bets 1: ante 1000")) == harmless("bets_open", "wager-held")


def test_deal_begun() -> None:
    """A raise before the deal is none."""
    assert play("holdem", "bets 1: ante 500").codes == []
    assert refused(play("holdem", "bets 1: raise 1000")) == harmless("deal_begun")


def test_seat_is_live() -> None:
    """A player who has folded does not raise."""
    assert play("holdem", f"{TWO} / bets 1: raise 1000").codes == []
    assert refused(play("holdem", f"{TWO} / choose 1: fold / bets 1: raise 1000")) == harmless(
        "seat_is_live", "wager-held"
    )


def test_house_covered() -> None:
    """A raise comes before the flop is seen."""
    flop = f"{HOLDEM} / choose 1: raise / packet burn: 2S / packet community: 9S TS JS"
    assert play("holdem", f"{flop} / bets 1: raise 1000").codes == []
    table = play("holdem", f"{flop} / show community: 9S TS JS / bets 1: raise 1000")
    assert refused(table) == harmless("house_covered", "wager-held")


def test_cards_to_come() -> None:
    """A bet that the last card closes is placed before it."""
    last = "bets 1: ante 500 / start / draw seat 1 AC KC 9D 4S | dealer-first 8D 3H 4C TS | dealer-second AD QC JH 7S"
    last = f"{last} / choose 1: low, low 500 / choose 1: river-bet, river 100"
    assert play("western-stud.co", f"{last} / bets 1: river 500").codes == []
    table = play("western-stud.co", f"{last} / draw seat 1 AH / bets 1: river 500")
    assert refused(table) == harmless("cards_to_come", "wager-held")


def test_offered_hand_covered() -> None:
    """The dragon hand is bet on unseen."""
    deal = [
        "bets 1: wager 1000 / bets 2: wager 1000 / start at 3",
        *["packet seat 1: ?? ?? ?? ?? ?? ?? ??"] * 7,
        "dump",
    ]
    taken = " / ".join([*deal, "choose 2: dragon, dragon 1000"])
    assert play("pai-gow.co", taken, dragon_hand="community").codes == []
    late = f"{taken} / show dragon: 4S 5S 6S 7S 8S 9S TS / bets 1: dragon 500"
    assert refused(play("pai-gow.co", late, dragon_hand="community")) == harmless("offered_hand_covered", "wager-held")


def test_choice_is_due() -> None:
    """A raise before anybody may choose is recorded only; one that a choice was made for is in order."""
    assert refused(play("holdem", "bets 1: ante 500 / start / bets 1: raise 1000")) == harmless("choice_is_due")
    assert play("holdem", f"{HOLDEM} / choose 1: raise / bets 1: raise 1000").codes == []


def test_table_has_extra() -> None:
    """No money is moved to an extra card that this table does not draw."""
    assert play("race-to-the-flush", f"{SIXTEEN} / bets 1: switch-hearts 50").codes == []
    table = play("race-to-the-flush", f"{SIXTEEN} / bets 1: switch-hearts 50", seventeenth_card="never")
    assert refused(table) == harmless("table_has_extra", "wager-held")


def test_extra_left_alone() -> None:
    """Money is moved after the sixteenth card, not before."""
    assert play("race-to-the-flush", f"{SIXTEEN} / bets 1: switch-hearts 50").codes == []
    assert refused(play("race-to-the-flush", f"{RACE} / bets 1: switch-hearts 50")) == harmless(
        "extra_left_alone", "wager-held"
    )


def test_one_bet_moved() -> None:
    """Money is moved to one suit."""
    table = play("race-to-the-flush", f"{SIXTEEN} / bets 1: switch-hearts 50")
    assert table.codes == []
    assert refused(go_on(table, "bets 1: switch-clubs 50")) == harmless("one_bet_moved", "wager-held")


def test_money_is_there() -> None:
    """No more is moved than was bet."""
    assert play("race-to-the-flush", f"{SIXTEEN} / bets 1: switch-hearts 200").codes == []
    assert refused(play("race-to-the-flush", f"{SIXTEEN} / bets 1: switch-hearts 201")) == harmless(
        "money_is_there", "wager-held"
    )


# ------------------------------------------------------------------ choices


def test_choice_is_known() -> None:
    """A choice is one of the game's."""
    assert play("holdem", f"{HOLDEM} / choose 1: fold").codes == []
    table = play("holdem", f"{HOLDEM} / controller DecisionMade: seat 3; decision 9")
    assert refused(table) == harmless("choice_is_known", "unknown-decision")


def test_seat_dealt_in() -> None:
    """A player who chooses was dealt in, by a bet placed at START GAME."""
    assert play("holdem", f"{HOLDEM} / choose 1: fold").codes == []
    assert refused(play("holdem", f"{HOLDEM} / choose 3: fold")) == harmless("seat_dealt_in", "unknown-seat")


def test_choice_has_its_bets() -> None:
    """Half of the seven-card bet is surrendered only by a player in all three games; the round continues."""
    cards = [
        "packet seat 1: AC AD 9H / packet community: KS QD 8S / burn community-first: 3",
        "packet community: 5S 6C 9S / burn community-second: 3 / choose 1: surrender-half",
    ]
    all_three = " / ".join(["bets 1: three-card 500, five-card 500, seven-card 500 / start", *cards])
    assert play("3-5-7.co", all_three, surrender="offered").codes == []
    two = " / ".join(["bets 1: five-card 500, seven-card 500 / start", *cards])
    assert refused(play("3-5-7.co", two, surrender="offered")) == harmless("choice_has_its_bets")


def test_acts_in_order() -> None:
    """If players act clockwise, the first one at the dealer's left begins."""
    assert (
        play(
            "turns", "bets 1: ante 500 / bets 2: ante 500 / start / draw seat 1 AC | seat 2 KC / choose 1: go-on"
        ).codes
        == []
    )
    early = play("turns", "bets 1: ante 500 / bets 2: ante 500 / start / draw seat 1 AC | seat 2 KC / choose 2: go-on")
    assert refused(early) == harmless("acts_in_order")


def test_found_when_shown() -> None:
    """A hand that gets no card was turned up for it."""
    assert refused(play("exposed", f"{EXPOSED} / choose 1: has-won")) == harmless("found_when_shown")
    assert play("exposed", f"{EXPOSED} / show seat 1: AC AD 9H 2S / choose 1: has-won").codes == []


def test_shown_before_card() -> None:
    """A hand that gets a card was turned up for it."""
    assert refused(play("exposed", f"{EXPOSED} / draw seat 1 QD")) == harmless("shown_before_card")
    assert play("exposed", f"{EXPOSED} / show seat 1: AC AD 9H 2S / draw seat 1 QD").codes == []


def test_choice_is_new() -> None:
    """A choice that is reported twice is recorded only; one that no step offers is not a repetition."""
    table = play("holdem", f"{TWO} / choose 1: fold")
    assert table.codes == []
    assert refused(go_on(table, "choose 1: fold")) == harmless("choice_is_new")
    assert refused(play("holdem", f"{HOLDEM} / choose 1: check")) == harmless("choice_is_offered")


def test_choice_stands() -> None:
    """No choice may change afterwards; a choice that no step offers is checked differently before that."""
    table = play("holdem", f"{TWO} / choose 1: fold")
    assert table.codes == []
    assert refused(go_on(table, "choose 1: raise")) == harmless("choice_stands")
    assert refused(play("holdem", f"{HOLDEM} / choose 1: check")) == harmless("choice_is_offered")


def test_choice_is_offered() -> None:
    """No player checks where the choice is to fold or to raise."""
    assert play("holdem", f"{HOLDEM} / choose 1: fold").codes == []
    assert refused(play("holdem", f"{HOLDEM} / choose 1: check")) == harmless("choice_is_offered")


def test_hand_is_live() -> None:
    """The owner of a dead hand has nothing to choose."""
    short = (
        "bets 1: ante 500 / bets 2: ante 500 / start / packet seat 1: AH / packet seat 2: 2C 3C / packet dealer: 5D 6D"
    )
    table = play("holdem", f"{short} / choose 2: fold")
    assert table.codes == ["seat-count-wrong"]
    table = play("holdem", f"{short} / choose 1: fold")
    assert refused(table)[1:] == harmless("hand_is_live")


def test_step_offers_choice() -> None:
    """A controller that restarts reports a choice of a later step: the round is lost, and the choice out of turn."""
    table = play("holdem", TWO)
    table.flow.handle(e.Seen(CONTROLLER, 7, 1, START_NS, e.DecisionMade(1, 3)))
    incidents = round_of(table.flow).incidents
    assert [(item.code, item.reason) for item in incidents] == [
        ("session-changed", "in-round"),
        ("out-of-turn", "step_offers_choice"),
    ]
    assert play("holdem", f"{HOLDEM} / choose 1: fold").codes == []


# ------------------------------------------------------------------ burns


def test_packet_is_burned() -> None:
    """Cards of the community packet are burned, never of a player's."""
    assert play("let-it-ride", f"{LET_IT_RIDE} / burn community: 3").codes == []
    assert refused(play("let-it-ride", f"{LET_IT_RIDE} / burn seat 1: 1")) == harmful("packet_is_burned", "wrong-burn")


def test_packet_was_dealt() -> None:
    """A packet is burned when it lies there."""
    assert play("let-it-ride", f"{LET_IT_RIDE} / burn community: 3").codes == []
    table = play("let-it-ride", "bets 1: ante 500 / start / burn community: 3")
    assert refused(table) == harmful("packet_was_dealt")


def test_burned_as_written() -> None:
    """The third card is burned, no other."""
    assert play("let-it-ride", f"{LET_IT_RIDE} / burn community: 3").codes == []
    table = play("let-it-ride", f"{LET_IT_RIDE} / burn community: 1")
    assert refused(table) == harmful("burned_as_written", "wrong-burn")


def test_burned_once() -> None:
    """A packet is burned once."""
    table = play("let-it-ride", f"{LET_IT_RIDE} / burn community: 3")
    assert table.codes == []
    assert refused(go_on(table, "burn community: 3")) == harmful("burned_once")


# ------------------------------------------------------------------ hands shown


def test_burned_before() -> None:
    """No card of the community is seen before the burn."""
    burned = play("let-it-ride", f"{LET_IT_RIDE} / burn community: 3 / choose 1: let-1 / show community: 9S")
    assert burned.codes == []
    table = play("let-it-ride", f"{LET_IT_RIDE} / show community: 9S TS JS")
    assert refused(table) == harmful("burned_before", "reveal-before-burn")
    early = play("let-it-ride", f"{LET_IT_RIDE} / show seat 1: AH KH QH")
    assert refused(early) == harmless("hand_shown_in_time")


def test_somebody_plays_there() -> None:
    """A hand at a position without a player belongs to no one."""
    table = play("pai-gow", f"{SEVEN} / show dealer: ?? ?? ?? ?? ?? ?? ?? ?? / show seat 1: ?? ?? ?? ?? ?? ?? ?? ??")
    assert table.codes == []
    go_on(table, "show seat 3: ?? ?? ?? ?? ?? ?? ?? ??")
    assert refused(table) == harmless("somebody_plays_there")


def test_place_dealt_in() -> None:
    """No hand is shown at a seat that was dealt none."""
    shown = "bets 1: ante 500 / start / packet seat 1: AH KH / packet dealer: 5D 6D / show seat 1: AH KH"
    table = play("seats-first", shown)
    assert table.codes == []
    assert refused(go_on(table, "show seat 3: AC KC")) == harmless("place_dealt_in", "unknown-seat")


def test_shown_in_order() -> None:
    """The players show before the dealer."""
    dealt = "bets 1: ante 500 / start / packet seat 1: AH KH / packet dealer: 5D 6D"
    assert play("seats-first", f"{dealt} / show seat 1: AH KH / show dealer: 5D 6D").codes == []
    assert refused(play("seats-first", f"{dealt} / show dealer: 5D 6D")) == harmless("shown_in_order")


def test_fewer_lie_open() -> None:
    """One card of the community lies open before the second choice, not two."""
    chosen = f"{LET_IT_RIDE} / burn community: 3 / choose 1: let-1"
    assert play("let-it-ride", f"{chosen} / show community: 9S").codes == []
    assert refused(play("let-it-ride", f"{chosen} / show community: 9S TS")) == harmful("fewer_lie_open")
    early = play("let-it-ride", f"{chosen} / show seat 1: AH KH QH")
    assert refused(early) == harmless("hand_shown_in_time")


def test_too_many_go_back() -> None:
    """Four cards shown of a flop of three: if the fourth goes back into the deck, it does no harm."""
    lines = f"{LONGHORN} / draw community 5S 6C 9S 7D / show community: 5S 6C 9S 7D"
    assert harmless("fewer_lie_open")[0] in refused(play("longhorn.co", lines))
    shown = f"{LET_IT_RIDE} / burn community: 3 / choose 1: let-1 / show community: 9S TS"
    assert refused(play("let-it-ride", shown)) == harmful("fewer_lie_open")


def test_early_has_remedy() -> None:
    """A packet taken early does no harm if the procedure has a remedy."""
    early = "bets 1: ante 500, blind 500 / start / packet seat 1: AH KH / packet dealer: 5D 6D / packet next: 2S 3S 4S"
    assert refused(play("ultimate-texas-holdem.co", early)) == harmless("somebody_is_due")
    assert refused(play("holdem", f"{HOLDEM} / packet burn: 2S")) == harmful("somebody_is_due")


def test_house_shown_last() -> None:
    """The dealer's cards stay covered until every player has chosen; a player's, shown early, do no harm."""
    assert refused(play("holdem", f"{HOLDEM} / show dealer: 5D 6D")) == harmful("house_shown_last")
    assert refused(play("holdem", f"{HOLDEM} / show seat 1: AH KH")) == harmless("hand_shown_in_time")


def test_hand_shown_in_time() -> None:
    """A player's hand is shown at the reveal; a card of the community when its step says so."""
    assert refused(play("holdem", f"{HOLDEM} / show seat 1: AH KH")) == harmless("hand_shown_in_time")
    assert play("shows", f"{SHOWS} / show community: 9S").codes == []


# ------------------------------------------------------------------ hands arranged


def test_hand_is_set() -> None:
    """The dealer's hand is not arranged in this game."""
    assert play("set", f"{LAID} / dump / set seat 1: AH KD |").codes == []
    assert refused(play("set", f"{LAID} / dump / set dealer: AH KD |")) == harmless("hand_is_set")


def test_set_as_written() -> None:
    """Two cards are low; they need not be named."""
    assert play("set", f"{LAID} / set seat 1: AH KD |").codes == []
    assert play("set", f"{LAID} / set seat 1: |").codes == []
    assert refused(play("set", f"{LAID} / dump / set seat 1: AH |")) == harmless("set_as_written")


def test_hand_to_set() -> None:
    """No hand is arranged before all are dealt."""
    short = " / ".join(LAID.split(" / ")[:-1])
    assert refused(play("set", f"{short} / set seat 1: AH KD |")) == harmless("hand_to_set")
    assert play("set", f"{LAID} / set seat 1: AH KD |").codes == []


def test_set_before_house() -> None:
    """No player's hand is set again once the dealer's lies open."""
    first = f"{LAID} / dump / set seat 1: AH KD | / confirm / show dealer: ?? ?? ?? ?? ?? ?? ?? ??"
    assert play("set", f"{first} / set seat 1: AH KD |").codes == []
    assert refused(play("set", f"{first} / set seat 1: AH QD |")) == harmless("set_before_house")


# ------------------------------------------------------------------ a shoe


def test_dealt_from_shoe() -> None:
    """No shoe deals at a table of packets."""
    assert play("stud", STUD).codes == []
    table = play("holdem", "bets 1: ante 500 / start / device CardDrawn: ordinal 1; card AH; where none")
    assert refused(table) == harmful("dealt_from_shoe")


def test_drawn_after_close() -> None:
    """Before the bets are closed no card leaves the shoe, unless it is burned."""
    assert refused(play("race-to-the-flush", "draw AH")) == harmful("drawn_after_close", "draw-before-close")
    assert play("race-to-the-flush", "device CardDrawn: ordinal 1; card AH; where burn").codes == []


def test_card_goes_back() -> None:
    """A card dealt before the wagers are made, which the text has put back into the deck, spoils nothing yet."""
    assert refused(play("longhorn.co", "draw AH")) == harmless("drawn_after_close", "draw-before-close")
    assert refused(play("stud", "draw AH")) == harmful("drawn_after_close", "draw-before-close")


def test_burned_between_races() -> None:
    """In the middle of a race no card is burned."""
    table = play("race-to-the-flush", f"{RACE} / draw AH")
    assert table.codes == []
    go_on(table, "device CardDrawn: ordinal 2; card 9C; where burn")
    assert refused(table) == harmful("burned_between_races", "burned-mid-race")


def test_drawn_after_name() -> None:
    """No card is drawn while one waits for its name; the same report again is no card."""
    table = play("race-to-the-flush", f"{RACE} / {UNREAD} / {UNREAD}")
    assert table.codes == ["card-unread"]
    assert refused(go_on(table, "draw 9H"))[1:] == harmless("drawn_after_name", "draw-before-named")


def test_drawn_for_somebody() -> None:
    """A card that no place is due is recorded: it is spare until a report places it."""
    table = play("stud", STUD)
    assert table.codes == []
    assert refused(go_on(table, "draw 9S")) == harmless("drawn_for_somebody")


def test_burned_when_due() -> None:
    """No card is burned where a hand is due its own."""
    table = play("stud", f"{STUD} / choose 1: play")
    assert table.codes == []
    go_on(table, "device CardDrawn: ordinal 7; card 3S; where burn")
    assert refused(table) == harmful("burned_when_due")


def test_one_face_named() -> None:
    """One card is named at a time."""
    table = play("race-to-the-flush", f"{RACE} / {UNREAD} / {SUPERVISOR} / show shoe: 5H")
    assert table.codes == ["card-unread", "card-named"]
    table = play("race-to-the-flush", f"{RACE} / {UNREAD} / {SUPERVISOR} / show shoe: 5H 6H")
    assert refused(table)[1:] == harmful("one_face_named")


def test_name_is_missing() -> None:
    """A card that the shoe read needs no name: that is recorded only, while another name is a contradiction."""
    named = play("race-to-the-flush", f"{RACE} / draw 9H / {SUPERVISOR} / show shoe: 9H")
    assert refused(named) == harmless("name_is_missing")
    table = play("race-to-the-flush", f"{RACE} / draw 9H / {SUPERVISOR} / show shoe: 6H")
    assert refused(table) == harmful("card_waits_for_name", "faces-disagree")


def test_card_waits_for_name() -> None:
    """A name for a card that no shoe dealt is a contradiction."""
    table = play("race-to-the-flush", f"{RACE} / draw 9H / {SUPERVISOR} / show shoe: 6H")
    assert refused(table) == harmful("card_waits_for_name", "faces-disagree")
    table = play("race-to-the-flush", f"{RACE} / {UNREAD} / {SUPERVISOR} / show shoe: 6H")
    assert table.codes == ["card-unread", "card-named"]


def test_badge_may_name() -> None:
    """A card is named by a supervisor."""
    table = play("race-to-the-flush", f"{RACE} / {UNREAD} / show shoe: 5H")
    assert refused(table)[1:] == harmless("badge_may_name", "naming-refused")
    assert state(table) is State.NAMING
    assert state(go_on(table, f"{SUPERVISOR} / show shoe: 5H")) is State.DRAWING


# ------------------------------------------------------------------ what the state alone decides


def test_round_begun() -> None:
    """No misdeal before the bets are closed."""
    assert refused(play("holdem", "misdeal")) == harmless("round_begun")


def test_round_ended() -> None:
    """No START GAME in a round."""
    assert refused(play("holdem", f"{HOLDEM} / start"))[:1] == harmful("round_ended")


def test_bets_closed() -> None:
    """No packet before START GAME."""
    table = play("holdem", "device PacketDispensed: deck 1; ordinal 1; expected 2; counted 2; cards")
    assert refused(table) == harmless("bets_closed")


def test_players_choose() -> None:
    """No choice before the hands are dealt; who folds because no card was burned needs no turn."""
    assert refused(play("holdem", "bets 1: ante 500 / start / choose 1: fold")) == harmless("players_choose")
    streets = [
        "bets 1: ante 500 / start / draw seat 1 AC AD | dealer KS QD / choose 1: flop-bet, flop 1000",
        "burn-card 2C / draw community 5S 6C 9S / show community: 5S 6C 9S / choose 1: turn-check",
        "burn-card 3C / draw community TD / show community: 5S 6C 9S TD / choose 1: river-bet, river 500",
        "draw community 3D / mishap burn: not-burned / choose 1: fold-unburned",
    ]
    assert "out-of-turn" not in play("texas-holdem-bonus.co-single", " / ".join(streets)).codes


def test_packet_is_spread() -> None:
    """A burn while the cards still go out is recorded only."""
    table = play("two-burns", "bets 1: ante 500 / start / packet seat 1: AH KH QH / packet community: 2C 3C 4C")
    assert refused(go_on(table, "burn community: 1")) == harmless("packet_is_spread")


# ------------------------------------------------------------------ every guard has its test


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("name", "answer"),
    [(name, answer) for name in OWN for answer in (True, False) if answer or name not in STATE_ALONE],
)
def test_a_guard_that_always_answers_the_same_is_caught(
    monkeypatch: pytest.MonkeyPatch, name: str, answer: bool
) -> None:
    test: Callable[[], None] = globals()[f"test_{name}"]
    test()
    monkeypatch.setitem(CHECKS, name, lambda *_: answer)
    with pytest.raises((AssertionError, MachineError)):  # the machine knows no START GAME in a round
        test()


def test_the_state_alone_decides_what_it_is_said_to() -> None:
    """These give the same result between two rounds and in one, for any report."""
    for lines in ("bets 1: ante 500", HOLDEM):
        round_ = round_of(play("holdem", lines).flow)
        assert not any(CHECKS[name](round_, e.Confirmed()) for name in STATE_ALONE)


def test_every_guard_has_its_test() -> None:
    assert {f"test_{name}" for name in OWN} <= globals().keys()
