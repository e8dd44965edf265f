"""Simulated players bet against each other at every game of the kind: on devices, over the real links, by a seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.betting_dealer import BettingDealer
from dealwire.rehearsal.bettors import IN_TURN
from dealwire.rehearsal.scenario import Scenario, endless
from dealwire.rehearsal.scenario_file import clean_round, scenario_of
from dealwire.rehearsal.tables import set_up
from dealwire.table.table import Table, TableTerms
from devices import events as e
from protocol.tomlfile import TomlFileError
from rules.game.load import game_id_of, load_game
from rules.settlement import HouseRake, Settlement
from tests.support.evenings.table_evenings import TableEvening

BETTING = [name for name in known_procedures() if load_procedure(name).betting is not None]
FAMILIES = ["holdem.co", "crazy-pineapple.co", "draw.co", "five-card-stud.co", "seven-card-stud-low.co", "home-run.co"]
"""Those that are dealt or bet differently."""
BOARDS = ["holdem.co", "omaha-hi-lo.co", "pineapple.co", "home-run.co"]
CHOOSING = ["eighty-eight.co", "longhorn.co", "trips.co"]
SEATS = (1, 2, 4, 6)
every_game = pytest.mark.parametrize("name", BETTING)
every_family = pytest.mark.parametrize("name", FAMILIES)


def scenario(
    name: str, hands: int = 4, *, styles: bool = True, troubles: Any = (), seed: int = 3, **more: Any
) -> Scenario:
    """So many hands of four players; `troubles` go wrong in each of them."""
    procedure, rounds = load_procedure(name), list[dict[str, Any]]()
    for number in range(hands):
        table = clean_round(procedure, SEATS)
        if styles:
            for player, style in zip(table["players"], (*IN_TURN, "aggressive"), strict=True):
                player |= {"style": style} | ({"stake": 4_000 * player["seat"]} if procedure.betting else {})
        if "number" in table:
            table["number"] = SEATS[number % len(SEATS)]
        rounds.append(table | ({"troubles": [*troubles]} if troubles else {}))
    return scenario_of(procedure, rounds, seed=seed, **more)


def judge_of(name: str, options: Mapping[str, str], **house: Any) -> Table:
    """A table that follows a procedure under these options, and settles where a game does, as this house has it."""
    game = game_id_of(name, options)
    terms = TableTerms(load_game(game), **house) if game is not None else None
    return Table(load_procedure(name), terms, options=options)


class Evening:
    """A scenario played to its end, and what a table said of it."""

    def __init__(self, played: Scenario, **house: Any) -> None:
        table = set_up(played, speed=20)
        self.heard = TableEvening(table).run()
        self.dealer = table.dealer
        judge = judge_of(played.procedure.id, played.procedure.plan.options, **house)
        self.said = [item for seen in self.heard.seen for item in judge.handle(seen)]
        self.rounds = [*self._of(RoundResult)]
        self.settled = [*self._of(Settlement)]
        self.codes = {item.code for item in self._of(Incident)}

    def _of(self, kind: type[Any]) -> Iterator[Any]:
        return (item for item in self.said if isinstance(item, kind))

    def chips(self) -> BettingDealer:
        """The dealer, who knows what lies before the players."""
        assert isinstance(self.dealer, BettingDealer)
        return self.dealer


def clean(evening: Evening, hands: int = 4) -> None:
    assert evening.codes == set()
    assert [round_.outcome for round_ in evening.rounds] == ["complete"] * hands
    assert not any(line.result == "held" for each in evening.settled for line in each.lines)


@pytest.mark.every(6)
@every_game
def test_an_evening_is_clean_and_no_chip_is_lost(name: str) -> None:
    """Each hand begins with what was left of the one before; who has nothing left buys in again."""
    evening = Evening(scenario(name))
    clean(evening)
    chips, pooled = evening.chips().chips, sum(each.totals.meters for each in evening.settled)
    assert sum(chips.bought.values()) == sum(chips.behind.values()) + pooled
    bought = dict.fromkeys(chips.bought, 0)
    for round_, settled in zip(evening.rounds, evening.settled, strict=False):
        nets = {seat.seat: seat.net for seat in settled.seats}
        for seat in round_.seats:
            stake = seat.stake or 0
            assert stake >= bought[seat.seat]
            bought[seat.seat] = stake + nets.get(seat.seat, 0)
    if evening.settled:
        assert bought == chips.behind


@every_family
def test_the_pots_are_taken_as_the_cards_have_it(name: str) -> None:
    for round_, settled in zip((played := Evening(scenario(name))).rounds, played.settled, strict=False):
        taken = [(award.pot, award.seat, award.cents) for award in round_.awards]
        assert taken == [(at, won.seat, won.cents) for at, pot in enumerate(settled.pots, 1) for won in pot.winners]
        assert not any(won.won_with == "award" for pot in settled.pots for won in pot.winners)


@every_family
def test_the_rake_is_taken_in_before_the_winners_are_paid(name: str) -> None:
    """The dealer and the table agree on percentage, cap, token, the jackpot's part and a reading, cent by cent."""
    house = {"token": 5, "rake": "7.5", "rake_cap": 400, "jackpot_rake": 150}
    pot = load_game(name).spec.pot
    assert pot is not None
    if pot.jackpot_rake is None:
        del house["jackpot_rake"]
    figure = HouseRake("7.5", 400, None, 150 if pot.jackpot_rake is not None else 0)
    evening = Evening(scenario(name, house=house), token_cents=5, rake=figure)
    clean(evening)
    pots = [pot for settled in evening.settled for pot in settled.pots]
    assert sum(pot.rake for pot in pots) > 0
    assert not any(won.won_with == "award" for pot in pots for won in pot.winners)
    chips, taken = (
        evening.chips().chips,
        sum(settled.totals.house + settled.totals.meters for settled in evening.settled),
    )
    assert sum(chips.bought.values()) == sum(chips.behind.values()) + taken


