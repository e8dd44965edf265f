"""The pages of the shoe dialects agree with the program, and state its limits."""

import re
from pathlib import Path

import pytest

from devices.dialects.bee_tek import FAULTS
from protocol.angel_eye import messages as am
from protocol.angel_eye.framing import MAX_WIRE, NakReason
from protocol.angel_eye.framing import NoiseReason as AngelNoise
from protocol.angel_eye.link import REMEMBERED, SENT_TIMES, Timing
from protocol.bee_tek.framing import ITEM_MAX, MODE_MAX
from protocol.gat import documents
from protocol.gat.codec import SHORT
from protocol.gat.device_end import GAP_MS
from protocol.gat.exchange import MS, USUAL
from protocol.gat.framing import CHUNK, DATA_MAX, LENGTHS
from protocol.gat.framing import MAX_WIRE as GAT_WIRE

PAGES = Path(__file__).parent.parent / "docs" / "dialects"
ANGEL_EYE = (PAGES / "angel-eye.md").read_text(encoding="utf-8")
BEE_TEK = (PAGES / "bee-tek.md").read_text(encoding="utf-8")
GAT = (PAGES / "gat.md").read_text(encoding="utf-8")
NUMBERS = {3: "three"}


@pytest.mark.parametrize("page", [ANGEL_EYE, BEE_TEK], ids=["angel-eye", "bee-tek"])
def test_a_page_says_where_its_knowledge_is_from(page: str) -> None:
    assert page.count("**From public code; never tested on hardware.**") == 1
    assert "## Uncertainties" in page


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.md")), ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (path.parent / target).exists(), target
    for anchor in re.findall(r"\]\(#([^)]+)\)", text):
        assert re.search(rf"^#+ {anchor.replace('-', '[ -]')}$", text, re.MULTILINE | re.IGNORECASE), anchor


def test_every_letter_and_reason_of_angel_eye_stands_in_its_page() -> None:
    letters = set(re.findall(r"^\| ([A-Za-z]) \|", ANGEL_EYE, re.MULTILINE))
    documented = {cls.__doc__[0] for cls in vars(am).values() if isinstance(cls, type) and cls.__doc__ and
                  re.match(r"[A-Za-z]: ", cls.__doc__)}  # fmt: skip
    assert letters == documented
    table = ANGEL_EYE[ANGEL_EYE.index("| NAK reason") : ANGEL_EYE.index("## Reports")]
    assert {int(code, 16) for code in re.findall(r"\| ([0-9A-F]{2}) \|", table)} == set(NakReason)
    for reason in AngelNoise:
        assert str(reason) in " ".join(ANGEL_EYE.split())


def test_the_limits_in_the_pages_are_those_of_the_program() -> None:
    assert f"longer than {MAX_WIRE} bytes" in ANGEL_EYE
    assert f"the last {NUMBERS[REMEMBERED]} reports" in " ".join(ANGEL_EYE.split())
    assert f"up to {NUMBERS[SENT_TIMES]} times" in ANGEL_EYE
    assert f"repeated after {Timing().answer_ns // 10**9} s, {NUMBERS[Timing().tries]} times" in ANGEL_EYE
    assert f"A mode has up to {MODE_MAX} characters, an item up to {ITEM_MAX}" in " ".join(BEE_TEK.split())
    assert set(re.findall(r"(E\d) is fault 401", BEE_TEK)) == set(FAULTS)


def test_the_page_of_gat_has_the_codes_and_limits_of_the_program() -> None:
    for code, lengths in LENGTHS.items():
        length = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
        row = next(line for line in GAT.splitlines() if line.startswith(f"| {code:02X} |"))
        assert f"| {SHORT[code]}" in row
        assert f"| {length} |" in row
    assert f"0 to {DATA_MAX} bytes" in GAT
    assert f"4 to {GAT_WIRE} |" in GAT
    assert f"up to {CHUNK} bytes" in GAT
    limits = f"{documents.ELEMENTS_MAX:,} elements, {documents.DEPTH_MAX} levels and {documents.VALUE_MAX:,} characters"
    assert limits in " ".join(GAT.split())


def test_the_page_of_gat_has_the_times_of_the_program() -> None:
    times = {
        "a response begins": f"within {USUAL.answer_ns // MS} ms",
        "silence that ends a response": f"{USUAL.gap_ns // MS} ms",
        "next query without a response": f"{USUAL.silent_ns // MS} ms",
        "next query after a response": f"{USUAL.pause_ns // MS} ms",
        "allowance for": f"{USUAL.allowance_ns // MS} ms",
        "tries of a query": f"{USUAL.tries} |",
        "silence that ends a query": f"{GAP_MS} ms",
    }
    for name, time in times.items():
        row = next(line for line in GAT.splitlines() if line.startswith(f"| {name}"))
        assert time in row


def test_the_page_of_gat_says_that_nothing_stands_on_the_text() -> None:
    assert GAT.count("**From papers and public code; never tested on hardware.**") == 1
    assert "**No rule below stands on the\nspecification's own text.**" in GAT
    assert "second hand only" in GAT
    assert "## Uncertainties" in GAT
