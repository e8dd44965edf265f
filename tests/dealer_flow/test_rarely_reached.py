"""Corners of play that a round seldom reaches: both sides of a limit, and what comes of a report that comes late."""

from __future__ import annotations

from typing import Final

import pytest

from dealer_flow.play.machine.states import State
from dealer_flow.procedure.load import load_procedure
from protocol.cards import spell_cards
from protocol.places import seat
from tests.dealer_flow.test_declared_hands import at, step, stud
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on, play, refused, state
from tests.support.dealing.step_games import PACKETS, rows, small, small_table, wrong
from tests.support.dealing.transcript_games import SHOE_RETURNS

# ------------------------------------------------------------------ devices

COMMUNITY: Final = "bets 1: ante 500, blind 500 / start / packet community: 7H KD 2C 9S 4D"
LIT: Final = "device RedLamp: lit true; fault 202"
OUT: Final = "device RedLamp: lit false; fault 202"


def test_a_lamp_that_went_out_stops_no_deal() -> None:
    """A deck that comes out under it is a deal that was broken off; after it, one that contradicts itself."""
    for lamp, end in ((LIT, State.VOID), (f"{LIT} / {OUT}", State.HALTED)):
        table = play("flushes-gone-wild.co", f"{COMMUNITY} / {lamp} / dump")
        assert state(table) is end
    assert play("flushes-gone-wild.co", f"{COMMUNITY} / {LIT}").end().outcome == "misdeal"
    assert play("flushes-gone-wild.co", f"{COMMUNITY} / {LIT} / {OUT}").end().outcome == "unreliable"


@pytest.mark.parametrize(
    ("drawn", "ended"),
    [("", False), (" / draw 2C", True), (" / draw 2C 3C 4C 5C 6C", False)],
)
def test_a_shoe_filled_in_the_midst_of_a_race_ends_it(drawn: str, ended: bool) -> None:
    """Before its first card and after its last one it ends nothing."""
    table = play("race-to-the-flush", f"bets 1: red 500 / start{drawn} / device ShoeLoaded: shoe 2; decks 1; cards 52")
    assert [(found.code, found.reason) for found in table.incidents] == [("shoe-ended", "filled")] * ended


def test_no_money_moves_that_was_not_bet() -> None:
    sixteen = "draw 2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H 5H 2S 3S 4S 5S"
    race = f"bets 1: red 500 / bets 2: number-17 200 / start / {sixteen}"
    assert refused(play("race-to-the-flush", f"{race} / bets 1: switch-hearts 1")) == [
        ("wager-held", "money_is_there", False)
    ]
    table = play("race-to-the-flush", f"{race} / bets 2: switch-hearts 150")
    assert table.codes == []
    assert go_on(table, "bets 2: switch-hearts 200").codes == []
    assert refused(go_on(table, "bets 2: switch-hearts 201")) == [("wager-held", "money_is_there", False)]


@pytest.mark.parametrize(
    ("filled", "ended", "codes"),
    [(True, False, ["deck-too-old"]), (True, True, ["deck-too-old", "shoe-over"]), (False, True, [])],
)
def test_a_shoe_that_was_to_be_shuffled_before_this_round(filled: bool, ended: bool, codes: list[str]) -> None:
    """After two rounds. A shoe that is emptied, and whose device announces no other, was taken away."""
    table = HandTable(SHOE_RETURNS, filled=filled)
    for cards in ("AH KH", "2C 3C"):
        table.play(f"bets 1: ante 500\nstart\ndraw {cards}\nchoose 1: stand\nshow seat 1: {cards}").end()
    assert table.codes == []
    if ended:
        table.play("device ShoeEnded: shoe 1; drawn 4")
    assert table.play("bets 1: ante 500\nstart\ndraw 4C").codes == codes


# ------------------------------------------------------------------ after the round is void


