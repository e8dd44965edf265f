"""The lock files hold every requirement of pyproject.toml, by hash, and name no index."""

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS, GROUPS = PROJECT["project"]["optional-dependencies"], PROJECT["dependency-groups"]
PARTS = dict(re.findall(r"^part (\S+) (.*)$", (ROOT / ".ci/lock").read_text(), re.MULTILINE))
"""Options of each lock file, by its name."""
_PIN = re.compile(r"^([a-z0-9-]+)(?:\[[a-z,-]+\])?==(\S+)((?: ; [^\\]+)?) \\$")


def pins(name: str) -> dict[str, str]:
    """Return the versions that one file pins, by distribution."""
    found = (_PIN.match(line) for line in (ROOT / f"locks/{name}.txt").read_text().splitlines())
    return {match[1]: match[2] for match in found if match}


def asked(options: str) -> list[Requirement]:
    """Return the requirements that these options of `uv pip compile` name."""
    words = options.split()
    named = [*pairwise(words)]
    extras = [*EXTRAS] if "--all-extras" in words else [value for option, value in named if option == "--extra"]
    texts = [*PROJECT["project"]["dependencies"]]
    while extras:
        for text in EXTRAS[extras.pop()]:
            needed = Requirement(text)
            extras += needed.extras if needed.name == "dealwire" else []
            texts += [] if needed.name == "dealwire" else [text]
    groups = [value for option, value in named if option == "--group"]
    while groups:
        for entry in GROUPS[groups.pop()]:
            (groups.append(entry["include-group"]) if isinstance(entry, dict) else texts.append(entry))
    return [Requirement(text) for text in texts]


def test_each_environment_of_the_makefile_has_a_lock_and_no_other() -> None:
    installed = re.findall(r"\.ci/install-locked \S+ (\S+)", (ROOT / "Makefile").read_text())
    assert {path.stem for path in (ROOT / "locks").iterdir()} == PARTS.keys() == {*installed, "table", "lock"}


@pytest.mark.parametrize("name", PARTS)
def test_what_the_project_asks_for_is_locked(name: str) -> None:
    locked = pins(name)
    asked_for = asked(PARTS[name])
    assert len(asked_for) > 7
    for one in asked_for:
        version = locked.get(canonicalize_name(one.name), "")
        assert one.specifier.contains(version, prereleases=True), f"{one}: locked is {version!r}; run: make lock"


@pytest.mark.parametrize("name", PARTS)
def test_every_line_is_a_pin_or_its_hash(name: str) -> None:
    for number, line in enumerate((ROOT / f"locks/{name}.txt").read_text().splitlines(), 1):
        hashed = re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}( \\)?", line)
        assert hashed or _PIN.match(line) or line.startswith("#"), f"locks/{name}.txt:{number}: {line}"


def test_no_two_environments_differ_in_a_version() -> None:
    versions: dict[str, set[str]] = {}
    for name in PARTS:
        for distribution, version in pins(name).items():
            versions.setdefault(distribution, set()).add(version)
    assert {distribution: found for distribution, found in versions.items() if len(found) > 1} == {}