def test_a_pot_taken_in_without_the_rake_is_held() -> None:
    evening = Evening(scenario("holdem.co"), rake=HouseRake("10"))
    assert any(pot.held for settled in evening.settled for pot in settled.pots)


@pytest.mark.parametrize(
    ("seats", "style", "reasons"),
    [
        (7, "", {"scramble-and-burn"}),
        (8, "", {"community"}),
        (8, "loose", {"community", "scramble-and-burn"}),
    ],
)
def test_a_full_table_of_stud_is_dealt_though_the_deck_runs_out(seats: int, style: str, reasons: set[str]) -> None:
    """47.1-1009(2): the last card and the burned ones by hand, or one card for everybody, and the pots are settled."""
    procedure, rounds = load_procedure("seven-card-stud.co"), []
    for _ in range(4):
        table = clean_round(procedure, range(1, seats + 1))
        rounds.append(table | {"players": [player | {"style": style} for player in table["players"]]})
    evening = Evening(scenario_of(procedure, rounds, seed=3, options={"ante": "yes"}))
    assert evening.codes == {"deck-runs-out"}
    assert {found.reason for found in evening.said if isinstance(found, Incident)} == reasons
    assert [round_.outcome for round_ in evening.rounds] == ["complete"] * 4
    assert not any(line.result == "held" for each in evening.settled for line in each.lines)
    assert not any(won.won_with == "award" for each in evening.settled for pot in each.pots for won in pot.winners)


def test_where_a_draw_takes_more_than_there_is_a_misdeal_is_called() -> None:
    procedure = load_procedure("draw.co")
    players = [{"seat": number, "choices": ["draw-3"]} for number in range(1, 9)]
    evening = Evening(scenario_of(procedure, [clean_round(procedure, range(1, 9)) | {"players": players}] * 2))
    assert [round_.outcome for round_ in evening.rounds] == ["misdeal"] * 2
    assert all(seat.returned == seat.wagers for round_ in evening.rounds for seat in round_.seats)


@pytest.mark.every(4)
@every_game
def test_without_a_style_everybody_checks_or_calls(name: str) -> None:
    evening = Evening(scenario(name, 2, styles=False))
    clean(evening, 2)
    assert all(seat.status == "live" for round_ in evening.rounds for seat in round_.seats)
    done = {action.action for round_ in evening.rounds for action in round_.actions}
    assert done <= {"check", "call"}


@pytest.mark.parametrize("name", CHOOSING)
def test_players_of_a_style_choose_by_chance(name: str) -> None:
    evening = Evening(scenario(name, 6))
    assert evening.codes == set()
    chosen = {seat.decisions or (seat.decision,) for round_ in evening.rounds for seat in round_.seats}
    assert len(chosen) > 1


def test_styles_differ_and_all_is_said_that_may_happen() -> None:
    """Raises, folds and all-ins, side pots and hands mucked, a straddle, chips bought again: in twenty-four hands."""
    evening = Evening(scenario("holdem.co", 24, seed=7))
    clean(evening, 24)
    done = [action for round_ in evening.rounds for action in round_.actions]
    assert {"bet", "call", "raise", "check", "fold", "all-in"} <= {action.action for action in done}
    raises = {number: sum(each.action == "raise" for each in done if each.seat == number) for number in SEATS}
    assert raises[2] > raises[4]  # aggressive, tight
    assert any(len(settled.pots) > 1 for settled in evening.settled)
    assert any("straddle" in seat.wagers for round_ in evening.rounds for seat in round_.seats)
    assert any(cents > 4_000 * number for number, cents in evening.chips().chips.bought.items())
    assert any(action.step == "river-betting" for action in done)
    assert [round_.button for round_ in evening.rounds] == [*SEATS] * 6


