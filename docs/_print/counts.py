"""Numbers in essays that count what the program has: nobody types them."""

import re
from typing import Final

from dealer_flow.procedure.load import known_procedures
from docs._print import DOCS

_COUNTED: Final = {
    "../README.md": r"(?<=\*\*)\d+(?= procedures\*\*)",
    "quality.md": r"(?<=\ball )\d+(?= procedures\b)",
}
"""Page under `docs/` -> where it counts the procedures."""


def pages() -> dict[str, str]:
    """Every such page: path under `docs` -> text."""
    number = str(len(known_procedures()))
    texts = {path: (DOCS / path).read_text(encoding="utf-8") for path in _COUNTED}
    return {path: re.sub(counted, number, texts[path]) for path, counted in _COUNTED.items()}
