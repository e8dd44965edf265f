"""What the README says is run: its example, its commands, its links, its exit codes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from dealwire.cli import COMMANDS
from dealwire.cli.exits import Exit

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")])


def example() -> str:
    found = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert found
    return found[1]


def test_the_example_runs_and_settles_a_round() -> None:
    done = subprocess.run([sys.executable, "-c", example()], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert '"type":"settlement"' in done.stdout
    assert "next may happen: " in done.stdout


def test_the_example_is_short() -> None:
    assert len([line for line in example().splitlines() if line.strip()]) <= 12


def test_every_command_is_listed() -> None:
    listed = set(re.findall(r"^\| `dealwire ([\w-]+)", README, re.MULTILINE))
    assert listed == set(COMMANDS)


def test_every_exit_code_is_listed() -> None:
    stated = README[README.index("Exit codes:") :].split("\n\n")[0]
    assert {int(number) for number in re.findall(r"\b(\d+) [a-zC]", stated)} == {int(code) for code in Exit}


def test_every_make_target_is_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z]+)`", README)) | {"demo", "test"} <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
