"""Coverage of the firmware by the fuzzer's corpus and the acceptance plans: lines and branches, by gcov.

    python firmware/coverage.py [--plans]

Without `--plans` only the corpus is run, which takes a second; with it also each device's whole plan, without an
operator.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parent.parent
BUILD: Final = ROOT / "build/firmware/coverage"
ROUNDS: Final = 20
"""Rounds of the soak check, which has a thousand."""
SHOWN: Final = 12
"""Maximum number of functions to list among those that were never reached."""


def run_corpus() -> None:
    """Run every seed and the inputs that fuzzing found."""
    folders = (ROOT / "firmware/fuzz/corpus", ROOT / "build/firmware/found")
    files = sorted(str(path) for folder in folders if folder.exists() for path in folder.iterdir())
    subprocess.run([str(BUILD / "replay"), *files], check=True)


def run_plans() -> None:
    """Run each device's plan against the instrumented program."""
    sys.path.insert(0, str(ROOT))
    from tests.support.rigs.firmware import devices, order, program

    option = {"shoe": "--shoe", "table-controller": "--controller", "shuffler": "--shuffler"}
    for device in devices():
        with tempfile.TemporaryDirectory() as folder, program(device, Path(folder), "coverage/tdp-device") as line:
            control = Path(folder) / "control"
            if device == "shuffler":
                order(control, "speed 10")
            hands = f"{sys.executable} -m firmware.qemu.hands {control}"
            words = [
                sys.executable,
                "-m",
                "dealwire",
                "bench",
                device,
                option[device],
                line,
                "--operator-program",
                hands,
                "--rounds",
                "20",
            ]
            done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
            print(f"{device}: {done.stdout.strip().rpartition(chr(10))[2]}", flush=True)


def counted() -> dict[str, dict[str, Any]]:
    """Return for each source of `src/` the run counts of its lines and branches, over all programs, and the functions
    never run."""
    found: dict[str, dict[str, Any]] = defaultdict(lambda: {"lines": {}, "branches": {}, "functions": {}})
    with tempfile.TemporaryDirectory() as folder:
        notes = [str(path) for path in BUILD.glob("*.gcda")]
        subprocess.run(["gcov", "-b", "--json-format", *notes], cwd=folder, check=True, capture_output=True)
        for path in Path(folder).glob("*.json.gz"):
            for file in json.loads(gzip.decompress(path.read_bytes()))["files"]:
                if file["file"].startswith("src/") and file["file"].endswith(".c"):
                    _add(found[Path(file["file"]).name], file)
    return found


def _add(total: dict[str, Any], file: dict[str, Any]) -> None:
    for line in file["lines"]:
        number = line["line_number"]
        total["lines"][number] = total["lines"].get(number, 0) + line["count"]
        for at, branch in enumerate(line["branches"]):
            key = number, at
            total["branches"][key] = total["branches"].get(key, 0) + branch["count"]
    for function in file["functions"]:
        name = function["demangled_name"]
        total["functions"][name] = total["functions"].get(name, 0) + function["execution_count"]


def _percent(counts: dict[Any, int]) -> float:
    return 100 * sum(1 for count in counts.values() if count) / max(len(counts), 1)


def _tell(name: str, counts: dict[str, dict[Any, int]]) -> None:
    lines, branches = _percent(counts["lines"]), _percent(counts["branches"])
    print(f"{name:<22} lines {lines:5.1f} %  branches {branches:5.1f} %")


def main(words: list[str]) -> int:
    """Run the command: print the table. Return exit code 2 without gcov."""
    if shutil.which("gcov") is None:
        print("coverage is not told: no gcov on this machine (it comes with gcc)", file=sys.stderr)
        return 2
    for old in BUILD.glob("*.gcda"):
        old.unlink()
    subprocess.run(["make", "--no-print-directory", "-C", str(ROOT / "firmware"), "coverage"], check=True)
    run_corpus()
    if "--plans" in words:
        run_plans()
    everything: dict[str, dict[Any, int]] = {"lines": {}, "branches": {}}
    for name, file in sorted(counted().items()):
        _tell(name, file)
        for kind, counts in everything.items():
            counts.update({(name, key): count for key, count in file[kind].items()})
        never = sorted(function for function, count in file["functions"].items() if not count)
        if never:
            print(f"  never called: {', '.join(never[:SHOWN])}{' …' if len(never) > SHOWN else ''}")
        lines = sorted(number for number, count in file["lines"].items() if not count)
        if lines:
            print(f"  lines not run: {', '.join(map(str, lines[:40]))}{' …' if len(lines) > 40 else ''}")
    _tell("all", everything)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
