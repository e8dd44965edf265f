"""Kinds of values in a `table.toml`: names, ports, networks, files and folders."""

import ipaddress
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator, Field, PlainValidator, ValidationInfo, WithJsonSchema

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$", max_length=64)]
"""Names appear in file names, addresses and topics: letters, digits, and dots, dashes or underscores between them."""
Port = Annotated[int, Field(ge=0, le=65535)]
HostName = Annotated[str, Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$", max_length=253)]
"""A host name without a port."""


def _network(value: str) -> str:
    try:
        ipaddress.ip_network(value)
    except ValueError:
        raise ValueError("an address such as 10.0.0.7 or a network such as 10.0.0.0/24 is needed") from None
    return value


Network = Annotated[str, AfterValidator(_network)]


def _path(value: object, info: ValidationInfo) -> Path:
    if not isinstance(value, str | Path) or not str(value) or "\0" in str(value):
        raise ValueError("the path of a file must be a string")
    return _folder(info) / value


def _id_or_file(value: str, info: ValidationInfo) -> str:
    return str(_folder(info) / value) if value.endswith(".toml") and info.context else value


def _folder(info: ValidationInfo) -> Path:
    """Return the folder of the file being read; relative paths start there."""
    return info.context["folder"] if info.context else Path()


def _folders(value: object, info: ValidationInfo) -> tuple[Path, ...]:
    listed = value if isinstance(value, list | tuple) else (value,)
    found = tuple(_path(each, info) for each in listed)
    if not found:
        raise ValueError("a list of folders needs at least one")
    if len({each.resolve() for each in found}) < len(found):
        raise ValueError("a folder is listed twice: two copies in one folder count as one")
    if any("\n" in str(each) for each in found):
        raise ValueError("the path of a folder must be one line")
    return found


_ONE_PATH: Final = {"type": "string", "minLength": 1}
FilePath = Annotated[Path, PlainValidator(_path), WithJsonSchema(_ONE_PATH)]
Folders = Annotated[
    tuple[Path, ...],
    PlainValidator(_folders),
    WithJsonSchema({"anyOf": [_ONE_PATH, {"type": "array", "items": _ONE_PATH, "minItems": 1, "uniqueItems": True}]}),
]
IdOrFile = Annotated[str, AfterValidator(_id_or_file)]
Word = Annotated[str, Field(min_length=1, max_length=64)]
