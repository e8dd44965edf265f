"""Held money is counted once, and money that cannot be assigned is held."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.result import RoundResult
from dealwire.config.build import award_book
from dealwire.table.table import TableTerms
from rules import AwardBook, Settlement, SettlementRefused, load_game, settle
from rules.meters.bank import MeterBank
from rules.meters.linked import settle_linked
from rules.meters.setup import ProgressiveSetup
from tests.support.dealing import races
from tests.support.reading.game_files import flat_games
from tests.support.reading.paper import Paper, PaperCase


def lines(done: Settlement, seat: int = 1) -> dict[str, tuple[str, int, int]]:
    """Return the result, stake and net of a seat's bets."""
    return {
        " ".join(filter(None, (line.bet, line.proposition))): (line.result, line.stake, line.net)
        for line in done.lines
        if line.seat == seat
    }


def totals(done: Settlement) -> dict[int, tuple[int, int]]:
    """Return the stake and the held amount by seat."""
    return {seat.seat: (seat.staked, seat.held) for seat in done.seats}


# ------------------------------------------------------------------ a bonus on the ante's stake


def at_three_card(cards: str, **seat: Any) -> Settlement:
    bets = {"ante": 1000, "play": 1000}
    case = {"dealer": "QS 5D 2C", "seat": [{"seat": 1, "cards": cards, "choices": ["play"], "bets": bets} | seat]}
    return Paper("three-card.co", case).settle()


def test_a_bonus_that_is_held_is_no_second_stake() -> None:
    done = at_three_card("AH KH ??")
    assert lines(done)["ante-bonus"] == ("held", 0, 0)
    assert totals(done) == {1: (2000, 2000)}


def test_a_bonus_that_is_paid_is_paid_on_the_antes_stake() -> None:
    done = at_three_card("4H 5H 6H")
    assert lines(done)["ante-bonus"] == ("win", 0, 5000)
    assert totals(done) == {1: (2000, 0)}


# ------------------------------------------------------------------ a pot


def with_pots(*hands: tuple[str, dict[str, Any]]) -> RoundResult:
    """Return seats from 1 on with these cards and changes, each with a wager and a stake in its pot."""
    bets = {"three-card": 500, "pot-3": 500}
    seats = [{"seat": number, "cards": cards, "bets": bets} for number, (cards, _) in enumerate(hands, 1)]
    paper = Paper("3-5-7.co", {"community": "9C 4D KC 2S", "seat": seats})
    round_ = paper.round()
    changed = [replace(seat, **change) for seat, (_, change) in zip(round_.seats, hands, strict=True)]
    return replace(round_, seats=tuple(changed))


def in_the_pot(round_: RoundResult) -> list[tuple[int, str, int]]:
    done = settle(round_, load_game("3-5-7.co"))
    assert done.totals.players + done.totals.house == 0
    return sorted((line.seat, line.result, line.net) for line in done.lines if line.bet == "pot-3")


BEST, WORSE, WORST = "JS JD JH", "8S 7D 6H", "TS 5D 3H"


def test_the_best_hand_has_the_pot() -> None:
    assert in_the_pot(with_pots((BEST, {}), (WORSE, {}))) == [(1, "win", 500), (2, "lose", -500)]


def test_a_dead_hands_stake_in_the_pot_holds_it() -> None:
    """The regulation does not say whose it is: not the house's, and not the winner's."""
    dead = with_pots((BEST, {}), (WORSE, {}), (WORST, {"status": "dead"}))
    assert in_the_pot(dead) == [(1, "held", 0), (2, "held", 0), (3, "held", 0)]
    settled = with_pots((BEST, {}), (WORSE, {}), (WORST, {"status": "dead", "settled": ("pot-3",)}))
    assert in_the_pot(settled) == [(1, "held", 0), (2, "held", 0), (3, "held", 0)]


def test_a_dead_hands_stake_that_came_back_does_not() -> None:
    back = {"status": "dead", "returned": {"three-card": 500, "pot-3": 500}}
    assert in_the_pot(with_pots((BEST, {}), (WORSE, {}), (WORST, back))) == [
        *((1, "win", 500), (2, "lose", -500), (3, "returned", 0)),
    ]


def test_of_two_stakes_in_a_pot_one_of_them_a_dead_hands_neither_comes_back() -> None:
    """(8)(d) returns a wager that no other player matched, and another player did."""
    assert in_the_pot(with_pots((BEST, {}), (WORSE, {"status": "dead"}))) == [(1, "held", 0), (2, "held", 0)]


