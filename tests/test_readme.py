"""Claims of the README are run: its example, its commands, its links, its exit codes."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

from dealer_flow.procedure.load import known_procedures
from dealwire.cli import COMMANDS
from dealwire.cli.exits import Exit
from docs._print import commands, procedure_count
from tests.support.reading.each import of_each

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
CLI = (ROOT / "docs" / "cli.md").read_text()
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")])


SOURCES = sorted([*ROOT.glob("dealwire/**/*.py"), *ROOT.glob("rules/**/*.py")])
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_example_runs() -> None:
    (example,) = EXAMPLES
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    for line in (
        r"body=PacketDispensed\(deck=1, ordinal=1, expected=5, counted=5",
        r'"type":"settlement".*"id":"flushes-gone-wild.wa"',
        r'"type":"settlement".*"id":"ultimate-texas-holdem.co"',
        r"^5 play lose -5000 flush of 3 .* 47\.1-1017\.60\(11\)$",
        r"^next may happen: \w",
    ):
        assert re.search(line, done.stdout, re.MULTILINE), done.stdout
    assert len([line for line in example.splitlines() if line.strip()]) <= 30


def test_it_is_short_enough_to_be_read() -> None:
    assert len(README.splitlines()) <= 80


def test_the_procedures_are_counted() -> None:
    """`make docs` counts them; no one types the number."""
    quality = (ROOT / "docs" / "quality.md").read_text()
    assert procedure_count.pages() == {"../README.md": README, "quality.md": quality}
    found = re.findall(r"\*\*(\d+) procedures\*\*", README) + re.findall(r"all (\d+) procedures", quality)
    assert found == [f"{len(known_procedures())}"] * 2


def test_every_command_is_listed() -> None:
    listed = re.findall(r"^\| `dealwire ([\w-]+)", CLI, re.MULTILINE)
    assert listed == [*COMMANDS]
    assert commands.PAGES.keys() == COMMANDS.keys()


def test_the_demo_environment_runs_every_command_that_is_named() -> None:
    """`make demo` installs every extra that a command of the README needs."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    locked = (ROOT / "locks/demo.txt").read_text()
    for requirement in {Requirement(each) for extra in extras.values() for each in extra}:
        if requirement.name != "dealwire":
            assert f"\n{requirement.name}" in locked, f"make demo lacks {requirement}"
    named = re.findall(r'ExtraMissing\([^,]+, "([\w-]+)"\)', "".join(path.read_text() for path in SOURCES))
    assert {"odds", "console", "fleet"} <= {*named} <= extras.keys()


def test_every_exit_code_is_listed() -> None:
    section = CLI.partition("## Exit codes\n")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| (\d+) \|", section, re.MULTILINE)
    assert listed == [f"{code.value}" for code in sorted(Exit)]


def test_every_make_target_is_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z]+)`", README)) | {"demo", "test"} <= targets


@of_each("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", re.sub("`[^`\n]*`", "``", page.read_text())):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
