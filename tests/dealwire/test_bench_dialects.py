"""Shoes of other dialects are judged: a simulated one passes, each broken one is caught by the checks that should."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.bench.plan.plan import dialect_plans, load_plan
from dealwire.bench.record import BenchOutcome
from dealwire.bench.report.report import BenchVerdict
from dealwire.bench.verbs.dialect_probes import PROBES
from dealwire.cli import main
from protocol.cards import CARDS
from tests.support.broken.shoes import SHOES, CaughtShoe, failed_checks, judge_shoe

PAGES = Path(__file__).parents[2] / "docs/dialects"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", *arguments], catch_exceptions=False)


def anchors(dialect: str) -> set[str]:
    lines = (PAGES / f"{dialect}.md").read_text().splitlines()
    headings = [line.lstrip("# ").lower() for line in lines if line.startswith("#")]
    return {heading.replace(",", "").replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("dialect", dialect_plans())
def test_a_shoe_that_does_as_the_page_says_passes(dialect: str) -> None:
    report = judge_shoe(dialect)
    assert [(check.id, check.why) for check in report.checks if check.outcome is not BenchOutcome.PASSED] == []
    assert report.verdict is BenchVerdict.PASSED
    assert not report.conformance
    faces = {card.text for card in CARDS if card.is_playing}
    told = [entry.what for check in report.checks for entry in check.timeline]
    assert not [text for text in told if faces & set(text.split())]


@pytest.mark.parametrize("dialect", dialect_plans())
def test_every_check_cites_a_section_of_its_page(dialect: str) -> None:
    plan = load_plan(dialect)
    assert {entry.section for entry in plan.entries} <= anchors(dialect)
    assert len(set(plan.ids)) == len(plan.ids)
    assert tuple(rule.rule for rule in plan.rule) == PROBES[dialect].RULES


@pytest.mark.parametrize("each", SHOES, ids=lambda each: f"{each.dialect}-{each.name}")
def test_a_broken_shoe_is_caught_by_exactly_the_checks_that_should(each: CaughtShoe) -> None:
    assert set(failed_checks(judge_shoe(each.dialect, each.device))) == set(each.by)


@pytest.mark.parametrize("dialect", dialect_plans())
def test_from_the_command_line_with_every_form(dialect: str, tmp_path: Path) -> None:
    forms = {name: tmp_path / f"r.{name}" for name in ("report", "html", "junit")}
    result = run(dialect, "--simulated", *(part for name, file in forms.items() for part in (f"--{name}", str(file))))
    assert result.exit_code == 0, result.output
    assert f"docs/dialects/{dialect}.md" in result.output
    page = forms["html"].read_text()
    assert f"docs/dialects/{dialect}.md" in page
    linked = set(re.findall(r'href="#(section-[^"]+)"', page))
    assert linked
    assert linked <= set(re.findall(r'id="([^"]+)"', page)), "a section that is linked is there"
    verified = run("--verify", str(forms["report"]))
    assert verified.exit_code == 0, verified.output
    assert f"the plan '{dialect}' of this program" in verified.output
    trimmed = tmp_path / "t.json"
    trimmed.write_bytes(forms["report"].read_bytes().replace(b"Every byte belongs", b"Most bytes belong"))
    assert run("--verify", str(trimmed)).exit_code == 1


def test_over_a_real_pseudo_terminal_in_real_time() -> None:
    result = run("angel-eye", "--simulated", "--real-time", "--only", "commands.lock", "--only", "reports.cards")
    assert result.exit_code == 0, result.output
    assert result.output.count("\npass  ") + result.output.startswith("pass  ") == 2


def test_what_cannot_be_is_one_line() -> None:
    wrong = run("bee-tek", "--shuffler", "/dev/null")
    assert wrong.exit_code == 2
    assert "the plan 'bee-tek' is for a shoe: --shoe ADDRESS, or --simulated" in wrong.stderr
    for option, why in (("--allowance", "sets no time limits"), ("--rounds", "has no soak test")):
        wrong = run("angel-eye", "--shoe", "/dev/null", option, "9")
        assert wrong.exit_code == 2
        assert f"{option} does not apply: the plan 'angel-eye' {why}" in wrong.stderr
    listed = run("--list").output
    assert "angel-eye" in listed
    assert "commands.bad-check" in run("angel-eye", "--list").output