def test_cards_that_come_after_a_misdeal_go_where_they_were_due() -> None:
    """The order of play no longer matters: choices, shows and burns of steps in between are passed over."""
    table = play("holdem", "bets 1: ante 500 / start / misdeal / packet seat 1: AH KH / packet dealer: 5D 6D")
    go_on(table, "packet burn: 2S / packet community: 9S TS JS / packet community: QS")
    now = table.flow.snapshot()
    assert (now.dealer, now.community) != (None, None)
    assert [hand.counted for hand in (now.seats[0].hand, now.dealer, now.community) if hand] == [2, 2, 4]
    assert table.codes == ["misdeal-called"]


def test_after_a_misdeal_a_deal_still_waits_for_its_first_place() -> None:
    table = play("pai-gow", "bets 1: ante 500 / start / misdeal / controller SpotSelected: seat 3")
    go_on(table, " / ".join(["packet next: ?? ?? ?? ?? ?? ?? ?? ??"] * 2))
    assert [packet.place.text for packet in round_of(table.flow).ledger.lifted] == ["seat 3", "seat 2"]


# ------------------------------------------------------------------ cards laid down or apart


def laying(cards: int, *choice: str) -> HandTable:
    """A hand of so many cards, the first of them shown, and a choice that lays some down or apart."""
    game = stud(
        step("declared", "show", 'of = ["seats"]\noptional = true'),
        step("choice", "decide", 'choices = ["lay"]'),
        step("showdown", "reveal", 'order = ["seats"]'),
        rows("decision", "\n".join(['number = 1\nname = "lay"', *choice])),
        cards=cards,
    )
    return at(game).draw("QC QD 9H".rpartition(" ")[0] if cards == 2 else "QC").show("seat 1", "QC").choose(1, 1)


def test_no_more_is_laid_down_or_apart_than_a_hand_has() -> None:
    """All of it may be laid down; a card at least stays in a hand of which others lie apart."""
    for table, expected, discarded, aside in (
        (laying(2, "discards = 1"), 1, 1, 0),
        (laying(2, "discards = 2"), 0, 2, 0),
        (laying(1, "discards = 2"), 1, 0, 0),
        (laying(2, "lays-aside = 1"), 2, 0, 1),
        (laying(2, "lays-aside = 2"), 2, 0, 0),
        (laying(2, "discards = 1", "lays-aside = 1"), 1, 1, 0),
    ):
        hand = round_of(table.flow).ledger.hands[seat(1)]
        assert (hand.expected, hand.discarded, hand.aside) == (expected, discarded, aside)
    kept = round_of(laying(1, "discards = 2").flow).ledger.hands[seat(1)]
    assert (spell_cards(kept.shown), kept.declared) == (["QC"], ()), "nothing was laid down"


# ------------------------------------------------------------------ bets that a step settles

SETTLING: Final = small(
    step("hands", "deal", 'to = ["seats", "community"]\ncards = 2\nby = "packet"'),
    step("one", "show", 'of = ["community"]\ncards = 1\nsettles = ["side"]'),
    step("choice", "decide", 'choices = ["stay"]'),
    step("showdown", "reveal", 'order = ["community", "seats"]'),
    rows("decision", 'number = 1\nname = "stay"'),
    wrong("seats", "community", then="misdeal"),
    PACKETS,
    misdeal='{ until = "end", clause = "S misdeal" }',
)


@pytest.mark.parametrize(
    ("since", "settled"),
    [
        ("show community: 9S", ("side",)),
        ("confirm", ()),  # nobody saw the card: it shows by the next thing
        ("confirm / choose 1: stay", ("side",)),
    ],
)
def test_a_step_that_nobody_saw_settles_its_bets_by_the_next_one(since: str, settled: tuple[str, ...]) -> None:
    table = small_table(SETTLING, start=False).play("bets 1: ante 500, side 100\nstart")
    go_on(table, f"packet seat 1: AH KH / packet community: 9S TS / {since} / misdeal")
    (row,) = table.end().seats
    back = {"ante": 500} if settled else {"ante": 500, "side": 100}
    assert (row.settled, dict(row.returned)) == (settled, back)


# ------------------------------------------------------------------ bets in a pot


