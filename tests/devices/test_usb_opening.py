"""The device that a USB address selects, and the message if it cannot be opened."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest
import usb.backend.libusb0
import usb.backend.libusb1
import usb.backend.openusb

from devices.extras import install_command
from devices.transport.usb_bulk import open_usb
from devices.transport.usb_find import parse_usb
from protocol.errors import LineAbsent, LineAmbiguous, LineBusy, LineDenied, LineUnusable
from tests.support.rigs.usb_backend import FakeBus, Gadget, failed
from tests.support.rigs.usb_descriptors import BULK, INTERRUPT, Description

ROOT = Path(__file__).parents[2]


def gadget(serial: str = "SIM-0001", ports: tuple[int, ...] = (1,), **described: object) -> Gadget:
    return Gadget(Description(serial=serial, **described), ports=ports)  # type: ignore[arg-type]


def opens(address: str, *gadgets: Gadget) -> Gadget:
    """Return the device that `address` opened; every handle is closed again."""
    bus = FakeBus(*gadgets)
    open_usb(address, backend=bus).close()
    assert bus.open_handles == 0
    (opened,) = [one for one in gadgets if "claim 0" in one.calls]
    return opened


def refused(kind: type[Exception], address: str, *gadgets: Gadget) -> str:
    bus = FakeBus(*gadgets)
    with pytest.raises(kind) as caught:
        open_usb(address, backend=bus)
    assert bus.open_handles == 0
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ------------------------------------------------------------------ which one


def test_the_only_one_needs_no_serial():
    one, other = gadget(), gadget(product=6)
    assert opens("usb:1209:0005", other, one) is one
    assert opens("USB:1209:5", gadget(product=6), one) is one


def test_a_serial_may_hold_any_sign():
    one = gadget("A:1@2 ß")
    assert opens("usb:1209:0005:A:1@2 ß", gadget("B"), one) is one


def test_twins_are_named_and_not_guessed_between():
    text = refused(LineAmbiguous, "usb:1209:0005", gadget(ports=(3,)), gadget(ports=(1, 4)))
    assert text == ("usb:1209:0005: 2 devices match; specify one of them: usb:1209:0005@1-1.4, usb:1209:0005@1-3")


def test_twins_with_one_serial_too():
    with pytest.raises(LineAmbiguous) as caught:
        open_usb("usb:1209:0005:X", backend=FakeBus(gadget("X"), gadget("Y", (2,)), gadget("X", (3,))))
    assert caught.value.choices == ("usb:1209:0005@1-1", "usb:1209:0005@1-3")


def test_what_the_refusal_names_opens():
    left, right = gadget(ports=(1, 4)), gadget(ports=(1, 41))
    assert opens("usb:1209:0005@1-1.41", left, right) is right
    assert opens("usb:1209:0005@1-1.4", left, gadget(ports=(1, 41))) is left


@pytest.mark.parametrize(
    "address", ["usb:", "usb:1209", "usb:1209:xyz", "usb:12345:1", "usb:1209:5@1", "usb:1209:5@1-"]
)
def test_a_wrong_address_says_what_is_allowed(address):
    with pytest.raises(LineUnusable) as caught:
        parse_usb(address)
    assert "usb:VID:PID, usb:VID:PID:SERIAL or usb:VID:PID@BUS-PORT.PORT" in str(caught.value)


# ------------------------------------------------------------------ why not


def test_absent():
    assert refused(LineAbsent, "usb:1209:0005").endswith("not there: no such device is plugged in")


def test_absent_says_where_its_like_are():
    text = refused(LineAbsent, "usb:1209:0005:X", gadget("A", (2,)), gadget("B", (1, 3)))
    assert text.endswith("not there: such devices exist only at 1-1.3, 1-2")


def test_unplugged_while_it_is_opened():
    one = gadget()
    bus = FakeBus(one)
    bus.claim_interface = lambda *_: (_ for _ in ()).throw(failed(errno.ENODEV))  # type: ignore[method-assign]
    with pytest.raises(LineAbsent, match="it was unplugged while it was being opened"):
        open_usb("usb:1209:0005", backend=bus)
    assert bus.open_handles == 0


@pytest.mark.parametrize("address", ["usb:1209:0005", "usb:1209:0005:SIM-0001", "usb:1209:0005@1-1"])
def test_denied_prints_the_udev_rule(address):
    one = gadget()
    one.denied = True
    assert refused(LineDenied, address, one) == (
        f"{address}: permission denied; add this line to /etc/udev/rules.d/70-dealwire.rules and replug the device: "
        'SUBSYSTEM=="usb", ATTR{idVendor}=="1209", ATTR{idProduct}=="0005", '
        'MODE="0660", GROUP="plugdev", TAG+="uaccess"'
    )


def test_one_whose_serial_may_not_be_read_does_not_hide_the_one_meant():
    other, meant = gadget("A"), gadget("B", (2,))
    other.denied = True
    assert opens("usb:1209:0005:B", other, meant) is meant


def test_an_unconfigured_one_has_a_serial_all_the_same():
    other, meant = gadget("A"), gadget("B", (2,))
    meant.configured = False
    assert opens("usb:1209:0005:B", other, meant) is meant


def test_busy():
    one = gadget()
    bus = FakeBus(one)
    first = open_usb("usb:1209:0005", backend=bus)
    with pytest.raises(LineBusy, match="in use by another program"):
        open_usb("usb:1209:0005", backend=bus)
    assert bus.open_handles == 1
    first.close()
    open_usb("usb:1209:0005", backend=bus).close()


def test_wrong_class_says_what_it_found():
    text = refused(LineUnusable, "usb:1209:0005", gadget(interface_class=3, endpoints=((0x81, INTERRUPT, 8),)))
    assert text.endswith(
        "it has no vendor interface (class 0xFF) with one bulk endpoint each way; "
        "found interface 0 of class 0x03 with 0 bulk in and 0 out"
    )


def test_a_serial_port_by_class_is_sent_to_its_port():
    text = refused(LineUnusable, "usb:1209:0005", gadget(interface_class=10))
    assert "the system provides it as a serial port: use the address of that port" in text


def test_two_bulk_endpoints_one_way_are_not_guessed_between():
    ends = ((0x01, BULK, 64), (0x81, BULK, 64), (0x82, BULK, 64))
    assert "with 2 bulk in and 1 out" in refused(LineUnusable, "usb:1209:0005", gadget(endpoints=ends))


def test_without_libusb_the_package_is_named(monkeypatch):
    for backend in (usb.backend.libusb0, usb.backend.libusb1, usb.backend.openusb):
        monkeypatch.setattr(backend, "get_backend", lambda: None)
    with pytest.raises(LineUnusable, match=r"libusb was not found; install it \(on Debian: apt install libusb-1.0-0\)"):
        open_usb("usb:1209:0005")


def test_without_pyusb_the_extra_is_named():
    code = (
        "import sys; sys.modules['usb'] = None; from devices.drive.address import open_transport\n"
        "try: open_transport('usb:1209:0005')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("LineUnusable usb:1209:0005: ")
    assert install_command("usb") in done.stdout
