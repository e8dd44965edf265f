"""`dealwire device verify --gat`: on simulated devices over every kind of line, with every fault."""

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from dealwire.cli.exits import Exit
from devices.clock import SystemClock
from devices.line.loop import Owner
from devices.record.capture import Capture
from devices.simulator.gat import FAULTS, GatTable, SimulatedGat, software
from devices.simulator.host import SimulatorHost
from protocol.gat.device_end import MeasuredSoftware
from tests.support.rigs.ports import free_port

IMAGE = b"1.0.0"
"""Image of a simulated device."""
NAME = "firmware 1.0.0"
KEY = "123456789ABCDEF123456789ABCDEF123456789A"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["device", "verify", *arguments], catch_exceptions=False)


def gat(*arguments: str) -> Result:
    return run("--gat", "sim:gat", *arguments)


def keyed(data: bytes) -> str:
    return hmac.new(bytes.fromhex(KEY), data, hashlib.sha1).hexdigest().upper()


@contextmanager
def served(measured: MeasuredSoftware, line: str, fault: str = "") -> Iterator[str]:
    """Run a simulated device on a line of this machine, in a thread; yield its address."""
    clock, over = SystemClock(), threading.Event()
    host, owner = SimulatorHost(GatTable(SimulatedGat(measured, fault)), {"gat": line}), Owner(clock)
    for member in (host, *host.lines.values()):
        owner.add(member)
    thread = threading.Thread(target=lambda: owner.run(over.is_set))
    thread.start()
    try:
        yield host.addresses["gat"]
    finally:
        over.set()
        owner.call_soon(lambda: None)
        thread.join()
        owner.close()


# ------------------------------------------------------------------ what is asked


def test_every_component_is_printed_with_a_fresh_key() -> None:
    first, second = gat(), gat()
    assert first.exit_code == second.exit_code == 0
    assert first.output.splitlines()[0].startswith("GAT 3.50: 1 component, HMAC-SHA1, key ")
    assert first.output != second.output
    key = bytes.fromhex(first.output.split("key ")[1].split()[0])
    assert first.output.splitlines()[1] == f"{hmac.new(key, IMAGE, hashlib.sha1).hexdigest().upper()}  {NAME}"


def test_with_a_key_of_ones_own_and_without_one() -> None:
    assert keyed(IMAGE) in gat("--key", KEY).output
    assert hashlib.sha1(IMAGE).hexdigest().upper() in gat("--key", "none").output
    for wrong in ("", "123", "xy", "12" * 65):
        done = gat("--key", wrong)
        assert done.exit_code == Exit.USAGE
        assert "must be none, or 1 to 64 bytes as hexadecimal digits" in done.output


def test_functions_a_file_and_one_component() -> None:
    assert gat("--functions").output.splitlines() == [
        "GAT 3.50: 2 functions",
        "Get File  AuthenticationResponse.xml  %%SHA1_HMAC%%",
        f"Component  {NAME}  %%SHA1_HMAC%%",
    ]
    file = gat("--get-file", "AuthenticationResponse.xml", "--key", KEY)
    assert f"<Checksum>{keyed(IMAGE)}</Checksum>" in file.output
    assert gat("--component", NAME, "--key", KEY).output.splitlines()[1] == f"{keyed(IMAGE)}  {NAME}"
    for unknown in (("--component", "another"), ("--get-file", "ProgramID.xml")):
        done = gat(*unknown)
        assert done.exit_code == Exit.PROTOCOL
        assert "refused: not acknowledged and started" in done.output
        assert len(done.output.splitlines()) == 1


def test_json_lines() -> None:
    lines = [json.loads(line) for line in gat("--key", KEY, "--json").stdout.splitlines()]
    assert [line["type"] for line in lines] == ["gat", "gat component"]
    assert lines[0]["key"] == KEY.lower()
    assert lines[0]["same"] is None
    assert lines[1] | {"schema": ""} == {
        "schema": "",
        "type": "gat component",
        "game": "simulated device",
        "manufacturer": "dealwire",
        "name": NAME,
        "checksum": keyed(IMAGE),
        "same": None,
    }
    assert json.loads(gat("--functions", "--json").stdout.splitlines()[1])["parameters"] == [NAME, "%%SHA1_HMAC%%"]
    assert json.loads(gat("--get-file", "AuthenticationResponse.xml", "--json").stdout)["text"].startswith("<?xml")


