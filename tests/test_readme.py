"""What the README says is run: its example, its commands, its links, its exit codes."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from dealer_flow.procedure.load import known_procedures
from dealwire.cli import COMMANDS
from dealwire.cli.exits import Exit
from docs._print import counts
from tests.support.reading.each import of_each

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")])


SOURCES = sorted([*ROOT.glob("dealwire/**/*.py"), *ROOT.glob("rules/**/*.py")])
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (0, [r"body=PacketDispensed\(deck=1, ordinal=1, expected=5, counted=5"]),
        (1, [r'"type":"settlement"', r'"id":"ultimate-texas-holdem.co"']),
        (2, [r"^1 round settled", r"^next may happen: \w"]),
    ],
)
def test_the_examples_run(number: int, says: list[str]) -> None:
    assert len(EXAMPLES) == 3
    example = EXAMPLES[number]
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    for line in says:
        assert re.search(line, done.stdout, re.MULTILINE), done.stdout
    assert len([line for line in example.splitlines() if line.strip()]) <= 8


def test_the_procedures_are_counted() -> None:
    """By `make docs`, and by nobody who types."""
    quality = (ROOT / "docs" / "quality.md").read_text()
    assert counts.pages() == {"../README.md": README, "quality.md": quality}
    found = re.findall(r"\*\*(\d+) procedures\*\*", README) + re.findall(r"all (\d+) procedures", quality)
    assert found == [f"{len(known_procedures())}"] * 2


def test_every_command_is_listed() -> None:
    listed = set(re.findall(r"^\| `dealwire ([\w-]+)", README, re.MULTILINE))
    assert listed == set(COMMANDS)


FOR_THEMSELVES = {"docs", "bench", "firmware", "kaitai", "test"}
"""Extras of those who work on the project."""


def test_the_demo_environment_runs_every_command_that_is_named() -> None:
    """Whatever extra a command of the README needs, `make demo` installs."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    installed = re.search(r"^EXTRAS := (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert installed is not None
    there = {requirement for name in installed[1].split(",") for requirement in extras[name]}
    for name in extras.keys() - FOR_THEMSELVES:
        assert there >= {*extras[name]}, f"make demo lacks the extra {name}"
    named = re.findall(r'ExtraMissing\([^,]+, "([\w-]+)"\)', "".join(path.read_text() for path in SOURCES))
    assert {"odds", "console", "fleet"} <= {*named} <= extras.keys()


def test_every_exit_code_is_listed() -> None:
    stated = README[README.index("Exit codes:") :].split("\n\n")[0]
    assert {int(number) for number in re.findall(r"\b(\d+) [a-zC]", stated)} == {int(code) for code in Exit}


def test_every_make_target_is_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z]+)`", README)) | {"demo", "test"} <= targets


@of_each("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", re.sub("`[^`\n]*`", "``", page.read_text())):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