@pytest.mark.parametrize("players", [(), (1,), (2,), (1, 2)])
def test_a_pot_of_two_forms_where_two_have_placed_the_bet(players: tuple[int, ...]) -> None:
    """3-5-7 Poker: one that a player has placed alone goes back."""
    table = HandTable("3-5-7.co").play([f"bets {number}: five-card 500" for number in (1, 2)])
    table.play([*(f"bets {number}: pot-5 100" for number in players), "start"])
    table.play(["packet seat 1: AC AD 9H", "packet seat 2: 4C 4D 4H", "packet community-first: KS QD 8S"])
    table.play(["burn community-first: 3", "packet community-second: 5S 6C 9S", "burn community-second: 3", "dump"])
    table.play(["show seat 1: AC AD 9H", "show seat 2: 4C 4D 4H", "show community-first: KS QD"])
    result = table.play(["show community-second: 5S 6C"]).end()
    assert (table.codes, result.outcome) == ([], "complete")
    alone = len(players) == 1
    assert {row.seat: dict(row.returned) for row in result.seats} == {
        number: {"pot-5": 100} if alone and number in players else {} for number in (1, 2)
    }


# ------------------------------------------------------------------ raises

BLINDS: Final = (
    "bets 1: small-blind 100 / bets 2: big-blind 200 / start at 3"
    " / draw seat 1 AH KH | seat 2 2C 3C | seat 3 4C 5C / acts 3: raise 400 / acts 1: raise 600 / acts 2: raise 800"
)


@pytest.mark.parametrize(("stake", "codes"), [(799, []), (800, []), (801, ["action-refused"])])
def test_all_in_for_the_bet_to_call_is_no_raise(stake: int, codes: list[str]) -> None:
    """Three raises are all that the house posts."""
    table = play("holdem.co", f"stakes 1: 20000, 2: 20000, 3: {stake} / {BLINDS} / acts 3: all-in {stake}")
    assert table.codes == codes


def test_where_no_raise_is_allowed_somebody_may_still_bet() -> None:
    holdem = load_procedure("holdem.co")
    none = [
        option.model_copy(update={"default": "0", "allowed": ("0",)}) if option.name == "raises-per-round" else option
        for option in holdem.option
    ]
    table = HandTable(holdem.model_copy(update={"option": tuple(none)}))
    go_on(table, "stakes 1: 20000, 2: 20000 / start at 2 / draw seat 1 AH KH | seat 2 2C 3C")
    go_on(table, "acts 1: bet 500")
    assert table.codes == []
    assert refused(go_on(table, "acts 2: raise 1000")) == [("action-refused", "raises_left", False)]


# ------------------------------------------------------------------ faces that nobody has shown


def test_a_burned_card_that_was_shown_is_no_secret_any_more() -> None:
    table = play("holdem", "bets 1: ante 500 / start / packet seat 1 reading: AH KH / packet dealer: 5D 6D")
    go_on(table, "choose 1: raise / packet burn reading: 2S")
    assert sorted(spell_cards(table.flow.snapshot().unshown)) == ["2S", "AH", "KH"]
    go_on(table, "packet community: 9S TS JS / show burn: 2S")
    assert sorted(spell_cards(table.flow.snapshot().unshown)) == ["AH", "KH"]
    go_on(table, "choose 1: check / packet community: QS / dump / show dealer: 5D 6D / show community: 9S TS JS QS")
    go_on(table, "show seat 1: AH KH")
    assert table.flow.snapshot().unshown == frozenset()


# ------------------------------------------------------------------ what goes wrong


def test_a_card_shown_of_a_hand_that_is_dealt_by_hand_is_replaced_out_of_it() -> None:
    """No device sees that, and no ruling is needed."""
    table = HandTable("three-card-split.co-hand").play("bets 1: low 500, high 500, three-card 500\nstart\ndeal by hand")
    table.play("mishap seat 1: exposed AC")
    assert [(found.code, found.called, found.unreliable) for found in table.incidents] == [
        ("card-exposed", None, False)
    ]
    assert table.may("MisdealCalled") == ["supervisor: call a misdeal"]
    table.play("confirm\nshow seat 1: AC AD 9H\nshow dealer: KS QD 8S\nshow community: 5S")
    assert (table.codes, table.end().outcome) == (["card-exposed"], "complete")


