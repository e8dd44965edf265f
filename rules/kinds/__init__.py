"""Kinds of bets, one module per kind: its keys in a game file, its checks, its outcomes and their sentences."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Final, get_args

from dealer_flow.tomlfile import TomlTable


def _kind_classes() -> Iterator[tuple[str, type[TomlTable]]]:
    """Yield every table class with a `kind` in the modules of this package, by kind."""
    for name in sorted(module.name for module in iter_modules(__path__)):
        for each in vars(import_module(f"{__name__}.{name}")).values():
            if isinstance(each, type) and issubclass(each, TomlTable) and each.__module__ == f"{__name__}.{name}":
                field = each.model_fields["kind"] if "kind" in each.__annotations__ else None
                yield from ((kind, each) for kind in get_args(field and field.annotation))


KINDS: Final[Mapping[str, type[TomlTable]]] = MappingProxyType(dict(_kind_classes()))
"""Class of the rows of each kind of bet, by the name of the kind in a game file or procedure."""
