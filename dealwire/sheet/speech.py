"""Sentences of a sheet without the ids of its procedure."""

import re
from collections.abc import Iterator
from typing import Final

from dealwire.sheet.model import RoundSheet
from dealwire.table.id_words import Speech, names_in

_AN_ID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")


def speech_of(sheet: RoundSheet) -> Speech:
    """Return the speech for the sheet's procedure and the names in its results."""
    return Speech.named(sheet.procedure.id, _names(sheet))


def _names(sheet: RoundSheet) -> Iterator[str]:
    for version in sheet.versions:
        yield from names_in(version.result)
    for hand in sheet.so_far.hands if sheet.so_far is not None else ():
        yield from filter(_AN_ID.fullmatch, (*hand.wagers, *hand.choices))
