"""Tables of `docs/protocol-governance.md`, printed from `docs/protocol-registry.toml`."""

import tomllib
from typing import Any, Final

from docs._print import DOCS, printed, table

PAGE: Final = "protocol-governance.md"
MAKERS_FROM: Final = 0x8000
MAKERS_END: Final = 0xFF00
BLOCK: Final = 0x100


def registry() -> dict[str, Any]:
    """Return the registry; raise ValueError for ranges that overlap or leave a gap, and for makers that share a number
    or name."""
    found = tomllib.loads((DOCS / "protocol-registry.toml").read_text(encoding="utf-8"))
    for of in dict.fromkeys(one["of"] for one in found["range"]):
        due = 0
        for one in found["range"]:
            if one["of"] == of:
                if one["first"] != due or one["last"] < due:
                    raise ValueError(f"{of} {one['first']}: the range must begin at {due}")
                due = one["last"] + 1
    for key in ("number", "maker"):
        values = [one[key] for one in found["maker"]]
        if len(set(values)) != len(values):
            raise ValueError(f"two makers have the same {key}")
    for one in found["maker"]:
        if not 0 <= one["number"] < (MAKERS_END - MAKERS_FROM) // BLOCK or not one["maker"].isascii():
            raise ValueError(f"maker {one['maker']!r}: its number is 0 to 126, its text ASCII")
        if not 1 <= len(one["maker"]) <= 16:
            raise ValueError(f"maker {one['maker']!r}: HELLO-REPLY holds 1 to 16 characters")
    return found


def messages_of(number: int) -> tuple[int, int]:
    """Return the first and the last message number of a maker."""
    first = MAKERS_FROM + BLOCK * number
    return first, first + BLOCK - 1


def _shown(of: str, value: int) -> str:
    return {"message": f"{value:04X}h", "extension": f"{value:02X}h"}.get(of, str(value))


def lines() -> list[str]:
    """Return the lines of both tables."""
    found = registry()
    ranges = [
        (one["of"], _shown(one["of"], one["first"]), _shown(one["of"], one["last"]), one["owner"])
        for one in found["range"]
    ]
    makers = [
        (one["number"], f"`{one['maker']}`", *(f"{value:04X}h" for value in messages_of(one["number"])), one["contact"])
        for one in found["maker"]
    ]
    head = ["### Ranges", "", *table(("number of", "from", "to", "belongs to"), ranges), "", "### Makers", ""]
    return [*head, *table(("maker number", "`maker` in HELLO-REPLY", "messages from", "to", "who"), makers)]


def pages() -> dict[str, str]:
    """Return the page with its printed part."""
    return {PAGE: printed(PAGE, lines())}
