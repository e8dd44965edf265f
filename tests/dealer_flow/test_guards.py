"""Every condition of the table of states, by a play that comes out otherwise when the condition always holds or never.

`test_<guard>` plays a hand and asserts what the clause demands of it. The last test puts `True`, then `False`, in the
guard's place and runs the test of its name, which must fail.
"""

from collections.abc import Callable

import pytest

from dealer_flow.play.machine.guards import GUARDS
from dealer_flow.play.machine.states import State
from tests.support.dealing.plays import go_on, may, play, refused, state

PROGRESSIVE_HAND = "bets 1: ante 500, side 100, progressive 100 / start / packet seat 1: AH KH"
HOLDEM = (
    "bets 1: ante 500 / bets 2: ante 500 / start / packet seat 1: AH KH / packet seat 2: 2C 3C / packet dealer: 5D 6D"
)
RACE = "bets 1: number-17 200 / start"
SIXTEEN = "draw 2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H 5H 2S 3S 4S 5S"
FIVE = " / ".join(["bets 1: ante 500 / bets 2: ante 500 / start", *["packet next: ?? ?? ?? ?? ?? ?? ?? ??"] * 5])
LAID = FIVE.replace("start", "start / number 3")
SHOWS = "bets 1: ante 500 / start / packet seat 1: AH KH QH / packet dealer: 5D 6D 7D / packet community: 9S TS JS"
OWN = [name for name in GUARDS if name not in ("step_bets", "bets_called")]
"""Those of a betting round have their tests in `test_betting_guards`."""
FLUSHES = "bets 1: ante 500, blind 500, progressive 100 / start"


# ------------------------------------------------------------------ what was found


def test_round_unreliable() -> None:
    """A round that cannot be relied on waits for a person; one that was only misdealt gives the bets back."""
    assert state(play("holdem", "bets 1: side 100 / start")) is State.HALTED
    assert state(play("holdem", "bets 1: ante 500 / start / misdeal")) is State.VOID


def test_misdeal_found() -> None:
    """A misdeal voids the round; a wrong hand of the dealer alone leaves the progressive."""
    assert state(play("returns", f"{PROGRESSIVE_HAND} / misdeal")) is State.VOID
    assert state(play("returns", f"{PROGRESSIVE_HAND} / packet dealer: 5D")) is State.PROGRESSIVE


def test_deck_defective() -> None:
    """A card of no deck voids the round, a wrong hand of the dealer alone leaves the progressive."""
    table = play("race-to-the-flush", f"{RACE} / draw AH X1")
    assert state(table) is State.VOID
    assert table.end().outcome == "defective-deck"
    assert state(play("returns", f"{PROGRESSIVE_HAND} / packet dealer: 5D")) is State.PROGRESSIVE


def test_house_count_wrong() -> None:
    """The dealer's hand one card short ends the play of the hands; a right one does not."""
    table = play("returns", f"{PROGRESSIVE_HAND} / packet dealer: 5D / dump")
    assert state(table) is State.PROGRESSIVE
    assert table.end().outcome == "progressive-only"
    assert state(play("returns", f"{PROGRESSIVE_HAND} / packet dealer: 5D 6D")) is State.REVEALING


def test_progressive_live() -> None:
    """After a wrong hand of the dealer the progressive is played where somebody bet on it; else all bets go back."""
    assert state(play("returns", f"{PROGRESSIVE_HAND} / packet dealer: 5D")) is State.PROGRESSIVE
    without = play("returns", "bets 1: ante 500 / start / packet seat 1: AH KH / packet dealer: 5D")
    assert state(without) is State.VOID


def test_cards_astray() -> None:
    """Cards that do not add up end the round at any moment; while they do, it does not end before the choices."""
    deal = "bets 1: ante 500 / start / packet seat 1: QH QD 4C / packet dealer: KS TH 3D"
    table = play("three-card.co", f"{deal} / dump")
    assert "GameEnded" not in may(table)
    table = play("three-card.co", f"{deal} / device RemainderDumped: deck 1; expected 46; counted 45")
    assert "GameEnded" in may(table)
    table.end()
    assert table.codes == ["cards-not-conserved"]


def test_red_lamp_lit() -> None:
    """A deal is broken off at the red lamp, and only there."""
    table = play("flushes-gone-wild.co", f"{FLUSHES} / packet community: 7H KD 2C 9S 4D")
    assert state(table) is State.DEALING
    assert "GameEnded" not in may(table)
    go_on(table, "device RedLamp: lit true; fault 202")
    assert "GameEnded" in may(table)
    assert table.end().outcome == "misdeal"
    assert "out-of-turn" not in table.codes


# ------------------------------------------------------------------ the steps


