"""The specification agrees with the program: fresh tables, a true example, the charts of the devices."""

import re
import zlib

import pytest

from devices.simulator.shoe_states import ARCS as SHOE_ARCS
from devices.simulator.shuffler_states import ARCS as SHUFFLER_ARCS
from devices.simulator.table_controller import ARCS as CONTROLLER_ARCS
from docs._print import DOCS
from docs._print import protocol as spec
from protocol.cards import CARDS
from protocol.faults import Fault
from protocol.message import message_name
from protocol.tdp.framing import Framer, NoiseReason
from protocol.tdp.messages import ControllerState, ShoeState, ShufflerState
from protocol.tdp.packets import ANSWERS, PACKETS
from tests.support.reading.vectors import STREAMS

PAGE = (DOCS / spec.PAGE).read_text(encoding="utf-8")
TEXT = (DOCS / spec.REFERENCE).read_text(encoding="utf-8")


def section(title: str, text: str = TEXT) -> str:
    """Return the text under a heading, up to the next one of the same depth."""
    depth = title.index(" ")
    found = re.search(rf"^{re.escape(title)}\n(.*?)(?=^#{{1,{depth}}} |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, title
    return found[1]


def test_the_generated_tables_are_fresh() -> None:
    assert spec.pages() == {spec.PAGE: PAGE, spec.REFERENCE: TEXT}, "run make docs"


def test_a_stale_table_is_noticed_and_mended() -> None:
    stale = TEXT.replace("| 301 | packet short |", "| 301 | packet too short |")
    assert stale != TEXT
    assert spec.refresh(stale) == TEXT


@pytest.mark.parametrize("name", spec.REGIONS)
def test_a_document_without_a_region_is_refused(name: str) -> None:
    page = next(page for page, names in spec.REGIONS_OF.items() if name in names)
    text = {spec.PAGE: PAGE, spec.REFERENCE: TEXT}[page]
    with pytest.raises(ValueError, match="it needs each once"):
        spec.refresh(text.replace(f"<!-- generated: {name} -->", ""), page)


def test_every_message_fault_and_card_stands_in_it() -> None:
    headings = re.findall(r"^#### (?:([0-9A-F]{4})h )?(\w+)$", section("## Messages"), re.MULTILINE)
    declared = [(f"{number:04X}", message_name(cls)) for (_, number), (cls, _) in PACKETS.items()]
    assert sorted(headings) == sorted([*declared, *(("", message_name(cls)) for cls, _ in ANSWERS.values())])
    faults = re.findall(r"^\| (\d+) \|", section("### Fault numbers"), re.MULTILINE)
    assert faults == [str(int(fault)) for fault in Fault]
    codes = re.findall(r"\b([0-9A-F]{2})h\b", section("### Card codes"))
    assert sorted(codes) == sorted(f"{card:02X}" for card in CARDS if not card.text.startswith("0x"))


def test_the_worked_example_is_true() -> None:
    example = section("### A frame worked through", PAGE)

    def line(name: str) -> bytes:
        found = re.search(rf"^ +{name} +((?:[0-9A-F]{{2}} +)*[0-9A-F]{{2}})(?: {{3,}}|$)", example, re.MULTILINE)
        assert found, name
        return bytes.fromhex(found[1])

    body = line("header") + line("payload")
    assert line("check") == zlib.crc32(body).to_bytes(4, "little")
    assert f"{zlib.crc32(body):08X}h" in example
    assert line("before COBS") == body + line("check")
    assert [piece.body for piece in Framer().feed(line("on the wire"))] == [body]  # type: ignore[union-attr]


def chart(title: str) -> set[tuple[str, str]]:
    return set(re.findall(r"^ +(\w+) --> (\w+):", section(title), re.MULTILINE))


@pytest.mark.parametrize(
    ("title", "arcs", "states"),
    [
        ("### Packet shuffler", SHUFFLER_ARCS, ShufflerState),
        ("### Card shoe", SHOE_ARCS, ShoeState),
        ("### Table controller", CONTROLLER_ARCS, ControllerState),
    ],
)
def test_the_charts_show_steps_the_devices_take(title: str, arcs: frozenset, states: type) -> None:  # type: ignore[type-arg]
    drawn = chart(title)
    taken = {(source.name, target.name) for source, _, target in arcs}
    assert drawn <= taken, f"not in the state table: {sorted(drawn - taken)}"
    assert {name for arc in drawn for name in arc} == {state.name for state in states}  # type: ignore[attr-defined]


def test_the_controllers_chart_leaves_out_only_what_a_lost_host_does_besides() -> None:
    taken = {(source.name, target.name) for source, _, target in CONTROLLER_ARCS}
    assert taken - chart("### Table controller") <= {("BOOT", "SAFE"), ("AWARD", "SAFE"), ("SETUP", "SAFE")}


def test_every_kind_of_noise_has_a_vector() -> None:
    """`cut off` needs silence, which a vector cannot contain."""
    readings = {piece["reading"] for stream in STREAMS for piece in stream["pieces"]}
    assert readings == {"frame", *NoiseReason} - {NoiseReason.SILENCE}


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_every_link_inside_the_documents_leads_somewhere() -> None:
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= anchors(TEXT)
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= anchors(PAGE)
    linked = set(re.findall(rf"\]\({re.escape(spec.REFERENCE)}#([^)]+)\)", PAGE))
    assert len(linked) > 10
    assert linked <= anchors(TEXT)


def test_the_page_is_short_enough_to_read() -> None:
    assert len(PAGE.split()) <= 3_000
