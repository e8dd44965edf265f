"""Every report of the three shoes becomes the right event, and one occurrence the same event in all of them."""

from typing import Any

import pytest

from devices import events as e
from devices.dialects import angel_eye, bee_tek, shoe
from devices.dialects.angel_eye import AngelEyeShoe
from devices.dialects.bee_tek import BeeTekShoe
from devices.dialects.shoe import ShoeDriver
from protocol.angel_eye import messages as am
from protocol.bee_tek import messages as bm
from protocol.faults import Fault
from protocol.link import Discarded, Missed, Reported, Send, Started
from protocol.tdp import Delivered
from protocol.tdp import messages as m
from protocol.tdp.packets import PACKETS
from tests.support.oracles.shoe_reports import ANGEL_EYE, BEE_TEK, TDP
from tests.support.reading.each import of_each


def name_of(value: Any) -> str:
    return repr(value)


@of_each("message, body", TDP)
def test_tdp(message: m.Event, body: e.Body) -> None:
    assert ShoeDriver().translate(Delivered(0xA1, 0, message)) == body


@of_each("message, body", ANGEL_EYE)
def test_angel_eye(message: am.Message, body: e.Body) -> None:
    assert AngelEyeShoe().translate(Reported(0xA1, 3, message)) == body


@pytest.mark.parametrize(("message", "body"), BEE_TEK, ids=name_of)
def test_bee_tek(message: bm.Message, body: e.Body) -> None:
    assert BeeTekShoe().translate(Reported(0xA1, 3, message)) == body


def test_every_message_of_every_shoe_has_a_case_here() -> None:
    declared = {cls for (kind, number), (cls, _) in PACKETS.items() if kind == m.Kind.EVENT and number >> 8 == 2}
    assert declared <= set(shoe.EVENTS)
    assert declared | {m.StateChangedMessage} == {type(message) for message, _ in TDP}
    assert {type(message) for message, _ in ANGEL_EYE} == set(angel_eye.EVENTS)
    assert {type(message) for message, _ in BEE_TEK} == set(bee_tek.EVENTS)


@pytest.mark.parametrize(
    ("driver", "model"), [(AngelEyeShoe(), "Angel Eye style shoe"), (BeeTekShoe(), "Bee-Tek style shoe")]
)
def test_what_the_link_itself_reports(driver: Any, model: str) -> None:
    assert driver.translate(Started(5, 0)) == e.LinkUp(5, "shoe", "", model, "", "", True, False)
    assert driver.translate(Started(9, 5)) == e.SessionChanged(5, 9)
    assert driver.translate(Missed(5, "why")) == e.EventsLost(0, 0)
    assert driver.translate(Discarded(b"x", "noise")) is None
    assert driver.translate(Send(b"x")) is None
    assert driver.translate(Reported(5, 1, object())) == e.UnknownReported("report object")


def test_commands() -> None:
    assert AngelEyeShoe.lock(False) == am.LockMessage(False)
    assert AngelEyeShoe.clear_error(Fault.PUSHED_BACK) == am.ClearErrorMessage(4)
    assert AngelEyeShoe.ask_game() == am.AskGameMessage()
    with pytest.raises(ValueError, match=r"no error number for feed jam \(201\)"):
        AngelEyeShoe.clear_error(Fault.FEED_JAM)
