"""The guides, run as a reader would: each block in turn, in one folder that has the checkout's files.

The tests know what to do with a block from what its reader sees: its language, and the paragraph above it. The fence
itself has only the language, because no page shows the rest.

    **NAME**                            alone: written to the file NAME
    ... In a second terminal ...:       a program that keeps running while the next blocks run (third, fourth, fifth:
                                        more of them, in this order); ended as Ctrl-C does, after the last block
    ... exit code 2:                    run, and it must end with this code; `exit code 0 or 1`: with either
    ... As root:   ... attached:   ... once, to set up:
                                        needs root, or a device, or sets a machine up: not run here
    (anything else)                     run, by the shell or by Python

A `text` block must be part of the output of the block before it, line by line, or, under `The second terminal ...:`, of
the program there. `…` in it matches anything. Under the heading `Check a release` it is only shown, because no release
is here. A page is not followed if the system lacks a program that it starts in a terminal.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from tests.support.rigs.ports import free_port

ROOT = Path(__file__).parents[3]
PAGES = [
    *sorted((ROOT / "docs" / "guides").glob("*.md")),
    ROOT / "docs" / "dialects" / "adding.md",
    ROOT / "docs" / "tournaments.md",
]
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TERMINALS = ("second", "third", "fourth", "fifth")
_FILE = re.compile(r"\*\*([\w./-]+)\*\*")
_BACKGROUND = re.compile(rf"\bIn a ({'|'.join(TERMINALS)}) terminal\b[^.:]*:$")
_OF_TERMINAL = re.compile(rf"\bThe ({'|'.join(TERMINALS)}) terminal\b[^.:]*:$")
_EXIT = re.compile(r"\bexit code (\d)(?: or (\d))?:$")
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_NOT_HERE = "Check a release"
"""The heading of what needs a release."""
_NOT_RUN = re.compile(r"\b(?:[Aa]s root|attached|once, to set up):$")
PORTS = ("7001", "7002", "4433", "8420", "1883", "9420")
"""Ports written in the guides; free ones take their place."""
PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])
_USED = {"cc": "make -C firmware", "tshark": "\ntshark "}
"""Programs that a page takes for granted, with the text that begins their use in it."""
PATIENCE_S = 300.0
"""Failure guard, far above what anything takes."""


@dataclass(frozen=True)
class Block:
    """One fence: its language, its kind, the file or the terminal that its caption names, the exit codes that it may
    have, its text, and its first line's number."""

    language: str
    use: Literal["run", "background", "file", "output", "shown", "left out"]
    text: str
    line: int
    where: str = ""
    exits: tuple[int, ...] = (0,)


def blocks(page: str) -> list[Block]:
    """Return all fences of a page."""
    found, end, heading = [], 0, ""
    for fence in FENCE.finditer(page):
        above, end = page[end : fence.start()], fence.end()
        heading = (_HEADING.findall(above) or [heading])[-1]
        caption = " ".join(above.strip().rpartition("\n\n")[2].split())
        language, line = fence[1].strip(), page.count("\n", 0, fence.start()) + 1
        if language == "text" and heading == _NOT_HERE:
            found.append(Block(language, "shown", fence[2], line))
        else:
            found.append(_block(language, caption, fence[2], line))
    return found


def _block(language: str, caption: str, text: str, line: int) -> Block:
    """Return the block with its kind, read from the caption of its fence."""
    if named := _FILE.fullmatch(caption):
        return Block(language, "file", text, line, named[1])
    if language == "text":
        of = _OF_TERMINAL.search(caption)
        return Block(language, "output", text, line, of[1] if of else "")
    if _NOT_RUN.search(caption):
        return Block(language, "left out", text, line)
    if terminal := _BACKGROUND.search(caption):
        return Block(language, "background", text, line, terminal[1])
    codes = _EXIT.search(caption)
    return Block(
        language, "run", text, line, exits=tuple(int(code) for code in codes.groups() if code) if codes else (0,)
    )


def lacking(page: str) -> list[str]:
    """Return the programs that a page starts or takes for granted and this system lacks."""
    started = [block.text.split()[0] for block in blocks(page) if block.use == "background"]
    started = [name for name in started if name != "dealwire" and not name.startswith("./")]
    used = [*started, *(name for name, sign in _USED.items() if sign in page)]
    return [name for name in used if not shutil.which(name, path=PATH)]


def said(expected: str, output: str) -> list[str]:
    """Return the lines of `expected` that `output` lacks; `…` matches any text within the line."""
    return [line for line in expected.splitlines() if not re.search(_pattern(line), output, re.MULTILINE)]


def _pattern(line: str) -> str:
    return "^" + ".*".join(re.escape(part) for part in line.split("…")) + "$"


def commands(text: str) -> Iterator[list[str]]:
    """Yield every `dealwire ...` in shell text, as words without the program's name."""
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        for part in re.split(r"\||&&|;|>", line.removeprefix("$ ").split("  #")[0]):
            if part.strip().startswith("dealwire "):
                yield shlex.split(part.replace("…", "X"), comments=True)[1:]


