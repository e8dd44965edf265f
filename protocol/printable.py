"""Sanitizing of text from outside. What a device, a file or a file name contains may move a terminal's cursor, set its
title, break a log line or reverse the direction of letters."""

from typing import Final

TEXT_MAX: Final = 200
"""Maximum number of characters shown of one external text: longer than any meaningful one, short enough for one line.
"""
_PLAIN: Final = bytes(range(0x20, 0x7F))
"""Printable ASCII. Checking bytes takes a quarter of the time, and a long line contains nothing else."""


def printable(text: str, limit: int | None = TEXT_MAX) -> str:
    r"""Return `text` in a form that is safe for a terminal and a log.

    Each unprintable character becomes `\x1b` or `\u202e`. The text is cut after `limit` characters and the number left
    out is added. Pass None to keep the whole text, for lines that this program wrote.
    """
    left = 0 if limit is None else max(len(text) - limit, 0)
    text = text[: len(text) - left]
    if not text.isprintable():
        text = "".join(each if each.isprintable() else _escape(each) for each in text)
    return f"{text} … ({left} more)" if left else text


def printable_json(line: str) -> str:
    r"""Return an equivalent JSON line with every unprintable character escaped as `\u001b`.

    JSON requires this only of the characters below a space, but terminals interpret others too.
    """
    if (line.isascii() and not line.encode().translate(None, _PLAIN)) or line.isprintable():
        return line
    return "".join(each if each.isprintable() else _escape_json(each) for each in line)


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # surrogateescape: a byte of a file name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _escape_json(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
