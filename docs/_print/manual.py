"""The manual, `share/man/man1/`, and the completion scripts of three shells, from the commands themselves.

They are kept in the tree because a wheel is built without the program's own dependencies, so it cannot print them.
"""

import inspect
import re
from collections.abc import Iterator
from typing import Final

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from dealwire.cli import COMMANDS, main
from dealwire.version import __version__

MANUAL: Final = "../share/man/man1"
"""Folder of the manual, from `docs/`."""
SHELLS: Final = {
    "bash-completion/completions/dealwire": BashComplete,
    "zsh/site-functions/_dealwire": ZshComplete,
    "fish/vendor_completions.d/dealwire.fish": FishComplete,
}
"""Completion scripts below `share/`."""
FILES: Final = {
    "/etc/dealwire/NAME.toml": "tables that the service dealwire@NAME serves",
    "/var/lib/dealwire": "journals of the service",
    "70-dealwire.rules": "udev rules for serial adapters: dealwire run --print-udev",
    "dealwire@.service": "systemd unit: dealwire run --print-unit",
}


def pages() -> dict[str, str]:
    """Path under `docs` -> text: a page for the program, one for each command, a script for each shell."""
    found = {f"{MANUAL}/dealwire.1": "\n".join(_program()) + "\n"}
    for name in COMMANDS:
        found[f"{MANUAL}/dealwire-{name}.1"] = "\n".join(_page(name)) + "\n"
    for path, shell in SHELLS.items():
        made = shell(main, {}, "dealwire", "_DEALWIRE_COMPLETE")
        first, _, rest = (made.source_template % made.source_vars()).strip().partition("\n")
        found[f"../share/{path}"] = f"{first}\n# Printed by make docs.\n{rest}\n"
    return found


def roff(text: str) -> str:
    """Text as troff prints it: no hyphen becomes a dash, no line a request."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", escaped, flags=re.MULTILINE)


def _head(name: str, short: str) -> list[str]:
    title = f'.TH "{name.upper()}" 1 "" "dealwire {__version__}" "dealwire"'
    printed = '.\\" Printed by make docs from the command: change its help, and not this file.'
    return [printed, title, ".SH NAME", roff(f"{name} - {short.rstrip('.')}")]


def _program() -> Iterator[str]:
    yield from _head("dealwire", (main.help or "").partition("\n")[0])
    yield from _body(main, _context())
    yield ".SH COMMANDS"
    for name, short in COMMANDS.items():
        yield from _entry(f"dealwire-{name}(1)", short)
    yield ".SH FILES"
    for path, what in FILES.items():
        yield from _entry(path, what)
    yield ".SH SEE ALSO\nsystemctl(1), udevadm(8)"


def _page(name: str) -> Iterator[str]:
    program = _context()
    command = main.get_command(program, name)
    assert command is not None
    yield from _head(f"dealwire-{name}", COMMANDS[name])
    yield from _body(command, click.Context(command, program, name))
    yield ".SH SEE ALSO\ndealwire(1)"


def _context() -> click.Context:
    return click.Context(main, info_name="dealwire", **main.context_settings)


def _body(command: click.Command, context: click.Context, head: str = ".SH") -> Iterator[str]:
    """Synopsis, text and options of a command, and of those below it where it is a group other than the program."""
    yield f"{head} SYNOPSIS" if head == ".SH" else ".PP"
    yield f"\\fB{roff(context.command_path)}\\fR {roff(' '.join(command.collect_usage_pieces(context)))}"
    yield f"{head} DESCRIPTION" if head == ".SH" else ".PP"
    for paragraph in inspect.cleandoc(command.help or "").partition("\f")[0].split("\n\n"):
        as_it_is = paragraph.startswith("\b")
        text = roff(paragraph.removeprefix("\b\n"))
        if text.startswith("Exit codes:"):
            yield ".SH EXIT STATUS" if head == ".SH" else ".PP"
        yield f".PP\n.nf\n{text}\n.fi" if as_it_is else f".PP\n{text}"
    yield f"{head} OPTIONS" if head == ".SH" else ".PP"
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record and record[1]:  # an argument is explained in the text
            yield from _entry(*record)
    if isinstance(command, click.Group) and command is not main:
        for name in command.list_commands(context):
            if below := command.get_command(context, name):
                inner = click.Context(below, context, name)
                yield f'.SH "{roff(inner.command_path.partition(" ")[2]).upper()}"'
                yield from _body(below, inner, ".SS")


def _entry(term: str, text: str) -> Iterator[str]:
    yield f".TP\n\\fB{roff(term)}\\fR\n{roff(text)}"
