"""The simulated table survives every button of its console, at any time: a next round is dealt."""

from collections.abc import Iterator
from random import Random
from typing import Final

import pytest

from dealer_flow.procedure.load import load_procedure
from dealwire.rehearsal.scenario import endless
from dealwire.rehearsal.scenario_file import clean_scenario
from tests.support.evenings.buttons import Press, PressedTable, presses

GAMES: Final = ("flushes-gone-wild.co", "ultimate-texas-holdem.co", "bonus-6.co", "race-to-the-flush")
"""Packets of one size, groups of packets, single cards from a shoe, races from one."""


def table_of(procedure: str, seed: int = 1) -> PressedTable:
    scenario = clean_scenario(load_procedure(procedure), range(1, 4))
    return PressedTable(endless(scenario, seed=seed), procedure)


def moments_of(procedure: str) -> list[tuple[str, str]]:
    """Every state of a round together with every state of the dealing device in it, in order."""
    table, found = table_of(procedure), dict[tuple[str, str], None]()
    while table.rounds < 3:
        table.step()
        if table.rounds:
            found.setdefault(table.moment)
    return [*found]


def fewest(procedure: str) -> list[tuple[str, str]]:
    """Moments in which every state of the round comes, and every state of the device."""
    seen, found = set[tuple[int, str]](), []
    for moment in moments_of(procedure):
        if not seen.issuperset(enumerate(moment)):
            seen.update(enumerate(moment))
            found.append(moment)
    return found


def every_press(procedure: str) -> Iterator[Press]:
    """Every button with every choice of its fields; what is locked is unlocked by `survives`."""
    for action in table_of(procedure).actions():
        if action.does != "unlock":
            yield from presses(action)


def survives(table: PressedTable, press: Press, at: str) -> None:
    """Press it; rounds are dealt all the same, once what was locked is unlocked."""
    said = table.press(press)
    if press.action.does == "lock":
        table.run(lambda: False, limit_s=2)
        unlock = next(action for action in table.actions() if action.does == "unlock")
        assert not table.press(Press(unlock, {}))
    before = table.rounds - (table.moment[0] == "betting")
    assert table.run(lambda: table.rounds > before + 1), f"{press} at {at} ({said or 'taken'}): {table.moment} for ever"


def walk(procedure: str, pressed: list[tuple[tuple[str, str], Press]], seed: int) -> None:
    """Press one after the other at one table, each at its moment."""
    table = table_of(procedure, seed)
    for moment, press in pressed:
        table.run(lambda: table.moment == moment)  # noqa: B023
        survives(table, press, " ".join(table.moment))


@pytest.mark.every(2)
@pytest.mark.parametrize("procedure", GAMES)
def test_a_next_round_is_dealt_whatever_is_pressed_somewhere(procedure: str) -> None:
    random = Random(procedure)
    moments, possible = moments_of(procedure), [*every_press(procedure)]
    walk(procedure, [(random.choice(moments), random.choice(possible)) for _ in range(12)], 1)


@pytest.mark.more
@pytest.mark.parametrize("procedure", [GAMES[0], *GAMES[2:]])
def test_a_next_round_is_dealt_whatever_is_pressed_in_every_state_of_a_round(procedure: str) -> None:
    """Each button in each state of the round and in each of the dealing device, with fields drawn by chance."""
    random, possible = Random(procedure), [*every_press(procedure)]
    of_action = {
        press.action.id: [each for each in possible if each.action.id == press.action.id] for press in possible
    }
    walk(procedure, [(moment, random.choice(each)) for moment in fewest(procedure) for each in of_action.values()], 2)


@pytest.mark.slow
@pytest.mark.parametrize("procedure", [*GAMES, "pai-gow.co", "longhorn.co", "flushes-gone-wild.wa", "pai-gow.co-hand"])
def test_every_button_with_every_choice_in_every_state(procedure: str) -> None:
    for moment in moments_of(procedure):
        walk(procedure, [(moment, press) for press in every_press(procedure)], 3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_many_buttons_at_once(seed: int) -> None:
    """People press in a hurry, several times within a round."""
    random = Random(seed)
    procedure = GAMES[seed % len(GAMES)]
    table, possible = table_of(procedure, seed), [*every_press(procedure)]
    unlocks = [Press(action, {}) for action in table.actions() if action.does == "unlock"]
    for _ in range(60):
        for press in random.sample(possible, random.randint(1, 5)):
            table.press(press)
            table.run(lambda: False, limit_s=random.random())
        table.run(lambda: False, limit_s=15)  # a line that stands still for ten seconds says all it has
        for unlock in unlocks:
            table.press(unlock)
        before = table.rounds
        assert table.run(lambda: table.rounds > before + 1), f"seed {seed}: {table.moment} for ever"  # noqa: B023


@pytest.mark.parametrize("procedure", ["flushes-gone-wild.co", "bonus-6.co"])
def test_what_is_locked_stays_locked_until_it_is_unlocked(procedure: str) -> None:
    table = table_of(procedure)
    shown = {action.does: action for action in table.actions()}
    assert table.run(lambda: table.rounds == 1)
    while table.press(Press(shown["lock"], {})) or "LOCKED" not in table.moment[1]:
        table.step()
    before = table.rounds
    assert not table.run(lambda: table.rounds > before + 1)
    table.press(Press(shown["unlock"], {}))
    assert table.run(lambda: table.rounds > before + 2)


def test_a_lamp_lit_before_the_first_packet_is_put_out_and_the_round_dealt() -> None:
    table = table_of("flushes-gone-wild.co")
    lamp = next(action for action in table.actions() if action.does == "call-misdeal")
    assert table.run(lambda: table.moment == ("dealing", "READY"))
    assert not table.press(Press(lamp, {}))
    assert table.run(lambda: table.moment == ("dealing", "MISDEAL"))
    assert table.run(lambda: table.rounds == 1)
    assert table.table.outcomes == {"complete": 1}, "the lamp alone decides nothing"


def test_a_deal_that_somebody_ends_from_the_console_is_a_misdeal_at_the_table() -> None:
    table = table_of("flushes-gone-wild.co")
    shown = {action.does: action for action in table.actions()}
    assert table.run(lambda: table.moment == ("dealing", "PACKET_WAIT"))
    table.press(Press(shown["call-misdeal"], {}))
    assert table.run(lambda: table.moment[1] == "MISDEAL")
    table.press(Press(shown["clear-misdeal"], {"badge": "7", "resolution": "end the deal"}))
    assert table.run(lambda: table.rounds == 2)
    assert table.table.outcomes == {"misdeal": 1, "complete": 1}


def test_a_wrong_game_on_the_display_is_set_right_before_cards_are_dealt() -> None:
    table = table_of("ultimate-texas-holdem.co")
    select = next(action for action in table.actions() if action.does == "select-game")
    assert table.run(lambda: table.rounds == 1 and table.moment[1] == "READY")
    given = {"packet-size": "4", "cards": "52", "jokers": "0", "game": "Another"}
    assert not table.press(Press(select, given))
    assert table.run(lambda: table.rounds == 3)
    assert table.table.outcomes == {"complete": 3}
