"""The guides, run as a reader would: each block in turn, in one folder, with the checkout's files beside it.

What a block is stands in the info string of its fence:

    sh run [exit=N,N]   run by the shell; its exit code is one of these; 0 unless given
    python run          run by Python
    sh background, python background
                        a program that goes on while the next blocks run; ended as Ctrl-C does, after the last one
    toml file NAME      written to NAME
    text output [N]     each line must be said by the block before it, or by the Nth program in the background;
                        `…` stands for anything
    ... needs=PROGRAM   the page is not followed where the system lacks that program
    sh setup            sets a machine up; not run here
    sh hardware         needs a device or root; not run here
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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.ports import free_port

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "guides").glob("*.md"))
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PORTS = ("7001", "7002", "8420", "1883", "9420")
"""Written in the guides; free ones take their place."""
PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])
PATIENCE_S = 60
"""Failure guard, far above what anything takes."""


@dataclass(frozen=True)
class Block:
    """One fence: language, what is to be done with it, the words behind that, its text, the line it begins at."""

    language: str
    use: str
    rest: tuple[str, ...]
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    """All fences of a page."""
    found = []
    for fence in FENCE.finditer(page):
        language, use, *rest = [*fence[1].split(), ""][: max(2, len(fence[1].split()))]
        found.append(Block(language, use, tuple(rest), fence[2], page.count("\n", 0, fence.start()) + 1))
    return found


def lacking(page: str) -> list[str]:
    """Programs that a page needs and this system does not have."""
    needed = [word.removeprefix("needs=") for block in blocks(page) for word in block.rest if word.startswith("needs=")]
    return [name for name in needed if not shutil.which(name, path=PATH)]


def said(expected: str, output: str) -> list[str]:
    """Lines of `expected` that `output` lacks, in which `…` stands for anything within the line."""
    return [line for line in expected.splitlines() if not re.search(_pattern(line), output, re.MULTILINE)]


def _pattern(line: str) -> str:
    return "^" + ".*".join(re.escape(part) for part in line.split("…")) + "$"


def commands(text: str) -> Iterator[list[str]]:
    """Every `dealwire ...` in shell text, as words without the program's name."""
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        for part in re.split(r"\||&&|;|>", line.removeprefix("$ ").split("  #")[0]):
            if part.strip().startswith("dealwire "):
                yield shlex.split(part.replace("…", "X"), comments=True)[1:]


def _listens_to_ctrl_c() -> None:
    """Whoever started the tests in the background made them deaf to Ctrl-C, and so every program they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Reader:
    """Follows one page. Use as a context manager: programs in the background end with it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._background = folder / "table", list[tuple[subprocess.Popen[bytes], Path]]()
        self._folder.mkdir()
        for entry in ROOT.iterdir():
            if not entry.name.startswith(".") and entry.name != "build":
                (self._folder / entry.name).symlink_to(entry)
        self._ports = {port: str(free_port()) for port in PORTS}
        program = folder / "bin" / "dealwire"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m dealwire "$@"\n')
        program.chmod(0o755)
        self._environment = {**os.environ, "PATH": f"{program.parent}:{PATH}", "PYTHONPATH": str(ROOT)}
        self._environment["PYTHONUNBUFFERED"] = "1"
        self._output, self._said = folder, 0

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        running = [process for process, _ in self._background if process.poll() is None]
        for process in running:
            os.killpg(process.pid, signal.SIGINT)
        for process in running:
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def endings(self) -> list[int | None]:
        """Exit codes of the programs in the background; None while one runs."""
        return [process.poll() for process, _ in self._background]

    def follow(self, block: Block) -> str:
        """Do what the block asks; gives what is wrong, or nothing."""
        text = self._at_free_ports(block.text)
        shell = f"exec {text.strip()}" if block.use == "background" else text
        program = ["/bin/sh", "-e", "-c", shell] if block.language == "sh" else [sys.executable, "-c", text]
        match block.use:
            case "run":
                return self._run(block, program)
            case "background":
                self._start(program)
            case "file":
                (self._folder / block.rest[0]).write_text(text, encoding="utf-8")
            case "output":
                return self._compare(text, block.rest)
        return ""

    def _at_free_ports(self, text: str) -> str:
        return re.sub(r"\b(" + "|".join(PORTS) + r")\b", lambda found: self._ports[found[1]], text)

    def _run(self, block: Block, program: list[str]) -> str:
        wanted = next((word.removeprefix("exit=") for word in block.rest if word.startswith("exit=")), "0").split(",")
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
        return "" if str(done.returncode) in wanted else f"exit code {done.returncode}: {self._output.read_text()}"

    def _start(self, program: list[str]) -> None:
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
        self._background.append((process, self._output))

    def _compare(self, expected: str, of: tuple[str, ...]) -> str:
        """At once for a block that has ended, with patience for one in the background."""
        until = time.monotonic() + PATIENCE_S
        said_in = self._background[int(of[0]) - 1][1] if of else self._output
        runs = [process for process, path in self._background if path == said_in]
        while True:
            ended = all(process.poll() is not None for process in runs)
            output = said_in.read_text(encoding="utf-8", errors="replace")
            missing = said(expected, output)
            if not missing or ended or time.monotonic() > until:
                return f"not said: {missing}\nbut: {output}" if missing else ""
            time.sleep(0.05)

    @contextmanager
    def _said_by(self) -> Iterator[int]:
        """What a block says goes to a file of its own."""
        self._said += 1
        self._output = self._folder.parent / f"output-{self._said}"
        descriptor = os.open(self._output, os.O_WRONLY | os.O_CREAT)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