def test_step_deals() -> None:
    """Cards go out from START GAME until all have theirs; then the players choose."""
    table = play("holdem", "bets 1: ante 500 / start")
    assert state(table) is State.DEALING
    assert state(go_on(table, "packet seat 1: AH KH / packet dealer: 5D 6D")) is State.DECIDING


def test_step_burns() -> None:
    """The third community card is burned before anybody chooses."""
    table = play("let-it-ride", "bets 1: ante 500 / start / packet seat 1: AH KH QH / packet community: 9S TS JS")
    assert state(table) is State.BURNING
    assert state(go_on(table, "burn community: 3")) is State.DECIDING


def test_step_decides() -> None:
    """A card is turned up first, then the players choose."""
    deal = "bets 1: ante 500 / start / packet seat 1: AH KH QH / packet dealer: 5D 6D 7D / packet community: 9S TS JS"
    table = play("shows", deal)
    assert state(table) is State.SHOWING
    assert state(go_on(table, "show community: 9S")) is State.DECIDING


def test_step_exchanges() -> None:
    """Discards are replaced after the choices, not while the hands are dealt."""
    table = play("draw", "bets 1: ante 500 / start")
    assert state(table) is State.DEALING
    go_on(table, "packet seat 1: AH KH QH 2S 3S / packet dealer: 7D 8D 9D TD 2D / choose 1: draw-2")
    assert state(table) is State.EXCHANGING


def test_step_reveals() -> None:
    """Hands are shown when all are dealt, not before."""
    table = play("seats-first", "bets 1: ante 500 / start")
    assert state(table) is State.DEALING
    assert state(go_on(table, "packet seat 1: AH KH / packet dealer: 5D 6D")) is State.REVEALING


def test_card_owed() -> None:
    """Cards go to the places that are due them; a hand that lacks one gets it before play continues."""
    table = play("stud", "bets 1: ante 500 / start / draw seat 1 AH KH QH | dealer 5D 6D 7D")
    assert (state(table), table.codes) == (State.DECIDING, [])
    assert state(go_on(table, "mishap seat 1: exposed AH")) is State.DEALING
    assert state(go_on(table, "draw 2C")) is State.DECIDING
    assert table.codes == ["card-exposed"]


def test_cards_out() -> None:
    """Hands are not shown before the dealer confirmed the cards dealt by hand, and are after it."""
    table = play("named", "bets 1: ante 500 / start / packet hand 1: AH KH QH / packet hand 2: 2C 3C 4C")
    assert state(table) is State.DEALING
    assert state(go_on(table, "confirm")) is State.REVEALING


def test_burn_confirmed() -> None:
    """No choice is taken before the burn is confirmed."""
    table = play("let-it-ride", "bets 1: ante 500 / start / packet seat 1: AH KH QH / packet community: 9S TS JS")
    assert "DecisionMade" not in may(table)
    assert "DecisionMade" in may(go_on(table, "burn community: 3"))


def test_all_decided() -> None:
    """The next packet waits for the last player's choice."""
    table = play("holdem", f"{HOLDEM} / choose 1: raise, raise 1000")
    assert "PacketDispensed" not in may(table)
    assert "PacketDispensed" in may(go_on(table, "choose 2: raise, raise 1000"))


def test_step_assigns() -> None:
    """Hands wait in front of the tray only in the step that hands them out."""
    assert state(play("dice", FIVE)) is State.ASSIGNING
    assert state(play("set", f"{LAID} / dump")) is not State.ASSIGNING
    assert state(play("holdem", HOLDEM)) is State.DECIDING


def test_step_sets() -> None:
    """Players arrange their hands in the step for it."""
    assert state(play("set", LAID)) is State.SETTING
    assert state(play("shows", SHOWS)) is State.SHOWING


def test_number_drawn() -> None:
    """Hands are handed out once the number is drawn."""
    table = play("dice", FIVE)
    assert state(table) is State.ASSIGNING
    assert state(go_on(table, "number 3")) is State.REVEALING


def test_hands_set() -> None:
    """Play continues when the last player's hand is set, and not before."""
    table = play("set", f"{LAID} / set seat 1: AH KD |")
    assert state(table) is State.SETTING
    assert state(go_on(table, "set seat 2: ?? ?? |")) is State.REVEALING


def test_all_shown() -> None:
    """Players choose once the card of the step lies open, not before."""
    deal = "bets 1: ante 500 / start / packet seat 1: AH KH QH / packet dealer: 5D 6D 7D / packet community: 9S TS JS"
    table = play("shows", deal)
    assert "DecisionMade" not in may(table)
    assert "DecisionMade" in may(go_on(table, "show community: 9S"))


