"""Pages and settings for contributors: everything that they name exists, and everything that they promise runs."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text()
FOR_CONTRIBUTORS = ("CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "changes/README.md")
RECORDS = sorted((ROOT / "docs/decisions").glob("0*.md"))
SECTIONS = ["Decision", "Why", "Rejected", "Consequences", "Revisit when"]


@pytest.mark.parametrize("page", FOR_CONTRIBUTORS)
def test_links_and_paths_exist(page: str) -> None:
    text = (ROOT / page).read_text()
    missing = [
        target
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
        if not target.startswith("https://") and not (ROOT / page).parent.joinpath(target).exists()
    ]
    packages = r"`((?:protocol|devices|dealer_flow|rules|dealwire|firmware|tests|docs)/[\w./-]+)`"
    missing += [path for path in re.findall(packages, text) if not (ROOT / path).exists()]
    assert not missing


@pytest.mark.parametrize("page", FOR_CONTRIBUTORS)
def test_make_targets_exist(page: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    commands = " ".join(re.findall(r"`[^`]+`", (ROOT / page).read_text()))
    named = " ".join(re.findall(r"\bmake ((?:[a-z-]+ ?)+)", commands))
    assert {*named.split()} <= targets


def test_pre_commit_runs_what_make_check_runs() -> None:
    settings = ROOT / ".pre-commit-config.yaml"
    validate = [sys.executable, "-m", "pre_commit", "validate-config", settings]
    done = subprocess.run(validate, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    hooks = [hook for repo in yaml.safe_load(settings.read_text())["repos"] for hook in repo["hooks"]]
    check = re.search(r"^check: .*\n\t@\$\(MAKE\) --no-print-directory -j 2 (.*)$", MAKEFILE, re.MULTILINE)
    assert check is not None
    assert [hook["entry"].split()[-1] for hook in hooks] == check[1].split()


def test_a_fragment_becomes_a_part_of_the_change_log(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes/+by-seat.added.md").write_text("`--seat` finds the rounds of a seat.\n")
    (tmp_path / "changes/7.fixed.md").write_text("A repeated round is not paid.\n")
    build = [sys.executable, "-m", "towncrier", "build", "--yes", "--version", "9.9.9", "--date", "2030-01-02"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True)
    assert "9.9.9" in (tmp_path / "CHANGELOG.md").read_text(), done.stderr
    before, after = (ROOT / "CHANGELOG.md").read_text(), (tmp_path / "CHANGELOG.md").read_text()
    new = after.replace("\n", " ").split("<!-- releases below -->")[1]
    assert re.match(r"\s+## 9\.9\.9 \(2030-01-02\)\s+### Added\s+- `--seat` .*### Fixed\s+- A repeated .* \(#7\)", new)
    assert after.endswith(before.split("<!-- releases below -->\n")[1].strip() + "\n")
    assert not [*(tmp_path / "changes").iterdir()]


def test_every_waiting_fragment_has_a_kind() -> None:
    kinds = re.findall(r"^\| `(\w+)`", (ROOT / "changes/README.md").read_text(), re.MULTILINE)
    waiting = [path.name for path in (ROOT / "changes").iterdir() if path.name != "README.md"]
    assert not [name for name in waiting if not re.fullmatch(rf"(\+[a-z0-9-]+|\d+)\.({'|'.join(kinds)})\.md", name)]


def test_issue_forms_can_be_read() -> None:
    forms = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[0-9]*.yml"))
    assert len(forms) == 4
    for form in forms:
        content = yaml.safe_load(form.read_text())
        assert content.keys() >= {"name", "description", "body"}
        assert len({field["id"] for field in content["body"]}) == len(content["body"])
        assert all(field["attributes"]["label"] for field in content["body"])


def test_decision_records_have_one_form_and_are_listed() -> None:
    assert len(RECORDS) >= 12
    contents = (ROOT / "docs/decisions/README.md").read_text()
    for number, path in enumerate(RECORDS, 1):
        title, *rest = path.read_text().splitlines()
        assert path.name.startswith(f"{number:04}-")
        assert title.startswith(f"# {number}. ")
        assert [line[3:] for line in rest if line.startswith("## ")] == SECTIONS
        assert f"| [{number}]({path.name}) | {title.split('. ', 1)[1]} |" in contents


def test_the_support_policy_names_the_version_of_every_schema() -> None:
    table = (ROOT / "docs/support.md").read_text().split("## File versions")[1].split("\n## ")[0]
    stated = {}
    for names, written in re.findall(r"^\| (`dealwire\.[^|]+) \| (\d+) \|", table, re.MULTILINE):
        stated |= {name.removeprefix("dealwire."): written for name in re.findall(r"`([\w.-]+)`", names)}
    schemas = [path.stem.rpartition("-") for path in (ROOT / "docs/schema").glob("*.json")]
    assert stated == {name: number for name, _, number in schemas if name != "protocol"}