def _listens_to_ctrl_c() -> None:
    """Restore Ctrl-C: tests started in the background ignore it, and so does every program that they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _environment(folder: Path) -> Path:
    """Make a virtual environment with all packages of this one; return the folder of its programs. Packages that a page
    installs with pip go there, and come from the page alone."""
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "tests.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    programs, of_tests = folder / "bin", shlex.quote(sys.executable)
    python = shlex.quote(str(programs / "python3"))
    shells = {
        "dealwire": f'exec {python} -m dealwire "$@"',
        "pip": f'exec {of_tests} -m pip --quiet --python {python} "$@" --no-deps --no-index --no-build-isolation',
    }
    for name, shell in shells.items():
        (programs / name).write_text(f"#!/bin/sh\n{shell}\n")
        (programs / name).chmod(0o755)
    return programs


_LATE: Final = re.compile(r"\bno \w+ within \d+ ms\b")
"""The bench's message about a device that answers too late."""


class GuideReader:
    """Follows one page. Use as a context manager: programs in the background end with it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._background = folder / "table", dict[str, tuple[subprocess.Popen[bytes], Path]]()
        self._folder.mkdir()
        for entry in ROOT.iterdir():
            if not entry.name.startswith(".") and entry.name != "build":
                (self._folder / entry.name).symlink_to(entry)
        self._ports = {port: str(free_port()) for port in PORTS}
        programs = _environment(folder / "venv")
        self._environment = {**os.environ, "PATH": f"{programs}:{PATH}", "PYTHONPATH": str(ROOT)}
        self._environment["PYTHONUNBUFFERED"] = "1"
        self._output, self._said = folder, 0

    def __enter__(self) -> GuideReader:
        return self

    def __exit__(self, *_: object) -> None:
        running = [process for process, _ in self._background.values() if process.poll() is None]
        for process in running:
            os.killpg(process.pid, signal.SIGINT)
        for process in running:
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def endings(self) -> list[int | None]:
        """Return the exit codes of the programs in the background; None while one runs."""
        return [process.poll() for process, _ in self._background.values()]

    def follow(self, block: Block) -> str:
        """Do what the block asks; return the error, or an empty text."""
        text = self._at_free_ports(block.text)
        shell = f"exec {text.strip()}" if block.use == "background" else text
        program = ["/bin/sh", "-e", "-c", shell] if block.language == "sh" else ["python3", "-c", text]
        match block.use:
            case "run":
                return self._run(block, program)
            case "background":
                return self._start(block, program)
            case "file":
                path = self._folder / block.where
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            case "output":
                return self._compare(text, block.where)
        return ""

    def _at_free_ports(self, text: str) -> str:
        return re.sub(r"\b(" + "|".join(PORTS) + r")\b", lambda found: self._ports[found[1]], text)

    def _run(self, block: Block, program: list[str]) -> str:
        there = {*os.listdir(self._folder)}
        wrong = self._run_once(block, program)
        if _LATE.search(wrong):  # a device is judged by real time, and here a whole suite runs beside it
            for name in {*os.listdir(self._folder)} - there:
                (self._folder / name).unlink()
            wrong = self._run_once(block, program)
        return wrong

    def _run_once(self, block: Block, program: list[str]) -> str:
        with self._said_by() as output:
            done = subprocess.run(
                program,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                env=self._environment,
                timeout=PATIENCE_S,
            )
        return "" if done.returncode in block.exits else f"exit code {done.returncode}: {self._output.read_text()}"

    def _start(self, block: Block, program: list[str]) -> str:
        if block.where != (following := TERMINALS[len(self._background)]):
            return f"a {block.where} terminal, and the {following} is the next"
        with self._said_by() as output:
            process = subprocess.Popen(
                program,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                env=self._environment,
                start_new_session=True,
                preexec_fn=_listens_to_ctrl_c,
            )
        self._background[block.where] = (process, self._output)
        return ""

    def _compare(self, expected: str, terminal: str) -> str:
        """Compare at once for a block that has ended, with patience for one in the background."""
        until = time.monotonic() + PATIENCE_S
        if terminal and terminal not in self._background:
            return f"there is no {terminal} terminal"
        said_in = self._background[terminal][1] if terminal else self._output
        runs = [process for process, path in self._background.values() if path == said_in]
        while True:
            ended = all(process.poll() is not None for process in runs)
            output = said_in.read_text(encoding="utf-8", errors="replace")
            missing = said(expected, output)
            if not missing or ended or time.monotonic() > until:
                return f"not said: {missing}\nbut: {output}" if missing else ""
            time.sleep(0.05)

    @contextmanager
    def _said_by(self) -> Iterator[int]:
        """Yield the descriptor of a new file for a block's output."""
        self._said += 1
        self._output = self._folder.parent / f"output-{self._said}"
        descriptor = os.open(self._output, os.O_WRONLY | os.O_CREAT)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
