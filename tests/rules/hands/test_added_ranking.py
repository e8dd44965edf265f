"""A ranking added by an installed package: the one of `docs/rankings.md`, as pip installs it."""

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol.cards import parse_cards
from rules.hands import GROUP, BadRanking, Ranking, ranking, ranking_ids

PAGE = (Path(__file__).parents[3] / "docs/rankings.md").read_text(encoding="utf-8")
NAME = "last-digit"


def install(folder: Path, name: str, value: str, package: str = "toy") -> None:
    """Write the files that pip installs: the module, and the metadata with its entry point."""
    source = re.search(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert source is not None
    (folder / "last_digit.py").write_text(source[1], encoding="utf-8")
    info = folder / f"{package}_{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}-{name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {value}\n")
    importlib.invalidate_caches()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which packages are found; modules loaded from it are unloaded afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    ranking.cache_clear()
    yield tmp_path
    ranking.cache_clear()
    sys.modules.pop("last_digit", None)


def test_a_package_adds_one(installed: Path) -> None:
    assert NAME not in ranking_ids()
    install(installed, NAME, "last_digit:RANKING")
    assert ranking_ids()[-1] == NAME
    found = ranking(NAME)
    assert isinstance(found, Ranking)
    assert found.rank(parse_cards("9S 8D KC"), {}).key == 7


def test_it_cannot_replace_one_that_comes_with_the_program(installed: Path) -> None:
    install(installed, "poker", "last_digit:RANKING")
    assert ranking("poker").vocabulary == "poker"
    assert ranking_ids().count("poker") == 1


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("odd", "last_digit:NOTHING", r"ranking 'odd' \(last_digit:NOTHING\): it cannot be loaded: "),
        ("odd", "last_digit:NAME", r"ranking 'odd' \(last_digit:NAME\): it cannot be loaded: "),
        ("odd", "last_digit:LastDigit.id", r"ranking 'odd' \(.*\): it must be a Ranking, not str"),
        ("odd", "last_digit:RANKING", r"ranking 'odd' \(last_digit:RANKING\): its id is 'last-digit'"),
        ("odd", "no_such_module:X", r"ranking 'odd' \(no_such_module:X\): it cannot be loaded: No module"),
    ],
)
def test_a_bad_one_says_what_is_wrong(installed: Path, name: str, value: str, why: str) -> None:
    install(installed, name, value)
    with pytest.raises(BadRanking, match=f"^{why}"):
        ranking(name)


def test_two_packages_with_one_name_are_refused(installed: Path) -> None:
    install(installed, NAME, "last_digit:RANKING")
    install(installed, NAME, "elsewhere:RANKING", package="other")
    with pytest.raises(BadRanking, match="more than one package declares it"):
        ranking(NAME)


def test_the_page_names_every_ranking_that_comes_along() -> None:
    table = PAGE.split("\n## ")[0]
    assert set(re.findall(r"`([a-z0-9-]+)`", "".join(re.findall(r"^\| (`[^|]*)\|", table, re.MULTILINE)))) == set(
        ranking_ids()
    )
