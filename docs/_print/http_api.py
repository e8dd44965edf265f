"""The description of the console's addresses, `docs/openapi.json`."""

import json

from dealwire.console.openapi import document


def pages() -> dict[str, str]:
    """Return the document by its path under `docs`."""
    return {"openapi.json": json.dumps(document(), indent=2) + "\n"}
