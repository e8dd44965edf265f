"""Hands that are set in two: the house way, commissions, and cases that the readers' settlements do not cover."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rules import SettlementRefused, settle
from rules.game.house_ways import HOUSEWAYS, load_houseway
from rules.settlement import Settlement
from tests.support.reading.paper import Paper

WON = {"seat": 2, "cards": "KS KH AS TD 8C 6S 2D", "low": "AS TD"}
DEALER = {"dealer": "QH QD AC 9H 7D 5C 3S", "dealer_low": "AC 9H"}


def case(*seats: dict[str, Any], **table: Any) -> dict[str, Any]:
    return {**DEALER, **table, "seat": list(seats)}


def lines(settlement: Settlement) -> dict[str, tuple[str, int]]:
    return {line.bet: (line.result, line.net) for line in settlement.lines}


# ------------------------------------------------------------------ the house way


def test_a_dealers_hand_that_is_not_set_the_house_way_holds_what_rests_on_it() -> None:
    bets = {"primary": 1000, "tip-primary": 100, "emperors-treasure": 500, "insurance-dealer": 500}
    done = Paper("emperors-challenge.co", case(WON | {"bets": bets}, dealer_low="9H 7D")).settle()
    found = {line.bet: line for line in done.lines}
    assert done.house_way == "emperors-challenge"
    assert done.house_way_sha256 == load_houseway("emperors-challenge").sha256
    for bet in ("primary", "tip-primary"):
        assert (found[bet].result, found[bet].clause) == ("held", "47.1-1017.49(35)(b)")
    assert found["primary"].why.startswith("the dealer set 9H 7D low, and the house way sets AC 9H (one pair: ")
    assert (found["emperors-treasure"].result, found["insurance-dealer"].result) == ("lose", "lose")


def test_a_house_that_prints_its_own_way_is_held_to_it(tmp_path: Path) -> None:
    """Pai Gow's way is the licensee's: without one nothing is checked; with one, its own clause holds the bets."""
    paper = Paper("pai-gow.co", case(WON | {"bets": {"wager": 1000}}, dealer_low="9H 7D"))
    assert lines(paper.settle()) == {"wager": ("win", 1000)}
    assert (paper.settle().house_way, paper.settle().house_way_sha256) == (None, None)
    file = tmp_path / "ours.toml"
    text = (HOUSEWAYS / "emperors-challenge.toml").read_text()
    file.write_text(text.replace('id = "emperors-challenge"', 'id = "ours"').replace("47.1-1017.49(35)(b)", "way 2"))
    held = paper.settle(house_way=str(file))
    assert (held.house_way, held.lines[0].result, held.lines[0].clause) == ("ours", "held", "way 2")
    file.write_text(file.read_text().replace('"way 2"', '"way 3"'))
    assert paper.settle(house_way=str(file)).house_way_sha256 != held.house_way_sha256


def test_a_dealers_hand_set_against_the_ranks_is_nobodys_loss() -> None:
    done = Paper("pai-gow.co", case(WON | {"bets": {"wager": 1000}}, dealer_low="QH QD")).settle()
    assert (done.lines[0].result, done.lines[0].clause) == ("held", "47.1-1017.43(1)")
    assert done.lines[0].why.startswith("the dealer set pair of queens (QH QD) in the low hand above ")


@pytest.mark.parametrize(("reading", "result"), [("loses", "lose"), ("held", "held")])
def test_a_players_hand_set_against_the_ranks(reading: str, result: str) -> None:
    seat = {"seat": 2, "cards": "AS AD KC TD 9S 7C 6D", "low": "AS AD", "bets": {"wager": 1000}}
    done = Paper("pai-gow.co", case(seat, readings={"foul-hand": reading})).settle()
    assert lines(done)["wager"][0] == result


def test_a_hand_reported_as_set_wrong_that_is_not_waits_for_a_person() -> None:
    paper = Paper("emperors-challenge.co", case(WON | {"bets": {"primary": 1000}}))
    round_ = paper.round()
    seat = round_.seats[0]
    assert seat.split is not None
    wrong = replace(round_, seats=(replace(seat, split=replace(seat.split, foul=True)),))
    line = settle(wrong, paper.game).lines[0]
    assert (line.result, line.clause) == ("held", "47.1-1017.49(9)(b)-(c)")


@pytest.mark.parametrize("game", ["western-stud.co", "caribbean-stud.co"])
def test_no_house_way_where_nothing_is_set(game: str) -> None:
    with pytest.raises(SettlementRefused, match="house way"):
        Paper(game, case(WON | {"bets": {"ante": 1000}})).settle(house_way="emperors-challenge")


# ------------------------------------------------------------------ the commission


@pytest.mark.parametrize(
    ("stake", "percent", "token", "taken"),
    [(2000, "5", 25, 100), (700, "5", 25, 25), (700, "5", 1, 35), (2000, "2.5", 25, 50), (300, "5", 25, 0)],
)
def test_a_commission_is_rounded_down_and_never_taken_of_a_tip(
    stake: int, percent: str, token: int, taken: int
) -> None:
    paper = Paper("pai-gow.co", case(WON | {"bets": {"wager": stake, "tip-wager": stake}}))
    done = paper.settle(commission=percent, token_cents=token)
    assert lines(done) == {"wager": ("win", stake - taken), "tip-wager": ("win", stake)}
    assert (done.commission_percent, done.seats[0].commission) == (percent, taken)
    assert done.totals.players == 2 * stake - taken == -done.totals.house
    assert Settlement.from_json(done.to_json()) == done


@pytest.mark.parametrize(
    ("game", "percent"),
    [
        ("pai-gow.co", "6"),
        ("pai-gow.co", "-1"),
        ("pai-gow.co", "five"),
        ("pai-gow.co", "5,0"),
        ("emperors-challenge.co", "4"),
        ("western-stud.co", "5"),
    ],
)
def test_a_commission_that_the_text_does_not_know_is_refused(game: str, percent: str) -> None:
    with pytest.raises(SettlementRefused, match="commission"):
        Paper(game, case(WON | {"bets": {}})).settle(commission=percent)


@pytest.mark.parametrize(("reading", "net"), [("ante", 50000), ("every-win", 47500)])
def test_whether_a_bonus_gives_a_commission(reading: str, net: int) -> None:
    seat = {"seat": 3, "cards": "AS AH KH QH 9H 5D 3S", "low": "KH QH", "bets": {"ante": 1000, "pai-gowd": 500}}
    table = {"dealer": "9S 8D 7C 6H 4S 3D 2C", "dealer_low": "8D 7C", "readings": {"commission-on": reading}}
    done = Paper("fortune-pai-gow.co", case(seat, **table)).settle(commission="5")
    assert lines(done) == {"ante": ("win", 950), "pai-gowd": ("win", net)}


# ------------------------------------------------------------------ readings and tables


def test_a_schedule_for_another_joker_is_refused() -> None:
    paper = Paper("fortune-pai-gow.co", case(WON | {"bets": {"ante": 1000, "fortune-bonus": 500}}))
    with pytest.raises(SettlementRefused, match=r"under joker-use semi-wild 'FPG-WILD-01'.*; allowed: FPG-01"):
        paper.settle(paytables={"fortune-bonus": "FPG-WILD-01"})
    wild = paper.settle(readings={"joker-use": "fully-wild"})
    assert wild.paytables["fortune-bonus"] == "FPG-WILD-01"
    assert wild.paytables["progressive"] == "FPG-PROG-02"


@pytest.mark.parametrize(
    ("reading", "result"), [("held", ("held", 0)), ("plain", ("win", 2800)), ("doubles", ("win", 5600))]
)
def test_the_note_on_a_dealer_with_ace_high(reading: str, result: tuple[str, int]) -> None:
    seat = {"seat": 2, "cards": "KS JS 8S 6S 2S TD 4C", "low": "TD 4C", "bets": {"ante": 1000, "fortune-bonus": 700}}
    table = {"dealer": "AH KD QC 9H 7S 5D 3C", "dealer_low": "KD QC", "readings": {"ace-high-note": reading}}
    assert lines(Paper("fortune-pai-gow.co", case(seat, **table)).settle())["fortune-bonus"] == result


def test_the_tray_pays_beside_the_meter() -> None:
    """1,000 for 1 and 10 % of the meter: the meter loses only its share."""
    seat = {"seat": 1, "cards": "4S 5S 6S JK 8S 9S TS", "low": "9S TS", "bets": {"ante": 1000, "progressive": 100}}
    paper = Paper("fortune-pai-gow.co", case(seat, meters={"meter": 1_000_000}, tables={"progressive": "04"}))
    done = paper.settle()
    line = next(line for line in done.lines if line.bet == "progressive")
    assert (line.pay, line.from_house) == (200_000, 100_000)
    assert (done.meters[0].paid, done.totals.meters) == (100_000, -100_000)
    assert done.totals.players + done.totals.house + done.totals.meters == 0


@pytest.mark.parametrize(("reading", "result"), [("open", "held"), ("straight-first", "win"), ("flush-first", "lose")])
def test_whether_a_straight_of_three_beats_a_flush(reading: str, result: str) -> None:
    bets = {"low": 500, "high": 500, "three-card": 500}
    seat = {"seat": 1, "cards": "4S 5D 6C", "low": "6C", "bets": bets}
    table = {"dealer": "2H 7H 9H", "dealer_low": "9H", "community": "KC", "readings": {"three-card-rank": reading}}
    assert lines(Paper("three-card-split.co", case(seat, **table)).settle())["three-card"][0] == result


# ------------------------------------------------------------------ the order, and halves


def test_losers_first_and_winning_primary_wagers_last() -> None:
    """(37): from the dealer's right: lost primary and bonus bets first, then wins, and winning primary bets at the
    end."""
    lost = {
        "seat": 5,
        "cards": "JS JH TS 9D 6C 4S 2D",
        "low": "TS 9D",
        "bets": {"primary": 1000, "insurance-player": 500},
    }
    won = {"seat": 2, "cards": "4C 5D 6H 7H 8S AD AH", "low": "AD AH"}
    won["bets"] = {"primary": 1000, "emperors-treasure": 500, "insurance-player": 500}
    done = Paper("emperors-challenge.co", case(won, lost)).settle()
    assert [(line.seat, line.bet, line.result) for line in done.lines] == [
        (5, "primary", "lose"),
        (5, "insurance-player", "lose"),
        (2, "insurance-player", "lose"),
        (2, "emperors-treasure", "win"),
        (2, "primary", "win"),
    ]


@pytest.mark.parametrize(
    ("stake", "token", "returned", "rest"), [(1000, 25, 500, "0"), (25, 25, 0, "25/2"), (25, 1, 12, "1/2")]
)
def test_half_of_an_ante_that_does_not_halve(stake: int, token: int, returned: int, rest: str) -> None:
    """One side lost, the other pushed: half comes back; an amount below a token is kept and recorded."""
    hands = {"dealer-first": "KS KD 9C 6H 3S", "dealer-second": "JH 8D 6C 4S 2H"}
    seat = {"seat": 1, "cards": "KC KH 9D 6S 3D", "choices": ["both", "no-river-bet"]}
    seat["bets"] = {"ante": stake, "high": stake, "low": stake}
    done = Paper("western-stud.co", {"hands": hands, "seat": [seat]}).settle(token_cents=token)
    ante = next(line for line in done.lines if line.bet == "ante")
    assert (ante.result, ante.returned, ante.rest) == ("lose", returned, rest)
    assert ante.why.startswith("high pushed, low lost: ante loses")


def test_tips_earn_no_envy() -> None:
    four = {
        "seat": 1,
        "cards": "4S 4H 4D 4C KD JC 9D",
        "low": "KD JC",
        "bets": {"primary": 1000, "emperors-treasure": 500},
    }
    other = WON | {"bets": {"primary": 1000, "emperors-treasure": 500, "tip-emperors-treasure": 500}}
    done = Paper("emperors-challenge.co", case(four, other)).settle()
    assert [(line.seat, line.pay) for line in done.lines if line.bet == "envy"] == [(2, 500)]
