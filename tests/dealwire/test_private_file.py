"""Files of secrets: whose they are, and who else may use them."""

import os
from pathlib import Path

import pytest

from dealwire.config.private_file import why_unsafe, why_unsafe_facts


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o700])
def test_a_file_of_ones_own_is_safe(mode: int, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.touch()
    file.chmod(mode)
    assert why_unsafe(file) is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o777])
def test_a_file_that_others_may_use_is_not(mode: int, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.touch()
    file.chmod(mode)
    assert why_unsafe(file) == f"others may use it (mode {mode:04o}); allowed: 0600 (chmod 600 {file})"


@pytest.mark.skipif(os.geteuid() != 0, reason="not here: only root may give a file away")
def test_a_file_of_another_user_is_not(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.touch(0o600)
    os.chown(file, 12345, -1)
    assert why_unsafe(file) == f"it belongs to user 12345; allowed: user 0 or root (chown {file})"
    with file.open("rb") as opened:
        assert why_unsafe_facts(os.fstat(opened.fileno()), file) == why_unsafe(file)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        why_unsafe(tmp_path / "none")
