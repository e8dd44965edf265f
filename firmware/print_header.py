"""Generate `include/tdp_numbers.h`, the protocol's numbers for C, from the declarations that the program runs on.

`make docs` writes it; `python firmware/print_header.py` prints it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from enum import IntEnum, IntFlag
from typing import Final

from protocol.faults import Fault
from protocol.places import PLACES
from protocol.tdp import messages as m
from protocol.tdp.commands import role_needed
from protocol.tdp.derive import FIXED, Shape, fields_of
from protocol.tdp.messages import Kind
from protocol.tdp.packets import MAX_FRAME, MINOR, PACKETS, VERSION

CLASSES: Final = {1: "TDP_DEVICE_CLASS_SHUFFLER", 2: "TDP_DEVICE_CLASS_SHOE", 3: "TDP_DEVICE_CLASS_TABLE_CONTROLLER"}
WIDTH: Final = 120


def _upper(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper()


def _enum(entries: list[tuple[str, int]], about: str) -> Iterator[str]:
    yield f"/* {about} */"
    yield "enum {"
    yield from (f"    {name} = {value}," for name, value in entries)
    yield "};"
    yield ""


def _commands() -> Iterator[str]:
    """Yield one row for each command: its class, its fixed part, the text in it, the role it needs."""
    yield "/* TDP_COMMAND(message, class it is for (0: any), bytes of its fixed part, where its text begins and how"
    yield "   long it is (0: none), role it needs) */"
    yield "#define TDP_COMMANDS(TDP_COMMAND) \\"
    rows = []
    for (kind, number), (cls, packet) in PACKETS.items():
        if kind != Kind.COMMAND:
            continue
        at = begins = length = 0
        for field in fields_of(packet):
            if field.shape not in FIXED:
                raise SystemExit(f"{cls.__name__}: a command with a list; the header cannot say that")
            if field.shape is Shape.TEXT:
                begins, length = at, field.size
            at += field.size
        name = f"TDP_{_upper(cls.__name__.removesuffix('Message'))}"
        of = CLASSES.get(number >> 8, "0")
        rows.append(f"    TDP_COMMAND({name}, {of}, {at}, {begins}, {length}, TDP_ROLE_{role_needed(cls).name})")
    yield " \\\n".join(rows)
    yield ""


def lines() -> Iterator[str]:
    """Yield the lines of the header."""
    yield "/* SPDX-License-Identifier: Apache-2.0 */"
    yield "/* Printed by print_header.py from the protocol's declarations; do not edit. */"
    yield "#ifndef TDP_NUMBERS_H"
    yield "#define TDP_NUMBERS_H"
    yield ""
    yield from _enum(
        [("TDP_MAJOR", VERSION), ("TDP_MINOR", MINOR), ("TDP_FRAME_MAX", MAX_FRAME)], "Version, and the longest frame."
    )
    ids = [(f"TDP_{_upper(cls.__name__.removesuffix('Message'))}", number) for (_, number), (cls, _) in PACKETS.items()]
    yield from _enum(ids, "Messages, by the id in the header.")
    for name, kind in inspect.getmembers(m, inspect.isclass):
        if issubclass(kind, IntEnum | IntFlag) and kind.__module__ == m.__name__:
            about = (inspect.getdoc(kind) or "").partition("\n")[0]
            yield from _enum([(f"TDP_{_upper(name)}_{each.name}", each.value) for each in kind], about)
    yield from _enum([(f"TDP_FAULT_{each.name}", each.value) for each in Fault], "Faults.")
    known = [(place.text.upper(), code) for code, place in enumerate(PLACES) if not place.text.startswith("0x")]
    places = [(f"TDP_PLACE_{re.sub('[^A-Z0-9]', '_', text)}", code) for text, code in known]
    shown = [(name, code) for name, code in places if not 0x02 <= code <= 0x20]
    yield from _enum(shown, "Places; seats go on from the first.")
    yield from _commands()
    yield "#endif"


if __name__ == "__main__":
    print("\n".join(lines()))
