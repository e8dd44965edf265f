"""Option types for amounts of money in cents."""

from collections.abc import Sequence
from typing import Any, Final

import click

from dealwire.cli.options import Kind, pairs
from protocol.printable import printable
from rules.paytables.amounts import MOST_CENTS


class WagerCents(click.IntRange):
    """Positive amount in cents, as digits 0 to 9. `int` would also accept digits of other scripts, signs and
    underscores."""

    name = "cents"

    def __init__(self) -> None:
        super().__init__(1, MOST_CENTS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the cents. Raise a usage error if the value is not a positive amount."""
        if isinstance(value, str) and not is_cents(value):
            self.fail(f"{no_cents(value)} from 1 to {MOST_CENTS:,}", param, ctx)
        return super().convert(value, param, ctx)


CENTS: Final[Kind] = {"type": WagerCents(), "metavar": "CENTS"}


def cents(meters: Sequence[str]) -> dict[str, int]:
    """Parse `--meter NAME=CENTS` options. Raise a usage error that names the value that is not an amount."""
    found = pairs(meters, "--meter")
    for value in found.values():
        if not is_cents(value):
            raise click.BadParameter(f"{no_cents(value)} up to {MOST_CENTS:,}", param_hint="--meter")
    return {name: int(value) for name, value in found.items()}


def is_cents(text: str) -> bool:
    """Return True if `text` consists of digits 0 to 9 and is at most the largest amount."""
    return text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_CENTS)) and int(text) <= MOST_CENTS


def no_cents(text: str) -> str:
    """Return the sentence `'five' is not a number of cents`."""
    return f"{printable(repr(text), 40)} is not a number of cents"
