"""A table whose unsigned readings wait: the first money of one is held until a supervisor releases it, and no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from dealwire.config.load import examined
from dealwire.hub.hub import Request
from dealwire.hub.view import HeldView
from dealwire.service.service import Service
from tests.support.rigs.serving import compared, opened, run_until, simulators_here, write_configuration

NAME = "table-1"
WAITS = 'limit-cents = 10000\nunsigned-readings = "wait"\n'
SIGNED = '[[table.signed]]\nby = "J. Doe"\non = "2026-11-29"\nreadings = { wild-kicker = "highest-absent" }\n'


def invoked(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def held(service: Service) -> list[HeldView]:
    """Rounds of which a reading holds something."""
    views = service.hub.views()
    return [each for each in views[NAME].held if each.readings] if NAME in views else []


def by(lines: list[dict[str, Any]], reading: str, after: int) -> list[str]:
    """Return the results of lines in rounds after `after` that a reading decides."""
    found = (line for each in lines if each["round"] > after for line in each["lines"])
    return [line["result"] for line in found if line.get("reading") == reading]


@pytest.mark.more
def test_the_first_money_of_an_unsigned_reading_waits_and_the_next_does_not_also_over_a_restart(tmp_path: Path) -> None:
    with simulators_here(seed=5) as addresses:
        file = write_configuration(tmp_path, addresses, more=WAITS)
        service, listener = opened(file)
        with service:
            run_until(service, lambda: bool(held(service)))
            first = held(service)[0]
            (reading, *_) = first.readings
            assert reading in ("natural", "wild-kicker")
            assert f"{reading} " in first.why
            assert "that reading is not signed" in first.why
            assert set(by(listener.of("settlement"), reading, 0)) == {"held"}
            which = {"entry": first.entry, "session": first.session, "round": first.round, "badge": 7}
            answer = service.hub.ask(Request(NAME, "release-held", which, "supervisor", "127.0.0.1"))
            run_until(service, answer.done)
            assert f"from now on bets decided by {reading} are settled here" in answer.result()
            rounds = len(listener.of("round"))
            run_until(service, lambda: len(listener.of("round")) > rounds + 2)  # it was kept since
            last = max(line["round"] for line in listener.of("round"))
            run_until(service, lambda: len(listener.of("round")) > rounds + 12)
            assert "held" not in by(listener.of("settlement"), reading, last)
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("settlement")) > 8)
            assert "held" not in by(listener.of("settlement"), reading, last)
    comparison = compared(tmp_path)
    assert (comparison.difference, comparison.snapshots > 0) == (None, True), "and when the record is dealt again"


def test_a_signature_of_the_tables_file_is_in_the_settlement_and_nothing_of_it_waits(tmp_path: Path) -> None:
    with simulators_here(seed=5) as addresses:
        file = write_configuration(tmp_path, addresses, more=WAITS + SIGNED)
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("settlement")) > 8)
            settlements = listener.of("settlement")
            assert all(each["signed"] == {"wild-kicker": "J. Doe, 2026-11-29"} for each in settlements)
            assert by(settlements, "wild-kicker", 0) == []


def test_a_signature_of_no_reading_is_one_line_with_its_key(tmp_path: Path) -> None:
    at = {"shuffler": "/dev/ttyS8", "table-controller": "/dev/ttyS9"}
    text = SIGNED.replace("wild-kicker", "wild-kickers")
    _, faults = examined(write_configuration(tmp_path, [at], more=WAITS + text))
    (fault,) = faults
    assert "table[1].signed: signed reading 'wild-kickers'; allowed: natural, wild-kicker" in str(fault)


def test_the_check_of_a_table_says_which_readings_are_unsigned(tmp_path: Path) -> None:
    at = {"shuffler": "/dev/ttyS8", "table-controller": "/dev/ttyS9"}
    for more, says in (
        ("limit-cents = 10000\n", "settled by its own game;"),
        (
            WAITS,
            "unsigned: natural, wild-kicker, jackpot-hand, envy-trigger, folded-envy, meter-order, which wait for a",
        ),
        ("limit-cents = 10000\n" + SIGNED, "unsigned: natural, jackpot-hand, envy-trigger, folded-envy, meter-order;"),
    ):
        file = write_configuration(tmp_path, [at], more=more)
        assert says in invoked("run", "--check", str(file)).output


def test_the_check_of_a_house_s_game_says_which_readings_are_unsigned(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    block = SIGNED.replace("table.signed", "signed").replace('wild-kicker = "highest-absent"', 'folded-trips = "loses"')
    file.write_text('schema = "dealwire.game/3"\nid = "house"\nbase = "high-five.co"\n' + block)
    found = invoked("check", str(file))
    assert found.exit_code == 0
    assert f"{file}: a game, valid" in found.output
    assert f"{file}: warning: unsigned readings: folded-play-blind" in found.stderr
