"""Special functions: the parameter of a calculation query at level BAh.

    BA  00  text

The text is ASCII, its fields are separated by tabs. Nothing ends it. What the zero byte means is unknown.
"""

from typing import Final, NamedTuple

from protocol.errors import CannotEncode
from protocol.gat.framing import DATA_MAX
from protocol.gat.messages import SPECIAL_FUNCTION, CalculationQueryMessage

PREFIX: Final = b"\0"
TEXT_MAX: Final = DATA_MAX - 1 - len(PREFIX)
"""Maximum length of the text."""
TAB: Final = "\t"
LIST: Final = "Get Special Functions"
FILE: Final = "Get File"
COMPONENT: Final = "Component"
ALL_COMPONENTS: Final = "AuthenticationResponse.xml"
"""File with the checksums of all components."""
NO_KEY: Final = "(none)"
KEY_TEMPLATE: Final = "%%SHA1_HMAC%%"
"""Parameter that stands for a key in the list of functions."""


class SpecialFunction(NamedTuple):
    """A function and its parameters."""

    feature: str
    parameters: tuple[str, ...] = ()


def calculation(function: SpecialFunction) -> CalculationQueryMessage:
    """Return the query that starts a function. Raise CannotEncode if its text does not fit."""
    fields = (function.feature, *function.parameters)
    text = TAB.join(fields)
    if not text.isascii() or not all(field.isprintable() for field in fields):
        raise CannotEncode(function.feature, "a parameter may have printable ASCII characters only")
    if len(text) > TEXT_MAX:
        raise CannotEncode(function.feature, f"the text has {len(text)} characters; allowed: {TEXT_MAX}")
    return CalculationQueryMessage(SPECIAL_FUNCTION, PREFIX + text.encode("ascii"))


def function_of(parameter: bytes) -> SpecialFunction | None:
    """Return the function that a parameter starts; None if it is not text in this form."""
    text = parameter[len(PREFIX) :]
    if not parameter.startswith(PREFIX) or not all(0x20 <= byte < 0x7F or byte == 0x09 for byte in text):
        return None
    feature, *parameters = text.decode("ascii").split(TAB)
    return SpecialFunction(feature, tuple(parameters))


def key_text(key: bytes) -> str:
    """Return a key as a parameter; without one the checksum is a plain SHA-1."""
    return key.hex().upper() if key else NO_KEY


def key_of(text: str) -> bytes | None:
    """Return the key that a parameter means, empty for none; None if it is not hexadecimal."""
    if text in ("", NO_KEY):
        return b""
    digits = text[2:] if text[:2] in ("0x", "0X") else text
    if not digits or set(digits) - set("0123456789abcdefABCDEF") or len(digits) % 2:
        return None
    return bytes.fromhex(digits)
