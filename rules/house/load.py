"""Loader of a `house.toml`: what a house posts, checked against the edition of the regulation.

Every fault names the file, line, key and what is allowed.
"""

from collections.abc import Iterator
from pathlib import Path

from dealer_flow.tomlfile import fault_at, named_faults, parsed, read, validated
from protocol.tomlfile import Key, TomlFileError
from rules.house.faults import house_faults
from rules.house.house import HouseRules
from rules.house.schema import HouseSpec


def load_house(path: str | Path) -> HouseRules:
    """Load the house's file at `path`, checked against its edition. TomlFileError names file, line, key and what is
    allowed."""
    found, wrong = examined_house(Path(path))
    for fault in wrong:
        raise fault
    assert found is not None
    return found


def examined_house(path: Path) -> tuple[HouseRules | None, Iterator[TomlFileError]]:
    """Return the content of the file, None if its keys are invalid, and all its errors. TomlFileError if it cannot be
    read or is not TOML."""
    text = read(path)
    content = parsed(path, text, TomlFileError)
    found = list[HouseRules]()

    def faults(spec: HouseSpec) -> Iterator[tuple[Key, str]]:
        found.append(HouseRules(spec, str(path), text))
        yield from house_faults(found[0])

    _, wrong = validated(content, HouseSpec, faults, {"folder": path.absolute().parent})
    errors = [*named_faults(iter(wrong), lambda key, why: fault_at(path, text, key, why, TomlFileError))]
    return (found[0] if found else None), iter(errors)
