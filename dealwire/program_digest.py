"""The program's own digest: one SHA-256 over every file of its packages, on record at every opening of a journal.

For each file, in the order of its path below the folder of the packages: the path in UTF-8 with `/`, a zero byte, and
the SHA-256 of its content (32 bytes). Folders named `__pycache__` are left out, since the interpreter writes them, and
have a digest of their own. A checkout, a wheel and a Debian package of one release have the same digest.
"""

import hashlib
import importlib.util
import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

from devices.dialects.known import GROUP

PACKAGES: Final = ("protocol", "devices", "dealer_flow", "rules", "dealwire")
FOLDER: Final = Path(__file__).resolve().parents[1]
"""The folder of this package, and of all five unless another one comes first where Python looks."""
OURS: Final = "dealwire"
_CACHE: Final = "__pycache__"


@cache
def folder_of(package: str) -> Path:
    """Return the folder of one of the packages, as Python imports it: PYTHONPATH may name another one, or a link."""
    found = importlib.util.find_spec(package)
    for place in (found.submodule_search_locations if found is not None else None) or ():
        real = Path(place).resolve()
        return real.parent if real.name == package else Path(place).parent.resolve()
    return FOLDER


def place_of(path: str, folder: Path | None = None) -> Path:
    """Return the place of a file of the program, by its relative path: in a folder, or where it is imported from."""
    return (folder if folder is not None else folder_of(path.partition("/")[0])) / path


def program_digest(folder: Path | None = None) -> str:
    """Return the digest of the packages in a folder, by default of the imported ones, in 64 hexadecimal digits. OSError
    if a file cannot be read."""
    return _digest((path, _of_file(place_of(path, folder))) for path in program_files(folder))


def program_files(folder: Path | None = None) -> list[str]:
    """Return the path of every file of the packages in a folder, by default of the imported ones, sorted, relative."""
    return sorted(path for package in PACKAGES for path in _below(folder or folder_of(package), package))


def _below(folder: Path, package: str) -> Iterator[str]:
    for place, folders, files in os.walk(folder / package):
        folders[:] = [each for each in folders if each != _CACHE]
        # A link to a folder is not walked, but modules are imported through it: it counts as a file.
        links = [each for each in folders if os.path.islink(os.path.join(place, each))]
        for name in (*files, *links):
            yield Path(place, name).relative_to(folder).as_posix()


def bytecode_files(folder: Path | None = None) -> list[str]:
    """Return the path of every file in which this version of Python keeps compiled modules of the packages in a folder,
    by default of the imported ones, sorted, relative."""
    return sorted(path for package in PACKAGES for path in _kept_below(folder or folder_of(package), package))


def _kept_below(folder: Path, package: str) -> Iterator[str]:
    ours = f".{sys.implementation.cache_tag}."
    for place, folders, _ in os.walk(folder / package):
        if _CACHE not in folders:
            continue
        folders.remove(_CACHE)
        kept = Path(place, _CACHE)  # Python reads modules through a link to a folder, too
        try:
            names = [name for name in os.listdir(kept) if ours in name and name.endswith(".pyc")]
        except OSError:  # one that we cannot list counts as a file that we cannot read
            names = [""]
        yield from (Path(kept, name).relative_to(folder).as_posix() for name in names)


def bytecode_digest(folder: Path | None = None) -> str:
    """Return the digest of these files, made as that of the program. OSError if one cannot be read."""
    return _digest((path, _of_file(place_of(path, folder))) for path in bytecode_files(folder))


def _of_file(path: Path) -> bytes:
    content = os.fsencode(os.readlink(path)) if path.is_dir() else path.read_bytes()
    return hashlib.sha256(content).digest()


def _digest(files: Iterable[tuple[str, bytes]]) -> str:
    found = hashlib.sha256()
    for path, content in files:
        found.update(os.fsencode(path) + b"\0" + content)
    return found.hexdigest()


@cache
def program_facts() -> dict[str, object]:
    """Return what an opening of a journal records about the program: its digest, that of the compiled modules beside
    it, Python's version, and the digest of each dialect that another package brings. A part that cannot be read has an
    empty digest."""
    facts: dict[str, object] = {"digest": _or_empty(program_digest), "bytecode": _or_empty(bytecode_digest)}
    facts["python"] = platform.python_version()
    others = (entry for entry in entry_points(group=GROUP) if entry.dist is None or entry.dist.name != OURS)
    if dialects := {entry.name: _of_dialect(entry) for entry in others}:
        facts["dialects"] = dialects
    return facts


def _of_dialect(entry: EntryPoint) -> str:
    """Return the digest of all files of the package that brings a dialect."""
    listed = (entry.dist.files if entry.dist is not None else None) or ()
    files = {each.as_posix(): Path(str(each.locate())) for each in listed if _CACHE not in each.parts}
    return _or_empty(lambda: _digest((path, _of_file(files[path])) for path in sorted(files)))


def _or_empty(of: Callable[[], str]) -> str:
    try:
        return of()
    except OSError:
        return ""
