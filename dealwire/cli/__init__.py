"""Command line of dealwire. Each command is a module of its own, imported only when it runs."""

import gc
import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

import click

from dealwire.cli.completing import completed
from dealwire.cli.ending import in_time
from dealwire.cli.exits import Exit, NoSuchCommand, explain, usage_line
from dealwire.cli.needs import check_system, explained
from dealwire.cli.output import OutputClosed, OutputFailed, guard, is_closed, let_go
from dealwire.cli.renamed import present_command, present_options
from dealwire.cli.terminal import echo, log_lines, wants_colour
from dealwire.version import __version__
from protocol.errors import DealwireError

COMMANDS: Final = {
    "demo": "Deal three rounds on simulated devices, then replay and compare the recording.",
    "init": "Make a table.toml by answering questions.",
    "run": "Serve the tables in TABLE.TOML.",
    "console": "Serve the console of a table service, as another user.",
    "list": "List serial ports, USB devices, dialects and optional parts; count games.",
    "games": "List games and how they are dealt.",
    "law": "List, show and compare editions of the regulation.",
    "house": "List the games of a house, or print its posted rules as a sign.",
    "check": "Check procedure, game and table files for errors.",
    "convert": "Convert game files to the current format version.",
    "monitor": "Print device reports as they arrive.",
    "record": "Run a table and record all traffic on its lines.",
    "replay": "Replay a recording and print its rounds, incidents and settlements.",
    "histories": "Play recorded hands of other programs and compare how they end.",
    "export": "Write played hands of poker as hand histories.",
    "decode": "Decode raw bytes from standard input.",
    "dialect": "List dialects, or check one that you add.",
    "settle": "Settle rounds read from standard input.",
    "odds": "Compute the house edge of every bet of a game.",
    "audit-paytables": "Compute the return of every pay table and report likely misprints.",
    "journal": "Verify, search, export or rebuild a table service's journal.",
    "sim": "Simulate devices on pseudo-terminals or TCP ports.",
    "fleet": "Collect the lines of many tables in a PostgreSQL database.",
    "witness": "Cosign checkpoints of tables at a broker, and find rewritten journals.",
    "wireshark": "Install the Wireshark dissector and capture interfaces.",
    "device": "Read a device's meters, verify its firmware, pair it for a sealed line.",
    "bench": "Test a device against an acceptance plan.",
    "operator": "Automate the manual steps of an acceptance test.",
    "users": "Keep the file of the people and programs that may act.",
    "doctor": "Check that this machine is ready to talk to devices.",
    "authority": "Make certificates for TLS, and revoke them.",
}


WITHOUT_OUTPUT: Final = frozenset({"run", "console", "record", "sim", "fleet", "witness"})
"""Commands that are useful without a standard output. All others stop at once if it is closed, since nothing would be
left of their work."""


def _loaded(module: str) -> ModuleType:
    """Import a module with the garbage collector paused. Its classes and tables stay in memory, and collection would
    take a fifth of the import time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        if collects:
            gc.enable()


class CommandContext(click.Context):
    """Context that adds itself to a usage error without one. click raises an option without its argument that way, and
    the line would name `dealwire` in place of the command."""

    def __exit__(self, *raised: Any) -> None:
        if isinstance(raised[1], click.UsageError) and raised[1].ctx is None:
            raised[1].ctx = self
        super().__exit__(*raised)


def _name_in_errors(command: click.Command) -> None:
    command.context_class = CommandContext
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        _name_in_errors(each)


class LazyGroup(click.Group):
    """Group of commands that are imported on first use, so that `--help` and shell completion stay fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which a newcomer needs them."""
        return [*COMMANDS]  # `list` is a module of this package once that command was used

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command, or return None if it does not exist."""
        if cmd_name not in COMMANDS:
            return None
        check_system(cmd_name)
        command: click.Command = _loaded(f"dealwire.cli.{cmd_name.replace('-', '_')}").command
        _name_in_errors(command)
        return completed(command) if ctx.resilient_parsing else command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command for `args`, after translating former names. Raise NoSuchCommand with a suggestion for an
        unknown name, and OutputClosed if the command would print and there is no standard output."""
        if not ctx.resilient_parsing:
            name = present_command(args[0])
            args = [name, *present_options(name, args[1:])]
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise NoSuchCommand(args[0], ctx, [*COMMANDS])
        found = super().resolve_command(ctx, args)
        if found[0] not in WITHOUT_OUTPUT and is_closed():
            raise OutputClosed
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()])

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Make a context as click does. `--help` and `--version` are printed here."""
        guard()
        extra.setdefault("color", wants_colour(os.environ))
        with in_one_line():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. An error of this project becomes one line and an exit code; a log record becomes one line.
        `ctx.obj` is the `LastResort` that a command with its own shutdown uses."""
        import logging

        if logging.lastResort is not None:
            logging.lastResort.setFormatter(log_lines("%(message)s"))
        with in_one_line(), in_time() as ctx.obj:
            return super().invoke(ctx)


@contextmanager
def in_one_line() -> Iterator[None]:
    """Turn an error of this project, or of the person who typed the command, into one line and an exit code."""
    try:
        yield
    except DealwireError as error:
        raise _reported(error) from None
    except ModuleNotFoundError as error:
        if (why := explained(error)) is None:
            raise
        raise _reported(why) from None
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        echo(usage_line(error), err=True)
        raise click.exceptions.Exit(Exit.USAGE) from None
    except KeyboardInterrupt:
        raise click.exceptions.Exit(Exit.INTERRUPTED) from None
    except BrokenPipeError:
        # The reader of our output left, as `head` does: not an error, but nothing more can be said.
        let_go()
        raise click.exceptions.Exit(Exit.GOOD) from None


def _reported(error: DealwireError) -> click.exceptions.Exit:
    """Print the line of an error, and return the exit that ends the command with its code."""
    code, line = explain(error)
    if isinstance(error, OutputFailed):
        let_go()
    echo(f"dealwire: {line}", err=True)
    return click.exceptions.Exit(code)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "DEALWIRE"})
@click.version_option(__version__, prog_name="dealwire")
def main() -> None:
    """Connect a casino table's card devices to the rules of the game.

    \b
    Exit codes: 0 success, 1 a check failed or a disk is full, 2 usage or an invalid
    or missing file, 3 device absent, 4 no answer in time, 5 permission denied,
    6 protocol error or damaged recording, 7 busy.
    """
