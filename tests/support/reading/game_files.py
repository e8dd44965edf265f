"""Games of the package copied flat into a folder, as a house keeps files of its own."""

import shutil
from pathlib import Path

from dealer_flow.games import files_of, paytable_files


def flat_games(folder: Path) -> Path:
    """Fill `folder` with every game as `ID.toml` and every pay table in `paytables/`, and return it."""
    flat_paytables(folder / "paytables")
    for name, path in files_of("pays").items():
        shutil.copy(path, folder / f"{name}.toml")
    return folder


def flat_paytables(folder: Path) -> Path:
    """Fill `folder` with every pay table of the package, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in paytable_files().values():
        shutil.copy(path, folder)
    return folder