def test_a_pot_that_no_hand_is_left_for_waits() -> None:
    folded = {"status": "folded"}
    assert in_the_pot(with_pots((BEST, folded), (WORSE, folded))) == [(1, "held", 0), (2, "held", 0)]
    nobody = {"status": "dead"}
    assert in_the_pot(with_pots((BEST, nobody), (WORSE, nobody))) == [(1, "held", 0), (2, "held", 0)]


# ------------------------------------------------------------------ outcomes that money is on


@pytest.mark.parametrize(
    ("on", "why"),
    [
        ("rank:10", "'10' is not a rank"),
        ("card:ZZ", "'ZZ' is not a card"),
        ("suit:X", "'X' is not a suit"),
        ("rank", "'' is no"),
    ],
)
def test_money_on_an_outcome_that_names_nothing_is_held(on: str, why: str) -> None:
    seat = {"seat": 1, "cards": "5H 7C", "bets": {"ante": 500}, "propositions": {"card-1": {on: 100, "rank:5": 100}}}
    done = Paper("208.co", {"community": "AS KS QS", "seat": [seat]}).settle()
    (found,) = (line for line in done.lines if line.proposition == on)
    assert (found.result, found.stake, found.net) == ("held", 100, 0)
    assert found.why.startswith(why)
    assert lines(done)["card-1 rank:5"][0] != "held"


# ------------------------------------------------------------------ a race


def test_what_the_round_gives_back_of_a_race_goes_back() -> None:
    round_ = races.race(races.AT_5, red=500, black=500)
    (seat,) = round_.seats
    back = replace(round_, seats=(replace(seat, returned={"black": 500}),))
    assert lines(settle(back, races.GAME)) == {"red": ("win", 500, 500), "black": ("returned", 500, 0)}


def test_part_of_a_bet_of_a_race_that_goes_back_waits_for_a_person() -> None:
    round_ = races.race(races.AT_5, red=500)
    (seat,) = round_.seats
    back = replace(round_, seats=(replace(seat, returned={"red": 200}),))
    assert lines(settle(back, races.GAME)) == {"red": ("held", 500, 0)}


# ------------------------------------------------------------------ meters that tables share


def shared(cents: int) -> MeterBank:
    meter = {"name": "meter", "seed-cents": 1000, "start-cents": cents, "contribution": "0 %"}
    content = {"schema": "dealwire.progressive/1", "id": "test", "executive-from-cents": 1000, "meters": (meter,)}
    return MeterBank(ProgressiveSetup.model_validate(content))


WILD = {"joker-use": "fully-wild"}


def test_a_shared_meter_pays_by_the_table_of_the_jokers_use(tmp_path: Path) -> None:
    """FPG-PROG-02 is the first table printed for a fully wild joker: a tenth for its second row. The meter of the first
    table does not matter then."""
    folder = flat_games(tmp_path / "games")
    other = folder / "paytables" / "FPG-PROG-01.toml"
    other.write_text(other.read_text().replace("of meter", "of jackpot"))
    game, bank = load_game(folder / "fortune-pai-gow.co.toml"), shared(1_000_000)
    seat = {"seat": 1, "cards": "3D 4D 5D 6D 7D 8D JK", "low": "3D 4D", "bets": {"ante": 500, "progressive": 100}}
    case: PaperCase = {"seat": [seat], "dealer": "9S 8S 7C 6H 4S 3H 2C", "dealer_low": "8S 7C"}
    done, records = settle_linked(
        bank, Paper("fortune-pai-gow.co", case).round(), game, readings=WILD, accept_suspect=True
    )
    assert done.paytables["progressive"] == "FPG-PROG-02"
    assert lines(done)["progressive"] == ("win", 100, 99_900)
    assert [record.to_players for record in records if record.to_players] == [100_000]
    assert bank.meters()["meter"].cents == 900_000


def test_awards_go_by_the_table_of_the_jokers_use() -> None:
    game, bank = load_game("fortune-pai-gow.co"), shared(1_000_000)
    assert AwardBook(bank, game, spot=5, readings=WILD).paytable.id == "FPG-PROG-02"
    terms = TableTerms(game, readings=WILD, bank=bank, accept_suspect=True)
    book = award_book(load_procedure("fortune-pai-gow.co"), terms, "table-1")
    assert book is not None
    assert book.paytable.id == "FPG-PROG-02"


def test_a_reading_that_there_is_not_is_refused_before_a_meter_moves() -> None:
    bank, case = shared(1_000_000), {"seat": [{"seat": 1, "bets": {"ante": 500, "progressive": 100}}]}
    paper = Paper("fortune-pai-gow.co", case)
    with pytest.raises(SettlementRefused, match="joker-use"):
        settle_linked(bank, paper.round(), paper.game, readings={"joker-use": "wilder"})
    assert bank.meters()["meter"].cents == 1_000_000
