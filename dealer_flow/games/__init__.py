"""The games in the package, one folder each: the dealing procedure, what it pays, and its pay tables.

    mississippi-stud/co.deal.toml          the procedure `mississippi-stud.co`
    mississippi-stud/co-single.deal.toml   the procedure `mississippi-stud.co-single`
    mississippi-stud/co.pays.toml          the game `mississippi-stud.co`
    mississippi-stud/paytables/MS-01.toml  the pay table `MS-01`

An id is the folder's name, a dot and the first part of the file's name. The name of a pay table is unique in the
package.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

GAMES: Final = Path(__file__).parent


@cache
def files_of(part: Literal["deal", "pays"]) -> Mapping[str, Path]:
    """Return id -> file of every procedure (`deal`) or game (`pays`) of the package, sorted by id."""
    found = {_id_of(path, part): path for path in GAMES.glob(f"*/*{part}.toml")}
    return MappingProxyType(dict(sorted(found.items())))


def _id_of(path: Path, part: str) -> str:
    return f"{path.parent.name}.{path.name.removesuffix(f'{part}.toml')}".rstrip(".")


@cache
def paytable_files() -> Mapping[str, Path]:
    """Return name -> file of every pay table of the package."""
    return MappingProxyType({path.stem: path for path in sorted(GAMES.glob("*/paytables/*.toml"))})
