"""Completions of a shell, requested as bash requests them, and in a real bash."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete

from dealwire.cli import COMMANDS, main
from dealwire.cli.completing import IDS

PROGRAM = Path(sys.executable).with_name("dealwire")


def offered(line: str) -> list[str]:
    """Return the completions of the last word of `line`, which may be empty."""
    *words, begun = line.split(" ")
    found = BashComplete(main, {}, "dealwire", "_DEALWIRE_COMPLETE").get_completions(words, begun)
    return [each.value for each in found if each.type == "plain"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("repl", ["replay"]),
        ("journal exp", ["export"]),
        ("odds race", ["race-to-the-flush"]),
        ("games race", ["race-to-the-flush"]),
        ("check pai-gow.co-h", ["pai-gow.co-hand"]),
        ("sim --scenario clean-3", ["clean-3"]),
        ("run --scenario clean-8", ["clean-8"]),
        ("monitor --shoe-dialect bee", ["bee-tek"]),
        ("decode --dialect ang", ["angel-eye"]),
        ("bench shuf", ["shuffler"]),
        ("odds pai-gow.co --bet dra", ["dragon"]),
        ("odds flushes-gone-wild.co --paytable FGW-BLIND", ["FGW-BLIND"]),
        ("replay --game flushes-gone-wild.co --paytable blind=", ["blind=FGW-BLIND"]),
        ("journal rebuild --procedure race", ["race-to-the-flush"]),
        ("law diff colorado-rule-10 colorado-2", ["colorado-2021-05-01"]),
        ("settle --edition wash", ["washington-rule-sheet"]),
        ("odds nothing-like-it", []),
    ],
)
def test_ids_are_offered(line: str, expected: list[str]) -> None:
    assert offered(line) == expected


def test_each_name_in_the_table_is_a_parameter_of_some_command() -> None:
    commands = [main.get_command(click.Context(main), name) for name in COMMANDS]
    below = [each for group in commands if isinstance(group, click.Group) for each in group.commands.values()]
    names = {each.name for command in [*commands, *below] if command is not None for each in command.params}
    assert names >= IDS.keys()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed (apt install bash)")
def test_a_real_bash_takes_what_the_page_says() -> None:
    script = f"""
        PATH={PROGRAM.parent}:$PATH
        eval "$(_DEALWIRE_COMPLETE=bash_source dealwire)"
        complete -p dealwire
        COMP_WORDS=(dealwire odds race) COMP_CWORD=2
        _dealwire_completion dealwire race odds
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "race-to-the-flush", done.stderr
    assert "_dealwire_completion dealwire" in done.stdout
