"""Packages of another commit, to be measured with the benchmarks of this tree on the same recordings."""

import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
PACKAGES: Final = ("protocol", "devices", "dealer_flow", "rules", "dealwire")
OURS: Final = ("benchmarks", "captures")
"""Folders that come from this tree for every commit: the benchmarks and their input."""


class NoCommit(ValueError):
    """Commit `name` that is not in this repository, or has no packages."""

    def __init__(self, name: str, why: str) -> None:
        self.name, self.why = name, why
        super().__init__(f"{name}: {why}")


@contextmanager
def tree_of(commit: str) -> Iterator[Path]:
    """Yield a folder with the packages of a commit and this tree's benchmarks. Raise NoCommit if there is no such
    commit."""
    command = ["git", "-C", str(ROOT), "archive", f"{commit}^{{commit}}", *PACKAGES]
    try:
        made = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise NoCommit(commit, "git is not installed") from error
    if made.returncode:
        raise NoCommit(commit, made.stderr.decode(errors="replace").strip().splitlines()[-1])
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(made.stdout)) as files:
            files.extractall(folder, filter="data")
        for name in OURS:
            (Path(folder) / name).symlink_to(ROOT / name)
        yield Path(folder)


def command(module: str, *arguments: str) -> list[str]:
    """Return the command line that runs a module of this folder; use it with `environment`."""
    return [sys.executable, "-P", "-m", f"benchmarks.{module}", *arguments]


def environment(tree: Path) -> Mapping[str, str]:
    """Return the environment in which a program takes its packages from `tree` and gives every set the same order."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "COV"))}
    return kept | {"PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"}


def output_of(tree: Path, module: str, *arguments: str) -> str:
    """Return the program's standard output; raise RuntimeError if it fails. Its errors are shown, except for another
    tree, which may lack anything."""
    done = subprocess.run(
        command(module, *arguments),
        env=environment(tree),
        cwd=tempfile.gettempdir(),
        stdout=subprocess.PIPE,
        stderr=None if tree == ROOT else subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"benchmarks.{module} failed in {tree}:\n{(done.stderr or '')[-3000:]}")
    return done.stdout
