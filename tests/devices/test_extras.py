"""A part that is not installed is named with the command that installs it, for each way of installing this program."""

from __future__ import annotations

import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from dealwire.host import EXTRAS
from devices import extras
from rules.errors import ExtraMissing

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout whose name needs quoting in a shell."""
    made = tmp_path / "a check'out"
    made.mkdir()
    return made


def came(monkeypatch: pytest.MonkeyPatch, note: dict[str, Any] | None) -> None:
    monkeypatch.setattr(extras, "origin", lambda: note)


def test_from_a_checkout_it_is_installed_from_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note: dict[str, Any] = {"url": folder.as_uri(), "dir_info": {"editable": True}}
    came(monkeypatch, note)
    words = shlex.split(extras.install_command("console", "mqtt"))
    assert words == [sys.executable, "-P", "-m", "pip", "install", "--editable", f"{folder}[console,mqtt]"]
    assert words == extras.install_arguments("console", "mqtt")
    came(monkeypatch, {"url": folder.as_uri(), "dir_info": {}})
    assert shlex.split(extras.install_command("console")) == [*words[:5], f"{folder}[console]"]


def test_from_a_wheel_it_is_installed_from_the_wheel(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = folder / "dealwire-1-py3-none-any.whl"
    wheel.touch()
    came(monkeypatch, {"url": wheel.as_uri(), "archive_info": {}})
    assert shlex.split(extras.install_command("usb")) == [sys.executable, "-P", "-m", "pip", "install", f"{wheel}[usb]"]
    wheel.unlink()
    assert extras.install_command("usb").endswith("pip install 'dealwire[usb]'"), "a file that is gone helps nobody"


def test_from_a_repository_it_is_the_same_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    vcs = {"vcs": "git", "commit_id": "c0ffee"}
    came(monkeypatch, {"url": "https://example.org/d.git", "vcs_info": vcs})
    assert extras.install_command("odds").endswith("install 'dealwire[odds] @ git+https://example.org/d.git@c0ffee'")


def test_by_its_name_it_is_got_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    came(monkeypatch, None)
    assert extras.install_command("console") == "pip install 'dealwire[console]'"
    assert extras.install_command() == "pip install dealwire"
    assert str(ExtraMissing("numpy", "odds")) == "numpy is not installed; pip install 'dealwire[odds]'"


@pytest.mark.parametrize("text", [None, "", "nonsense", "[]"])
def test_whatever_pip_noted_there_is_a_command(text: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    class Noted:
        def read_text(self, _: str) -> str | None:
            return text

    monkeypatch.setattr(extras.metadata, "distribution", lambda _: Noted())
    extras.origin.cache_clear()
    try:
        assert extras.install_command("usb") == "pip install 'dealwire[usb]'"
    finally:
        extras.origin.cache_clear()


def test_these_tests_run_from_a_checkout() -> None:
    """So the printed command works here."""
    if not extras.is_editable(extras.origin()):
        pytest.skip("dealwire is not installed from this checkout (make test does)")
    assert extras.install_command("usb") == shlex.join(
        [sys.executable, "-P", "-m", "pip", "install", "--editable", f"{ROOT}[usb]"]
    )


def test_doctor_lists_every_extra_of_a_user() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert EXTRAS.keys() | {"table"} == project.keys()


def test_no_command_is_written_out_in_the_program() -> None:
    for package in ("protocol", "devices", "dealer_flow", "rules", "dealwire"):
        for path in (ROOT / package).rglob("*.py"):
            assert "dealwire[" not in path.read_text(), f"{path}: use devices.extras.install_command"
