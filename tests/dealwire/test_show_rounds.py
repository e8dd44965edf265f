"""A round written out for a person: a line for what there is."""

import pytest

from dealer_flow.record.result import RoundResult
from dealwire.cli.show import round_lines
from dealwire.table.replay import replay
from tests.support.record_captures import CAPTURES


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
