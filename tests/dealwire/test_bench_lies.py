"""No field of a message is beyond the plans: a device that lies in one is named by a check, or a file says why none
can. `make test-lies` tells every lie."""

from enum import IntEnum

import pytest

from protocol.tdp.messages import ControllerState, ShoeState, ShufflerState
from tests.support.broken.lies import (
    DEVICES,
    Lie,
    is_told,
    lies_of,
    said_by,
    spoken,
    tell,
    told_lies,
    unnamed,
    why_unnamed,
)

SAMPLED = 120
"""Interval of the lies that the quick run tests."""


def lies(every: int) -> list[object]:
    return [
        pytest.param(device, lie, id=f"{device}-{lie.name.replace(' ', '-')}")
        for device in DEVICES
        for lie in list(lies_of(device))[::every]
    ]


def named(device: str, lie: Lie) -> None:
    if not is_told(device, lie):
        pytest.skip("not here: of this device what the lie says is true anyway")
    found = tell(device, lie)
    assert found.frames
    assert found.by or why_unnamed(device, lie), f"{lie.name}: {found.frames} frames lie, and no check names it"


@pytest.mark.every(15)
@pytest.mark.parametrize(("device", "lie"), lies(SAMPLED))
def test_a_lie_in_one_field_is_named(device: str, lie: Lie) -> None:
    named(device, lie)


@pytest.mark.slow
@pytest.mark.parametrize(("device", "lie"), lies(1))
def test_every_lie_in_one_field_is_named(device: str, lie: Lie) -> None:
    named(device, lie)


@pytest.mark.every(3)
@pytest.mark.parametrize("device", DEVICES)
def test_every_field_is_lied_about_or_a_file_says_why_not(device: str) -> None:
    told = {(lie.message, lie.field) for lie in told_lies(device)}
    silent = [
        lie.name for lie in lies_of(device) if (lie.message, lie.field) not in told and not why_unnamed(device, lie)
    ]
    assert silent == []


def test_no_reason_is_left_over() -> None:
    """Each key of the file is of a message, or a field, that a device of that kind has."""
    for part, reasons in unnamed().items():
        known = {
            (name, field.name)
            for each in DEVICES
            if part in (each, "any")
            for name, fields in said_by(each).items()
            for field in fields
        }
        for key, why in reasons.items():
            message, _, field = key.split(" ")[0].partition(".")
            assert any(message in ("*", name) and field in ("", own) for name, own in known), key
            assert why


def test_a_plan_makes_a_device_say_most_of_what_it_can() -> None:
    for device in DEVICES:
        assert len({message for message, _ in spoken(device)} & set(said_by(device))) >= 12


@pytest.mark.parametrize(
    ("device", "states"),
    [("shuffler", ShufflerState), ("shoe", ShoeState), ("table-controller", ControllerState)],
)
def test_a_plan_brings_a_device_into_every_state(device: str, states: type[IntEnum]) -> None:
    """Also into those that only people bring about: for each there is an act of hands."""
    been = {
        value for (_, field), values in spoken(device).items() if field in ("state", "previous") for value in values
    }
    assert been >= {int(state) for state in states}
