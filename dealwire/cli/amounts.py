"""Amounts of money as options: some cents, in digits."""

from collections.abc import Sequence
from typing import Any, Final

import click

from dealwire.cli.options import Kind, pairs
from protocol.printable import printable
from rules.paytables.amounts import MOST_CENTS


class WagerCents(click.IntRange):
    """An amount of some cents, in digits 0 to 9: `int` takes those of every script, signs and underscores, too."""

    name = "cents"

    def __init__(self) -> None:
        super().__init__(1, MOST_CENTS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The cents; a usage error when it is no amount of some."""
        if isinstance(value, str) and not is_cents(value):
            self.fail(f"{no_cents(value)} from 1 to {MOST_CENTS:,}", param, ctx)
        return super().convert(value, param, ctx)


CENTS: Final[Kind] = {"type": WagerCents(), "metavar": "CENTS"}


def cents(meters: Sequence[str]) -> dict[str, int]:
    """`--meter` as amounts; a usage error names the one that is none."""
    found = pairs(meters, "--meter")
    for value in found.values():
        if not is_cents(value):
            raise click.BadParameter(f"{no_cents(value)} up to {MOST_CENTS:,}", param_hint="--meter")
    return {name: int(value) for name, value in found.items()}


def is_cents(text: str) -> bool:
    """True for digits 0 to 9 and nothing else, up to the most that an amount may be."""
    return text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_CENTS)) and int(text) <= MOST_CENTS


def no_cents(text: str) -> str:
    """`'five' is no number of cents`."""
    return f"{printable(repr(text), 40)} is no number of cents"
