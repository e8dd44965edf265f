"""The comparison of two commits finds no difference between a tree and itself, and every change in a copy of it."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.programs import compare_commits
from tests.support.programs.compare_commits import PLAYERS, Compared, commit_of, compare, main, tree_of

pytestmark = pytest.mark.more

SMALL = ["HEAD", "--rounds", "2", "--procedure", "flushes-gone-wild.sd"]
"""Arguments for a procedure with a burn, which a game settles."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the folder of inputs and answers; skip without the history."""
    try:
        for players in PLAYERS:
            commit_of(players)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip(f"not here: no git, or not its history: commits {', '.join(PLAYERS)}")
    folder = tmp_path_factory.mktemp("compared")
    yield folder
    shutil.rmtree(folder)


def test_this_tree_deals_as_its_last_commit(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main([*SMALL, "--keep", str(kept)])
    printed = capsys.readouterr().out
    assert code == 0, f"what was changed on purpose must be committed first\n{printed}"
    counts = dict(line.strip("| ").split(" | ") for line in printed.splitlines() if line.startswith("| "))
    assert int(counts["rounds"]) > 20
    assert int(counts["settlements"]) > 20
    assert int(counts["incidents"]) > 20
    assert counts["broken off by an error, in the other commit too"] == "0"


@pytest.mark.parametrize(
    ("file", "was", "becomes", "differs"),
    [
        (
            "dealer_flow/games/flushes-gone-wild/sd.deal.toml",
            "positions = [1, 4, 5]",
            "positions = [1, 3, 5]",
            "wrong-burn",
        ),
        (
            "dealer_flow/**/no-general-rules.toml",
            'option = "seat-count"',
            'option = "community-count"',
            "seats[].status",
        ),
        (
            "dealer_flow/games/flushes-gone-wild/co.pays.toml",
            'pays = "1 to 1"',
            'pays = "2 to 1"',
            "settlement.lines[].pay",
        ),
    ],
    ids=["burn", "count", "pay"],
)
def test_a_changed_tree_is_found(
    kept: Path, capsys: pytest.CaptureFixture[str], file: str, was: str, becomes: str, differs: str
) -> None:
    main([*SMALL, "--keep", str(kept)])  # makes the tree and its answers when this test runs alone
    tree = kept / "changed"
    shutil.copytree(tree_of(commit_of("HEAD"), kept), tree)
    try:
        (path,) = tree.glob(file)
        text = path.read_text(encoding="utf-8")
        assert was in text
        path.write_text(text.replace(was, becomes), encoding="utf-8")
        capsys.readouterr()
        assert main([*SMALL, "--keep", str(kept), "--tree", str(tree)]) == 1
    finally:
        shutil.rmtree(tree)
    assert differs in capsys.readouterr().out


INCIDENT = {"type": "incident", "code": "jam", "text": "a jam", "clause": "(7)", "place": "seat 1", "events": []}


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"text": "cards jammed", "facts": {"cards": 2}}, None),
        ({"clause": "(8)"}, "incident.clause"),
        ({"called": "supervisor"}, "incident.called"),
        ({"type": "round"}, "incident and round"),
    ],
)
def test_an_incident_is_its_facts(change: dict[str, object], path: str | None) -> None:
    found = Compared()
    old, new = ({"said": [[3, each]]} for each in (INCIDENT, INCIDENT | change))
    compare(found, {"id": "one", "reports": []}, old, new)
    assert [each.path for each in found.differences] == ([path] if path else [])


def test_what_is_declared_is_counted_and_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    found, declared = Compared(), {"round.deck.loaded": "a reason"}
    old = {"type": "round", "deck": {"loaded": 52, "deck": 1}}
    for new in ({"loaded": 51, "deck": 1}, {"loaded": 51, "deck": 2}):
        compare(found, {"id": "one"}, {"said": [[0, old]]}, {"said": [[0, old | {"deck": new}]]}, declared)
    assert found.declared == {"round.deck.loaded": 2}
    assert [each.path for each in found.differences] == ["round.deck.deck"]


def test_answers_that_are_missing_differ() -> None:
    found = Compared()
    compare(found, {"id": "one", "reports": []}, {"said": [[3, INCIDENT]]}, {"said": []})
    assert found.differing == 1


def test_a_tree_that_cannot_be_imported_says_why(tmp_path: Path) -> None:
    (tmp_path / "dealer_flow").mkdir()
    (tmp_path / "dealer_flow" / "__init__.py").write_text("raise ImportError('half moved')")
    with pytest.raises(SystemExit, match="half moved"):
        compare_commits.run_in(tmp_path, compare_commits.DEAL, [], cwd=tmp_path)
