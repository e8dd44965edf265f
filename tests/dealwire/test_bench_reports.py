"""The report in each of its forms: what a build server, a laboratory, a browser and a printer get."""

import hashlib
import json
import re
from datetime import datetime
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from msgspec.structs import replace

from dealwire.bench.hands.operator import NoOperator
from dealwire.bench.plan.plan import FOLDER, load_plan
from dealwire.bench.record import Actor, BenchOutcome, LineMoment, Measurement, NotRunCause
from dealwire.bench.report.html import MOST_BYTES, to_html
from dealwire.bench.report.report import BenchVerdict, PlanOrigin, Report
from dealwire.bench.report.text import text_lines, to_junit
from dealwire.bench.report.words import facts
from dealwire.bench.run.reporting import ReportHead, report_of
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, run_plan
from dealwire.version import __version__
from protocol.tdp.packets import VERSION_TEXT
from tests.support.broken.devices import CarelessRecord
from tests.support.rigs.browser import ARGUMENTS, CHROMIUM, needs_browser

CHECKS = len(load_plan("shuffler").ids)
"""Of the plan of the shuffler."""


@pytest.fixture(scope="module")
def report() -> Report:
    """Passed, failed and not run, with measures: a careless device, judged in part."""
    rig = SimulatedRig("shuffler", speed=10, wrap=CarelessRecord)
    judged = run_plan(load_plan("shuffler"), rig.wire, lambda _: rig.hands, BenchChoices(ONLY))
    other = SimulatedRig("shuffler", speed=10)
    alone = run_plan(load_plan("shuffler"), other.wire, lambda _: NoOperator(), BenchChoices(("soak.*",)))
    (soak,) = [result for result in alone.results if result.id == "soak.rounds"]
    judged.results = [soak if result.id == soak.id else result for result in judged.results]
    return report_of(judged, ReportHead("Lab 3", "Ann", "T-17"))


ONLY = ("timing.*", "frame.hello", "fault.packet-short-301", "always.clean")
FILTERED = "filtered by --only 'timing.*' --only 'frame.hello' --only 'fault.packet-short-301' --only 'always.clean'"


def test_the_fixture_holds_every_outcome(report: Report) -> None:
    counts = report.counts
    assert (counts.checks, counts.run, counts.passed, counts.failed, counts.not_run) == (CHECKS, 6, 5, 1, CHECKS - 6)
    assert counts.causes == {NotRunCause.FILTERED: CHECKS - 7, NotRunCause.UNATTENDED: 1}
    assert report.verdict is BenchVerdict.FAILED
    causes = f"({CHECKS - 7} {FILTERED}, 1 needs a person)"
    assert report.summary == f"Failed: 6 of {CHECKS} checks run, 1 failed; {CHECKS - 6} not run {causes}"


# ------------------------------------------------------------------ JUnit