@pytest.mark.parametrize(
    ("named", "back"), [("", {"ante": 500}), ('returns = ["side"]\n', {"side": 100}), ("returns = []\n", {})]
)
def test_what_goes_back_when_a_burned_card_lies_among_the_discards(named: str, back: dict[str, int]) -> None:
    """As the clause of burned cards has it, else as that of misdeals, while cards are still to be dealt."""
    game = small(
        step("hands", "deal", 'to = ["seats", "community"]\ncards = 3\nby = "packet"'),
        step("away", "burn", 'of = "community"\npositions = [1]\nspread = "from-top"\ntop-card = "top"'),
        step("choice", "decide", 'choices = ["stay"]'),
        step("more", "deal", 'to = ["community"]\ncards = 2\nby = "packet"'),
        step("showdown", "reveal", 'order = ["community", "seats"]'),
        rows("decision", 'number = 1\nname = "stay"'),
        wrong("seats", "community", then="misdeal"),
        PACKETS,
        f'[care.burned]\nthen = "misdeal"\n{named}clause = "S burned"\n',
        misdeal='{ until = "end", returns = ["ante"], clause = "S misdeal" }',
    )
    table = small_table(game, start=False).play("bets 1: ante 500, side 100\nstart\npacket seat 1: AH KH QH")
    table.play("packet community reading: 9S TS JS\nburn community: 1\nmishap burn: fouled")
    assert [(found.code, found.clause) for found in table.incidents] == [("burned-card-in-muck", "S burned")]
    (row,) = table.end().seats
    assert (table.results[-1].outcome, dict(row.returned)) == ("misdeal", back)


def counted_at_once(table: HandTable) -> tuple[list[str], int, int]:
    """Of seat 1, which a person counts at one card: what was read of it, how many it should have, and cards due."""
    table.count("seat 1", 1)
    now = round_of(table.flow)
    hand = now.ledger.hands[seat(1)]
    return spell_cards(hand.recognised), hand.expected, len(now.dues) - now.given


def test_a_place_that_is_counted_while_it_alone_gets_cards_gets_no_more() -> None:
    """If cards go around, it may have been passed over before, so it is unknown which card is its own."""
    at_once = play("exact", "bets 1: ante 500 / bets 2: ante 500 / start / draw AH")
    assert (counted_at_once(at_once), at_once.codes) == ((["AH"], 2, 2), ["seat-count-wrong"])
    game = stud(step("showdown", "reveal", 'order = ["seats"]'))
    assert counted_at_once(at(game).draw("AH")) == ([], 4, 0)
    around = at(game, 2).draw("AH")
    assert (counted_at_once(around), around.codes) == ((["AH"], 1, 7), [])


FORFEITED: Final = (
    "stakes 1: 20000, 2: 20000, 3: 20000 / bets 1: small-blind 100 / bets 2: big-blind 200 / start at 3"
    " / draw seat 1 AH KH | seat 2 2C 3C | seat 3 4C 5C / acts 3: call 200 / acts 3: forfeit 0"
)


def test_chips_that_were_forfeited_stay_in_the_pot_of_a_void_round() -> None:
    void = play("holdem.co", f"{FORFEITED} / misdeal").end()
    assert (void.outcome, [(dict(row.returned), dict(row.forfeited)) for row in void.seats]) == (
        "misdeal",
        [({"small-blind": 100}, {}), ({"big-blind": 200}, {}), ({}, {"pre-flop": 200})],
    )
    shown = play("holdem.co", f"{FORFEITED} / mishap seat 1: joker").end()
    assert {row.seat: dict(row.forfeited) for row in shown.seats} == {1: {}, 2: {}, 3: {}}
    played = play("holdem.co", f"{FORFEITED} / acts 1: fold / acts 2: check / acts 3: fold").end()
    assert [dict(row.forfeited) for row in played.seats] == [{}, {}, {}]
