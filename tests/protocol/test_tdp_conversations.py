"""The published conversations at our two ends: each sends exactly its steps, regardless of chunk boundaries."""

import re
from typing import Any

import pytest

from docs._print import DOCS
from firmware.same.in_python import BENCHES, play_in_python
from protocol.message import message_name
from tests.support.reading.conversations import CONVERSATIONS, WAYS, HostEnd, hold_device, read, script_of, wire_of
from tests.support.reading.vectors import name_of

OUTCOMES = {"gap": [(1, 44)]}
"""Events that a host reports as lost, by conversation."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=name_of)
def test_the_host_sends_what_stands_there(conversation: dict[str, Any], way: str) -> None:
    end = HostEnd(conversation, way)
    end.play()
    end.hold()
    assert [(lost.first, lost.last) for lost in end.lost] == OUTCOMES.get(conversation["name"], [])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=name_of)
def test_the_simulated_device_sends_what_stands_there(conversation: dict[str, Any], way: str) -> None:
    script, _, _ = script_of(conversation, way)
    hold_device(conversation, way, play_in_python(script))


@pytest.mark.parametrize("sender", ["host", "device"])
@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=name_of)
def test_a_step_that_is_missing_or_otherwise_is_noticed(conversation: dict[str, Any], sender: str) -> None:
    """An end's output is compared with the conversation without its last step, and with other bytes in that step."""
    steps = conversation["steps"]
    end = HostEnd(conversation, "whole")
    end.play()
    said = play_in_python(script_of(conversation, "whole")[0])
    at, *_, before = [
        at for at in reversed(range(len(steps))) if steps[at]["from"] == sender and "other" not in steps[at]
    ]
    for instead in ([], [steps[at] | {"bytes": steps[before]["bytes"], "free": []}]):
        end.conversation = {**conversation, "steps": [*steps[:at], *instead, *steps[at + 1 :]]}
        with pytest.raises(AssertionError):
            end.hold() if sender == "host" else hold_device(end.conversation, "whole", said)


def test_what_they_are_about_is_in_them() -> None:
    """The table of protocol-data.md names each, and each describes every frame."""
    page = (DOCS / "protocol-data.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `([^`]+)` \| ", page.partition("| name | about |")[2], re.MULTILINE)
    assert named == [conversation["name"] for conversation in CONVERSATIONS]
    for conversation in CONVERSATIONS:
        assert conversation["device"] in BENCHES
        assert all(step["what"] for step in conversation["steps"])
        for step in conversation["steps"]:
            if "bytes" in step:
                assert step["message"] == message_name(type(read(wire_of(step)).message))
