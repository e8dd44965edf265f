"""What of `docs/` is printed from the program: `make docs`. Tests hold every printed page to what these modules give.

It knows the tree that it stands in, as no installed package does.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).parents[1]
MARK: Final = "<!-- printed by make docs -->"
END: Final = "<!-- end of what is printed -->"


def printed(path: str, lines: Iterable[str]) -> str:
    """The page at `path` under `docs/` with these lines between its marks; what stands around is written by hand."""
    before, _, rest = (DOCS / path).read_text(encoding="utf-8").partition(MARK)
    return "\n".join([before + MARK, "", *lines, "", END]) + rest.partition(END)[2]


def table(head: Sequence[str], rows: Iterable[Sequence[object]] = ()) -> list[str]:
    """The lines of a Markdown table."""
    cells = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in cells]


def write(pages: Mapping[str, str], docs: Path = DOCS) -> None:
    """Write these pages, by their paths under `docs`."""
    for path, text in pages.items():
        (docs / path).write_text(text, encoding="utf-8")
