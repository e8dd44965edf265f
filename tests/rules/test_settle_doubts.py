"""Rounds of other programs that contradict themselves: only the facts in doubt are held, with the reason."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import Burn, Drawn, Packet, Remainder, RoundResult, Seat
from rules import Settlement, load_game, settle
from tests.support.dealing import races
from tests.support.dealing.flushes import GAME, co, deal, money, seat

COMMUNITY, DEALER = "KD 9D", "3C 4D 5S 6S 8C"
ROYAL, FLUSH, NOTHING = "AH KH QH JH TH", "2H 5H 7H 8H 9H", "2C 2D 4C JC TS"
SOUTH_DAKOTA = load_game("flushes-gone-wild.sd")


def results(settlement: Settlement, number: int) -> dict[str, str]:
    return {line.bet: line.result for line in settlement.lines if line.seat == number}


def envy_of_round(settlement: Settlement) -> list[tuple[int, int, str, int]]:
    """Return the seat, the seat whose hand it is for, the result and the pay of every envy line."""
    lines = [line for line in settlement.lines if line.bet == "envy"]
    return sorted((line.seat, source_of(line.why), str(line.result), line.pay) for line in lines)


def source_of(why: str) -> int:
    """Return the seat whose hand an envy line is for, from its sentence: `envy for the royal flush of seat 2`."""
    found = re.search(r" of seat (\d+)", why)
    assert found is not None, why
    return int(found[1])


# ------------------------------------------------------------------ a fold in doubt

UNSURE = {
    "live without the play bet": seat(1, ROYAL, play=0, flush_rush=500, progressive=500),
    "folded with a play bet": seat(1, ROYAL, play=1000, flush_rush=500, progressive=500, status="folded"),
    "live and chose to fold": replace(seat(1, ROYAL, flush_rush=500, progressive=500), decision="fold"),
}


@pytest.mark.parametrize("name", UNSURE)
def test_what_goes_by_the_fold_is_held_and_flush_rush_is_not(name: str) -> None:
    """(7)(A) leaves Flush Rush in action; progressive (6) takes the payouts of a folded hand."""
    found = settle(deal(COMMUNITY, DEALER, UNSURE[name]), GAME, meters={"meter": 10_000_000})
    mine = results(found, 1)
    held = {bet for bet in UNSURE[name].wagers if bet != "flush-rush"}
    assert {bet for bet, result in mine.items() if result == "held"} == held
    assert mine["flush-rush"] == "win"
    assert (found.meters[0].paid, found.status) == (0, "partly-held")


@pytest.mark.parametrize("name", UNSURE)
def test_a_meter_waits_behind_it_and_so_does_the_envy_for_it(name: str) -> None:
    """Seat 1 is settled after seat 2, seat 3 before it. Seat 2 has a royal flush, which earns nothing if it folded."""
    doubtful = replace(UNSURE[name], seat=2)
    straight_flush, full_house = "5S 6S 7S 8S 9S", "7C 7D 7H KC KS"
    round_ = deal(
        COMMUNITY,
        "3C 4D 5C 6C 8C",
        seat(1, straight_flush, progressive=100),
        doubtful,
        seat(3, full_house, progressive=100),
    )
    found = settle(round_, GAME, meters={"meter": 10_000_000})
    assert money(found)[1, "progressive"][0] == "held"
    assert money(found)[3, "progressive"][:2] == ("win", 4_900)
    assert envy_of_round(found) == [
        (1, 2, "held", 0),
        (2, 1, "win", 150_000),  # a folded hand collects
        (3, 1, "win", 30_000),
        (3, 2, "held", 0),
    ]
    none = settle(round_, GAME, meters={"meter": 10_000_000}, readings={"folded-envy": "none"})
    assert envy_of_round(none) == [(1, 2, "held", 0), (2, 1, "held", 0), (3, 1, "win", 30_000), (3, 2, "held", 0)]


def test_a_progressive_that_folding_does_not_lose_is_no_part_of_the_doubt() -> None:
    game = load_game("flushes-gone-wild.wa-link")
    round_ = deal(COMMUNITY, DEALER, UNSURE["live without the play bet"])
    round_ = replace(round_, procedure=replace(round_.procedure, id=game.spec.procedures[0]))
    stands = settle(round_, game, meters={}, readings={"folded-progressive": "stands"})
    dies = settle(round_, game, meters={})
    for found, why in ((stands, "no amount was given for the meter"), (dies, "play of $0 is not equal to")):
        (line,) = (line for line in found.lines if line.bet == "progressive")
        assert line.result == "held"
        assert why in line.why


def test_a_play_bet_of_another_amount_leaves_no_doubt_that_the_hand_plays() -> None:
    found = settle(deal(COMMUNITY, DEALER, seat(1, FLUSH, play=700, progressive=100)), GAME)
    assert results(found, 1) == {"ante": "held", "blind": "held", "play": "held", "progressive": "win"}


@pytest.mark.parametrize("name", ["live without the play bet", "folded with a play bet"])
def test_tips_wait_with_the_bets_they_are_for(name: str) -> None:
    spot = UNSURE[name]
    wagers = {bet: cents for bet, cents in spot.wagers.items() if bet != "progressive"}
    tips = {"tip-ante": 100, "tip-blind": 100, "tip-flush-rush": 100}
    round_ = deal(COMMUNITY, DEALER, replace(spot, wagers=wagers | tips))
    round_ = replace(round_, procedure=replace(round_.procedure, id=SOUTH_DAKOTA.spec.procedures[0]))
    mine = results(settle(round_, SOUTH_DAKOTA), 1)
    assert (mine["tip-ante"], mine["tip-blind"], mine["tip-flush-rush"]) == ("held", "held", "win")


def test_a_bet_that_the_round_holds_of_a_dead_hand_is_held_and_not_lost() -> None:
    """A supervisor decides the bet; the clause of what killed the hand takes the others."""
    incident = Incident(code="hand-fouled", clause="47.1-1032(3)", place="seat 1", reason="player")
    one = replace(seat(1, FLUSH, flush_rush=500, status="dead"), returned={}, held={"flush-rush": "47.1-1002(2)"})
    round_ = replace(deal(COMMUNITY, DEALER, seat(2, NOTHING)), incidents=(incident,))
    mine = results(settle(replace(round_, seats=(one, *round_.seats)), GAME), 1)
    assert mine == {"ante": "lose", "blind": "lose", "flush-rush": "held"}


@pytest.mark.parametrize("outcome", ["misdeal", "progressive-only", "defective-deck"])
def test_a_void_round_has_no_choices_to_doubt(outcome: Any) -> None:
    round_ = deal(COMMUNITY, DEALER, seat(1, FLUSH, play=0, progressive=100), outcome=outcome)
    assert "held" not in results(settle(round_, GAME), 1).values()


# ------------------------------------------------------------------ the deal

KNOWN = load_procedure("flushes-gone-wild.co").ref()
BURN = Burn(of="community", positions=(1, 2, 5), spread="left-to-right")


def dealt(*seats: Seat) -> RoundResult:
    """Return a valid round of a procedure of this program."""
    seats = seats or (seat(1, FLUSH, progressive=100),)
    to = ("community", *(f"seat {each.seat}" for each in seats), "dealer")
    packets = tuple(Packet(ordinal=at, to=place, expected=5, counted=5) for at, place in enumerate(to, 1))
    return replace(deal(COMMUNITY, DEALER, *seats), procedure=KNOWN, packets=packets, burn=BURN)


def changed(**changes: Any) -> Settlement:
    return settle(replace(dealt(), **changes), GAME)


def test_a_clean_round_and_one_that_leaves_things_open_are_settled() -> None:
    round_ = dealt()
    assert changed().status == "settled"
    for changes in (
        {"deck": replace(round_.deck, loaded=None)},
        {"packets": ()},
        {"remainder": None},
        {"remainder": Remainder(counted=None, expected=37)},
        {"burn": None},
        {"burn": Burn(of="community", positions=(1, 4, 5), spread="right-to-left")},
    ):
        assert changed(**changes).status == "settled", changes


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"deck": replace(dealt().deck, loaded=53)}, "53 cards were loaded, and the deck has 52"),
        ({"deck": replace(dealt().deck, loaded=51)}, "51 cards were loaded, and the deck has 52"),
        (
            {"packets": tuple(replace(each, counted=18) for each in dealt().packets)},
            "54 cards were dealt from a deck of 52",
        ),
        ({"remainder": Remainder(counted=99, expected=37)}, "99 cards were left instead of 37"),
        ({"burn": replace(BURN, positions=(3, 4, 5))}, r"positions 3, 4, 5 \(left-to-right\) of community were burned"),
        ({"burn": replace(BURN, spread="right-to-left")}, "were burned instead of 1, 2, 5"),
        ({"seats": (seat(9, FLUSH),)}, "there is no seat 9 at a table of 8"),
    ],
)
def test_a_deal_that_cannot_have_been_holds_the_round(changes: dict[str, Any], why: str) -> None:
    found = changed(**changes)
    assert (found.status, {line.result for line in found.lines}) == ("held", {"held"})
    assert found.totals.players == 0
    with pytest.raises(AssertionError, match=why):
        assert not found.why, found.why


def test_another_version_of_a_procedure_may_burn_other_cards() -> None:
    other = replace(KNOWN, sha256="f" * 64)
    assert changed(procedure=other, burn=replace(BURN, positions=(3, 4, 5))).status == "settled"


def test_a_void_round_may_have_been_dealt_wrong() -> None:
    assert changed(outcome="misdeal", remainder=Remainder(counted=99, expected=37)).why is not None
    back = replace(seat(1, FLUSH), returned=seat(1, FLUSH).wagers)
    found = changed(outcome="misdeal", remainder=Remainder(counted=99, expected=37), seats=(back,))
    assert found.status == "settled"


# ------------------------------------------------------------------ the race


def raced(drawn: str = races.AT_11, **changes: Any) -> Settlement:
    round_ = races.race(drawn, red=500)
    assert isinstance(round_.draw, Drawn)
    return settle(replace(round_, draw=replace(round_.draw, **changes)), races.GAME)


def test_a_card_is_not_drawn_twice_from_one_deck() -> None:
    twice = tuple(races.AT_11.replace("2C", "6C").split())
    columns = {"clubs": ("6C", "6C")}
    found = raced(cards=twice, columns=columns)
    assert (found.status, {line.result for line in found.lines}) == ("held", {"held"})
    assert found.why == "the deck contradicts the round: 6C was drawn 2 times from 1 deck"


def test_two_decks_hold_a_card_twice() -> None:
    table = races.race_table(decks_in_shoe="2")
    round_ = table.bet(1, red=500).start().draw(races.AT_11.replace("2C", "6C")).end()
    assert settle(round_, races.GAME).status == "settled"


SEVENTEEN = races.NEVER + " KH"


def test_the_extra_card_is_the_one_drawn_last() -> None:
    assert raced(SEVENTEEN).status == "settled"
    found = raced(SEVENTEEN, extra="KS")
    assert (found.status, found.totals.players) == ("held", 0)
    assert found.why is not None
    assert "the extra card is KS in the round, and the last one drawn is KH" in found.why


@pytest.mark.parametrize(
    "columns",
    [
        {"clubs": ("2C", "6C", "9C")},
        {"clubs": ("6C", "2C")},
        {"clubs": (), "diamonds": ("3D", "7D", "2D")},
        {"stars": ("2C",)},
    ],
)
def test_columns_are_the_cards_drawn(columns: dict[str, tuple[str, ...]]) -> None:
    found = raced(columns=columns)
    assert found.status == "held"
    assert found.why is not None
    assert "the cards drawn differ" in found.why


def test_columns_need_not_be_told() -> None:
    assert raced(columns={}).status == "settled"
    assert raced(columns={"clubs": (), "hearts": ()}).status == "settled"


def test_the_clause_of_a_seat_that_is_not_there() -> None:
    assert changed(seats=(seat(9, FLUSH),)).lines[0].clause == "procedure"
    assert changed(burn=replace(BURN, positions=(3, 4, 5))).lines[0].clause == co("(6)")
