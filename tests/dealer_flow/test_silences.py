"""If a section covers a case, no file claims that it does not; if a file claims so, it names what it follows instead.

`SPEAKS` was read from the text by hand, not from the files.
"""

import re
from collections.abc import Iterator
from typing import Final

from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.tables import WrongPart
from docs._print.clauses import single
from tests.support.reading.each import of_each
from tests.support.reading.wrong_cards_by_section import SPEAKS

COLORADO: Final = [name for name in known_procedures() if load_procedure(name).clause in SPEAKS]
NOTHING: Final = re.compile(r"\b(?:section|text) (?:says nothing|is silent|does not speak|names no)")
SILENT: Final = re.compile(
    r"says? nothing|silent|does not (?:say|speak|name)|names? (?:no|none)\b|says? no\b|leaves? open"
)
NAMED: Final = re.compile(r"47\.1-10\d\d|\(\d+\)|^\d+ ")
"""A clause: of the general rules, or a paragraph of the section."""


def whose(procedure: Procedure, row: WrongPart) -> str:
    sides = {hand.name: hand.side for hand in procedure.hand}
    return {"house": "dealer", "players": "seats", "community": "community"}.get(sides.get(row.of, ""), row.of)


def reason(procedure: Procedure, row: WrongPart) -> str:
    return next((option.reason for option in procedure.option if option.name == row.option), "")


def rows(procedure: Procedure) -> Iterator[tuple[tuple[str, str], WrongPart]]:
    for row in procedure.wrong:
        yield from (((whose(procedure, row), how), row) for how in row.how)


def test_every_colorado_game_is_looked_at() -> None:
    assert set(known_procedures()) - set(COLORADO) == {
        "flushes-gone-wild.sd",
        "flushes-gone-wild.wa",
        "race-to-the-flush",
    }
    assert {load_procedure(name).clause for name in COLORADO} == set(SPEAKS)


@of_each("name", COLORADO)
def test_where_the_section_speaks_the_file_cites_it(name: str) -> None:
    procedure = load_procedure(name)
    found = dict[tuple[str, str], set[tuple[str, str]]]()
    for about, row in rows(procedure):
        found.setdefault(about, set()).update(single(row.clause))
    there = {about: clause for about, clause in SPEAKS[procedure.clause].items() if about in found}
    assert {about for about, clause in there.items() if (procedure.clause, clause) not in found[about]} == set()
    dealt = {about[0] for about in found}
    up = all(getattr(step, "face", "up") == "up" for step in procedure.step)  # nothing to expose
    missing = {about for about in SPEAKS[procedure.clause].keys() - found.keys() if about[0] in dealt}
    in_time = {"early"} if procedure.device == "packet-shuffler" else set()  # all of a packet comes at once
    assert {about for about in missing if about[1] not in in_time and (about[1] != "exposed" or not up)} == set()


@of_each("name", COLORADO)
def test_no_file_says_that_the_section_says_nothing_where_it_speaks(name: str) -> None:
    procedure = load_procedure(name)
    spoken = SPEAKS[procedure.clause]
    wrong = {about for about, row in rows(procedure) if about in spoken and NOTHING.search(reason(procedure, row))}
    assert wrong == set()
    cited = {
        row.option
        for _, row in rows(procedure)
        if any(section == procedure.clause for section, _ in single(row.clause))
        and NOTHING.search(reason(procedure, row))
    }
    assert cited <= elsewhere(procedure)


def elsewhere(procedure: Procedure) -> set[str | None]:
    """Options that are also of rows of which the section does not speak, though it says who is called."""
    return {row.option for about, row in rows(procedure) if about not in SPEAKS[procedure.clause]}


@of_each("name", COLORADO)
def test_where_the_section_does_not_speak_no_row_cites_it(name: str) -> None:
    procedure = load_procedure(name)
    spoken = SPEAKS[procedure.clause]
    quiet = [(about, row.clause) for about, row in rows(procedure) if about not in spoken]
    own = [about for about, clause in quiet if any(section == procedure.clause for section, _ in single(clause))]
    assert own == []


@of_each("name", COLORADO)
def test_who_calls_a_text_silent_names_what_was_looked_at(name: str) -> None:
    reasons = {option.name: option.reason for option in load_procedure(name).option}
    assert {about for about, why in reasons.items() if SILENT.search(why) and not NAMED.search(why)} == set()
