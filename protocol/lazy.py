"""Lazy loading of a package's public names: importing the package, or one name, does not load the others."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def lazy_exports(
    package: str, names: Mapping[str, str]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` for `package`.

    `names` maps each module to its public names, separated by blanks.
    """
    homes = {name: module for module, held in names.items() for name in held.split()}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(homes[name]), name)

    return sorted(homes), get, lambda: sorted(homes)
