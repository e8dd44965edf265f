"""What is built is what runs: a wheel made from the sdist holds every module and data file, and nothing else."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.more

ROOT = Path(__file__).parent.parent
PACKAGES = ("protocol", "devices", "dealer_flow", "rules", "dealwire")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel built from the sdist, not from the checkout."""
    folder = tmp_path_factory.mktemp("built")
    hatchling = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run([*hatchling, "-t", "sdist"], check=True, capture_output=True, cwd=ROOT)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as sdist:
        sdist.extractall(folder, filter="data")
    subprocess.run([*hatchling, "-t", "wheel"], check=True, capture_output=True, cwd=folder / archive.name[:-7])
    (built,) = folder.glob("*.whl")
    return built


def test_every_module_and_data_file_is_in_the_wheel(wheel: Path) -> None:
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    ours = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert inside == ours
    assert any(name.endswith("games/flushes-gone-wild/co.deal.toml") for name in inside)
    assert {f"{package}/py.typed" for package in PACKAGES} <= inside


def test_the_installed_program_runs_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    recording = ROOT / "captures/clean-1.pcapng"
    done = subprocess.run(
        [sys.executable, "-P", "-m", "dealwire", "replay", str(recording)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    assert "complete" in done.stdout