def test_the_same_seed_gives_the_same_evening() -> None:
    first, again, other = (Evening(scenario("omaha.co", 3, seed=seed)).rounds for seed in (5, 5, 6))
    assert [round_.actions for round_ in first] == [round_.actions for round_ in again]
    assert [round_.actions for round_ in first] != [round_.actions for round_ in other]


@pytest.mark.parametrize(
    ("name", "options", "posted"),
    [
        ("holdem.co", {"ante": "yes"}, {"ante", "small-blind", "big-blind"}),
        ("seven-card-stud.co", {"ante": "yes", "bring-in": "low-card"}, {"ante"}),
        ("home-run.co", {"form": "ante"}, {"ante", "strike-out"}),
        ("home-run.co", {"form": "blind"}, {"strike-out", "small-blind", "big-blind"}),
    ],
)
def test_what_is_put_up_goes_by_the_options(name: str, options: dict[str, str], posted: set[str]) -> None:
    evening = Evening(scenario(name, 2, options=options, styles=False))
    clean(evening, 2)
    acted = {bet.name for bet in load_procedure(name).bet if bet.placed == "by-action"}
    lay = [{bet for seat in round_.seats for bet in seat.wagers} - acted for round_ in evening.rounds]
    assert [bets - {"straddle"} for bets in lay] == [posted] * 2


def test_players_come_in_where_the_scenario_says_with_what() -> None:
    """A post is called, a dead post is not: every chip is settled, and no incident says that a blind is misplaced."""
    evening = Evening(scenario("holdem.co", 12, seed=3, posts={"post": 200, "dead-post": 100}))
    clean(evening, 12)
    lay = [seat.wagers for round_ in evening.rounds for seat in round_.seats if "post" in seat.wagers]
    assert lay
    assert all(wagers.get("dead-post", 0) <= 100 and "big-blind" not in wagers for wagers in lay)


def test_a_house_has_other_figures() -> None:
    evening = Evening(
        scenario("holdem.co", 1, styles=False, posts={"small-blind": 300, "big-blind": 500, "third-blind": 700})
    )
    clean(evening, 1)
    (round_,) = evening.rounds
    lay = {bet: cents for seat in round_.seats for bet, cents in seat.wagers.items()}
    assert (lay["small-blind"], lay["big-blind"], lay["third-blind"]) == (300, 500, 700)


# ------------------------------------------------------------------ what goes wrong


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("out-of-turn", "acted-out-of-turn"),
        ("string-bet", "string-bet"),
        ("short-call", "action-refused"),
        ("long-call", "apparent-call"),
        ("time-limit", "time-limit"),
    ],
)
@every_family
def test_what_a_player_does_wrong_is_put_right(name: str, what: str, code: str) -> None:
    """The error is on record, and the hand continues as the clause requires."""
    evening = Evening(scenario(name, troubles=[{"what": what, "action": 2}]))
    assert evening.codes - {"action-taken-back"} == {code}
    assert {round_.outcome for round_ in evening.rounds} == {"complete"}
    assert not any(line.result == "held" for each in evening.settled for line in each.lines)


@pytest.mark.every(4)
@pytest.mark.parametrize("reading", ["taken-back", "stands", "binds"])
@every_family
def test_what_the_floor_takes_back_was_never_done(name: str, reading: str) -> None:
    """An action out of turn, then the ruling, on the wire: the hand goes on as if nobody had acted."""
    troubles = [{"what": "withdrawn", "action": action} for action in (2, 5)]
    evening = Evening(scenario(name, troubles=troubles, options={"out-of-turn": reading}))
    assert evening.codes == {"acted-out-of-turn", "action-taken-back"}
    found = [each for round_ in evening.rounds for each in round_.incidents if each.code == "action-taken-back"]
    assert {each.reason for each in found} == {"ruled"}
    assert {round_.outcome for round_ in evening.rounds} == {"complete"}
    assert not any(line.result == "held" for each in evening.settled for line in each.lines)
    chips, pooled = evening.chips().chips, sum(each.totals.meters for each in evening.settled)
    assert sum(chips.bought.values()) == sum(chips.behind.values()) + pooled


@pytest.mark.parametrize("action", [2, 6])
@pytest.mark.parametrize("name", BOARDS)
def test_community_cards_that_come_too_early_go_back(name: str, action: int) -> None:
    """47.1-1021 returns the cards that came, not the one burned before them; 47.1-1025 keeps that one apart."""
    evening = Evening(scenario(name, styles=False, troubles=[{"what": "premature", "action": action}]))
    assert evening.codes == {"burned-early", "out-of-turn", "card-early", "cards-put-back"}
    assert {round_.outcome for round_ in evening.rounds} == {"complete"}
    assert not any(line.result == "held" for each in evening.settled for line in each.lines)