# ------------------------------------------------------------------ comparisons


def test_the_image_of_the_maker_is_compared(tmp_path: Path) -> None:
    (good := tmp_path / "good").write_bytes(IMAGE)
    (bad := tmp_path / "bad").write_bytes(IMAGE + b"x")
    assert gat("--image", str(good)).output.splitlines()[-1] == "every component is as expected"
    done = gat("--image", str(bad))
    assert done.exit_code == Exit.CHECK_FAILED
    assert done.output.splitlines()[-1] == "1 of 1 components are NOT as expected"
    assert done.output.splitlines()[1].endswith(f"  {NAME}  DIFFERS")


def test_a_list_of_approved_software_is_compared(tmp_path: Path) -> None:
    plain, file = hashlib.sha1(IMAGE).hexdigest(), tmp_path / "approved"
    file.write_text(f"# approved\n\n{NAME}  {plain}\n")
    done = gat("--expect", str(file))
    assert done.exit_code == 0, done.output
    assert "SHA-1" in done.output
    file.write_text(f"{NAME}\t{keyed(IMAGE)}\nloader 2  {plain}\n")
    done = gat("--expect", str(file), "--key", KEY)
    assert done.exit_code == Exit.CHECK_FAILED
    assert done.output.splitlines()[1:] == [
        f"{keyed(IMAGE)}  {NAME}  same",
        f"{plain}  loader 2  MISSING",
        "1 of 2 components are NOT as expected",
    ]
    lines = [json.loads(line) for line in gat("--expect", str(file), "--json").stdout.splitlines()]
    assert [(line["type"], line.get("same")) for line in lines] == [
        ("gat", False),
        ("gat component", False),
        ("gat missing", None),
    ]
    assert gat("--expect", str(file), "--key", KEY, "--component", NAME).exit_code == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "names no component"),
        ("# nothing\n", "names no component"),
        ("abcdef\n", "line 1: not a name and a hexadecimal checksum"),
        ("a 12\nb  xyz\n", "line 2: not a name and a hexadecimal checksum"),
        ("a 12\na 34\n", "line 2: 'a' is there twice"),
    ],
)
def test_a_list_that_cannot_be_read_is_one_line(tmp_path: Path, text: str, why: str) -> None:
    (file := tmp_path / "list").write_text(text)
    done = gat("--expect", str(file))
    assert done.exit_code == Exit.USAGE
    assert why in done.output
    assert len(done.output.splitlines()) == 1


def test_options_that_do_not_go_together_are_one_line(tmp_path: Path) -> None:
    (file := tmp_path / "image").write_bytes(IMAGE)
    for arguments, why in (
        (("sim:shoe", "--key", KEY), "--key needs --gat"),
        (("sim:shoe", "--functions"), "--functions needs --gat"),
        (("sim:shoe", "--allowance", "5"), "--allowance needs --gat"),
        (("--gat", "sim:gat", "--nonce", "00" * 16), "--nonce does not go with --gat"),
        (("--gat", "sim:gat", "--functions", "--component", "x"), "choose one of --functions"),
        (("--gat", "sim:gat", "--functions", "--image", str(file)), "choose one of --functions"),
        (("--gat", "sim:gat", "--expect", str(file), "--image", str(file)), "to compare one of --expect and --image"),
    ):
        done = run(*arguments)
        assert done.exit_code == Exit.USAGE
        assert why in done.output


def test_an_image_is_for_one_component(tmp_path: Path) -> None:
    (file := tmp_path / "image").write_bytes(b"two")
    measured = MeasuredSoftware("game", "maker", (("one", b"one"), ("two", b"two")))
    with served(measured, "pty") as address:
        done = run("--gat", address, "--image", str(file))
        assert done.exit_code == Exit.USAGE
        assert "--image is for one component, and the device has 2: use --component" in done.output
        assert run("--gat", address, "--image", str(file), "--component", "two").exit_code == 0


# ------------------------------------------------------------------ lines and faults


@pytest.mark.parametrize("line", ["pty", "tcp"])
def test_over_a_real_line_with_many_frames(line: str) -> None:
    parts = tuple((f"part {number}", bytes([number]) * 5000) for number in range(12))
    where = "pty" if line == "pty" else f"tcp:{free_port()}"
    with served(MeasuredSoftware("game", "maker", parts), where) as address:
        done = run("--gat", address, "--key", KEY)
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[1:] == [f"{keyed(data)}  {name}" for name, data in parts]


