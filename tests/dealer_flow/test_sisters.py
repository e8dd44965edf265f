"""A sister file deals its game another way, and only that: what is chosen, shown, set and settled is as in its base."""

from typing import Any

import pytest

from dealer_flow.games import files_of
from dealer_flow.procedure.layers import compose
from dealer_flow.procedure.load import known_procedures, load_procedure

WAYS = ("-single", "-hand")
SISTERS = [name for name in known_procedures() if name.endswith(WAYS)]
SAYS_SO = {
    ("3-5-7.co-hand", "five-card-game"): {"of"},  # the four cards are one hand: its first two, and its last two
    ("3-5-7.co-hand", "showdown"): {"order"},
    ("caribbean-stud.co-single", "up-card"): {"which"},  # the fifth card dealt, not the bottom one of a packet
}
"""Sister and step -> keys that differ, each with a comment in the file that says why."""


def base_of(name: str) -> str:
    """The game it is a sister of."""
    return name.rpartition("-")[0]


def undealt(name: str) -> dict[str, dict[str, Any]]:
    """The steps by which no card moves from the deck, in their order, by name."""
    steps = load_procedure(name).step
    return {step.name: step.model_dump() for step in steps if not step.deals and step.do != "burn"}


def differences(base: dict[str, dict[str, Any]], sister: dict[str, dict[str, Any]]) -> dict[str, set[str]]:
    """Step -> what differs in it; under no name what the steps are and how they follow."""
    found = {} if [*base] == [*sister] else {"": {"order"}}
    for name in base.keys() & sister.keys():
        keys = {key for key in base[name] | sister[name] if base[name].get(key) != sister[name].get(key)}
        if keys:
            found[name] = keys
    return found


def test_the_sisters_are_known() -> None:
    assert len(SISTERS) >= 14
    for name in SISTERS:
        layers = compose(files_of("deal")[name].read_text("utf-8"), str(files_of("deal")[name])).layers
        assert base_of(name) in [layer.named for layer in layers]


@pytest.mark.parametrize("name", SISTERS)
def test_a_sister_differs_in_its_deal_alone(name: str) -> None:
    """The clause of a step too: who cites another one means another thing."""
    said = {step: keys for (sister, step), keys in SAYS_SO.items() if sister == name}
    assert differences(undealt(base_of(name)), undealt(name)) == said


@pytest.mark.parametrize(("name", "step"), SAYS_SO)
def test_what_differs_has_its_reason_in_the_file(name: str, step: str) -> None:
    text = files_of("deal")[name].read_text("utf-8")
    own = text.partition(f'name = "{step}"')[2].partition("[[")[0]
    assert "#" in own


def test_a_drift_is_found() -> None:
    """The checks can fail: a choice more, another order of showing, a step that is gone."""
    base = undealt("three-card.co")
    for step, key, value in (
        ("choice", "choices", ("fold", "play", "check")),
        ("showdown", "order", ("seats", "dealer")),
        ("showdown", "from_", "dealer-left"),
        ("choice", "clause", "mine"),
    ):
        drifted = base | {step: base[step] | {key: value}}
        assert differences(base, drifted) == {step: {key}}
    assert differences(base, {"showdown": base["showdown"]}) == {"": {"order"}}
    assert differences(base, dict(reversed(base.items()))) == {"": {"order"}}
