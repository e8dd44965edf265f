"""Races dealt at the bench, in every dialect: what scenarios say is what happens, and files that cannot be played."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.rehearsal.race_dealer import stack
from dealwire.rehearsal.scenario import RaceScenario, Scenario
from dealwire.rehearsal.scenario_file import find_scenario, scenario_ids, shoe_scenario_ids
from dealwire.rehearsal.tables import RehearsedShoe, SimulatedTable, set_up
from devices import events as e
from devices.record.recording import CaptureWriter
from protocol.cards import DECK, Card
from protocol.tdp import messages as m
from protocol.tdp.messages import ShoeState
from protocol.tomlfile import TomlFileError
from tests.support.evenings.race_evenings import RaceEvening, unsigned
from tests.support.evenings.simulated_shoe import DIALECTS
from tests.support.evenings.table_evenings import TableEvening

# Scenario -> outcome and card at which each race ends (None: not decided), codes of the incidents; by dialect where
# they cannot say the same.
CLEAN: dict[str, list[tuple[str, int | None, set[str]]]] = {
    "race-5": [("complete", 5, set())],
    "race-11": [("complete", 11, set())],
    "race-16": [("complete", 16, set())],
    "race-17": [("complete", 17, set())],
    "race-no-flush": [("complete", 16, set())],
    "races": [("complete", 6, set()), ("complete", 13, set()), ("complete", 10, set())],
    "race-unread": [("complete", 11, {"device-fault", "card-unread", "card-named"})],
    "race-unnamed": [("unreliable", None, {"device-fault", "card-unread", "out-of-turn"}), ("complete", 8, set())],
    "race-overdraw": [("complete", 11, {"card-overdrawn"})],
}
SAID_BY_TWO: dict[str, list[tuple[str, int | None, set[str]]]] = {
    "race-cut-card": [("complete", 11, {"cut-card"}), ("complete", 7, {"cut-card"})],
    "race-error": [("complete", 11, {"device-fault"})],
    "race-noise": [("complete", 11, set())],
}


def told(evening: RaceEvening) -> list[tuple[str, int | None, set[str]]]:
    found = []
    for result in evening.rounds():
        assert result.draw is not None
        finish = result.draw.finish
        found.append((result.outcome, finish and finish.cards, {item.code for item in result.incidents}))
    return found


def drawn(evening: RaceEvening) -> list[Card]:
    return [body.card for body in evening.bodies(e.CardDrawn)]  # type: ignore[attr-defined]


@pytest.mark.parametrize("scenario", CLEAN)
def test_a_race_is_the_same_round_in_every_dialect(scenario: str) -> None:
    evenings = [RaceEvening(scenario, dialect).run() for dialect in DIALECTS]
    assert [told(evening) for evening in evenings] == [CLEAN[scenario]] * 3
    rounds = [[unsigned(result).to_json() for result in evening.rounds()] for evening in evenings]
    assert rounds[0] == rounds[1] == rounds[2]


@pytest.mark.parametrize("scenario", SAID_BY_TWO)
def test_what_only_two_dialects_can_say(scenario: str) -> None:
    evenings = [RaceEvening(scenario, dialect).run() for dialect in ("tdp", "angel-eye")]
    assert [told(evening) for evening in evenings] == [SAID_BY_TWO[scenario]] * 2
    rounds = [[unsigned(result).to_json() for result in evening.rounds()] for evening in evenings]
    assert rounds[0] == rounds[1]


def test_a_dialect_that_says_less_never_settles_more() -> None:
    assert told(RaceEvening("race-error", "bee-tek").run()) == [("unreliable", 11, {"device-fault"})]
    assert told(RaceEvening("race-noise", "bee-tek").run()) == [("unreliable", None, {"events-lost"})]
    # it names no shoe, so after the change of shoes a face comes twice
    first, second = told(RaceEvening("race-cut-card", "bee-tek").run())
    assert first == ("complete", 11, set())
    assert second == ("defective-deck", 7, {"duplicate-face"})


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("scenario", ["race-push-back", "race-early"])
def test_what_is_never_settled(scenario: str, dialect: str) -> None:
    assert [outcome for outcome, _, _ in told(RaceEvening(scenario, dialect).run())] == ["unreliable"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("scenario", shoe_scenario_ids())
def test_every_scenario_is_played_to_its_end_and_no_card_is_lost(scenario: str, dialect: str) -> None:
    evening = RaceEvening(scenario, dialect).run()
    table = evening.table
    assert len(evening.bodies(e.GameEnded)) == len(table.scenario.rounds)
    assert Counter([*table.shoe.cards, *table.shoe.drawn]) == Counter(DECK)
    assert table.shoe.state in (ShoeState.STANDBY, ShoeState.SHOE_END)


def test_the_dealer_names_the_card_that_lies_there() -> None:
    evening = RaceEvening("race-unread", "tdp").run()
    (shown,) = evening.bodies(e.HandRevealed)
    assert isinstance(shown, e.HandRevealed)
    assert shown.cards == (evening.table.shoe.drawn[2],)
    kinds = [type(body) for body in evening.bodies(e.CardUnread, e.BadgeSwiped, e.HandRevealed, e.ShoeErrorCleared)]
    assert kinds == [e.CardUnread, e.BadgeSwiped, e.HandRevealed, e.ShoeErrorCleared]


def test_money_is_moved_after_sixteen_cards_and_before_the_next() -> None:
    evening = RaceEvening("race-17", "angel-eye").run()
    order = evening.bodies(e.CardDrawn, e.WagerPlaced)
    (at,) = [n for n, body in enumerate(order) if isinstance(body, e.WagerPlaced) and body.bet == 43]
    assert sum(isinstance(body, e.CardDrawn) for body in order[:at]) == 16
    assert isinstance(order[at + 1], e.CardDrawn)
    assert evening.rounds()[0].seats[1].wagers == {"number-17": 300, "odd": 1000, "switch-hearts": 100}


def test_the_error_mode_comes_and_goes() -> None:
    evening = RaceEvening("race-error", "tdp").run()
    states = [body.state for body in evening.bodies(e.StateChanged) if isinstance(body, e.StateChanged)]
    at = states.index("ERROR")
    assert states[at - 1 : at + 2] == ["ROUND", "ERROR", "ROUND"]


def test_a_shoe_that_holds_the_count_takes_a_further_card_for_an_overdraw(tmp_path: Path) -> None:
    evening = RaceEvening(read(tmp_path, GOOD.replace("seed = 1", "seed = 1\nround_limit = 4")), "tdp").run()
    assert evening.bodies(e.Overdrawn)
    assert [outcome for outcome, _, _ in told(evening)] == ["unreliable"]


def test_a_card_drawn_while_the_shoe_is_locked(tmp_path: Path) -> None:
    text = GOOD + '[[rounds.troubles]]\nwhat = "locked"\ncard = 2\n'
    evening = RaceEvening(read(tmp_path, text), "angel-eye").run()
    assert len(evening.bodies(e.DrawWhileLocked)) == 1
    assert told(evening)[0][:2] == ("unreliable", 7)


def test_a_card_turned_back_midway_has_not_left_the_shoe(tmp_path: Path) -> None:
    text = GOOD + '[[rounds.troubles]]\nwhat = "pull-back"\ncard = 2\n'
    assert told(RaceEvening(read(tmp_path, text), "tdp").run()) == [("complete", 7, {"device-fault"})]


def test_the_first_cards_of_a_shoe_may_be_given(tmp_path: Path) -> None:
    text = GOOD.replace("ends = 7\n", "").replace("seed = 1", 'seed = 1\ncards = "AH 5H 9H JH KH 2C"')
    evening = RaceEvening(read(tmp_path, text), "bee-tek").run()
    assert [card.text for card in drawn(evening)] == ["AH", "5H", "9H", "JH", "KH"]


def test_the_same_seed_deals_the_same_cards_and_another_does_not(tmp_path: Path) -> None:
    once, again = (drawn(RaceEvening("races", "tdp").run()) for _ in range(2))
    assert once == again
    other = drawn(RaceEvening(read(tmp_path, GOOD.replace("seed = 1", "seed = 2")), "tdp").run())
    assert other != drawn(RaceEvening(read(tmp_path, GOOD), "tdp").run())


@pytest.mark.parametrize("ends", range(5, 18))
def test_a_stacked_shoe_ends_its_races_where_asked(tmp_path: Path, ends: int) -> None:
    scenario = read(tmp_path, GOOD.replace("ends = 7", f"ends = {ends}").replace("seed = 1", "seed = 1\ndecks = 2"))
    cards = stack(scenario, scenario.rounds, Random(ends))
    assert Counter(cards) == Counter([*DECK, *DECK])
    held: Counter[Any] = Counter()
    full = 0
    for number, card in enumerate(cards[:16], 1):
        held[card.text[1]] += 1
        full = full or (number if held[card.text[1]] == 5 else 0)
    assert (full or 17) == ends


# ------------------------------------------------------------------ files

GOOD = """
title = "t"
seed = 1
procedure = "race-to-the-flush"
[[rounds]]
ends = 7
[[rounds.players]]
seat = 2
wagers = { red = 5, number-17 = 10 }
"""


def read(folder: Path, text: str) -> RaceScenario:
    path = folder / "mine.toml"
    path.write_text(text)
    found = find_scenario(path)
    assert isinstance(found, RaceScenario)
    return found


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            GOOD.replace("-flush", "-flash"),
            "procedure: race-to-the-flash: no such procedure (did you mean race-to-the-flush?)",
        ),
        (
            GOOD.replace("seed = 1", "seed = 1\ndecks = 9"),
            ":4: decks: must be less than or equal to 8, not 9",
        ),
        (
            GOOD.replace("seed = 1", "seed = 1\ncut_after = 0"),
            ":4: cut_after: must be greater than or equal to 1, not 0",
        ),
        (
            GOOD.replace("seed = 1", "seed = 1\ncolour = 1"),
            ":4: colour: unknown key; allowed: procedure, title, seed, decks",
        ),
        (GOOD.replace("seed = 1", 'seed = 1\ncards = "AH XX"'), "cards: not a card: 'XX'; a card is a rank"),
        (GOOD.replace("seed = 1", 'seed = 1\ncards = "AH AH"'), "cards: AH 2 times; the shoe holds 1"),
        (GOOD.replace("seed = 1", 'seed = 1\ncards = "AH"'), "rounds[1].ends: the scenario's cards say it already"),
        (GOOD.replace("ends = 7", "ends = 4"), "rounds[1].ends: 4 is not a whole number from 5 to 17"),
        (GOOD.replace("red = 5", "rad = 5"), "rounds[1].players[1].wagers: 'rad' is not one of number-5"),
        (GOOD.replace("red = 5, number-17 = 10", ""), "rounds[1].players[1].wagers: a player needs at least one bet"),
        (
            GOOD + "switch = { switch-hearts = 11 }",
            "rounds[1].players[1].switch: at most 10 cents, the bet 'number-",
        ),
        (
            GOOD + "switch = { wands = 1 }",
            "rounds[1].players[1].switch: 'wands' is not one of switch",
        ),
        (GOOD + "[[rounds.players]]\nseat = 2\nwagers = { red = 5 }", "rounds[1].players: a round needs at least"),
        (GOOD + '[[rounds.troubles]]\nwhat = "packet"', "rounds[1].troubles[1].what: 'packet' is not one of unread,"),
        (GOOD + '[[rounds.troubles]]\nwhat = "unread"\ncard = 18', "troubles[1].card: 18 is not a whole number from 1"),
        (
            GOOD + '[[rounds.troubles]]\nwhat = "early"\ncard = 1',
            "rounds[1].troubles[1].card: unknown key; allowed:",
        ),
        (
            GOOD + '[[rounds.troubles]]\nwhat = "noise"\ncard = 1\nbytes = 4\ndevice = "shuffler"',
            "rounds[1].troubles[1].device: 'shuffler' is not one of shoe, table-controller",
        ),
    ],
)
def test_a_file_that_cannot_be_played_says_where_and_what_is_allowed(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(TomlFileError) as caught:
        read(tmp_path, text)
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path}/mine.toml:")
    assert "\n" not in str(caught.value)


def test_a_race_that_chance_does_not_give_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = read(tmp_path, GOOD.replace("ends = 7", "ends = 5"))
    monkeypatch.setattr("dealwire.rehearsal.race_dealer.TRIES", 1)
    with pytest.raises(
        TomlFileError, match=r"mine: rounds\[1\].ends: no race was found that ends after 5 cards; 52 are"
    ):
        stack(scenario, scenario.rounds, Random(1))


def test_a_scenario_is_found_by_its_name_whatever_its_device() -> None:
    assert not set(scenario_ids()) & set(shoe_scenario_ids())
    assert isinstance(find_scenario("clean-1"), Scenario)
    assert isinstance(set_up(find_scenario("clean-1")), SimulatedTable)
    assert isinstance(set_up(find_scenario("race-5"), shoe_dialect="bee-tek"), RehearsedShoe)
    with pytest.raises(TomlFileError, match=r"race-99: no such scenario; there are clean-1, .* and [0-9]+ more"):
        find_scenario("race-99")


def test_a_doubtful_card_in_a_recording_is_settled_only_where_the_table_believes_it(tmp_path: Path) -> None:
    scenario = find_scenario("race-5")
    assert isinstance(scenario, RaceScenario)
    table = RehearsedShoe(scenario, speed=20.0)
    recording = tmp_path / "doubtful.pcapng"
    with CaptureWriter(recording, procedure="race-to-the-flush") as writer:
        evening = TableEvening(table, writer=writer)
        say = table.shoe.say

        def doubting(event: type[m.Event], request: int = 0, **fields: Any) -> bool:
            return say(event, request, **fields | ({"confidence": 60} if event is m.CardDrawnMessage else {}))

        table.shoe.say = doubting  # type: ignore[method-assign]
        evening.run()
    for least, wanted in ([], "unreliable"), (["--least-confidence", "60"], "complete"):
        done = CliRunner().invoke(main, ["replay", str(recording), "--json", *least])
        lines = [json.loads(line) for line in done.output.splitlines()]
        assert [line["outcome"] for line in lines if line["type"] == "round"] == [wanted], done.output
        doubted = [line["confidence"] for line in lines if line.get("code") == "card-doubtful"]
        assert doubted == ([] if least else [60] * 5)
