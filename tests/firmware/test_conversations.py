"""The published conversations with the reference device in C: its output is exact, regardless of chunk boundaries."""

from typing import Any

import pytest

from firmware.same.steps import devices_of, play_in_c
from tests.support.reading.conversations import CONVERSATIONS, WAYS, hold_device, script_of
from tests.support.reading.vectors import name_of
from tests.support.rigs.firmware import make

pytestmark = pytest.mark.firmware


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    make("host")


# It keeps small events in their own size, so more of them than the 256 of which the conversation `gap` loses one. What
# it says when its memory is full, firmware/checks tries.
CASES = [pytest.param(each, id=name_of(each)) for each in CONVERSATIONS if each["name"] != "gap"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("conversation", CASES)
def test_the_device_in_c_sends_what_stands_there(conversation: dict[str, Any], way: str) -> None:
    script, _, _ = script_of(conversation, way)
    (said,) = play_in_c([script], devices_of())
    hold_device(conversation, way, said)
