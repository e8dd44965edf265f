"""Errors: facts in fields, one clear line for a reader, one base for each family."""

import pytest

from protocol import errors as e

CASES = [
    (e.CannotEncode("Reply", "reason is 70000; it takes 0 to 65535"), e.LocalError,
     "Reply cannot be encoded: reason is 70000; it takes 0 to 65535"),
    (e.BadPayload(4, 0x0145, b"\x01\x02", "2 bytes where at least 12 are needed"), e.RemoteError,
     "message kind 4 id 0x0145: 2 bytes where at least 12 are needed; payload 01 02"),
    (e.NotUp("lost"), e.LocalError, "no session with the device: the link is lost"),
    (e.QueueFull(16), e.LocalError, "16 commands already wait for the device"),
    (e.NotPermitted("Dispense", "operate", "observe"), e.LocalError,
     "Dispense needs the operate role; this session has observe"),
    (e.Refused("Dispense", "wrong state", "MISDEAL"), e.RemoteError,
     "Dispense refused: wrong state (device state MISDEAL)"),
    (e.CannotWait("Dispense"), e.LocalError,
     "Dispense waits for the device, but an on_event callback blocks its thread; use events() instead"),
    (e.Unfinished("Dispense", "red lamp"), e.RemoteError, "Dispense started but did not finish: red lamp"),
    (e.NoEvent("PacketLifted", 2.5), e.RemoteError, "no PacketLifted within 2.5 s"),
    (e.NotOffered("Verify", "VERIFY", "it refuses it as not supported"), e.RemoteError,
     "Verify: not supported by the device (capability VERIFY): it refuses it as not supported"),
    (e.BadAnswer("ReadMeters", "0 meters from 3 of 9"), e.RemoteError, "ReadMeters: 0 meters from 3 of 9"),
    (e.NoAnswer("Dispense", 3, 0.75), e.RemoteError, "Dispense: no reply after 3 tries in 0.75 s"),
    (e.VersionMismatch("1.0", "2.0 to 2.3"), e.RemoteError,
     "no common protocol version: this side supports 1.0, the device 2.0 to 2.3"),
    (e.WrongDevice("shuffler", "table controller"), e.RemoteError,
     "expected a shuffler on this line, found a table controller"),
    (e.LineClosed("/dev/ttyUSB0", "unplugged"), e.LineError, "/dev/ttyUSB0: line closed: unplugged"),
    (e.LineUnsealed("/dev/ttyUSB0", "the device offers none"), e.LineError,
     "/dev/ttyUSB0: not sealed: the device offers none"),
    (e.NotOpen("the door is closed: open it first"), e.LocalError, "the door is closed: open it first"),
    (e.SealRequired(), e.RemoteError,
     "the device is paired and takes only sealed frames; use its keys, or have it forget its hosts"),
    (e.LineAbsent("/dev/ttyUSB0", "no such file"), e.LineError, "/dev/ttyUSB0: not there: no such file"),
    (e.LineMute("rfc2217://host:4001", "no option is answered"), e.LineError,
     "rfc2217://host:4001: no answer: no option is answered"),
    (e.LineBusy("/dev/ttyUSB0", "minicom (812)"), e.LineError, "/dev/ttyUSB0: in use by minicom (812)"),
    (e.LineBusy("/dev/ttyUSB0"), e.LineError, "/dev/ttyUSB0: in use by another program"),
    (e.LineUnusable("/etc/passwd", "not a serial port"), e.LineError,
     "/etc/passwd: cannot be used as a line: not a serial port"),
    (e.LineDenied("/dev/ttyUSB0", "join the group dialout"), e.LineError,
     "/dev/ttyUSB0: permission denied; join the group dialout"),
    (e.LineAmbiguous("serial-id:A5", ("/dev/ttyUSB0", "/dev/ttyUSB1")), e.LineError,
     "serial-id:A5: 2 devices match; specify one of them: /dev/ttyUSB0, /dev/ttyUSB1"),
    (e.LineGarbled("/dev/ttyUSB0", 2300), e.LineError,
     "/dev/ttyUSB0: 2,300 bytes, no frame: wrong baud rate, or not a TDP device?"),
    (e.NoCommands("bee-tek"), e.LocalError, "bee-tek: the device takes no commands"),
    (e.BadReport("bee-tek", b"Card:1S", "no such card: '1S'"), e.RemoteError,
     "bee-tek: no such card: '1S'; 43 61 72 64 3a 31 53"),
    (e.LineAmbiguous("usb:1209:0005", ("usb:1209:0005@1-1", "usb:1209:0005@1-2")), e.LineError,
     "usb:1209:0005: 2 devices match; specify one of them: usb:1209:0005@1-1, usb:1209:0005@1-2"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "family", "text"), CASES, ids=lambda value: type(value).__name__)
def test_one_line_that_says_what_and_where(error: e.DealwireError, family: type[Exception], text: str) -> None:
    assert str(error) == text
    assert "\n" not in text
    assert isinstance(error, family)
    assert isinstance(error, e.DealwireError)
    assert sum(isinstance(error, base) for base in (e.LocalError, e.RemoteError, e.LineError)) == 1


def test_every_error_is_shown_above() -> None:
    """An error added without a case above fails here."""
    families = {e.DealwireError, e.LocalError, e.RemoteError, e.LineError}
    declared = {c for c in vars(e).values() if isinstance(c, type) and issubclass(c, e.DealwireError)} - families
    assert {type(error) for error, _, _ in CASES} == declared


def test_facts_are_fields() -> None:
    error = e.BadPayload(4, 0x0145, b"\x01", "why")
    assert (error.kind, error.message_id, error.payload, error.why) == (4, 0x0145, b"\x01", "why")
    refused = e.NoAnswer("Dump", 3, 0.75)
    assert (refused.command, refused.tries, refused.waited_s) == ("Dump", 3, 0.75)


@pytest.mark.parametrize(
    ("data", "text"),
    [(b"", ""), (b"\x00\xff", "00 ff"), (bytes(24), "00 " * 23 + "00"), (bytes(25), "00 " * 23 + "00 … (1 more)")],
)
def test_a_peer_cannot_fill_our_logs(data: bytes, text: str) -> None:
    assert e.shorten(data) == text
    assert len(str(e.BadPayload(4, 1, bytes(244), "why"))) < 160


def test_what_cannot_wait_is_named() -> None:
    assert e.CannotWait("Dispense").what == "Dispense"
