"""Limits of an Angel Eye report: the highest six-bit number, and the first printable character."""

import pytest

from protocol.angel_eye import messages as m
from protocol.angel_eye.codec import decode, encode
from protocol.angel_eye.framing import Frame, Framer
from protocol.errors import CannotEncode


def heard(message: m.Message) -> m.Message:
    (frame,) = Framer().feed(encode(message))
    assert isinstance(frame, Frame)
    return decode(frame)


@pytest.mark.parametrize(
    "message",
    [
        m.ErrorRaisedMessage(True, 63),
        m.ErrorClearedMessage(63),
        m.SettingChangedMessage("  ", "~ ~ "),
    ],
)
def test_the_last_value_that_fits_comes_through(message: m.Message) -> None:
    assert heard(message) == message


@pytest.mark.parametrize("message", [m.ErrorRaisedMessage(False, 64), m.ErrorClearedMessage(64)])
def test_the_first_that_does_not_fit_is_refused(message: m.Message) -> None:
    with pytest.raises(CannotEncode):
        encode(message)
