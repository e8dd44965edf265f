"""The numbers in the C header are those of the program's declarations."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_header_is_as_it_would_be_printed_now() -> None:
    script = ROOT / "firmware/print_header.py"
    printed = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert (ROOT / "firmware/include/tdp_numbers.h").read_text() == printed, "run `make docs`"


def test_every_source_says_under_which_licence_it_may_be_used() -> None:
    sources = [path for kind in ("*.c", "*.h", "*.ld") for path in (ROOT / "firmware").rglob(kind)]
    assert len(sources) > 20
    assert [path.name for path in sources if "SPDX-License-Identifier: Apache-2.0" not in path.read_text()] == []
