"""The one table of incidents: every code has its words, and they rest on facts that such an incident has."""

import re
from pathlib import Path
from string import Formatter

import dealer_flow
from dealer_flow.play.machine.states import TRANSITIONS
from dealer_flow.play.order.order import RULES
from dealer_flow.record.catalogue import INCIDENTS, ORDER, REPORTS
from dealer_flow.record.incidents import Incident
from protocol.tdp import state_book
from tests.support.reading.each import of_each
from tests.support.reading.sentences import FACTS, HARMFUL, REPORTED

CASES = [
    (code, reason, template)
    for code, item in INCIDENTS.items()
    for reason, template in ({"": item.sentence} if isinstance(item.sentence, str) else item.sentence).items()
]


def test_every_code_has_facts_and_texts() -> None:
    assert FACTS.keys() == INCIDENTS.keys()
    assert all(text and isinstance(text, str) for item in INCIDENTS.values() for text in item[:3])
    assert all(template and isinstance(template, str) for _, _, template in CASES)


@of_each("code, reason, template", CASES)
def test_a_sentence_rests_on_facts_of_its_code(code: str, reason: str, template: str) -> None:
    """A fact that is always said is one that the incident always has; the others it may have."""
    facts = FACTS[code] if not reason else FACTS[code][reason]  # type: ignore[index]
    always = {name for name in facts.split() if not name.endswith("?")}
    known = {name.removesuffix("?") for name in facts.split()}
    for _, name, spec, _ in Formatter().parse(template):
        if name is not None and name != "order":
            assert name in Incident.__struct_fields__
            assert name in (known if set("|*") & set(spec or "") else always), name


def test_every_reason_of_the_order_of_play_has_words_that_rest_on_facts() -> None:
    rules = [rule for report in RULES.values() for rule in report]
    named = {name for rule in rules for name in (rule.guard, *rule.nearer)} - {"round_over"}
    waits = {row.guards[-1] for row in TRANSITIONS if row.trigger == "end_step"} - {"house_count_wrong"}
    assert ORDER.keys() == named | waits | {"ruled", "remainder_counted", "race_decided", "card_named", "extra_drawn"}
    assert ORDER.keys() == HARMFUL.keys()
    assert REPORTS.keys() == REPORTED.keys() == {kind.__name__ for kind in RULES}
    for template in (*ORDER.values(), *REPORTS.values()):
        assert {name for _, name, _, _ in Formatter().parse(template) if name} <= set(Incident.__struct_fields__)


def test_every_sentence_is_said() -> None:
    """Each reason is one that the flow gives, or that is given to it of what a device says twice."""
    parts = [part for part in Path(dealer_flow.__file__).parent.rglob("*") if part.suffix in (".py", ".toml")]
    parts.append(Path(state_book.__file__))
    source = "".join(part.read_text("utf-8") for part in parts if part.name != "incidents.toml")
    given = set(re.findall(r'"([a-z_-]+)"', source))
    assert {reason for _, reason, _ in CASES if reason} <= given


def test_cards_are_counted_as_a_person_does() -> None:
    said = [
        str(Incident(code="seat-count-wrong", clause="c", place="seat 1", counted=counted, expected=5))
        for counted in (0, 1, 2)
    ]
    assert [re.search(r"\d cards?\b", text)[0] for text in said] == ["0 cards", "1 card", "2 cards"]  # type: ignore[index]


def test_a_fact_that_is_not_there_is_a_question() -> None:
    assert str(Incident(code="seat-count-wrong", clause="c", counted=4, expected=5)).split()[0] == "?"


def test_facts_of_several_kinds_are_spelled() -> None:
    alone = Incident(code="side-bet-alone", clause="c", seat=2, bets=("blind", "envy"), bet="ante")
    assert "blind, envy" in str(alone)
    called = [Incident(code="misdeal-called", clause="c", reason="called", badge=badge) for badge in (None, 7)]
    assert ("7" in str(called[0]), "7" in str(called[1])) == (False, True)
    fault = Incident(code="jam", clause="c", device="device-1", fault=201)
    assert "feed jam (201)" in str(fault)
    ruled = Incident(code="ruled-on", clause="c", cause=fault)
    assert str(ruled).endswith(str(fault))


def test_a_line_of_an_older_version_is_said_by_its_code() -> None:
    old = '{"code":"faces-disagree","text":"seat 1 shows AH","clause":"c","place":"seat 1","fault":null,"events":[]}'
    line = f'{{"schema":"dealwire.incident/2","type":"incident",{old[1:]}'
    assert str(Incident.from_json(line)) == "faces-disagree"
