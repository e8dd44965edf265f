"""A round written out for a person: a line for what there is."""

import pytest

from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.cli.show import RoundPrinter, round_lines
from dealwire.table.replay import replay
from tests.support.programs.record_captures import CAPTURES


@pytest.mark.parametrize(
    ("capture", "begins"),
    [
        ("flushes-gone-wild.wa", "  community  "),
        ("three-card.co", "  dealer     "),
        ("boston-5.co", "  dealer     "),
        ("bonus-6.co", "  community  "),
        ("3-5-7.co", "  burned     ??"),
    ],
)
def test_a_game_without_a_community_has_no_line_of_it(capture: str, begins: str) -> None:
    rounds = [item for item in replay(CAPTURES / f"{capture}.pcapng") if isinstance(item, RoundResult)]
    assert rounds[0].outcome == "complete"
    assert round_lines(rounds[0])[0].startswith(begins)


def test_one_card_is_no_cards() -> None:
    rounds = [item for item in replay(CAPTURES / "bonus-6.co.pcapng") if isinstance(item, RoundResult)]
    assert "??  dead  1 card instead of 2  returned" in "\n".join(round_lines(rounds[1]))


@pytest.mark.parametrize("live", [False, True])
def test_an_incident_stands_under_the_heading_of_its_round(capsys: pytest.CaptureFixture[str], live: bool) -> None:
    items = [*replay(CAPTURES / "bonus-6.co.pcapng")]
    printer = RoundPrinter(live=live)
    for item in items:
        printer(item)
    printer.end()
    blocks = [block.splitlines() for block in capsys.readouterr().out.strip().split("\n\n")]
    expected = []
    for one in (item for item in items if isinstance(item, RoundResult)):
        heading, written = (
            f"Round {one.round} at {one.table}: {one.outcome}",
            [incident_line(it) for it in one.incidents],
        )
        if live:
            expected += [["In the current round:", *written]] if written else []
            expected.append([heading])
        else:
            expected.append([heading, *written])
    assert [block[:1] + [line for line in block if line.startswith("  ! ")] for block in blocks] == expected
    assert any(len(block) > 1 for block in expected)


def incident_line(item: Incident) -> str:
    return f"  ! {item.text}  [{item.clause}]"


def test_an_incident_of_a_round_that_never_ended_is_not_lost(capsys: pytest.CaptureFixture[str]) -> None:
    items = [item for item in replay(CAPTURES / "bonus-6.co.pcapng") if isinstance(item, Incident)]
    printer = RoundPrinter()
    printer(items[0])
    assert capsys.readouterr().out == ""
    printer.end()
    printer.end()
    assert capsys.readouterr().out == f"\nIn a round that did not finish:\n{incident_line(items[0])}\n"
