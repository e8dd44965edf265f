"""Files that doctor prints for installation are well formed, for any name of an adapter."""

import re
from pathlib import Path

import pytest

from dealwire.cli.doctor import systemd_unit
from dealwire.cli.exits import Exit, explain, explain_silence
from dealwire.cli.system_files import udev_rules
from dealwire.host import latency_timers
from protocol.errors import LineAbsent, LineClosed, LineDenied, LineGarbled, WrongDevice

FTDI = {"name": "/dev/ttyUSB0", "usb": "0403:6001", "serial": "A5XK", "location": "1-1"}
ACM = {"name": "/dev/ttyACM0", "usb": "1209:0001", "serial": "", "location": "1-2"}
ONBOARD = {"name": "/dev/ttyS0", "usb": "", "serial": "", "location": ""}

ITEM = re.compile(r'([A-Z]+)(?:\{(\w+)\})?(==|\+=|=)"([^"\\]*)"')


def parse(rules: str) -> list[list[tuple[str, str, str, str]]]:
    """udev's own grammar, as far as these rules need it: KEY{attribute}OPERATOR"value", separated by commas."""
    found = []
    for line in rules.splitlines():
        if line.startswith("#"):
            continue
        items = line.split(", ")
        matched = [ITEM.fullmatch(item) for item in items]
        assert all(matched), line
        found.append([match.groups(default="") for match in matched if match])
    return found


def test_rules_match_the_adapter_and_nothing_else() -> None:
    first, latency = parse(udev_rules([FTDI, ONBOARD]))
    assert ("ATTRS", "idVendor", "==", "0403") in first
    assert ("ATTRS", "serial", "==", "A5XK") in first
    assert ("GROUP", "", "=", "dialout") in first
    assert ("ENV", "ID_MM_DEVICE_IGNORE", "=", "1") in first
    assert ("ATTR", "latency_timer", "=", "1") in latency
    assert ("ATTRS", "serial", "==", "A5XK") in latency


def test_no_latency_rule_for_an_adapter_without_a_timer() -> None:
    (rule,) = parse(udev_rules([ACM]))
    assert not any(key == "ATTRS" and name == "serial" for key, name, _, _ in rule)


@pytest.mark.parametrize("serial", ['A", RUN+="/bin/sh', "A\\", "A\nRUN", "\x00"])
def test_a_serial_number_cannot_write_rules(serial: str) -> None:
    for rule in parse(udev_rules([{**FTDI, "serial": serial}])):
        assert {key for key, _, _, _ in rule} <= {"SUBSYSTEM", "ATTRS", "ATTR", "GROUP", "MODE", "TAG", "ENV", "DRIVER"}


def test_nothing_attached_gives_no_rule() -> None:
    assert parse(udev_rules([ONBOARD])) == []


def test_the_unit_names_the_program_and_the_adapter() -> None:
    unit = systemd_unit([FTDI])
    assert "DEALWIRE_RECORD_SHUFFLER=serial-id:A5XK" in unit
    assert [line for line in unit.splitlines() if line.startswith("[")] == ["[Unit]", "[Service]", "[Install]"]


@pytest.mark.parametrize(("text", "verdicts"), [("16\n", ["warning"]), ("1\n", ["good"]), ("what\n", [])])
def test_latency_timers_are_read(tmp_path: Path, text: str, verdicts: list[str]) -> None:
    (tmp_path / "ttyUSB0").mkdir()
    (tmp_path / "ttyUSB0" / "latency_timer").write_text(text)
    assert [finding.verdict for finding in latency_timers(tmp_path)] == verdicts


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (LineClosed("/dev/x", "unplugged"), Exit.ABSENT),
        (LineAbsent("/dev/x", "no"), Exit.ABSENT),
        (LineGarbled("/dev/x", 2300), Exit.PROTOCOL),
        (WrongDevice("shuffler", "shoe"), Exit.PROTOCOL),
    ],
)
def test_a_silent_line_is_explained_by_what_is_known_of_it(error: Exception, code: Exit) -> None:
    found, text = explain_silence(["shuffler"], {"shuffler": error})
    assert found == code
    assert str(error) in text
    assert "\n" not in text
    assert explain_silence(["shuffler", "shoe"], {}) == (Exit.TIMEOUT, "no answer from shuffler, shoe")


def test_denied_says_where_the_rule_comes_from() -> None:
    code, text = explain(LineDenied("/dev/x", "it belongs to the group dialout"))
    assert code == Exit.PERMISSION
    assert text.endswith("`dealwire doctor --udev` prints")
