"""Numbers in addresses, bounded in length.

Python refuses to parse thousands of digits; such an address must give a missing page, not an error.
"""

from typing import Final

from starlette.convertors import Convertor, register_url_convertor

DIGITS_MAX: Final = 10
"""Maximum number of digits of a number in a path, such as a round or a step."""


class NumberConvertor(Convertor[int]):
    """`{name:number}` in a route."""

    regex = f"[0-9]{{1,{DIGITS_MAX}}}"

    def convert(self, value: str) -> int:
        """Return the number for the page."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Return the number for an address."""
        return str(value)


def whole_number(text: str, most: int) -> int | None:
    """Return the number in a text; None if it is not a number or exceeds `most`. Leading zeros are ignored."""
    digits = text.lstrip("0") or text[:1]
    if not (text.isascii() and text.isdecimal() and len(digits) <= len(str(most))):
        return None
    return number if (number := int(digits)) <= most else None


register_url_convertor("number", NumberConvertor())
