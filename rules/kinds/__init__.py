"""The kinds of bets, one file a kind: its keys in a game file, its faults, its outcomes and their words."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Final, get_args

from dealer_flow.tomlfile import TomlTable


def _found() -> Iterator[tuple[str, type[TomlTable]]]:
    """Every table with a `kind` in the files beside this one."""
    for name in sorted(module.name for module in iter_modules(__path__)):
        for each in vars(import_module(f"{__name__}.{name}")).values():
            if isinstance(each, type) and issubclass(each, TomlTable) and each.__module__ == f"{__name__}.{name}":
                field = each.model_fields["kind"] if "kind" in each.__annotations__ else None
                yield from ((kind, each) for kind in get_args(field and field.annotation))


KINDS: Final[Mapping[str, type[TomlTable]]] = MappingProxyType(dict(_found()))
"""Kind of bet, as a game file or its procedure names it -> the class of its rows."""
