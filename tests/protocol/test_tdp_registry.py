"""The registry of numbers is complete, its page fresh, and the declarations conform to it."""

import pytest

from docs._print import DOCS, registry
from protocol.faults import Fault
from protocol.tdp.messages import Capability, Component, DeviceMeter, Region
from protocol.tdp.outputs import SESSION_EXTENSION
from protocol.tdp.packets import PACKETS

PROTOCOL = {
    "message": [number for _, number in PACKETS],
    "extension": [SESSION_EXTENSION],
    "fault": [int(fault) for fault in Fault],
    "capability bit": [int(bit).bit_length() - 1 for bit in Capability],
    "meter, component or region": [int(one) for names in (DeviceMeter, Component, Region) for one in names],
}


def test_the_page_is_fresh() -> None:
    assert registry.pages() == {registry.PAGE: (DOCS / registry.PAGE).read_text(encoding="utf-8")}, "run make docs"


@pytest.mark.parametrize("of", PROTOCOL)
def test_what_is_declared_lies_in_the_protocols_own_ranges(of: str) -> None:
    own = [one for one in registry.registry()["range"] if one["of"] == of and one["owner"].startswith("the protocol")]
    assert all(any(one["first"] <= number <= one["last"] for one in own) for number in PROTOCOL[of])


def test_the_ranges_end_where_their_fields_do() -> None:
    ends = {one["of"]: one["last"] for one in registry.registry()["range"]}
    assert ends == {
        "message": 0xFFFF,
        "extension": 0xFF,
        "fault": 0xFFFF,
        "capability bit": 31,
        "meter, component or region": 255,
    }


def test_makers_share_no_message() -> None:
    assert registry.messages_of(0) == (0x8000, 0x80FF)
    assert registry.messages_of(126) == (0xFE00, 0xFEFF)
