"""The command line. Each command is a module of its own, imported only when it runs."""

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
from dealwire.cli.terminal import echo, log_lines, wants_colour
from dealwire.version import __version__
from protocol.errors import DealwireError

COMMANDS: Final = {
    "demo": "Three live rounds on simulated devices, recorded, replayed and compared.",
    "run": "Serve the tables of a table.toml: deal, settle, write down, show.",
    "list": "Serial ports and USB devices of this machine, games this program knows.",
    "games": "How every game is dealt: packets, seats, remainder, clauses, options.",
    "law": "Editions of the law that tables deal by: list, show, compare.",
    "check": "Check a procedure's or a game's file: one line per fault.",
    "convert": "Write game files of an earlier version as the present one.",
    "monitor": "Print what the devices of a table report, as it happens.",
    "record": "Run a table and record every byte of its lines.",
    "replay": "Deal a recording again: rounds, incidents, settlements.",
    "decode": "Explain raw bytes from standard input, frame by frame.",
    "dialect": "List dialects; check one that you add.",
    "settle": "Settle rounds given as NDJSON on standard input.",
    "odds": "What every bet of a game returns, counted exactly.",
    "audit-paytables": "Compute every printed pay table, name what cannot be meant.",
    "journal": "Check, show, export or deal again what a table service wrote down.",
    "sim": "Put simulated devices on pseudo-terminals or TCP ports.",
    "fleet": "Keep the lines of many tables in one PostgreSQL database.",
    "wireshark": "Put the dissector and the interfaces where Wireshark looks for them.",
    "device": "Ask a device of itself: its meters, the measure of its firmware.",
    "bench": "Judge a device by an acceptance plan; report as text, JSON, JUnit or HTML.",
    "hands": "Hands for the bench: programs that do what a person would be asked to do.",
    "doctor": "Check what this machine needs to talk to devices.",
}


WITHOUT_OUTPUT: Final = frozenset({"run", "record", "sim", "fleet"})
"""Commands that do something though standard output is closed. Nothing would be left of what the others do."""


def _loaded(module: str) -> ModuleType:
    """A module, loaded while nobody looks for garbage: its classes and tables stay, and the search is a fifth of it."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        if collects:
            gc.enable()


class LazyGroup(click.Group):
    """A group whose commands are imported on use, so that `--help` and shell completion stay quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order a newcomer meets them."""
        return [*COMMANDS]  # `list` is a module of this package once that command was used

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        check_system(cmd_name)
        command: click.Command = _loaded(f"dealwire.cli.{cmd_name.replace('-', '_')}").command
        return completed(command) if ctx.resilient_parsing else command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; OutputClosed where it would print and there is nowhere to."""
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
        """As click's; `--help` and `--version` are printed here."""
        guard()
        extra.setdefault("color", wants_colour(os.environ))
        with ending():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; whatever this project raises on purpose becomes one line and an exit code, and whatever it
        logs a line. `ctx.obj` is the last resort of one that ends in its own way."""
        import logging

        if logging.lastResort is not None:
            logging.lastResort.setFormatter(log_lines("%(message)s"))
        with ending(), in_time() as ctx.obj:
            return super().invoke(ctx)


@contextmanager
def ending() -> Iterator[None]:
    """Within it an error of this project, or of whoever typed the command, ends it with one line and an exit code."""
    try:
        yield
    except DealwireError as error:
        raise _said(error) from None
    except ModuleNotFoundError as error:
        if (why := explained(error)) is None:
            raise
        raise _said(why) from None
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


def _said(error: DealwireError) -> click.exceptions.Exit:
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
    Exit codes: 0 good, 1 a check failed or a disk is full, 2 usage, or a file that is
    not there or that you wrote, 3 device absent, 4 no answer in time, 5 permission,
    6 protocol or damaged recording, 7 busy.
    """
