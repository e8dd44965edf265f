"""A table.toml as text: every key under a comment that explains it, in the words of the file's own description."""

import ast
import inspect
import json
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any, Final

from dealwire.config import schema
from dealwire.config.schema import (
    AttestationPart,
    Configuration,
    ConsolePart,
    ExportsPart,
    JournalPart,
)
from dealwire.config.table_parts import (
    DevicePart,
    MaximumPart,
    PinPart,
    RakePart,
    TablePart,
)
from rules.game.schema import Signature

WIDTH: Final = 80
Content = Mapping[str, Any]
"""A table of the file: key, as it is written, to value. A mapping or a list of mappings is a table below it."""

_MODELS: Final[Mapping[str, type]] = {
    "": Configuration,
    "journal": JournalPart,
    "console": ConsolePart,
    "exports": ExportsPart,
    "attestation": AttestationPart,
    "table": TablePart,
    "table.device": DevicePart,
    "table.device.pin": PinPart,
    "table.rake": RakePart,
    "table.maximum": MaximumPart,
    "table.signed": Signature,
}
"""Path of a table in the file -> what describes its keys."""


def table_text(content: Content, head: str, notes: Mapping[str, str] | None = None) -> str:
    """Return the file. `head` is the comment above everything; `notes` adds sentences to comments of keys, by path."""
    lines = [*_comment(head), "", *_table("", content, notes or {}, set())]
    return "\n".join(lines).rstrip("\n") + "\n"


@cache
def described(model: type) -> Mapping[str, str]:
    """Return key -> its description, from the docstrings under the fields of a model; empty without its source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    except (OSError, TypeError):
        return {}
    (body,) = [node.body for node in tree.body if isinstance(node, ast.ClassDef)]
    found = {}
    for field, below in pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name.rstrip("_").replace("_", "-")] = " ".join(text.split())
    return found


def heading(path: str) -> str:
    """Return the description of a whole table of the file, as one paragraph."""
    model = _MODELS.get(path)
    text = inspect.getdoc(model) if model is not None and model.__module__ == schema.__name__ else None
    return (
        " ".join((text or "").split("\n\n")[0].split())
        .replace("`key_file`", "`key-file`")
        .replace("`auditor_key_file`", "`auditor-key-file`")
        .replace("`tokens_file`", "`tokens-file`")
    )


def _table(path: str, content: Content, notes: Mapping[str, str], explained: set[str]) -> Iterator[str]:
    """A table: its own keys, then those below it. `explained` are the paths that have their comment already."""
    keys = described(_MODELS[path]) if path in _MODELS else {}
    below = {key: value for key, value in content.items() if _is_table(value)}
    for key, value in content.items():
        if key not in below:
            place = f"{path}.{key}" if path else key
            yield from _comment(_once(place, keys.get(key, ""), notes, explained))
            yield f"{_key(key)} = {_value(value)}"
    for key, value in below.items():
        place = f"{path}.{key}" if path else key
        about = keys.get(key, "") or heading(place)
        for index, each in enumerate(value if isinstance(value, list) else [value]):
            yield ""
            if not index:
                yield from _comment(_once(place, about, notes, explained))
            yield f"[[{place}]]" if isinstance(value, list) else f"[{place}]"
            yield from _table(place, each, notes, explained)


def _once(place: str, about: str, notes: Mapping[str, str], explained: set[str]) -> str:
    """The comment of a path; empty where it is above another of the same kind already."""
    if place in explained:
        return ""
    explained.add(place)
    return " ".join(part for part in (about, notes.get(place, "")) if part)


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and bool(value) and isinstance(value[0], Mapping))


def _comment(text: str) -> list[str]:
    lines = [line for part in text.split("\n") for line in _wrapped(part)] if text else []
    return [f"# {line}".rstrip() for line in lines]


def _wrapped(text: str) -> list[str]:
    """Lines of a paragraph; one that is indented is a command, and stays whole."""
    whole = text.startswith("  ")
    return [text] if whole else textwrap.wrap(text, WIDTH - 2, break_on_hyphens=False) or [""]


def _key(key: str) -> str:
    return key if key and all(each.isascii() and (each.isalnum() or each in "-_") for each in key) else _text(key)


def _text(value: str) -> str:
    """A basic string of TOML; JSON's escapes are TOML's, but for DEL, which TOML wants escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not written into a table.toml")
    return _text(value)
