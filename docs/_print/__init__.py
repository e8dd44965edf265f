"""Printers of the generated parts of `docs/`, for `make docs`. Tests compare every printed page with their output.

Unlike an installed package, this one knows the tree around it.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).parents[1]
MARK: Final = "<!-- printed by make docs -->"
END: Final = "<!-- end of what is printed -->"


def printed(path: str, lines: Iterable[str], mark: str = MARK) -> str:
    """Return the page at `path` under `docs/` with these lines between its marks, and the text around them as it is."""
    before, _, rest = (DOCS / path).read_text(encoding="utf-8").partition(mark)
    return "\n".join([before + mark, "", *lines, "", END]) + rest.partition(END)[2]


def table(head: Sequence[str], rows: Iterable[Sequence[object]] = ()) -> list[str]:
    """Return the lines of a Markdown table."""
    cells = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in cells]


def write(pages: Mapping[str, str], docs: Path = DOCS) -> None:
    """Write each text to its path under `docs`."""
    for path, text in pages.items():
        (docs / path).write_text(text, encoding="utf-8")
