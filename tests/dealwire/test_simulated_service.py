"""`dealwire run` without a file: a healthy table whose meter moves, faults at the requested rate, and buttons that get
an answer about their effect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dealwire.hub.actions import Action
from dealwire.hub.hub import Hub, Request
from dealwire.service.actions import faults, offered
from dealwire.service.service import Service
from dealwire.service.simulated import METER_CENTS, simulated_table
from tests.support.rigs.serving import Listener, run_until

SPEED = 100.0


@contextmanager
def served(scenario: str, rate: float | None = None) -> Iterator[tuple[Service, Listener]]:
    with simulated_table(scenario, rate, SPEED) as simulated:
        hub = Hub()
        listener = Listener(hub)
        with Service(simulated.configuration, hub) as service:
            service.simulate("simulated", simulated.bench)
            yield service, listener


def outcomes(listener: Listener) -> list[str]:
    return [line["outcome"] for line in listener.of("round")]


def test_the_usual_table_is_healthy_and_its_meter_moves_with_the_bets() -> None:
    with served("evening") as (service, listener):
        run_until(service, lambda: len(outcomes(listener)) >= 5)
        view = service.hub.views()["simulated"]
    assert {*outcomes(listener)} == {"complete"}
    assert not listener.of("incident")
    assert {line["status"] for line in listener.of("settlement")} == {"settled"}
    assert view.meters["meter"] > METER_CENTS
    assert len(view.seats) == 7


def test_the_demo_tells_its_faults_and_a_rate_takes_their_place() -> None:
    with served("demo") as (service, listener):
        run_until(service, lambda: len(outcomes(listener)) >= 3)
    assert outcomes(listener)[2] == "misdeal"
    with served("demo", 0.0) as (service, listener):
        run_until(service, lambda: len(outcomes(listener)) >= 3)
    assert {*outcomes(listener)} == {"complete"}


@pytest.mark.parametrize("scenario", ["races", "mine"])
def test_a_shoe_is_served_too(scenario: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'title = "t"\nseed = 1\nprocedure = "bonus-6.co"\n[[rounds]]\n[[rounds.players]]\nseat = 2\nwagers.ante = 500\n'
    )
    with served(str(file) if scenario == "mine" else scenario) as (service, listener):
        run_until(service, lambda: len(outcomes(listener)) >= 5)
        assert {device.name for device in service.hub.views()["simulated"].devices} == {"shoe", "table-controller"}
        refused = hub_answer(service, faults()[0], {"packet": "0"})
    assert "only a table with a packet shuffler can do this" in refused


def hub_answer(service: Service, action: Action, given: dict[str, str]) -> str:
    asked = service.hub.ask(Request("simulated", action.does, action.read(given), action.roles[-1]))
    run_until(service, asked.done)
    return str(asked.exception() or asked.result())


@pytest.mark.more
def test_every_button_is_taken_by_the_real_service_and_rounds_go_on() -> None:
    """Each button is pressed once, with its default values, in any state of the table; a lock is unlocked next."""
    with served("evening") as (service, listener):
        session = service.tables["simulated"]
        run_until(service, lambda: len(outcomes(listener)) >= 1)
        buttons = {each.id: each for each in (*offered(session.part.device, session.table.flow.procedure), *faults())}
        for button in buttons.values():
            given = {each.name: each.default or ("7" if each.name == "badge" else "text") for each in button.fields}
            before = len(outcomes(listener))
            why = button.available(service.hub.views()["simulated"])
            answer = hub_answer(service, button, given)
            assert button.taken == ("scheduled" if button.bench else "done")
            assert why or answer
            if button.does != "lock":
                run_until(service, lambda: len(outcomes(listener)) >= before + 1)  # noqa: B023
    assert len(outcomes(listener)) >= len(buttons) - 1
