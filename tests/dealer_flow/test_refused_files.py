"""Procedure files with a mistake in them, and everything that is said of it, line by line: `refused-files.txt`.

== flushes-gone-wild.co: nine seats           a printed procedure as one file, and the mistake
- most = 8                                    these lines of it, wherever they stand first
+ most = 9                                    are these instead; without a `-` line they are added at the end
  15: seats.most: 9 seats need ...            what is said, all of it, with the line
== three-card.co, alone: a base misspelt      the file without what it stands on
"""

from pathlib import Path

import pytest

from dealer_flow.games import files_of
from dealer_flow.procedure.layers import PARTS
from dealer_flow.procedure.load import check_procedure, whole_text
from tests.support.reading.refusals import check_refusal
from tests.support.reading.transcripts import Transcript, transcripts

CASES = transcripts(Path(__file__).with_name("refused-files.txt"))


def refused(case: Transcript, at: Path) -> list[str]:
    """Everything that is wrong with the file of this case."""
    name, _, alone = case.head.partition(": ")[0].partition(", ")
    text = files_of("deal")[name].read_text(encoding="utf-8") if alone else whole_text(name)
    old, new = ("\n".join(line[2:] for line in case.lines if line.startswith(sign)) for sign in "-+")
    assert old in text, f"{old!r} does not stand in the file"
    at.write_text(text.replace(old, new, 1) if old else f"{text}{new}\n", encoding="utf-8")
    faults = check_procedure(at)
    for fault in faults:
        check_refusal(fault)
    return [str(fault).removeprefix(f"{at}:").removeprefix(f"{PARTS.parent}/") for fault in faults]


@pytest.mark.every(3)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_file_is_refused_line_by_line(case: Transcript, tmp_path: Path) -> None:
    said = [line.removeprefix("  ") for line in case.lines if line.startswith("  ")]
    assert said
    assert refused(case, tmp_path / "mine.toml") == said
