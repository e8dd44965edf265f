"""Numbers in hand-written pages that count something in the program, so that no one types them."""

import re
from typing import Final

from dealer_flow.procedure.load import known_procedures
from docs._print import DOCS

_COUNTED: Final = {
    "../README.md": r"(?<=\*\*)\d+(?= procedures\*\*)",
    "quality.md": r"(?<=\ball )\d+(?= procedures\b)",
}
"""Pattern of the number of procedures, by page under `docs/`."""


def pages() -> dict[str, str]:
    """Return every such page by its path under `docs`."""
    number = str(len(known_procedures()))
    texts = {path: (DOCS / path).read_text(encoding="utf-8") for path in _COUNTED}
    return {path: re.sub(counted, number, texts[path]) for path, counted in _COUNTED.items()}