ENDS = {
    "silence": (Exit.TIMEOUT, "StatusQuery: no reply after 3 tries"),
    "crc": (Exit.PROTOCOL, "StatusQuery: 8 bytes that are no response"),
    "gaps": (Exit.PROTOCOL, "StatusQuery: 1 bytes that are no response"),
    "number": (Exit.PROTOCOL, "ResultsQuery: frame 2 came, not 1"),
    "busy": (Exit.TIMEOUT, "Get File started but did not finish: still calculating"),
    "error": (Exit.PROTOCOL, "Get File: the calculation ended as failed, not running"),
    "changed": (Exit.PROTOCOL, "Get File: the result changed while it was read"),
    "old": (Exit.PROTOCOL, "this side supports 3.50, the device 3.00"),
}


@pytest.mark.parametrize("fault", ENDS)
def test_each_fault_ends_in_one_line(fault: str) -> None:
    done = run("--gat", f"sim:gat?fault={fault}", "--timeout", "0.5")
    code, why = ENDS[fault]
    assert done.exit_code == code
    assert done.output.startswith(f"dealwire: sim:gat?fault={fault}: ")
    assert why in done.output
    assert len(done.output.splitlines()) == 1


@pytest.mark.parametrize(
    ("option", "hint"),
    [("--component", "without --component, each of the device's components"), ("--get-file", "--functions lists the")],
)
def test_what_a_device_refuses_says_where_its_names_are(option: str, hint: str) -> None:
    done = run("--gat", "sim:gat", option, "nosuch")
    assert (done.exit_code, hint in done.output, len(done.output.splitlines())) == (Exit.PROTOCOL, True, 1)


def test_a_device_of_gat_alone_is_no_device_of_the_usual_protocol() -> None:
    done = run("sim:gat")
    assert (done.exit_code, "it speaks GAT alone; use dealwire device verify --gat" in done.output) == (2, True)


def test_every_fault_is_tried_somewhere() -> None:
    assert {*FAULTS} == {*ENDS} | {"late", "long"}


def test_a_line_that_is_slower_is_waited_for_with_an_allowance() -> None:
    done = run("--gat", "sim:gat?fault=gaps", "--allowance", "200", "--component", "another")
    assert done.exit_code == Exit.PROTOCOL
    assert "Component refused" in done.output, "responses with gaps were read"


@pytest.mark.more
def test_a_late_response_is_taken_for_the_repeated_query() -> None:
    assert run("--gat", "sim:gat?fault=late", "--key", KEY).output.splitlines()[1] == f"{keyed(IMAGE)}  {NAME}"


def test_nobody_at_the_line() -> None:
    done = run("--gat", f"tcp://127.0.0.1:{free_port()}")
    assert done.exit_code == Exit.ABSENT
    assert len(done.output.splitlines()) == 1


# ------------------------------------------------------------------ recordings


def test_a_recording_is_decoded(tmp_path: Path) -> None:
    file = tmp_path / "gat.pcapng"
    assert gat("--record", str(file)).exit_code == 0
    assert gat("--record", str(file)).exit_code == Exit.USAGE, "a recording is not replaced"
    capture = Capture.read(file)
    chunks = [chunk for chunk in capture.chunks if chunk.data]
    assert [(line.name, line.dialect, line.baud) for line in capture.interfaces] == [("gat", "gat", 9600)]
    for sent, kinds in ((True, {"SQ", "LASQ", "LARQ", "IACQ"}), (False, {"SR", "LASR", "LARR", "IACR"})):
        stream = b"".join(chunk.data for chunk in chunks if chunk.sent is sent)
        done = CliRunner().invoke(main, ["decode", "--dialect", "gat", "--hex"], input=stream.hex())
        assert {json.loads(line)["kind"] for line in done.stdout.splitlines()} == kinds
    played = CliRunner().invoke(main, ["replay", str(file)])
    assert played.exit_code == Exit.PROTOCOL
    assert "line 'gat': this dialect is for no device of a table" in played.output


def test_a_table_cannot_use_it(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["monitor", "--shoe", "sim:gat", "--shoe-dialect", "gat"])
    assert done.exit_code != 0
    assert "this dialect is for no device of a table" in done.output


def test_the_software_of_a_simulated_device() -> None:
    assert software("shoe", IMAGE) == ("shoe", "dealwire", ((NAME, IMAGE),))
