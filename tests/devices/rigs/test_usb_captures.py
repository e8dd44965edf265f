"""The recordings of USB sessions in `captures/` match their index, and the real libusb replays them."""

import hashlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.support.oracles.wire_count import count_wire
from tests.support.programs.record_usb import SHUFFLER, received, replay
from tests.support.rigs.umockdev import needs_umockdev

CAPTURES = Path(__file__).parents[3] / "captures"
INDEX: list[dict[str, Any]] = [
    entry for entry in tomllib.loads((CAPTURES / "index.toml").read_text())["capture"] if entry.get("link") == "usb"
]

each = pytest.mark.parametrize("entry", INDEX, ids=[entry["file"] for entry in INDEX])


def test_there_is_one_and_each_has_its_description():
    assert INDEX
    assert {Path(entry["file"]).stem for entry in INDEX} == {path.stem for path in CAPTURES.glob("*.umockdev")}


@each
def test_the_files_are_the_ones_the_index_describes(entry):
    file = CAPTURES / entry["file"]
    assert hashlib.sha256(file.read_bytes()).hexdigest() == entry["sha256"]
    assert hashlib.sha256(file.with_suffix(".umockdev").read_bytes()).hexdigest() == entry["description_sha256"]


@each
def test_every_byte_the_device_sent_belongs_to_a_frame(entry):
    assert count_wire(received(CAPTURES / entry["file"])) == (entry["frames"], entry["noise_bytes"])


@each
def test_the_description_is_the_device_and_nothing_of_the_machine(entry):
    text = (CAPTURES / entry["file"]).with_suffix(".umockdev").read_text()
    (descriptors,) = re.findall(r"^H: descriptors=([0-9A-F]+)$", text, re.MULTILINE)
    assert bytes.fromhex(descriptors) == SHUFFLER.device + SHUFFLER.configuration
    paths = {word for word in re.findall(r"/\w[^\s=]*", text) if not word.startswith(("/devices/", "/dev/bus/usb/"))}
    assert paths <= {"/usb/001/002"}


@each
@needs_umockdev
def test_the_real_libusb_gives_the_same_session_again(entry):
    again = replay(CAPTURES / entry["file"], len(entry["seen"]))
    assert [body.partition("(")[0] for body in again] == entry["seen"]
    dealt = [body for body in again if body.startswith("PacketDispensed")]
    assert [re.findall(r"ordinal=(\d)", body)[0] for body in dealt] == ["1", "2", "3"]
