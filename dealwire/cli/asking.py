"""Questions at a terminal, and the answers that were given before: by options, or by `--yes` the defaults."""

import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

import click

from dealwire.cli.exits import Exit, Stop
from dealwire.cli.terminal import echo
from dealwire.setup.choices import Choice
from protocol.nearest import did_you_mean
from protocol.printable import printable

T = TypeVar("T")

WIDTH: Final = 80
SHOWN: Final = 40
"""Characters of a wrong answer that are shown again."""


class Unfit(ValueError):
    """An answer that cannot be used; the text says why and what is allowed."""


class Asker:
    """Gets the answer to each question: the given one, else the default under `yes`, else the person's.

    A wrong answer that was given before ends the program with one line; a wrong answer that is typed is explained, and
    the question is asked again.
    """

    def __init__(self, given: Mapping[str, object], *, yes: bool) -> None:
        self._given, self._yes = given, yes
        self._talks = sys.stdin is not None and sys.stdin.isatty()
        if not self._talks and not yes:
            raise Stop(Exit.USAGE, "init asks questions: run it at a terminal, or with --yes and an option per answer")

    @property
    def asks(self) -> bool:
        """True when a person answers."""
        return not self._yes

    def given(self, key: str) -> object:
        """Return the answer of the option `--key`; None without one."""
        return self._given.get(key)

    def text(self, key: str, question: str, default: str | None, check: Callable[[str], T]) -> T:
        """Return the value that `check` returns for the answer; `check` raises Unfit for a wrong answer.

        `default` is None where an answer is needed, and an empty text where none is.
        """
        given = self._given.get(key)
        if given is not None:
            try:
                return check(str(given))
            except Unfit as error:
                raise Stop(Exit.USAGE, f"--{key}: {error}") from None
        if self._yes:
            if default is None:
                raise Stop(Exit.USAGE, f"--{key} is needed with --yes")
            return check(default)
        while True:
            typed = self._line(question, default)
            try:
                return check(typed or default or "")
            except Unfit as error:
                say(f"{error}", indent="  ")

    def choice(self, key: str, question: str, choices: Sequence[Choice], default: str | None) -> str:
        """Return the value of one of the choices, which are listed with their numbers."""
        if self.asks and self._given.get(key) is None:
            list_choices(choices, default)
        shown = next((str(at) for at, each in enumerate(choices, 1) if each.value == default), None)
        return self.text(key, question, shown if self.asks else default, lambda typed: pick(typed, choices))

    def confirm(self, key: str, question: str, default: bool) -> bool:
        """Return the answer to a question of yes or no."""
        given = self._given.get(key)
        if isinstance(given, bool):
            return given
        return self.text(key, f"{question} (y/n)", "y" if default else "n", _yes_or_no)

    def _line(self, question: str, default: str | None) -> str:
        *above, last = textwrap.wrap(f"{question}{f' [{default}]' if default else ''}: ", WIDTH - 16) or [""]
        for line in above:
            echo(line)
        try:
            return input(f"{last.rstrip()} ").strip()
        except EOFError:
            echo("")
            raise Stop(Exit.USAGE, "the answers ended; nothing was written") from None
        except KeyboardInterrupt:
            echo("")
            echo("stopped; nothing was written", err=True)
            raise click.exceptions.Exit(Exit.INTERRUPTED) from None


def say(text: str, *, indent: str = "", bold: bool | None = None) -> None:
    """Print a paragraph in lines of at most 80 columns."""
    lines = textwrap.wrap(
        printable(text, None),
        WIDTH - 1,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
    for line in lines or [""]:
        echo(line, bold=bold)


def list_choices(choices: Sequence[Choice], default: str | None) -> None:
    """Print the choices with their numbers, the default marked, each with its explanation."""
    for at, each in enumerate(choices, 1):
        mark = "*" if each.value == default else " "
        head, text = f" {mark}{at:>2}  {each.value}", each.text
        if text and len(head) + len(text) + 2 < WIDTH:
            echo(f"{head}  {text}")
            continue
        echo(head)
        if text:
            say(text, indent="      ")
        if each.suspect:
            say(f"appears to be a misprint: {each.suspect}", indent="      ")


def pick(typed: str, choices: Sequence[Choice]) -> str:
    """Return the value of a choice by its number, its value, or the only value that begins so; Unfit otherwise."""
    values = [each.value for each in choices]
    if typed in values:
        return typed
    if typed.isascii() and typed.isdecimal() and 1 <= int(typed) <= len(values):
        return values[int(typed) - 1]
    begins = [value for value in values if typed and value.lower().startswith(typed.lower())]
    if len(begins) == 1:
        return begins[0]
    shown = printable(repr(typed), SHOWN)
    some = ", ".join(values) if len(values) <= 8 else f"{values[0]} to {values[-1]}, or 1 to {len(values)}"
    raise Unfit(f"{shown} is not one of them{did_you_mean(typed, values)}; allowed: {some}")


def _yes_or_no(typed: str) -> bool:
    word = typed.strip().lower()
    if word in ("y", "yes", "n", "no"):
        return word.startswith("y")
    raise Unfit("answer y or n")


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return a check for a whole number from a range."""

    def check(typed: str) -> int:
        if typed.isascii() and typed.isdecimal() and len(typed) < 12 and least <= int(typed) <= most:
            return int(typed)
        raise Unfit(f"{printable(repr(typed), SHOWN)} is not a whole number from {least:,} to {most:,}")

    return check


def dollars(typed: str) -> int:
    """Return an amount in cents, from dollars as `100`, `$1,000` or `0.25`; Unfit otherwise."""
    whole, point, part = typed.replace("$", "").replace(",", "").strip().partition(".")
    digits = whole.isascii() and whole.isdecimal() and len(whole) <= 9
    if digits and (not point or (part.isascii() and part.isdecimal() and len(part) <= 2)):
        return int(whole) * 100 + int(part.ljust(2, "0") or 0)
    raise Unfit(f"{printable(repr(typed), SHOWN)} is not an amount in dollars, such as 100 or 0.25")