SUITE = {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"}


def thousandths(of: ET.Element) -> int:
    """Its time in milliseconds."""
    return int(of.attrib["time"].replace(".", ""))


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
        assert thousandths(suite) == sum(map(thousandths, suite.findall("testcase")))
    assert thousandths(root) == sum(map(thousandths, root)) > 0
    assert root.attrib["tests"] == str(CHECKS)
    assert root.attrib["skipped"] == str(CHECKS - 6)


def test_junit_says_what_failed_and_what_was_not_run(report: Report) -> None:
    root = ET.fromstring(to_junit(report))
    (failure,) = root.iter("failure")
    assert "the misdeal record has the packets []" in failure.attrib["message"]
    assert "docs/protocol-reference.md#packet-shuffler" in str(failure.text)
    skipped = [each.attrib["message"] for each in root.iter("skipped")]
    assert sum(each == FILTERED for each in skipped) == CHECKS - 7
    assert sum(each.startswith("needs a person") for each in skipped) == 1


def test_junit_has_the_head_as_properties_of_every_suite(report: Report) -> None:
    for suite in ET.fromstring(to_junit(report)):
        found = {each.attrib["name"]: each.attrib["value"] for each in suite.iter("property")}
        assert found["verdict"] == "failed"
        assert found["summary"] == report.summary
        assert (found["checks"], found["run"], found["not-run"]) == (str(CHECKS), "6", str(CHECKS - 6))
        assert {fact.key: fact.text for fact in facts(report)}.items() <= found.items()
        assert found["report-sha256"] == report.sha256


def test_junit_survives_a_device_with_a_strange_name(report: Report) -> None:
    device = replace(report.device, maker='\x01<"&')
    strange = replace(report, line="tcp://<&>", device=device)
    assert ET.fromstring(to_junit(strange)).tag == "testsuites"
    assert "<&" not in to_html(strange).replace("&lt;&amp;", "")


# ------------------------------------------------------------------ JSON and text


def test_json_is_one_object_that_fits_its_schema(report: Report) -> None:
    found = json.loads(report.to_bytes())
    schema = json.loads((Path(__file__).parents[2] / "docs/schema/bench-2.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(found, schema)
    assert (found["schema"], found["type"], found["verdict"]) == ("dealwire.bench/2", "report", "failed")
    (reply,) = [check for check in found["checks"] if check["id"] == "timing.reply"]
    assert reply["measures"][0]["limit_ms"] == 100
    assert reply["measures"][0]["count"] == 200


def test_json_reads_back_to_the_same_and_to_the_same_bytes(report: Report) -> None:
    again = Report.from_json(report.to_bytes())
    assert again == report
    assert again.to_bytes() == report.to_bytes()
    assert report.to_bytes().count(b"\n") == 1


def test_the_head_names_whatever_the_result_depends_on(report: Report) -> None:
    plan = load_plan("shuffler")
    assert (report.plan.id, report.plan.origin, report.plan.checks) == ("shuffler", PlanOrigin.PACKAGED, CHECKS)
    assert [file.name for file in report.plan.files] == ["shuffler.toml", "link.toml"]
    hashes = [hashlib.sha256((FOLDER / file.name).read_bytes()).hexdigest() for file in plan.files]
    assert [file.sha256 for file in report.plan.files] == hashes
    assert report.plan.sha256 == hashlib.sha256("".join(f"{each}\n" for each in hashes).encode()).hexdigest()
    assert (report.protocol.dialect, report.protocol.version, report.protocol.common) == ("tdp", *[VERSION_TEXT] * 2)
    assert (report.device.serial, len(report.device.digest)) == ("SIM-0001", 64)
    assert (report.laboratory, report.operator, report.ticket) == ("Lab 3", "Ann", "T-17")
    assert report.options.only == ONLY
    assert report.hands == "simulated"
    began, ended = datetime.fromisoformat(report.began), datetime.fromisoformat(report.ended)
    assert began.utcoffset() == began.astimezone().utcoffset()
    assert began < ended
    assert report.program.version == __version__
    assert len(report.program.sha256) == 64


def test_every_form_has_the_same_head(report: Report) -> None:
    text, page, junit = "\n".join(text_lines(report)), to_html(report), to_junit(report)
    for fact in facts(report):
        for form, said in (("text", fact.text), ("html", escape(fact.text)), ("junit", escape(fact.text, quote=False))):
            assert said in {"text": text, "html": page, "junit": junit}[form], (form, fact)
    for form in (text, unescape(page), junit):
        assert report.summary in form
        assert "simulated: this report says nothing about a real device" in form


def test_what_was_not_run_is_named_in_every_form(report: Report) -> None:
    names = [check.id for check in report.of(BenchOutcome.NOT_RUN)]
    assert len(names) == CHECKS - 6
    text, page, junit = "\n".join(text_lines(report)), to_html(report), to_junit(report)
    for name in names:
        assert re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", text)
        assert f'id="{name}"' in page
        assert f'name="{name}"' in junit


def test_text_tells_what_failed_in_full(report: Report) -> None:
    text = "\n".join(text_lines(report))
    assert "FAIL  fault.packet-short-301" in text
    assert text.endswith(report.summary)
    assert f"----  {CHECKS - 7} not run: {FILTERED}" in text
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
    sections = {f"section-{check.section}" for check in report.checks}
    assert len(tags.ids) == len(set(tags.ids))
    assert set(tags.ids) == {check.id for check in report.checks} | sections | {"lanes"}
    assert "<script" not in page
    assert not [(tag, name) for tag, name, _ in tags.attributes if name == "src" or name.startswith("on")]
    links = [value for _, name, value in tags.attributes if name == "href"]
    assert {link[1:] for link in links} <= set(tags.ids)
    assert {link[0] for link in links} == {"#"}
    assert "url(" not in page
    assert "@import" not in page
    assert page.count("<svg viewBox") == sum(bool(check.timeline) for check in report.checks)


def test_html_is_short_enough_to_be_sent_whatever_the_time_lines_hold(report: Report) -> None:
    moments = tuple(LineMoment(at * 7.0, Actor.DEVICE, f"{at} GreenButton", bad=at % 3 == 0) for at in range(150))
    failed = [check.not_run(NotRunCause.LATE, "late") for check in report.checks]
    checks = tuple(replace(check, timeline=moments, duration_ms=2800.0) for check in failed)
    long = replace(report, checks=checks)
    page = to_html(long)
    assert len(page.encode()) <= MOST_BYTES
    assert all(f'id="{check.id}"' in page for check in checks)


def test_html_says_once_that_a_device_conforms(report: Report) -> None:
    page = to_html(replace(report, conformance="passed link 1.3, plan digest 00"))
    assert page.count("Conformance") == page.count("passed link 1.3") == 1


def test_html_tells_of_a_status_what_is_new(report: Report) -> None:
    (check,) = report.of(BenchOutcome.FAILED)
    whats = [f"ShufflerStatus last_event=1 faults={faults} in_tray=0" for faults in ("[]", "[301 501]")]
    moments = tuple(LineMoment(float(at), Actor.DEVICE, what, bad=False) for at, what in enumerate([*whats, whats[1]]))
    page = to_html(replace(report, checks=(replace(check, timeline=moments),)))
    lines = re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)[0].split("\n")
    assert [line.split("device ")[1] for line in lines] == [whats[0], "ShufflerStatus faults=[301 501]"]


def test_html_marks_what_was_wrong_on_the_time_line(report: Report) -> None:
    (check,) = report.of(BenchOutcome.FAILED)
    before = to_html(report).count('<path class="bad"')
    moment = LineMoment(0.0, Actor.DEVICE, "5 bytes, bad check", bad=True)
    marked = replace(report, checks=(replace(check, timeline=(*check.timeline, moment)),))
    assert to_html(marked).count('<path class="bad"') == before + 1


@pytest.mark.more
@needs_browser
def test_html_in_a_real_browser(report: Report, tmp_path: Path) -> None:
    """Light and dark, folded and unfolded, printed; nothing asks for the network, nothing runs off the page."""
    from playwright import sync_api

    file = tmp_path / "report.html"
    file.write_text(to_html(report))
    asked: list[str] = []
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS])
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
