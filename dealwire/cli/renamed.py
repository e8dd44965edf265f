"""Former names of commands and options. They still work, and print a note on standard error."""

from collections.abc import Sequence
from typing import Final

from dealwire.cli.terminal import echo

COMMANDS: Final = {"hands": "operator"}
"""Former command -> command."""
OPTIONS: Final[dict[str, dict[str, str]]] = {
    "bench": {"--hands": "--operator-program"},
    "sim": {"--hands": "--operator-socket"},
    "run": {"--anew": "--start-over", "--clock-is-right": "--trust-clock", "--this-file-counts": "--trust-journal"},
    "journal": {"--clock-is-right": "--trust-clock", "--most": "--limit"},
    "games": {"--whole": "--flatten", "--pays": "--as-game"},
    "odds": {"--others": "--other-bettors"},
}
"""Command -> former option -> option. They are not options of click, so that neither help nor completion offers
them."""


def present_command(name: str) -> str:
    """Return the present name of a command."""
    if name in COMMANDS:
        _note(f"dealwire {name}", f"dealwire {COMMANDS[name]}")
    return COMMANDS.get(name, name)


def present_options(command: str, words: Sequence[str]) -> list[str]:
    """Return the words after `command` with the present names of its options. Words after `--` are never options."""
    renamed, found = OPTIONS.get(command, {}), list(words)
    end = found.index("--") if "--" in found else len(found)
    for at, word in enumerate(found[:end]):
        name, equals, value = word.partition("=")
        if name in renamed:
            _note(name, renamed[name])
            found[at] = f"{renamed[name]}{equals}{value}"
    return found


def _note(former: str, present: str) -> None:
    echo(f"dealwire: note: {former} is deprecated; use {present}", err=True)
