"""Text from outside: what a device, a file or its name says may hold anything, also what moves a terminal's cursor,
sets its title, ends a line of a log or turns the order of letters round."""

from typing import Final

TEXT_MAX: Final = 200
"""Characters of one text from outside that are shown: longer than any that means something, short enough for a line."""
_PLAIN: Final = bytes(range(0x20, 0x7F))
"""Looked for in bytes, which takes a quarter of the time: a long line is nothing else."""


def printable(text: str, limit: int | None = TEXT_MAX) -> str:
    """`text` as a terminal and a log may have it: printable characters only, every other one as `\\x1b` or `\\u202e`,
    cut after `limit` characters with the number left out. None cuts nothing, for a line of our own."""
    left = 0 if limit is None else max(len(text) - limit, 0)
    text = text[: len(text) - left]
    if not text.isprintable():
        text = "".join(each if each.isprintable() else _escape(each) for each in text)
    return f"{text} … ({left} more)" if left else text


def printable_json(line: str) -> str:
    """A line of JSON that says the same, with every character that is not printable as `\\u001b`: JSON asks that of the
    characters below a space only, and terminals obey others too."""
    if (line.isascii() and not line.encode().translate(None, _PLAIN)) or line.isprintable():
        return line
    return "".join(each if each.isprintable() else _escape_json(each) for each in line)


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # how Python keeps a byte of a file's name that is no UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _escape_json(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
