"""Numbers in addresses, never longer than what they may be: Python refuses to read thousands of digits, and who writes
them must find no page, not a fault."""

from typing import Final

from starlette.convertors import Convertor, register_url_convertor

DIGITS_MAX: Final = 10
"""Digits of a number in a path: a round, a step."""


class NumberConvertor(Convertor[int]):
    """`{name:number}` in a route."""

    regex = f"[0-9]{{1,{DIGITS_MAX}}}"

    def convert(self, value: str) -> int:
        """As the page gets it."""
        return int(value)

    def to_string(self, value: int) -> str:
        """As an address has it."""
        return str(value)


def whole_number(text: str, most: int) -> int | None:
    """The number that a text is; None when it is none, or more than `most`. Zeros before it count for nothing."""
    digits = text.lstrip("0") or text[:1]
    if not (text.isascii() and text.isdecimal() and len(digits) <= len(str(most))):
        return None
    return number if (number := int(digits)) <= most else None


register_url_convertor("number", NumberConvertor())
