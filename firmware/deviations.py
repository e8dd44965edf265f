"""Check of the core and the classes with cppcheck's MISRA C:2012 add-on, against the record of deviations.

    python firmware/deviations.py [--write]

`misra.toml` states for each deviation its reason and its number in each file. A deviation above the recorded number, or
from a rule without a record, is a failure (exit code 1); so is a record with too many. `--write` counts again and keeps
the reasons: a rule without one remains a failure. Exit code 2 without cppcheck or its add-on. This file must not be
called misra.py: cppcheck would run it in place of its add-on.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Final, TypeAlias

HERE: Final = Path(__file__).parent
RECORD: Final = HERE / "misra.toml"
FOUND: Final = re.compile(r"^misra-c2012-(\d+\.\d+) (\S+):(\d+)$")
HEAD: Final = """# SPDX-License-Identifier: Apache-2.0
# Deviations of core and classes from MISRA C:2012, as found by cppcheck's add-on. `make misra` checks the sources
# against this record; `python firmware/deviations.py --write` counts again. The reasons are written by hand.
"""

Places: TypeAlias = dict[str, Counter[str]]


class NoTool(Exception):
    """cppcheck or its add-on is missing. The text says what to do."""


def found() -> tuple[Places, list[str]]:
    """Return the number of deviations by rule and file, and each as `rule file:line`. Raise NoTool."""
    if shutil.which("cppcheck") is None:
        raise NoTool("cppcheck was not found (Debian: apt-get install cppcheck)")
    sources = sorted(str(path.relative_to(HERE)) for folder in ("src", "seal") for path in HERE.glob(f"{folder}/*.c"))
    sources.remove("seal/curve.c")  # it includes Monocypher, whose rules are its authors'
    words = ["cppcheck", "--addon=misra", "--std=c99", "--quiet", "-DTDP_SEAL=1", "-Iinclude", "-Isrc", "-Iseal"]
    words += ["-Imonocypher", "--template={id} {file}:{line}", *sources]
    done = subprocess.run(words, cwd=HERE, capture_output=True, text=True)
    lines = sorted({line for line in (done.stdout + done.stderr).splitlines() if FOUND.match(line)})
    lines = [line for line in lines if " monocypher/" not in line]
    if not lines:
        raise NoTool(f"cppcheck's MISRA add-on said nothing: {(done.stdout + done.stderr).strip()[:300]}")
    places: Places = {}
    for line in lines:
        rule, file, _ = FOUND.match(line).groups()  # type: ignore[union-attr]
        places.setdefault(rule, Counter())[file] += 1
    return places, [line.removeprefix("misra-c2012-") for line in lines]


def recorded(path: Path = RECORD) -> dict[str, tuple[str, Counter[str]]]:
    """Return the record: for each rule its reason, and the number in each file."""
    rules = tomllib.loads(path.read_text())["rule"]
    return {rule: (entry["why"], Counter(entry["places"])) for rule, entry in rules.items()}


def differences(places: Places, record: dict[str, tuple[str, Counter[str]]]) -> list[str]:
    """Return the differences between the sources and the record, one line each."""
    said = [f"rule {rule} is departed from, and the record has no reason" for rule in places if rule not in record]
    said += [f"rule {rule} has no reason" for rule, (why, _) in record.items() if not why.strip()]
    for rule in sorted({*places, *record}):
        now, then = places.get(rule, Counter()), record[rule][1] if rule in record else Counter[str]()
        for file in sorted({*now, *then}):
            if now[file] != then[file]:
                said.append(f"rule {rule}, {file}: {now[file]} places, {then[file]} recorded")
    return said


def written(places: Places, record: dict[str, tuple[str, Counter[str]]]) -> str:
    """Return the text of the record for these numbers."""
    text = HEAD
    for rule in sorted(places, key=lambda each: [int(part) for part in each.split(".")]):
        why = record[rule][0] if rule in record else ""
        text += f'\n[rule."{rule}"]\nwhy = "{why}"\n[rule."{rule}".places]\n'
        text += "".join(f'"{file}" = {count}\n' for file, count in sorted(places[rule].items()))
    return text


def main(words: list[str]) -> int:
    """Run the command and return its exit code."""
    try:
        places, lines = found()
    except NoTool as error:
        print(f"misra: {error}", file=sys.stderr)
        return 2
    if "--write" in words:
        RECORD.write_text(written(places, recorded()))
    told = differences(places, recorded())
    for line in told:
        print(line, file=sys.stderr)
    for place in sorted(line.partition(":")[0] for line in told if ":" in line):
        rule, file = place.removeprefix("rule ").split(", ")
        print("\n".join(f"  {line}" for line in lines if line.startswith(f"{rule} {file}:")), file=sys.stderr)
    total = sum(sum(counts.values()) for counts in places.values())
    print(f"MISRA C:2012 by cppcheck: {total} places under {len(places)} rules, each with its reason in misra.toml")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