def test_later_step_begun() -> None:
    """A choice ends a show that was not reported; a player's hand, shown early, ends nothing."""
    deal = "bets 1: ante 500 / start / packet seat 1: AH KH QH / packet dealer: 5D 6D 7D / packet community: 9S TS JS"
    table = play("shows", f"{deal} / choose 1: check")
    assert (state(table), table.codes) == (State.SHOWING, [])
    assert {item.value for item in table.flow.legal() if item.event == "HandRevealed"} == {0}
    table = play("shows", f"{deal} / show seat 1: AH KH QH")
    assert {item.value for item in table.flow.legal() if item.event == "HandRevealed"} == {1}


def test_packets_out() -> None:
    """After a wrong packet of the house those that follow at once still go out; then the progressive is played."""
    table = play("flushes-gone-wild.co", f"{FLUSHES} / packet community should be 5: 7H KD 2C 9S")
    assert (state(table), table.codes) == (State.DEALING, ["community-count-wrong"])
    go_on(table, "packet seat 1: AH QH 8H 3H 2S / packet dealer: KS 9D 4C 4S 6H")
    assert state(table) is State.PROGRESSIVE


# ------------------------------------------------------------------ the end of a round


def test_ruled() -> None:
    """No END GAME while a supervisor is to rule; afterwards there is."""
    deal = "bets 1: ante 500 / start / packet seat 1: AH KH / packet dealer: 5D 6D / dump"
    table = play("seats-first", f"{deal} / mishap seat 1: exposed AH")
    assert "GameEnded" not in may(table)
    assert "GameEnded" in may(go_on(table, "confirm"))


def test_nobody_plays() -> None:
    """The flop need not come once all have folded; while one plays it must."""
    table = play("holdem", f"{HOLDEM} / choose 1: fold / choose 2: fold / dump")
    assert (table.end().outcome, table.codes) == ("complete", [])
    table = play("holdem", f"{HOLDEM} / choose 1: fold / choose 2: raise, raise 1000 / dump")
    assert refused(table) == [("out-of-turn", "deal_complete", True)]


def test_remainder_counted() -> None:
    """No END GAME before the shuffler counted what is left."""
    table = play("seats-first", "bets 1: ante 500 / start / packet seat 1: AH KH / packet dealer: 5D 6D")
    assert "GameEnded" not in may(table)
    assert "GameEnded" in may(go_on(table, "dump"))


# ------------------------------------------------------------------ cards drawn into columns


def test_drawn_into_columns() -> None:
    """START GAME begins a race, or the deal of a game of hands."""
    assert state(play("race-to-the-flush", RACE)) is State.DRAWING
    assert state(play("holdem", "bets 1: ante 500 / start")) is State.DEALING


def test_card_unnamed() -> None:
    """A card that was not read stops the race until it is named; one that was read does not."""
    table = play("race-to-the-flush", f"{RACE} / draw AH")
    assert state(table) is State.DRAWING
    go_on(table, "device CardUnread: ordinal 2; where none")
    assert state(table) is State.NAMING
    go_on(table, "controller BadgeSwiped: badge 77; level supervisor / show shoe: 5H")
    assert state(table) is State.DRAWING


def test_race_decided() -> None:
    """Five of a suit decide the race, four do not."""
    table = play("race-to-the-flush", f"{RACE} / draw AH 5H 9H JH")
    assert state(table) is State.DRAWING
    assert "GameEnded" not in may(table)
    assert state(go_on(table, "draw KH")) is State.SETTLING


def test_extra_due() -> None:
    """The seventeenth card is drawn once money was moved to it, and not otherwise."""
    table = play("race-to-the-flush", f"{RACE} / {SIXTEEN}")
    assert "GameEnded" in may(table)
    go_on(table, "bets 1: switch-hearts 50")
    assert "GameEnded" not in may(table)
    assert "CardDrawn" in may(table)


def test_extra_open() -> None:
    """After sixteen cards money is moved where somebody bet on 17; else the race is over."""
    assert state(play("race-to-the-flush", f"{RACE} / {SIXTEEN}")) is State.EXTRA
    assert state(play("race-to-the-flush", f"bets 1: red 500 / start / {SIXTEEN}")) is State.SETTLING


# ------------------------------------------------------------------ every guard has its test


@pytest.mark.parametrize("answer", [True, False])
@pytest.mark.parametrize("name", OWN)
def test_a_guard_that_always_answers_the_same_is_caught(
    monkeypatch: pytest.MonkeyPatch, name: str, answer: bool
) -> None:
    test: Callable[[], None] = globals()[f"test_{name}"]
    test()
    monkeypatch.setitem(GUARDS, name, GUARDS[name]._replace(holds=lambda _: answer))
    with pytest.raises(AssertionError):
        test()


def test_every_guard_has_its_test() -> None:
    assert {f"test_{name}" for name in OWN} <= globals().keys()
