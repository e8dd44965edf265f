"""Size of each installation, and the time its commands take to start; prints docs/install-sizes.md.

Each set is installed into a folder of its own from a wheel of this checkout. A start is the median of several.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from docs._print import printed, write

ROOT: Final = Path(__file__).parent.parent
PAGE, BEGIN = "install-sizes.md", "<!-- printed by python -m benchmarks.installs -->"
STARTS: Final = 3

SETS: Final = (
    ("dealwire", ""),
    ("dealwire[console]", "console"),
    ("dealwire[odds]", "odds"),
    ("dealwire[bench]", "bench"),
    ("dealwire[table]", "table"),
    ("everything", "table,odds,bench"),
)
"""Installations that are measured: name, extras."""

PARTS: Final = (
    ("acceptance bench", ("dealwire/bench",)),
    ("odds", ("rules/odds",)),
    ("rehearsal: simulated devices and people", ("dealwire/rehearsal", "devices/simulator")),
    ("everything else: tables, codec, games, rules, journal, console", ()),
)
"""Parts of the wheel, by folders; the last has what is in none of the others."""

COMMANDS: Final = (("dealwire --version", ["--version"]), ("dealwire run --check", ["run", "--check", "table.toml"]))


class Measured(NamedTuple):
    """One installation."""

    name: str
    packages: int
    megabytes: float
    starts_ms: tuple[float, ...]


def main() -> None:
    """Measure, and write the tables into the page."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = build(Path(folder))
        rows = []
        for name, extras in SETS:
            rows.append(measured(name, extras, wheel, Path(folder)))
            print(rows[-1], flush=True)
        lines = [*_wheel_table(wheel), "", *_set_table(rows)]
    write({PAGE: printed(PAGE, lines, BEGIN)})
    print("\n".join(lines))


def build(folder: Path) -> Path:
    """Return a wheel of this checkout."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def measured(name: str, extras: str, wheel: Path, folder: Path) -> Measured:
    """Install one set, and time its commands."""
    target = folder / (extras.replace(",", "-") or "base")
    wanted = f"{wheel}[{extras}]" if extras else str(wheel)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(target)]
    subprocess.run([*pip, wanted], check=True, capture_output=True)
    packages = len(list(target.glob("*.dist-info"))) - 1
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file() and path.suffix != ".pyc")
    (folder / "table.toml").write_text(TABLE, encoding="utf-8")
    return Measured(name, packages, size / 1e6, tuple(_start(target, line, folder) for _, line in COMMANDS))


def _start(target: Path, arguments: Sequence[str], folder: Path) -> float:
    """Return the median milliseconds of processor time of a command, once its modules are compiled: wall time also
    depends on other programs."""
    environment = {**os.environ, "PYTHONPATH": str(target), "PYTHONDONTWRITEBYTECODE": ""}
    took = []
    for _ in range(STARTS + 1):
        program = [sys.executable, "-S", "-P", "-m", "dealwire", *arguments]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(program, check=True, capture_output=True, cwd=folder, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
    return statistics.median(took[1:])


TABLE: Final = """
schema = "dealwire.table/1"
[journal]
path = "journal.sqlite"
[[table]]
name = "pit-1"
procedure = "three-card.co"
[[table.device]]
name = "shuffler"
kind = "shuffler"
address = "tcp://127.0.0.1:7001"
[[table.device]]
name = "controller"
kind = "table-controller"
address = "tcp://127.0.0.1:7002"
"""


def _wheel_table(wheel: Path) -> list[str]:
    sizes: dict[str, list[int]] = {name: [0, 0] for name, _ in PARTS}
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            part = next((name for name, folders in PARTS if entry.filename.startswith(folders)), PARTS[-1][0])
            sizes[part][0] += entry.compress_size
            sizes[part][1] += entry.file_size
    whole = sum(packed for packed, _ in sizes.values())
    lines = ["| part of the wheel | packed | share | unpacked |", "| --- | --: | --: | --: |"]
    for name, (packed, unpacked) in sizes.items():
        lines.append(f"| {name} | {packed / 1e3:,.0f} kB | {packed / whole:.0%} | {unpacked / 1e3:,.0f} kB |")
    total = sum(unpacked for _, unpacked in sizes.values())
    return [*lines, f"| **the wheel** | {whole / 1e3:,.0f} kB | 100% | {total / 1e3:,.0f} kB |"]


def _set_table(rows: Sequence[Measured]) -> list[str]:
    head = "".join(f" `{name}` |" for name, _ in COMMANDS)
    lines = [
        f"| installed | packages besides dealwire | size |{head}",
        f"| --- | --: | --: |{' --: |' * len(COMMANDS)}",
    ]
    for row in rows:
        starts = "".join(f" {took:,.0f} ms |" for took in row.starts_ms)
        lines.append(f"| `{row.name}` | {row.packages} | {row.megabytes:,.1f} MB |{starts}")
    return lines


if __name__ == "__main__":
    main()
