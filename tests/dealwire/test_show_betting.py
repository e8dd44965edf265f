"""The betting of a round and its pots, written out on the command line."""

from __future__ import annotations

import pytest

from dealer_flow.record.result import RoundResult
from dealwire.cli.show import RoundPrinter, round_lines
from dealwire.table.replay import replay
from tests.support.dealing.side_pot_hand import HAND, PokerTable
from tests.support.programs.record_captures import CAPTURES


def ended() -> PokerTable:
    table = PokerTable()
    for part in HAND:
        table.play(part)
    table.end()
    return table


def test_a_round_is_written_street_by_street(capsys: pytest.CaptureFixture[str]) -> None:
    table = ended()
    printer = RoundPrinter()
    for item in table.outcomes:
        printer(item)
    said = capsys.readouterr().out.splitlines()
    assert "  seat 5     ?? ??  folded  put in $0 of $180" in said, "nobody has shown them"
    assert "  seat 7     KS KD  put in $45 of $45" in said
    assert "  button     seat 1" in said
    assert "  flop       4 all-in with $14, 7 all-in with $39, 8 raises to $60, 1 calls $60" in said
    assert "  river      8 checks, 1 checks" in said
    assert "  taken in   seat 4 $79 of the main pot" in said
    assert said[-3:] == [
        "  main pot   $83 less $4 rake: seat 4 has $79, the high hand",
        "  side pot 1 $75: seat 7 has $75, the high hand",
        "  side pot 2 $82: seat 8 has $82, the high hand",
    ]


def test_a_held_pot_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    table = PokerTable()
    for part in HAND[:-1]:
        table.play(part)
    table.play(
        "show community: 2H 6C 9S 3D TD\nshow seat 8: QH QD\nshow seat 1: JC TC\nshow seat 7: KS KD\ntakes 4: 100"
    )
    table.end()
    printer = RoundPrinter()
    for item in table.outcomes:
        printer(item)
    assert "  main pot   $83: held, " in capsys.readouterr().out


def test_a_game_without_betting_has_no_line_of_it() -> None:
    (result, *_) = [item for item in replay(CAPTURES / "three-card.co.pcapng") if isinstance(item, RoundResult)]
    assert not [line for line in round_lines(result) if line.startswith(("  button", "  taken in")) or "put in" in line]
