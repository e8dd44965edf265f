"""A dialect as a new user would add one: the package of `docs/dialects/adding.md`, as pip installs it."""

from pathlib import Path

from tests.support.reading.guides import blocks

PAGE = Path(__file__).parents[3] / "docs" / "dialects" / "adding.md"
ITEMS = ("AS;", "TD;", "2C;")


def source() -> str:
    """Return the page's Python code."""
    (found,) = (
        block.text for block in blocks(PAGE.read_text(encoding="utf-8")) if block.where.endswith("/toy_shoe.py")
    )
    return found


def install(folder: Path, name: str, value: str, *, package: str = "toy") -> None:
    """Install a package as pip does: the module, and the metadata with its entry point."""
    (folder / "toy_shoe.py").write_text(source(), encoding="utf-8")
    info = folder / f"{package}_{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}-{name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[dealwire.dialects]\n{name} = {value}\n")
