"""The receive path of the reference device under sanitizers: the vectors, and a fuzzer's variations of them."""

import subprocess
from pathlib import Path

import pytest

from tests.support.rigs.firmware import BUILD, ROOT, make

pytestmark = pytest.mark.firmware

SECONDS = 20


def test_the_analyzer_finds_nothing() -> None:
    assert "nothing found" in make("analyze")


def test_a_fuzzer_finds_no_way_to_break_it(tmp_path: Path) -> None:
    make("sanitized")
    options = [f"-max_total_time={SECONDS}", "-max_len=2000", f"-artifact_prefix={tmp_path}/"]
    words = [str(BUILD / "fuzz-receive"), *options, str(tmp_path), str(ROOT / "firmware/fuzz/corpus")]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "Done " in done.stderr
