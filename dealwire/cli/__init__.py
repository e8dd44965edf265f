"""The command line. Each command is a module of its own, imported only when it runs."""

import importlib
import os
import sys
from contextlib import suppress
from typing import Any, Final

import click

from dealwire.cli.ending import in_time
from dealwire.cli.exits import Exit, Stop, explain
from dealwire.cli.terminal import OutputFailed, echo, log_lines
from dealwire.version import __version__
from protocol.errors import DealwireError

COMMANDS: Final = {
    "demo": "Three live rounds on simulated devices, recorded, replayed and compared.",
    "run": "Serve the tables of a table.toml: deal, settle, write down, show.",
    "list": "Serial ports and USB devices of this machine, games this program knows.",
    "games": "How every game is dealt: packets, seats, remainder, clauses, options.",
    "check": "Check a procedure's or a game's file: one line per fault.",
    "monitor": "Print what the devices of a table report, as it happens.",
    "record": "Run a table and record every byte of its lines.",
    "replay": "Deal a recording again: rounds, incidents, settlements.",
    "decode": "Explain raw bytes from standard input, frame by frame.",
    "settle": "Settle rounds given as NDJSON on standard input.",
    "odds": "What every bet of a game returns, counted exactly.",
    "audit-paytables": "Compute every printed pay table, name what cannot be meant.",
    "journal": "Check, show, export or deal again what a table service wrote down.",
    "sim": "Put simulated devices on pseudo-terminals or TCP ports.",
    "fleet": "Keep the lines of many tables in one PostgreSQL database.",
    "bench": "Judge a device by an acceptance plan; report as text, JSON, JUnit or HTML.",
    "doctor": "Check what this machine needs to talk to devices.",
}


PRINTS: Final = frozenset({"list", "games", "check", "replay", "decode", "odds", "audit-paytables"})
"""Commands of which nothing is left where standard output is closed. Others record, serve or settle, and look for
themselves."""


class LazyGroup(click.Group):
    """A group whose commands are imported on use, so that `--help` and shell completion stay quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"dealwire.cli.{cmd_name.replace('-', '_')}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; Stop where it would print and there is nowhere to."""
        found = super().resolve_command(ctx, args)
        if found[0] in PRINTS and sys.stdout is None:
            raise Stop(Exit.USAGE, "standard output is closed")
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; whatever this project raises on purpose becomes one line and an exit code, and whatever it
        logs a line. `ctx.obj` is the last resort of one that ends in its own way."""
        import logging

        if logging.lastResort is not None:
            logging.lastResort.setFormatter(log_lines("%(message)s"))
        try:
            with in_time() as ctx.obj:
                return super().invoke(ctx)
        except DealwireError as error:
            code, line = explain(error)
            if isinstance(error, OutputFailed):
                _let_go_of_output()
            with suppress(OutputFailed):  # of standard error: there is nowhere left to say it
                echo(f"dealwire: {line}", err=True)
            ctx.exit(code)
        except KeyboardInterrupt:
            ctx.exit(Exit.INTERRUPTED)
        except BrokenPipeError:
            # The reader of our output left, as `head` does: not an error, but nothing more can be said.
            _let_go_of_output()
            ctx.exit(Exit.GOOD)


def _let_go_of_output() -> None:
    """What is still to be written goes nowhere, or Python would fail at it once more on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "DEALWIRE"})
@click.version_option(__version__, prog_name="dealwire")
def main() -> None:
    """Connect a casino table's card devices to the rules of the game.

    \b
    Exit codes: 0 good, 1 a check failed or a disk is full, 2 usage or a file you wrote,
    3 device absent, 4 no answer in time, 5 permission, 6 protocol or damaged recording,
    7 busy.
    """
