"""A report for the files of a laboratory: its number and the conditions on the first page of each form, and a PDF."""

import io
import re
from pathlib import Path

import pypdf
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from dealwire.bench.record import BenchOutcome
from dealwire.bench.report.html import to_html
from dealwire.bench.report.pdf import to_pdf
from dealwire.bench.report.report import Report, read_report
from dealwire.bench.report.text import text_lines, to_junit
from dealwire.cli import main

CONDITIONS = """
schema = "dealwire.conditions/1"
number = "2026-0417"
laboratory = "Lab 3"
operator = "A. Smith"
ticket = "4711"
environment = "22 °C, 45 % RH, 230 V"
sample = "hardware revision C, seals 11 to 14"
[[instrument]]
name = "thermometer"
number = "T-17"
calibrated = "2026-05-02 by the maker"
[[instrument]]
name = "clock of this machine, NTP"
"""
TOLD = (
    "2026-0417", "Lab 3", "A. Smith", "4711", "22 °C, 45 % RH, 230 V", "hardware revision C, seals 11 to 14",
    "thermometer T-17, calibrated 2026-05-02 by the maker; clock of this machine, NTP",
)  # fmt: skip


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", *arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a report with its PDF, from a run whose conditions are in a file."""
    folder = tmp_path_factory.mktemp("paper")
    (folder / "lab.toml").write_text(CONDITIONS, encoding="utf-8")
    files = (
        "--conditions",
        str(folder / "lab.toml"),
        "--report",
        str(folder / "r.json"),
        "--pdf",
        str(folder / "r.pdf"),
    )
    result = run("shuffler", "--simulated", "--speed", "20", "--only", "frame.*", "--only", "deal.lock", *files)
    assert result.exit_code == 0, result.output
    return folder


@pytest.fixture(scope="module")
def report(folder: Path) -> Report:
    return read_report(folder / "r.json")[0]


def pages(data: bytes) -> list[str]:
    """The words of each page, a blank between any two."""
    return [re.sub(r"\s+", " ", page.extract_text()) for page in pypdf.PdfReader(io.BytesIO(data)).pages]


def test_the_conditions_stand_at_the_head_of_each_form(report: Report) -> None:
    text = "\n".join(text_lines(report))
    for told in TOLD:
        assert told in text
        assert told in to_html(report).split("By area")[0]
        assert told in to_junit(report)


def test_they_stand_on_the_first_page_of_the_pdf(folder: Path) -> None:
    first = pages((folder / "r.pdf").read_bytes())[0]
    for told in (*TOLD, "Decision rule", "Allowance"):
        assert told in first


def test_each_page_has_its_number_and_the_report_s(folder: Path) -> None:
    found = pages((folder / "r.pdf").read_bytes())
    assert len(found) > 2
    for number, page in enumerate(found, 1):
        assert f"Packet shuffler, report 2026-0417 page {number} of {len(found)} dealwire bench report" in page


def test_the_pdf_has_each_check_beside_its_section_and_room_for_signatures(folder: Path, report: Report) -> None:
    found = pages((folder / "r.pdf").read_bytes())
    whole = " ".join(found)
    for check in report.checks:
        assert f"{check.section} {check.id}" in whole
    assert "Signatures Tested by Date Approved by Date" in found[-1]
    assert report.sha256 in whole


def test_the_pdf_says_what_failed_and_why(report: Report) -> None:
    first = replace(report.checks[0], outcome=BenchOutcome.FAILED, why="no HelloReply within 250 ms")
    whole = " ".join(pages(to_pdf(replace(report, checks=(first, *report.checks[1:])))))
    assert f"Failed check requirement result {first.id}" in whole
    assert "no HelloReply within 250 ms" in whole


def test_the_same_report_gives_the_same_pdf(report: Report, folder: Path) -> None:
    assert to_pdf(report) == (folder / "r.pdf").read_bytes()


def test_it_is_made_again_from_a_report_that_holds(folder: Path, tmp_path: Path) -> None:
    result = run("--verify", str(folder / "r.json"), "--pdf", str(tmp_path / "again.pdf"))
    assert result.exit_code == 0, result.output
    assert (tmp_path / "again.pdf").read_bytes() == (folder / "r.pdf").read_bytes()


def test_an_option_takes_the_place_of_what_the_file_says(folder: Path, tmp_path: Path) -> None:
    report = tmp_path / "r.json"
    said = ("--number", "2026-0418", "--instrument", "clock X", "--instrument", "meter Y", "--conditions")
    only = ("link", "--simulated", "--only", "frame.hello", "--report", str(report))
    assert run(*only, *said, str(folder / "lab.toml")).exit_code == 0
    found = read_report(report)[0]
    assert found.conditions
    assert found.conditions.number == "2026-0418"
    assert found.conditions.instruments == ("clock X", "meter Y")
    assert found.conditions.environment == "22 °C, 45 % RH, 230 V"
    assert found.operator == "A. Smith"


def test_nobody_said_any(tmp_path: Path) -> None:
    report = tmp_path / "r.json"
    assert run("link", "--simulated", "--only", "frame.hello", "--report", str(report)).exit_code == 0
    assert b'"conditions"' not in report.read_bytes()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('schema = "dealwire.conditions/1"\nplace = "x"\n', "place: unknown key"),
        ('schema = "dealwire.conditions/1"\n[[instrument]]\nnumber = "1"\n', "instrument[1].name: missing"),
        ('schema = "dealwire.conditions/1"\nnumber = "a\\u001bb"\n', "number: must be printable"),
    ],
)
def test_a_file_that_cannot_be_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(text)
    result = run("link", "--simulated", "--only", "frame.hello", "--conditions", str(file))
    assert result.exit_code == 2
    assert says in result.output
    assert result.output.count("\n") == 1