@every_family
def test_a_misdeal_gives_everything_back(name: str) -> None:
    evening = Evening(scenario(name, 2, troubles=[{"what": "misdeal-called", "packet": 3}]))
    assert [round_.outcome for round_ in evening.rounds] == ["misdeal"] * 2
    chips = evening.chips().chips
    assert chips.behind == chips.bought


@every_family
def test_with_faults_by_chance_the_table_goes_on(name: str) -> None:
    played = endless(scenario(name, 1), faults=1.0, seed=4)
    table = set_up(played, speed=20)
    heard = TableEvening(table)
    while sum(isinstance(seen.body, e.GameEnded) for seen in heard.seen) < 6:
        heard.step()
    judge = judge_of(name, {})
    said = [item for seen in heard.seen for item in judge.handle(seen)]
    assert sum(isinstance(item, RoundResult) for item in said) == 6
    assert any(isinstance(item, Incident) for item in said)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"players": [{"seat": 1, "wagers": {"small-blind": 100}}]}, "unknown key"),
        ({"players": [{"seat": 1, "style": "wild"}]}, "wild"),
        ({"players": [{"seat": 1}], "troubles": [{"what": "string-bet"}]}, "missing"),
        ({"players": [{"seat": 1}], "troubles": [{"what": "string-bet", "action": 0}]}, "1 to 200"),
        ({"players": [{"seat": 1}], "troubles": [{"what": "string-bet", "action": 2, "packet": 1}]}, "unknown key"),
    ],
)
def test_a_scenario_names_what_cannot_be(given: dict[str, Any], why: str) -> None:
    with pytest.raises(TomlFileError, match=why):
        scenario_of(load_procedure("holdem.co"), [given])


def test_where_the_house_banks_nobody_acts_in_turn() -> None:
    procedure = load_procedure("three-card.co")
    table = clean_round(procedure, [1, 2])
    with pytest.raises(TomlFileError, match="not one of"):
        scenario_of(procedure, [table | {"troubles": [{"what": "out-of-turn", "action": 1}]}])
    with pytest.raises(TomlFileError, match="posts"):
        scenario_of(procedure, [table], posts={"ante": 100})
    with pytest.raises(TomlFileError, match="house: only where players win a pot from each other"):
        scenario_of(procedure, [table], house={"rake": "5"})


@pytest.mark.parametrize(
    ("house", "why"),
    [
        ({"rake": "11"}, "house.rake: rake '11'; allowed: 0 to 10 percent"),
        ({"rake": "ten"}, "house.rake: rake 'ten'"),
        ({"jackpot_rake": 300}, "house.jackpot_rake: rake for a jackpot 300; allowed: 0 to 200 cents"),
        ({"readings": {"odd": "yes"}}, "house.readings: reading 'odd'"),
        ({"rake-cap": 100}, "house.rake-cap: unknown key"),
    ],
)
def test_a_house_takes_what_the_game_lets_it(house: dict[str, Any], why: str) -> None:
    procedure = load_procedure("holdem.co")
    with pytest.raises(TomlFileError) as said:
        scenario_of(procedure, [clean_round(procedure, [1, 2])], house=house)
    assert why in str(said.value)


@pytest.mark.every(4)
@pytest.mark.parametrize("reading", ["taken-back", "stands", "binds"])
@every_family
def test_who_acts_out_of_turn_plays_on_as_the_house_has_it(name: str, reading: str) -> None:
    """The dealer's own account of the chips is what the table settles."""
    troubles = [{"what": "out-of-turn", "action": action} for action in (2, 6)]
    evening = Evening(scenario(name, troubles=troubles, options={"out-of-turn": reading}))
    found = [each for round_ in evening.rounds for each in round_.incidents]
    taken = {each.reason for each in found if each.code == "action-taken-back"}
    assert "acted-out-of-turn" in evening.codes
    assert evening.codes <= {"acted-out-of-turn", "action-taken-back"}
    assert taken <= {"taken-back": {"free"}, "stands": set(), "binds": {"apart", "changed"}}[reading]
    assert {round_.outcome for round_ in evening.rounds} == {"complete"}
    assert not any(line.result == "held" for each in evening.settled for line in each.lines)
    chips, pooled = evening.chips().chips, sum(each.totals.meters for each in evening.settled)
    assert sum(chips.bought.values()) == sum(chips.behind.values()) + pooled
    awarded = [won for each in evening.settled for pot in each.pots for won in pot.winners]
    assert not any(won.won_with == "award" for won in awarded)
