"""The report in each of its forms: what a build server, a laboratory, a browser and a printer get."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from dealwire.bench.hands import NoHands
from dealwire.bench.plan import load_plan
from dealwire.bench.record import Actor, BenchOutcome, Measurement, TimelineEntry
from dealwire.bench.report import Report, text_lines, to_json, to_junit
from dealwire.bench.report_html import to_html
from dealwire.bench.rig import SimulatedRig
from dealwire.bench.runner import BenchChoices, run_plan
from tests.support.broken_devices import CarelessRecord

pytestmark = pytest.mark.thorough

BROWSER = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")
def report() -> Report:
    """Passed, failed and not run, with measures: a careless device, judged in part."""
    rig = SimulatedRig("shuffler", speed=10, wrap=CarelessRecord)
    only = ("timing.*", "frame.hello", "fault.packet-short-301", "always.clean")
    judged = run_plan(load_plan("shuffler"), rig.wire, lambda _: rig.hands, BenchChoices(only))
    other = SimulatedRig("shuffler", speed=10)
    alone = run_plan(load_plan("shuffler"), other.wire, lambda _: NoHands(), BenchChoices(("soak.*",)))
    judged.results += alone.results
    return judged


def test_the_fixture_holds_every_outcome(report: Report) -> None:
    assert report.counts() == {"passed": 5, "failed": 1, "not_run": 1}
    assert not report.passed


# ------------------------------------------------------------------ JUnit

SUITE = {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"}


def test_junit_has_the_shape_that_its_readers_agree_on(report: Report) -> None:
    """Elements, their order and attributes as the Jenkins and Ant schemas have them in common."""
    root = ET.fromstring(to_junit(report))
    assert root.tag == "testsuites"
    assert set(root.attrib) <= {"name", "tests", "failures", "errors", "skipped", "time"}
    for suite in root:
        assert suite.tag == "testsuite"
        assert set(suite.attrib) == SUITE
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
        assert [child.tag for child in suite] == ["properties"] + ["testcase"] * (len(suite) - 1)
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))
        assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
        assert int(suite.attrib["skipped"]) == len(suite.findall("testcase/skipped"))
        for case in suite.findall("testcase"):
            assert set(case.attrib) == {"classname", "name", "time"}
            assert float(case.attrib["time"]) >= 0
            assert [child.tag for child in case] in ([], ["failure"], ["skipped"], ["system-out"])
    assert root.attrib["tests"] == str(len(report.results))


def test_junit_says_what_failed_and_what_was_not_run(report: Report) -> None:
    root = ET.fromstring(to_junit(report))
    (failure,) = root.iter("failure")
    assert "the misdeal record has the packets []" in failure.attrib["message"]
    assert "docs/protocol.md#packet-shuffler" in str(failure.text)
    (skipped,) = root.iter("skipped")
    assert skipped.attrib["message"].startswith("needs a person")


def test_junit_survives_a_device_with_a_strange_name(report: Report) -> None:
    from msgspec.structs import replace

    assert report.hello is not None
    strange = Report(report.plan, report.title, "tcp://<&>", "1", 1, 0, replace(report.hello, maker='\x01<"&'))
    assert ET.fromstring(to_junit(strange)).tag == "testsuites"
    assert "<&" not in to_html(strange).replace("&lt;&amp;", "")


# ------------------------------------------------------------------ JSON and text


def test_json_is_one_object_a_line_and_closes_with_the_verdict(report: Report) -> None:
    lines = [json.loads(line) for line in to_json(report)]
    assert [line["type"] for line in lines] == ["check"] * len(report.results) + ["summary"]
    assert {line["schema"] for line in lines} == {"dealwire.bench/1"}
    assert lines[-1]["verdict"] == "failed"
    assert (lines[-1]["passed"], lines[-1]["failed"], lines[-1]["not_run"]) == (5, 1, 1)
    (reply,) = [line for line in lines if line.get("id") == "timing.reply"]
    assert reply["measures"][0]["limit_ms"] == 100
    assert reply["measures"][0]["count"] == 200


def test_text_tells_what_failed_in_full(report: Report) -> None:
    text = "\n".join(text_lines(report))
    assert "FAIL  fault.packet-short-301" in text
    assert "5 passed, 1 failed, 1 not run" in text
    assert "reply: min " in text


def test_shares_of_measured_times() -> None:
    measure = Measurement("x", [float(value) for value in range(1, 101)], 100)
    assert (measure.at(0.5), measure.at(0.99), measure.figures[-1]) == (50.0, 99.0, 100.0)
    assert Measurement("x", [7.0], None).at(0.99) == 7.0
    assert Measurement("x", [3.0, 1.0], None).at(0.5) == 1.0


# ------------------------------------------------------------------ HTML


class Tags(HTMLParser):
    """Every tag and attribute, and whether what opens is closed."""

    VOID = ("meta", "br", "line", "circle", "path")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_whole_and_needs_nothing_else(report: Report) -> None:
    page = to_html(report)
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert len(tags.ids) == len(set(tags.ids)) == len(report.results)
    assert "<script" not in page
    assert not [(tag, name) for tag, name, _ in tags.attributes if name in ("src", "href") or name.startswith("on")]
    assert "url(" not in page
    assert "@import" not in page
    assert page.count("<svg ") == sum(bool(result.timeline) for result in report.results)


def test_html_marks_what_was_wrong_on_the_time_line(report: Report) -> None:
    result = report.of(BenchOutcome.FAILED)[0]
    before = to_html(report).count('<path class="bad"')
    result.timeline.append(TimelineEntry(result.began_ns, Actor.DEVICE, "5 bytes, bad check", bad=True))
    try:
        assert to_html(report).count('<path class="bad"') == before + 1
    finally:
        result.timeline.pop()


def test_html_in_a_real_browser(report: Report, tmp_path: Path) -> None:
    """Light and dark, folded and unfolded, printed; nothing asks for the network, nothing runs off the page."""
    sync_api = pytest.importorskip("playwright.sync_api")
    if not BROWSER.exists():
        pytest.skip(f"no {BROWSER} on this machine")
    file = tmp_path / "report.html"
    file.write_text(to_html(report))
    asked: list[str] = []
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(BROWSER), args=ARGUMENTS)
        colours = set()
        for scheme in ("light", "dark"):
            page = browser.new_page(color_scheme=scheme, viewport={"width": 400, "height": 800})
            page.on("request", lambda request: asked.append(request.url))
            page.on("pageerror", lambda error: asked.append(str(error)))
            page.goto(file.as_uri())
            colours.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            assert page.locator("details[open]").count() == 2
            page.locator("details:not([open]) summary").first.click()
            assert page.locator("details[open]").count() == 3
            assert page.locator("details[open] svg").first.bounding_box()["height"] > 20
            assert page.evaluate("document.documentElement.scrollWidth") <= 400
            page.close()
        page = browser.new_page()
        page.goto(file.as_uri())
        assert page.pdf()[:5] == b"%PDF-"
        browser.close()
    assert len(colours) == 2
    assert asked == [file.as_uri()] * 2
