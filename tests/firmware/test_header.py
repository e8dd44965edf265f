"""The numbers in the C header are those of the program's declarations."""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_header_is_as_it_would_be_printed_now() -> None:
    script = ROOT / "firmware/print_header.py"
    printed = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert (ROOT / "firmware/include/tdp_numbers.h").read_text() == printed, "run `make docs`"


def test_every_source_says_under_which_licence_it_may_be_used() -> None:
    """The folder `monocypher` has the work of others, with their licence."""
    found = [path for kind in ("*.c", "*.h", "*.ld") for path in (ROOT / "firmware").rglob(kind)]
    sources = [path for path in found if path.parent.name != "monocypher"]
    assert len(sources) > 20
    assert [path.name for path in sources if "SPDX-License-Identifier: Apache-2.0" not in path.read_text()] == []


def test_monocypher_is_as_its_authors_published_it() -> None:
    """The sums are of the source distribution named in the folder's README."""
    folder = ROOT / "firmware/monocypher"
    readme = (folder / "README.md").read_text()
    stated = dict(re.findall(r"^\| `([\w.]+)` \| `([0-9a-f]{64})` \|$", readme, re.MULTILINE))
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    assert found.keys() - stated.keys() == {"README.md"}
    assert stated == {name: digest for name, digest in found.items() if name != "README.md"}
    assert "// Monocypher version 4.0.3\n" in (folder / "monocypher.c").read_text()
