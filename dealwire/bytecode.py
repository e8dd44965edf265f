"""Bytecode that Python keeps in `__pycache__`: which of it would run, and whether it comes from the source.

Python runs such a file in place of the source if its header has the source's time and size, or says that nothing is to
be compared. So it could hold another program than the source, which the program's digest covers.
"""

import importlib.util
import marshal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Final

from dealwire.program_digest import bytecode_files, place_of

_HEADER: Final = 16
_HASHED, _CHECKED = 1, 2
"""Flags of the header: a hash of the source stands in it; Python compares that hash."""
_NO_CODE: Final = (ValueError, EOFError, TypeError, SyntaxError, SystemError, RecursionError, MemoryError)
"""Errors of bytes that hold no code, and of a source that cannot be compiled."""
_LEVELS: Final = {"": 0, "opt-1": 1, "opt-2": 2}


def planted(folder: Path | None = None) -> Iterator[str]:
    """Yield the path of each file of bytecode that Python would run and that does not come from its source."""
    for path in bytecode_files(folder):
        place = place_of(path, folder)
        source, level = _source_of(place)
        try:
            kept = place.read_bytes()
            if source.is_file() and _would_run(kept, source) and not _comes_from(kept, source, level):
                yield path
        except OSError:  # one that we cannot read may be read by who serves the tables
            yield path


def _source_of(kept: Path) -> tuple[Path, int]:
    """Return the source that a file of bytecode stands for, and the level of optimization it is for."""
    stem, _, level = kept.name.removesuffix(".pyc").partition(f".{sys.implementation.cache_tag}")
    return kept.parents[1] / f"{stem}.py", _LEVELS.get(level.lstrip("."), 0)


def _would_run(kept: bytes, source: Path) -> bool:
    """True if Python would run this bytecode, and not compile the source again."""
    if kept[:4] != importlib.util.MAGIC_NUMBER or len(kept) < _HEADER:
        return False
    flags, facts = int.from_bytes(kept[4:8], "little"), kept[8:_HEADER]
    if flags & ~(_HASHED | _CHECKED):
        return False
    if flags & _HASHED:
        return not flags & _CHECKED or facts == importlib.util.source_hash(source.read_bytes())
    of = source.stat()
    return facts == b"".join((int(each) & 0xFFFF_FFFF).to_bytes(4, "little") for each in (of.st_mtime, of.st_size))


def _comes_from(kept: bytes, source: Path, level: int) -> bool:
    text = source.read_bytes()
    try:
        found = marshal.loads(kept[_HEADER:])
        made: CodeType = compile(text, str(source), "exec", dont_inherit=True, optimize=level)
    except _NO_CODE:
        return False
    return bool(found == made)
